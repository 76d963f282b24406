"""The sheet that pictures are painted on, and how a cell and a fold are painted on it.

Everything is placed in inches from the top left corner, and worked out before matplotlib is asked for anything: a
figure is as tall as what stands in it, and nothing is moved to make room.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minikv.bench.draw import FORMATS
from minikv.draw.looks import FAINT, HATCH, INK, LINE, PAPER, WRONG, Look
from minikv.draw.words import FONT, fitted, shortened
from minikv.errors import MinikvError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, DPI = 8.6, 200  # a README shows some 860 pixels of width; twice as many stay sharp on dense screens
FLAG = 0.12  # inches above a cell
LEGIBLE = 0.19  # inches: a narrower cell is a patch of colour, without the few texts that would fit


class Sheet:
    """A figure whose coordinates are inches."""

    def __init__(self, height: float):
        from matplotlib.transforms import Affine2D

        from minikv.draw.picture import Picture  # here, since it needs matplotlib as it is imported

        self.figure = Picture(figsize=(WIDTH, height), dpi=DPI, facecolor=PAPER)
        self.inches = Affine2D().scale(1, -1).translate(0, height) + self.figure.dpi_scale_trans

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        from matplotlib.patches import Rectangle

        style = {"edgecolor": "none", "facecolor": "none"} | style
        self.figure.add_artist(Rectangle((x, y), width, height, transform=self.inches, **style))

    def shape(self, corners: Sequence[tuple[float, float]], **style: Any) -> None:
        from matplotlib.patches import Polygon

        self.figure.add_artist(Polygon(corners, linewidth=0.5, transform=self.inches, **style))

    def line(self, *corners: tuple[float, float], colour: str, width: float) -> None:
        from matplotlib.lines import Line2D

        xs, ys = zip(*corners, strict=True)
        style: dict[str, Any] = {"color": colour, "linewidth": width, "solid_capstyle": "butt"}
        self.figure.add_artist(Line2D(xs, ys, transform=self.inches, **style))

    def text(self, x: float, y: float, text: str, size: float, colour: str, halo: str = "", **style: Any) -> None:
        """Its middle is at y. A halo keeps it clear of lines behind it. Never read as mathematics: a `$` is a `$`."""
        from matplotlib.patheffects import withStroke

        if not text:
            return
        style |= {"size": size, "color": colour, "va": "center", "family": FONT, "parse_math": False}
        style["path_effects"] = [withStroke(linewidth=2, foreground=halo)] if halo else []
        self.figure.text(x, y, text, transform=self.inches, **style)


def paint_cell(sheet: Sheet, look: Look, x: float, y: float, width: float, height: float, gid: str) -> None:
    """A cell but for the marks at its border, which reach over its neighbours."""
    middle, centre = x + width / 2, y + height / 2
    sheet.box(x, y, width, height, facecolor=look.face, gid=gid)
    if look.hatched:
        sheet.box(x, y, width, height, edgecolor=HATCH, linewidth=0, hatch="////")
    if look.crossed:  # behind a text over the whole cell, else small
        dx, dy = (width / 2, height / 2) if look.word or look.number else (0.03, 0.03)
        for up in (dy, -dy):
            sheet.line((middle - dx, centre - up), (middle + dx, centre + up), colour=FAINT, width=0.6)
    sheet.box(x, y, width, height, edgecolor=LINE, linewidth=0.5)
    halo = look.face if look.hatched or look.crossed else ""
    room = width - 0.03 if width >= LEGIBLE else 0.0
    word, size = shortened(look.word, room, 7.0)
    number, smaller = fitted(look.number, room, 7.0)
    both = bool(word and number)
    sheet.text(middle, y + height * (0.3 if both else 0.5), word, size, look.ink, halo, ha="center")
    below, ink = y + height * (0.74 if both else 0.5), look.ink
    if look.alarming and both:
        sheet.box(x, below - 0.08, width, 0.16, facecolor=PAPER)
        ink = WRONG
    weight = "bold" if look.alarming else "normal"
    sheet.text(middle, below, number, smaller, ink, halo, ha="center", weight=weight)


def paint_marks(sheet: Sheet, look: Look, x: float, y: float, width: float, height: float) -> None:
    """What stands over a cell's border. Painted when its neighbours are, lest they cover it."""
    right, bottom = x + width, y + height
    if look.cornered:
        sheet.shape([(right - 0.08, y), (right, y), (right, y + 0.08)], facecolor=PAPER, edgecolor=LINE)
    if look.alarming:
        inset = 0.02 if look.frame else 0.0
        sheet.box(x + inset, y + inset, width - 2 * inset, height - 2 * inset, edgecolor=WRONG, linewidth=1.6)
    if look.barred:
        sheet.line((right, y - 0.03), (right, bottom + 0.03), colour=INK, width=2.4)
    if look.frame:
        sheet.box(x, y, width, height, edgecolor=look.frame, linewidth=1.8)
    if look.flag:
        sheet.box(x, y - FLAG, width, FLAG, facecolor=look.frame, edgecolor=look.frame, linewidth=1.8)
        word, size = fitted(look.flag, width, 6.5)
        sheet.text(x + width / 2, y - FLAG / 2, word, size, PAPER, ha="center", weight="bold")


def paint_gap(sheet: Sheet, x: float, width: float, top: float, bottom: float) -> None:
    """A tear through all lines of a panel."""
    teeth = max(2, round((bottom - top) / 0.12))
    edge = [(0.05 * (tooth % 2), top + (bottom - top) * tooth / teeth) for tooth in range(teeth + 1)]
    left = [(x + 0.03 + shift, y) for shift, y in edge]
    right = [(x + width - 0.08 + shift, y) for shift, y in edge]
    sheet.shape([*left, *reversed(right)], facecolor=PAPER, edgecolor="none")
    for side in (left, right):
        sheet.line(*side, colour=FAINT, width=0.8)


def save(figure: "Figure", path: Path | str) -> None:
    """Write a figure as PNG or SVG, as the file's ending says: the same bytes for the same picture. It is drawn in full
    before the file is touched. MinikvError for another ending."""
    from matplotlib import rc_context

    path = checked_path(path)
    drawn = BytesIO()
    with rc_context({"svg.hashsalt": "minikv"}):
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(drawn, format=path.suffix[1:], metadata=metadata)
    path.write_bytes(drawn.getvalue())


def checked_path(path: Path | str) -> Path:
    """A file that a picture can be written to. MinikvError for another ending than those of FORMATS."""
    path = Path(path)
    if path.suffix not in FORMATS:
        raise MinikvError(f"the picture's file is {path}; expected one that ends in {' or '.join(FORMATS)}")
    return path
