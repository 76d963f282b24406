"""`minikv extract --documents`: one template for any number of documents, the results in a file.

They are on the disk batch by batch, so a run may be stopped at any moment: the same command goes on where it was.
"""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from minikv.checkpoint import bundled, resolve
from minikv.commands.common import load_both, stderr
from minikv.errors import MinikvError
from minikv.filling.corpus import count_documents, read_documents, unanswered
from minikv.filling.many_ray import check_ray, results_over_ray
from minikv.filling.results import Result, Results, kept_path, open_results, settings_path
from minikv.filling.run import Run

SOME_FAILED = 3  # the exit code
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 2**10, "MI": 2**20, "GI": 2**30}


class Overlong(str, Enum):
    REFUSE = "refuse"
    TRUNCATE = "truncate"


class Engine(str, Enum):
    LOCAL = "local"
    RAY = "ray"


DocumentsOption = Annotated[
    Path | None,
    typer.Option(help="Many documents: a file of JSON lines with id and text, or a folder of texts. Needs --out."),
]
OutOption = Annotated[
    Path | None, typer.Option(help="The file for the results of --documents. A run that was stopped goes on there.")
]
BudgetOption = Annotated[
    str, typer.Option(help="Memory for keys and values, such as 512MB or 2GB: how many rows may share a batch.")
]
OverlongOption = Annotated[
    Overlong, typer.Option(help="A document beyond context or memory: an error, or its beginning.")
]
EngineOption = Annotated[
    Engine, typer.Option(help="In this process, or over Ray Data in --workers of them, here or where RAY_ADDRESS says.")
]
WorkersOption = Annotated[int, typer.Option(min=1, help="Processes of --engine ray, each with the model.")]


def extract_many(
    documents: Path,
    out: Path | None,
    *,
    template: Mapping[str, Any],
    model: str | None,
    revision: str | None,
    dtype: str,
    plain: bool,
    max_new_tokens: int,
    report: bool,
    cache_budget: str,
    overlong: Overlong,
    engine: Engine,
    workers: int,
) -> None:
    """What `extract` does with its option --documents."""
    if out is None:
        raise typer.BadParameter("--documents needs it: a file for the results", param_hint="--out")
    budget, found = read_size(cache_budget), read_documents(documents)
    check_out(documents, out)
    if engine is Engine.RAY:
        check_ray()
    folder = bundled() if model is None else resolve(model, revision)
    decoder, tokenizer = load_both(str(folder), dtype, None)
    truncate = overlong is Overlong.TRUNCATE
    run = Run(folder.resolve(), decoder.dtype, plain, template, max_new_tokens, budget, truncate, report)
    with stderr.status("looking at what is there already"):
        settings = run.settings(decoder, tokenizer, documents)
        total = count_documents(documents)
    extractor = run.extractor(decoder, tokenizer)  # in any case: it refuses what no process could do
    with open_results(out, settings) as results:
        tell_what_was_there(results)
        if engine is Engine.RAY:
            del decoder, extractor
            batches = results_over_ray(run, settings, documents.resolve(), results.answered, workers)
        else:
            batches = extractor.results(unanswered(found, results.answered))
        failed = write_all(batches, results, total - len(results.answered))
    if failed:
        raise typer.Exit(SOME_FAILED)


def write_all(batches: Iterable[list[Result]], results: Results, total: int) -> int:
    """Write the results as they come, and show how it goes. How many of them are failures."""
    tally = Tally(total)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[pace]}"))
    try:
        with Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
            bar = progress.add_task("documents", total=total, pace="")
            for batch in batches:
                results.add(batch)
                tally.add(batch)
                progress.update(bar, completed=tally.done, pace=tally.pace)
    finally:
        tell(tally.summary)
    return tally.failed


@dataclass
class Tally:
    """What has been done by now."""

    total: int
    started: float = field(default_factory=time.monotonic)
    done: int = 0
    failed: int = 0

    def add(self, batch: list[Result]) -> None:
        self.done += len(batch)
        self.failed += sum("error" in result for result in batch)

    @property
    def per_minute(self) -> float:
        return 60 * self.done / (time.monotonic() - self.started)

    @property
    def pace(self) -> str:
        left = round(60 * max(self.total - self.done, 0) / self.per_minute)
        return f"{self.per_minute:.1f} a minute, {self.failed} failed, {timedelta(seconds=left)} left"

    @property
    def summary(self) -> str:
        failed = f", {self.failed} failed: their results say why" if self.failed else ""
        return f"{self.done - self.failed} answered{failed}; {self.per_minute:.1f} documents a minute"


def tell_what_was_there(results: Results) -> None:
    if results.torn:
        tell(f"the last result was torn; its {results.torn} bytes are cut off, and it is computed again")
    if results.failed:
        tell(f"{results.failed} failed before and are tried again")
    if results.answered:
        tell(f"{len(results.answered)} were answered before")


def tell(words: str) -> None:
    stderr.print(f"minikv: {words}", soft_wrap=True, highlight=False)


def check_out(documents: Path, out: Path) -> None:
    """MinikvError where the results, or what is written beside them, would be read as documents or written over
    them."""
    results = out.resolve()  # where a link leads
    if documents.resolve() in (results, settings_path(results), kept_path(results), *results.parents):
        raise MinikvError(f"--out {out} is among the documents; put the results elsewhere")


def read_size(text: str) -> int:
    """Bytes, as 512MB or 2GB says them; MiB and GiB are powers of two."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]I?|)B?\s*", text.upper(), re.ASCII)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size; expected one such as 512MB or 2GB", param_hint="--cache-budget")
    return int(float(found[1]) * UNITS[found[2]])
