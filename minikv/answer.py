"""Many questions about many documents in one batch, and beside each answer what tells how far it can be trusted.

Each document is computed once, as the prefix of its questions; the rows of all documents then decode together. A decode
step reads every weight whether it serves six rows or sixty, so that is where the time of a single document goes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from minikv import draft
from minikv.decoder import Decoder
from minikv.extract import prompts
from minikv.generate import Step, prefill
from minikv.shared_prefix import Prefix
from minikv.tokenizer import Tokenizer, split_shared


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


def answers(
    model: Decoder, tokenizer: Tokenizer, asked: Sequence[tuple[str, Sequence[str]]], *, max_new_tokens: int = 64
) -> list[list[Answer]]:
    """The answers to each document's questions: `asked` are documents and their questions. Greedy.

    MinikvError as `extract` raises it. See `cache_bytes` for the memory that it takes.
    """
    jobs = [Asked.of(tokenizer, document, questions) for document, questions in asked]
    return answer_all(model, tokenizer, jobs, max_new_tokens)


def answer_all(
    model: Decoder, tokenizer: Tokenizer, jobs: Sequence[Asked], max_new_tokens: int = 64
) -> list[list[Answer]]:
    """The same, for questions that are ids already."""
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


def cache_bytes(model: Decoder, jobs: Sequence[Asked], max_new_tokens: int) -> int:
    """Bytes of keys and values that these questions take in one batch: each prefix once, and a row for each question,
    all as long as the longest. Forks that copy their prefix, as the plain form's do, hold it in each row besides."""
    config = model.config
    slot = 2 * config.layers * config.kv_heads * config.head_dim * model.dtype.itemsize
    rows = sum(len(job.suffixes) for job in jobs)
    slots = max(job.longest for job in jobs) + max_new_tokens - 1
    shared = min(len(job.prefix) for job in jobs) - 1 if issubclass(model.cache_class, Prefix) else 0
    return slot * (sum(len(job.prefix) for job in jobs) + rows * (slots - shared))
