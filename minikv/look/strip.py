"""One row of a cache as a line of letters, long runs folded, and under it what the token that is read sees:

    0     279     287 290
    P×279 RRRRRRRRxxG .×30
    ───── ────────  ▲

The numbers are those of the slots in which a kind begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.text import Text

from minikv.generate import Step
from minikv.look.grid import Grid, Kind, rows_of

LETTERS = {Kind.PREFIX: "P", Kind.REAL: "R", Kind.PADDING: "x", Kind.GENERATED: "G", Kind.EMPTY: "."}
COLOURS = {  # the terminal's own, so that they fit its background
    Kind.PREFIX: "blue",
    Kind.REAL: "cyan",
    Kind.PADDING: "yellow",
    Kind.GENERATED: "green",
    Kind.EMPTY: "dim",
}
LEGEND = "P prefix  R own prompt  x padding  G generated  . empty   ▲ read  ─ seen there"


@dataclass(frozen=True)
class Slot:
    """What is shown of one slot."""

    kind: Kind
    seen: bool  # by the query whose logits are read
    new: bool  # written in this step
    read: bool  # the token whose logits are read stands here

    @property
    def under(self) -> str:
        return "▲" if self.read else "─" if self.seen else " "


@dataclass(frozen=True)
class Run:
    """Neighbouring slots that look alike."""

    slot: Slot
    start: int
    count: int

    def folded(self, longest: int) -> bool:
        """Whether it is too long to be drawn slot by slot. Of empty slots nobody needs to see many."""
        return self.count > (min(longest, 8) if self.slot.kind == Kind.EMPTY else longest)

    def text(self, longest: int) -> str:
        letter = LETTERS[self.slot.kind]
        return f"{letter}×{self.count}" if self.folded(longest) else letter * self.count

    @property
    def colour(self) -> str:
        return COLOURS[self.slot.kind] + (" reverse" if self.slot.new else "")

    @property
    def misread(self) -> bool:
        return self.slot.read and self.slot.kind == Kind.PADDING


def slots_of(grid: Grid, step: Step, row: int, live: bool) -> list[Slot]:
    """The slots of one row of a step after it. Of a row that had ended before, nothing counts as seen or read."""
    kinds = grid.kinds[rows_of(step)[row]].tolist()
    written, read = step.placement.slots[row].tolist(), int(step.read[row])
    seen = step.placement.mask[row, read].tolist()
    return [
        Slot(Kind(kind), live and sees, slot in written, live and slot == written[read])
        for slot, (kind, sees) in enumerate(zip(kinds, seen, strict=True))
    ]


def runs_of(slots: Sequence[Slot]) -> list[Run]:
    groups = ([at for at, _ in group] for _, group in groupby(enumerate(slots), key=lambda pair: pair[1]))
    return [Run(slots[group[0]], group[0], len(group)) for group in groups]


def strip(slots: Sequence[Slot], width: int) -> list[Text]:
    """Three lines: the number of the slot at which each kind begins, the slots, what is seen. The less room there is,
    the shorter the runs that are folded."""
    runs = runs_of(slots)
    drawings = (drawn(runs, longest) for longest in (64, 32, 16, 8, 4, 2))
    drawing = next((lines for lines in drawings if all(line.cell_len <= width for line in lines)), drawn(runs, 2))
    for line in drawing:
        line.truncate(width, overflow="ellipsis")
    return drawing


def drawn(runs: Sequence[Run], longest: int) -> list[Text]:
    numbers, letters, under = Text(style="dim"), Text(), Text()
    for before, run in zip([None, *runs], runs, strict=False):
        text = run.text(longest)
        if before and (before.folded(longest) or run.folded(longest)):
            letters.append(" ")
            under.append(" ")
        begins = before is None or before.slot.kind != run.slot.kind
        if begins and len(numbers) <= max(0, len(under) - 1):  # or the number before it would run into this one
            numbers.append(" " * (len(under) - len(numbers))).append(str(run.start))
        letters.append(text, run.colour)
        under.append(run.slot.under * len(text), "bold red" if run.misread else "")
    return [numbers, letters, under]
