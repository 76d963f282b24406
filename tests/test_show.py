"""What is shown of a step, a cache and a placement, worked out by hand for a prefix of 3 and rows of 2, 1 and 4."""

import unicodedata
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import minikv
from minikv import KVCache, MinikvError, Placement, Step, Tokenizer, describe, show
from minikv.checkpoint import bundled
from minikv.look.show import runs
from minikv.speed.draft import DRAFTED
from minikv.table import Mark, Span, Table, cell, width
from minikv.visible import BYTES, one_line, printable, token_text

PREFIX, SUFFIXES = [5, 6, 7], [[11, 12], [13], [14, 15, 16, 17]]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.read(bundled())


def first_step(model: minikv.Decoder, name: str) -> Step:
    return next(minikv.RECIPES[name].steps(model, PREFIX, SUFFIXES, max_new_tokens=3))


# --- a step -----------------------------------------------------------------------------------------------------------


def test_rows_at_their_own_offsets(model: minikv.Decoder) -> None:
    step = first_step(model, "per_row_offsets")
    short, shortest, longest = describe(step)
    assert [view.prompt for view in (short, shortest, longest)] == [0, 1, 2]
    assert (short.fed, short.ids) == (("11", "12", "0", "0"), (11, 12, 0, 0))
    assert short.positions == short.slots == (3, 4, 5, 6)
    assert short.seen == ("0-3", "0-4", "0-5", "0-6")
    assert short.padding == (False, False, True, True)
    assert (short.read, short.before, short.after) == (1, 3, 5)
    assert (shortest.padding, shortest.read, shortest.after) == ((False, True, True, True), 0, 4)
    assert (longest.padding, longest.read, longest.after) == ((False,) * 4, 3, 7)
    assert not any(view.reads_padding or view.ended or view.idle for view in (short, shortest, longest))


def test_a_padded_row_is_seen_to_be_read_at_padding(model: minikv.Decoder) -> None:
    short, shortest, longest = describe(first_step(model, "right_padded_batch"))
    assert (short.positions, short.slots) == ((3, 4, 0, 0), (3, 4, 5, 6))
    assert short.seen == ("0-3", "0-4", "0-4", "0-4")
    assert short.padding == (False, False, True, True)
    assert [view.read for view in (short, shortest, longest)] == [3, 3, 3]
    assert [view.reads_padding for view in (short, shortest, longest)] == [True, True, False]
    assert [view.after for view in (short, shortest, longest)] == [7, 7, 7]
    assert ["padding" in line for line in repr(first_step(model, "right_padded_batch")).splitlines()] == [
        False,  # the title
        False,  # the head
        True,
        True,
        False,
    ]


def test_a_hole_is_seen_in_what_a_query_sees(model: minikv.Decoder) -> None:
    short, _, _ = describe(first_step(model, "suffix_left_padded"))
    assert short.positions == (0, 0, 3, 4)
    assert short.seen == ("0-2", "0-2", "0-2, 5", "0-2, 5-6")


def test_the_largest_logits_and_what_was_chosen(model: minikv.Decoder) -> None:
    step = first_step(model, "per_row_offsets")
    for row, view in enumerate(describe(step, k=3)):
        largest = sorted(range(97), key=lambda token, row=row: -float(step.logits[row, token]))[:3]
        assert view.top == tuple((str(token), float(step.logits[row, token])) for token in largest)
        assert view.chosen == str(largest[0])
    assert len(describe(step, k=200)[0].top) == 97


def test_who_has_ended(model: minikv.Decoder) -> None:
    recipe = minikv.RECIPES["per_row_offsets"]
    free = list(recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=3))
    stop = int(free[0].chosen[2])
    walk = list(recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=3, stop_ids=[stop]))
    assert (describe(walk[0])[2].ended, describe(walk[0])[2].idle) == (True, False)
    assert (describe(walk[1])[2].ended, describe(walk[1])[2].idle) == (True, True)
    assert not describe(walk[1])[2].reads_padding  # what it is read at is of no account
    assert repr(walk[0]).splitlines()[4].split()[-2:] == [str(stop), "ends"]
    assert "ended before" in repr(walk[1])


def test_a_step_about_some_prompts_alone_says_which(model: minikv.Decoder) -> None:
    loop = list(minikv.RECIPES["naive_loop"].steps(model, PREFIX, SUFFIXES, max_new_tokens=1))
    assert [[view.prompt for view in describe(step)] for step in loop] == [[0], [1], [2]]
    assert describe(loop[1])[0].slots == (0, 1, 2, 3)
    for step in DRAFTED.steps(model, [5, 6, 7, 5, 6], [[7, 5], [6]], max_new_tokens=6):
        assert tuple(view.prompt for view in describe(step)) == step.prompts


def test_padding_beyond_the_caches_end_is_written_nowhere(model: minikv.Decoder) -> None:
    step = first_step(model, "per_row_offsets")
    cache = KVCache.empty(model, rows=3, slots=6)
    cache.lengths = torch.tensor([4, 3, 2])
    view = describe(replace(step, placement=cache.place([2, 1, 4])))[0]
    assert view.positions == (4, 5, 6, 7)
    assert view.slots == (4, 5, None, None)
    assert "4-5, 2 nowhere" in repr(replace(step, placement=cache.place([2, 1, 4])))


# --- reprs ------------------------------------------------------------------------------------------------------------


def test_a_cache_shows_the_token_in_each_slot(model: minikv.Decoder) -> None:
    cache = first_step(model, "per_row_offsets").cache
    assert [line.split() for line in repr(cache).splitlines()[1:]] == [
        ["row", "length", *"012345678"],
        ["0", "5", "5", "6", "7", "11", "12", "(0)", "(0)", ".", "."],
        ["1", "4", "5", "6", "7", "13", "(0)", "(0)", "(0)", ".", "."],
        ["2", "7", "5", "6", "7", "14", "15", "16", "17", ".", "."],
    ]
    assert f"{type(cache).__name__}(layers=3, rows=3, kv_heads=2, slots=9, head_dim=16, torch.float32" in repr(cache)
    assert "lengths=[5, 4, 7]" in repr(cache)


def test_a_long_cache_shows_its_rows_ends(model: minikv.Decoder) -> None:
    cache = minikv.prefill(model, list(range(1, 91))).fork(rows=2, slots=300)
    cache.rewind([90, 40 if type(cache) is KVCache else 89])
    row, other = (line.split() for line in repr(cache).splitlines()[2:])
    assert row[:3] == ["0", "90", "1"]
    assert [row[-5], row[-4], row[-3], row[-2]] == ["90", ".", ".", "…"]
    assert other[:2] == ["1", str(int(cache.lengths[1]))]
    assert "(90)" in other


def test_a_placement_shows_where_and_what_each_query_sees(model: minikv.Decoder) -> None:
    assert repr(first_step(model, "right_padded_batch").placement).splitlines() == [
        "Placement(rows=3, new=4, slots=9)",
        "row  positions   slots  each sees",
        "  0  3-4, 0, 0   3-6    0-3; 0-4; 0-4; 0-4",
        "  1  3, 0, 0, 0  3-6    0-3; 0-3; 0-3; 0-3",
        "  2  3-6         3-6    0-3; 0-4; 0-5; 0-6",
    ]


def test_reprs_of_large_things_are_short(model: minikv.Decoder) -> None:
    rows, new, slots = 500, 40, 300
    striped = (torch.arange(slots) % 2 == 0).expand(rows, new, slots)
    scattered = torch.arange(0, 2 * new, 2).expand(rows, new)
    placement = Placement(scattered, scattered, striped)
    cache = KVCache.empty(model, rows, slots)
    cache.lengths = torch.arange(rows) % slots
    step = Step(
        prompts=tuple(range(rows)),
        tokens=scattered,
        placement=placement,
        lengths=cache.lengths,
        counts=torch.full((rows,), new),
        read=torch.zeros(rows, dtype=torch.int64),
        logits=torch.zeros(rows, 97),
        chosen=torch.zeros(rows, dtype=torch.int64),
        finished=torch.zeros(rows, dtype=torch.bool),
        cache=cache,
    )
    for thing in (placement, cache, step):
        assert len(repr(thing)) < 4000
        assert repr(thing).splitlines()[-1] == "… 492 more rows"
        assert len(thing._repr_html_()) < 30_000


def test_nothing_to_show(model: minikv.Decoder) -> None:
    assert len(repr(KVCache.empty(model, rows=0, slots=0)).splitlines()) == 2
    assert repr(KVCache.empty(model, rows=1, slots=3).place([0])).splitlines()[-1].split() == ["0", "none", "none"]
    blind = Placement(torch.tensor([[0]]), torch.tensor([[0]]), torch.zeros(1, 1, 2, dtype=torch.bool))
    assert repr(blind).splitlines()[-1].split() == ["0", "0", "0", "none"]
    with pytest.raises(MinikvError, match="a Shown has no table"):
        show(minikv.table.Shown())


def test_runs() -> None:
    assert runs([0, 1, 2, 3, 7, 10, 11]) == "0-3, 7, 10-11"
    assert runs([3, 4, 0, 0]) == "3-4, 0, 0"
    assert runs([5]) == "5"
    assert runs([]) == "none"
    assert runs(range(0, 100, 2)) == "0, 2, 4, 6, …, 92, 94, 96, 98"


# --- text of tokens ---------------------------------------------------------------------------------------------------


@given(st.text())
def test_words_spell_the_bytes_of_a_text(tokenizer: Tokenizer, text: str) -> None:
    words = [tokenizer.plain.id_to_token(token) for token in tokenizer.encode(text)]
    spelled = b"".join(bytes(BYTES[letter] for letter in word) for word in words)
    assert spelled == unicodedata.normalize("NFC", text).encode()


def test_tokens_can_be_seen(tokenizer: Tokenizer) -> None:
    shown = [token_text(token, tokenizer) for token in tokenizer.encode(" name\n\té")]
    assert "".join(shown) == r"·name↵⇥\xc3\xa9"
    assert token_text(tokenizer.control["<|im_end|>"], tokenizer) == "<|im_end|>"
    assert token_text(5000, tokenizer) == "[5000]"
    assert token_text(5000, None) == "5000"
    (escape,) = tokenizer.encode("\x1b")
    assert token_text(escape, tokenizer) == "\ufffd"


def test_a_word_that_spells_no_bytes_is_its_own_text() -> None:
    raw = {"model": {"type": "BPE", "vocab": {"▁the": 0, "日": 1}, "merges": []}, "added_tokens": []}
    assert [token_text(token, Tokenizer(raw, {}, None, "here")) for token in (0, 1)] == ["▁the", "日"]


def test_text_on_one_line_steers_nothing() -> None:
    assert one_line("a b\nc\td\x1b[2J") == "a b↵c⇥d\ufffd[2J"
    assert printable("a\u202eb") == "a\ufffdb"


def test_with_a_tokenizer_tokens_are_text(model: minikv.Decoder, tokenizer: Tokenizer) -> None:
    step = first_step(model, "per_row_offsets")
    view = describe(step, tokenizer)[0]
    assert view.fed == tuple(token_text(token, tokenizer) for token in (11, 12, 0, 0))
    assert view.ids == (11, 12, 0, 0)
    assert view.top[0][0] == view.chosen == token_text(int(step.chosen[0]), tokenizer)
    assert "11 12 (0) (0)" in repr(show(step, tokenizer))
    assert f"{view.fed[0]} {view.fed[1]} ({view.fed[2]})" in repr(show(step, tokenizer))
    assert token_text(14, tokenizer) in repr(show(step.cache, tokenizer)).splitlines()[4].split()


# --- tables -----------------------------------------------------------------------------------------------------------


def test_a_table_is_aligned_whatever_its_letters() -> None:
    table = Table("title", ("a", "number"), ((cell("日本"), cell(7)), (cell("e\u0301"), cell(12))))
    assert repr(table) == "title\na     number\n日本       7\ne\u0301         12"
    for text in ("日本", "e\u0301", "abc", "😀", "ｆ"):
        assert width(text) == cell_len(text)


class Tags(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_escapes_everything(model: minikv.Decoder, tokenizer: Tokenizer) -> None:
    evil = '<script>alert("1")</script>&amp;'
    table = Table(evil, (evil,), ((cell(evil), (Span(evil, Mark.WRONG),)),), left_out=evil)
    read = Tags(table._repr_html_())
    assert read.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "span"}
    assert read.text.count(evil) == 5
    step = first_step(model, "right_padded_batch")
    control = tokenizer.control["<|im_end|>"]
    for thing in (replace(step, tokens=torch.full_like(step.tokens, control)), step.cache, step.placement):
        read = Tags(show(thing, tokenizer)._repr_html_())
        assert read.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "span"}
        assert read.attributes <= {"style", "colspan"}
    assert (
        "&lt;|im_end|&gt;" in show(replace(step, tokens=torch.full_like(step.tokens, control)), tokenizer)._repr_html_()
    )


def test_html_and_repr_say_the_same(model: minikv.Decoder) -> None:
    step = first_step(model, "right_padded_batch")
    for thing in (step, step.cache, step.placement):
        page = Tags(thing._repr_html_()).text
        assert [word for word in repr(thing).split() if word not in page] == []
        assert thing._repr_html_() == show(thing)._repr_html_()
