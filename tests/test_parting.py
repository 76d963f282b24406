"""Where a row parts from the row alone, and why: worked out by hand for each recipe and for one fault at a time."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from typer.testing import CliRunner

import minikv
from minikv import RECIPES, Cause, Fault, MinikvError, Parting, Placement, Recipe, Step
from minikv.cli import app
from minikv.generate import pad_right, prefill, read_logits
from minikv.gpt2 import GPT2, GPT2Config
from minikv.look.alone import alone, prefix_alone, watched
from minikv.look.parting import can_explain
from minikv.recipes import Ids, Limits
from minikv.speed.draft import DRAFTED
from tests.fixture import Oracle, ids

RIGHT = [*(recipe for recipe in RECIPES.values() if recipe.right), DRAFTED]
PREFIX = ids(23)
ATTENDED, Q = "model.layers.0.self_attn.attended", "model.layers.0.self_attn.q"
LENGTHS = {"longest first": [4, 1, 2], "in the middle": [1, 4, 2, 4], "equal": [3, 3], "one token": [1, 1, 5]}
TOKEN = st.integers(0, 96)

either_attention = pytest.mark.parametrize("model", ["sdpa", "by_hand"], indirect=True)
plain = pytest.mark.parametrize("model", ["sdpa"], indirect=True)
each_length = pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)


def suffixes_of(lengths: Sequence[int]) -> list[list[int]]:
    return [ids(length, seed=10 + row) for row, length in enumerate(lengths)]


def faults(found: Parting) -> list[tuple[int, Fault]]:
    return [(cause.step, cause.fault) for cause in found.causes]


def agrees(found: Parting, steps: int) -> bool:
    return (found.parted, found.steps, found.causes, found.later) == (False, steps, (), ())


# --- the recipes ------------------------------------------------------------------------------------------------------


@either_attention
@each_length
def test_right_padding_parts_where_it_is_read(model: minikv.Decoder, lengths: list[int]) -> None:
    found = minikv.partings(model, "right_padded_batch", PREFIX, suffixes_of(lengths), max_new_tokens=3)
    width, cached = max(lengths), len(PREFIX)
    for row, (each, length) in enumerate(zip(found, lengths, strict=True)):
        assert each.row == row
        if length == width:
            assert agrees(each, steps=3)
            continue
        assert (each.parted, each.step, each.tensor, each.layer) == (True, 0, "logits", None)
        assert each.difference.max > 1
        assert [cause.sentence for cause in each.causes] == [
            f"Row {row} was read at column {width - 1}, which is padding; its last real token is in column "
            f"{length - 1}."
        ]
        assert [(cause.step, cause.sentence) for cause in each.later] == [
            (
                1,
                f"Row {row}'s token in column 0 went to position 1; its last real token before that is at "
                f"{cached + length - 1}, so {cached + length} was expected.",
            )
        ]


@plain
@each_length
def test_a_stable_shift_parts_in_what_is_attended_to(model: minikv.Decoder, lengths: list[int]) -> None:
    found = minikv.partings(model, "left_shifted_stable", PREFIX, suffixes_of(lengths), max_new_tokens=3)
    width, cached = max(lengths), len(PREFIX)
    for row, (each, length) in enumerate(zip(found, lengths, strict=True)):
        holes = width - length
        if holes == 0:
            assert agrees(each, steps=3)
            continue
        assert (each.parted, each.step, each.tensor, each.layer) == (True, 0, ATTENDED, 0)
        hidden = "slot 0" if holes == 1 else f"slots 0-{holes - 1}"
        query = f"Row {row}'s query in column {width - 1}"
        assert [cause.sentence for cause in each.causes] == [
            f"{query} does not see real tokens of its text, in {hidden}.",
            f"{query} sees the same tokens of its text twice, in slots {cached - holes}-{cached + holes - 1}.",
        ]
        assert each.later == ()


@plain
def test_a_shift_beyond_the_prefix_is_right(model: minikv.Decoder) -> None:
    """With three tokens of prefix and three or more of padding the whole row is fed again, and all of the cache hidden.
    With five and four one token is hidden and one doubled."""
    suffixes = suffixes_of([1, 4, 5])
    for cached in (2, 3):
        found = minikv.partings(model, "left_shifted_stable", PREFIX[:cached], suffixes, max_new_tokens=3)
        assert agrees(found[0], steps=3)
    found = minikv.partings(model, "left_shifted_stable", PREFIX[:5], suffixes, max_new_tokens=3)
    assert [cause.sentence for cause in found[0].causes] == [
        "Row 0's query in column 4 does not see real tokens of its text, in slot 0.",
        "Row 0's query in column 4 sees the same tokens of its text twice, in slots 4, 8.",
    ]


@plain
def test_the_row_s_own_tokens_are_told_from_equal_ones(model: minikv.Decoder) -> None:
    """The prefix ends in the suffix's only token, and its end is fed again before it."""
    found = minikv.partings(model, "left_shifted_stable", [*PREFIX, 5, 5, 5], [[5], [1, 2, 3, 4]], max_new_tokens=1)
    assert faults(found[0]) == [(0, Fault.HIDDEN), (0, Fault.TWICE)]


@plain
@each_length
def test_an_unstable_shift_parts_at_the_embedding(model: minikv.Decoder, lengths: list[int]) -> None:
    """Every row, the longest too: equal keys come out of the sort in an order of its own."""
    suffixes, width = suffixes_of(lengths), max(lengths)
    found = minikv.partings(model, "left_shifted_batch", PREFIX, suffixes, max_new_tokens=2)
    for each, suffix in zip(found, suffixes, strict=True):
        text, holes = [*PREFIX, *suffix], width - len(suffix)
        order = torch.tensor([1] * len(text) + [0] * holes).argsort()
        fed = [text[index] for index in order[-width:].tolist()]
        assert fed[-len(suffix) :] != suffix, "the sort happens to be right"
        assert (each.parted, each.step, each.tensor, each.layer) == (True, 0, "model.embed_tokens", None)
        assert faults(each)[0] == (0, Fault.SCRAMBLED)
        wrong = [column for column in range(width) if fed[column] != text[column - width]]
        assert each.causes[0].sentence == (
            f"Row {each.row} was fed {len(wrong)} of {width} tokens out of order: column {wrong[0]} has the id "
            f"{fed[wrong[0]]}, but token {len(text) - width + wrong[0]} of the text is {text[wrong[0] - width]}."
        )
        assert faults(each)[1:] == ([(0, Fault.HIDDEN), (0, Fault.TWICE)] if holes else [])


@plain
@settings(max_examples=4, deadline=None)
@given(
    prefix=st.lists(TOKEN, min_size=1, max_size=30),
    suffixes=st.lists(st.lists(TOKEN, min_size=1, max_size=9), min_size=1, max_size=3),
    stop_id=TOKEN,
)
def test_the_right_recipes_part_nowhere(
    model: minikv.Decoder, prefix: list[int], suffixes: list[list[int]], stop_id: int
) -> None:
    for recipe in RIGHT:
        answers = recipe(model, prefix, suffixes, max_new_tokens=4, stop_ids=[stop_id])
        found = minikv.partings(model, recipe, prefix, suffixes, max_new_tokens=4, stop_ids=[stop_id])
        for each, answer in zip(found, answers, strict=True):
            assert agrees(each, steps=min(len(answer) + 1, 4)), each
            assert each.chosen == each.chosen_alone


@plain
def test_the_row_alone_is_what_transformers_computes(model: minikv.Decoder, oracle: Oracle) -> None:
    text = [*PREFIX, *ids(9, seed=2)]
    for cached in (0, 1, 22):
        logits = alone(model, prefix_alone(model, text[:cached]), text)["logits"]
        torch.testing.assert_close(logits, oracle(text)[cached:], rtol=0, atol=1e-4)


@plain
def test_of_a_prefix_that_is_computed_anew_nothing_is_kept(model: minikv.Decoder) -> None:
    suffixes = suffixes_of([2, 4])
    steps, kept = watched(model, RECIPES["naive_loop"].steps(model, PREFIX, suffixes, max_new_tokens=2), 22, rows=2)
    assert [step.tokens.shape[1] for step in steps] == [25, 1, 27, 1]
    for row, suffix in zip(kept, suffixes, strict=True):
        columns = [{len(tensor) for name, tensor in each.items() if name != "logits"} for each in row]
        assert columns == [{1 + len(suffix)}, {1}]  # from the prefix's last token on


@plain
def test_a_row_with_nothing_to_say(model: minikv.Decoder) -> None:
    for name in ("naive_loop", "single_row_cache", "per_row_offsets", DRAFTED.name):
        for each in minikv.partings(model, name, PREFIX, [[], [5, 6, 7]], max_new_tokens=3):
            assert agrees(each, steps=3)


@plain
def test_what_a_library_feeds_a_row_after_its_end_is_not_compared(model: minikv.Decoder) -> None:
    suffixes = suffixes_of([2, 4])
    ending, other = RECIPES["naive_loop"](model, PREFIX, suffixes, max_new_tokens=5)
    assert ending[0] not in other, "both would end"
    for recipe in RIGHT:
        short, long = minikv.partings(model, recipe, PREFIX, suffixes, max_new_tokens=5, stop_ids=[ending[0]])
        assert agrees(short, steps=1)
        assert agrees(long, steps=5)


@plain
def test_without_a_prefix(model: minikv.Decoder) -> None:
    suffixes = suffixes_of([2, 4])
    for recipe in RIGHT:
        assert all(agrees(each, steps=2) for each in minikv.partings(model, recipe, [], suffixes, max_new_tokens=2))
    short, long = minikv.partings(model, "right_padded_batch", [], suffixes, max_new_tokens=2)
    assert faults(short) == [(0, Fault.MISREAD)]
    assert agrees(long, steps=2)


# --- one fault at a time ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken:
    """The loop of `per_row_offsets` with one thing changed."""

    place: Callable[[Placement], Placement] = lambda good: good
    read: Callable[[Tensor, int], Tensor] = lambda counts, new: counts - 1
    advance: Callable[[Tensor, int], Tensor] = lambda counts, new: counts
    feed: Callable[[Tensor], Tensor] = lambda tokens: tokens

    def walk(self, model: minikv.Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
        cache = prefill(model, prefix).fork(len(suffixes), slots=64)
        tokens, counts = pad_right(suffixes)
        tokens = self.feed(tokens)
        for _ in range(limits.max_new_tokens):
            lengths, placement = cache.lengths, self.place(cache.place(counts))
            read = self.read(counts, tokens.shape[1])
            with torch.no_grad():
                logits = read_logits(model, tokens, cache, placement, read)
            cache.advance(self.advance(counts, tokens.shape[1]))
            chosen, finished = logits.argmax(dim=-1), torch.zeros(len(suffixes), dtype=torch.bool)
            prompts = tuple(range(len(suffixes)))
            yield Step(prompts, tokens, placement, lengths, counts, read, logits, chosen, finished, cache)
            tokens, counts = chosen[:, None], torch.ones_like(counts)

    @property
    def recipe(self) -> Recipe:
        return Recipe("broken", right=False, walk=self.walk)


def masked(change: Callable[[Tensor], Tensor]) -> Broken:
    return Broken(place=lambda good: replace(good, mask=change(good.mask)))


def without_slot_0(mask: Tensor) -> Tensor:
    return mask & (torch.arange(mask.shape[-1]) > 0)


def with_slot_26(mask: Tensor) -> Tensor:
    return mask | (torch.arange(mask.shape[-1]) == 26)


def without_itself(good: Placement) -> Placement:
    return replace(good, mask=good.mask & (torch.arange(good.mask.shape[-1]) != good.slots[..., None]))


def jumped(found: int, before: int, due: int) -> str:
    return (
        f"'s token in column 0 went to position {found}; its last real token before that is at {before}, so {due} was "
        f"expected"
    )


# The fault, what is in it, and of each of two rows of 4 and 2 tokens behind 23 of prefix: the step and tensor where it
# parts, and the causes. Prefix at 0 to 22; row 0 at 23 to 26, row 1 at 23 and 24, its padding in slots 25 and 26.
AGREES = None
Expected = tuple[int, str, list[str]] | None
ONE_FAULT: dict[str, tuple[Broken, Expected, Expected]] = {
    "nothing": (Broken(), AGREES, AGREES),
    "each position one too far": (
        Broken(place=lambda good: replace(good, positions=good.positions + 1)),
        (
            0,
            Q,
            [jumped(24, before=22, due=23)],
        ),
        (
            0,
            Q,
            [jumped(24, before=22, due=23)],
        ),
    ),
    "one slot hidden": (
        masked(without_slot_0),
        (0, ATTENDED, ["'s query in column 3 does not see real tokens of its text, in slot 0"]),
        (0, ATTENDED, ["'s query in column 1 does not see real tokens of its text, in slot 0"]),
    ),
    "read at -1": (
        Broken(read=lambda counts, new: torch.full_like(counts, -1)),
        AGREES,
        (0, "logits", [" was read at column 3, which is padding; its last real token is in column 1"]),
    ),
    "read one too early": (
        Broken(read=lambda counts, new: (counts - 2).clamp(min=0)),
        (0, "logits", [" was read at column 2, which is token 25 of its text; its last real token is in column 3"]),
        (0, "logits", [" was read at column 0, which is token 23 of its text; its last real token is in column 1"]),
    ),
    "all advance by the width": (
        Broken(advance=lambda counts, new: torch.full_like(counts, new)),
        AGREES,
        (
            1,
            Q,
            [
                jumped(27, before=24, due=25),
                "'s query in column 0 sees what is no token of its text, in slots 25-26",
            ],
        ),
    ),
    "all advance by too little": (
        Broken(advance=lambda counts, new: (counts - 1).clamp(min=1)),
        (
            1,
            Q,
            [
                jumped(26, before=26, due=27),
                " holds token 26 of its text in no slot",
            ],
        ),
        (
            1,
            Q,
            [
                jumped(24, before=24, due=25),
                " holds token 24 of its text in no slot",
            ],
        ),
    ),
    "no row advances": (
        Broken(advance=lambda counts, new: torch.zeros_like(counts)),
        (
            1,
            Q,
            [
                jumped(23, before=26, due=27),
                "'s query in column 0 does not see real tokens of its text, in slots 24-26",
                " holds token 23 of its text in no slot",
            ],
        ),
        (
            1,
            Q,
            [
                jumped(23, before=24, due=25),
                "'s query in column 0 does not see real tokens of its text, in slot 24",
                " holds token 23 of its text in no slot",
            ],
        ),
    ),
    "a slot of padding seen": (
        masked(with_slot_26),
        (0, ATTENDED, ["'s query in column 2 sees tokens that come after its own, in slot 26"]),
        (0, ATTENDED, ["'s query in column 1 sees what is no token of its text, in slot 26"]),
    ),
    "no mask": (
        masked(torch.ones_like),
        (
            0,
            ATTENDED,
            [
                "'s query in column 3 sees what is no token of its text, in slots 27-63",
                "'s query in column 2 sees tokens that come after its own, in slot 26",
            ],
        ),
        (
            0,
            ATTENDED,
            [
                "'s query in column 1 sees what is no token of its text, in slots 25-63",
                "'s query in column 0 sees tokens that come after its own, in slot 24",
            ],
        ),
    ),
    "a query misses itself": (
        Broken(place=without_itself),
        (0, ATTENDED, ["'s query in column 3 does not see real tokens of its text, in slot 26"]),
        (0, ATTENDED, ["'s query in column 1 does not see real tokens of its text, in slot 24"]),
    ),
}


@plain
@pytest.mark.parametrize("fault", ONE_FAULT)
def test_one_fault_is_named(model: minikv.Decoder, fault: str) -> None:
    broken, *expected = ONE_FAULT[fault]
    found = minikv.partings(model, broken.recipe, PREFIX, suffixes_of([4, 2]), max_new_tokens=3)
    for each, due in zip(found, expected, strict=True):
        if due is AGREES:
            assert agrees(each, steps=3)
        else:
            step, tensor, sentences = due
            assert (each.parted, each.step, each.tensor, each.explained) == (True, step, tensor, True)
            assert [cause.sentence for cause in each.causes] == [f"Row {each.row}{text}." for text in sentences]
            assert {cause.step for cause in each.causes} == {step}


@plain
def test_a_position_is_measured_by_the_one_before(model: minikv.Decoder) -> None:
    """Where all stand one too far, the first of the row's own does, and the others follow it rightly."""
    far, _, _ = ONE_FAULT["each position one too far"]
    suffixes = suffixes_of([4, 2])
    walk = list(far.recipe.steps(model, PREFIX, suffixes, max_new_tokens=3))
    for row, suffix in enumerate(suffixes):
        assert [(each.step, each.fault) for each in minikv.causes(walk, row, PREFIX, suffix)] == [(0, Fault.POSITION)]


@plain
def test_a_row_that_is_fed_nothing(model: minikv.Decoder) -> None:
    """An empty suffix in a loop that does not say the prefix's last token once more."""
    short, long = minikv.partings(model, Broken().recipe, PREFIX, [[], [5, 6]], max_new_tokens=1)
    assert (short.step, short.tensor, short.explained) == (0, "logits", True)
    assert [cause.sentence for cause in short.causes] == [
        "Row 0 was read at column 1, which is padding; it was fed no real token."
    ]
    assert agrees(long, steps=1)


@plain
def test_what_comes_later_is_told_once(model: minikv.Decoder) -> None:
    """A short row that is read at padding, and from the next step on does not see its first token."""
    broken = Broken(
        place=lambda good: replace(good, mask=without_slot_0(good.mask) if good.mask.shape[1] == 1 else good.mask),
        read=lambda counts, new: torch.full_like(counts, -1),
    )
    _, short = minikv.partings(model, broken.recipe, PREFIX, suffixes_of([4, 2]), max_new_tokens=4)
    assert faults(short) == [(0, Fault.MISREAD)]
    assert [(each.step, each.fault) for each in short.later] == [(1, Fault.HIDDEN)]


@plain
def test_where_nothing_parts_the_largest_difference_is_told(model: minikv.Decoder) -> None:
    suffixes = suffixes_of([4, 2])
    by_count = [minikv.partings(model, "per_row_offsets", PREFIX, suffixes, max_new_tokens=n) for n in range(1, 6)]
    for row in range(2):
        sizes = [found[row].difference.relative for found in by_count]
        assert sizes == sorted(sizes)
        assert 0 < sizes[-1] < 1e-4
    assert any(found.step < 4 for found in by_count[-1])


@plain
def test_two_tokens_swapped(model: minikv.Decoder) -> None:
    swapped = Broken(feed=lambda tokens: tokens[:, [1, 0, 2, 3]])
    found = minikv.partings(model, swapped.recipe, PREFIX, [[5, 6, 7, 8], [9, 10]], max_new_tokens=1)
    for each, first, second in zip(found, (5, 9), (6, 10), strict=True):
        assert (each.step, each.tensor) == (0, "model.embed_tokens")
        assert [cause.sentence for cause in each.causes] == [
            f"Row {each.row} was fed 2 of {4 - 2 * each.row} tokens out of order: column 0 has the id {second}, but "
            f"token 23 of the text is {first}."
        ]


@plain
def test_in_gpt2_a_position_acts_at_its_embedding(model: minikv.Decoder) -> None:
    gpt2 = GPT2(
        GPT2Config.parse(
            {"vocab_size": 97, "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 128, "layer_norm_epsilon": 1e-5}
        )
    )
    far, _, _ = ONE_FAULT["each position one too far"]
    for each in minikv.partings(gpt2, far.recipe, PREFIX, suffixes_of([4, 2]), max_new_tokens=2):
        assert (each.tensor, faults(each), each.explained) == ("transformer.wpe", [(0, Fault.POSITION)], True)
    for recipe in RIGHT:
        found = minikv.partings(gpt2, recipe, PREFIX, suffixes_of([4, 2]), max_new_tokens=2)
        assert all(agrees(each, steps=2) for each in found)


# --- the numbers alone ------------------------------------------------------------------------------------------------


def with_another_weight(name: str, recipe: str) -> Recipe:
    """A recipe right or wrong, on a weight that is another one while it runs."""

    def walk(model: minikv.Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
        weight = model.get_parameter(name).data
        weight[0] += 0.5
        try:
            yield from RECIPES[recipe].walk(model, prefix, suffixes, limits)
        finally:
            weight[0] -= 0.5

    return Recipe("another_weight", right=False, walk=walk)


@plain
def test_a_fault_in_the_numbers_is_no_fault_of_the_placement(model: minikv.Decoder) -> None:
    recipe = with_another_weight("model.layers.1.mlp.up_proj.weight", "per_row_offsets")
    for each in minikv.partings(model, recipe, PREFIX, suffixes_of([4, 2]), max_new_tokens=2):
        assert (each.parted, each.step, each.tensor, each.layer) == (True, 0, "model.layers.1.mlp.up_proj", 1)
        assert (each.causes, each.later, each.explained) == ((), (), False)
        assert "Nothing in the placement explains it. It is in the numbers" in repr(each)


@plain
def test_a_fault_that_acts_later_is_not_the_reason(model: minikv.Decoder) -> None:
    """The short row is read at padding, but its values differ before it is read at all."""
    recipe = with_another_weight("model.layers.0.self_attn.v_proj.weight", "right_padded_batch")
    short, long = minikv.partings(model, recipe, PREFIX, suffixes_of([2, 4]), max_new_tokens=1)
    assert short.tensor == long.tensor == "model.layers.0.self_attn.v_proj"
    assert faults(short) == [(0, Fault.MISREAD)]
    assert long.causes == ()
    assert (short.explained, long.explained) == (False, False)


def test_where_a_row_was_read_explains_no_other_step() -> None:
    """It changes what the row chooses, and both runs are fed that."""
    names = ["embed", "0.q", "0.attended", "logits"]
    misread, hidden = (Cause(fault, 1, "") for fault in (Fault.MISREAD, Fault.HIDDEN))
    assert [can_explain(misread, step, "logits", names) for step in (0, 1, 2)] == [False, True, False]
    assert [can_explain(hidden, step, "0.q", names) for step in (0, 1, 2)] == [False, False, True]
    assert [can_explain(hidden, step, "0.attended", names) for step in (0, 1, 2)] == [False, True, True]


def test_in_16_bits_rounding_is_no_cause(checkpoint: Path) -> None:
    model, _ = minikv.load(checkpoint, dtype=torch.bfloat16)
    suffixes = suffixes_of([2, 5, 9])
    for each in minikv.partings(model, "suffix_left_padded", PREFIX, suffixes, max_new_tokens=3):
        assert agrees(each, steps=3)
    closely = minikv.partings(model, "suffix_left_padded", PREFIX, suffixes, max_new_tokens=3, rtol=1e-3)
    parted = [each for each in closely if each.parted]
    assert parted, "no row was rounded otherwise; the test shows nothing"
    for each in parted:
        assert (each.explained, each.causes) == (False, ())
        assert "Nothing in the placement explains it. In 16 bits it may be rounding" in repr(each)
    short, middle, long = minikv.partings(model, "left_shifted_stable", PREFIX, suffixes, max_new_tokens=3)
    assert agrees(long, steps=3)
    assert short.explained
    assert middle.explained


# --- what it says and refuses -----------------------------------------------------------------------------------------


@plain
def test_it_speaks_in_sentences(model: minikv.Decoder) -> None:
    short, long = minikv.partings(model, "right_padded_batch", PREFIX, suffixes_of([2, 4]), max_new_tokens=2)
    size = f"{100 * short.difference.relative:.3g}% ({short.difference.max:.2g} at most)"
    assert repr(short) == (
        f"Row 0 of right_padded_batch parts from the row alone at step 0 in logits, by {size}; all before it agrees "
        f"within 0.1%. It chooses token {short.chosen} there, and token {short.chosen_alone} alone. Row 0 was read at "
        f"column 3, which is padding; its last real token is in column 1. Later, at step 1: Row 0's token in column 0 "
        f"went to position 1; its last real token before that is at 24, so 25 was expected."
    )
    assert repr(long).startswith(
        "Row 1 of right_padded_batch agrees with the row alone in each of 2 steps: the largest"
    )
    as_json = json.loads(json.dumps(short.as_json(), allow_nan=False))
    assert as_json["causes"][0]["fault"] == "read at the wrong column"
    assert (as_json["row"], as_json["parted"], as_json["layer"]) == (0, True, None)


@plain
def test_numbers_may_agree_where_the_placement_is_wrong(model: minikv.Decoder) -> None:
    """A row that is read one too early at a token that stands there twice, with nothing before it."""
    found = minikv.partings(
        model, Broken(read=lambda counts, new: counts * 0).recipe, [], [[7, 7]], max_new_tokens=1, rtol=1e9
    )
    assert (found[0].parted, found[0].explained) == (False, False)
    assert faults(found[0]) == [(0, Fault.MISREAD)]
    assert "Yet its placement is not right, at step 0: Row 0 was read at column 0" in repr(found[0])


@plain
def test_what_it_refuses(model: minikv.Decoder) -> None:
    assert minikv.partings(model, "per_row_offsets", PREFIX, []) == []
    with pytest.raises(MinikvError, match="no recipe 'right'; expected one of"):
        minikv.partings(model, "right", PREFIX, [[1]])
    with pytest.raises(MinikvError, match="max_new_tokens is 0; expected at least one"):
        minikv.partings(model, "naive_loop", PREFIX, [[1]], max_new_tokens=0)
    with pytest.raises(MinikvError, match="suffix 1 is empty"):
        minikv.partings(model, "right_padded_batch", PREFIX, [[1], []])
    silent = Recipe("silent", right=False, walk=lambda *job: iter(()))
    with pytest.raises(MinikvError, match="silent gave no step for row 0"):
        minikv.partings(model, silent, PREFIX, [[1]])


@pytest.mark.parametrize("model", ["fast"], indirect=True)
def test_the_fast_form_is_refused_before_anything_is_computed(
    model: minikv.Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "hidden", None)
    with pytest.raises(MinikvError, match="fast form"):
        minikv.partings(model, "per_row_offsets", PREFIX, [[1]])


@plain
def test_a_pass_with_right_drafts_is_several_steps(model: minikv.Decoder) -> None:
    prefix, suffixes = ids(8, seed=3), [ids(2, seed=62), ids(5, seed=65), ids(1, seed=61)]
    walk = list(DRAFTED.steps(model, prefix, suffixes, max_new_tokens=20))
    assert {step.prompts for step in walk} > {(0, 1, 2), (0, 1)}, "all rows guess alike"
    for each in minikv.partings(model, DRAFTED, prefix, suffixes, max_new_tokens=20):
        assert agrees(each, steps=20)
    for count in range(len(walk)):  # in the middle of a pass too
        for row, suffix in enumerate(suffixes):
            assert minikv.causes(walk[:count], row, prefix, suffix) == []


def why(*arguments: object) -> list[str]:
    done = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"}).invoke(app, ["why", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def test_the_command_tells_of_each_key(chat_checkpoint: Path, tmp_path: Path) -> None:
    document = tmp_path / "document.txt"
    document.write_text("Kestrel 9B is a decoder-only model.")
    job = (
        "--model",
        chat_checkpoint,
        "--document",
        document,
        "--keys",
        "Model \x1b[2J name,Use",
        "--max-new-tokens",
        2,
    )
    lines = why(*job)
    assert lines[0] == "Model \ufffd[2J name"
    assert lines[1].startswith("  Row 0 of right_padded_batch agrees with the row alone in each of 2 steps")
    assert lines[3] == "Use"
    assert lines[4].startswith("  Row 1 of right_padded_batch parts from the row alone at step 0 in logits, by ")
    assert why(*job, "--row", 1) == lines[3:]
    (only,) = json.loads("".join(why(*job, "--json", "--row", 1, "--recipe", "left_shifted_stable")))["rows"]
    assert (only["key"], only["tensor"], only["causes"][0]["fault"]) == ("Use", ATTENDED, "real slot hidden")


def test_the_command_refuses_a_row_that_is_not_there(chat_checkpoint: Path) -> None:
    done = CliRunner(env={"TERM": "dumb"}).invoke(app, ["why", "--model", str(chat_checkpoint), "--row", "6"])
    assert done.exit_code == 1
    assert "--row is 6; expected a number from 0 to 5, since there are 6 keys" in " ".join(done.output.split())
