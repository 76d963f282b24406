"""Pictures of a ragged cache, drawn from a recipe's steps, from its first on. They need matplotlib.

    from minikv import draw
    walk = list(minikv.RECIPES["per_row_offsets"].steps(model, prefix, suffixes, max_new_tokens=4))
    draw.cache(walk[:1], tokenizer)     # after the pass over the suffixes
    draw.cache(walk[:3], tokenizer)     # after two new tokens

Each gives a matplotlib Figure of what there is after the last step; a notebook shows it. With a tokenizer, tokens are
shown as text; `names` are what the picture calls the prompts. Long runs of slots that are alike are folded. `save`
writes a PNG or an SVG.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxtyping import Float
from torch import Tensor

from minikv.draw.cells import Cell, cells_after
from minikv.draw.panels import paint
from minikv.draw.sheet import save
from minikv.draw.story import bug_and_fix
from minikv.draw.views import View, attention_view, cache_view, mask_view, position_view, titled
from minikv.extract import find_recipe
from minikv.generate import Step
from minikv.tokenizer import Tokenizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Cell",
    "attention",
    "attention_view",
    "beside",
    "bug_and_fix",
    "cache",
    "cache_view",
    "cells_after",
    "mask",
    "mask_view",
    "position_view",
    "positions",
    "save",
    "strip",
]


def cache(steps: Sequence[Step], tokenizer: Tokenizer | None = None, names: Sequence[str] = ()) -> "Figure":
    """What stands in each slot: whose token, which, at which position; where each row ends, and where it was read.

    MinikvError without a step, or where matplotlib is not installed; so for all pictures.
    """
    return paint([cache_view(steps, tokenizer, names)])


def positions(steps: Sequence[Step], tokenizer: Tokenizer | None = None, names: Sequence[str] = ()) -> "Figure":
    """The position in each slot, the darker the higher. One that is not one more than the token's before, or that an
    earlier token has, stands out."""
    return paint([position_view(steps, tokenizer, names)])


def mask(steps: Sequence[Step], tokenizer: Tokenizer | None = None, names: Sequence[str] = ()) -> "Figure":
    """The slots that each query of the last step sees, a line for each query; of a long prompt, the last up to the one
    that is read."""
    return paint([mask_view(steps, tokenizer, names)])


def attention(
    steps: Sequence[Step],
    weights: Float[Tensor, "rows heads new seen"],
    head: int,
    tokenizer: Tokenizer | None = None,
    names: Sequence[str] = (),
) -> "Figure":
    """Where the queries that are read look, in one head. `weights` are the last step's, as a trace gives them:

        with minikv.trace(model, "model.layers.3.self_attn.weights") as t:
            walk = list(recipe.steps(model, prefix, suffixes, max_new_tokens=1))
        draw.attention(walk, t["model.layers.3.self_attn.weights"], head=1, tokenizer=tokenizer)

    MinikvError for a head that is not among the weights, or weights of another step.
    """
    return paint([attention_view(weights, head, steps, tokenizer, names)])


def beside(
    walks: Mapping[str, Sequence[Step]],
    tokenizer: Tokenizer | None = None,
    names: Sequence[str] = (),
    view: View = cache_view,
) -> "Figure":
    """Recipes one under the other, in the same columns: the steps of each by its name. `view` is what is shown of each.

    MinikvError for the name of no recipe.
    """
    return paint([titled(view(steps, tokenizer, names), find_recipe(name)) for name, steps in walks.items()])


def strip(
    steps: Sequence[Step],
    tokenizer: Tokenizer | None = None,
    names: Sequence[str] = (),
    view: View = cache_view,
) -> "Figure":
    """One recipe after each of its steps in turn."""
    views = [view(steps[: number + 1], tokenizer, names) for number in range(len(steps))]
    return paint([replace(panel, heading=f"step {number}") for number, panel in enumerate(views)])
