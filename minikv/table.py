"""A small table of marked text: plain for a terminal or a debugger, HTML for a notebook."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from typing import NamedTuple


class Mark(Enum):
    """How a piece of text stands out, as CSS. Every colour is the reader's own or lets it through, so that all can be
    read on light and on dark. The text says the same without its mark, for those who see none."""

    PLAIN = ""
    FAINT = "opacity:.6"
    STRONG = "font-weight:bold"
    WRONG = "font-weight:bold;background:rgba(224,64,48,.3)"


class Span(NamedTuple):
    """A piece of text, all marked alike."""

    text: str
    mark: Mark = Mark.PLAIN


Cell = tuple[Span, ...]  # a space stands between two of them
GAP = "…"  # in place of what was left out


def cell(text: object, mark: Mark = Mark.PLAIN) -> Cell:
    return (Span(str(text), mark),)


@dataclass(frozen=True)
class Table:
    """A titled table. Its `repr` is plain text; a notebook shows it as HTML."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left_out: str = ""  # what is not shown, in words

    def __repr__(self) -> str:
        lines = ["".join(span.text for span in line).rstrip() for line in self.lines()]
        return "\n".join([self.title, *lines, *([self.left_out] if self.left_out else [])])

    def lines(self) -> list[Cell]:
        """The head and the rows, aligned: each a line of spans that stand side by side as they are."""
        table = [[cell(name) for name in self.columns], *self.rows]
        by_column = [[plain(each) for each in column] for column in zip(*table, strict=True)]
        widths = [max(map(width, texts)) for texts in by_column]
        numbers = [all(text.isdecimal() or text in ("", GAP) for text in texts[1:]) for texts in by_column]
        return [sum(map(aligned, row, widths, numbers), ()) for row in table]

    def _repr_html_(self) -> str:
        # Notebooks align cells to the right by a rule that only a cell's own style overrules.
        heads = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in self.columns)
        lines = "".join(f"<tr>{''.join(map(as_html, row))}</tr>\n" for row in self.rows)
        last = f'<tr><td colspan="{len(self.columns)}">{escape(self.left_out)}</td></tr>\n' if self.left_out else ""
        return (
            f'<table style="font-family:monospace">\n'
            f'<caption style="text-align:left;caption-side:top;white-space:pre">{escape(self.title)}</caption>\n'
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}{last}</tbody>\n</table>"
        )


def plain(spans: Cell) -> str:
    return " ".join(span.text for span in spans)


def as_html(spans: Cell) -> str:
    """A cell whose lines break between its spans alone."""
    parts = (f'<span style="white-space:pre;{mark.value}">{escape(text)}</span>' for text, mark in spans)
    return f'<td style="text-align:left">{" ".join(parts)}</td>'


def aligned(spans: Cell, columns: int, right: bool) -> Cell:
    """A cell as wide as its column, and the space after it."""
    space = " " * (columns - width(plain(spans)))
    apart = [part for span in spans for part in (Span(" "), span)][1:]
    return (Span(space), *apart, Span("  ")) if right else (*apart, Span(space + "  "))


def width(text: str) -> int:
    """The columns of a terminal that a text takes: none for what is put upon the letter before it, two for the wide
    letters of East Asia and emoji (Unicode Standard Annex 11)."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


class Shown:
    """What a debugger and a notebook show of a step, a cache or a placement, instead of the numbers in its tensors."""

    # `show` stands above what it shows. Imported only as it is called, it leaves the rooms below without a word about
    # looks, and here once for all of them.
    def __repr__(self) -> str:
        from minikv.look.show import show

        return repr(show(self))

    def _repr_html_(self) -> str:
        from minikv.look.show import show

        return show(self)._repr_html_()
