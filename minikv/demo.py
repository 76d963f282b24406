"""The lesson in one table: every recipe on one document, its answers beside the naive loop's, time and cache."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.extract import prompts
from minikv.generate import Step, collect
from minikv.recipes import RECIPES, Recipe
from minikv.tokenizer import Tokenizer, split_shared
from minikv.visible import shown, shown_answer

DOCUMENTS = ("announcement", "invoice", "job", "abstract")


@dataclass(frozen=True)
class Outcome:
    """What one recipe made of the job."""

    recipe: Recipe
    answers: list[str]  # one for each key
    seconds: float  # the whole job, prefix included
    cache_bytes: int  # keys and values of the largest cache that it decoded from


def bundled_document(name: str) -> tuple[str, list[str]]:
    """One of the package's own documents, and the keys to ask of it."""
    folder = files("minikv") / "documents"
    keys = (folder / f"{name}.keys").read_text(encoding="utf-8").splitlines()
    return (folder / f"{name}.txt").read_text(encoding="utf-8"), keys


def run_all(
    model: Decoder, tokenizer: Tokenizer, document: str, keys: Sequence[str], max_new_tokens: int, console: Console
) -> list[Outcome]:
    """Every recipe in turn, in teaching order, its progress on the console."""
    if not keys:
        raise MinikvError("no keys; expected the names of the values to look for")
    prefix, suffixes = split_shared(prompts(tokenizer, document, keys))
    # The first pass reads the weights from the disk; no recipe is to pay for that.
    RECIPES["single_row_cache"](model, prefix[:8], suffixes[:1], max_new_tokens=1)
    outcomes = []
    for recipe in RECIPES.values():
        with console.status(f"{recipe.name}: prefix of {len(prefix)} tokens") as status:
            started = time.perf_counter()
            walk = recipe.steps(
                model,
                prefix,
                suffixes,
                max_new_tokens=max_new_tokens,
                stop_ids=tokenizer.stop_ids,
                pad_id=tokenizer.pad_id,
            )
            sizes: list[int] = []
            ids = collect(watched(walk, recipe.name, status, sizes), len(suffixes))
            seconds = time.perf_counter() - started
        answers = [tokenizer.decode(answer).strip() for answer in ids]
        outcomes.append(Outcome(recipe, answers, seconds, max(sizes, default=0)))
    return outcomes


def watched(walk: Iterable[Step], name: str, status: Status, sizes: list[int]) -> Iterator[Step]:
    """The same steps; how many there were is shown, and the size of the cache of each is noted."""
    for step in walk:
        sizes.append(step.cache.nbytes)
        status.update(f"{name}: {len(sizes)} steps")
        yield step


def answers_table(outcomes: Sequence[Outcome], keys: Sequence[str]) -> Table:
    """Recipes by keys. An answer that is not the naive loop's is marked with ≠, and in colour."""
    truth = outcomes[0].answers
    table = Table(title="What each recipe answers (≠: not the naive loop's answer)", title_justify="left")
    table.add_column("recipe", no_wrap=True)
    for key in keys:
        table.add_column(Text(shown(key)), overflow="fold", min_width=8)
    for outcome in outcomes:
        cells = [
            Text(shown_answer(answer)) if answer == expected else Text(f"≠ {shown_answer(answer)}", style="bold red")
            for answer, expected in zip(outcome.answers, truth, strict=True)
        ]
        table.add_row(outcome.recipe.name, *cells)
    return table


def figures_table(outcomes: Sequence[Outcome]) -> Table:
    """Agreement, time and memory of each recipe."""
    truth = outcomes[0].answers
    table = Table(title="One run of each, so read the seconds as a hint", title_justify="left")
    table.add_column("recipe", no_wrap=True)
    for heading in ("as naive", "seconds", "cache MB"):
        table.add_column(heading, justify="right")
    table.add_column("how")
    for outcome in outcomes:
        agreeing = sum(answer == expected for answer, expected in zip(outcome.answers, truth, strict=True))
        table.add_row(
            outcome.recipe.name,
            f"{agreeing} of {len(truth)}",
            f"{outcome.seconds:.2f}",
            f"{outcome.cache_bytes / 1e6:.1f}",
            outcome.recipe.summary,
        )
    return table
