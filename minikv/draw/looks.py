"""How a cell looks. The colours are Okabe and Ito's, which everybody can tell apart; lightness, hatching and marks say
the same once more."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from minikv.draw.cells import Cell
from minikv.look.grid import Kind

PAPER, INK, FAINT, LINE = "#F9F8F5", "#1A1A1A", "#62625E", "#A5A49E"
RIGHT, WRONG = "#00704F", "#B84A00"  # bluish green and vermilion, dark enough for words on paper
HATCH = "#D9AE4A"
FACES = {
    Kind.PREFIX: "#DCE9F3",
    Kind.REAL: "#83C5EE",  # sky blue
    Kind.GENERATED: "#00805C",  # bluish green
    Kind.PADDING: "#F7E3B5",  # orange
    Kind.EMPTY: PAPER,
}
MEANINGS = {
    Kind.PREFIX: "prefix",
    Kind.REAL: "own prompt",
    Kind.GENERATED: "generated",
    Kind.PADDING: "padding",
    Kind.EMPTY: "empty",
}
Colour = tuple[int, int, int]
NEAR, FAR = (0xFB, 0xF3, 0xE0), (0x12, 0x3B, 0x6D)  # the scale of positions: sand to deep blue
NONE, ALL = (0xFF, 0xFF, 0xFF), (0x7B, 0x2A, 0x66)  # the scale of weights: white to reddish purple


@dataclass(frozen=True)
class Look:
    """A cell as it is painted: a face, two short texts, and marks."""

    face: str = PAPER
    ink: str = INK
    word: str = ""  # in its upper half
    number: str = ""  # in its lower half
    hatched: bool = False
    crossed: bool = False
    alarming: bool = False  # its number is
    cornered: bool = False
    barred: bool = False  # a bar behind it
    frame: str = ""  # the colour of a frame around it
    flag: str = ""  # on its upper edge, in the frame's colour


def cache_look(cell: Cell) -> Look:
    """What stands in the slot: its token, and below it the position."""
    ink = PAPER if cell.kind == Kind.GENERATED else INK
    return marked(
        cell,
        face=FACES[cell.kind],
        ink=ink,
        word=cell.text,
        number=position_of(cell),
        alarming=cell.astray,
        cornered=cell.rewritten,
    )


def position_look(cell: Cell, most: int) -> Look:
    """The position alone, the darker the nearer to `most`."""
    if cell.position is None or cell.kind == Kind.PADDING:
        return marked(cell, face=FACES[cell.kind], ink=FAINT, number=position_of(cell))
    face, ink = shade(cell.position / max(most, 1), NEAR, FAR)
    return marked(cell, face=face, ink=ink, number=position_of(cell), alarming=cell.astray)


def query_look(cell: Cell, sees: bool, asks: bool, read: bool) -> Look:
    """Whether a query sees the slot. In the slot of the query's own token stands its text."""
    ink = PAPER if cell.kind == Kind.GENERATED and sees else INK
    return Look(
        face=FACES[cell.kind] if sees else PAPER,
        ink=ink,
        word=cell.text if asks else "",
        hatched=sees and cell.kind == Kind.PADDING,
        crossed=not sees and cell.kind != Kind.EMPTY,
        frame=read_colour(cell) if asks and read else "",
    )


def weight_look(cell: Cell, weight: float) -> Look:
    """The token, and below it how many per cent of its attention the query that is read spends on it."""
    if cell.kind == Kind.EMPTY or cell.hidden:
        return marked(cell, face=FACES[cell.kind], ink=FAINT, word=cell.text)
    face, ink = shade(weight**0.5, NONE, ALL)  # the root: all but the largest would look alike
    return marked(cell, face=face, ink=ink, word=cell.text, number=per_cent(weight))


def marked(cell: Cell, **look: Any) -> Look:
    """A look with the marks that every picture of a cache has."""
    return Look(
        hatched=cell.kind == Kind.PADDING,
        crossed=cell.hidden,
        barred=cell.end,
        frame=read_colour(cell) if cell.read else "",
        flag="read" if cell.read else "",
        **look,
    )


def read_colour(cell: Cell) -> str:
    return WRONG if cell.kind == Kind.PADDING else INK


def position_of(cell: Cell) -> str:
    return "" if cell.position is None else str(cell.position)


def per_cent(weight: float) -> str:
    return f"{100 * weight:.0f}%" if weight >= 0.005 else ""


def shade(share: float, none: Colour, all_: Colour) -> tuple[str, str]:
    """A colour between two, and the ink that is legible on it."""
    mixed = [round(low + (high - low) * min(share, 1.0)) for low, high in zip(none, all_, strict=True)]
    return "#{:02X}{:02X}{:02X}".format(*mixed), INK if sum(mixed) > 3 * 0x80 else PAPER


MARKS = {
    "frame": (Look(frame=INK), "read: its logits choose the row's next token"),
    "alarming": (Look(number="1", alarming=True), "position out of order"),
    "crossed": (Look(crossed=True), "not seen by the query"),
    "cornered": (Look(FACES[Kind.GENERATED], cornered=True), "written over padding"),
    "barred": (Look(barred=True), "the row's end"),
}


def legend_of(looks: Collection[Look]) -> list[tuple[Look, str]]:
    """What has to be said of these looks."""
    faces = {look.face for look in looks}
    kinds = [
        (Look(FACES[kind], hatched=kind == Kind.PADDING), meaning)
        for kind, meaning in MEANINGS.items()
        if FACES[kind] in faces
    ]
    return kinds + [sample for mark, sample in MARKS.items() if any(getattr(look, mark) for look in looks)]
