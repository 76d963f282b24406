"""Where a value stands in a document: the model's words, found again in the text that it was given.

The two may differ and still be the same: a tokenizer composes letters and their marks (NFC), and a model writes a space
where the document has a line's end. So both are brought to one form, with the marks taken off their letters (NFD) and
one space for any white space, and each place in the document's form is traced back to its place in the document.

A letter is never cut from its marks, nor a word or a number in two: 7 does not stand in "1975", "7,500" or "7B".
Scripts without capitals may write no spaces between words, so there a value may begin and end anywhere.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from unicodedata import category, combining, normalize

SPACES = re.compile(r"\s+")
NUMBER_CUT = re.compile(r"\d[.,]?\|[.,]?\d")  # | where the cut would be
OF_WORDS = {"Lu", "Ll", "Lt", "Mn", "Nd"}  # letters of scripts with capitals, their marks, and digits


@dataclass(frozen=True)
class Found:
    """Where a value stands, in characters (Unicode code points): document[start:end]."""

    start: int  # of the first occurrence
    end: int
    occurrences: int
    same_case: bool  # False: only with other capitals


def find(document: str, value: str) -> Found | None:
    """Where `value` stands in `document`, or None: with its own capitals or, if it nowhere does, with any.

    White space around the value does not count, that inside matches any other. An empty value stands nowhere.
    """
    return Searchable(document).find(value)


@dataclass(frozen=True)
class Searchable:
    """A document that many values are looked for in."""

    document: str

    def find(self, value: str) -> Found | None:
        """See `find`."""
        if places := self.as_written.places(value):
            return Found(*places[0], occurrences=len(places), same_case=True)
        if places := self.without_case.places(value):
            return Found(*places[0], occurrences=len(places), same_case=False)
        return None

    @cached_property
    def as_written(self) -> "Index":
        return Index.of(self.document, exact)

    @cached_property
    def without_case(self) -> "Index":
        return Index.of(self.document, caseless)


def exact(text: str) -> str:
    """The form in which texts are compared."""
    return SPACES.sub(" ", normalize("NFD", text))


def caseless(text: str) -> str:
    """The same without capitals (canonical caseless matching, Unicode 3.13)."""
    return SPACES.sub(" ", normalize("NFD", normalize("NFD", text).casefold()))


@dataclass(frozen=True)
class Index:
    """A document's form, and where in the document each place of it belongs at which a value may begin or end."""

    form: Callable[[str], str]
    text: str
    borders: dict[int, int]

    @classmethod
    def of(cls, document: str, form: Callable[[str], str]) -> "Index":
        """Formed letter by letter, each with its marks. Together that is the form of the whole, since no mark is
        moved past a letter."""
        starts = [at for at in range(len(document)) if at == 0 or begins_letter(document, at)]
        pieces, borders, length = [], {0: 0}, 0
        for start, end in pairwise([*starts, len(document)]):
            pieces.append(form(document[start:end]))
            length += len(pieces[-1])
            borders[length] = end
        return cls(form, "".join(pieces), borders)

    def places(self, value: str) -> list[tuple[int, int]]:
        """[start, end) in the document of each occurrence of a value, from left to right; none overlaps another."""
        wanted, found = self.form(value.strip()), []
        start = self.text.find(wanted) if wanted else -1
        while start >= 0:
            end = start + len(wanted)
            whole = all(at in self.borders and not cuts_a_word(self.text, at) for at in (start, end))
            if whole:
                found.append((self.borders[start], self.borders[end]))
            start = self.text.find(wanted, end if whole else start + 1)
        return found


def begins_letter(document: str, at: int) -> bool:
    """Whether a letter begins here, or a run of white space: what stands here is no mark of the letter before it."""
    character = document[at]
    if character.isspace():
        return not document[at - 1].isspace()
    return character < "\u0300" or combining(normalize("NFD", character)[0]) == 0


def cuts_a_word(text: str, at: int) -> bool:
    """Whether a word or a number goes on over this place."""
    before, after = text[max(0, at - 2) : at], text[at : at + 2]
    if before[-1:] and after[:1] and {category(before[-1]), category(after[0])} <= OF_WORDS:
        return True
    return NUMBER_CUT.search(f"{before}|{after}") is not None
