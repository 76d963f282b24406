"""`minikv draw`: the cache of a recipe as a picture, after one of its steps."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from minikv.bench.draw import check_matplotlib
from minikv.commands.common import (
    JobOption,
    KeysFileOption,
    KeysOption,
    ModelOption,
    RevisionOption,
    load_both,
    plainly,
    read_job,
    stderr,
)
from minikv.decoder import Decoder
from minikv.demo import DOCUMENTS
from minikv.draw import attention_view, bug_and_fix, cache_view, mask_view, position_view, save
from minikv.draw.panels import Panel, paint
from minikv.draw.sheet import checked_path
from minikv.draw.views import View, titled
from minikv.errors import MinikvError
from minikv.extract import find_recipe
from minikv.look.trace import trace
from minikv.look.walk import Walk
from minikv.recipes import RECIPES
from minikv.speed.draft import DRAFTED
from minikv.visible import printable

VIEWS: dict[str, View] = {"cache": cache_view, "positions": position_view, "mask": mask_view}
WHAT = (*VIEWS, "attention", "strip")
STEP = 2


@plainly
def draw(
    out: Annotated[Path, typer.Option(help="The picture's file: a .png or .svg.")],
    recipe: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(RECIPES)}, {DRAFTED.name}; or several, separated by commas, to be drawn one under "
            f"the other. Without it: the bug above its fix."
        ),
    ] = None,
    what: Annotated[
        str,
        typer.Option(
            help="cache: what stands in each slot. positions. mask: what each query sees. attention: where the query "
            "that is read looks. strip: the cache after each step."
        ),
    ] = WHAT[0],
    step: Annotated[int, typer.Option(min=0, help="The step after which. 0 is the pass over the keys.")] = STEP,
    layer: Annotated[int | None, typer.Option(min=0, help="Of the attention. Default: 0.")] = None,
    head: Annotated[int | None, typer.Option(min=0, help="Of the attention. Default: 0.")] = None,
    model: ModelOption = None,
    document: JobOption = DOCUMENTS[0],
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="Tokens of an answer at most.")] = 32,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "float32",
    revision: RevisionOption = None,
) -> None:
    """The cache as a picture: what stands in each slot, at which position, what sees it, and where each row is read."""
    checked_path(out)
    check_matplotlib()
    if what not in WHAT:
        raise typer.BadParameter(f"{what!r} is none of {', '.join(WHAT)}", param_hint="--what")
    if what != "attention" and (layer, head) != (None, None):
        raise typer.BadParameter("needs --what attention", param_hint="--layer" if head is None else "--head")
    asks = (what, step, document, keys, keys_file) != (WHAT[0], STEP, DOCUMENTS[0], None, None)
    if recipe is None and asks:
        raise typer.BadParameter("needs --recipe; without one, the bug above its fix is drawn", param_hint="--what")
    chosen = [find_recipe(name.strip()) for name in recipe.split(",")] if recipe is not None else []
    text, asked = read_job(document, keys, keys_file)
    out.parent.mkdir(parents=True, exist_ok=True)
    decoder, tokenizer = load_both(model, dtype, revision)
    check_head(decoder, layer or 0, head or 0)
    with stderr.status("drawing"):
        panels = []
        for one in chosen:
            walk = Walk.of(decoder, tokenizer, one, text, asked, max_new_tokens)
            if what == "attention":
                panels.append(attention_panel(decoder, walk, step, layer or 0, head or 0))
            elif what == "strip":
                go(walk, step)
                panels += [panel_of(walk, cache_view, at) for at in range(step + 1)]
            else:
                go(walk, step)
                panels.append(panel_of(walk, VIEWS[what], step))
        save(paint(panels) if panels else bug_and_fix(decoder, tokenizer), out)
    stderr.print(Text(printable(f"drawn: {out}")), soft_wrap=True)


def check_head(decoder: Decoder, layer: int, head: int) -> None:
    """MinikvError for a layer or a head that the model does not have."""
    layers, heads = decoder.config.layers, decoder.config.heads
    if layer >= layers or head >= heads:
        raise MinikvError(
            f"layer {layer}, head {head} of a model with {layers} layers and {heads} heads; expected 0 to {layers - 1} "
            f"and 0 to {heads - 1}"
        )


def go(walk: Walk, step: int) -> None:
    """Compute the walk up to a step. MinikvError where it ends before."""
    last = walk.reach(step)
    if last < step:
        raise MinikvError(
            f"--step is {step}, but {walk.recipe.name} took {last + 1} steps here; expected 0 to {last}, or a larger "
            f"--max-new-tokens"
        )


def panel_of(walk: Walk, view: View, step: int) -> Panel:
    return titled(view(walk.steps(step), walk.tokenizer, walk.names), walk.recipe, f"step {step}")


def attention_panel(decoder: Decoder, walk: Walk, step: int, layer: int, head: int) -> Panel:
    with trace(decoder, f"*.{layer}.*attn.weights") as seen:
        go(walk, step)
    panel = attention_view(seen[seen.names[0]], head, walk.steps(step), walk.tokenizer, walk.names)
    return titled(panel, walk.recipe, f"step {step}, layer {layer}, head {head}")
