"""`minikv why`: where each row of a recipe parts from the same row alone, and why."""

import json
from typing import Annotated

import typer

from minikv.checkpoint import bundled
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
from minikv.demo import DOCUMENTS
from minikv.errors import MinikvError
from minikv.extract import find_recipe, prompts
from minikv.look.parting import partings
from minikv.recipes import RECIPES
from minikv.speed.draft import DRAFTED
from minikv.tokenizer import split_shared
from minikv.visible import printable


@plainly
def why(
    recipe: Annotated[str, typer.Option(help=f"One of {', '.join(RECIPES)}, {DRAFTED.name}.")] = "right_padded_batch",
    row: Annotated[int | None, typer.Option(min=0, help="The key whose row to tell of, from 0. Default: all.")] = None,
    model: ModelOption = None,
    document: JobOption = DOCUMENTS[0],
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="Steps to compare.")] = 8,
    rtol: Annotated[
        float | None, typer.Option(min=0, help="How much a tensor may differ, by its length. Default: by dtype.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="In float32 no rounding comes in between.")] = "float32",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of sentences.")] = False,
    revision: RevisionOption = None,
) -> None:
    """Where each row of a recipe parts from the same row alone: the first step and tensor, and what its placement did.

    The exit code is 0 whether rows part or not.
    """
    chosen = find_recipe(recipe)
    text, asked = read_job(document, keys, keys_file)
    if row is not None and row >= len(asked):
        raise MinikvError(
            f"--row is {row}; expected a number from 0 to {len(asked) - 1}, since there are {len(asked)} keys"
        )
    decoder, tokenizer = load_both(model, dtype, revision)
    prefix, suffixes = split_shared(prompts(tokenizer, text, asked))
    with stderr.status(f"{recipe}: {len(asked)} rows, each beside the same row alone"):
        found = partings(
            decoder,
            chosen,
            prefix,
            suffixes,
            max_new_tokens=max_new_tokens,
            stop_ids=tokenizer.stop_ids,
            pad_id=tokenizer.pad_id,
            rtol=rtol,
        )
    told = [(key, each) for key, each in zip(asked, found, strict=True) if row in (None, each.row)]
    if as_json:
        rows = [{"key": key, **each.as_json()} for key, each in told]
        print(
            json.dumps(
                {
                    "model": str(bundled() if model is None else model),
                    "dtype": str(decoder.dtype),
                    "prefix": len(prefix),
                    "rows": rows,
                }
            )
        )
    else:
        blocks = ["\n  ".join([key, *each.sentences(tokenizer)]) for key, each in told]
        print(printable("\n\n".join(blocks)))
