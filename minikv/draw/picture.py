"""The figure that pictures are painted on, as a notebook shows it."""

from io import BytesIO

from matplotlib.figure import Figure

SCREEN = 110  # dots per inch: a picture as wide as a notebook's page, and small enough to be stored in it


class Picture(Figure):
    """A notebook shows it. Of a plain Figure it shows the name, as long as nothing has imported pyplot."""

    def _repr_png_(self) -> bytes:
        png = BytesIO()
        self.savefig(png, dpi=SCREEN)
        return png.getvalue()
