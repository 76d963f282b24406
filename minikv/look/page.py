"""What a walk shows of a step: all its rows in brief, one of them closely. Lines of text, for a screen or a file."""

from textwrap import wrap

from rich.text import Text

from minikv.look.grid import Grid, grid_after
from minikv.look.show import COLUMN, RowView
from minikv.look.strip import LEGEND, slots_of, strip
from minikv.look.walk import State, Walk
from minikv.table import GAP, Cell, Mark, Table, cell, width
from minikv.visible import shown

STYLES = {Mark.PLAIN: "", Mark.FAINT: "dim", Mark.STRONG: "bold", Mark.WRONG: "bold red"}
KEYS = "n → next   b ← back   ↑ ↓ 0-9 row   Home first   End last   q quit"
BRIEF = ("prompt", "positions", "slots", "read", "sees there", "length", "chosen")
FED = ("column", "id", "fed", "position", "slot", "sees", "")
ROOMY = 32  # lines of a screen that has some to spare
FOLDED = 16  # tokens fed that are printed: of more only those about the column that is read
LABEL = 8  # columns of the names beside the lines about one row


def screen(walk: Walk, state: State, columns: int, lines: int) -> list[Text]:
    """A step on a screen of this size, the keys in its last line. What has no room is folded: the rows around the one
    that is looked at, what it was fed around the column that it was read at."""
    frame = walk.frames[state.at]
    row = frame.row_of(state.prompt)
    view, space = frame.views[row], [Text()] * (lines >= ROOMY)
    grid = grid_after(walk.steps(state.at))
    above, below = heading(walk, state.at), closely(walk, state.at, row, grid, columns)
    feet = [Text(LEGEND, "dim"), Text(KEYS, "dim")]
    room = lines - len(above) - len(below) - len(feet) - 3 - 3 * len(space)  # 3: two tables' heads, the row's name
    rows = min(len(frame.views), max(3, room - min(len(view.fed), room // 2)))
    body = [
        *above,
        *space,
        *as_lines(overview(walk, state.at, row, columns, rows)),
        *space,
        name_of(walk, view),
        *as_lines(fed_table(view, max(3, room - rows))),
        *space,
        *below,
    ][: lines - len(feet)]
    page = [*body, *[Text()] * (lines - len(feet) - len(body)), *feet]
    for line in page:
        line.truncate(columns, overflow="ellipsis")
    return page


def printed(walk: Walk, at: int, columns: int, prompt: int | None = None) -> list[Text]:
    """A step for a file: its rows in brief, and closely all of them, or that of one prompt."""
    frame, grid = walk.frames[at], grid_after(walk.steps(at))
    lines = [*heading(walk, at), Text(), *as_lines(overview(walk, at, None, columns, len(frame.views)))]
    for row, view in enumerate(frame.views):
        if prompt in (None, view.prompt) and not view.idle:
            lines += [Text(), name_of(walk, view), *as_lines(fed_table(view, FOLDED))]
            lines += closely(walk, at, row, grid, columns)
    return [*lines, Text()]


def heading(walk: Walk, at: int) -> list[Text]:
    last = ", the last" if walk.complete and at == len(walk.frames) - 1 else ""
    sign = ("right", "green") if walk.recipe.right else ("wrong", "red")
    title = Text.assemble((f"step {at}{last}", "bold"), "  ", walk.recipe.name, ", ", sign)
    return [title, Text(walk.recipe.summary, "dim")]


def overview(walk: Walk, at: int, chosen: int | None, columns: int, most: int) -> Table:
    """The rows of a step, a line each, and as much of what they have said as there is room for."""
    views = walk.frames[at].views
    rows = around(len(views), chosen or 0, most)
    lines = [gap(len(BRIEF) + 1) if row is None else brief_line(views[row], row == chosen) for row in rows]
    table = Table("", ("", *BRIEF), lines)
    room = columns - sum(width(span.text) for span in table.lines()[0])
    if room < LABEL:
        return table
    said = [cell("" if row is None else tail(walk.said(at, views[row].prompt), room)) for row in rows]
    return Table("", (*table.columns, "said"), [[*line, end] for line, end in zip(lines, said, strict=True)])


def brief_line(view: RowView, chosen: bool) -> list[Cell]:
    return [cell("▸" if chosen else " "), *(COLUMN[name](view) for name in BRIEF)]


def name_of(walk: Walk, view: RowView) -> Text:
    return Text.assemble((f"prompt {view.prompt}", "bold"), f"  {shown(walk.names[view.prompt])}")


def fed_table(view: RowView, most: int) -> Table:
    """The tokens that a row was fed, a line each."""
    columns = around(len(view.fed), view.read, most)
    return Table("", FED, [gap(len(FED)) if at is None else fed_line(view, at) for at in columns])


def fed_line(view: RowView, at: int) -> list[Cell]:
    slot, padding, read = view.slots[at], view.padding[at], at == view.read and not view.idle
    mark = Mark.FAINT if padding else Mark.PLAIN
    note = "  ".join(["padding"] * padding + ["◂ read"] * read)
    cells = (at, view.ids[at], view.fed[at], view.positions[at], "nowhere" if slot is None else slot, view.seen[at])
    return [*(cell(text, mark) for text in cells), cell(note, Mark.WRONG if padding and read else mark)]


def closely(walk: Walk, at: int, row: int, grid: Grid, columns: int) -> list[Text]:
    """A row's cache after a step, the logits that it was read at, what it has said, and what the step did wrong."""
    frame = walk.frames[at]
    view, room = frame.views[row], max(1, columns - LABEL)
    slots = slots_of(grid, frame.step, row, live=not view.idle)
    lines = [labelled(name, line) for name, line in zip(("", "cache", ""), strip(slots, room), strict=True)]
    if not view.idle:
        top = (Text.assemble(text, " ", (f"{logit:.2f}", "dim")) for text, logit in view.top)
        lines.append(labelled("logits", Text("   ").join(top)))
    lines.append(labelled("said", tail(walk.said(at, view.prompt), room)))
    for fault in walk.faults(at, view.prompt):
        first, *more = wrap(fault, room)
        lines += [labelled("wrong", first, "red"), *(labelled("", line, "red") for line in more)]
    return lines


def labelled(label: str, text: Text | str, style: str = "") -> Text:
    return Text.assemble((label.ljust(LABEL), "dim"), Text(text, style) if isinstance(text, str) else text)


def as_lines(table: Table) -> list[Text]:
    head, *rows = [Text.assemble(*((text, STYLES[mark]) for text, mark in line)) for line in table.lines()]
    head.stylize("dim")
    return [head, *rows]


def around(count: int, at: int, most: int) -> list[int | None]:
    """The numbers below `count`; of more than `most` those about `at`, with None where some are left out."""
    if count <= most:
        return list(range(count))
    start = max(0, min(at - (most - 1) // 2, count - most))
    kept: list[int | None] = list(range(start, start + most))
    return [None if start else 0, *kept[1:-1], None if start + most < count else count - 1]


def gap(cells: int) -> list[Cell]:
    """The line in place of those that are left out."""
    return [cell(GAP), *[cell("")] * (cells - 1)]


def tail(text: str, columns: int) -> str:
    """A text's end, where all of it is too wide."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[1:]
    return f"…{text}"
