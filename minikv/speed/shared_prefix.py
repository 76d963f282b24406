"""A cache of many rows that keeps their common prefix once.

`KVCache.fork` copies the prefix into every row: simple, and with 32 rows on 2,048 tokens it is most of the memory, and
most of what a decode step reads. Here the rows share one copy. A batch may hold the rows of several prefixes, those of
each side by side. Any decoder can use it; `fast_attention.py` is what reads each prefix once.

The rows' own slots lie in one line: slot 0 of every row, then slot 1 of every row, and so on, so that what was written
until now is the beginning of the line. A short prefix is copied once, to the front of it. Then all that a batch knows
lies in one piece, and a single attention can read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from jaxtyping import Float, Int
from torch import Tensor

from minikv.cache import EMPTY, KVCache, Placement, checked_lengths, whole_numbers
from minikv.errors import MinikvError

COPIED = 2048  # tokens at most of a prefix that is copied to the front of the line: 25 MB of Qwen2 0.5B in bf16


class Prefix(KVCache):
    """A cache of one row whose forks share it. It must not be written to while they live."""

    @classmethod
    def join(cls, prefixes: Sequence[KVCache], rows: Sequence[int], slots: int) -> KVCache:
        """As `KVCache.join`, but no row gets a copy."""
        lengths = checked_lengths(prefixes, rows, slots)
        # The last token is copied all the same: a row that has nothing to say says it once more, in its old place.
        shared = (lengths - 1).clamp(min=0)
        first = prefixes[0]
        layers, _, kv_heads, _, head_dim = first.keys.shape
        own_slots = slots - int(shared.min()) if len(shared) else slots
        parts = [Shared.of(prefix, count) for prefix, count in zip(prefixes, rows, strict=True)]
        front = parts[0].length if len(parts) == 1 and parts[0].length <= COPIED else 0
        size = (layers, 1, kv_heads, front + own_slots * len(lengths), head_dim)
        keys, values = first.keys.new_zeros(size), first.values.new_zeros(size)
        if front:
            keys[..., :front, :], values[..., :front, :] = parts[0].keys, parts[0].values
            parts = [Shared(keys[..., :front, :], values[..., :front, :], rows[0])]
        joined = ForkedCache(
            keys=in_rows(keys, front, len(lengths)),
            values=in_rows(values, front, len(lengths)),
            tokens=first.tokens.new_full((len(lengths), slots), EMPTY),
            lengths=lengths,
            prefixes=parts,
            shared=shared,
            line_keys=keys,
            line_values=values,
        )
        for prefix, part, copies in zip(prefixes, joined.prefixes, joined.rows_of_prefixes(), strict=True):
            length, last = int(prefix.lengths[0]), slice(part.length, int(prefix.lengths[0]))
            joined.keys[:, copies, :, : length - part.length] = prefix.keys[..., last, :]
            joined.values[:, copies, :, : length - part.length] = prefix.values[..., last, :]
            joined.tokens[copies, :length] = prefix.tokens[:, :length]
        return joined


def in_rows(
    line: Float[Tensor, "layers 1 kv_heads line head_dim"], front: int, rows: int
) -> Float[Tensor, "layers rows kv_heads own head_dim"]:
    """What follows the front of a line, row by row: a view."""
    own = (line.shape[3] - front) // max(rows, 1)
    return line[:, 0, :, front:].unflatten(2, (own, rows)).permute(0, 3, 1, 2, 4)


@dataclass(frozen=True, eq=False)
class Shared:
    """What some rows, one after the other, have in common: a view of their prefix, but for its last token."""

    keys: Float[Tensor, "layers 1 kv_heads shared head_dim"]
    values: Float[Tensor, "layers 1 kv_heads shared head_dim"]
    rows: int

    @classmethod
    def of(cls, prefix: KVCache, rows: int) -> "Shared":
        length = max(int(prefix.lengths[0]) - 1, 0)
        return cls(prefix.keys[..., :length, :], prefix.values[..., :length, :], rows)

    @property
    def length(self) -> int:
        return self.keys.shape[3]


@dataclass(eq=False, repr=False)
class ForkedCache(KVCache):
    """Rows that begin with a prefix which they share. `keys` and `values`, views of the line, hold what comes after."""

    keys: Float[Tensor, "layers rows kv_heads own head_dim"]
    values: Float[Tensor, "layers rows kv_heads own head_dim"]
    prefixes: list[Shared]
    shared: Int[Tensor, " rows"]  # slots at the start of each row that are its prefix's
    line_keys: Float[Tensor, "layers 1 kv_heads line head_dim"]
    line_values: Float[Tensor, "layers 1 kv_heads line head_dim"]

    @property
    def slots(self) -> int:
        return self.tokens.shape[1]

    @property
    def front(self) -> int:
        """Slots of the line that are the prefix's, where it was copied there."""
        return self.line_keys.shape[3] - self.rows * self.keys.shape[3]

    @property
    def nbytes(self) -> int:
        parts = sum(part.keys.nbytes + part.values.nbytes for part in self.prefixes)
        return self.keys.nbytes + self.values.nbytes + parts

    def rows_of_prefixes(self) -> list[slice]:
        """The rows of each prefix."""
        ends = list(accumulate(part.rows for part in self.prefixes))
        return [slice(end - part.rows, end) for end, part in zip(ends, self.prefixes, strict=True)]

    def write_tokens(self, placement: Placement, tokens: Int[Tensor, "rows new"]) -> None:
        """As `KVCache.write_tokens`. MinikvError, before anything is written, for a slot that other rows share."""
        if bool((placement.slots < self.shared[:, None]).any()):
            raise MinikvError(
                f"slots {placement.slots.tolist()}, but the first {self.shared.tolist()} of these rows are shared with "
                f"others; expected slots from there on, or a fork of a plain KVCache"
            )
        super().write_tokens(placement, tokens)

    def write(
        self,
        layer: int,
        placement: Placement,
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> tuple[Float[Tensor, "rows kv_heads seen head_dim"], Float[Tensor, "rows kv_heads seen head_dim"]]:
        """As `KVCache.write`; the prefix is put before each row's own slots, for an attention that knows of no other
        form."""
        own = self.write_own(layer, self.own(placement), k, v)
        keys, values = (new.new_zeros(self.rows, new.shape[1], placement.seen, new.shape[3]) for new in own)
        for part, rows in zip(self.prefixes, self.rows_of_prefixes(), strict=True):
            for whole, common, after in ((keys, part.keys, own[0]), (values, part.values, own[1])):
                known = min(part.length, placement.seen)
                end = min(known + after.shape[2], placement.seen)
                whole[rows, :, :known] = common[layer, :, :, :known]
                whole[rows, :, known:end] = after[rows, :, : end - known]
        return keys, values

    def own(self, placement: Placement) -> Placement:
        """The same placement, each row's slots counted from the end of its prefix."""
        count, shared = self.keys.shape[3], self.shared[:, None]
        slots = torch.where(placement.slots < self.slots, placement.slots - shared, count)
        whole = shared + torch.arange(count, device=shared.device)  # rows own: the slots in the whole row
        index = whole.clamp(max=self.slots - 1)[:, None].expand(-1, placement.mask.shape[1], -1)
        mask = placement.mask.gather(2, index) & (whole < self.slots)[:, None]
        return Placement(placement.positions, slots, mask)

    def write_own(
        self,
        layer: int,
        own: Placement,
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> tuple[Float[Tensor, "rows kv_heads own head_dim"], Float[Tensor, "rows kv_heads own head_dim"]]:
        """Store one layer's new keys and values; return the rows' own, up to the last that some query sees."""
        return super().write(layer, own, k, v)

    @classmethod
    def join(cls, prefixes: Sequence[KVCache], rows: Sequence[int], slots: int) -> KVCache:
        """As `KVCache.join`: what the one row of each shares is copied too."""
        plain = [prefix.plain() if isinstance(prefix, ForkedCache) else prefix for prefix in prefixes]
        return KVCache.join(plain, rows, slots)

    def plain(self) -> KVCache:
        """The one row of this cache as a plain one."""
        (part,) = self.prefixes
        keys = torch.cat([part.keys, self.keys], dim=3)
        values = torch.cat([part.values, self.values], dim=3)
        return KVCache(keys, values, self.tokens, self.lengths)

    def rewind(self, lengths: Int[Tensor, " rows"] | Sequence[int] | int) -> None:
        """As `KVCache.rewind`, but no row can forget what it shares with others."""
        wanted = whole_numbers(lengths, "lengths", self.lengths.device)
        if bool((wanted < self.shared).any()):
            raise MinikvError(
                f"rewind to {wanted.tolist()}, but the first {self.shared.tolist()} tokens of these rows are shared "
                f"with others; expected lengths from there on, or a fork of a plain KVCache"
            )
        super().rewind(wanted)
