"""What a KV cache saves: the same tokens chosen with a cache and without, and how long each of them took.

Both walks are the same decoder, greedy and without an end. With a cache a step computes the one new token, and attends
to the keys and values kept of those before it. Without, it computes the whole sequence again to choose one token more:
the products with the weights then grow with the sequence, its attention with the square of it.

Without a cache a token owes nothing to the passes before it: what it costs depends on the length of the sequence alone.
So where all tokens would take hours, some of them can be computed and timed, from the first to the last.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from minikv.bench.fit import (
    Exponential,
    Numbers,
    Polynomial,
    exponent,
    fit_exponential,
    fit_polynomial,
    miss,
    r_squared,
)
from minikv.bench.machine import Timing
from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.generate import check_ids, steps
from minikv.sampling import argmax

PROMPT = "Keys and values of the tokens so far stay as they are,"
RANDOM_PROMPT = 8  # tokens, where there is no tokenizer
WARM = 8  # tokens of each walk before the clock starts: weights are read from the disk, kernels chosen


# --- the two walks ----------------------------------------------------------------------------------------------------


def with_cache(model: Decoder, prompt: Sequence[int], new_tokens: int) -> Iterator[int]:
    """Each new token, from minikv's own loop."""
    for step in steps(model, [prompt], max_new_tokens=new_tokens):
        yield int(step.chosen[0])


@torch.no_grad()
def without_cache(
    model: Decoder, prompt: Sequence[int], new_tokens: int, every: int = 1, between: Sequence[int] = ()
) -> Iterator[int]:
    """One new token in `every`, the first and the last among them, each from a pass over all tokens before it. Like the
    other, the head sees the last column only. The tokens that are skipped stand in the sequence as another walk chose
    them: `between` is all of that walk's new tokens."""
    if every > 1 and len(between) < new_tokens:
        raise MinikvError(
            f"one token in {every} is to be chosen, and {len(between)} are given to take the others from; "
            f"expected the {new_tokens} tokens of another walk"
        )
    ids = [*prompt, *between]
    for place in places(new_tokens, every):
        before = len(prompt) + place - 1
        last = model.hidden(torch.tensor([ids[:before]], device=model.device))[:, -1]
        chosen = int(argmax(model.lm_head(last)))
        ids[before : before + 1] = [chosen]  # from here on its own choice stands, not that of the other walk
        yield chosen


def places(new_tokens: int, every: int = 1) -> tuple[int, ...]:
    """The numbers, from 1, of one new token in `every`: the first, the last, and steps of `every` between."""
    return (*range(1, new_tokens, every), new_tokens)


@dataclass(frozen=True)
class Run:
    """One walk: the tokens that it chose, and how long each of them took."""

    tokens: tuple[int, ...]
    seconds: tuple[float, ...]


def timed(walk: Iterator[int], total: int, progress: Progress, label: str) -> Run:
    """Follow a walk of so many tokens to its end. The progress bar is drawn off the clock."""
    tokens: list[int] = []
    seconds: list[float] = []
    task = progress.add_task(label, total=total)
    for _ in range(total):
        started = time.perf_counter()
        tokens.append(next(walk))
        seconds.append(time.perf_counter() - started)
        progress.advance(task)
    progress.stop_task(task)
    return Run(tuple(tokens), tuple(seconds))


def compare(
    model: Decoder,
    prompt: Sequence[int],
    new_tokens: int,
    runs: int,
    every: int = 1,
    console: Console | None = None,
) -> "Comparison":
    """Both walks in turn, so many runs of each, after a warm-up. Without a cache one token in `every` is computed and
    timed; those between are what the walk with a cache chose just before."""
    check(model, prompt, new_tokens, runs, every)
    cache_bytes = next(steps(model, [prompt], max_new_tokens=new_tokens)).cache.nbytes
    for walk in (with_cache, without_cache):
        for _ in islice(walk(model, prompt, new_tokens), WARM):
            pass
    cached: list[Run] = []
    uncached: list[Run] = []
    all_tokens, some_tokens = places(new_tokens), places(new_tokens, every)
    with Progress(*COLUMNS, console=console, refresh_per_second=2, disable=console is None) as progress:
        for number in range(1, runs + 1):
            label = f"run {number} of {runs}, with a cache"
            cached.append(timed(with_cache(model, prompt, new_tokens), len(all_tokens), progress, label))
            label = f"run {number} of {runs}, without"
            chosen_again = without_cache(model, prompt, new_tokens, every, cached[-1].tokens)
            uncached.append(timed(chosen_again, len(some_tokens), progress, label))
    return Comparison(
        prompt_tokens=len(prompt),
        cache_bytes=cache_bytes,
        cached=Growth(cached, all_tokens, degree=1),
        uncached=Growth(uncached, some_tokens, degree=2),
    )


def check(model: Decoder, prompt: Sequence[int], new_tokens: int, runs: int, every: int = 1) -> None:
    """MinikvError for a measurement that cannot be made. A blank model will do."""
    if new_tokens < 1 or runs < 1:
        raise MinikvError(f"{new_tokens} new tokens in {runs} runs; expected at least one of each")
    if every < 1:
        raise MinikvError(f"one token in {every} is to be timed; expected one in 1, which is each, or in more")
    if not prompt:
        raise MinikvError("an empty prompt; expected at least one token to continue")
    check_ids(model, [prompt], used=[0], more=new_tokens)


class Rate(ProgressColumn):
    """Tokens a second, lately."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or task.finished_speed or 0:.1f} tokens/s")


COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    Rate(table_column=Column(no_wrap=True)),
    TimeRemainingColumn(),
    TextColumn("left at this rate"),
)


# --- what came of it --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Growth:
    """The runs of one walk, and the curve through the seconds of the tokens that were timed."""

    runs: Sequence[Run]
    places: Sequence[int]  # the numbers of those tokens, the same in every run; the last token is one of them
    degree: int  # of the polynomial: 1 with a cache, 2 where attention computes every pair of tokens again

    @property
    def new_tokens(self) -> int:
        return self.places[-1]

    @property
    def interpolated(self) -> bool:
        """Whether there are tokens between those that were timed."""
        return len(self.places) < self.new_tokens

    @cached_property
    def per_token(self) -> list[float]:
        """Seconds of each timed token, the median over the runs."""
        return [statistics.median(times) for times in zip(*(run.seconds for run in self.runs), strict=True)]

    @cached_property
    def totals(self) -> Timing:
        """Seconds of all new tokens, for each run."""
        return Timing(tuple(float(self.of_all(run.seconds).sum()) for run in self.runs))

    def of_all(self, seconds: Sequence[float]) -> Numbers:
        """The seconds of every token from those of the timed ones: between two of these, the straight line.

        Along a + b n + c n^2 the line lies above the curve: with one in K of N tokens timed, by at most
        c N (K^2 - 1) / 6 seconds in all, (K / N)^2 / 2 of what the n^2 takes; a part in 20,000 for one in 10 of 1,000.
        """
        return np.interp(np.arange(1, self.new_tokens + 1), self.places, seconds)

    @cached_property
    def running(self) -> Numbers:
        """Seconds of the first n tokens, the sums of the medians."""
        return np.cumsum(self.of_all(self.per_token))

    @cached_property
    def later(self) -> tuple[Numbers, Numbers]:
        """The numbers and seconds of the timed tokens but the first, which has the prompt to itself; of the first, if
        it is the only one."""
        first = min(1, len(self.places) - 1)
        return np.array(self.places[first:], dtype=np.float64), np.array(self.per_token[first:])

    @cached_property
    def curve(self) -> Polynomial:
        """The polynomial through the medians."""
        return fit_polynomial(*self.later, self.degree)

    @property
    def miss(self) -> float:
        return miss(self.curve, *self.later)

    @property
    def exponent(self) -> float | None:
        """p where the total grows like n**p."""
        return exponent(self.running)

    @property
    def tokens_per_second(self) -> float:
        return self.new_tokens / self.totals.median

    def as_json(self) -> dict[str, Any]:
        return {
            "seconds": self.totals.seconds,
            "mean": self.totals.mean,
            "std": self.totals.std,
            "median": self.totals.median,
            "tokens_per_second": self.tokens_per_second,
            "interpolated": self.interpolated,
            "timed_tokens": len(self.places),
            "timed_seconds": [sum(run.seconds) for run in self.runs],
            "exponent": self.exponent,
            "fit": {
                "coefficients": self.curve.coefficients,
                "miss": self.miss,
                "r_squared": r_squared(self.curve, *self.later),
            },
            "places": list(self.places),
            "per_token": self.per_token,
        }


@dataclass(frozen=True)
class Comparison:
    """The two walks side by side."""

    prompt_tokens: int
    cache_bytes: int  # keys and values: what the saved time is paid with
    cached: Growth
    uncached: Growth

    @property
    def new_tokens(self) -> int:
        return self.cached.new_tokens

    @property
    def ratio(self) -> float:
        """How many times as long it takes without a cache: the ratio of the medians."""
        return self.uncached.totals.median / self.cached.totals.median

    @property
    def first_difference(self) -> int | None:
        """The first token, counted from 1, that some run chose otherwise than the first run with a cache; None where
        all agree."""
        expected = self.cached.runs[0].tokens
        differing = (
            place
            for growth in (self.cached, self.uncached)
            for run in growth.runs
            for place, token in zip(growth.places, run.tokens, strict=True)
            if token != expected[place - 1]
        )
        return min(differing, default=None)

    @cached_property
    def exponential(self) -> Exponential:
        """The best exponential through the tokens without a cache."""
        return fit_exponential(*self.uncached.later)

    @property
    def exponential_miss(self) -> float:
        return miss(self.exponential, *self.uncached.later)

    @cached_property
    def foretold(self) -> tuple[float, float] | None:
        """What the polynomial and the exponential, each fitted to the first half of the timed tokens without a cache,
        say about the seconds of the second half: as multiples of what these are. None for too few tokens to fit to.

        A curve of the wrong kind may lie close to the points that it was fitted to. It goes astray beyond them.
        """
        n, seconds = self.uncached.later
        half = len(n) // 2
        if half <= self.uncached.degree + 1:
            return None
        first = n[:half], seconds[:half]
        curves = fit_polynomial(*first, self.uncached.degree), fit_exponential(*first)
        polynomial, exponential = (float(curve.at(n[half:]).sum() / seconds[half:].sum()) for curve in curves)
        return polynomial, exponential

    def as_json(self) -> dict[str, Any]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "new_tokens": self.new_tokens,
            "runs": len(self.cached.runs),
            "cache_bytes": self.cache_bytes,
            "with_cache": self.cached.as_json(),
            "without_cache": {
                **self.uncached.as_json(),
                "exponential": {"a": self.exponential.a, "b": self.exponential.b, "miss": self.exponential_miss},
                "foretold": dict(zip(("polynomial", "exponential"), self.foretold or (None, None), strict=True)),
            },
            "ratio": self.ratio,
            "same_tokens": self.first_difference is None,
            "first_difference": self.first_difference,
            "distinct_tokens": len(set(self.cached.runs[0].tokens)),  # equal tokens say little where all are one
        }
