"""Panels: a heading and lines of cells. A picture is one or several, one under the other, all in the same columns."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from minikv.bench.draw import check_matplotlib
from minikv.draw.cells import Cells, Gap, fold
from minikv.draw.looks import FAINT, INK, Look, legend_of, per_cent
from minikv.draw.sheet import FLAG, LEGIBLE, WIDTH, Sheet, paint_cell, paint_gap, paint_marks
from minikv.draw.words import drawable, shortened, width_of
from minikv.errors import MinikvError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TALLEST = 160  # inches: 32,000 pixels of a PNG, which holds 65,535
MARGIN, GUTTER = 0.16, 0.09
HEADING, REMARK, NUMBERS, SPACE, LEGEND = 0.26, 0.2, 0.17, 0.22, 0.2  # heights
LOW, APART = 0.03, 0.06  # between lines, and between the lines of two rows
NAME, NOTE, SMALL = 7.0, 7.5, 6.5  # points
WIDEST_NAME, WIDEST_NOTE, WIDEST_CELL = 1.3, 1.6, 0.56
TORN = 0.38  # inches that a fold takes


@dataclass(frozen=True)
class Line:
    """A line of cells: a row, or one of its queries."""

    looks: Sequence[Look]  # by slot
    name: str = ""  # to the left
    note: str = ""  # to the right
    colour: str = INK  # of the note
    weights: Sequence[float] = ()  # by slot: a fold shows their sum
    apart: bool = True  # from the line before


@dataclass(frozen=True)
class Panel:
    """A heading and lines."""

    lines: Sequence[Line]
    cells: Cells  # that are folded where they are alike
    heading: str = ""
    colour: str = INK  # of the heading
    remark: str = ""
    notes: str = ""  # what the notes are
    caption: str = ""  # what a cell shows
    height: float = 0.36  # of a line
    keep: Collection[int] = ()  # slots that are not folded

    @property
    def head(self) -> float:
        """Height of heading and remark."""
        return HEADING * bool(self.heading) + REMARK * bool(self.remark)

    @property
    def tops(self) -> list[float]:
        """How far below its top each line begins, and the last one ends."""
        flagged = any(look.flag for line in self.lines for look in line.looks)
        apart = FLAG + LOW if flagged else APART
        below = [self.head + NUMBERS]
        for line in self.lines:
            below[-1] += apart * line.apart
            below.append(below[-1] + self.height)
        return below


@dataclass(frozen=True)
class Frame:
    """Where the columns of all panels stand."""

    columns: Sequence[int | Gap]
    left: float  # where the first begins
    cell: float  # width of a slot

    @classmethod
    def of(cls, panels: Sequence[Panel]) -> "Frame":
        """Names stand to the left of the columns, notes to the right."""
        columns = fold([panel.cells for panel in panels], {slot for panel in panels for slot in panel.keep})
        lines = [line for panel in panels for line in panel.lines]
        names = [min(width_of(drawable(line.name), NAME), WIDEST_NAME) for line in lines]
        notes = [min(width_of(drawable(line.note), NOTE), WIDEST_NOTE) for line in lines]
        notes += [width_of(panel.notes, SMALL) for panel in panels]
        left = MARGIN + max(*names, width_of("slot", SMALL)) + GUTTER
        right = WIDTH - MARGIN - (max(notes) + GUTTER if any(notes) else 0)
        torn = sum(isinstance(column, Gap) for column in columns)
        return cls(columns, left, min(WIDEST_CELL, (right - left - TORN * torn) / (len(columns) - torn)))

    @cached_property
    def edges(self) -> list[float]:
        """The left edge of each column, and the right one of the last."""
        widths = [TORN if isinstance(column, Gap) else self.cell for column in self.columns]
        return list(accumulate(widths, initial=self.left))

    @property
    def right(self) -> float:
        return self.edges[-1]

    @cached_property
    def slots(self) -> list[tuple[int, float]]:
        """The slots that are shown, with their left edges."""
        pairs = zip(self.columns, self.edges, strict=False)
        return [(column, x) for column, x in pairs if isinstance(column, int)]

    @cached_property
    def gaps(self) -> list[tuple[Gap, float]]:
        pairs = zip(self.columns, self.edges, strict=False)
        return [(column, x) for column, x in pairs if isinstance(column, Gap)]


def cells_of(line: Line, frame: Frame) -> list[tuple[int, float, Look]]:
    """The slots of a line that are shown, with their left edges. One table may have fewer slots than another."""
    return [(slot, x, line.looks[slot]) for slot, x in frame.slots if slot < len(line.looks)]


def paint(panels: Sequence[Panel]) -> "Figure":
    """The figure: the panels, the legend of what they show, and captions. MinikvError where it would be too tall, or
    matplotlib is not installed."""
    check_matplotlib()
    frame = Frame.of(panels)
    shown = {look for panel in panels for line in panel.lines for _, _, look in cells_of(line, frame)}
    legend = list(in_rows(legend_of(shown)))
    captions = dict.fromkeys(panel.caption for panel in panels if frame.cell >= LEGIBLE)
    below = LEGEND * (len(legend) + len(captions)) + MARGIN / 2
    height = MARGIN + sum(panel.tops[-1] + SPACE for panel in panels) + below
    if height > TALLEST:
        raise MinikvError(
            f"the picture would be {height:.0f} inches tall; expected at most {TALLEST}; draw fewer rows or recipes"
        )
    sheet, y = Sheet(height), MARGIN
    for number, panel in enumerate(panels):
        paint_panel(sheet, frame, panel, y, f"panel-{number}")
        y += panel.tops[-1] + SPACE
    for row in legend:
        for x, look, words in row:
            paint_cell(sheet, look, x, y, 0.2, 0.14, "legend")
            paint_marks(sheet, look, x, y, 0.2, 0.14)
            sheet.text(x + 0.26, y + 0.07, words, SMALL, FAINT)
        y += LEGEND
    for caption in captions:
        sheet.text(MARGIN, y + 0.07, caption, SMALL, FAINT)
        y += LEGEND
    return sheet.figure


def in_rows(legend: Sequence[tuple[Look, str]]) -> Iterator[list[tuple[float, Look, str]]]:
    """A legend broken into rows, each entry with its left edge."""
    x = MARGIN
    row: list[tuple[float, Look, str]] = []
    for look, words in legend:
        width = 0.26 + width_of(words, SMALL)
        if row and x + width > WIDTH - MARGIN:
            yield row
            x, row = MARGIN, []
        row.append((x, look, words))
        x += width + 0.2
    if row:
        yield row


def paint_panel(sheet: Sheet, frame: Frame, panel: Panel, top: float, gid: str) -> None:
    sheet.text(MARGIN, top + HEADING / 2, panel.heading, 10.0, panel.colour, weight="bold")
    sheet.text(MARGIN, top + panel.head - REMARK / 2 - 0.02, panel.remark, 8.0, INK)
    *tops, bottom = (top + below for below in panel.tops)
    paint_numbers(sheet, frame, panel, top + panel.head + NUMBERS / 2)
    for number, (line, y) in enumerate(zip(panel.lines, tops, strict=True)):
        paint_line(sheet, frame, line, y, panel.height, f"{gid}-line-{number}")
    for gap, x in frame.gaps:
        paint_gap(sheet, x, TORN, tops[0], bottom)
        if any(line.weights for line in panel.lines):
            paint_sums(sheet, gap, panel, x + TORN / 2, tops)
        else:
            paint_count(sheet, gap, x + TORN / 2, tops[0], bottom)


def paint_count(sheet: Sheet, gap: Gap, x: float, top: float, bottom: float) -> None:
    """How many slots are left out: upright, where it is high enough for that."""
    middle, words = (top + bottom) / 2, f"{gap.count} slots"
    if width_of(words, NAME) < bottom - top:
        sheet.text(x, middle, words, NAME, INK, ha="center", rotation=90)
    else:
        sheet.text(x, middle - 0.06, str(gap.count), SMALL, INK, ha="center")
        sheet.text(x, middle + 0.06, "slots", SMALL, INK, ha="center")


def paint_sums(sheet: Sheet, gap: Gap, panel: Panel, x: float, tops: Sequence[float]) -> None:
    """How many slots are left out, over the lines, and in each line the sum of their weights."""
    sheet.text(x, tops[0] - FLAG - LOW - NUMBERS / 2, f"+{gap.count}", SMALL, INK, ha="center")
    for line, y in zip(panel.lines, tops, strict=True):
        if line.weights:
            spent = per_cent(sum(line.weights[gap.start : gap.stop])) or "0%"
            sheet.text(x, y + panel.height / 2, spent, SMALL, INK, ha="center")


def paint_numbers(sheet: Sheet, frame: Frame, panel: Panel, y: float) -> None:
    """The slots' numbers over the columns: each, or each second, fifth … where cells are narrow."""
    sheet.text(frame.left - GUTTER, y, "slot", SMALL, FAINT, ha="right")
    sheet.text(frame.right + GUTTER, y, panel.notes, SMALL, FAINT)
    room = width_of(f"{max(slot for slot, _ in frame.slots)} ", SMALL)
    every = next(step for step in (1, 2, 5, 10, 50, 100) if step * frame.cell >= room or step == 100)
    for slot, x in frame.slots:
        if slot % every == 0:
            sheet.text(x + frame.cell / 2, y, str(slot), SMALL, FAINT, ha="center")


def paint_line(sheet: Sheet, frame: Frame, line: Line, y: float, height: float, gid: str) -> None:
    name, size = shortened(line.name, frame.left - GUTTER - MARGIN, NAME)
    sheet.text(frame.left - GUTTER, y + height / 2, name, size, INK, ha="right")
    note, size = shortened(line.note, WIDTH - MARGIN - frame.right - GUTTER, NOTE)
    sheet.text(frame.right + GUTTER, y + height / 2, note, size, line.colour)
    cells = cells_of(line, frame)
    for slot, x, look in cells:
        paint_cell(sheet, look, x, y, frame.cell, height, f"{gid}-slot-{slot}")
    for _, x, look in cells:
        paint_marks(sheet, look, x, y, frame.cell, height)
