"""The extraction job, minikv's right recipes beside transformers': same weights, dtype, threads and prompts, in turn.

Each run lets every contestant do the whole job once, A B C A B C …, so that a machine that grows slower does so for
all of them. What a decode step is measured by, reading its weights and multiplying them, is measured anew before each.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from minikv.bench.contestants import Contestant, Outcome, measure
from minikv.bench.floor import Floor
from minikv.bench.job import Job, Size
from minikv.bench.machine import Timing
from minikv.errors import MinikvError

ESTIMATED_FROM = 2  # rows of a naive loop that are measured where the others are only estimated


@dataclass(frozen=True)
class Result:
    """All runs of one contestant on one job."""

    name: str
    outcomes: tuple[Outcome, ...]
    rows: int  # that the job has

    @property
    def library(self) -> str:
        return self.name.partition(".")[0]

    @property
    def answers(self) -> list[list[int]]:
        """The new ids of each row measured, in the first run."""
        return self.outcomes[0].answers

    @property
    def estimated(self) -> bool:
        return len(self.answers) < self.rows

    def seconds(self, phase: str) -> Timing:
        """Of "prefill", "suffix", "decode" or "total"; where only some rows were measured, as many times more as the
        job has rows."""
        scale = self.rows / len(self.answers)
        return Timing(tuple(scale * float(getattr(outcome, phase)) for outcome in self.outcomes))

    @property
    def step(self) -> float | None:
        """Median seconds of one decode step; None where there was none."""
        steps = [step for outcome in self.outcomes for step in outcome.steps]
        return statistics.median(steps) if steps else None

    @property
    def cache_bytes(self) -> int:
        return max(outcome.cache_bytes for outcome in self.outcomes)

    @property
    def peak_bytes(self) -> int | None:
        told = [outcome.peak_bytes for outcome in self.outcomes if outcome.peak_bytes is not None]
        return max(told, default=None)


@dataclass(frozen=True)
class Parting:
    """Where a row first chose another token than the same row of the contestant that all are compared with."""

    name: str
    row: int
    token: int


@dataclass(frozen=True)
class Contest:
    """All contestants on one job."""

    job: Job
    results: tuple[Result, ...]
    read: Timing  # seconds to read a step's weights once, before each turn
    products: Timing  # seconds to multiply them with a token of each row, before each turn

    @property
    def size(self) -> Size:
        return self.job.size

    @cached_property
    def truth(self) -> Result:
        """Whose answers the others' are compared with: the first that answered every row, a naive loop unless it was
        left out or estimated."""
        return next((result for result in self.results if not result.estimated), self.results[0])

    @cached_property
    def partings(self) -> list[Parting]:
        """Every row that differs, at its first token that does. All are right, so in fp32 there should be none; in 16
        bits rounding depends on the shape of the batch, and near ties fall either way."""
        return [
            Parting(
                result.name, row, next(token for token, pair in enumerate(zip(*both, strict=True)) if len({*pair}) > 1)
            )
            for result in self.results
            for row, both in enumerate(zip(result.answers, self.truth.answers, strict=False))  # some have fewer rows
            if both[0] != both[1]
        ]

    def equal_rows(self, result: Result) -> tuple[int, int]:
        """How many rows are as the truth's, and of how many."""
        compared = min(len(result.answers), len(self.truth.answers))
        return compared - sum(parting.name == result.name for parting in self.partings), compared

    def fastest(self, library: str) -> Result | None:
        """A library's contestant with the lowest median of the whole job, among those that did all of it."""
        whole = [result for result in self.results if result.library == library and not result.estimated]
        return min(whole, key=lambda result: result.seconds("total").median, default=None)

    def named(self, name: str) -> Result | None:
        return next((result for result in self.results if result.name == name), None)


def compare(
    contestants: Sequence[Contestant],
    jobs: Sequence[Job],
    floor: Floor,
    runs: int,
    estimate_naive: bool,
    console: Console,
) -> list[Contest]:
    """Every contestant on every job, `runs` times, and the floor before each contestant's turn; with `estimate_naive`
    the naive loops do the first rows only."""
    if runs < 1:
        raise MinikvError(f"{runs} runs; expected at least one")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    contests = []
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(contestants) + len(jobs) * runs * len(contestants))
        for contestant in contestants:  # reads the weights from the disk, and sets up what is set up once
            progress.update(task, description=f"warm-up: {contestant.name}")
            contestant.answer(jobs[0].tiny())
            progress.advance(task)
        for job in jobs:
            outcomes: dict[str, list[Outcome]] = {contestant.name: [] for contestant in contestants}
            read, products = [], []
            for run in range(runs):
                for contestant in contestants:
                    progress.update(task, description=f"{job.size}, run {run + 1} of {runs}: {contestant.name}")
                    part = estimate_naive and contestant.name.endswith(".naive_loop")
                    own = job.of_first(ESTIMATED_FROM) if part else job
                    read.append(floor.read())
                    products.append(floor.multiply(job.size.keys))
                    outcomes[contestant.name].append(measure(contestant, own))
                    progress.advance(task)
            results = (Result(name, tuple(found), len(job.suffixes)) for name, found in outcomes.items())
            contests.append(Contest(job, tuple(results), Timing(tuple(read)), Timing(tuple(products))))
    return contests


def without(contestants: Sequence[Contestant], skip: Sequence[str]) -> list[Contestant]:
    """The contestants but those named. MinikvError for a name that none has, and where none is left."""
    names = [contestant.name for contestant in contestants]
    unknown = [name for name in skip if name not in names]
    if unknown:
        raise MinikvError(f"no contestant {unknown[0]!r} to skip; expected one of {', '.join(names)}")
    left = [contestant for contestant in contestants if contestant.name not in skip]
    if not left:
        raise MinikvError("every contestant is skipped; leave at least one")
    return left


# --- targets ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """What minikv's fastest recipe is meant to reach, with Qwen2 0.5B on two cores."""

    size: Size
    against: str  # "fastest": transformers' fastest; "naive_loop": its naive loop; "read": reading the weights once
    dtype: str
    bound: float  # of times as fast, at least; against "read" of times as long, at most


TARGETS = (
    Target(Size(256, 6), "fastest", "bfloat16", 1.6),
    Target(Size(2048, 32), "fastest", "bfloat16", 1.6),
    Target(Size(256, 6), "naive_loop", "bfloat16", 8.0),
    Target(Size(2048, 32), "naive_loop", "bfloat16", 20.0),
    Target(Size(256, 6), "read", "bfloat16", 1.25),
    Target(Size(256, 6), "fastest", "float32", 2.5),
    Target(Size(256, 6), "read", "float32", 1.25),
)


@dataclass(frozen=True)
class Verdict:
    """A target beside what was measured."""

    target: Target
    measured: float
    estimated: bool  # the naive loop's whole time is

    @property
    def met(self) -> bool:
        if self.target.against == "read":
            return self.measured <= self.target.bound
        return self.measured >= self.target.bound


def verdicts(contests: Sequence[Contest], dtype: str) -> list[Verdict]:
    """The targets of a dtype, as far as their sizes and contestants were measured."""
    found = []
    for target in TARGETS:
        for contest in contests:
            ours = contest.fastest("minikv")
            if (target.size, target.dtype) != (contest.size, dtype) or ours is None:
                continue
            if target.against == "read":
                if ours.step is not None:
                    found.append(Verdict(target, ours.step / contest.read.median, estimated=False))
                continue
            naive = contest.named("transformers.naive_loop")
            theirs = contest.fastest("transformers") if target.against == "fastest" else naive
            if theirs is not None:
                ratio = theirs.seconds("total").median / ours.seconds("total").median
                found.append(Verdict(target, ratio, theirs.estimated))
    return found
