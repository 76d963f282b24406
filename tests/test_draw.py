"""Pictures: what they tell of each slot, by hand for rows of 2, 1 and 4 tokens; and that they are drawn, whole and
harmless, whatever the texts in them."""

import re
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from IPython.core.formatters import DisplayFormatter
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import minikv
from minikv import draw
from minikv.draw.cells import Cell, Cells, Gap, astray, fold
from minikv.draw.looks import FACES, PAPER, WRONG
from minikv.draw.panels import Line, Panel, paint
from minikv.draw.views import attention_view, mask_view
from minikv.draw.words import drawable, fitted, shortened, width_of
from minikv.look.grid import Kind
from minikv.speed.draft import DRAFTED
from tests.test_cli import run
from tests.test_grid import LETTERS, walk_of

HOSTILE = ["$x$", "\\frac{1}{2}", "a\nb\tc\r", "\u202egnp.exe", "\x1b[2J\x00", "\U0001f642", "</svg>--><b>&", "東"]


@pytest.fixture(scope="module")
def plain(checkpoint: Path) -> minikv.Decoder:
    """One form of the fixture: the cells are the same in all three, and so are the pictures."""
    model, _ = minikv.load(checkpoint, dtype=torch.float32)
    return model


def marked(cells: Cells, mark: str) -> list[str]:
    """Where the cells of each row have a mark."""
    return ["".join("^" if getattr(cell, mark) else "." for cell in row) for row in cells]


def kinds(cells: Cells) -> list[str]:
    return ["".join(LETTERS[cell.kind] for cell in row) for row in cells]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def faces(figure: Figure, panel: int = 0) -> dict[tuple[int, int], str]:
    """The colour of each cell, by line and slot."""
    found = {}
    for patch in figure.artists:
        named = re.fullmatch(rf"panel-{panel}-line-(\d+)-slot-(\d+)", patch.get_gid() or "")
        if named:
            found[int(named[1]), int(named[2])] = to_hex(patch.get_facecolor()).upper()
    return found


def outlined(figure: Figure, colour: str) -> int:
    """How many frames of this colour there are."""
    boxes = [patch for patch in figure.artists if isinstance(patch, Rectangle)]
    return sum(to_hex(box.get_edgecolor(), keep_alpha=True).upper() == f"{colour}FF" for box in boxes)


# --- what the cells are -----------------------------------------------------------------------------------------------


def test_cells_where_each_row_has_its_own_offset(model: minikv.Decoder) -> None:
    walk = walk_of(model, "per_row_offsets")
    first = draw.cells_after(walk[:1])
    assert kinds(first) == ["PPPRRxx..", "PPPRxxx..", "PPPRRRR.."]
    assert marked(first, "read") == ["....^....", "...^.....", "......^.."]
    assert marked(first, "end") == marked(first, "read")
    assert marked(first, "hidden") == [".....^^..", "....^^^..", "........."]
    assert marked(first, "rewritten") == ["........."] * 3
    cells = draw.cells_after(walk)
    assert kinds(cells) == ["PPPRRGG..", "PPPRGGx..", "PPPRRRRGG"]
    assert marked(cells, "read") == ["......^..", ".....^...", "........^"]
    assert marked(cells, "end") == marked(cells, "read")
    assert marked(cells, "hidden") == [".........", "......^..", "........."]
    assert marked(cells, "rewritten") == [".....^^..", "....^^...", "........."]
    assert marked(cells, "astray") == ["........."] * 3
    chosen = [str(int(step.chosen[1])) for step in walk]
    assert [cell.text for cell in cells[1]] == ["5", "6", "7", "13", *chosen[:2], "pad", "", ""]
    assert [cell.position for cell in cells[1]] == [0, 1, 2, 3, 4, 5, 6, None, None]


def test_cells_where_short_rows_are_read_at_padding_and_restart(model: minikv.Decoder) -> None:
    walk = walk_of(model, "right_padded_batch")
    cells = draw.cells_after(walk)
    assert kinds(cells) == ["PPPRRxxGG", "PPPRxxxGG", "PPPRRRRGG"]
    assert marked(cells, "read") == marked(cells, "end") == ["........^"] * 3
    assert marked(cells, "hidden") == [".....^^..", "....^^^..", "........."]
    assert marked(cells, "astray") == [".......^^", ".......^^", "........."]  # positions 1, 2
    assert marked(draw.cells_after(walk, read_at=0), "read") == ["......^.."] * 3
    assert marked(draw.cells_after(walk, read_at=0), "hidden") == marked(cells, "hidden")


def test_cells_where_a_shift_doubles_positions_and_hides_the_prefix(model: minikv.Decoder) -> None:
    cells = draw.cells_after(walk_of(model, "left_shifted_stable"))
    assert [cell.position for cell in cells[1]] == [0, 1, 2, 0, 1, 2, 3, 4, 5]
    assert marked(cells, "astray") == ["...^^....", "...^^^...", "........."]
    assert marked(cells, "hidden") == ["^^.......", "^^^......", "........."]


def test_a_position_that_skips_is_astray_too() -> None:
    own = [Kind.PREFIX, Kind.REAL, Kind.PADDING, Kind.GENERATED, Kind.GENERATED, Kind.EMPTY]
    assert astray(own, [0, 1, 0, 2, 3, -1]) == [False] * 6
    assert astray(own, [0, 2, 0, 3, 1, -1]) == [False, True, False, False, True, False]
    assert astray(own, [1, 2, 0, 3, 3, -1]) == [True, False, False, False, True, False]


def test_cells_where_the_padding_is_in_the_middle(model: minikv.Decoder) -> None:
    cells = draw.cells_after(walk_of(model, "suffix_left_padded"))
    assert marked(cells, "hidden") == ["...^^....", "...^^^...", "........."]
    assert marked(cells, "astray") == ["........."] * 3


def test_nothing_is_read_in_a_row_that_has_ended(model: minikv.Decoder) -> None:
    recipe, job = minikv.RECIPES["right_padded_batch"], ([5, 6, 7], [[11, 12], [13], [14, 15, 16, 17]])
    free = list(recipe.steps(model, *job, max_new_tokens=4))
    stop = int(free[0].chosen[2])
    walk = list(recipe.steps(model, *job, max_new_tokens=4, stop_ids=[stop]))
    assert marked(draw.cells_after(walk[:1]), "read")[2] == "......^..."
    later = draw.cells_after(walk[:3])
    assert marked(later, "read") == ["........^.", "........^.", ".........."]
    assert marked(later, "hidden")[2] == ".........."
    assert "9, ended" in texts(draw.cache(walk[:3]))


def test_drafts_that_were_right_are_several_reads_of_one_pass(model: minikv.Decoder) -> None:
    walk = list(DRAFTED.steps(model, [5, 6, 7, 5, 6], [[7, 5], [6]], max_new_tokens=6))
    for number in range(len(walk)):
        cells, step = draw.cells_after(walk[: number + 1]), walk[number]
        expected = {prompt: int(step.placement.slots[at, step.read[at]]) for at, prompt in enumerate(step.prompts)}
        assert {row: marks.index("^") for row, marks in enumerate(marked(cells, "read")) if "^" in marks} == expected


def test_one_prompt_after_the_other_has_its_own_name(model: minikv.Decoder) -> None:
    walk = walk_of(model, "naive_loop")
    assert "second" in texts(draw.cache(walk[:4], names=["first", "second", "third"]))
    with pytest.raises(minikv.MinikvError, match="1 names, but there is a prompt 1"):
        draw.cache(walk[:4], names=["first"])


# --- what is folded ---------------------------------------------------------------------------------------------------


def row(letters: str, hidden: Sequence[int] = ()) -> list[Cell]:
    return [Cell(Kind(LETTERS.index(letter)), hidden=slot in hidden) for slot, letter in enumerate(letters)]


def test_a_long_prefix_is_folded_to_its_ends() -> None:
    table = [row("P" * 250 + "RRx"), row("P" * 250 + "RxG")]
    assert fold([table]) == [0, 1, Gap(2, 248), 248, 249, 250, 251, 252]
    assert Gap(2, 248).count == 246
    assert fold([[row("P" * 16 + "R")]]) == list(range(17))
    assert fold([[row("P" * 17 + "R")]]) == [0, 1, Gap(2, 15), 15, 16, 17]


def test_what_differs_is_never_folded() -> None:
    assert fold([[row("P" * 30, hidden=(0, 1, 2))]]) == [0, 1, 2, 3, 4, Gap(5, 28), 28, 29]
    # One table's prefix is another's prompt, and one ends before the other; the columns are the same for both.
    both = [[row("P" * 30 + "RG")], [row("R" * 32 + "x")]]
    assert fold(both) == [0, 1, Gap(2, 28), 28, 29, 30, 31, 32]
    assert fold([[row("P" + "." * 40)]]) == [0, 1, Gap(2, 40), 40]
    assert fold([[row("P" * 20)], [row("P" * 20 + "." * 20)]]) == [0, 1, Gap(2, 18), 18, 19, 20, Gap(21, 39), 39]


def test_slots_to_keep_open_a_fold() -> None:
    table = [row("P" * 40)]
    assert fold([table], keep=[10]) == [0, 1, Gap(2, 10), 10, Gap(11, 38), 38, 39]
    assert fold([table], keep=[3]) == [0, 1, 2, 3, Gap(4, 38), 38, 39]  # a gap of one would save nothing


def test_a_fold_says_how_many_slots_it_leaves_out(plain: minikv.Decoder) -> None:
    walk = list(minikv.RECIPES["per_row_offsets"].steps(plain, [*range(40)], [[50], [51, 52]], max_new_tokens=2))
    figure = draw.cache(walk)
    assert "36 slots" in texts(figure)
    assert [slot for line, slot in faces(figure) if line == 0] == [0, 1, 38, 39, 40, 41, 42]


def test_narrow_cells_are_colours_alone(plain: minikv.Decoder) -> None:
    walk = list(
        minikv.RECIPES["per_row_offsets"].steps(plain, [1], [[*range(size)] for size in range(1, 60)], max_new_tokens=2)
    )
    figure = draw.cache(walk)
    assert len(faces(figure)) == 59 * 61
    assert len(texts(figure)) < 2 * 59 + 61 + 15  # names, lengths, the slots' numbers and the legend
    assert not any(text.startswith("In each cell") for text in texts(figure))


# --- what is painted --------------------------------------------------------------------------------------------------


def test_every_cell_is_painted_in_the_colour_of_its_kind(plain: minikv.Decoder) -> None:
    figure = draw.cache(walk_of(plain, "right_padded_batch"), names=["a", "b", "c"])
    rows = ["PPPRRxxGG", "PPPRxxxGG", "PPPRRRRGG"]
    expected = {
        (line, slot): FACES[Kind(LETTERS.index(kind))] for line, own in enumerate(rows) for slot, kind in enumerate(own)
    }
    assert faces(figure) == expected
    written = texts(figure)
    assert written.count("pad") == 5
    assert written.count("read") == 3
    assert written.count("9") == 3  # the lengths
    assert {"a", "b", "c"} <= set(written)
    assert outlined(figure, WRONG) == 4 + 1  # positions 1 and 2 of two rows, and once in the legend


def test_reading_at_padding_stands_out(plain: minikv.Decoder) -> None:
    first = walk_of(plain, "right_padded_batch")[:1]
    figure = draw.cache(first)
    assert outlined(figure, WRONG) == 2 * 2  # a frame and a flag in each short row
    assert outlined(draw.cache(walk_of(plain, "per_row_offsets")[:1]), WRONG) == 0


def test_positions_are_painted_from_near_to_far(plain: minikv.Decoder) -> None:
    figure = draw.positions(walk_of(plain, "right_padded_batch"))
    colours = faces(figure)
    assert colours[0, 7] == colours[0, 1]  # position 1 again
    assert colours[0, 8] == colours[0, 2]
    assert len({colours[2, slot] for slot in range(9)}) == 9
    assert colours[0, 5] == FACES[Kind.PADDING]


def test_a_mask_has_a_line_for_each_query(plain: minikv.Decoder) -> None:
    walk = walk_of(plain, "per_row_offsets")
    panel = mask_view(walk[:1])
    prefix = [FACES[Kind.PREFIX]] * 3
    own = {0: [Kind.REAL] * 2 + [Kind.PADDING] * 2, 1: [Kind.REAL] + [Kind.PADDING] * 3, 2: [Kind.REAL] * 4}
    for number, line in enumerate(panel.lines):
        row_, query = divmod(number, 4)
        seen = [*prefix, *(FACES[kind] for kind in own[row_][: query + 1])]
        assert [look.face for look in line.looks] == seen + [PAPER] * (9 - len(seen))
        assert [look.crossed for look in line.looks] == [False] * len(seen) + [True] * (7 - len(seen)) + [False] * 2
        assert [slot for slot, look in enumerate(line.looks) if look.word] == [3 + query]
    assert [line.note for line in panel.lines if "read" in line.note] == ["1, read", "0, read", "3, read"]
    framed = {n: [slot for slot, look in enumerate(line.looks) if look.frame] for n, line in enumerate(panel.lines)}
    assert {n: slots for n, slots in framed.items() if slots} == {1: [4], 4: [3], 11: [6]}
    assert len(mask_view(walk).lines) == 3  # one query a row
    draw.mask(walk)


def test_a_long_prompt_is_shown_by_its_last_queries(plain: minikv.Decoder) -> None:
    walk = list(minikv.RECIPES["naive_loop"].steps(plain, [*range(40)], [[50]], max_new_tokens=1))
    panel = mask_view(walk)
    assert [line.note for line in panel.lines] == [*(str(column) for column in range(25, 40)), "40, read"]
    assert set(panel.keep) == set(range(25, 41))


def test_attention_shows_what_each_read_query_spends_where(plain: minikv.Decoder) -> None:
    prefix, suffixes = [*range(40)], [[50], [51, 52]]
    walk = list(minikv.RECIPES["per_row_offsets"].steps(plain, prefix, suffixes, max_new_tokens=1))
    weights = torch.zeros(2, 2, 2, 42)  # rows heads new seen
    weights[0, 1, 0, [20, 30, 40]] = torch.tensor([0.5, 0.3, 0.2])
    weights[1, 1, 1, [5, 20, 41]] = torch.tensor([0.1, 0.25, 0.65])
    weights[1, 1, 0, 7] = 1.0  # a query that is not read
    panel = attention_view(weights, 1, walk)
    assert {slot: look.number for slot, look in enumerate(panel.lines[0].looks) if look.number} == {
        20: "50%",
        30: "30%",
        40: "20%",
    }
    assert {slot: look.number for slot, look in enumerate(panel.lines[1].looks) if look.number} == {
        5: "10%",
        20: "25%",
        41: "65%",
    }
    assert set(panel.keep) == {5, 20, 30, 40, 41}
    assert panel.lines[0].looks[41].crossed  # row 0's padding
    weights[0, 1, 0, 10:14] = 0.01
    written = texts(draw.attention(walk, weights, head=1))
    assert "4%" in written  # the sum of the fold from 6 to 19
    with pytest.raises(minikv.MinikvError, match="head is 2; expected 0 to 1"):
        draw.attention(walk, weights, head=2)
    with pytest.raises(minikv.MinikvError, match="weights of 2 rows, 1 new"):
        draw.attention(walk, weights[:, :, :1], head=0)


def test_attention_of_a_trace(plain: minikv.Decoder) -> None:
    with minikv.trace(plain, "model.layers.1.self_attn.weights") as seen:
        walk = walk_of(plain, "per_row_offsets")
    weights = seen["model.layers.1.self_attn.weights"]
    panel = attention_view(weights, 3, walk)
    assert [sum(line.weights) for line in panel.lines] == pytest.approx([1, 1, 1])
    draw.attention(walk, weights, head=3)


def test_recipes_beside_each_other_stand_in_the_same_columns(plain: minikv.Decoder) -> None:
    names = ("naive_loop", "right_padded_batch", "per_row_offsets")
    figure = draw.beside({name: walk_of(plain, name) for name in names})
    assert [text for text in texts(figure) if text[0] in "✓✗"] == [
        "✓ naive_loop",
        "✗ right_padded_batch",
        "✓ per_row_offsets",
    ]
    left = {
        (panel, slot): patch.get_x()
        for patch in figure.artists
        for panel, slot in re.findall(r"panel-(\d)-line-0-slot-(\d+)", patch.get_gid() or "")
    }
    assert all(x == left["1", slot] for (_, slot), x in left.items())
    with pytest.raises(minikv.MinikvError, match="no recipe 'fast'"):
        draw.beside({"fast": walk_of(plain, "naive_loop")})


def test_a_strip_shows_each_step(plain: minikv.Decoder) -> None:
    figure = draw.strip(walk_of(plain, "per_row_offsets"))
    assert [text for text in texts(figure) if text.startswith("step")] == ["step 0", "step 1", "step 2"]
    assert [faces(figure, panel)[0, 5] for panel in range(3)] == [FACES[Kind.PADDING], *[FACES[Kind.GENERATED]] * 2]


# --- text that nobody checked -----------------------------------------------------------------------------------------


def test_hostile_text_is_drawn_as_letters(
    plain: minikv.Decoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minikv.draw.cells.token_text", lambda token, tokenizer: HOSTILE[token % len(HOSTILE)])
    figure = draw.cache(walk_of(plain, "per_row_offsets"), names=HOSTILE)
    assert not any(text.get_parse_math() for text in figure.texts)
    assert "$x$" in texts(figure)
    assert not set("".join(texts(figure))) & set("\n\t\r\x1b\x00\u202e\U0001f642東")
    for path in (tmp_path / "a.svg", tmp_path / "a.png"):
        draw.save(figure, path)  # a warning about a glyph would be an error here
    names = {element.tag for element in ElementTree.parse(tmp_path / "a.svg").iter()}
    assert not any(name.endswith(("}b", "}script")) for name in names)


def test_text_is_made_drawable() -> None:
    assert drawable("a\nb\tc") == "a↵b⇥c"
    assert drawable("\u202e\x07\U0001f642é") == "\ufffd\ufffd\ufffdé"
    assert drawable("$x_1$") == "$x_1$"
    assert len(drawable("a" * 10**6)) == 200


def test_text_is_made_to_fit() -> None:
    assert fitted("read", 1.0, 7.0) == ("read", 7.0)
    assert fitted("read", width_of("read", 6.0), 7.0) == ("read", 6.0)
    assert fitted("1948", 0.1, 7.0) == ("", 5.0)  # half a number is another number
    assert shortened("read", 1.0, 7.0) == ("read", 7.0)
    cut, size = shortened("antidisestablishmentarianism", 0.5, 7.0)
    assert (cut[-1], size) == ("…", 5.0)
    assert "antidisestablishmentarianism".startswith(cut[:-1])
    assert width_of(cut, size) <= 0.5 < width_of("antidisestablishmentarianism"[: len(cut)] + "…", size)
    assert shortened("read", 0.1, 7.0) == ("", 5.0)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_is_whole_and_always_the_same(plain: minikv.Decoder, tmp_path: Path) -> None:
    for name in ("a.png", "b.png", "a.svg", "b.svg"):
        draw.save(draw.cache(walk_of(plain, "per_row_offsets")), tmp_path / name)
    png = (tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert b"IEND" in png[-12:]
    assert int.from_bytes(png[16:20], "big") == 1720
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    for ending in ("png", "svg"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_a_notebook_shows_it(plain: minikv.Decoder) -> None:
    figure = draw.cache(walk_of(plain, "per_row_offsets")[:1])
    shown, _ = DisplayFormatter().format(figure)
    wide, _ = struct.unpack(">II", shown["image/png"][16:24])  # a PNG's first chunk begins with its size
    assert wide == 946, "8.6 inches"


def test_errors_leave_no_file(plain: minikv.Decoder, tmp_path: Path) -> None:
    walk = walk_of(plain, "per_row_offsets")
    with pytest.raises(minikv.MinikvError, match=r"ends in \.png or \.svg"):
        draw.save(draw.cache(walk), tmp_path / "a.pdf")
    figure = draw.cache(walk)
    figure.set_size_inches(1e6, 1e6)
    with pytest.raises(ValueError, match="too large"):
        draw.save(figure, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(minikv.MinikvError, match=r"inches tall; expected at most"):
        paint([Panel([Line([]) for _ in range(500)], [row("P")])])
    with pytest.raises(minikv.MinikvError, match="no steps"):
        draw.cache([])


def test_matplotlib_is_imported_by_a_picture_alone() -> None:
    code = "import minikv.cli, minikv.draw, sys; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_a_picture_asks_for_matplotlib(plain: minikv.Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minikv.bench.draw.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(minikv.MinikvError, match="pip install matplotlib"):
        draw.cache(walk_of(plain, "per_row_offsets"), names=["a name", "that no picture", "has measured yet"])


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_bug_and_its_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept: list[Figure] = []
    monkeypatch.setattr("minikv.commands.draw.save", lambda figure, path: kept.append(figure))
    done = run("draw", "--out", tmp_path / "a.png")
    assert (done.exit_code, done.stdout) == (0, "")
    written = [text for text in texts(kept[0]) if text[:2] in ("✓ ", "✗ ")]
    assert [text[0] for text in written] == [*"✗✗✗✓", *"✓✓✓✓"]
    assert (written[0], written[4]) == ("✗ right_padded_batch", "✓ per_row_offsets")
    # On a document that the bundled weights read well.
    assert written[5:] == ["✓ Kestrel 9B", "✓ MIT licence", "✓ 9.2 billion parameters"]
    assert written[3] == written[7]
    # Slots 242 to 249 of the short rows: the whole lesson.
    letters = {FACES[Kind(kind)]: letter for kind, letter in enumerate(LETTERS)}
    painted = [
        ["".join(letters[faces(kept[0], panel)[line, slot]] for slot in range(242, 250)) for line in range(3)]
        for panel in range(2)
    ]
    assert painted == [["RRxxxxGG", "RRRRRxGG", "RRRRRRGG"], ["RRGGxx..", "RRRRRGG.", "RRRRRRGG"]]
    assert outlined(kept[0], WRONG) == 2 * 2 + 2 * 2 + 1  # read at padding; positions 1 and 2; the legend


@pytest.mark.parametrize("what", ["cache", "positions", "mask", "attention", "strip"])
def test_the_command_draws(chat_checkpoint: Path, tmp_path: Path, what: str) -> None:
    out = tmp_path / "new" / "a.svg"
    recipes = "naive_loop,per_row_offsets" if what == "cache" else "per_row_offsets"
    head = ("--layer", 2, "--head", 3) if what == "attention" else ()
    common = ("--model", chat_checkpoint, "--keys", "Licence,Model name", "--step", 1, "--out", out)
    done = run("draw", "--recipe", recipes, "--what", what, *common, *head)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    svg = out.read_text()
    ElementTree.fromstring(svg)
    assert "✓ per_row_offsets" in svg
    assert ("step 1, layer 2, head 3" if head else "step 1") in svg
    assert "Model name" in svg


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--out", "a.pdf"], 1, "ends in .png or .svg"),
        (["--out", "a.png", "--recipe", "per_row_offsets,fast"], 1, "no recipe 'fast'"),
        (["--out", "a.png", "--recipe", "per_row_offsets", "--what", "keys"], 2, "'keys' is none of cache"),
        (["--out", "a.png", "--recipe", "per_row_offsets", "--layer", "1"], 2, "needs --what attention"),
        (["--out", "a.png", "--what", "mask"], 2, "needs --recipe"),
        (["--out", "a.png", "--step", "3"], 2, "needs --recipe"),
        (
            ["--out", "a.png", "--recipe", "per_row_offsets", "--what", "attention", "--layer", "3"],
            1,
            "layer 3, head 0",
        ),
        (["--out", "a.png", "--recipe", "per_row_offsets", "--what", "attention", "--head", "4"], 1, "layer 0, head 4"),
        (
            ["--out", "a.png", "--recipe", "per_row_offsets", "--step", "3", "--max-new-tokens", "3"],
            1,
            "--step is 3, but per_row_offsets took 3 steps here; expected 0 to 2",
        ),
    ],
)
def test_a_mistake_is_told_and_leaves_no_file(
    chat_checkpoint: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("draw", "--model", chat_checkpoint, *arguments)
    assert words in " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())
    assert done.exit_code == code
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_nothing_is_loaded(chat_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minikv.bench.draw.find_spec", lambda name: None)
    monkeypatch.setattr("minikv.commands.draw.load_both", lambda *arguments: pytest.fail("loaded"))
    done = run("draw", "--model", chat_checkpoint, "--out", "a.png")
    assert done.exit_code == 1
    assert "pip install matplotlib" in done.stderr
