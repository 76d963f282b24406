"""Every bug that the decoder and the cache avoid, put back once: the check of ragged rows must see each of them."""

import copy
import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch
from torch import Tensor

import minikv
import minikv.qwen2
from minikv import KVCache, Placement
from tests.fixture import check_steps, ids

Oracle = Callable[[list[int]], Tensor]
Patch = pytest.MonkeyPatch


def replace_place(patch: Patch, change: Callable[[KVCache, Placement], Placement]) -> None:
    place = KVCache.place
    patch.setattr(KVCache, "place", lambda cache, counts: change(cache, place(cache, counts)))


def read_at_minus_one(patch: Patch, model: minikv.Decoder) -> None:
    module = importlib.import_module("minikv.generate")  # the package has the function under that name
    read = module.read_logits
    patch.setattr(
        module,
        "read_logits",
        lambda model, tokens, cache, placement, column: read(
            model, tokens, cache, placement, torch.full_like(column, tokens.shape[1] - 1)
        ),
    )


def advance_by_the_width(patch: Patch, model: minikv.Decoder) -> None:
    def advance(cache: KVCache, counts: Tensor) -> None:
        cache.lengths = cache.lengths + int(counts.max())

    patch.setattr(KVCache, "advance", advance)


def positions_from_zero(patch: Patch, model: minikv.Decoder) -> None:
    replace_place(patch, lambda cache, good: replace(good, positions=good.positions - cache.lengths[:, None]))


def one_slot_for_all_rows(patch: Patch, model: minikv.Decoder) -> None:
    """The write index of one row used for all, as a library's shared cache does."""
    replace_place(
        patch, lambda cache, good: replace(good, slots=good.slots - cache.lengths[:, None] + cache.lengths.max())
    )


def one_position_for_all_rows(patch: Patch, model: minikv.Decoder) -> None:
    replace_place(
        patch,
        lambda cache, good: replace(good, positions=good.positions - cache.lengths[:, None] + cache.lengths.max()),
    )


def positions_only(patch: Patch, model: minikv.Decoder) -> None:
    """The right positions, but the slots of one shared offset and no mask over the holes."""

    def change(cache: KVCache, good: Placement) -> Placement:
        slots = good.slots - cache.lengths[:, None] + cache.lengths.max()
        return replace(good, slots=slots, mask=torch.arange(good.mask.shape[-1]) <= slots[..., None])

    replace_place(patch, change)


def no_mask(patch: Patch, model: minikv.Decoder) -> None:
    replace_place(patch, lambda cache, good: replace(good, mask=torch.ones_like(good.mask)))


def triangle_aligned_top_left(patch: Patch, model: minikv.Decoder) -> None:
    def top_left(cache: KVCache, good: Placement) -> Placement:
        new, slots = good.mask.shape[1:]
        return replace(good, mask=torch.ones(new, slots, dtype=torch.bool).tril().expand_as(good.mask))

    replace_place(patch, top_left)


def a_query_misses_itself(patch: Patch, model: minikv.Decoder) -> None:
    replace_place(patch, lambda cache, good: replace(good, mask=good.mask.roll(-1, dims=-1)))


def pairs_rotated_instead_of_halves(patch: Patch, model: minikv.Decoder) -> None:
    def rotate(x: Tensor, angles: Tensor) -> Tensor:
        cos, sin = angles.cos()[:, :, None], angles.sin()[:, :, None]
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).flatten(-2)

    patch.setattr(minikv.qwen2, "rotate", rotate)


def kv_heads_tiled_instead_of_grouped(patch: Patch, model: minikv.Decoder) -> None:
    attend = model.attend
    tiled = [0, 2, 1, 3]  # heads 0 and 2 read KV head 0

    def attention(q: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        return attend(q[:, :, tiled], keys, values, mask)[:, :, tiled]

    patch.setattr(model, "attend", attention)


def another_theta(patch: Patch, model: minikv.Decoder) -> None:
    patch.setattr(model.model, "config", replace(model.config, theta=1e4))


def biases_dropped(patch: Patch, model: minikv.Decoder) -> None:
    for layer in model.model.layers:
        for projection in (layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj):
            patch.setattr(projection, "bias", None)


def eps_of_another_size(patch: Patch, model: minikv.Decoder) -> None:
    for layer in model.model.layers:
        patch.setattr(layer.input_layernorm, "eps", 1e-2)


BUGS: Sequence[Callable[[Patch, minikv.Qwen2], None]] = [
    read_at_minus_one,
    advance_by_the_width,
    positions_from_zero,
    one_slot_for_all_rows,
    one_position_for_all_rows,
    positions_only,
    no_mask,
    triangle_aligned_top_left,
    a_query_misses_itself,
    pairs_rotated_instead_of_halves,
    kv_heads_tiled_instead_of_grouped,
    another_theta,
    biases_dropped,
    eps_of_another_size,
]


def ragged_rows_are_right(model: minikv.Decoder, oracle: Oracle) -> None:
    prefix, suffixes = ids(20), [ids(2, seed=2), ids(5, seed=3), ids(9, seed=4)]
    walk = list(minikv.steps(model, suffixes, minikv.prefill(model, prefix), max_new_tokens=3))
    check_steps(oracle, walk, prefix, suffixes)


@pytest.mark.parametrize("model", ["sdpa", "by_hand"], indirect=True)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.__name__)
def test_the_check_of_ragged_rows_sees(
    model: minikv.Decoder, oracle: Oracle, monkeypatch: Patch, bug: Callable[[Patch, minikv.Qwen2], None]
) -> None:
    model = copy.deepcopy(model)
    ragged_rows_are_right(model, oracle)
    bug(monkeypatch, model)
    with pytest.raises(AssertionError, match=r"row \d, step \d"):
        ragged_rows_are_right(model, oracle)
