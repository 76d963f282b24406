"""What stands in each slot of a cache after a step: which token, of what kind, turned by which position.

A cache knows its tokens but not how they came there. The steps do, so the grid is folded from them: the prefix first,
then what each pass wrote. Pictures are drawn from it, and causes found in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from minikv.cache import EMPTY
from minikv.errors import MinikvError
from minikv.generate import Step


class Kind(IntEnum):
    """What a slot holds."""

    EMPTY = 0  # nothing: it was never written
    PREFIX = 1  # a token that the cache held before the first step
    REAL = 2  # a token of the row's own prompt
    PADDING = 3  # padding, a wrong guess of a draft, or what a row was fed after its end
    GENERATED = 4  # a token that the row chose


@dataclass(frozen=True, eq=False)
class Grid:
    """The slots of each row after a step."""

    kinds: Int[Tensor, "rows slots"]  # Kind
    tokens: Int[Tensor, "rows slots"]  # cache.EMPTY in an empty slot
    positions: Int[Tensor, "rows slots"]  # that the key was turned by; cache.EMPTY in an empty slot
    rewritten: Bool[Tensor, "rows slots"]  # whether another token stood here in an earlier step
    lengths: Int[Tensor, " rows"]  # how far each row is filled

    @property
    def rows(self) -> int:
        return self.kinds.shape[0]

    @property
    def slots(self) -> int:
        return self.kinds.shape[1]


def grid_after(steps: Sequence[Step]) -> Grid:
    """The grid after the last of `steps`, which are a recipe's from its first on.

    Of a recipe that answers one prompt after the other, only the steps on the last one's cache count. MinikvError
    without a step.
    """
    if not steps:
        raise MinikvError("no steps; expected those of a recipe, from its first on")
    cache = steps[-1].cache
    walk = [step for step in steps if step.cache is cache]
    start = torch.zeros(cache.rows, dtype=torch.int64)
    start[rows_of(walk[0])] = walk[0].lengths.cpu()
    grid = prefix_grid(cache.tokens.cpu(), start)
    ended = torch.zeros(cache.rows, dtype=torch.bool)
    for step in walk:
        rows = rows_of(step)
        write(grid, step, rows, first=step.lengths.cpu() == start[rows], ended=ended[rows])
        grid.lengths[rows] = step.after.cpu()
        ended[rows] = step.finished.cpu()
    return grid


def prefix_grid(tokens: Int[Tensor, "rows slots"], lengths: Int[Tensor, " rows"]) -> Grid:
    """Rows that hold so much of a prefix and nothing else. A prefix stands at slot = position = 0, 1, 2 …"""
    slot = torch.arange(tokens.shape[1])
    filled = slot < lengths[:, None]
    return Grid(
        kinds=torch.where(filled, Kind.PREFIX, Kind.EMPTY),
        tokens=tokens.masked_fill(~filled, EMPTY),
        positions=slot.expand_as(tokens).masked_fill(~filled, EMPTY),
        rewritten=torch.zeros_like(filled),
        lengths=lengths.clone(),
    )


def write(
    grid: Grid, step: Step, rows: Int[Tensor, " rows"], first: Bool[Tensor, " rows"], ended: Bool[Tensor, " rows"]
) -> None:
    """Note what a step wrote. `first`: rows that were fed their prompt; `ended`: rows that had ended before."""
    padding = padding_of(step) | ended[:, None]
    kinds = torch.where(first, Kind.REAL, Kind.GENERATED)[:, None].expand_as(padding)
    kinds = kinds.masked_fill(padding, Kind.PADDING)
    at, columns, slots = (index.cpu() for index in step.placement.written)
    grid.rewritten[rows[at], slots] |= grid.kinds[rows[at], slots] != Kind.EMPTY
    grid.kinds[rows[at], slots] = kinds[at, columns]
    grid.tokens[rows[at], slots] = step.tokens.cpu()[at, columns]
    grid.positions[rows[at], slots] = step.placement.positions.cpu()[at, columns]


def padding_of(step: Step) -> Bool[Tensor, "rows new"]:
    """Which of the tokens fed are padding: those beyond a row's count, and those that do not even see themselves."""
    new, slots = step.tokens.shape[1], step.placement.mask.shape[-1]
    beyond = torch.arange(new) >= step.counts.cpu()[:, None]
    own = step.placement.slots.cpu().clamp(max=slots - 1)[..., None]
    return beyond | ~step.placement.mask.cpu().gather(2, own).squeeze(2)


def rows_of(step: Step) -> Int[Tensor, " rows"]:
    """The rows of the cache that a step is about: all of them, but for drafts, where some may have ended."""
    whole = len(step.prompts) == step.cache.rows
    return torch.arange(step.cache.rows) if whole else torch.tensor(step.prompts)


def ended_prompts(steps: Sequence[Step]) -> set[int]:
    """The prompts whose rows have chosen a stop id in one of these steps."""
    finished = [zip(step.prompts, step.finished.tolist(), strict=True) for step in steps]
    return {prompt for pairs in finished for prompt, ended in pairs if ended}
