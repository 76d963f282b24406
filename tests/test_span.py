"""Where a value stands in a document: tables by hand, and random texts of letters that Unicode makes hard."""

from unicodedata import normalize

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from minikv.filling.span import Found, Searchable, find

# Letters and marks composed and apart, Hangul whole and in parts, marks that change their order or become letters,
# capitals of other lengths, white space of all kinds, signs beyond U+FFFF, halves of them, digits, Chinese.
HARD = [
    *"aAeEbB.,-7 ",
    *"éÉẹ\u0301\u0323\u0327",
    *"가각\u1100\u1161\u11a8",
    *"\u0345\u0344ᾳΑα\u0f71\u0f72\u0f73",
    *"ßẞsSİıi\u0307ﬁ\u212bÅå",
    *"\r\n\t\u00a0\u2003\u3000\u2028\x1c\x85",
    *"😀𝒜\U0001d15e\ud800\udc00",
    *"模型",
]
texts = st.lists(st.sampled_from(HARD), max_size=12).map("".join)


def same(one: str, other: str) -> bool:
    """Equal but for how marks are composed and for white space."""
    return normalize("NFC", one).split() == normalize("NFC", other).split()


def same_letters(one: str, other: str) -> bool:
    """Equal but for capitals too."""
    return same(normalize("NFD", one).casefold(), normalize("NFD", other).casefold())


@settings(deadline=None)
@given(texts, texts)
@example("e\u0301", "é")
@example("x e\u0323\u0301 y", "ẹ\u0301")
@example("\u0301a", "\u0301")
def test_what_is_found_is_the_value(document: str, value: str) -> None:
    found = find(document, value)
    if found is None:
        return
    part = document[found.start : found.end]
    assert part == part.strip() != ""
    assert same(part, value) if found.same_case else same_letters(part, value)
    assert 0 <= found.start < found.end <= len(document)
    assert found.occurrences >= 1


@settings(deadline=None)
@given(
    left=texts,
    words=st.lists(st.text(st.sampled_from([each for each in HARD if not each.isspace()]), min_size=1), min_size=1),
    spaces=st.lists(st.sampled_from([" ", "\n", "\r\n", "\t ", "\u00a0", "\u2003\u3000"]), min_size=1),
    form=st.sampled_from(["NFC", "NFD"]),
    right=texts,
)
def test_a_value_between_spaces_is_found(left: str, words: list[str], spaces: list[str], form: str, right: str) -> None:
    # What begins with a mark hangs on the space before it and is no word.
    assume(not any(normalize("NFD", word)[0] in "\u0301\u0323\u0327\u0345\u0308\u0307\u0f71\u0f72" for word in words))
    between = [spaces[number % len(spaces)] for number in range(len(words))]
    written = "".join(map("".join, zip(words, between, strict=True))).strip()
    value = normalize(form, " ".join(words))
    found = find(f"{left} {written} {right}", value)
    assert found is not None
    assert found.same_case
    folded = normalize("NFD", written).casefold()  # not upper(): a capital ı is an I, whose small letter is i
    assert find(f"{left} {folded} {right}", value) is not None


@settings(deadline=None)
@given(st.lists(st.sampled_from(["to", "be", "To", "tobe"]), max_size=12), st.sampled_from(["to", "to be", "be to be"]))
def test_every_occurrence_counts_and_none_twice(said: list[str], value: str) -> None:
    wanted, expected, at = value.split(), 0, 0
    while at < len(said):
        hit = said[at : at + len(wanted)] == wanted
        expected += hit
        at += len(wanted) if hit else 1
    found = find("  ".join(said), value)
    assert expected == (found.occurrences if found is not None and found.same_case else 0)


@pytest.mark.parametrize(
    ("document", "value", "span"),
    [
        ("Pay $184.50 by May.", "$184.50", (4, 11)),
        ("Pay $184.50 by May.", " $184.50\n", (4, 11)),
        ("the café is", "cafe\u0301", (4, 8)),
        ("the cafe\u0301 is", "café", (4, 9)),
        ("the cafe\u0301 is", "cafe", None),  # a letter is not cut from its mark
        ("ẹ\u0301", "e\u0323\u0301", (0, 2)),
        ("e\u0301\u0323", "ẹ\u0301", (0, 3)),  # the marks in another order
        ("각", "가", None),  # nor a syllable in two
        ("\u1100\u1161\u11a8", "각", (0, 3)),
        ("5\u212b", "5Å", (0, 2)),
        ("a\r\n\tb", "a b", (0, 5)),
        ("a b", "a \r\n b", (0, 3)),
        ("one\u00a0two", "one two", (0, 7)),
        ("😀 Mill Park 😀", "Mill Park", (2, 11)),  # counted in code points
        ("😀", "😀", (0, 1)),
        ("\ud83d Oslo", "Oslo", (2, 6)),
        ("我们介绍模型，很小", "模型", (4, 6)),
        ("Mistral 7B has", "7", None),  # a word or a number is not cut in two
        ("built in 1975", "7", None),
        ("32,768 tokens", "32", None),
        ("32,768 tokens", "768", None),
        ("$184.50", "184", None),
        ("$184.50", "184.50", (1, 7)),
        ("it was 7, then 8.", "7", (7, 8)),
        ("it was 7, then 8.", "8", (15, 16)),
        ("the Oslofjord", "Oslo", None),
        ("the Oslo-fjord", "Oslo", (4, 8)),
        ("(Oslo)", "Oslo", (1, 5)),
        ("knows no", "no", (6, 8)),
        ("ba a a", "a a", (3, 6)),  # begins within what is none
        ("re\u0301sume\u0301s", "résumé", None),
        ("a b", "", None),
        ("a b", " \n", None),
        ("", "a", None),
        ("a.*b", "a.b", None),  # no pattern
    ],
)
def test_where_it_stands(document: str, value: str, span: tuple[int, int] | None) -> None:
    assert find(document, value) == (None if span is None else Found(*span, occurrences=1, same_case=True))


@pytest.mark.parametrize(
    ("document", "value", "expected"),
    [
        ("Mill Park, MILL PARK", "mill park", Found(0, 9, 2, False)),
        ("Mill Park, MILL PARK", "MILL PARK", Found(11, 20, 1, True)),  # its own capitals first
        ("Die STRASSE", "Straße", Found(4, 11, 1, False)),
        ("Die Straße", "STRASSE", Found(4, 10, 1, False)),
        ("ÉCOLE", "e\u0301cole", Found(0, 5, 1, False)),
        ("aa aa aa", "aa aa", Found(0, 5, 1, True)),
        ("7 of 7 in 77", "7", Found(0, 1, 2, True)),
    ],
)
def test_how_often_and_with_which_capitals(document: str, value: str, expected: Found) -> None:
    assert find(document, value) == expected


def test_many_values_of_one_document() -> None:
    document = Searchable("Oslo to Porto")
    assert [document.find(value) is not None for value in ("Oslo", "porto", "Rome")] == [True, True, False]
