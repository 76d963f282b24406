"""One document or a hundred thousand: their values, in batches as large as the memory given allows.

A decode step reads every weight, however few rows it serves, so documents share batches. All rows of a batch have room
for as many tokens as its longest, so those of like length share one: some are read ahead and sorted. A document whose
rows do not fit at once is answered some rows at a time, its prefix computed once all the same.

What is wrong with one document concerns no other: it gets a result that says what.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from typing import Any

from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.filling.answer import Answer, Asked, answer_all, answer_in_parts, cache_bytes, fits, together
from minikv.filling.corpus import Document, Found, Refused
from minikv.filling.results import Result
from minikv.filling.template import Template
from minikv.tokenizer import Tokenizer

READ_AHEAD = 64  # documents that are read, and sorted by length, before the first of them is answered
AT_MOST = 16  # characters of a token, on the average of a long text; more only in one of blanks and the like


@dataclass(frozen=True)
class Task:
    """A document, its questions as ids, and what is to be said of it beside its values."""

    document: Document
    job: Asked
    remarks: dict[str, Any]


@dataclass(frozen=True)
class Extractor:
    """What is asked of every document, and who answers.

    cache_budget   bytes of keys and values that a batch may take; see `answer.cache_bytes`
    truncate       answer from the beginning of a document that is too long for the context or the budget, rather than
                   refuse it; the result says of how many tokens how many were kept
    report         say of each value how it came about

    MinikvError where no document, however short, could be answered.
    """

    model: Decoder
    tokenizer: Tokenizer
    template: Template
    max_new_tokens: int = 64
    cache_budget: int = 1 << 29
    truncate: bool = False
    report: bool = False

    def __post_init__(self) -> None:
        shortest = self.asked(".")
        if (over := self.excess(shortest)) > 0:
            raise MinikvError(
                f"even a document of one letter {self.too_long(shortest, over)}; ask for less or give a larger cache"
            )

    def results(self, documents: Iterable[Found]) -> Iterator[list[Result]]:
        """A result for each document, a batch at a time, in the order in which they are done: {"id", "values"}, or
        {"id", "error"}. There may be any number of documents: READ_AHEAD of them are held."""
        waiting = iter(documents)
        # Each is prepared as it is read: of one that is too long no more is held than its result or its beginning.
        while prepared := [self.prepared(found) for found in islice(waiting, READ_AHEAD)]:
            if failed := [each for each in prepared if not isinstance(each, Task)]:
                yield failed
            tasks = sorted((each for each in prepared if isinstance(each, Task)), key=lambda task: task.job.longest)
            for batch in together(tasks, lambda batch: self.fits([task.job for task in batch])):
                yield self.answered(batch)

    # --- a document's questions ---------------------------------------------------------------------------------------

    def prepared(self, found: Found) -> Task | Result:
        """What is to be computed for a document, or why nothing can be."""
        if isinstance(found, Refused):
            return {"id": found.id, "error": found.error}
        try:
            text = self.beginning(found.text)
            job = self.asked(text)
            if len(text) < len(found.text) and self.excess(job) <= 0:
                text, job = found.text, self.asked(found.text)
            if (over := self.excess(job)) <= 0:
                return Task(found, job, {})
            if self.truncate:
                return self.cut(found, text, job)
            part = f", in its first {len(text)} of {len(found.text)} characters," if len(text) < len(found.text) else ""
            raise MinikvError(f"the document{part} {self.too_long(job, over)}; split it, or have it truncated")
        except MinikvError as error:
            return {"id": found.id, "error": str(error)}

    def beginning(self, text: str) -> str:
        """As much of a text as a context hardly ever holds. To encode it takes some hundred times its size, so where
        this is too long already, the rest is never encoded with the questions."""
        blank = len(text) - len(text.lstrip())  # no part of what is asked about
        return text[: blank + AT_MOST * self.model.config.context]

    def asked(self, text: str) -> Asked:
        return Asked.of(self.tokenizer, text, self.template.questions)

    def cut(self, document: Document, text: str, job: Asked) -> Task:
        """As much of the beginning of a document as is not too long. `text` is a beginning that is, and `job` asks
        about it; what comes after it is only counted, in pieces as long, at whose borders a token may be cut in two."""
        ends = [end for _, end in self.tokenizer.plain.encode(text, add_special_tokens=False).offsets]
        starts = range(len(text), len(document.text), len(text))
        rest = sum(len(self.tokenizer.encode(document.text[start : start + len(text)])) for start in starts)
        of = kept = len(ends)
        while (over := self.excess(job)) > 0:  # again where a word that is cut has a token more than it had
            kept -= over
            if kept < 1:
                raise MinikvError(f"even the first token of the document {self.too_long(job, over)}")
            text = text[: ends[kept - 1]]
            job = self.asked(text)
        return Task(Document(document.id, text), job, {"truncated": {"kept": kept, "of": of + rest}})

    # --- the memory ---------------------------------------------------------------------------------------------------

    def fits(self, jobs: Sequence[Asked]) -> bool:
        """Whether one batch can answer all these."""
        return fits(self.model, jobs, self.max_new_tokens, self.cache_budget)

    def excess(self, job: Asked) -> int:
        """Tokens of the document that are too many for the longest question by itself; 0 or less where it fits."""
        longest = max(job.suffixes, key=len)
        taken, with_one_more = (
            cache_bytes(self.model, [Asked(prefix, [longest])], self.max_new_tokens)
            for prefix in (job.prefix, [*job.prefix, 0])
        )
        for_context = job.longest + max(self.max_new_tokens - 1, 0) - self.model.config.context
        return max(for_context, ceil((taken - self.cache_budget) / (with_one_more - taken)))

    def too_long(self, job: Asked, over: int) -> str:
        return (
            f"takes {job.longest} tokens with its longest question, and {self.max_new_tokens} new ones: {over} more "
            f"than the model's context of {self.model.config.context} or a cache of {self.cache_budget} bytes holds"
        )

    # --- the answers --------------------------------------------------------------------------------------------------

    def answered(self, batch: Sequence[Task]) -> list[Result]:
        """The results of some documents. Where they cannot be computed together, each is tried by itself."""
        try:
            found = self.answers([task.job for task in batch])
        except RuntimeError as error:  # torch's: above all, no memory is left
            if len(batch) > 1:
                return [result for task in batch for result in self.answered([task])]
            return [{"id": batch[0].document.id, "error": f"it cannot be computed: {error}"}]
        return [self.result(task, own) for task, own in zip(batch, found, strict=True)]

    def answers(self, jobs: Sequence[Asked]) -> list[list[Answer]]:
        if self.fits(jobs):
            return answer_all(self.model, self.tokenizer, jobs, self.max_new_tokens)
        limits = self.max_new_tokens, self.cache_budget
        return [answer_in_parts(self.model, self.tokenizer, job, *limits) for job in jobs]

    def result(self, task: Task, answers: Sequence[Answer]) -> Result:
        filled = self.template.filled(answers, task.document.text)
        values = filled.as_json() if self.report else {"values": filled.values}
        return {"id": task.document.id, **values, **task.remarks}
