"""The next token from its logits. The oracle is transformers' own processors, in transformers' own order."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from transformers import RepetitionPenaltyLogitsProcessor, TopKLogitsWarper, TopPLogitsWarper

import minikv
from minikv import CheckpointError, KVCache, MinikvError, Sampling, load_sampling
from minikv.sampling import Sampler, argmax, keep_top_k, keep_top_p, penalise, tokens_seen

few = settings(deadline=None, max_examples=60)
Oracle = Callable[[list[int]], torch.Tensor]

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 40)


def random_logits(seed: int, rows: int, vocab: int) -> torch.Tensor:
    return 3 * torch.randn(rows, vocab, generator=torch.Generator().manual_seed(seed))


def cache_of(tokens: Sequence[Sequence[int]], lengths: Sequence[int]) -> KVCache:
    """A cache as sampling sees one: which token stands in each slot, and how far each row is filled."""
    nothing = torch.zeros(1, len(tokens), 1, len(tokens[0]), 1)
    return KVCache(nothing, nothing, torch.tensor(tokens), torch.tensor(lengths))


def choose(how: Sampling, logits: torch.Tensor, cache: KVCache | None = None) -> list[int]:
    """One token for each row of logits, by a fresh sampler."""
    cache = cache_of([[0]] * len(logits), [0] * len(logits)) if cache is None else cache
    return Sampler(how, logits.device).choose(logits, cache).tolist()


# --- each step by itself ----------------------------------------------------------------------------------------------


def test_the_penalty_divides_what_is_positive_and_multiplies_what_is_negative() -> None:
    seen = torch.tensor([[True, False, True]])
    given = penalise(torch.tensor([[2.2, 1.0, -1.0]]), seen, 1.1)
    torch.testing.assert_close(given, torch.tensor([[2.0, 1.0, -1.1]]))


@few
@given(seed=seeds, rows=st.integers(1, 3), vocab=sizes, penalty=st.floats(0.25, 4), data=st.data())
def test_the_penalty_is_that_of_transformers(
    seed: int, rows: int, vocab: int, penalty: float, data: st.DataObject
) -> None:
    logits = random_logits(seed, rows, vocab)
    row = st.lists(st.integers(0, vocab - 1), min_size=5, max_size=5)
    ids = torch.tensor(data.draw(st.lists(row, min_size=rows, max_size=rows)))
    seen = torch.zeros(rows, vocab, dtype=torch.bool).scatter(1, ids, True)
    expected = RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone())
    torch.testing.assert_close(penalise(logits, seen, penalty), expected)


@few
@given(seed=seeds, rows=st.integers(1, 3), vocab=sizes, k=st.integers(1, 45), ties=st.booleans())
def test_top_k_is_that_of_transformers(seed: int, rows: int, vocab: int, k: int, ties: bool) -> None:
    logits = random_logits(seed, rows, vocab)
    logits = logits.round() if ties else logits
    assert torch.equal(keep_top_k(logits, k), TopKLogitsWarper(k)(None, logits.clone()))


@few
@given(seed=seeds, rows=st.integers(1, 3), vocab=sizes, p=st.floats(0.01, 1))
def test_top_p_is_that_of_transformers(seed: int, rows: int, vocab: int, p: float) -> None:
    logits = random_logits(seed, rows, vocab)
    sums = logits.double().softmax(-1).sort(descending=True).values.cumsum(-1)
    assume(p == 1 or bool(((sums[:, :-1] - p).abs() > 1e-5).all()))  # nearer, rounding decides which side it is
    assert torch.equal(keep_top_p(logits, p), TopPLogitsWarper(p)(None, logits.clone()))


@pytest.mark.parametrize(
    ("p", "kept"),
    [
        (0.01, [0]),
        (0.49, [0]),
        (0.51, [0, 1]),
        (0.74, [0, 1]),
        (0.76, [0, 1, 2]),
        (0.99, [0, 1, 2, 3]),
        (1.0, [0, 1, 2, 3]),
    ],
)
def test_top_p_keeps_the_token_that_crosses_it(p: float, kept: list[int]) -> None:
    order = torch.tensor([2, 0, 3, 1])
    logits = torch.tensor([[0.5, 0.25, 0.15, 0.1]]).log()[:, order]
    left = keep_top_p(logits, p).isfinite()[0].nonzero()[:, 0]
    assert sorted(order[left].tolist()) == kept


@pytest.mark.parametrize("k", [0, 5, 6, 1000])
def test_top_k_of_none_or_of_all_keeps_all(k: int) -> None:
    logits = random_logits(0, 2, 5)
    assert torch.equal(keep_top_k(logits, k), logits)


# --- the whole choice -------------------------------------------------------------------------------------------------

DRAWS = 40_000
PIPELINES = {
    "temperature alone": {"temperature": 0.7},
    "high temperature": {"temperature": 3.0},
    "top-k": {"temperature": 1.0, "top_k": 3},
    "top-p": {"temperature": 1.0, "top_p": 0.8},
    "top-p after temperature": {"temperature": 2.0, "top_p": 0.8},
    "top-p of what top-k left": {"temperature": 1.5, "top_k": 6, "top_p": 0.75},
    "penalty before top-k": {"temperature": 1.0, "top_k": 4, "repetition_penalty": 2.5},
    "penalty before top-p": {"temperature": 1.0, "top_p": 0.6, "repetition_penalty": 2.5},
    "all, as Qwen has them": {"temperature": 0.7, "top_k": 20, "top_p": 0.8, "repetition_penalty": 1.1},
    "all, each to be felt": {"temperature": 1.6, "top_k": 6, "top_p": 0.85, "repetition_penalty": 1.9},
}
PIPELINE_LOGITS = torch.tensor([[3.0, 2.6, 2.2, 1.9, 1.5, 1.1, 0.6, 0.1, -0.4, -1.0, -1.5, -2.5]])
PIPELINE_SEEN = [0, 2, 9]


@pytest.mark.parametrize("how", PIPELINES.values(), ids=PIPELINES.keys())
def test_draws_have_the_probabilities_of_transformers(
    how: Mapping[str, Any], reference: transformers.Qwen2ForCausalLM
) -> None:
    """Of n independent draws, a token of probability q comes up n q times, give or take sqrt(n q (1 - q)). Five times
    that is allowed (by chance once in two million), and no draw at all of what is cut off."""
    config = transformers.GenerationConfig(do_sample=True, **{"top_k": 0, **how})
    oracle = reference._get_logits_processor(config, input_ids_seq_length=3, device="cpu")
    probabilities = oracle(torch.tensor([PIPELINE_SEEN]), PIPELINE_LOGITS.clone()).softmax(-1)[0].double()
    cache = cache_of([PIPELINE_SEEN] * DRAWS, [3] * DRAWS)
    drawn = torch.tensor(choose(Sampling(**how, seed=0), PIPELINE_LOGITS.expand(DRAWS, -1), cache))
    counts = drawn.bincount(minlength=PIPELINE_LOGITS.shape[1])
    allowed = 5 * (DRAWS * probabilities * (1 - probabilities)).sqrt()
    assert bool(((counts - DRAWS * probabilities).abs() <= allowed).all()), (counts / DRAWS, probabilities)
    assert torch.equal(counts > 0, probabilities > 0)


@few
@given(seed=seeds, rows=st.integers(1, 4), vocab=sizes)
def test_the_default_is_the_likeliest_token_and_takes_no_random_number(seed: int, rows: int, vocab: int) -> None:
    logits = random_logits(seed, rows, vocab)
    sampler = Sampler(Sampling(), torch.device("cpu"))
    own, shared = sampler.generator.get_state(), torch.get_rng_state()
    chosen = sampler.choose(logits, cache_of([[0]] * rows, [1] * rows))
    assert torch.equal(chosen, logits.argmax(-1))
    assert torch.equal(sampler.generator.get_state(), own)
    assert torch.equal(torch.get_rng_state(), shared)


@few
@given(seed=seeds, rows=st.integers(0, 4), vocab=st.sampled_from([1, 2, 50, 63, 64, 65, 192, 640, 1000]))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_likeliest_token_is_the_first_of_equals(dtype: torch.dtype, seed: int, rows: int, vocab: int) -> None:
    logits = random_logits(seed, rows, vocab).mul(2).round().to(dtype)  # so that there are equals, in several blocks
    expected = [row.index(max(row)) for row in logits.tolist()]
    assert argmax(logits).tolist() == expected


def test_a_draw_takes_no_random_number_from_anyone_else() -> None:
    shared = torch.get_rng_state()
    for seed in (None, 3):
        choose(Sampling(temperature=1.0, seed=seed), torch.zeros(4, 50))
    assert torch.equal(torch.get_rng_state(), shared)


@few
@given(seed=seeds, vocab=st.integers(2, 40), temperature=st.floats(0.1, 5))
def test_one_token_left_is_the_greedy_one(seed: int, vocab: int, temperature: float) -> None:
    logits = random_logits(seed, 3, vocab)
    assume(bool((logits.topk(2).values.diff() < -1e-4).all()))
    greedy = choose(Sampling(), logits)
    assert choose(Sampling(temperature=temperature, top_k=1), logits) == greedy
    assert choose(Sampling(temperature=temperature, top_p=1e-6), logits) == greedy


def test_draws_of_one_seed_repeat_and_others_differ() -> None:
    logits = torch.zeros(8, 1000)

    def walk(seed: int | None) -> list[list[int]]:
        sampler = Sampler(Sampling(temperature=1.0, seed=seed), torch.device("cpu"))
        cache = cache_of([[0]] * 8, [0] * 8)
        return [sampler.choose(logits, cache).tolist() for _ in range(3)]

    runs = [walk(seed) for seed in (0, 1, 2, None, None)]
    assert walk(0) == runs[0]
    assert walk(1) == runs[1]
    assert len({str(run) for run in runs}) == len(runs)
    assert all(len({str(step) for step in run}) == 3 for run in runs)  # a step does not draw what the last one drew
    assert all(len(set(step)) > 1 for run in runs for step in run)  # nor a row what its neighbour draws


def test_generation_of_one_seed_repeats_and_others_differ(model: minikv.Decoder) -> None:
    prompts = [[1, 2, 3], [4], [5, 6]]

    def generated(seed: int) -> list[list[int]]:
        how = Sampling(temperature=3.0, top_k=50, top_p=0.95, repetition_penalty=1.2, seed=seed)
        return minikv.generate(model, prompts, max_new_tokens=8, sampling=how)

    assert generated(0) == generated(0)
    assert len({str(generated(seed)) for seed in range(4)}) == 4


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_logits_in_16_bits_are_chosen_from_in_32(dtype: torch.dtype) -> None:
    logits = random_logits(0, 4, 30).to(dtype)
    cache = cache_of([[3, 4]] * 4, [2] * 4)
    how = Sampling(temperature=0.9, top_k=9, top_p=0.9, repetition_penalty=1.3, seed=1)
    assert choose(how, logits, cache) == choose(how, logits.float(), cache)


# --- what the penalty counts ------------------------------------------------------------------------------------------


def test_tokens_beyond_a_row_s_length_are_not_seen() -> None:
    cache = cache_of([[1, 1, 2, 0], [3, 4, 4, 5], [-1, -1, -1, -1], [6, 0, 0, 0]], [2, 4, 0, 1])
    seen = tokens_seen(cache, vocab=7)
    assert [row.nonzero()[:, 0].tolist() for row in seen] == [[1], [3, 4, 5], [], [6]]


def test_the_penalty_of_a_choice_counts_each_row_s_own_tokens() -> None:
    cache = cache_of([[0, 1], [0, 1], [1, 0]], [2, 1, 1])
    assert choose(Sampling(repetition_penalty=2.0), torch.tensor([[3.0, 2.5, 2.0]] * 3), cache) == [2, 1, 0]


PENALTY = 2.5
NEW = 8
PREFIX = [11, 42, 7, 42, 63, 18, 90, 5, 77, 30]
SUFFIXES = [[8, 15], [51, 2, 66, 24, 33, 71, 9], [40], [29, 29, 84, 12]]  # none holds 0, the padding


def by_one_row(oracle: Oracle, ids: list[int], counted_from: int = 0) -> list[int]:
    """Greedy with the penalty, one row, no cache, each step by transformers."""
    processor, start = RepetitionPenaltyLogitsProcessor(PENALTY), len(ids)
    for _ in range(NEW):
        scores = processor(torch.tensor([ids[counted_from:]]), oracle(ids)[-1:].clone())
        first, second = scores.topk(2).values[0].tolist()
        assert first - second > 1e-3, "too near a tie to tell a right choice"
        ids = [*ids, int(scores.argmax())]
    return ids[start:]


def penalised(
    model: minikv.Decoder, prompts: Sequence[Sequence[int]], prefix: KVCache | None = None
) -> list[list[int]]:
    how = Sampling(repetition_penalty=PENALTY)
    return minikv.generate(model, prompts, prefix, max_new_tokens=NEW, sampling=how)


def test_the_penalty_counts_prefix_prompt_and_new_tokens_of_each_row(model: minikv.Decoder, oracle: Oracle) -> None:
    expected = [by_one_row(oracle, PREFIX + suffix) for suffix in SUFFIXES]
    assert penalised(model, SUFFIXES, minikv.prefill(model, PREFIX)) == expected
    # Each other way of counting would have shown.
    only_suffix = [by_one_row(oracle, PREFIX + suffix, counted_from=len(PREFIX)) for suffix in SUFFIXES]
    only_new = minikv.generate(model, SUFFIXES, minikv.prefill(model, PREFIX), max_new_tokens=NEW)
    assert expected != only_suffix
    assert expected != only_new


def test_the_penalty_counts_ragged_prompts_without_a_prefix(model: minikv.Decoder, oracle: Oracle) -> None:
    assert penalised(model, SUFFIXES) == [by_one_row(oracle, suffix) for suffix in SUFFIXES]


def test_the_penalty_does_not_count_what_a_rewind_forgot(model: minikv.Decoder, oracle: Oracle) -> None:
    forgotten = sorted({token for suffix in SUFFIXES for token in by_one_row(oracle, PREFIX + suffix)})
    prefix = minikv.prefill(model, PREFIX + forgotten)
    prefix.rewind(len(PREFIX))
    expected = [by_one_row(oracle, PREFIX + suffix) for suffix in SUFFIXES]
    assert penalised(model, SUFFIXES, prefix) == expected


# --- settings ---------------------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -1.0),
        ("temperature", -1e-9),
        ("temperature", NAN),
        ("temperature", INF),
        ("top_k", -1),
        ("top_p", 0.0),
        ("top_p", -0.5),
        ("top_p", 1.5),
        ("top_p", NAN),
        ("repetition_penalty", 0.0),
        ("repetition_penalty", -1.0),
        ("repetition_penalty", NAN),
        ("repetition_penalty", INF),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(MinikvError, match=rf"\b{name} is {value}; expected"):
        Sampling(**{name: value})


def test_all_wrong_settings_are_named_at_once() -> None:
    with pytest.raises(MinikvError, match=r"temperature.*top_k.*top_p.*repetition_penalty"):
        Sampling(temperature=-1.0, top_k=-1, top_p=0.0, repetition_penalty=0.0)


# --- generation_config.json -------------------------------------------------------------------------------------------

QWEN = {
    "bos_token_id": 151643,
    "pad_token_id": 151643,
    "do_sample": True,
    "eos_token_id": [151645, 151643],
    "repetition_penalty": 1.1,
    "temperature": 0.7,
    "top_p": 0.8,
    "top_k": 20,
    "transformers_version": "4.37.0",
}


def write_config(folder: Path, raw: object) -> Path:
    (folder / "generation_config.json").write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("raw", "sampling", "stop_ids"),
    [
        (QWEN, Sampling(temperature=0.7, top_k=20, top_p=0.8, repetition_penalty=1.1), (151645, 151643)),
        (QWEN | {"eos_token_id": 151645}, Sampling(0.7, 20, 0.8, 1.1), (151645,)),
        (QWEN | {"do_sample": False}, Sampling(0.0, 20, 0.8, 1.1), (151645, 151643)),
        ({"temperature": 0.7, "eos_token_id": [3]}, Sampling(), (3,)),
        ({"do_sample": True}, Sampling(temperature=1.0), ()),
        ({"do_sample": True, "temperature": 1, "top_p": 1}, Sampling(temperature=1.0), ()),
        ({"eos_token_id": None, "temperature": None, "top_k": None, "top_p": None}, Sampling(), ()),
        ({}, Sampling(), ()),
    ],
    ids=["Qwen's own", "one end", "greedy", "greedy unsaid", "drawn", "whole numbers", "nulls", "nothing"],
)
def test_a_checkpoint_s_sampling_is_read_from_its_file(
    tmp_path: Path, raw: Mapping[str, Any], sampling: Sampling, stop_ids: tuple[int, ...]
) -> None:
    assert load_sampling(write_config(tmp_path, raw)) == (sampling, stop_ids)


def test_an_absent_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"generation_config\.json does not exist"):
        load_sampling(tmp_path)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("", ""),
        ("[]", "list"),
        ('{"top_k": ', ""),
        ({"do_sample": True, "temperature": -1.0}, "temperature"),
        ({"do_sample": True, "temperature": "hot"}, "temperature"),
        ({"do_sample": True, "temperature": [0.7]}, "temperature"),
        ('{"do_sample": true, "temperature": NaN}', "temperature"),
        ({"top_p": 1.5}, "top_p"),
        ({"top_p": "0.8"}, "top_p"),
        ({"top_k": -1}, "top_k"),
        ({"top_k": 20.5}, "top_k"),
        ({"top_k": "all"}, "top_k"),
        ({"repetition_penalty": 0}, "repetition_penalty"),
        ({"repetition_penalty": {}}, "repetition_penalty"),
        ({"eos_token_id": "<|im_end|>"}, "eos_token_id"),
        ({"eos_token_id": [1, "x"]}, "eos_token_id"),
        ({"eos_token_id": [1, None]}, "eos_token_id"),
        ({"eos_token_id": {"id": 1}}, "eos_token_id"),
        ({"eos_token_id": 1.5}, "eos_token_id"),
        ({"eos_token_id": -1}, "eos_token_id"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_by_name(tmp_path: Path, raw: object, named: str) -> None:
    with pytest.raises(CheckpointError, match=rf"generation_config\.json.*{named}"):
        load_sampling(write_config(tmp_path, raw))


def test_nothing_reads_the_file_unasked(checkpoint: Path, model: minikv.Decoder, tmp_path: Path) -> None:
    loud = {"do_sample": True, "temperature": 2.0, "repetition_penalty": 5.0, "eos_token_id": list(range(97))}
    folder = write_config(shutil.copytree(checkpoint, tmp_path / "loud"), loud)
    plain = minikv.generate(model, SUFFIXES, max_new_tokens=NEW)
    other, _ = minikv.load(folder, dtype=torch.float32)
    assert minikv.generate(other, SUFFIXES, max_new_tokens=NEW) == plain
    asked, stop_ids = load_sampling(folder)
    assert (asked.repetition_penalty, asked.temperature, len(stop_ids)) == (5.0, 2.0, 97)
    counted = minikv.generate(other, SUFFIXES, max_new_tokens=NEW, sampling=Sampling(repetition_penalty=5.0))
    assert counted != plain
    write_config(folder, "not even JSON")
    assert minikv.generate(minikv.load(folder, dtype=torch.float32)[0], SUFFIXES, max_new_tokens=NEW) == plain
