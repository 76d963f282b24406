"""Pictures of measurements. Matplotlib is asked for only here, and only when a picture is drawn."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from minikv.bench.growth import Comparison, Growth
from minikv.errors import MinikvError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CACHED, UNCACHED, OTHER = "#0072B2", "#D55E00", "#666666"  # Okabe and Ito's blue and vermilion, told apart by all
FORMATS = (".png", ".svg")


def check_matplotlib() -> None:
    """MinikvError where no picture can be drawn, to be told before hours are spent on measuring."""
    if find_spec("matplotlib") is None:
        raise MinikvError("a picture needs matplotlib, which is not installed: pip install matplotlib")


def draw_growth(found: Comparison, model: str, facts: Mapping[str, str], path: Path) -> None:
    """The time of each token, and of all of them together, with a cache and without: a PNG or SVG for a README."""
    check_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), dpi=200, layout="constrained", facecolor="white")
    figure.suptitle(
        f"{found.new_tokens:,} new tokens take {found.ratio:.1f} times as long without a KV cache", fontsize=13
    )
    threads = f"{facts['threads']} thread{'' if facts['threads'] == '1' else 's'}"
    measured = f"{model}; {facts['cpu']}, {threads}; {facts['dtype']}, torch {facts['torch']}"
    runs = "a single run" if len(found.cached.runs) == 1 else f"medians of {len(found.cached.runs)} runs"
    some = f"\nwithout a cache {len(found.uncached.places):,} tokens timed, the others interpolated"
    figure.supxlabel(f"{measured}; {runs}{some if found.uncached.interpolated else ''}", fontsize=8, color=OTHER)
    each, total = figure.subplots(1, 2)
    for growth, colour, name in ((found.uncached, UNCACHED, "without a cache"), (found.cached, CACHED, "with a cache")):
        draw_each(each, growth, colour, name)
        draw_total(total, growth, colour, name)
    n = np.arange(1.0, found.new_tokens + 1)
    each.plot(n, 1e3 * found.exponential.at(n), color=OTHER, linestyle=":", linewidth=1.2, label="best exponential")
    each.set(title="milliseconds of the n-th token", xlabel="n")
    each.legend(fontsize=9, frameon=False, loc="upper left")
    total.set(title="seconds of the first n tokens", xlabel="n")
    total.margins(y=0.22)  # room for the words above the ends of the curves
    for axes in (each, total):
        axes.set_xlim(0, found.new_tokens)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def draw_each(axes: "Axes", growth: Growth, colour: str, name: str) -> None:
    """Each timed token's median as a point, the fainter the more there are, and the curve through them."""
    n = np.arange(1.0, growth.new_tokens + 1)
    size, alpha = (5, 0.3) if len(growth.places) > 200 else (16, 0.6)
    seconds = np.array(growth.per_token)
    axes.scatter(growth.places, 1e3 * seconds, s=size, color=colour, alpha=alpha, linewidths=0, clip_on=False)
    axes.plot(n, 1e3 * growth.curve.at(n), color=colour, linewidth=1.8, label=name)


def draw_total(axes: "Axes", growth: Growth, colour: str, name: str) -> None:
    """The running total of the medians, its end in words."""
    n = np.arange(1.0, growth.new_tokens + 1)
    axes.plot(n, growth.running, color=colour, linewidth=1.8)
    seconds = growth.totals.median
    axes.annotate(
        f"{name}\n{seconds:,.0f} s" if seconds >= 1000 else f"{name}\n{seconds:.3g} s",
        (n[-1], growth.running[-1]),
        xytext=(-8, 6),
        textcoords="offset points",
        ha="right",
        va="bottom",
        color=colour,
    )
