"""A cache of many rows that keeps their common prefix once.

`KVCache.fork` copies the prefix into every row: simple, and with 32 rows on 2,048 tokens it is most of the memory, and
most of what a decode step reads. Here the rows share one copy. Any decoder can use it; `fast_attention.py` is what
reads the prefix once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from minikv.cache import EMPTY, KVCache, Placement, whole_numbers
from minikv.errors import MinikvError


class Prefix(KVCache):
    """A cache of one row whose forks share it. It must not be written to while they live."""

    def fork(self, rows: int, slots: int) -> KVCache:
        """As `KVCache.fork`, without the copies."""
        length = self._forked_length(rows, slots)
        # The last token is copied all the same: a row that has nothing to say says it once more, in its old place.
        shared = max(length - 1, 0)
        layers, _, kv_heads, _, head_dim = self.keys.shape
        own = self.keys.new_zeros(2, layers, rows, kv_heads, slots - shared, head_dim)
        own[0, ..., : length - shared, :] = self.keys[..., shared:length, :]
        own[1, ..., : length - shared, :] = self.values[..., shared:length, :]
        tokens = self.tokens.new_full((rows, slots), EMPTY)
        tokens[:, :length] = self.tokens[:, :length]
        return ForkedCache(
            keys=own[0],
            values=own[1],
            tokens=tokens,
            lengths=self.lengths.repeat(rows),
            prefix_keys=self.keys[..., :shared, :],
            prefix_values=self.values[..., :shared, :],
        )


@dataclass(eq=False)
class ForkedCache(KVCache):
    """Rows that begin with one shared prefix. `keys` and `values` hold what comes after it."""

    keys: Float[Tensor, "layers rows kv_heads own head_dim"]
    values: Float[Tensor, "layers rows kv_heads own head_dim"]
    prefix_keys: Float[Tensor, "layers 1 kv_heads shared head_dim"]
    prefix_values: Float[Tensor, "layers 1 kv_heads shared head_dim"]

    @property
    def shared(self) -> int:
        """Slots at the start of each row that are one for all."""
        return self.prefix_keys.shape[3]

    @property
    def slots(self) -> int:
        return self.shared + self.keys.shape[3]

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.values.nbytes + self.prefix_keys.nbytes + self.prefix_values.nbytes

    def write(
        self,
        layer: int,
        placement: Placement,
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> tuple[Float[Tensor, "rows kv_heads seen head_dim"], Float[Tensor, "rows kv_heads seen head_dim"]]:
        """As `KVCache.write`; the prefix is put before each row's own slots, for an attention that knows of no other
        form."""
        own_keys, own_values = self.write_own(layer, self.own(placement), k, v)
        keys = torch.cat([self.prefix_keys[layer].expand(self.rows, -1, -1, -1), own_keys], dim=2)
        values = torch.cat([self.prefix_values[layer].expand(self.rows, -1, -1, -1), own_values], dim=2)
        return keys[:, :, : placement.seen], values[:, :, : placement.seen]

    def own(self, placement: Placement) -> Placement:
        """The same placement, its slots counted from the end of the prefix."""
        return Placement(placement.positions, placement.slots - self.shared, placement.mask[:, :, self.shared :])

    def write_own(
        self,
        layer: int,
        own: Placement,
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> tuple[Float[Tensor, "rows kv_heads own head_dim"], Float[Tensor, "rows kv_heads own head_dim"]]:
        """Store one layer's new keys and values; return the rows' own, up to the last that some query sees."""
        return super().write(layer, own, k, v)

    def fork(self, rows: int, slots: int) -> KVCache:
        """As `KVCache.fork`: what the one row shares is copied too."""
        self._forked_length(rows, slots)
        keys = torch.cat([self.prefix_keys, self.keys], dim=3)
        values = torch.cat([self.prefix_values, self.values], dim=3)
        return KVCache(keys, values, self.tokens, self.lengths).fork(rows, slots)

    def rewind(self, lengths: Int[Tensor, " rows"] | Sequence[int] | int) -> None:
        """As `KVCache.rewind`, but no row can forget what it shares with others."""
        wanted = whole_numbers(lengths, "lengths", self.lengths.device)
        if bool((wanted < self.shared).any()):
            raise MinikvError(
                f"rewind to {wanted.tolist()}, but the first {self.shared} tokens are one copy for all rows; expected "
                f"lengths from there on, or a fork of a plain KVCache"
            )
        super().rewind(wanted)
