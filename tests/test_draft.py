"""Drafted tokens are those that a step each would have chosen, in fewer passes; wrong guesses leave no trace."""

from collections.abc import Iterable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import minikv
from minikv import RECIPES, KVCache, MinikvError, Step
from minikv.generate import collect
from minikv.speed import draft
from minikv.speed.draft import DRAFTED, Text
from tests.fixture import Oracle, ids

PREFIX = ids(23)
SUFFIXES = [ids(2, seed=2), ids(5, seed=3), ids(9, seed=4), [], ids(9, seed=6)]
TOKEN = st.integers(0, 96)


def check_read_logits(oracle: Oracle, walk: Iterable[Step], prefix: list[int], suffixes: list[list[int]]) -> None:
    """At every column that a row was read at, the logits are the oracle's for all that the row has said so far."""
    said = [[*prefix, *suffix] for suffix in suffixes]
    for step in walk:
        for logits, token, prompt in zip(step.logits, step.chosen.tolist(), step.prompts, strict=True):
            torch.testing.assert_close(logits, oracle(said[prompt])[-1], rtol=0, atol=1e-4)
            said[prompt].append(token)


def perfect(answers: list[list[int]]) -> object:
    """Drafts that foretell the true answers: as many tokens as may be drafted, all of them right."""

    def foretell(text: Text, length: int) -> list[int]:
        for suffix, answer in zip(SUFFIXES, answers, strict=True):
            start = [*PREFIX, *suffix]
            if text.tokens[: len(start)] == start and text.tokens == [*start, *answer][: len(text.tokens)]:
                at = len(text.tokens) - len(start)
                return answer[at : at + length]
        raise AssertionError("a row says what none should")

    return foretell


def test_a_text_foretells_what_followed_its_last_two_tokens() -> None:
    text = Text.of([1, 2, 3, 4, 1, 2])
    assert text.draft(2) == [3, 4]
    assert text.draft(9) == [3, 4, 1, 2]
    assert text.draft(0) == []
    text.extend([9, 1, 2])
    assert text.draft(2) == [9, 1]  # the last time counts
    assert Text.of([1, 2, 3]).draft(3) == Text.of([5]).draft(3) == Text.of([]).draft(3) == []
    other = text.copy()
    other.extend([7, 1, 2])
    assert (other.draft(1), text.draft(1)) == ([7], [9])


def test_rows_of_several_prefixes_in_one_batch(model: minikv.Decoder, oracle: Oracle) -> None:
    """Each row's drafts come from its own prefix."""
    prefixes = [[7, 8, 9] * 5, ids(11, seed=5), [3, 4] * 6]
    cached = [minikv.prefill(model, prefix) for prefix in prefixes]
    prompts, of = [[7, 8], ids(4, seed=9), [], [3, 4]], [0, 1, 1, 2]
    walk = list(draft.steps(model, prompts, [cached[each] for each in of], max_new_tokens=6))
    check_read_logits(oracle, walk, [], [[*prefixes[each], *prompt] for each, prompt in zip(of, prompts, strict=True)])
    assert walk[0].tokens[[0, 3], 2:].tolist() == [[9, 7, 8], [3, 4, 0]]  # what followed it last, and padding


def test_every_read_column_has_the_logits_of_a_step_of_its_own(model: minikv.Decoder, oracle: Oracle) -> None:
    walk = list(DRAFTED.steps(model, PREFIX, SUFFIXES, max_new_tokens=6))
    check_read_logits(oracle, walk, PREFIX, SUFFIXES)
    assert minikv.generate(model, SUFFIXES, minikv.prefill(model, PREFIX), max_new_tokens=6) == DRAFTED(
        model, PREFIX, SUFFIXES, max_new_tokens=6
    )


def test_perfect_drafts_take_a_fifth_of_the_passes(
    model: minikv.Decoder, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = RECIPES["per_row_offsets"](model, PREFIX, SUFFIXES, max_new_tokens=11)
    monkeypatch.setattr(Text, "draft", perfect(truth))
    passes = []
    hidden = type(model).hidden
    monkeypatch.setattr(type(model), "hidden", lambda *args: passes.append(1) or hidden(*args))
    walk = list(DRAFTED.steps(model, PREFIX, SUFFIXES, max_new_tokens=11))
    assert len(passes) == 1 + 3  # the prefix, then 5, 5 and 1 new tokens
    assert len(walk) == 11
    check_read_logits(oracle, walk, PREFIX, SUFFIXES)


def test_wrong_drafts_leave_no_trace(model: minikv.Decoder, oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guesses right for two tokens and wrong from there on: each pass leaves two wrong tokens beyond the end."""
    truth = RECIPES["per_row_offsets"](model, PREFIX, SUFFIXES, max_new_tokens=11)
    foretell = perfect(truth)

    def half_right(text: Text, length: int) -> list[int]:
        right = foretell(text, length)
        return [token if at < 2 else (token + 1) % 97 for at, token in enumerate(right)]

    monkeypatch.setattr(Text, "draft", half_right)
    walk = list(DRAFTED.steps(model, PREFIX, SUFFIXES, max_new_tokens=11))
    assert max(int(step.read.max()) for step in walk[5:]) == 2
    check_read_logits(oracle, walk, PREFIX, SUFFIXES)
    assert collect(walk, 5) == truth


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    prefix=st.lists(st.integers(0, 5), min_size=1, max_size=30),
    suffixes=st.lists(st.lists(st.integers(0, 5), max_size=8), min_size=1, max_size=5),
    stop_ids=st.lists(TOKEN, max_size=30),
    new=st.integers(1, 12),
)
def test_it_answers_as_the_naive_loop(
    model: minikv.Decoder, prefix: list[int], suffixes: list[list[int]], stop_ids: list[int], new: int
) -> None:
    truth = RECIPES["naive_loop"](model, prefix, suffixes, max_new_tokens=new, stop_ids=stop_ids)
    assert DRAFTED(model, prefix, suffixes, max_new_tokens=new, stop_ids=stop_ids) == truth


def test_a_stop_id_in_the_middle_of_a_right_draft_ends_the_row(
    model: minikv.Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = RECIPES["per_row_offsets"](model, PREFIX, SUFFIXES, max_new_tokens=11)
    stop = free[0][2]
    truth = RECIPES["per_row_offsets"](model, PREFIX, SUFFIXES, max_new_tokens=11, stop_ids=[stop])
    monkeypatch.setattr(Text, "draft", perfect(free))
    assert DRAFTED(model, PREFIX, SUFFIXES, max_new_tokens=11, stop_ids=[stop]) == truth
    assert truth[0] == free[0][: free[0].index(stop)]


def test_many_rows_are_not_drafted_for(model: minikv.Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "COLUMNS", 5)  # one for each row
    walk = list(DRAFTED.steps(model, [1, 2, 3, 1, 2, 3, 1, 2], SUFFIXES[:3] * 2, max_new_tokens=4))
    assert [step.prompts for step in walk] == [(0, 1, 2, 3, 4, 5)] * 4


def accept_every_draft(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(draft.Row, "right", lambda row, chosen, stops: chosen)


def advance_by_what_was_fed(patch: pytest.MonkeyPatch) -> None:
    place, advance, fed = KVCache.place, KVCache.advance, []

    def noted(cache: KVCache, counts: torch.Tensor) -> minikv.Placement:
        fed[:] = [counts]
        return place(cache, counts)

    patch.setattr(KVCache, "place", noted)
    patch.setattr(KVCache, "advance", lambda cache, counts: advance(cache, fed[0]))


@pytest.mark.parametrize("bug", [accept_every_draft, advance_by_what_was_fed])
def test_the_check_of_every_read_column_sees(
    model: minikv.Decoder, oracle: Oracle, monkeypatch: pytest.MonkeyPatch, bug: object
) -> None:
    monkeypatch.setattr(Text, "draft", lambda text, length: [3] * length)  # wrong as good as always
    check_read_logits(oracle, DRAFTED.steps(model, PREFIX, SUFFIXES, max_new_tokens=5), PREFIX, SUFFIXES)
    bug(monkeypatch)
    with pytest.raises((AssertionError, MinikvError)):
        check_read_logits(oracle, DRAFTED.steps(model, PREFIX, SUFFIXES, max_new_tokens=5), PREFIX, SUFFIXES)
