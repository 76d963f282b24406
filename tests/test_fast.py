"""The fast form: what it keeps of the plain one, and what it shares. That its numbers are right is tested everywhere,
since the fixture `model` of the other tests comes in the fast form too."""

import gc
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
import torch

import minikv
from minikv import RECIPES, KVCache, MinikvError, Placement
from minikv.qwen2 import RMSNorm
from minikv.speed import fast as fast_form
from minikv.speed import fast_attention, packed, shared_prefix
from minikv.speed.shared_prefix import ForkedCache
from tests.fixture import Oracle, check_steps, contents, ids, reference_model, unchanged, write_checkpoint

PREFIX = ids(23)
SUFFIXES = [ids(2, seed=2), ids(5, seed=3), ids(9, seed=4), [], ids(9, seed=6)]


@pytest.fixture
def fast(checkpoint: Path) -> minikv.Decoder:
    return minikv.fast(minikv.load(checkpoint, dtype=torch.float32)[0])


@pytest.mark.parametrize("missing", ["REORDER", "PRODUCT"])
def test_without_onednn_the_weights_stay_plain_and_the_numbers_right(
    checkpoint: Path, oracle: Oracle, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(packed, missing, None)
    model = minikv.fast(minikv.load(checkpoint, dtype=torch.float32)[0])
    assert not model.lm_head.packed
    walk = list(minikv.steps(model, SUFFIXES, minikv.prefill(model, PREFIX), max_new_tokens=3))
    check_steps(oracle, walk, PREFIX, SUFFIXES)


@pytest.mark.parametrize("tied", [True, False])
def test_no_plain_weight_is_kept_but_the_embedding(tmp_path: Path, tied: bool) -> None:
    plain, _ = minikv.load(write_checkpoint(reference_model(tied=tied), tmp_path), dtype=torch.float32)
    expected = plain(torch.tensor([PREFIX]))
    matrices = [weakref.ref(weight) for name, weight in plain.named_parameters() if "proj.weight" in name]
    embedding = plain.model.embed_tokens.weight.clone()
    storages = {weight.untyped_storage().data_ptr() for weight in plain.parameters()}
    assert len(matrices) == 3 * 7
    fast = minikv.fast(plain)
    gc.collect()
    assert [matrix() for matrix in matrices] == [None] * len(matrices)
    assert torch.equal(fast.model.embed_tokens.weight, embedding)
    assert not storages & {weight.untyped_storage().data_ptr() for weight in fast.parameters()}  # the file is let go
    torch.testing.assert_close(fast(torch.tensor([PREFIX])), expected, rtol=0, atol=1e-4)


def test_in_16_bits_it_differs_as_rounding_does(checkpoint: Path) -> None:
    plain, _ = minikv.load(checkpoint, dtype=torch.bfloat16)
    tokens = torch.tensor([ids(60)])
    expected = plain(tokens).float()
    truth = minikv.load(checkpoint, dtype=torch.float32)[0](tokens)
    found = minikv.fast(plain)(tokens).float()
    # No farther from the fp32 logits than the plain form is, give or take a half.
    assert (found - truth).abs().mean() < 1.5 * (expected - truth).abs().mean()


@pytest.mark.parametrize("mean", [0.0, 30.0])
def test_a_norm_in_16_bits_is_rounded_once(mean: float) -> None:
    norm = RMSNorm(96, eps=1e-6).bfloat16()
    norm.weight.data = 1 + torch.randn(96, generator=torch.Generator().manual_seed(1)).bfloat16()
    x = (mean + torch.randn(5, 3, 96, generator=torch.Generator().manual_seed(2))).bfloat16()
    x[0] *= 1e-3  # where eps counts
    exact = norm.weight.double() * x.double() * torch.rsqrt(x.double().square().mean(dim=-1, keepdim=True) + 1e-6)
    fused = fast_form.fused(norm)
    assert type(fused) is fast_form.FusedNorm
    torch.testing.assert_close(fused(x).double(), exact, rtol=2**-8 * 1.01, atol=0)
    single = RMSNorm(96, eps=1e-6)
    assert fast_form.fused(single) is single


def test_it_is_made_once_and_only_of_qwen2_on_the_cpu(fast: minikv.Decoder, checkpoint: Path) -> None:
    body = fast.model
    assert minikv.fast(fast) is fast
    assert fast.model is body
    with torch.device("meta"):
        elsewhere = minikv.Qwen2(fast.config)
    with pytest.raises(MinikvError, match="meta"):
        minikv.fast(elsewhere)


def test_forks_share_their_prefix(fast: minikv.Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_prefix, "COPIED", 21)
    cached = minikv.prefill(fast, PREFIX)
    before = contents(cached)
    first, second = cached.fork(4, slots=40), cached.fork(2, slots=23)
    assert isinstance(first, ForkedCache)
    assert isinstance(second, ForkedCache)
    assert (first.shared.tolist(), first.slots, first.rows) == ([22] * 4, 40, 4)
    assert {part.keys.data_ptr() for each in (first, second) for part in each.prefixes} == {cached.keys.data_ptr()}
    assert first.nbytes == 2 * 3 * 2 * 16 * 4 * (22 + 4 * 18)  # K and V, layers, KV heads, head_dim, bytes, slots
    first.keys.fill_(7)
    first.tokens.fill_(7)
    assert unchanged(cached, before)
    assert second.tokens.tolist() == [PREFIX, PREFIX]


def test_a_batch_copies_a_short_prefix_once(fast: minikv.Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_prefix, "COPIED", 22)
    cached = minikv.prefill(fast, PREFIX)
    before = contents(cached)
    cache = cached.fork(4, slots=40)
    assert isinstance(cache, ForkedCache)
    assert cache.line_keys.shape == (3, 1, 2, 22 + 4 * 18, 16)
    cache.line_keys.fill_(7)
    cache.line_values.fill_(7)
    assert bool((cache.keys == 7).all())
    assert bool((cache.prefixes[0].values == 7).all())
    assert cache.nbytes == cache.line_keys.nbytes + cache.line_values.nbytes
    assert unchanged(cached, before)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[fast_attention.LayerAttention]:
    """How each pass of the fast form attends: a list that grows."""
    found, plain = [], fast_attention.attention_of
    monkeypatch.setattr(fast_form, "attention_of", lambda *args: found.append(plain(*args)) or found[-1])
    return found


# As they are, and with a limit that leaves the other way of reading a shared prefix.
@pytest.mark.parametrize(
    ("module", "limit", "expected"),
    [
        (fast_attention, "", {fast_attention.OneLine}),
        (fast_attention, "HIDDEN", {fast_attention.TwoParts}),
        (shared_prefix, "COPIED", {fast_attention.TwoParts}),
    ],
)
def test_the_prefix_is_read_once(
    fast: minikv.Decoder,
    oracle: Oracle,
    ways: list[fast_attention.LayerAttention],
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    limit: str,
    expected: set[type],
) -> None:
    """Or there would be nothing to win: a pass that falls back to whole rows would be right all the same."""
    if limit:
        monkeypatch.setattr(module, limit, 0)
    cached = minikv.prefill(fast, PREFIX)
    ways.clear()
    walk = list(minikv.steps(fast, SUFFIXES, cached, max_new_tokens=3))
    assert {type(way) for way in ways} == expected
    check_steps(oracle, walk, PREFIX, SUFFIXES)


def test_what_is_hidden_grows_with_the_rows_and_is_limited(
    fast: minikv.Decoder,
    oracle: Oracle,
    ways: list[fast_attention.LayerAttention],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A walk may begin in one line and go on in two parts."""
    monkeypatch.setattr(fast_attention, "HIDDEN", 4 * 4 * 5)  # tokens of a step, rows, own slots of the second step
    suffixes = [[token] for token in ids(4, seed=3)]
    cached = minikv.prefill(fast, PREFIX)
    ways.clear()
    walk = list(minikv.steps(fast, suffixes, cached, max_new_tokens=6))
    one, two = fast_attention.OneLine, fast_attention.TwoParts
    assert [type(way) for way in ways] == [one, one, one, one, two, two]
    check_steps(oracle, walk, PREFIX, suffixes)


def test_a_mask_that_hides_a_slot_of_the_prefix_is_obeyed(fast: minikv.Decoder, checkpoint: Path) -> None:
    plain, _ = minikv.load(checkpoint, dtype=torch.float32)
    found = []
    for model in (plain, fast):
        cache = minikv.prefill(model, PREFIX).fork(2, slots=30)
        place = cache.place([3, 3])
        hidden = Placement(place.positions, place.slots, place.mask.index_fill(2, torch.tensor([4]), False))
        found.append(model(torch.tensor([ids(3, seed=8), ids(3, seed=9)]), cache, hidden))
    torch.testing.assert_close(found[1], found[0], rtol=0, atol=1e-4)
    seen = plain(torch.tensor([PREFIX + ids(3, seed=8)]))[:, -3:]
    assert (seen - found[0][:1]).abs().max() > 1e-2  # the slot mattered


def test_a_forked_cache_serves_a_plain_decoder_too(fast: minikv.Decoder, checkpoint: Path, oracle: Oracle) -> None:
    plain, _ = minikv.load(checkpoint, dtype=torch.float32)
    walk = list(minikv.steps(plain, SUFFIXES, minikv.prefill(fast, PREFIX), max_new_tokens=3))
    assert isinstance(walk[0].cache, ForkedCache)
    check_steps(oracle, walk, PREFIX, SUFFIXES)


def test_a_fork_of_a_fork_copies(fast: minikv.Decoder, oracle: Oracle) -> None:
    once = minikv.prefill(fast, PREFIX).fork(1, slots=30)
    more = ids(4, seed=7)
    fast(torch.tensor([more]), once, once.place([4]))
    once.advance([4])
    twice = once.fork(3, slots=40)
    assert type(twice) is KVCache
    logits = fast(torch.tensor([[5], [6], [7]]), twice, twice.place([1, 1, 1]))
    for row, token in enumerate((5, 6, 7)):
        torch.testing.assert_close(logits[row, 0], oracle([*PREFIX, *more, token])[-1], rtol=0, atol=1e-4)


def test_what_is_shared_cannot_be_forgotten(fast: minikv.Decoder) -> None:
    cache = minikv.prefill(fast, PREFIX).fork(2, slots=30)
    cache.rewind([22, 23])
    before = contents(cache)
    with pytest.raises(MinikvError, match=r"rewind to \[21, 22\].*first \[22, 22\] tokens"):
        cache.rewind([21, 22])
    assert unchanged(cache, before)


def test_what_is_shared_cannot_be_written_over(fast: minikv.Decoder) -> None:
    cache = minikv.prefill(fast, PREFIX).fork(2, slots=30)
    place, before = cache.place([1, 1]), contents(cache)
    below = Placement(place.positions, place.slots - torch.tensor([[0], [2]]), place.mask)
    with pytest.raises(MinikvError, match=r"slots \[\[23\], \[21\]\].*first \[22, 22\]"):
        fast(torch.tensor([[1], [2]]), cache, below)
    assert unchanged(cache, before)


@pytest.mark.parametrize("length", [0, 1, 2])
def test_short_prefixes(fast: minikv.Decoder, oracle: Oracle, length: int) -> None:
    suffixes = SUFFIXES if length else [suffix for suffix in SUFFIXES if suffix]
    prefix = PREFIX[:length]
    walk = list(minikv.steps(fast, suffixes, minikv.prefill(fast, prefix), max_new_tokens=3))
    check_steps(oracle, walk, prefix, suffixes)


def weigh_both_alike(patch: pytest.MonkeyPatch) -> None:
    plain = fast_attention.weighed
    patch.setattr(fast_attention, "HIDDEN", 0)
    patch.setattr(fast_attention, "weighed", lambda *args: (plain(*args)[0], torch.zeros_like(plain(*args)[1])))


def forget_the_last_token_of_the_prefix(patch: pytest.MonkeyPatch) -> None:
    join = shared_prefix.Prefix.join

    def forgetful(prefixes: Sequence[KVCache], rows: Sequence[int], slots: int) -> KVCache:
        cache = join(prefixes, rows, slots)
        cache.keys[..., 0, :] = 0
        return cache

    patch.setattr(shared_prefix.Prefix, "join", forgetful)


def show_each_row_the_others(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(torch, "eye", lambda rows, dtype: torch.ones(rows, rows, dtype=dtype))


def turn_by_plus_minus(patch: pytest.MonkeyPatch) -> None:
    addcmul = torch.addcmul
    patch.setattr(torch, "addcmul", lambda a, b, sin: addcmul(a, b, -sin))


@pytest.mark.parametrize(
    "bug",
    [
        weigh_both_alike,
        show_each_row_the_others,
        forget_the_last_token_of_the_prefix,
        turn_by_plus_minus,
    ],
)
def test_the_check_of_every_step_sees(
    fast: minikv.Decoder, oracle: Oracle, monkeypatch: pytest.MonkeyPatch, bug: Callable[[pytest.MonkeyPatch], None]
) -> None:
    bug(monkeypatch)
    walk = list(minikv.steps(fast, SUFFIXES, minikv.prefill(fast, PREFIX), max_new_tokens=3))
    with pytest.raises(AssertionError):
        check_steps(oracle, walk, PREFIX, SUFFIXES)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_answers_as_with_the_plain_form(fast: minikv.Decoder, checkpoint: Path, name: str) -> None:
    plain, _ = minikv.load(checkpoint, dtype=torch.float32)
    suffixes = [suffix for suffix in SUFFIXES if suffix]
    found, expected = (RECIPES[name](model, PREFIX, suffixes, max_new_tokens=8, pad_id=96) for model in (fast, plain))
    assert found == expected
