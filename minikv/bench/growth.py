"""What a KV cache saves: the same tokens chosen with a cache and without, and how long each of them took.

Both walks are the same decoder, greedy and without an end. With a cache a step computes the one new token, and attends
to the keys and values kept of those before it. Without, it computes the whole sequence again to choose one token more:
the products with the weights then grow with the sequence, its attention with the square of it.
"""

import math
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
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

PROMPT = "Keys and values of the tokens so far stay as they are,"
RANDOM_PROMPT = 8  # tokens, where there is no tokenizer
WARM = 8  # tokens of each walk before the clock starts: weights are read from the disk, kernels chosen


# --- the two walks ----------------------------------------------------------------------------------------------------


def with_cache(model: Decoder, prompt: Sequence[int], new_tokens: int) -> Iterator[int]:
    """Each new token, from minikv's own loop."""
    for step in steps(model, [prompt], max_new_tokens=new_tokens):
        yield int(step.chosen[0])


@torch.no_grad()
def without_cache(model: Decoder, prompt: Sequence[int], new_tokens: int) -> Iterator[int]:
    """Each new token, from a pass over all tokens before it. Like the other, the head sees the last column only."""
    ids = list(prompt)
    for _ in range(new_tokens):
        last = model.hidden(torch.tensor([ids], device=model.device))[:, -1]
        ids.append(int(model.lm_head(last).float().argmax(dim=-1)))
        yield ids[-1]


@dataclass(frozen=True)
class Run:
    """One walk: what it chose, and how long each token took."""

    tokens: tuple[int, ...]
    seconds: tuple[float, ...]


def timed(walk: Iterator[int], minutes: float, progress: Progress, label: str, total: int) -> Run:
    """Follow a walk to its end, or until it has taken so many minutes. The progress bar is drawn off the clock."""
    tokens: list[int] = []
    seconds: list[float] = []
    task = progress.add_task(label, total=total)
    while len(tokens) < total and sum(seconds) < 60 * minutes:
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
    minutes: float = math.inf,
    console: Console | None = None,
) -> "Comparison":
    """Both walks in turn, so many runs of each, after a warm-up. `minutes` bounds each run without a cache; all such
    runs are cut to the tokens of the shortest."""
    check(model, prompt, new_tokens, runs, minutes)
    cache_bytes = next(steps(model, [prompt], max_new_tokens=new_tokens)).cache.nbytes
    for walk in (with_cache, without_cache):
        for _ in islice(walk(model, prompt, new_tokens), WARM):
            pass
    cached: list[Run] = []
    uncached: list[Run] = []
    reached = new_tokens
    with Progress(*COLUMNS, console=console, refresh_per_second=2, disable=console is None) as progress:
        for number in range(1, runs + 1):
            label = f"run {number} of {runs}, with a cache"
            cached.append(timed(with_cache(model, prompt, new_tokens), math.inf, progress, label, new_tokens))
            label = f"run {number} of {runs}, without"
            uncached.append(timed(without_cache(model, prompt, new_tokens), minutes, progress, label, reached))
            reached = len(uncached[-1].tokens)
    uncached = [Run(run.tokens[:reached], run.seconds[:reached]) for run in uncached]
    return Comparison(
        prompt_tokens=len(prompt),
        new_tokens=new_tokens,
        cache_bytes=cache_bytes,
        cached=Growth(cached, new_tokens, degree=1),
        uncached=Growth(uncached, new_tokens, degree=2),
    )


def check(model: Decoder, prompt: Sequence[int], new_tokens: int, runs: int, minutes: float) -> None:
    """MinikvError for a measurement that cannot be made. A blank model will do."""
    if new_tokens < 1 or runs < 1:
        raise MinikvError(f"{new_tokens} new tokens in {runs} runs; expected at least one of each")
    if not minutes > 0:
        raise MinikvError(f"minutes is {minutes}; expected a number above 0")
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
    """The runs of one walk, and the curve through the seconds of their tokens."""

    runs: Sequence[Run]  # all of one length
    new_tokens: int  # as many were asked for; where the runs are shorter, the rest is predicted
    degree: int  # of the polynomial: 1 with a cache, 2 where attention computes every pair of tokens again

    @property
    def measured(self) -> int:
        """Tokens that every run reached."""
        return len(self.runs[0].seconds)

    @property
    def predicted(self) -> bool:
        """Whether the totals hold more than was measured."""
        return self.measured < self.new_tokens

    @cached_property
    def per_token(self) -> list[float]:
        """Seconds of each measured token, the median over the runs."""
        return [statistics.median(times) for times in zip(*(run.seconds for run in self.runs), strict=True)]

    @cached_property
    def totals(self) -> Timing:
        """Seconds of all new tokens, for each run: the sum of what was measured, and of what the curve through this
        run's own tokens says about the rest."""
        rest = np.arange(self.measured + 1, self.new_tokens + 1, dtype=np.float64)
        return Timing(tuple(sum(run.seconds) + float(self.fitted(run.seconds).at(rest).sum()) for run in self.runs))

    @cached_property
    def curve(self) -> Polynomial:
        """The polynomial through the medians."""
        return self.fitted(self.per_token)

    def fitted(self, seconds: Sequence[float]) -> Polynomial:
        return fit_polynomial(*later_tokens(seconds), self.degree)

    @property
    def miss(self) -> float:
        return miss(self.curve, *later_tokens(self.per_token))

    @property
    def exponent(self) -> float | None:
        """p where the total, as far as it was measured, grows like n**p."""
        return exponent(list(accumulate(self.per_token)))

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
            "predicted": self.predicted,
            "measured_tokens": self.measured,
            "measured_seconds": [sum(run.seconds) for run in self.runs],
            "exponent": self.exponent,
            "fit": {
                "coefficients": self.curve.coefficients,
                "miss": self.miss,
                "r_squared": r_squared(self.curve, *later_tokens(self.per_token)),
            },
            "per_token": self.per_token,
        }


def later_tokens(seconds: Sequence[float]) -> tuple[Numbers, Numbers]:
    """The numbers and seconds of all tokens but the first, which has the prompt to itself; of the first, if it is the
    only one."""
    first = min(1, len(seconds) - 1)
    return np.arange(first + 1, len(seconds) + 1, dtype=np.float64), np.array(seconds[first:])


@dataclass(frozen=True)
class Comparison:
    """The two walks side by side."""

    prompt_tokens: int
    new_tokens: int
    cache_bytes: int  # keys and values: what the saved time is paid with
    cached: Growth
    uncached: Growth

    @property
    def ratio(self) -> float:
        """How many times as long it takes without a cache: the ratio of the medians."""
        return self.uncached.totals.median / self.cached.totals.median

    @property
    def first_difference(self) -> int | None:
        """The first token, counted from 1, that some run without a cache chose otherwise; None where all agree."""
        expected = self.cached.runs[0].tokens
        differing = (
            number
            for run in (*self.cached.runs, *self.uncached.runs)
            for number, (token, own) in enumerate(zip(expected, run.tokens, strict=False), start=1)
            if token != own
        )
        return min(differing, default=None)

    @cached_property
    def exponential(self) -> Exponential:
        """The best exponential through the tokens without a cache."""
        return fit_exponential(*later_tokens(self.uncached.per_token))

    @property
    def exponential_miss(self) -> float:
        return miss(self.exponential, *later_tokens(self.uncached.per_token))

    @cached_property
    def foretold(self) -> tuple[float, float] | None:
        """What the polynomial and the exponential, each fitted to the first half of the tokens without a cache, say
        about the seconds of the second half: as multiples of what these are. None for too few tokens to fit to.

        A curve of the wrong kind may lie close to the points that it was fitted to. It goes astray beyond them.
        """
        n, seconds = later_tokens(self.uncached.per_token)
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
