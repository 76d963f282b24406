"""A comparison with and without a cache as tables and sentences."""

import math

import numpy as np
from rich.table import Table

from minikv.bench.growth import Comparison, Growth
from minikv.bench.machine import Timing


def totals_table(found: Comparison) -> Table:
    """Seconds of all new tokens. What was predicted says so."""
    table = Table(title=f"{found.new_tokens:,} new tokens after a prompt of {found.prompt_tokens:,}")
    table.title_justify = "left"
    table.add_column("")
    for heading in ("tokens", "seconds, mean ± std", "median", "tokens/s", "times as long"):
        table.add_column(heading, justify="right")
    cached, uncached = found.cached, found.uncached
    table.add_row("with a cache", *figures(found.new_tokens, cached.totals), "1")
    if not uncached.predicted:
        table.add_row("without", *figures(found.new_tokens, uncached.totals), f"{found.ratio:.2f}")
        return table
    measured = Timing(tuple(sum(run.seconds) for run in uncached.runs))
    table.add_row("without, as far as it was measured", *figures(uncached.measured, measured), "")
    table.add_row("without, PREDICTED", *figures(found.new_tokens, uncached.totals), f"≈ {found.ratio:.2f}")
    return table


def figures(tokens: int, timing: Timing) -> tuple[str, ...]:
    spread = f" ± {timing.std:.3f}" if len(timing.seconds) > 1 else ""  # a single run shows none
    return f"{tokens:,}", f"{timing.mean:.3f}{spread}", f"{timing.median:.3f}", f"{tokens / timing.median:.1f}"


def places_table(found: Comparison) -> Table:
    """Milliseconds of single tokens along the sequence: the median over the runs, and the curve."""
    table = Table(title="Milliseconds of one token: measured (median of the runs) and on the fitted curve")
    table.title_justify = "left"
    for heading in ("token", "with a cache", "fitted", "without", "fitted", "times as long, fitted"):
        table.add_column(heading, justify="right")
    last = found.new_tokens
    for place in sorted({1, 2, *(max(1, last * part // 8) for part in range(1, 9))}):
        if place <= last:
            cached, uncached = at(found.cached, place), at(found.uncached, place)
            table.add_row(f"{place:,}", *cells(*cached), *cells(*uncached), f"{uncached[1] / cached[1]:.2f}")
    return table


def at(growth: Growth, place: int) -> tuple[float | None, float]:
    """Seconds of a token: measured, where it was, and fitted."""
    measured = growth.per_token[place - 1] if place <= growth.measured else None
    return measured, float(growth.curve.at(np.array([float(place)]))[0])


def cells(measured: float | None, fitted: float) -> tuple[str, str]:
    return "not measured" if measured is None else f"{1e3 * measured:.2f}", f"{1e3 * fitted:.2f}"


def remarks(found: Comparison) -> list[str]:
    """What the figures say, a sentence or two each."""
    cached, uncached = found.cached, found.uncached
    told = [growth_remark(found)]
    if cached.exponent is not None and uncached.exponent is not None:
        told.append(
            f"The total grows as n^{cached.exponent:.2f} with a cache (from {cached.measured // 2:,} to "
            f"{cached.measured:,} tokens) and as n^{uncached.exponent:.2f} without (from {uncached.measured // 2:,} to "
            f"{uncached.measured:,}); n^1 is linear, n^2 quadratic, n^3 cubic."
        )
    if uncached.predicted:
        told.append(
            f"PREDICTED: without a cache the runs were stopped after {uncached.measured:,} tokens; for the other "
            f"{uncached.new_tokens - uncached.measured:,} each run counts what the curve through its own tokens says, "
            f"{uncached.new_tokens / uncached.measured:.1f} times as far out as it was measured."
        )
    told.append(f"The cache takes {found.cache_bytes / 1e6:.1f} MB at the end.")
    told.append(
        f"Every run chose the same tokens, {len(set(cached.runs[0].tokens)):,} different ones among them."
        if found.first_difference is None
        else f"The runs differ from token {found.first_difference:,} on, which happens where two logits lie closer "
        f"than rounding is exact: often in 16 bits, seldom in float32."
    )
    return told


def growth_remark(found: Comparison) -> str:
    """Whether the seconds without a cache grow like a polynomial or like an exponential."""
    tokens, foretold = found.uncached.measured, found.foretold
    if foretold is None:
        return f"{tokens:,} tokens without a cache are too few to tell a polynomial from an exponential."
    polynomial, exponential = foretold
    # By a margin: uneven times alone let one of the two lie a little closer.
    closer = found.exponential_miss > 1.1 * found.uncached.miss
    clear = closer and abs(math.log(exponential)) > 2 * abs(math.log(polynomial))
    verdict = "polynomial, not exponential" if clear else "too uneven here to tell a polynomial from an exponential"
    return (
        f"The growth without a cache is {verdict}: the best a + b n + c n^2 misses the seconds of a token by "
        f"{found.uncached.miss:.1%} of their mean (root mean square), the best a exp(b n) by "
        f"{found.exponential_miss:.1%}; fitted to the first half of the {tokens:,} tokens alone, they foretell "
        f"{polynomial:.2f} and {exponential:.2f} times the seconds that the second half took."
    )
