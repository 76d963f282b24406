"""Where a row of a batch leaves the truth: the first step, layer and tensor, and why.

    for each in minikv.partings(model, "right_padded_batch", prefix_ids, suffixes):
        print(each)

The numbers of the row in the batch beside those of the row alone (`alone.py`) say where the two part. What its
placement does wrong (`causes.py`) says why, where it acts before that; else the fault is in the numbers themselves.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.extract import find_recipe
from minikv.generate import as_ids
from minikv.look.alone import Tensors, alone, prefix_alone, side_by_side, watched, watching
from minikv.look.causes import Cause, Fault, Fed, all_fed, causes_in
from minikv.look.compare import Difference, difference
from minikv.look.recorder import LOGITS
from minikv.look.trace import split_layer
from minikv.recipes import Ids, Recipe
from minikv.tokenizer import Tokenizer
from minikv.visible import token_text

# Measured: rounding goes to 5e-6 (1.4e-4 with random weights of 24 layers), in bf16 to 0.033, and the faults of the
# wrong recipes begin at 0.086.
RTOL = {torch.float32: 1e-3}
RTOL_16_BITS = 0.05
# Where a fault first shows: at the first tensor whose name ends so. All others, in what is attended to.
ACTS: dict[Fault, tuple[str, ...]] = {
    Fault.SCRAMBLED: ("",),  # the first of all, the embedding
    Fault.POSITION: (".wpe", ".q"),  # GPT-2's positions; RoPE
    Fault.MISREAD: (LOGITS,),
}


@dataclass(frozen=True, repr=False)
class Parting:
    """Where one row of a batch parts from the same row alone, if it does. Its `repr` says it in sentences."""

    recipe: str
    row: int
    dtype: torch.dtype
    rtol: float
    steps: int  # that were compared
    parted: bool
    step: int  # of the row's own, from 0: where it parts; if it does not, where it comes nearest to that
    difference: Difference  # there: of the first tensor beyond the tolerance; if there is none, the largest of all
    causes: tuple[Cause, ...]  # what the placement shows up to there, the decisive one first
    explained: bool  # whether that one acts early enough to be the reason
    later: tuple[Cause, ...]  # what it shows only after that, the first of each kind
    chosen: int  # the token that the batch chose at this step …
    chosen_alone: int  # … and the row alone

    @property
    def tensor(self) -> str:
        return self.difference.name

    @property
    def layer(self) -> int | None:
        """None for a tensor of no layer: the embedding, the last norm, the logits."""
        number = split_layer(self.tensor)[1]
        return int(number) if number else None

    def sentences(self, tokenizer: Tokenizer | None = None) -> list[str]:
        """All of it in words, tokens as text if there is a tokenizer."""
        who, step = f"Row {self.row} of {self.recipe}", f"at step {self.step} in {self.tensor}"
        size = f"{percent(self.difference.relative)} ({self.difference.max:.2g} at most)"
        if not self.parted:
            return [
                f"{who} agrees with the row alone in each of {self.steps} steps: the largest difference is {size}, "
                f"{step}.",
                *(f"Yet its placement is not right, at step {each.step}: {each.sentence}" for each in self.causes),
            ]
        batch, alone = (
            f"token {token}" if tokenizer is None else f'"{token_text(token, tokenizer)}"'
            for token in (self.chosen, self.chosen_alone)
        )
        return [
            f"{who} parts from the row alone {step}, by {size}; all before it agrees within {percent(self.rtol)}.",
            f"It chooses {batch} there, and {alone} alone." if batch != alone else f"It still chooses {batch} there.",
            *self._reasons(),
            *(f"Later, at step {cause.step}: {cause.sentence}" for cause in self.later),
        ]

    def _reasons(self) -> Iterator[str]:
        if not self.explained:
            yield "Nothing in the placement explains it."
            if self.dtype == torch.float32:
                yield "It is in the numbers: look at what computes this tensor."
            else:
                yield "In 16 bits it may be rounding, which another shape of the batch changes: compare in float32."
        for cause in self.causes:
            yield cause.sentence if cause.step == self.step else f"Before, at step {cause.step}: {cause.sentence}"

    def as_json(self) -> dict[str, Any]:
        """All of it, for `json.dumps`; null for a difference that is infinite."""
        causes, later = (
            [{"fault": each.fault.value, "step": each.step, "sentence": each.sentence} for each in some]
            for some in (self.causes, self.later)
        )
        largest, relative = (x if math.isfinite(x) else None for x in (self.difference.max, self.difference.relative))
        place = {"tensor": self.tensor, "layer": self.layer, "difference": largest, "relative": relative}
        return {**vars(self), **place, "dtype": str(self.dtype), "causes": causes, "later": later}

    def __repr__(self) -> str:
        return " ".join(self.sentences())


def partings(
    model: Decoder,
    recipe: str | Recipe,
    prefix_ids: Ids,
    suffixes: Sequence[Ids],
    *,
    max_new_tokens: int = 8,
    stop_ids: Iterable[int] = (),
    pad_id: int = 0,
    rtol: float | None = None,
) -> list[Parting]:
    """How each row of a recipe compares with the same row alone, tensor by tensor, up to where it parts from it.

    recipe           a name in minikv.RECIPES or "per_row_drafts", or a Recipe, such as one with a fault in it
    max_new_tokens   steps that are compared; the other limits are as for every recipe
    rtol             how much a tensor may differ: the length of the difference over that of what is right, both as
                     vectors. None: 0.001, or 0.05 in 16 bits, where rounding comes to a few hundredths

    What each new token gives in each layer is held until the end: about 30 times as many numbers as hidden has. Where a
    recipe computes the prefix anew for every row, so for a time is that of a whole prompt. MinikvError for an unknown
    recipe, ids or limits that it refuses, no new token, and a model in the fast form.
    """
    recipe = find_recipe(recipe) if isinstance(recipe, str) else recipe
    (prefix,), suffixes = as_ids([prefix_ids]), as_ids(suffixes)
    if max_new_tokens < 1:
        raise MinikvError(f"max_new_tokens is {max_new_tokens}; expected at least one, or there is nothing to compare")
    with watching(model):  # refuses what it cannot look into, before anything is computed
        pass
    walk = recipe.steps(model, prefix, suffixes, max_new_tokens=max_new_tokens, stop_ids=tuple(stop_ids), pad_id=pad_id)
    rtol = RTOL.get(model.dtype, RTOL_16_BITS) if rtol is None else rtol
    first = max(len(prefix) - 1, 0)  # a row with nothing to say begins with the prefix's last token
    steps, batched = watched(model, walk, first, len(suffixes))
    shared = prefix_alone(model, prefix[:first])
    found = []
    for row, suffix in enumerate(suffixes):
        row_fed = list(all_fed(steps, row, prefix, suffix))
        if not row_fed:
            raise MinikvError(
                f"{recipe.name} gave no step for row {row}; expected one for each of {len(suffixes)} rows"
            )
        truth = alone(model, shared, row_fed[-1].text)
        beside = list(compared(row_fed, batched[row], truth, first, rtol))
        found.append(row_parting(recipe.name, row_fed, beside, rtol))
    return found


@dataclass(frozen=True, eq=False)
class Compared:
    """One step of a row beside the same alone."""

    fed: Fed
    truth: Tensors
    beyond: bool  # whether a tensor differs by more than it may
    difference: Difference  # of the first that does, or else of the one that differs most


def compared(
    row_fed: Iterable[Fed], in_batch: Iterable[Tensors], truth: Tensors, first: int, rtol: float
) -> Iterator[Compared]:
    """Step after step, up to the first that differs."""
    for fed, tensors in zip(row_fed, in_batch, strict=False):  # the batch may go on after the row's end
        ours, theirs = side_by_side(fed, tensors, truth, first)
        differences = [difference(name, tensor, theirs[name]) for name, tensor in ours.items()]
        beyond = [each for each in differences if each.relative > rtol]
        most = max(differences, key=lambda each: each.relative)
        yield Compared(fed, theirs, bool(beyond), beyond[0] if beyond else most)
        if beyond:
            return


def row_parting(recipe: str, row_fed: Sequence[Fed], found: Sequence[Compared], rtol: float) -> Parting:
    """What was found in a row's steps, and the causes of it."""
    last, parted = found[-1].fed, found[-1].beyond
    at = found[-1] if parted else max(found, key=lambda each: each.difference.relative)
    names, tensor, step = list(at.truth), at.difference.name, at.fed.step

    def nearness(cause: Cause) -> tuple[bool, int, int]:
        return can_explain(cause, step, tensor, names), cause.step, acts_at(cause, names)

    shown = [cause for fed in row_fed for cause in causes_in(fed)]
    by_then = {cause.fault: cause for cause in shown if cause.step <= last.step}
    after = {cause.fault: cause for cause in reversed(shown) if cause.fault not in by_then}
    causes = sorted(by_then.values(), key=nearness, reverse=True)
    return Parting(
        recipe=recipe,
        row=last.row,
        dtype=at.truth[LOGITS].dtype,
        rtol=rtol,
        steps=last.step + 1,
        parted=parted,
        step=step,
        difference=at.difference,
        causes=tuple(causes),
        explained=parted and any(can_explain(cause, step, tensor, names) for cause in causes),
        later=tuple(sorted(after.values(), key=lambda cause: cause.step)),
        chosen=at.fed.line.chosen,
        chosen_alone=int(at.truth[LOGITS].float().argmax()),
    )


def acts_at(cause: Cause, names: Sequence[str]) -> int:
    """The tensor of a step at which a cause first shows."""
    return next(number for number, name in enumerate(names) if name.endswith(ACTS.get(cause.fault, (".attended",))))


def can_explain(cause: Cause, step: int, tensor: str, names: Sequence[str]) -> bool:
    """Whether a cause acts before this tensor of this step. Where the row was read changes what it chooses, and both
    runs are fed that: it changes nothing else."""
    if cause.step == step:
        return acts_at(cause, names) <= names.index(tensor)
    return cause.step < step and cause.fault is not Fault.MISREAD


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"
