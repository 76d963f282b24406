"""Ragged rows against the one-row oracle without a cache, on every row at every step; and how rows end."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import minikv
from minikv import KVCache, MinikvError
from tests.fixture import Oracle, check_steps, contents, ids, unchanged

TOKEN = st.integers(0, 96)
SEARCH = settings(max_examples=40, deadline=None)


@st.composite
def ragged(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """A prefix (also none) and prompts that continue it (also empty, where there is a prefix)."""
    prefix = draw(st.lists(TOKEN, max_size=12))
    prompt = st.lists(TOKEN, min_size=0 if prefix else 1, max_size=9)
    return prefix, draw(st.lists(prompt, min_size=1, max_size=5))


@SEARCH
@given(case=ragged())
def test_every_row_is_right_at_every_step(
    model: minikv.Decoder, oracle: Oracle, case: tuple[list[int], list[list[int]]]
) -> None:
    prefix, prompts = case
    cached = minikv.prefill(model, prefix)
    before = contents(cached)
    walk = list(minikv.steps(model, prompts, cached, max_new_tokens=4))
    assert len(walk) == 4
    check_steps(oracle, walk, prefix, prompts)
    assert unchanged(cached, before)


@SEARCH
@given(cases=st.lists(ragged(), min_size=2, max_size=3), back=st.booleans())
def test_rows_of_several_prefixes_in_one_batch(
    model: minikv.Decoder, oracle: Oracle, cases: list[tuple[list[int], list[list[int]]]], back: bool
) -> None:
    if back:  # and to the first prefix once more
        cases = [*cases, cases[0]]
    cached = [minikv.prefill(model, prefix) for prefix, _ in cases]
    before = [contents(prefix) for prefix in cached]
    prompts = [prompt for _, own in cases for prompt in own]
    each = [prefix for prefix, (_, own) in zip(cached, cases, strict=True) for _ in own]
    walk = list(minikv.steps(model, prompts, each, max_new_tokens=3))
    assert len(walk) == 3
    check_steps(oracle, walk, [], [[*prefix, *prompt] for prefix, own in cases for prompt in own])
    assert all(unchanged(prefix, then) for prefix, then in zip(cached, before, strict=True))


def test_a_prefix_for_each_prompt_or_one_for_all(model: minikv.Decoder) -> None:
    prefix = minikv.prefill(model, ids(5))
    with pytest.raises(MinikvError, match="2 prefixes for 3 prompts"):
        minikv.steps(model, [[1], [2], [3]], [prefix, prefix])
    assert minikv.generate(model, [], []) == []


@SEARCH
@given(data=st.data())
def test_any_split_into_ragged_chunks_is_right(model: minikv.Decoder, oracle: Oracle, data: st.DataObject) -> None:
    """Rows fed in several chunks, each row so many tokens of its own in each (also none)."""
    rows = data.draw(st.integers(1, 4))
    chunks = data.draw(st.lists(st.lists(st.integers(0, 5), min_size=rows, max_size=rows), min_size=1, max_size=4))
    total = [sum(chunk[row] for chunk in chunks) for row in range(rows)]
    texts = [data.draw(st.lists(TOKEN, min_size=size, max_size=size)) for size in total]
    cache = KVCache.empty(model, rows=rows, slots=max(total))
    for counts in chunks:
        starts = cache.lengths.tolist()
        parts = [text[start : start + count] for text, start, count in zip(texts, starts, counts, strict=True)]
        padded = torch.tensor([part + [0] * (max(counts) - len(part)) for part in parts], dtype=torch.int64)
        logits = model(padded.view(rows, max(counts)), cache, cache.place(counts))
        cache.advance(counts)
        for row, (start, count) in enumerate(zip(starts, counts, strict=True)):
            if count:
                expected = oracle(texts[row])[start : start + count]
                torch.testing.assert_close(logits[row, :count], expected, rtol=0, atol=1e-4)
    assert cache.lengths.tolist() == total


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_a_batch_that_continues_a_prefix(model: minikv.Decoder, oracle: Oracle, order: list[int]) -> None:
    """Prefix 20, suffixes 2, 5 and 9, in any order."""
    prefix = ids(20)
    suffixes = [[ids(2, seed=2), ids(5, seed=3), ids(9, seed=4)][i] for i in order]
    walk = list(minikv.steps(model, suffixes, minikv.prefill(model, prefix), max_new_tokens=6))
    check_steps(oracle, walk, prefix, suffixes)


def test_logits_are_read_at_the_last_real_token_not_at_minus_one(model: minikv.Decoder, oracle: Oracle) -> None:
    short, long = ids(3), ids(9, seed=2)
    step = next(minikv.steps(model, [short, long], max_new_tokens=1))
    assert step.read.tolist() == [2, 8]
    everywhere = model(step.tokens)
    torch.testing.assert_close(everywhere[0, 2], oracle(short)[-1], rtol=0, atol=1e-4)
    assert (everywhere[0, -1] - oracle(short)[-1]).abs().max() > 1


def test_a_cache_hit_equals_a_miss(model: minikv.Decoder, oracle: Oracle) -> None:
    prefix, suffix = ids(30), ids(4, seed=2)
    hit = next(minikv.steps(model, [suffix], minikv.prefill(model, prefix), max_new_tokens=1))
    miss = next(minikv.steps(model, [prefix + suffix], max_new_tokens=1))
    for step in (hit, miss):
        torch.testing.assert_close(step.logits[0], oracle(prefix + suffix)[-1], rtol=0, atol=1e-4)


def test_a_prefix_is_as_new_after_each_use(model: minikv.Decoder) -> None:
    prefix = minikv.prefill(model, ids(20))
    before = contents(prefix)
    prompts = [ids(2, seed=2), [], ids(7, seed=3)]
    first = minikv.generate(model, prompts, prefix, max_new_tokens=8)
    assert unchanged(prefix, before)
    assert minikv.generate(model, prompts, prefix, max_new_tokens=8) == first
    assert minikv.generate(model, prompts[::-1], prefix, max_new_tokens=8) == first[::-1]


# --- how rows end -----------------------------------------------------------------------------------------------------


def stops_for(answers: list[list[int]], ends: dict[int, int]) -> tuple[int, ...]:
    """Stop ids that end row r at its ends[r]-th token and no other row earlier."""
    stops = tuple({answers[row][at] for row, at in ends.items()})
    for row, answer in enumerate(answers):
        first = next((at for at, token in enumerate(answer) if token in stops), None)
        assert first == ends.get(row), "these prompts do not end where the test wants them to"
    return stops


def prompts_that_end_apart(model: minikv.Decoder) -> tuple[list[list[int]], list[list[int]], tuple[int, ...]]:
    """Three prompts of which the first ends at step 2, the second at step 5 and the third not at all."""
    for seed in range(200):
        prompts = [ids(3, seed=seed), ids(6, seed=seed + 1000), ids(4, seed=seed + 2000)]
        answers = minikv.generate(model, prompts, max_new_tokens=9)
        try:
            return prompts, answers, stops_for(answers, {0: 2, 1: 5})
        except AssertionError:
            continue
    raise AssertionError("no such prompts in 200 draws")


def test_rows_end_by_themselves(model: minikv.Decoder) -> None:
    prompts, unstopped, stops = prompts_that_end_apart(model)
    walk = list(minikv.steps(model, prompts, max_new_tokens=9, stop_ids=stops))
    assert minikv.generate(model, prompts, max_new_tokens=9, stop_ids=stops) == [
        unstopped[0][:2],
        unstopped[1][:5],
        unstopped[2],
    ]
    lengths = [step.lengths.tolist() for step in walk]
    assert [row[0] for row in lengths] == [0, 3, 4, 5, 5, 5, 5, 5, 5]  # prompt of 3, then 2 tokens, then no more
    assert [row[1] for row in lengths] == [0, 6, 7, 8, 9, 10, 11, 11, 11]
    assert [row[2] for row in lengths] == [0, 4, 5, 6, 7, 8, 9, 10, 11]
    assert [step.finished.tolist() for step in walk][5] == [True, True, False]


def test_the_batch_stops_when_all_rows_have_ended(model: minikv.Decoder) -> None:
    prompts, _, stops = prompts_that_end_apart(model)
    walk = list(minikv.steps(model, prompts[:2], max_new_tokens=9, stop_ids=stops))
    assert len(walk) == 6
    assert walk[-1].finished.all()


def test_neighbours_do_not_notice_a_finished_row(model: minikv.Decoder, oracle: Oracle) -> None:
    prompts, _, stops = prompts_that_end_apart(model)
    walk = list(minikv.steps(model, prompts, max_new_tokens=9, stop_ids=stops))
    said = list(prompts[2])
    for step in walk:
        torch.testing.assert_close(step.logits[2], oracle(said)[-1], rtol=0, atol=1e-4)
        said.append(int(step.chosen[2]))


def test_nothing_to_do_gives_nothing(model: minikv.Decoder) -> None:
    prefix = minikv.prefill(model, ids(4))
    assert minikv.generate(model, [ids(3), ids(2)], max_new_tokens=0) == [[], []]
    assert minikv.generate(model, [], max_new_tokens=5) == []
    assert minikv.generate(model, [], prefix, max_new_tokens=5) == []
    assert minikv.prefill(model, []).lengths.tolist() == [0]


@pytest.mark.parametrize(
    ("prompts", "limits", "words"),
    [
        ([[]], {}, "empty prompt without a prefix"),
        ([[1], []], {}, "empty prompt without a prefix"),
        ([[1, 97]], {}, "id 97; expected ids from 0 to 96"),
        ([[1], [-1]], {}, "prompt 1 has the id -1"),
        ([[1]], {"max_new_tokens": -1}, "max_new_tokens is -1"),
        ([[1] * 1000], {"max_new_tokens": 26}, "needs 1025 positions .* context is 1024"),
    ],
)
def test_bad_input_is_refused_before_anything_is_computed(
    model: minikv.Decoder, prompts: list[list[int]], limits: dict[str, int], words: str
) -> None:
    with pytest.raises(MinikvError, match=words):
        minikv.steps(model, prompts, **limits)


@pytest.mark.parametrize("prompts", [[[1.7]], [1, 2], ["12"], None])
def test_prompts_are_lists_of_whole_numbers(model: minikv.Decoder, prompts: object) -> None:
    # The shape checks that the tests switch on may speak before minikv itself does.
    with pytest.raises(Exception, match=r"lists of token ids|[Tt]ype-check"):
        minikv.generate(model, prompts, max_new_tokens=1)


def test_the_context_is_used_to_its_last_position(model: minikv.Decoder) -> None:
    """The last new token is never fed: 1000 and 25 new ones are 1024 positions."""
    next(minikv.steps(model, [[1] * 1000], max_new_tokens=25))


def test_a_prefix_has_one_row(model: minikv.Decoder) -> None:
    for rows in (0, 2):
        with pytest.raises(MinikvError, match=f"prefix has {rows} rows"):
            minikv.steps(model, [[1]], KVCache.empty(model, rows=rows, slots=4))


def test_a_cache_of_another_model_is_refused_before_anything_is_written(
    model: minikv.Decoder, checkpoint: Path
) -> None:
    other, _ = minikv.load(checkpoint, dtype=torch.bfloat16)
    with pytest.raises(MinikvError, match=r"torch.bfloat16 on cpu; this model .* torch.float32"):
        minikv.generate(model, [[1]], minikv.prefill(other, [1, 2]))


def test_prefill_refuses_chunks_of_nothing(model: minikv.Decoder) -> None:
    for chunk in (0, -1):
        with pytest.raises(MinikvError, match=f"chunk is {chunk}"):
            minikv.prefill(model, ids(3), chunk=chunk)


def test_prompts_may_come_from_anything_that_gives_ids(model: minikv.Decoder) -> None:
    expected = minikv.generate(model, [[1, 2], [3, 4]], max_new_tokens=3)
    assert minikv.generate(model, (iter(row) for row in ([1, 2], [3, 4])), max_new_tokens=3) == expected


def test_an_empty_prefix_is_no_prefix(model: minikv.Decoder) -> None:
    with pytest.raises(MinikvError, match="empty prompt without a prefix"):
        minikv.steps(model, [[]], minikv.prefill(model, []))


def test_only_the_read_columns_reach_the_head(model: minikv.Decoder) -> None:
    """The output head is a third of a small model: it must not be computed for every token of a prompt."""
    shapes: list[tuple[int, ...]] = []
    hook = model.lm_head.register_forward_hook(lambda module, inputs, out: shapes.append(tuple(inputs[0].shape)))
    minikv.generate(model, [ids(9), ids(4)], minikv.prefill(model, ids(20)), max_new_tokens=3)
    hook.remove()
    assert shapes == [(2, 64)] * 3


def test_greedy_answers_in_bf16_keep_their_margin(checkpoint: Path, oracle: Oracle) -> None:
    """16 bits round differently in a batch: a row leaves fp32's answer only where fp32 itself hardly preferred it."""
    model, _ = minikv.load(checkpoint, dtype=torch.bfloat16)
    prefix, prompts = ids(20), [ids(2, seed=2), ids(5, seed=3), ids(9, seed=4)]
    said = [[*prefix, *prompt] for prompt in prompts]
    for step in minikv.steps(model, prompts, minikv.prefill(model, prefix), max_new_tokens=6):
        for row, text in enumerate(said):
            exact = oracle(text)[-1]
            assert exact.max() - exact[step.chosen[row]] < 0.2 * exact.std()
            text.append(int(step.chosen[row]))
