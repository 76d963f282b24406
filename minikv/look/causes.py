"""Why a row goes wrong: what the placement of its steps shows, in numbers.

A row's text is the prefix, its suffix and what it chose; token 0 is the first of the prefix. A right pass

    feeds     the tokens of the text that come next, in order,
    places    each at the position after its predecessor's,
    shows     to each the tokens of the text up to itself, each in one slot, and nothing else,
    reads     the row at the last of them.

A `Fault` is a breach of one of these. Whether the numbers have parted is not asked here: see `parting.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from minikv.cache import EMPTY
from minikv.generate import Step
from minikv.look.grid import padding_of
from minikv.look.show import runs

PADDING = -2  # in place of an index in the text: what stands there is padding


class Fault(Enum):
    """What a placement can do wrong, in the order in which it acts on the numbers."""

    SCRAMBLED = "tokens scrambled"
    POSITION = "position not the next"
    HIDDEN = "real slot hidden"
    LOST = "real token in no slot"
    TWICE = "token seen twice"
    PADDING = "padding seen"
    LATER = "later token seen"
    MISREAD = "read at the wrong column"


SEES = {
    Fault.HIDDEN: "does not see real tokens of its text, in",
    Fault.TWICE: "sees the same tokens of its text twice, in",
    Fault.PADDING: "sees what is no token of its text, in",
    Fault.LATER: "sees tokens that come after its own, in",
}


@dataclass(frozen=True)
class Cause:
    """One fault of one row, at one of its steps."""

    fault: Fault
    step: int  # of the row's own steps, from 0
    sentence: str


@dataclass(frozen=True, eq=False)
class Line:
    """One row of a step. Of `tokens` to `mask` there is one for each column."""

    tokens: list[int]
    positions: list[int]
    slots: Int[Tensor, " new"]
    mask: Bool[Tensor, "new slots"]
    real: list[int]  # the columns that are no padding
    length: int  # how far the row was filled before
    read: int
    chosen: int
    ended: bool

    @classmethod
    def of(cls, step: Step, row: int) -> "Line":
        at = step.prompts.index(row)
        return cls(
            tokens=step.tokens[at].tolist(),
            positions=step.placement.positions[at].tolist(),
            slots=step.placement.slots[at].cpu(),
            mask=step.placement.mask[at].cpu(),
            real=(~padding_of(step)[at]).nonzero().flatten().tolist(),
            length=int(step.lengths[at]),
            read=int(step.read[at]) % step.tokens.shape[1],  # -1 is the last
            chosen=int(step.chosen[at]),
            ended=bool(step.finished[at]),
        )


@dataclass(frozen=True, eq=False)
class Fed:
    """What one step fed one row, beside what was due: the tokens of its text that it had not been fed before."""

    row: int
    step: int  # of the row's own, from 0
    line: Line
    text: list[int]  # up to the last token that was due
    columns: list[int]  # that the due tokens were fed in …
    due: list[int]  # … and their indices in the text
    indices: list[int]  # of every column: the index in the text of what it should hold, or PADDING
    before: int  # the position of the token before the first that was due; -1 if there is none
    held: Int[Tensor, " slots"]  # after the step: the index in the text of what each slot holds, or PADDING, or EMPTY


def causes(steps: Sequence[Step], row: int, prefix_ids: Sequence[int], suffix: Sequence[int]) -> list[Cause]:
    """All faults of `row` in `steps`, which are a recipe's from its first on; none in a right recipe. At most one of a
    kind in a step; earlier steps first, and within a step in the order in which they act."""
    return [cause for fed in all_fed(steps, row, prefix_ids, suffix) for cause in causes_in(fed)]


def causes_in(fed: Fed) -> list[Cause]:
    """The faults of one step."""
    found = scrambled(fed) | misplaced(fed) | wrongly_seen(fed) | misread(fed)
    return [Cause(fault, fed.step, f"Row {fed.row}{found[fault]}.") for fault in Fault if fault in found]


# --- the rules --------------------------------------------------------------------------------------------------------


def scrambled(fed: Fed) -> dict[Fault, str]:
    """Whether a column holds another token than it should."""
    real = [column for column, index in enumerate(fed.indices) if index != PADDING]
    wrong = [column for column in real if fed.line.tokens[column] != fed.text[fed.indices[column]]]
    if not wrong:
        return {}
    column, index = wrong[0], fed.indices[wrong[0]]
    return {
        Fault.SCRAMBLED: f" was fed {len(wrong)} of {len(real)} tokens out of order: column {column} has the id "
        f"{fed.line.tokens[column]}, but token {index} of the text is {fed.text[index]}"
    }


def misplaced(fed: Fed) -> dict[Fault, str]:
    """Whether a position is not the one after the predecessor's: the first that is not."""
    before = fed.before
    for column in fed.columns:
        position = fed.line.positions[column]
        if position != before + 1:
            return {
                Fault.POSITION: f"'s token in column {column} went to position {position}; its last real token before "
                f"that is at {before}, so {before + 1} was expected"
            }
        before = position
    return {}


def wrongly_seen(fed: Fed) -> dict[Fault, str]:
    """Whether a query sees too little or too much: of each fault the last query that has it."""
    found = {}
    real, text = fed.held >= 0, torch.arange(len(fed.text))
    for column, index in zip(fed.columns, fed.due, strict=True):
        seen = fed.line.mask[column]
        times = torch.bincount(fed.held[real & seen], minlength=len(text))[fed.held.clamp(min=0)]
        slots = {
            Fault.HIDDEN: real & (fed.held <= index) & (times == 0),
            Fault.TWICE: real & seen & (times > 1),
            Fault.PADDING: seen & ~real,
            Fault.LATER: seen & (fed.held > index),
        }
        for fault, wrong in slots.items():
            if bool(wrong.any()):
                found[fault] = f"'s query in column {column} {SEES[fault]} {counted('slot', wrong)}"
        lost = ~torch.isin(text[: index + 1], fed.held)
        if bool(lost.any()):
            found[Fault.LOST] = f" holds {counted('token', lost)} of its text in no slot"
    return found


def misread(fed: Fed) -> dict[Fault, str]:
    """Whether the row was read elsewhere than at its last real token."""
    read = fed.line.read
    if fed.columns[-1:] == [read]:
        return {}
    what = "padding" if fed.indices[read] == PADDING else f"token {fed.indices[read]} of its text"
    where = f"its last real token is in column {fed.columns[-1]}" if fed.columns else "it was fed no real token"
    return {Fault.MISREAD: f" was read at column {read}, which is {what}; {where}"}


# --- what was due -----------------------------------------------------------------------------------------------------


def all_fed(steps: Sequence[Step], row: int, prefix_ids: Sequence[int], suffix: Sequence[int]) -> Iterator[Fed]:
    """What the row was fed in each of its steps, up to the one in which it ended. A pass that checks drafts is several
    steps: what is due in each is the token that the one before it chose."""
    lines = [Line.of(step, row) for step in steps if row in step.prompts]
    if not lines:
        return
    text, before = [*prefix_ids, *suffix], min(lines[0].length, len(prefix_ids)) - 1
    held = torch.full((lines[0].mask.shape[1],), EMPTY)
    held[: before + 1] = torch.arange(before + 1)  # the prefix stands at slot = position = 0, 1, 2 …
    known = before + 1  # how much of the text the row was fed
    for number, line in enumerate(lines):
        columns = columns_of(text[known:], line)
        due = list(range(len(text) - len(columns), len(text)))
        indices = indices_of(line, columns, due, len(text))
        written = line.slots < len(held)
        held = held.index_copy(0, line.slots[written], torch.tensor(indices)[written])
        yield Fed(row, number, line, text, columns, due, indices, before, held)
        if line.ended:
            return
        before = line.positions[columns[-1]] if columns else before
        text, known = [*text, line.chosen], len(text)


def columns_of(due: list[int], line: Line) -> list[int]:
    """The columns that hold the tokens that were due, side by side: among the real ones, or else among all. Of several
    such places the one that ends at the column read, or else the last, since what a row is fed again it is fed before.
    Where there is none, the last real columns."""
    for among in (line.real, list(range(len(line.tokens)))):
        places = [among[start : start + len(due)] for start in range(len(among) - len(due) + 1)]
        fitting = [columns for columns in places if [line.tokens[column] for column in columns] == due]
        if fitting:
            return next((columns for columns in fitting if columns[-1:] == [line.read]), fitting[-1])
    return line.real[-len(due) :]


def indices_of(line: Line, columns: list[int], due: list[int], length: int) -> list[int]:
    """Which token of a text of so many each column should hold. A real token before those that were due was fed
    already, and stands for the one at its position; what is left is padding."""
    indices = [PADDING] * len(line.tokens)
    for column in line.real:
        if column < min(columns, default=len(line.tokens)) and 0 <= line.positions[column] < length:
            indices[column] = line.positions[column]
    for column, index in zip(columns, due, strict=True):
        indices[column] = index
    return indices


def counted(noun: str, flags: Bool[Tensor, " n"]) -> str:
    """The numbers of those that are set: "slot 3", "slots 0-2, 5"."""
    numbers = flags.nonzero().flatten().tolist()
    return f"{noun}{'s' if len(numbers) > 1 else ''} {runs(numbers)}"
