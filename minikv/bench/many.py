"""Pages a minute: documents that share batches, beside one document at a time and transformers' naive loop.

All answer the same prompts, greedily, and end by themselves, as an extraction does. A page is a document.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

from minikv.bench.contestants import naive_loop
from minikv.bench.job import ATTRIBUTES, Job, Size, harbour_book
from minikv.bench.machine import Timing
from minikv.errors import MinikvError
from minikv.filling.answer import Asked
from minikv.filling.corpus import Document
from minikv.filling.many import Extractor
from minikv.tokenizer import Tokenizer

WARM_UP = Document("", "Crate 1 left Lowport on day 3 aboard the Kestrel.")

Answers = list[list[str]]  # of each document, one for each key


@dataclass(frozen=True)
class Way:
    """One way to answer."""

    name: str
    answer: Callable[[Sequence[Document]], Answers]
    documents: int  # how many of them it is given


@dataclass(frozen=True)
class Speed:
    """How fast a way was."""

    name: str
    documents: int
    seconds: float  # median of the runs
    equal: int  # answers that are those of the first way that answered the same document
    answers: int

    @property
    def per_minute(self) -> float:
        return 60 * self.documents / self.seconds


def make_documents(tokenizer: Tokenizer, count: int, tokens: int, seed: int = 0) -> list[Document]:
    """Parts of the harbour's book, of half to one and a half times so many tokens, in no order."""
    if count < 1 or tokens < 2:
        raise MinikvError(f"{count} documents of {tokens} tokens; expected at least one, of at least two")
    lengths = [tokens // 2 + tokens * number // max(count - 1, 1) for number in range(count)]
    Random(seed).shuffle(lengths)
    book = harbour_book(8 * sum(lengths))
    ends = [end for _, end in tokenizer.plain.encode(book, add_special_tokens=False).offsets]
    documents, start = [], 0
    for number, length in enumerate(lengths):
        documents.append(Document(number, book[ends[start] : ends[start + length]]))
        start += length
    return documents


def keys_for(count: int) -> list[str]:
    """What to ask of each."""
    if not 1 <= count <= len(ATTRIBUTES):
        raise MinikvError(f"{count} keys; expected 1 to {len(ATTRIBUTES)}")
    return list(ATTRIBUTES[:count])


def of_transformers(model: Any, tokenizer: Tokenizer, keys: Sequence[str], new_tokens: int, documents: int) -> Way:
    """Each whole prompt by itself, up to its end."""
    model.generation_config.eos_token_id = list(tokenizer.stop_ids)

    def answer(documents: Sequence[Document]) -> Answers:
        asked = [Asked.of(tokenizer, document.text, keys) for document in documents]
        jobs = [Job(Size(0, 0), each.prefix, each.suffixes, new_tokens, tokenizer.pad_id) for each in asked]
        return [[tokenizer.decode(ids).strip() for ids in naive_loop(model, job)[0]] for job in jobs]

    return Way("transformers, naive loop", answer, documents)


def of_minikv(extractor: Extractor, documents: int) -> list[Way]:
    """One document at a time, its keys in a batch, and as many together as the memory allows."""

    def together(documents: Sequence[Document]) -> Answers:
        found = {result["id"]: result for batch in extractor.results(documents) for result in batch}
        failed = [result["error"] for result in found.values() if "error" in result]
        if failed:
            raise MinikvError(f"a document that was made to be measured fails: {failed[0]}")
        return [[value or "" for value in found[document.id]["values"].values()] for document in documents]

    def one_by_one(documents: Sequence[Document]) -> Answers:
        return [answers for document in documents for answers in together([document])]

    return [Way("minikv, one document at a time", one_by_one, documents), Way("minikv, many", together, documents)]


def compare(ways: Sequence[Way], documents: Sequence[Document], runs: int, console: Console) -> list[Speed]:
    """Every way in turn, `runs` times."""
    if runs < 1:
        raise MinikvError(f"{runs} runs; expected at least one")
    seconds: list[list[float]] = [[] for _ in ways]
    answers: list[Answers] = [[] for _ in ways]
    with console.status("") as status:
        for way in ways:  # reads the weights from the disk, and sets up what is set up once
            status.update(f"warm-up: {way.name}")
            way.answer([WARM_UP])
        for run in range(runs):
            for number, way in enumerate(ways):
                status.update(f"run {run + 1} of {runs}: {way.name}, {way.documents} documents")
                started = time.perf_counter()
                answers[number] = way.answer(documents[: way.documents])
                seconds[number].append(time.perf_counter() - started)
    truth = [*answers[0], *max(answers, key=len)[len(answers[0]) :]]
    return [
        Speed(way.name, way.documents, Timing(tuple(taken)).median, equal(found, truth), sum(map(len, found)))
        for way, taken, found in zip(ways, seconds, answers, strict=True)
    ]


def equal(found: Answers, truth: Answers) -> int:
    """How many answers are the same in both, as far as both go."""
    pairs = (zip(own, others, strict=True) for own, others in zip(found, truth, strict=False))
    return sum(ours == theirs for pair in pairs for ours, theirs in pair)


def table(speeds: Sequence[Speed]) -> Table:
    """Each way beside the first."""
    shown = Table(title="Documents answered in a minute", title_justify="left")
    shown.add_column("", no_wrap=True)
    for heading in ("documents", "seconds", "pages a minute", "times as fast", "answers equal"):
        shown.add_column(heading, justify="right")
    for speed in speeds:
        shown.add_row(
            speed.name,
            str(speed.documents),
            f"{speed.seconds:.2f}",
            f"{speed.per_minute:.1f}",
            f"{speed.per_minute / speeds[0].per_minute:.1f}",
            f"{speed.equal} of {speed.answers}",
        )
    return shown


def as_json(speeds: Sequence[Speed]) -> list[dict[str, Any]]:
    return [{**asdict(speed), "per_minute": speed.per_minute} for speed in speeds]
