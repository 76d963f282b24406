"""What each picture shows of a recipe's steps, from its first on: the state after the last one, as a panel."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from minikv.draw.cells import Cell, Cells, cells_after, live_rows, row_prompts
from minikv.draw.looks import RIGHT, WRONG, Look, cache_look, position_look, query_look, weight_look
from minikv.draw.panels import Line, Panel
from minikv.errors import MinikvError
from minikv.generate import Step
from minikv.look.grid import ended_prompts, grid_after
from minikv.recipes import Recipe
from minikv.tokenizer import Tokenizer

QUERIES = 16  # of a row that a mask shows
HEAVIEST = 5  # slots that no fold hides, since most attention goes there
TOKENS = "In each cell: the token, and below it the position that its key was turned by."
POSITIONS = "In each cell: the position that its key was turned by; the darker, the higher."
SEEN = "A line for each query, its own token in its slot; in colour: the slots that it sees."
WEIGHTS = (
    "In each cell: the token, and below it the part of its attention that the query that is read spends there. "
    "+9: so many slots are left out."
)

View = Callable[[Sequence[Step], Tokenizer | None, Sequence[str]], Panel]


def cache_view(steps: Sequence[Step], tokenizer: Tokenizer | None = None, names: Sequence[str] = ()) -> Panel:
    return rows_view(steps, names, cells_after(steps, tokenizer), cache_look, TOKENS)


def position_view(steps: Sequence[Step], tokenizer: Tokenizer | None = None, names: Sequence[str] = ()) -> Panel:
    cells = cells_after(steps, tokenizer)
    most = max(cell.position or 0 for row in cells for cell in row)
    return rows_view(steps, names, cells, partial(position_look, most=most), POSITIONS)


def rows_view(
    steps: Sequence[Step], names: Sequence[str], cells: Cells, look: Callable[[Cell], Look], caption: str
) -> Panel:
    """A line for each row, its length beside it."""
    lengths, ended = grid_after(steps).lengths.tolist(), ended_prompts(steps)
    prompts = zip(lengths, row_prompts(steps), strict=True)
    notes = [f"{length}, ended" if prompt in ended else f"{length}" for length, prompt in prompts]
    rows = zip(cells, row_names(steps, names), notes, strict=True)
    lines = [Line([look(cell) for cell in row], name, note) for row, name, note in rows]
    return Panel(lines, cells, notes="length", caption=caption)


def mask_view(steps: Sequence[Step], tokenizer: Tokenizer | None = None, names: Sequence[str] = ()) -> Panel:
    """A line for each query of the last step; of more than QUERIES in a row, those up to the one that is read."""
    cells, named, placement = cells_after(steps, tokenizer), row_names(steps, names), steps[-1].placement
    new, lines, keep = steps[-1].tokens.shape[1], [], set()
    for row, at in live_rows(steps):
        read = int(steps[-1].read[at])
        columns = range(new) if new <= QUERIES else range(max(0, read + 1 - QUERIES), read + 1)
        for column in columns:
            own = int(placement.slots[at, column])
            keep.add(own)
            looks = [
                query_look(cell, sees, slot == own, column == read)
                for slot, (cell, sees) in enumerate(zip(cells[row], placement.mask[at, column].tolist(), strict=True))
            ]
            first = column == columns[0]
            note = f"{column}, read" if column == read else f"{column}"
            lines.append(Line(looks, named[row] if first else "", note, apart=first))
    keep &= set(range(len(cells[0])))  # padding beyond the cache's end has no slot
    return Panel(lines, cells, notes="column", caption=SEEN, keep=keep, height=0.36 if new == 1 else 0.2)


def attention_view(
    weights: Float[Tensor, "rows heads new seen"],
    head: int,
    steps: Sequence[Step],
    tokenizer: Tokenizer | None = None,
    names: Sequence[str] = (),
) -> Panel:
    """A line for each row: where the query that is read looks."""
    cells, spent = cells_after(steps, tokenizer), weights_read(weights, head, steps)[:, : weights.shape[3]]
    cells = [row[: weights.shape[3]] for row in cells]  # beyond, nobody sees anything
    lines = [
        Line([weight_look(cell, weight) for cell, weight in zip(row, own, strict=True)], name, weights=own)
        for row, own, name in zip(cells, spent.tolist(), row_names(steps, names), strict=True)
    ]
    keep = spent.amax(dim=0).topk(min(HEAVIEST, spent.shape[1])).indices.tolist()
    return Panel(lines, cells, caption=WEIGHTS, keep=keep)


def weights_read(
    weights: Float[Tensor, "rows heads new seen"], head: int, steps: Sequence[Step]
) -> Float[Tensor, "rows slots"]:
    """The weights of the query that each row is read at; zeros in a row that had ended. MinikvError for weights that
    are not the last step's, or have no such head."""
    last = steps[-1]
    (rows, heads, new, seen), expected = weights.shape, (last.cache.rows, last.tokens.shape[1])
    if (rows, new) != expected or seen > last.cache.slots:
        raise MinikvError(
            f"weights of {rows} rows, {new} new tokens and {seen} slots; expected those of the last step, with "
            f"{expected[0]}, {expected[1]} and at most {last.cache.slots}"
        )
    if not 0 <= head < heads:
        raise MinikvError(f"head is {head}; expected 0 to {heads - 1}")
    spent = torch.zeros(rows, last.cache.slots)
    for row, at in live_rows(steps):
        spent[row, :seen] = weights[row, head, last.read[at]].float()
    return spent


def row_names(steps: Sequence[Step], names: Sequence[str]) -> list[str]:
    """What to call the rows of the cache: the prompts that they answer. MinikvError where one has no name."""
    prompts = row_prompts(steps)
    if names and len(names) <= max(prompts):
        raise MinikvError(
            f"{len(names)} names, but there is a prompt {max(prompts)}; expected a name for each, or none"
        )
    return [names[prompt] if names else f"row {prompt}" for prompt in prompts]


def titled(panel: Panel, recipe: Recipe, remark: str = "") -> Panel:
    """With the recipe's name over it, and whether it is right."""
    sign, colour = ("✓", RIGHT) if recipe.right else ("✗", WRONG)
    return replace(panel, heading=f"{sign} {recipe.name}", colour=colour, remark=remark)
