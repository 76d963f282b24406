"""`minikv compare`: a checkpoint against transformers, or against another one, tensor by tensor."""

import json
from typing import Annotated

import torch
import typer

from minikv.attention import by_hand
from minikv.bench.contestants import check_transformers, load_reference
from minikv.checkpoint import bundled, load, resolve
from minikv.commands.common import ModelOption, RevisionOption, load_both, plainly, read_document, stderr
from minikv.look.compare import compare as compare_models
from minikv.visible import printable

TRANSFORMERS = "transformers"


@plainly
def compare(
    model: ModelOption = None,
    prompt: Annotated[str | None, typer.Option(help="The text to run both on.")] = None,
    prompt_file: Annotated[str | None, typer.Option(help="A file with the text, or - for stdin.")] = None,
    against: Annotated[
        str, typer.Option(help=f"{TRANSFORMERS}: the same weights there; or a folder or hub id of others.")
    ] = TRANSFORMERS,
    atol: Annotated[float, typer.Option(min=0, help="How much a tensor may differ anywhere.")] = 1e-4,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "float32",
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object with every tensor, instead of tables.")
    ] = False,
    revision: RevisionOption = None,
) -> None:
    """Where two runs of one text first differ, tensor by tensor, and how it grows. Exit code 1 beyond the tolerance."""
    if (prompt is None) == (prompt_file is None):
        raise typer.BadParameter("give --prompt or --prompt-file, one of them", param_hint="--prompt")
    if against == TRANSFORMERS:
        check_transformers()
    text = prompt if prompt is not None else read_document(str(prompt_file))
    decoder, tokenizer = load_both(model, dtype, revision)
    source = bundled() if model is None else model
    tokens = torch.tensor([tokenizer.encode(text)], dtype=torch.int64)
    with stderr.status(f"running {tokens.shape[1]} tokens through both"):
        if against == TRANSFORMERS:
            reference = load_reference(resolve(source, revision), decoder.dtype)
            # Both as they are written out, so that the weights of attention are there to compare.
            reference.set_attn_implementation("eager")
            decoder.attend = by_hand
        else:
            reference, _ = load(against, decoder.dtype)
        found = compare_models(decoder, reference, tokens, atol)
    if as_json:
        about = {"model": str(source), "against": against, "dtype": str(decoder.dtype), "tokens": tokens.shape[1]}
        print(json.dumps({**about, **found.as_json()}, allow_nan=False))
    else:
        print(printable(repr(found)))
    if not found.ok:
        raise typer.Exit(1)
