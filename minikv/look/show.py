"""Look at a step, a cache or a placement: its rows as plain data (`describe`), as a table (`show`).

A `Step` holds tensors. `describe` turns it into a `RowView` for each row, in numbers and text, and all that is shown
of a step is made of those: its `repr`, its table in a notebook, and the walk of `minikv step`. A step knows no
tokenizer; with one, tokens are shown as text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from jaxtyping import Bool, Float, Int
from torch import Tensor

from minikv.cache import EMPTY, KVCache, Placement
from minikv.errors import MinikvError
from minikv.generate import Step
from minikv.look.grid import padding_of
from minikv.table import GAP, Cell, Mark, Shown, Span, Table, cell
from minikv.tokenizer import Tokenizer
from minikv.visible import token_text

ROWS = 8  # of a batch that a table shows
PIECES = 8  # tokens or runs of numbers that one of its cells shows
COLUMNS = 16  # slots of a cache that stand side by side in full; of a longer one only those about the rows' ends

T = TypeVar("T")


@dataclass(frozen=True)
class RowView:
    """One row of a step. Of `fed` to `padding` there is one for each new token (column)."""

    prompt: int  # which prompt the row answers
    fed: tuple[str, ...]  # the token's text; its id where no tokenizer is known
    ids: tuple[int, ...]
    positions: tuple[int, ...]
    slots: tuple[int | None, ...]  # None: padding beyond the cache's end, written nowhere
    seen: tuple[str, ...]  # the slots that its query sees, "0-7, 10"
    padding: tuple[bool, ...]
    read: int  # the column whose logits the row was read at
    before: int  # how far the row was filled
    after: int
    top: tuple[tuple[str, float], ...]  # the largest logits read there, and their tokens
    chosen: str
    ended: bool  # it has chosen a stop id, now or earlier
    idle: bool  # it had ended before: what is read and chosen here is of no account

    @property
    def reads_padding(self) -> bool:
        return self.padding[self.read] and not self.idle


def describe(step: Step, tokenizer: Tokenizer | None = None, k: int = 5) -> list[RowView]:
    """Each row of a step as plain data, with the k largest logits.

    One step alone does not tell every row that had ended before: where a library feeds such rows on, `idle` is False.
    """
    return views(step, tokenizer, k, len(step.tokens))


def show(thing: Shown, tokenizer: Tokenizer | None = None) -> Table:
    """A Step, KVCache or Placement as a small table: print it, or let a notebook show it. MinikvError for another
    thing."""
    if isinstance(thing, Step):
        return step_table(thing, tokenizer)
    if isinstance(thing, KVCache):
        return cache_table(thing, tokenizer)
    if isinstance(thing, Placement):
        return placement_table(thing)
    raise MinikvError(f"a {type(thing).__name__} has no table; expected a Step, a KVCache or a Placement")


# --- a step -----------------------------------------------------------------------------------------------------------


def views(step: Step, tokenizer: Tokenizer | None, k: int, rows: int) -> list[RowView]:
    """The first rows."""
    padding, (logits, likeliest) = padding_of(step), step.top(k)
    return [row_view(step, row, padding[row], logits[row], likeliest[row], tokenizer) for row in range(rows)]


def row_view(
    step: Step,
    row: int,
    padding: Bool[Tensor, " new"],
    logits: Float[Tensor, " k"],
    likeliest: Int[Tensor, " k"],
    tokenizer: Tokenizer | None,
) -> RowView:
    placement, slots = step.placement, step.placement.mask.shape[-1]
    ids, top = step.tokens[row].tolist(), zip(likeliest.tolist(), logits.tolist(), strict=True)
    ended, before, after = bool(step.finished[row]), int(step.lengths[row]), int(step.after[row])
    return RowView(
        prompt=step.prompts[row],
        fed=tuple(token_text(token, tokenizer) for token in ids),
        ids=tuple(ids),
        positions=tuple(placement.positions[row].tolist()),
        slots=tuple(slot if slot < slots else None for slot in placement.slots[row].tolist()),
        seen=seen_by(placement, row),
        padding=tuple(padding.tolist()),
        read=int(step.read[row]),
        before=before,
        after=after,
        top=tuple((token_text(token, tokenizer), logit) for token, logit in top),
        chosen=token_text(int(step.chosen[row]), tokenizer),
        ended=ended,
        idle=ended and after == before,
    )


def step_table(step: Step, tokenizer: Tokenizer | None) -> Table:
    (rows, new), slots = step.tokens.shape, step.placement.mask.shape[-1]
    names = [name for name in COLUMN if name != "ids" or tokenizer is not None]
    title = f"Step(rows={rows}, new={new}, slots={slots})"
    return rows_table(views(step, tokenizer, 3, min(rows, ROWS)), title, names, rows_left_out(rows))


def rows_table(views: Sequence[RowView], title: str, names: Sequence[str], left_out: str = "") -> Table:
    """The named columns of these rows."""
    return Table(title, names, [[COLUMN[name](view) for name in names] for view in views], left_out)


def fed_cell(view: RowView, texts: Sequence[object]) -> Cell:
    """The tokens fed, padding in brackets."""
    spans = [
        Span(f"({text})", Mark.FAINT) if padding else Span(str(text))
        for text, padding in zip(texts, view.padding, strict=True)
    ]
    return tuple(shortened(spans, gap=Span(GAP)))


def slots_cell(view: RowView) -> Cell:
    written = [slot for slot in view.slots if slot is not None]
    nowhere = len(view.slots) - len(written)
    return cell(runs(written) + (f", {nowhere} nowhere" if nowhere else ""))


def read_cell(view: RowView) -> Cell:
    return cell(f"{view.read} padding", Mark.WRONG) if view.reads_padding else cell("-" if view.idle else view.read)


def top_cell(view: RowView) -> Cell:
    return tuple(Span(f"{text} {logit:.2f} ") for text, logit in view.top)


def chosen_cell(view: RowView) -> Cell:
    if view.idle:
        return cell("ended before", Mark.FAINT)
    return (Span(view.chosen, Mark.STRONG), *([Span("ends", Mark.FAINT)] if view.ended else []))


COLUMN: dict[str, Callable[[RowView], Cell]] = {
    "prompt": lambda view: cell(view.prompt),
    "fed": lambda view: fed_cell(view, view.fed),
    "ids": lambda view: fed_cell(view, view.ids),
    "positions": lambda view: cell(runs(view.positions)),
    "slots": slots_cell,
    "read": read_cell,
    "sees there": lambda view: cell(view.seen[view.read]),
    "length": lambda view: cell(f"{view.before} → {view.after}"),
    "top": top_cell,
    "chosen": chosen_cell,
}


# --- a placement and a cache ------------------------------------------------------------------------------------------


def placement_table(placement: Placement) -> Table:
    rows, new, slots = placement.mask.shape
    lines = [
        [
            cell(row),
            cell(runs(placement.positions[row].tolist())),
            cell(runs(placement.slots[row].tolist())),
            cell("; ".join(shortened(seen_by(placement, row), gap=GAP))),
        ]
        for row in range(min(rows, ROWS))
    ]
    title = f"Placement(rows={rows}, new={new}, slots={slots})"
    return Table(title, ("row", "positions", "slots", "each sees"), lines, rows_left_out(rows))


def cache_table(cache: KVCache, tokenizer: Tokenizer | None) -> Table:
    """The token in each slot, in brackets beyond a row's end, where the next one overwrites it."""
    layers, _, kv_heads, _, head_dim = cache.keys.shape
    lengths, tokens = cache.lengths.tolist(), cache.tokens[:ROWS].tolist()
    filled = ", ".join(shortened([str(length) for length in lengths], gap=GAP))
    title = (
        f"{type(cache).__name__}(layers={layers}, rows={cache.rows}, kv_heads={kv_heads}, slots={cache.slots}, "
        f"head_dim={head_dim}, {cache.keys.dtype}, {cache.nbytes / 1e6:.1f} MB, lengths=[{filled}])"
    )
    columns = telling_slots(cache.slots, lengths[:ROWS])
    lines = [
        [
            cell(row),
            cell(lengths[row]),
            *(cell(GAP) if slot is None else slot_cell(line[slot], slot < lengths[row], tokenizer) for slot in columns),
        ]
        for row, line in enumerate(tokens)
    ]
    heads = (GAP if slot is None else str(slot) for slot in columns)
    return Table(title, ("row", "length", *heads), lines, rows_left_out(cache.rows))


def slot_cell(token: int, held: bool, tokenizer: Tokenizer | None) -> Cell:
    if token == EMPTY:
        return cell("?" if held else ".", Mark.FAINT)  # "?": the row counts it, but nobody noted which token it is
    text = token_text(token, tokenizer)
    return cell(text) if held else cell(f"({text})", Mark.FAINT)


def telling_slots(slots: int, lengths: Sequence[int]) -> list[int | None]:
    """The slots that a table shows: all of a small cache, of a large one the first and those about each row's end.
    None where some are left out."""
    kept = set(range(slots))
    if slots > COLUMNS:
        kept &= {0, slots - 1}.union(*(range(length - 2, length + 2) for length in lengths))
    found: list[int | None] = []
    for slot in sorted(kept):
        if found and found[-1] != slot - 1:
            found.append(None)
        found.append(slot)
    return found


# --- numbers and text, short ------------------------------------------------------------------------------------------


def seen_by(placement: Placement, row: int) -> tuple[str, ...]:
    """The slots that each query of a row sees, as runs."""
    return tuple(runs(line.nonzero().flatten().tolist()) for line in placement.mask[row].cpu())


def runs(numbers: Sequence[int]) -> str:
    """Numbers with those that count up by one drawn together: "0-7, 10"."""
    starts = [at for at in range(len(numbers)) if at == 0 or numbers[at] != numbers[at - 1] + 1]
    texts = [
        f"{numbers[start]}" if end - start == 1 else f"{numbers[start]}-{numbers[end - 1]}"
        for start, end in pairwise([*starts, len(numbers)])
    ]
    return ", ".join(shortened(texts, gap=GAP)) or "none"


def shortened(pieces: Sequence[T], gap: T) -> list[T]:
    """At most PIECES of them: of more, the first and the last, and a gap between."""
    if len(pieces) <= PIECES:
        return list(pieces)
    return [*pieces[: PIECES // 2], gap, *pieces[-(PIECES // 2) :]]


def rows_left_out(rows: int) -> str:
    return f"… {rows - ROWS} more rows" if rows > ROWS else ""
