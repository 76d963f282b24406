"""The grid: what stands in each slot after each step, worked out by hand for rows of 2, 1 and 4 tokens."""

import pytest
import torch

import minikv
from minikv.look.grid import Kind, grid_after
from minikv.speed.draft import DRAFTED

PREFIX, SUFFIXES = [5, 6, 7], [[11, 12], [13], [14, 15, 16, 17]]
LETTERS = ".PRxG"  # Kind, as a letter


def kinds(walk: list[minikv.Step]) -> list[str]:
    return ["".join(LETTERS[kind] for kind in row) for row in grid_after(walk).kinds.tolist()]


def walk_of(model: minikv.Decoder, name: str, count: int = 3) -> list[minikv.Step]:
    return list(minikv.RECIPES[name].steps(model, PREFIX, SUFFIXES, max_new_tokens=count))


def test_each_row_goes_on_at_its_own_end(model: minikv.Decoder) -> None:
    walk = walk_of(model, "per_row_offsets")
    assert kinds(walk[:1]) == ["PPPRRxx..", "PPPRxxx..", "PPPRRRR.."]
    assert kinds(walk) == ["PPPRRGG..", "PPPRGGx..", "PPPRRRRGG"]
    grid = grid_after(walk)
    assert grid.positions.tolist() == [
        [0, 1, 2, 3, 4, 5, 6, -1, -1],
        [0, 1, 2, 3, 4, 5, 6, -1, -1],
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ]
    assert grid.rewritten.nonzero().tolist() == [[0, 5], [0, 6], [1, 4], [1, 5]]  # what was padding
    assert grid.lengths.tolist() == [7, 6, 9]
    chosen = [step.chosen.tolist() for step in walk]
    assert grid.tokens[2].tolist() == [*PREFIX, *SUFFIXES[2], chosen[0][2], chosen[1][2]]


def test_on_a_shared_offset_short_rows_keep_their_padding_and_restart(model: minikv.Decoder) -> None:
    grid = grid_after(walk := walk_of(model, "right_padded_batch"))
    assert kinds(walk) == ["PPPRRxxGG", "PPPRxxxGG", "PPPRRRRGG"]
    assert grid.positions.tolist() == [
        [0, 1, 2, 3, 4, 0, 0, 1, 2],
        [0, 1, 2, 3, 0, 0, 0, 1, 2],
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ]
    assert not grid.rewritten.any()


def test_a_shift_doubles_positions(model: minikv.Decoder) -> None:
    grid = grid_after(walk_of(model, "left_shifted_stable"))
    assert grid.positions[1].tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 5]
    assert grid.tokens[1, :7].tolist() == [*PREFIX, *PREFIX, 13]


def test_padding_between_prefix_and_suffix(model: minikv.Decoder) -> None:
    walk = walk_of(model, "suffix_left_padded")
    assert kinds(walk) == ["PPPxxRRGG", "PPPxxxRGG", "PPPRRRRGG"]


def test_one_prompt_after_the_other(model: minikv.Decoder) -> None:
    walk = walk_of(model, "naive_loop")
    assert kinds(walk[:3]) == ["RRRRRGG"]
    assert kinds(walk[:4]) == ["RRRR.."]  # the second prompt's cache, not the first one's
    assert kinds(walk_of(model, "single_row_cache")) == ["PPPRRRRGG"]


def test_what_a_row_is_fed_after_its_end_is_padding(model: minikv.Decoder) -> None:
    for name in ("right_padded_batch", "per_row_offsets"):
        recipe = minikv.RECIPES[name]
        free = list(recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=4))
        stop = int(free[0].chosen[2])
        assert all(stop not in step.chosen[:2].tolist() for step in free), "the others would end as well"
        grid = grid_after(list(recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=4, stop_ids=[stop])))
        assert [LETTERS[kind] for kind in grid.kinds[2].tolist()][7] == "x"


def test_drafts_write_wrong_guesses_over(model: minikv.Decoder) -> None:
    walk = list(DRAFTED.steps(model, [5, 6, 7, 5, 6], [[7, 5], [6]], max_new_tokens=6))
    grid = grid_after(walk)
    new = minikv.generate(model, [[7, 5], [6]], minikv.prefill(model, [5, 6, 7, 5, 6]), max_new_tokens=6)
    for row, (prompt, own) in enumerate(zip([[7, 5], [6]], new, strict=True)):
        length = int(grid.lengths[row])
        assert grid.tokens[row, :length].tolist() == [5, 6, 7, 5, 6, *prompt, *own][:length]
        assert Kind.PADDING not in grid.kinds[row, :length].tolist()
        assert grid.positions[row, :length].tolist() == torch.arange(length).tolist()


def test_no_steps() -> None:
    with pytest.raises(minikv.MinikvError, match="no steps"):
        grid_after([])
