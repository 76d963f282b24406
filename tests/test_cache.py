"""The cache and its placements: worked examples, bounds, and chunks against one pass."""

from pathlib import Path

import pytest
import torch

import minikv
from minikv import KVCache, MinikvError, Placement
from tests.fixture import Oracle, contents, ids, unchanged


def filled(model: minikv.Decoder, lengths: list[int], slots: int) -> KVCache:
    """A cache whose rows hold so many random tokens each."""
    cache = KVCache.empty(model, rows=len(lengths), slots=slots)
    tokens = torch.tensor([ids(max(lengths), seed=row) for row in range(len(lengths))])
    with torch.no_grad():
        model(tokens, cache, cache.place(lengths))
    cache.advance(lengths)
    return cache


def test_place_gives_each_row_its_own_offset(model: minikv.Decoder) -> None:
    cache = filled(model, [3, 5], slots=8)
    placement = cache.place([2, 1])
    assert placement.positions.tolist() == placement.slots.tolist() == [[3, 4], [5, 6]]
    sees = [[[slot for slot in range(8) if see[slot]] for see in row] for row in placement.mask]
    assert sees == [[[*range(4)], [*range(5)]], [[*range(6)], [*range(7)]]]
    assert cache.lengths.tolist() == [3, 5]
    cache.advance([2, 1])
    assert cache.lengths.tolist() == [5, 6]


def test_the_layout_is_the_documented_one(model: minikv.Decoder) -> None:
    cache = KVCache.empty(model, rows=6, slots=9)
    assert cache.keys.shape == cache.values.shape == (3, 6, 2, 9, 16)
    assert cache.lengths.tolist() == [0] * 6
    assert cache.nbytes == 2 * 3 * 6 * 2 * 9 * 16 * 4


def test_the_next_token_overwrites_padding(model: minikv.Decoder, oracle: Oracle) -> None:
    cache = KVCache.empty(model, rows=2, slots=5)
    long, short = ids(4), ids(2, seed=2)
    model(torch.tensor([long, [*short, 96, 96]]), cache, cache.place([4, 2]))
    cache.advance([4, 2])
    assert cache.tokens[1].tolist() == [*short, 96, 96, -1]
    logits = model(torch.tensor([[7], [8]]), cache, cache.place([1, 1]))
    cache.advance([1, 1])
    assert cache.tokens[1].tolist() == [*short, 8, 96, -1]
    torch.testing.assert_close(logits[0, 0], oracle([*long, 7])[-1], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[1, 0], oracle([*short, 8])[-1], rtol=0, atol=1e-4)


def test_exactly_enough_is_enough_also_beside_a_longer_chunk(model: minikv.Decoder, oracle: Oracle) -> None:
    """Row 0 fills its last slot while row 1 gets eight tokens: row 0's padding has nowhere to go and goes nowhere."""
    cache = filled(model, [10, 1], slots=12)
    cache.rewind([10, 0])
    begun, two, eight = cache.tokens[0, :10].tolist(), ids(2, seed=8), ids(8, seed=9)
    placement = cache.place([2, 8])
    logits = model(torch.tensor([[*two, 0, 0, 0, 0, 0, 0], eight]), cache, placement)
    cache.advance([2, 8])
    assert cache.lengths.tolist() == [12, 8]
    torch.testing.assert_close(logits[0, 1], oracle([*begun, *two])[-1], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[1], oracle(eight), rtol=0, atol=1e-4)
    assert cache.tokens[0].tolist() == [*begun, *two]


@pytest.mark.parametrize("counts", [[3, 1], [0, 9], [-1, 1], [1], [1, 1, 1]])
def test_what_does_not_fit_is_an_error_before_the_first_write(model: minikv.Decoder, counts: list[int]) -> None:
    cache = filled(model, [10, 4], slots=12)
    before = contents(cache)
    with pytest.raises(MinikvError):
        cache.place(counts)
    with pytest.raises(MinikvError):
        cache.advance(counts)
    assert unchanged(cache, before)


def test_too_small_a_cache_says_how_large_it_must_be(model: minikv.Decoder) -> None:
    with pytest.raises(MinikvError, match=r"12 slots, but row 1 holds 10 tokens and gets 3 more.*at least 13"):
        filled(model, [4, 10], slots=12).place([1, 3])


def refused(model: minikv.Decoder, cache: KVCache, rows: int, **changes: torch.Tensor) -> bool:
    """Whether two new tokens a row are refused for a placement with these changes, and nothing is written."""
    placement, before = cache.place([2] * cache.rows), contents(cache)
    for name, tensor in changes.items():  # not with `replace`, whose own check of shapes the tests have switched on
        object.__setattr__(placement, name, tensor)
    with pytest.raises(MinikvError):
        model(torch.tensor([[1, 2]] * rows), cache, placement)
    return unchanged(cache, before)


def test_a_placement_that_does_not_fit_is_refused_before_the_first_write(model: minikv.Decoder) -> None:
    cache = filled(model, [3, 3], slots=8)
    good = cache.place([2, 2])
    assert refused(model, cache, 2, slots=good.slots - 4)  # below 0
    assert refused(model, cache, 2, slots=good.slots + 5)  # beyond the end, which 8 itself is not
    assert refused(model, cache, 2, slots=good.slots[:, :1])
    assert refused(model, cache, 2, positions=good.positions[:1])
    assert refused(model, cache, 2, mask=good.mask[:, :, :5])
    assert refused(model, cache, 3)
    with pytest.raises(MinikvError, match="without a placement"):
        model(torch.tensor([[1, 2], [3, 4]]), cache)


@pytest.mark.parametrize("counts", [[1.9, 1], ["1", "2"], None, [[1], [2, 3]]])
def test_counts_and_lengths_are_whole_numbers(model: minikv.Decoder, counts: object) -> None:
    cache = filled(model, [3, 3], slots=8)
    with pytest.raises(Exception, match=r"whole numbers|type hint|Type-check"):
        cache.place(counts)
    with pytest.raises(Exception, match=r"whole numbers|type hint|Type-check"):
        cache.rewind(counts)
    assert cache.lengths.tolist() == [3, 3]


def test_attention_reads_no_further_than_any_query_sees(model: minikv.Decoder) -> None:
    assert filled(model, [3, 5], slots=50).place([2, 1]).seen == 7


def test_fork_copies_and_never_aliases(model: minikv.Decoder) -> None:
    prefix = filled(model, [4], slots=4)
    before = contents(prefix)
    fork = prefix.fork(rows=3, slots=9)
    assert fork.lengths.tolist() == [4, 4, 4]
    for row in range(3):
        assert torch.equal(fork.keys[:, row, :, :4], prefix.keys[:, 0])
        assert torch.equal(fork.values[:, row, :, :4], prefix.values[:, 0])
        assert fork.tokens[row].tolist() == [*prefix.tokens[0].tolist(), *[-1] * 5]
    fork.keys[:, 1] = 7
    fork.values[:, 1] = 7
    fork.lengths[1] = 0
    fork.tokens[1] = 0
    assert unchanged(prefix, before)
    assert torch.equal(fork.keys[:, 0, :, :4], prefix.keys[:, 0])
    assert fork.lengths.tolist() == [4, 0, 4]


def test_fork_refuses_several_rows_and_too_few_slots(model: minikv.Decoder) -> None:
    with pytest.raises(MinikvError, match="one row into 0 rows or more; 2 into 2"):
        filled(model, [3, 3], slots=4).fork(rows=2, slots=8)
    with pytest.raises(MinikvError, match="1 into -1"):
        filled(model, [3], slots=4).fork(rows=-1, slots=8)
    with pytest.raises(MinikvError, match="at least 3"):
        filled(model, [3], slots=4).fork(rows=2, slots=2)
    assert filled(model, [3], slots=4).fork(rows=2, slots=3).slots == 3


@pytest.mark.parametrize(("to", "allowed"), [(0, True), (3, True), (4, False), (-1, False), ([1, 2], False)])
def test_rewind_checks_its_bounds(model: minikv.Decoder, to: int | list[int], allowed: bool) -> None:
    cache = filled(model, [3], slots=6)
    if allowed:
        cache.rewind(to)
        assert cache.lengths.tolist() == [to]
    else:
        with pytest.raises(MinikvError, match="the rows hold"):
            cache.rewind(to)
        assert cache.lengths.tolist() == [3]


def test_reuse_after_rewind_equals_a_fresh_cache(model: minikv.Decoder, oracle: Oracle) -> None:
    cache = filled(model, [6, 4], slots=10)
    kept = cache.tokens[0, :2].tolist()
    lengths = torch.tensor([2, 0])
    cache.rewind(lengths)
    lengths += 1  # the cache has its own
    new = [ids(5, seed=21), ids(5, seed=22)]
    logits = model(torch.tensor(new), cache, cache.place([5, 5]))
    torch.testing.assert_close(logits[0], oracle([*kept, *new[0]])[2:], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[1], oracle(new[1]), rtol=0, atol=1e-4)


@pytest.mark.parametrize("first", range(13))
def test_every_split_into_two_chunks_equals_one_pass(model: minikv.Decoder, oracle: Oracle, first: int) -> None:
    tokens = ids(12)
    cache = KVCache.empty(model, rows=1, slots=12)
    logits = []
    for chunk in (tokens[:first], tokens[first:]):
        if chunk:
            logits.append(model(torch.tensor([chunk]), cache, cache.place([len(chunk)]))[0])
            cache.advance([len(chunk)])
    torch.testing.assert_close(torch.cat(logits), oracle(tokens), rtol=0, atol=1e-4)


@pytest.mark.parametrize("chunk", [1, 5, 7, 50])
def test_prefill_in_chunks_fills_the_same_cache(model: minikv.Decoder, oracle: Oracle, chunk: int) -> None:
    whole, parts = minikv.prefill(model, ids(21)), minikv.prefill(model, ids(21), chunk=chunk)
    assert parts.lengths.tolist() == [21]
    assert parts.tokens.tolist() == [ids(21)]
    torch.testing.assert_close(parts.keys, whole.keys, rtol=0, atol=1e-4)
    torch.testing.assert_close(parts.values, whole.values, rtol=0, atol=1e-4)
    step = next(minikv.steps(model, [[7]], parts, max_new_tokens=1))
    torch.testing.assert_close(step.logits[0], oracle([*ids(21), 7])[-1], rtol=0, atol=1e-4)


def test_no_nan_anywhere_padding_included(model: minikv.Decoder) -> None:
    """A batch padded on the left, whose first columns see nothing at all."""
    tokens = torch.tensor([ids(5), [0, 0, 0, *ids(2)]])
    cache = KVCache.empty(model, rows=2, slots=5)
    column = torch.arange(5)
    real = torch.tensor([[True] * 5, [False] * 3 + [True] * 2])
    mask = (column <= column[:, None]) & real[:, None]
    positions = (real.cumsum(1) - 1).clamp(min=0)
    logits = model(tokens, cache, Placement(positions, column.expand(2, 5), mask))
    assert not logits.isnan().any()
    assert not cache.keys.isnan().any()
    assert not cache.values.isnan().any()


def test_reprs_tell_what_is_in_them(model: minikv.Decoder) -> None:
    cache = filled(model, [3, 5], slots=8)
    assert "rows=2" in repr(cache)
    assert "lengths=[3, 5]" in repr(cache)
    assert repr(cache.place([1, 1])).splitlines()[-1].split() == ["1", "5", "5", "0-5"]


def test_a_bf16_model_has_a_bf16_cache(checkpoint: Path) -> None:
    model, _ = minikv.load(checkpoint, dtype=torch.bfloat16)
    assert minikv.prefill(model, ids(3)).keys.dtype == torch.bfloat16
