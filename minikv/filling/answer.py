"""Many questions about many documents in one batch, and beside each answer what tells how far it can be trusted.

Each document is computed once, as the prefix of its questions; the rows of all documents then decode together. A decode
step reads every weight whether it serves six rows or sixty, so that is where the time of a single document goes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from minikv.decoder import Decoder
from minikv.extract import prompts
from minikv.generate import Step, prefill
from minikv.speed import draft
from minikv.speed.shared_prefix import Prefix
from minikv.tokenizer import Tokenizer, split_shared

ROWS = 64  # of a batch: with twice as many Qwen2 0.5B is 3% faster, and one long answer keeps twice as many waiting

Item = TypeVar("Item")


@dataclass(frozen=True)
class Asked:
    """One document's questions as ids: what all of them begin with, and how each goes on."""

    prefix: list[int]
    suffixes: list[list[int]]

    @classmethod
    def of(cls, tokenizer: Tokenizer, document: str, questions: Sequence[str]) -> "Asked":
        """MinikvError for an empty document, or an empty or repeated question."""
        return cls(*split_shared(prompts(tokenizer, document, questions)))

    @property
    def longest(self) -> int:
        """Tokens of the longest prompt."""
        return len(self.prefix) + max(map(len, self.suffixes))


@dataclass(frozen=True)
class Answer:
    """What the model answered, and how."""

    text: str
    ids: list[int]  # without the stop id
    log_prob: float | None  # mean natural logarithm of its tokens' probabilities, the stop id's among them
    ended: bool  # by itself, at a stop id; else it was cut at the limit


def answer_all(
    model: Decoder, tokenizer: Tokenizer, jobs: Sequence[Asked], max_new_tokens: int = 64
) -> list[list[Answer]]:
    """The answers to the questions of all these documents, in one batch; greedy. See `cache_bytes` for the memory that
    it takes."""
    prefixes = [prefill(model, job.prefix) for job in jobs]
    walk = draft.steps(
        model,
        [suffix for job in jobs for suffix in job.suffixes],
        [prefix for prefix, job in zip(prefixes, jobs, strict=True) for _ in job.suffixes],
        max_new_tokens,
        tokenizer.stop_ids,
    )
    found = iter(read(walk, sum(len(job.suffixes) for job in jobs), tokenizer))
    return [[next(found) for _ in job.suffixes] for job in jobs]


def answer_in_parts(model: Decoder, tokenizer: Tokenizer, job: Asked, max_new_tokens: int, budget: int) -> list[Answer]:
    """The answers to one document's questions, as many at a time as fit, but one at least; the prefix is computed
    once."""
    prefix, found = prefill(model, job.prefix), []
    for part in together(job.suffixes, lambda part: fits(model, [Asked(job.prefix, part)], max_new_tokens, budget)):
        walk = draft.steps(model, part, prefix, max_new_tokens, tokenizer.stop_ids)
        found += read(walk, len(part), tokenizer)
    return found


def read(walk: Iterable[Step], count: int, tokenizer: Tokenizer) -> list[Answer]:
    """The answers of `count` prompts from the steps that chose them."""
    ids: list[list[int]] = [[] for _ in range(count)]
    log_probs: list[list[float]] = [[] for _ in range(count)]
    ended = [False] * count
    for step in walk:
        logits = step.logits.float()
        log_prob = logits.gather(1, step.chosen[:, None])[:, 0] - logits.logsumexp(dim=1)
        rows = zip(step.prompts, step.chosen.tolist(), log_prob.tolist(), step.finished.tolist(), strict=True)
        for prompt, token, likely, finished in rows:
            if ended[prompt]:
                continue
            log_probs[prompt].append(likely)
            if finished:
                ended[prompt] = True
            else:
                ids[prompt].append(token)
    return [
        Answer(tokenizer.decode(own).strip(), own, sum(likely) / len(likely) if likely else None, end)
        for own, likely, end in zip(ids, log_probs, ended, strict=True)
    ]


def fits(model: Decoder, jobs: Sequence[Asked], max_new_tokens: int, budget: int) -> bool:
    """Whether one batch can answer all these: within ROWS, and so many bytes of keys and values."""
    return sum(len(job.suffixes) for job in jobs) <= ROWS and cache_bytes(model, jobs, max_new_tokens) <= budget


def together(items: Iterable[Item], fit: Callable[[list[Item]], bool]) -> Iterator[list[Item]]:
    """Neighbours in groups that fit, each as large as can be. What does not fit by itself is a group by itself."""
    group: list[Item] = []
    for item in items:
        if group and not fit([*group, item]):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def cache_bytes(model: Decoder, jobs: Sequence[Asked], max_new_tokens: int) -> int:
    """Bytes of keys and values that these questions take in one batch: each prefix once, and a row for each question,
    all as long as the longest. Forks that copy their prefix, as the plain form's do, hold it in each row besides; and
    the fast form holds that of a batch on one short document twice (`shared_prefix.COPIED`), which is not counted."""
    config = model.config
    slot = 2 * config.layers * config.kv_heads * config.head_dim * model.dtype.itemsize
    rows = sum(len(job.suffixes) for job in jobs)
    slots = max(job.longest for job in jobs) + max_new_tokens - 1
    shared = min(len(job.prefix) for job in jobs) - 1 if issubclass(model.cache_class, Prefix) else 0
    return slot * (sum(len(job.prefix) for job in jobs) + rows * (slots - shared))
