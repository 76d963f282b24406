"""Answers to many documents in one batch: each is the naive loop's, with the oracle's probability beside it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch

import minikv
from minikv import MinikvError, Tokenizer
from minikv.filling.answer import Answer, Asked, answer_all, cache_bytes
from minikv.generate import Step, prefill
from minikv.speed import draft
from tests.fixture import Oracle, ids

WEIGHTS = Path(__file__).parents[1] / "weights"
DOCUMENTS = (
    ("This is invoice RK-2041. The seller is Petrel Works.", ["Invoice number", "Seller"]),
    ("Meet Bodo.", ["Name", "What is it called", "Pet name"]),
    ("Dear customer,\nplease pay $184.50 by 15 May 2031. It was sent by Petrel Works.", ["Total amount"]),
)


@pytest.fixture(scope="module", params=["plain", "fast"])
def trained(request: pytest.FixtureRequest) -> tuple[minikv.Decoder, Tokenizer]:
    model, tokenizer = minikv.load(WEIGHTS, dtype=torch.float32)
    assert tokenizer is not None
    return (minikv.fast(model) if request.param == "fast" else model), tokenizer


def answers(
    model: minikv.Decoder, tokenizer: Tokenizer, asked: Sequence[tuple[str, list[str]]], max_new_tokens: int = 64
) -> list[list[Answer]]:
    jobs = [Asked.of(tokenizer, document, keys) for document, keys in asked]
    return answer_all(model, tokenizer, jobs, max_new_tokens)


def test_documents_share_a_batch_and_none_notices(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    found = answers(*trained, DOCUMENTS, max_new_tokens=12)
    for (document, keys), own in zip(DOCUMENTS, found, strict=True):
        expected = minikv.extract(*trained, document, keys, recipe="naive_loop", max_new_tokens=12)
        assert [answer.text for answer in own] == list(expected.values())
        for answer in own:
            assert trained[1].decode(answer.ids).strip() == answer.text
            assert answer.ended == (len(answer.ids) < 12)


def test_the_log_probability_is_the_mean_over_the_tokens_and_the_stop_id(model: minikv.Decoder, oracle: Oracle) -> None:
    """Worked out from the oracle's logits. The stop id is one that the second row chooses as its third token."""
    jobs = [Asked(ids(9), [ids(2, seed=2), ids(5, seed=3)]), Asked(ids(4, seed=4), [ids(3, seed=5)])]
    free = minikv.generate(model, [[*jobs[0].prefix, *jobs[0].suffixes[1]]], max_new_tokens=3)[0]
    tokenizer = Numbers((free[2],))
    (first, second), (third,) = answer_all(model, tokenizer, jobs, max_new_tokens=4)
    assert second.ended
    assert second.ids == free[:2]
    for answer, said in zip(
        (first, second, third), [job.prefix + own for job in jobs for own in job.suffixes], strict=True
    ):
        each, text = [], list(said)
        for token in [*answer.ids, *([free[2]] if answer.ended else [])]:
            each.append(float(oracle(text)[-1].log_softmax(dim=0)[token]))
            text.append(token)
        assert answer.log_prob == pytest.approx(sum(each) / len(each), abs=1e-4)
        assert answer.text == tokenizer.decode(answer.ids).strip()


class Numbers(Tokenizer):
    """The tokenizer's part in reading answers: ids to text, and where they end."""

    def __init__(self, ends: tuple[int, ...]):
        self.ends = ends

    @property
    def stop_ids(self) -> tuple[int, ...]:
        return self.ends

    def decode(self, tokens: Sequence[int]) -> str:
        return " ".join(map(str, tokens))


def test_no_tokens_have_no_probability(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    (((answer,),)) = answers(*trained, [("Meet Bodo.", ["Name"])], max_new_tokens=0)
    assert (answer.text, answer.ids, answer.log_prob, answer.ended) == ("", [], None, False)


def test_the_memory_is_what_the_caches_take(
    trained: tuple[minikv.Decoder, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, tokenizer = trained
    jobs = [Asked.of(tokenizer, document, keys) for document, keys in DOCUMENTS]
    caches = []
    steps = draft.drafted_steps

    def watched(*args: object) -> Iterator[Step]:
        for step in steps(*args):  # type: ignore[arg-type]
            caches.append(step.cache)
            yield step

    monkeypatch.setattr(draft, "drafted_steps", watched)
    answer_all(model, tokenizer, jobs, max_new_tokens=7)
    prefixes = [prefill(model, job.prefix) for job in jobs]
    # A shared prefix is counted once: the forked cache holds a view of it, all but its last token.
    views = sum(part.keys.nbytes + part.values.nbytes for part in getattr(caches[0], "prefixes", []))
    assert cache_bytes(model, jobs, 7) == caches[0].nbytes - views + sum(prefix.nbytes for prefix in prefixes)


def test_bad_questions_are_named(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    with pytest.raises(MinikvError, match="document is empty"):
        answers(*trained, [("Meet Bodo.", ["Name"]), (" ", ["Name"])])
    with pytest.raises(MinikvError, match="more than once"):
        answers(*trained, [("Meet Bodo.", ["Name", "Name"])])
