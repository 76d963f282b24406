"""What a picture tells of each slot, as data: worked out here and painted elsewhere."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from minikv.generate import Step
from minikv.look.grid import Kind, ended_prompts, grid_after, rows_of
from minikv.tokenizer import Tokenizer
from minikv.visible import token_text

LONG = 16  # so many columns alike, and they are folded
ENDS = 2  # to so many at either end


@dataclass(frozen=True)
class Cell:
    """One slot of one row."""

    kind: Kind = Kind.EMPTY
    text: str = ""  # of its token; nothing in an empty slot
    position: int | None = None  # that its key was turned by
    rewritten: bool = False  # another token stood here before
    astray: bool = False  # its position is not the one that follows the token before it
    read: bool = False  # the row's logits were read at this token
    hidden: bool = False  # it is filled, but the query that was read does not see it
    end: bool = False  # the row is filled up to here


Cells = list[list[Cell]]  # rows by slots


def cells_after(steps: Sequence[Step], tokenizer: Tokenizer | None = None, read_at: int = -1) -> Cells:
    """What stands in the cache after the last of `steps`, which are a recipe's from its first on.

    The columns read are marked of the step with the index `read_at`. MinikvError without a step.
    """
    grid = grid_after(steps)
    unseen, read = unseen_by_read(steps), read_slots(steps[: read_at % len(steps) + 1])
    cells: Cells = []
    for row, length in enumerate(grid.lengths.tolist()):
        kinds, positions = grid.kinds[row].tolist(), grid.positions[row].tolist()
        tokens, rewritten, hidden = grid.tokens[row].tolist(), grid.rewritten[row].tolist(), unseen[row].tolist()
        wrong = astray(kinds, positions)
        cells.append(
            [
                Cell()
                if kind == Kind.EMPTY
                else Cell(
                    kind=Kind(kind),
                    text=text_of(kind, tokens[slot], tokenizer),
                    position=positions[slot],
                    rewritten=rewritten[slot],
                    astray=wrong[slot],
                    read=read.get(row) == slot,
                    hidden=hidden[slot],
                    end=slot == length - 1,
                )
                for slot, kind in enumerate(kinds)
            ]
        )
    return cells


def text_of(kind: int, token: int, tokenizer: Tokenizer | None) -> str:
    """Padding is "pad", whatever id it has; of a control token's name the brackets are left out."""
    return "pad" if kind == Kind.PADDING else token_text(token, tokenizer).removeprefix("<|").removesuffix("|>")


def astray(kinds: Sequence[int], positions: Sequence[int]) -> list[bool]:
    """Which tokens of a row are at a wrong position: one that an earlier token holds already, or that is not one more
    than that of the token before. Padding does not count, since nobody is to look at it."""
    held: set[int] = set()
    before, found = -1, []
    for kind, position in zip(kinds, positions, strict=True):
        real = kind not in (Kind.EMPTY, Kind.PADDING)
        found.append(real and (position in held or position != before + 1))
        if real:
            before = position
            held.add(position)
    return found


def live_rows(steps: Sequence[Step]) -> list[tuple[int, int]]:
    """The rows of the cache that the last step chose a token for, and which of the step's rows each one is. A row that
    had ended before was carried along, but nothing was read from it."""
    last, ended = steps[-1], ended_prompts(steps[:-1])
    rows = enumerate(zip(rows_of(last).tolist(), last.prompts, strict=True))
    return [(row, at) for at, (row, prompt) in rows if prompt not in ended]


def row_prompts(steps: Sequence[Step]) -> list[int]:
    """The prompt that each row of the cache answers. A step may be about some of them only."""
    last = steps[-1]
    prompts = list(range(last.cache.rows))
    for row, prompt in zip(rows_of(last).tolist(), last.prompts, strict=True):
        prompts[row] = prompt
    return prompts


def read_slots(steps: Sequence[Step]) -> dict[int, int]:
    """In which slot of each row the token stands whose logits the last step read."""
    last = steps[-1]
    return {row: int(last.placement.slots[at, last.read[at]]) for row, at in live_rows(steps)}


def unseen_by_read(steps: Sequence[Step]) -> Bool[Tensor, "rows slots"]:
    """The slots that the query which is read does not see; in a row that had ended, none."""
    last = steps[-1]
    unseen = torch.zeros(last.cache.rows, last.cache.slots, dtype=torch.bool)
    for row, at in live_rows(steps):
        unseen[row] = ~last.placement.mask[at, last.read[at]]
    return unseen


@dataclass(frozen=True)
class Gap:
    """Slots that a picture leaves out, from `start` up to and without `stop`."""

    start: int
    stop: int

    @property
    def count(self) -> int:
        return self.stop - self.start


def fold(tables: Sequence[Cells], keep: Collection[int] = ()) -> list[int | Gap]:
    """The columns of a picture in which these tables stand one under the other.

    Columns are alike where no row of any table goes over from one kind to another, or from hidden to seen. More than
    LONG alike are folded to ENDS at either end and a gap between them, empty ones to one. Slots to `keep` stay.
    """
    slots = max(len(row) for table in tables for row in table)
    rows = [[(cell.kind, cell.hidden) for cell in row] for table in tables for row in table]
    blank = (Kind.EMPTY, False)
    looks = list(zip(*([*row, *[blank] * (slots - len(row))] for row in rows), strict=True))
    starts = [slot for slot in range(slots) if slot == 0 or looks[slot] != looks[slot - 1]]
    shown = set(keep)
    for start, stop in zip(starts, [*starts[1:], slots], strict=True):
        alike, ends = range(start, stop), 1 if set(looks[start]) == {blank} else ENDS
        shown.update(alike if len(alike) <= LONG else [*alike[:ends], *alike[-ends:]])
    return with_gaps(sorted(shown), slots)


def with_gaps(shown: Sequence[int], slots: int) -> list[int | Gap]:
    """The slots shown, and a gap wherever some are left out."""
    columns: list[int | Gap] = []
    for before, slot in zip([-1, *shown], [*shown, slots], strict=True):
        if slot - before == 2:
            columns.append(before + 1)  # a gap would take as much room as the slot itself
        elif slot - before > 2:
            columns.append(Gap(before + 1, slot))
        if slot < slots:
            columns.append(slot)
    return columns
