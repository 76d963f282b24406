"""The right recipes agree with the naive loop, the wrong ones with transformers' own wrong answers."""

import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

import minikv
from minikv import RECIPES, MinikvError
from tests.fixture import ids
from tests.transformers_recipes import answers

RIGHT = [name for name, recipe in RECIPES.items() if recipe.right]
WRONG = [name for name, recipe in RECIPES.items() if not recipe.right]
TOKEN = st.integers(0, 96)
PREFIX = ids(23)
SUFFIXES = [ids(2, seed=2), ids(5, seed=3), ids(9, seed=4), ids(3, seed=5), ids(9, seed=6)]


def test_the_recipes_stand_in_teaching_order() -> None:
    assert list(RECIPES) == [
        "naive_loop",
        "single_row_cache",
        "right_padded_batch",
        "left_shifted_batch",
        "left_shifted_stable",
        "suffix_left_padded",
        "per_row_offsets",
    ]
    assert WRONG == ["right_padded_batch", "left_shifted_batch", "left_shifted_stable"]


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_gives_what_transformers_gives(
    model: minikv.Decoder, reference: transformers.Qwen2ForCausalLM, name: str
) -> None:
    # per_row_offsets has no twin in transformers: its truth there is the naive loop.
    twin = "naive_loop" if name == "per_row_offsets" else name
    ours = RECIPES[name](model, PREFIX, SUFFIXES, max_new_tokens=12, pad_id=96)
    assert ours == answers(reference, twin, PREFIX, SUFFIXES, max_new_tokens=12, pad_id=96)


@settings(max_examples=12, deadline=None, derandomize=True)  # tokens are compared, and a near-tie may fall either way
@given(
    prefix=st.lists(TOKEN, min_size=1, max_size=40),
    suffixes=st.lists(st.lists(TOKEN, min_size=1, max_size=12), min_size=1, max_size=5),
    pad_id=TOKEN,
    stop_id=TOKEN,
)
def test_so_it_does_for_any_rows(
    model: minikv.Decoder,
    reference: transformers.Qwen2ForCausalLM,
    prefix: list[int],
    suffixes: list[list[int]],
    pad_id: int,
    stop_id: int,
) -> None:
    truth = answers(reference, "naive_loop", prefix, suffixes, max_new_tokens=5, stop_id=stop_id, pad_id=pad_id)
    for name, recipe in RECIPES.items():
        ours = recipe(model, prefix, suffixes, max_new_tokens=5, stop_ids=[stop_id], pad_id=pad_id)
        if name in WRONG:
            theirs = answers(reference, name, prefix, suffixes, max_new_tokens=5, stop_id=stop_id, pad_id=pad_id)
        else:
            theirs = truth
        assert ours == theirs, name


@pytest.mark.parametrize(("name", "at_least"), [*zip(WRONG, [3, 3, 2], strict=True)])
def test_the_wrong_recipes_are_wrong_in_the_padded_rows(model: minikv.Decoder, name: str, at_least: int) -> None:
    """In all three of them, but that the stable shift is right at times."""
    truth = RECIPES["naive_loop"](model, PREFIX, SUFFIXES, max_new_tokens=12)
    wrong = RECIPES[name](model, PREFIX, SUFFIXES, max_new_tokens=12)
    padded = [row for row, suffix in enumerate(SUFFIXES) if len(suffix) < 9]
    assert sum(wrong[row] != truth[row] for row in padded) >= at_least


def test_right_padding_is_right_for_the_longest_rows(model: minikv.Decoder) -> None:
    truth = RECIPES["naive_loop"](model, PREFIX, SUFFIXES, max_new_tokens=12)
    wrong = RECIPES["right_padded_batch"](model, PREFIX, SUFFIXES, max_new_tokens=12)
    assert [wrong[row] == truth[row] for row in range(5)] == [False, False, True, False, True]


def test_right_padding_restarts_the_positions_of_short_rows(model: minikv.Decoder) -> None:
    walk = list(RECIPES["right_padded_batch"].steps(model, PREFIX, SUFFIXES[:3], max_new_tokens=3))
    assert walk[0].placement.positions[0].tolist() == [23, 24, 0, 0, 0, 0, 0, 0, 0]
    assert walk[0].read.tolist() == [8, 8, 8]
    assert [step.placement.positions.flatten().tolist() for step in walk[1:]] == [[1, 1, 32], [2, 2, 33]]
    assert [step.placement.slots.flatten().tolist() for step in walk[1:]] == [[32] * 3, [33] * 3]


def test_on_a_shared_offset_a_finished_row_goes_on_with_padding(model: minikv.Decoder) -> None:
    """As in transformers: the stop id is fed, then padding, at the next slots. On its own offset it would stay."""
    recipe = RECIPES["suffix_left_padded"]
    free = recipe(model, PREFIX, SUFFIXES, max_new_tokens=6)
    row, stop = next((row, free[row][0]) for row in range(5) if all(free[row][0] not in other for other in free[:row]))
    walk = list(recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=6, stop_ids=[stop], pad_id=96))
    assert [int(step.tokens[row, -1]) for step in walk[1:4]] == [stop, 96, 96]
    assert [int(step.placement.slots[row, -1]) for step in walk[1:4]] == [32, 33, 34]


def test_the_shift_feeds_prefix_tokens_twice_and_hides_real_slots(model: minikv.Decoder) -> None:
    step = next(RECIPES["left_shifted_stable"].steps(model, PREFIX, SUFFIXES[:3], max_new_tokens=1))
    assert step.tokens[0].tolist() == PREFIX[-7:] + SUFFIXES[0]
    assert step.placement.positions[0].tolist() == [*range(16, 25)]
    assert not step.placement.mask[0, :, :7].any()


@pytest.mark.parametrize("name", RECIPES)
def test_limits_hold_for_every_recipe(model: minikv.Decoder, name: str) -> None:
    recipe = RECIPES[name]
    assert recipe(model, PREFIX, [], max_new_tokens=3) == []
    assert recipe(model, PREFIX, SUFFIXES, max_new_tokens=0) == [[]] * 5
    with pytest.raises(MinikvError, match="max_new_tokens is -3"):
        recipe(model, PREFIX, SUFFIXES, max_new_tokens=-3)
    with pytest.raises(MinikvError, match="id 200"):
        recipe(model, PREFIX, SUFFIXES, pad_id=200)
    with pytest.raises(MinikvError, match="context is 1024"):
        recipe(model, PREFIX, SUFFIXES, max_new_tokens=1000)
    with pytest.raises(MinikvError, match="id 97"):
        recipe(model, [97], SUFFIXES)


@pytest.mark.parametrize("name", ["right_padded_batch", "left_shifted_batch", "suffix_left_padded"])
def test_an_empty_suffix_has_no_column_to_read_on_a_shared_offset(model: minikv.Decoder, name: str) -> None:
    with pytest.raises(MinikvError, match="suffix 1 is empty"):
        RECIPES[name](model, PREFIX, [[1, 2], []], max_new_tokens=2)


@pytest.mark.parametrize("name", ["naive_loop", "single_row_cache", "per_row_offsets"])
def test_an_empty_suffix_is_the_prefix_alone_elsewhere(model: minikv.Decoder, name: str) -> None:
    expected = minikv.generate(model, [PREFIX], max_new_tokens=4)[0]
    assert RECIPES[name](model, PREFIX, [[1, 2], []], max_new_tokens=4)[1] == expected


def test_the_walk_says_whose_step_it_is(model: minikv.Decoder) -> None:
    for name, recipe in RECIPES.items():
        walk = list(recipe.steps(model, PREFIX, SUFFIXES[:2], max_new_tokens=2))
        alone = name in ("naive_loop", "single_row_cache")
        assert [step.prompts for step in walk] == ([(0,), (0,), (1,), (1,)] if alone else [(0, 1), (0, 1)])


@pytest.mark.parametrize("name", RECIPES)
def test_only_the_read_columns_reach_the_head(model: minikv.Decoder, name: str) -> None:
    widths: list[int] = []
    hook = model.lm_head.register_forward_hook(lambda module, inputs, out: widths.append(inputs[0].dim()))
    RECIPES[name](model, PREFIX, SUFFIXES, max_new_tokens=2)
    hook.remove()
    assert set(widths) == {2}  # rows hidden: one column of each row
