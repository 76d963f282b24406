"""Seven ways to answer many prompts on one shared prefix: four right, three wrong, each the same few lines.

A recipe lays out the suffixes of a batch, and a loop carries it on. There are two loops. `generate.own_offset_steps`
gives each row an offset of its own. `shared_offset_steps`, below, does what `generate` of transformers 5 does with the
same call on the same cache: one offset for all rows. Lay the two side by side: they differ in where the new tokens go,
which column each row is read at, how far each row advances, and what a finished row does. The wrong recipes fail token
for token as transformers fails; the tests hold them to it.

All recipes are greedy.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor

from minikv.cache import KVCache, Placement
from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.generate import Step, as_ids, check_ids, collect, prefill, read_logits, steps
from minikv.sampling import argmax

Ids = Sequence[int]


@dataclass(frozen=True)
class Limits:
    """Where a recipe's rows end, and what they are padded with."""

    max_new_tokens: int = 200
    stop_ids: tuple[int, ...] = ()
    pad_id: int = 0  # right_padded_batch reads at padding, so there its answers depend on this


def naive_loop(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """Each prompt alone, from its first token on.

    Right, and slow: the prefix is computed again for every suffix. What the others are measured by.
    """
    for row, suffix in enumerate(suffixes):
        for step in steps(model, [[*prefix, *suffix]], None, limits.max_new_tokens, limits.stop_ids):
            yield replace(step, prompts=(row,))


def single_row_cache(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """The prefix cached once, then each suffix alone on a copy of it.

    Right: with one row there is no padding. Every decode step reads all the weights for a single token.
    """
    cached = prefill(model, prefix)
    for row, suffix in enumerate(suffixes):
        for step in steps(model, [suffix], cached, limits.max_new_tokens, limits.stop_ids):
            yield replace(step, prompts=(row,))


def right_padded_batch(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """All suffixes at once, padded on the right, on one shared offset.

    Wrong for every row but the longest. Its first new token is read at column -1, a padding query; its next tokens
    count on from that column's position, which is 0, so they are rotated as positions 1, 2, 3 far behind the prefix.
    """
    rows = [[*prefix, *suffix, *hole] for suffix, hole in with_holes(suffixes)]
    tokens, real = as_tensors(rows, limits.pad_id)
    return as_transformers(model, prefill(model, prefix), tokens, real, limits)


def left_shifted_batch(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """Whole rows, prefix and all, shifted left by sorting their mask, on the cache of the unshifted prefix.

    Wrong. The shift moves prefix tokens into the part that is fed, where they stand a second time, while the mask hides
    the first real slots of the cache. And the sort is not stable: it scrambles the tokens that it was to shift.
    """
    rows = [[*prefix, *suffix, *hole] for suffix, hole in with_holes(suffixes)]
    tokens, real = as_tensors(rows, limits.pad_id)
    order = real.long().argsort(dim=1, descending=False)
    tokens, real = tokens.gather(1, order), real.gather(1, order)
    return as_transformers(model, prefill(model, prefix), tokens, real, limits)


def left_shifted_stable(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """The same shift with a stable sort: every row keeps its order.

    Still wrong, though less visibly. Prefix tokens are fed twice, at positions that their cached copies hold already,
    and as many real slots at the start of the prefix are hidden.
    """
    rows = [[*prefix, *suffix, *hole] for suffix, hole in with_holes(suffixes)]
    tokens, real = as_tensors(rows, limits.pad_id)
    order = real.long().argsort(dim=1, descending=False, stable=True)
    tokens, real = tokens.gather(1, order), real.gather(1, order)
    return as_transformers(model, prefill(model, prefix), tokens, real, limits)


def suffix_left_padded(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """The padding between the prefix and the suffixes, on one shared offset.

    Right, with transformers too: every row's last column is its last real token, the mask hides the hole, and the
    positions skip it. The way out for those who stay there, at the price of a hole of padding in the cache.
    """
    rows = [[*prefix, *hole, *suffix] for suffix, hole in with_holes(suffixes)]
    tokens, real = as_tensors(rows, limits.pad_id)
    return as_transformers(model, prefill(model, prefix), tokens, real, limits)


def per_row_offsets(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """All suffixes at once, each row at its own offset.

    Right: slot = position = the row's own length + 0, 1, 2 …; each row is read at its own last real token and advances
    by its own count. Padding lies beyond the row's end, where no query looks and the next token overwrites it.
    """
    return steps(model, suffixes, prefill(model, prefix), limits.max_new_tokens, limits.stop_ids)


def as_transformers(
    model: Decoder,
    prefix: KVCache,
    input_ids: Int[Tensor, "rows total"],
    real: Bool[Tensor, "rows total"],
    limits: Limits,
) -> Iterator[Step]:
    """What `generate(input_ids, attention_mask=real, past_key_values=prefix)` of transformers 5 does: feed what stands
    behind the cached part, at positions counted over the mask, 0 for padding. Then see `shared_offset_steps`."""
    device, cached = prefix.lengths.device, int(prefix.lengths[0])
    (rows, total), input_ids, real = input_ids.shape, input_ids.to(device), real.to(device)
    cache = prefix.fork(rows, slots=total + limits.max_new_tokens - 1)  # a row's last new token is never fed
    visible = F.pad(real, (0, cache.slots - total), value=True)
    positions = (real.cumsum(dim=1) - 1).masked_fill(~real, 0)
    return shared_offset_steps(model, cache, input_ids[:, cached:], positions[:, cached:], visible, limits)


@torch.no_grad()
def shared_offset_steps(
    model: Decoder,
    cache: KVCache,
    tokens: Int[Tensor, "rows new"],
    positions: Int[Tensor, "rows new"],
    visible: Bool[Tensor, "rows slots"],
    limits: Limits,
) -> Iterator[Step]:
    """The loop of transformers' `generate`: all rows write at one shared offset, are read at column -1, and count on
    from the last column's position; a finished row goes on, with padding.

    (Releases before 5 counted the positions anew over the mask at each step, so there short rows did not restart.)
    """
    device, prompts = cache.lengths.device, tuple(range(cache.rows))
    ends = torch.tensor(limits.stop_ids, dtype=torch.int64, device=device)
    finished = torch.zeros(cache.rows, dtype=torch.bool, device=device)
    slot = torch.arange(cache.slots, device=device)
    for _ in range(limits.max_new_tokens):
        lengths, counts = cache.lengths, torch.full_like(cache.lengths, tokens.shape[1])
        slots = lengths[:, None] + slot[: tokens.shape[1]]
        placement = Placement(positions, slots, visible[:, None] & (slot <= slots[..., None]))
        read = counts - 1
        logits = read_logits(model, tokens, cache, placement, read)
        cache.advance(counts)
        chosen = argmax(logits).masked_fill(finished, limits.pad_id)
        finished = finished | torch.isin(chosen, ends)
        yield Step(prompts, tokens, placement, lengths, counts, read, logits, chosen, finished, cache)
        if bool(finished.all()):
            return
        tokens, positions = chosen[:, None], positions[:, -1:] + 1


def with_holes(suffixes: Sequence[Ids]) -> Iterator[tuple[Ids, list[None]]]:
    """Each suffix with the padding that it lacks to the longest, as Nones."""
    empty = [row for row, suffix in enumerate(suffixes) if len(suffix) == 0]
    if empty:
        raise MinikvError(
            f"suffix {empty[0]} is empty; on one shared offset its first logits would have no column to be read at"
        )
    widest = max(map(len, suffixes), default=0)
    for suffix in suffixes:
        yield suffix, [None] * (widest - len(suffix))


def as_tensors(
    rows: Sequence[Sequence[int | None]], pad_id: int
) -> tuple[Int[Tensor, "rows total"], Bool[Tensor, "rows total"]]:
    """Rows of one width as `input_ids` and `attention_mask`: None becomes the padding id, masked."""
    tokens = torch.tensor([[pad_id if token is None else token for token in row] for row in rows])
    return tokens, torch.tensor([[token is not None for token in row] for row in rows])


@dataclass(frozen=True)
class Recipe:
    """One way to answer many prompts on a shared prefix: call it for the answers, walk its `steps` to see how."""

    name: str
    right: bool  # equal to the naive loop in fp32, whatever the lengths of the suffixes (of a token or more)
    walk: Callable[[Decoder, Ids, Sequence[Ids], Limits], Iterator[Step]]

    def steps(
        self,
        model: Decoder,
        prefix: Ids,
        suffixes: Sequence[Ids],
        *,
        max_new_tokens: int = 200,
        stop_ids: Iterable[int] = (),
        pad_id: int = 0,
    ) -> Iterator[Step]:
        """A `Step` for each forward pass over the suffixes; `Step.prompts` says whose. Prefix and suffixes are ids."""
        (prefix,), suffixes = as_ids([prefix]), as_ids(suffixes)
        fed = [[pad_id], *([*prefix, *suffix] for suffix in suffixes)]
        check_ids(model, fed, used=[0] * len(fed), more=max_new_tokens)
        if not suffixes or max_new_tokens == 0:
            return iter(())
        return self.walk(model, prefix, suffixes, Limits(max_new_tokens, tuple(stop_ids), pad_id))

    def __call__(self, model: Decoder, prefix: Ids, suffixes: Sequence[Ids], **limits: Any) -> list[list[int]]:
        """The new ids of each suffix, up to and without the first stop id. The limits are those of `steps`."""
        suffixes = as_ids(suffixes)
        return collect(self.steps(model, prefix, suffixes, **limits), len(suffixes))

    @property
    def summary(self) -> str:
        """The first line of what the recipe says of itself."""
        return (self.walk.__doc__ or "").partition("\n")[0]


WRONG = (right_padded_batch, left_shifted_batch, left_shifted_stable)

RECIPES = {
    walk.__name__: Recipe(walk.__name__, right=walk not in WRONG, walk=walk)
    for walk in (
        naive_loop,
        single_row_cache,
        right_padded_batch,
        left_shifted_batch,
        left_shifted_stable,
        suffix_left_padded,
        per_row_offsets,
    )
}
