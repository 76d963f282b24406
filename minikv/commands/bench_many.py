"""`minikv bench many`: pages a minute."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

from minikv.bench.contestants import check_transformers, load_reference
from minikv.bench.machine import card
from minikv.bench.many import as_json, compare, keys_for, make_documents, of_minikv, of_transformers, table
from minikv.checkpoint import bundled, resolve
from minikv.commands.common import ModelOption, RevisionOption, load_both, plainly, stderr
from minikv.commands.many import BudgetOption, read_size
from minikv.filling.many import Extractor
from minikv.filling.template import plan
from minikv.speed.fast import fast


@plainly
def bench_many(
    model: ModelOption = None,
    documents: Annotated[int, typer.Option(help="How many.")] = 32,
    tokens: Annotated[int, typer.Option(help="Of a document: half to one and a half times so many.")] = 256,
    keys: Annotated[int, typer.Option(help="Asked of each document, 1 to 6.")] = 6,
    new_tokens: Annotated[int, typer.Option(min=1, help="Of an answer at most.")] = 32,
    cache_budget: BudgetOption = "512MB",
    naive: Annotated[int, typer.Option(min=1, help="Documents for the naive loop, which is slow: the first few.")] = 4,
    runs: Annotated[int, typer.Option(help="Times that each does it.")] = 1,
    dtype: Annotated[str, typer.Option(help="In fp32 all answers are equal; 16 bits round by batch.")] = "float32",
    revision: RevisionOption = None,
) -> None:
    """Many documents in shared batches, one document at a time, and transformers' naive loop: pages a minute."""
    check_transformers()
    asked, budget = keys_for(keys), read_size(cache_budget)
    decoder, tokenizer = load_both(model, dtype, revision)
    pages = make_documents(tokenizer, documents, tokens)
    with stderr.status("loading the same weights with transformers"):
        reference = load_reference(bundled() if model is None else resolve(model, revision), decoder.dtype)
    facts = card(decoder)  # of the weights as they are stored, before they are packed
    extractor = Extractor(fast(decoder), tokenizer, plan(dict.fromkeys(asked, "")), new_tokens, budget)
    ways = [
        of_transformers(reference, tokenizer, asked, new_tokens, min(naive, documents)),
        *of_minikv(extractor, documents),
    ]
    speeds = compare(ways, pages, runs, stderr)
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(table(speeds))
    print(json.dumps({"benchmark": "many", "card": facts, "speeds": as_json(speeds)}, allow_nan=False))
    if dtype == "float32" and any(speed.equal < speed.answers for speed in speeds):
        raise typer.Exit(1)
