"""The KV cache, and where each new token goes in it.

The whole cache is one object, passed as an argument: the keys, the values, which token stands in which slot, and the
lengths. Nothing is kept in a module or a global. Each row has an offset of its own, `lengths[row]`, its next free slot.
With lengths [3, 5] and counts [2, 1],

    placement = cache.place(counts)     # positions = slots = [[3, 4], [5, 6]]
    model(tokens, cache, placement)     # row 0 writes slots 3, 4; row 1 writes 5 and, padding, 6
    cache.advance(counts)               # lengths [5, 6]: row 1's padding lies beyond its end

row 1's second token is padding. It lands in slot 6, beyond its row's end. No real query looks there, since a query at
position p sees the slots up to p, and row 1's next token overwrites it. So padding needs no mask of its own. Padding
beyond the end of the cache itself has no slot and is not written: its slot is the number of slots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from minikv.errors import MinikvError
from minikv.table import Shown

if TYPE_CHECKING:  # the decoder stands above the cache; only its type is named here
    from minikv.decoder import Decoder

EMPTY = -1  # what `tokens` holds in a slot that was never written


@dataclass(frozen=True, eq=False, repr=False)
class Placement(Shown):
    """The three free choices of a decoder step, for each row and each new token (column)."""

    positions: Int[Tensor, "rows new"]  # the position that RoPE turns the token by
    slots: Int[Tensor, "rows new"]  # the slot that its key and value are written to; one past the last: to none
    mask: Bool[Tensor, "rows new slots"]  # the slots that its query sees

    @classmethod
    def causal(cls, rows: int, new: int, device: torch.device | str = "cpu") -> "Placement":
        """Every row from position 0, each token seeing itself and all before it: the forward pass without a cache."""
        column = torch.arange(new, device=device)
        mask = column <= column[:, None]
        return cls(column.expand(rows, new), column.expand(rows, new), mask.expand(rows, new, new))

    @cached_property
    def written(self) -> tuple[Int[Tensor, " tokens"], Int[Tensor, " tokens"], Int[Tensor, " tokens"]]:
        """(row, column, slot) of each token that has a slot: all but padding beyond the cache's end. Worked out once,
        since every layer asks."""
        rows, columns = (self.slots < self.mask.shape[-1]).nonzero(as_tuple=True)
        return rows, columns, self.slots[rows, columns]

    @cached_property
    def seen(self) -> int:
        """One more than the last slot that any query sees: attention need not read further."""
        columns = self.mask.flatten(0, 1).any(dim=0).nonzero()
        return int(columns[-1]) + 1 if len(columns) else 0


@dataclass(eq=False, repr=False)
class KVCache(Shown):
    """Keys and values of every layer, the token in each slot, and how far each row is filled."""

    keys: Float[Tensor, "layers rows kv_heads slots head_dim"]
    values: Float[Tensor, "layers rows kv_heads slots head_dim"]
    tokens: Int[Tensor, "rows slots"]
    lengths: Int[Tensor, " rows"]

    @classmethod
    def empty(cls, model: "Decoder", rows: int, slots: int) -> "KVCache":
        """A cache of no tokens for `model`, in its dtype and on its device."""
        if rows < 0 or slots < 0:
            raise MinikvError(f"a cache of {rows} rows and {slots} slots; expected 0 or more of each")
        config, dtype, device = model.config, model.dtype, model.device
        shape = (config.layers, rows, config.kv_heads, slots, config.head_dim)
        # Zeros, not torch.empty: a masked slot has weight 0, and 0 times a stray NaN would still be NaN.
        return cls(
            keys=torch.zeros(shape, dtype=dtype, device=device),
            values=torch.zeros(shape, dtype=dtype, device=device),
            tokens=torch.full((rows, slots), EMPTY, device=device),
            lengths=torch.zeros(rows, dtype=torch.int64, device=device),
        )

    @property
    def rows(self) -> int:
        return self.keys.shape[1]

    @property
    def slots(self) -> int:
        return self.keys.shape[3]

    @property
    def nbytes(self) -> int:
        """Bytes of keys and values: 2 * layers * rows * kv_heads * slots * head_dim * bytes of a number."""
        return self.keys.nbytes + self.values.nbytes

    def place(self, counts: Int[Tensor, " rows"] | Sequence[int]) -> Placement:
        """Where the next tokens go: row r's new tokens take slot = position = lengths[r] + 0, 1, 2 …

        counts[r] says how many of row r's new tokens are real (0 for a row that has nothing to say); the others, up to
        max(counts), are padding on the right. A query sees the slots up to its own position. Nothing is written and no
        length moves. MinikvError where a real token would not fit.
        """
        counts = self._checked(counts)
        column = torch.arange(int(counts.max()) if len(counts) else 0, device=self.lengths.device)
        positions = self.lengths[:, None] + column
        mask = torch.arange(self.slots, device=self.lengths.device) <= positions[..., None]
        return Placement(positions=positions, slots=positions.clamp(max=self.slots), mask=mask)

    def advance(self, counts: Int[Tensor, " rows"] | Sequence[int]) -> None:
        """Row r now holds counts[r] more tokens. Not `+= new`: padding does not count."""
        self.lengths = self.lengths + self._checked(counts)

    def write(
        self,
        layer: int,
        placement: Placement,
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> tuple[Float[Tensor, "rows kv_heads seen head_dim"], Float[Tensor, "rows kv_heads seen head_dim"]]:
        """Store one layer's new keys and values in their slots; return all those that some query sees."""
        rows, columns, slots = placement.written
        self.keys[layer][rows, :, slots] = k[rows, columns]
        self.values[layer][rows, :, slots] = v[rows, columns]
        return self.keys[layer][:, :, : placement.seen], self.values[layer][:, :, : placement.seen]

    def write_tokens(self, placement: Placement, tokens: Int[Tensor, "rows new"]) -> None:
        """Note which token stands in which slot: the repetition penalty and the pictures ask for it."""
        rows, columns, slots = placement.written
        self.tokens[rows, slots] = tokens[rows, columns]

    def fork(self, rows: int, slots: int) -> "KVCache":
        """A new cache of `rows` rows and `slots` slots, each row starting as a copy of this cache's one row.

        A copy, not a view: rows made with `expand` share one memory, and a write to one would be a write to all.
        This cache is not touched, now or later.
        """
        return self.join([self], [rows], slots)

    @classmethod
    def join(cls, prefixes: Sequence["KVCache"], rows: Sequence[int], slots: int) -> "KVCache":
        """Forks of several caches of one row in one batch: rows[0] rows that start as copies of the first prefix, then
        rows[1] of the second …"""
        lengths = checked_lengths(prefixes, rows, slots)
        layers, _, kv_heads, _, head_dim = prefixes[0].keys.shape
        joined = cls(
            keys=prefixes[0].keys.new_zeros(layers, len(lengths), kv_heads, slots, head_dim),
            values=prefixes[0].values.new_zeros(layers, len(lengths), kv_heads, slots, head_dim),
            tokens=prefixes[0].tokens.new_full((len(lengths), slots), EMPTY),
            lengths=lengths,
        )
        start = 0
        for prefix, count in zip(prefixes, rows, strict=True):
            length, copies = int(prefix.lengths[0]), slice(start, start + count)
            joined.keys[:, copies, :, :length] = prefix.keys[..., :length, :]
            joined.values[:, copies, :, :length] = prefix.values[..., :length, :]
            joined.tokens[copies, :length] = prefix.tokens[:, :length]
            start += count
        return joined

    def rewind(self, lengths: Int[Tensor, " rows"] | Sequence[int] | int) -> None:
        """Forget everything beyond `lengths` (one for each row, or one for all). What is forgotten is overwritten by
        the next tokens. MinikvError, and no change, for a length below 0 or beyond what the row holds."""
        wanted = whole_numbers(lengths, "lengths", self.lengths.device)
        if wanted.ndim == 0:
            wanted = wanted.repeat(self.rows)
        if wanted.shape != self.lengths.shape or bool(((wanted < 0) | (wanted > self.lengths)).any()):
            raise MinikvError(
                f"rewind to {wanted.tolist()}, but the rows hold {self.lengths.tolist()}; "
                f"expected for each row a length from 0 to what it holds"
            )
        self.lengths = wanted.clone()

    def _checked(self, counts: Int[Tensor, " rows"] | Sequence[int]) -> Int[Tensor, " rows"]:
        """`counts` as a tensor. MinikvError if it is not one count for each row, or a row has no room for its own."""
        counts = whole_numbers(counts, "counts", self.lengths.device)
        if counts.shape != self.lengths.shape or bool((counts < 0).any()):
            raise MinikvError(
                f"counts is {counts.tolist()}; expected {self.rows} numbers of at least 0, one for each row"
            )
        needed = self.lengths + counts
        if bool((needed > self.slots).any()):
            row = int(needed.argmax())
            raise MinikvError(
                f"the cache has {self.slots} slots, but row {row} holds {int(self.lengths[row])} tokens and gets "
                f"{int(counts[row])} more; make it with at least {int(needed[row])} slots, or fork it into as many"
            )
        return counts


def checked_lengths(prefixes: Sequence[KVCache], rows: Sequence[int], slots: int) -> Int[Tensor, " rows"]:
    """How much each row of these forks starts with. MinikvError if they cannot be forked so."""
    for prefix, count in zip(prefixes, rows, strict=True):
        if prefix.rows != 1 or count < 0:
            raise MinikvError(
                f"fork copies a cache of one row into 0 rows or more; {prefix.rows} into {count} were asked"
            )
        if slots < int(prefix.lengths[0]):
            length = int(prefix.lengths[0])
            raise MinikvError(f"fork into {slots} slots, but {length} are filled; ask for at least {length}")
    return torch.cat([prefix.lengths.repeat(count) for prefix, count in zip(prefixes, rows, strict=True)])


def whole_numbers(values: Tensor | Sequence[int] | int, name: str, device: torch.device) -> Int[Tensor, "..."]:
    """`values` as an int64 tensor; MinikvError for what is no whole number. 1.9 is not cut to 1."""
    try:
        found = torch.as_tensor(values, device=device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise MinikvError(f"{name} is {values!r}; expected whole numbers ({error})") from None
    if found.is_complex() or (found.is_floating_point() and found.numel()):  # torch makes [] a float
        raise MinikvError(f"{name} is {found.tolist()}; expected whole numbers")
    return found.to(torch.int64)
