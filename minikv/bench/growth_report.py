"""A comparison with and without a cache as tables and sentences."""

import math
import statistics

import numpy as np
from rich.table import Table

from minikv.bench.growth import Comparison, Growth


def totals_table(found: Comparison) -> Table:
    """Seconds of all new tokens. What was interpolated says so."""
    table = Table(title=f"{found.new_tokens:,} new tokens after a prompt of {found.prompt_tokens:,}")
    table.title_justify = "left"
    table.add_column("")
    for heading in ("seconds, mean ± std", "median", "tokens/s", "times as long"):
        table.add_column(heading, justify="right")
    cached, uncached = found.cached, found.uncached
    some = f", {len(uncached.places):,} of them timed, the others interpolated" if uncached.interpolated else ""
    table.add_row("with a cache", *figures(cached), "1")
    table.add_row(f"without{some}", *figures(uncached), f"{found.ratio:.2f}")
    return table


def figures(growth: Growth) -> tuple[str, ...]:
    totals = growth.totals
    spread = f" ± {totals.std:.3f}" if len(totals.seconds) > 1 else ""  # a single run shows none
    return f"{totals.mean:.3f}{spread}", f"{totals.median:.3f}", f"{growth.tokens_per_second:.2f}"


def places_table(found: Comparison) -> Table:
    """Milliseconds of single tokens along the sequence, timed in both: the median over the runs, and the curve."""
    table = Table(title="Milliseconds of one token: measured (median of the runs) and on the fitted curve")
    table.title_justify = "left"
    for heading in ("token", "with a cache", "fitted", "without", "fitted", "times as long, fitted"):
        table.add_column(heading, justify="right")
    timed = found.uncached.places
    last = len(timed) - 1
    for index in sorted({0, min(1, last), *(last * part // 8 for part in range(1, 9))}):
        place = timed[index]
        cached, uncached = at(found.cached, place), at(found.uncached, place)
        milliseconds = (f"{1e3 * seconds:.2f}" for seconds in (*cached, *uncached))
        table.add_row(f"{place:,}", *milliseconds, f"{uncached[1] / cached[1]:.2f}")
    return table


def at(growth: Growth, place: int) -> tuple[float, float]:
    """Seconds of a timed token: measured, and fitted."""
    return growth.per_token[growth.places.index(place)], float(growth.curve.at(np.array([float(place)]))[0])


def remarks(found: Comparison) -> list[str]:
    """What the figures say, a sentence or two each."""
    cached, uncached = found.cached, found.uncached
    told = [growth_remark(found)]
    if cached.exponent is not None and uncached.exponent is not None:
        told.append(
            f"From {found.new_tokens // 2:,} to {found.new_tokens:,} tokens the total grows as n^{cached.exponent:.2f} "
            f"with a cache and as n^{uncached.exponent:.2f} without; n^1 is linear, n^2 quadratic, n^3 cubic."
        )
    if uncached.interpolated:
        seconds = statistics.median(sum(run.seconds) for run in uncached.runs)
        told.append(
            f"Without a cache {len(uncached.places):,} of the {found.new_tokens:,} tokens were timed, from the first "
            f"to the last, in {seconds:.1f} s; the total is the sum with those between interpolated. Each of them was "
            f"chosen from the whole sequence; the tokens between are the ones that were chosen with a cache."
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
    timed, foretold = len(found.uncached.places), found.foretold
    if foretold is None:
        return f"{timed:,} timed tokens without a cache are too few to tell a polynomial from an exponential."
    polynomial, exponential = foretold
    # By a margin: uneven times alone let one of the two lie a little closer.
    closer = found.exponential_miss > 1.1 * found.uncached.miss
    clear = closer and abs(math.log(exponential)) > 2 * abs(math.log(polynomial))
    verdict = "polynomial, not exponential" if clear else "too uneven here to tell a polynomial from an exponential"
    return (
        f"The growth without a cache is {verdict}: the best a + b n + c n^2 misses the seconds of a token by "
        f"{found.uncached.miss:.1%} of their mean (root mean square), the best a exp(b n) by "
        f"{found.exponential_miss:.1%}; fitted to the first half of the {timed:,} timed tokens alone, they foretell "
        f"{polynomial:.2f} and {exponential:.2f} times the seconds that the second half took."
    )
