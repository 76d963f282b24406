"""Text in a picture. Tokens, keys and answers are untrusted: whatever they hold is drawn as letters, on one line."""

from functools import lru_cache
from typing import Any

from minikv.visible import one_line

FONT = "DejaVu Sans"  # it comes with matplotlib, so a picture is the same everywhere
UNKNOWN = "\ufffd"
SMALLEST = 5.0  # points
LONGEST = 200  # letters: more than any place in a picture has room for


@lru_cache(maxsize=65536)
def drawable(text: str) -> str:
    """The beginning of a text as letters that the font can draw, on one line. U+FFFD stands for what steers a screen,
    and for letters that the font lacks."""
    return "".join(letter if font().get_char_index(ord(letter)) else UNKNOWN for letter in one_line(text[:LONGEST]))


@lru_cache(maxsize=1)
def font() -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=FONT)))


@lru_cache(maxsize=65536)
def width_of(text: str, size: float) -> float:
    """Inches that a text takes, at a size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    properties = FontProperties(family=FONT, size=size)
    return text_to_path.get_text_width_height_descent(text, properties, ismath=False)[0] / 72


def fitted(text: str, room: float, size: float) -> tuple[str, float]:
    """The text and the size, in points, at which it fits into `room` inches; no text where it does not."""
    text = drawable(text)
    for points in (size, (size + SMALLEST) / 2, SMALLEST):
        if width_of(text, points) <= room + 1e-6:  # the room may have been measured by this very text
            return text, points
    return "", SMALLEST


def shortened(text: str, room: float, size: float) -> tuple[str, float]:
    """The same, but cut where it does not fit, so long as two letters are left. (A number must not be cut.)"""
    text = drawable(text)
    cuts = (f"{text[:length]}…" for length in range(len(text) - 1, 1, -1))
    fitting = (found for found in (fitted(cut, room, SMALLEST) for cut in cuts) if found[0])
    whole = fitted(text, room, size)
    return whole if whole[0] else next(fitting, whole)
