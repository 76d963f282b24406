"""How seconds grow with the number of the token: a polynomial and an exponential through measured points, and how far
each of them misses."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Polynomial:
    """a + b n + c n² …, no coefficient below 0: each stands for work, and there is no negative work."""

    coefficients: tuple[float, ...]  # seconds, by rising power of n

    def at(self, n: Numbers) -> Numbers:
        return np.polynomial.polynomial.polyval(n, np.array(self.coefficients))


@dataclass(frozen=True)
class Exponential:
    """a exp(b n)."""

    a: float  # seconds
    b: float  # for each token

    def at(self, n: Numbers) -> Numbers:
        return self.a * np.exp(self.b * n)


Curve = Polynomial | Exponential


def fit_polynomial(n: Numbers, seconds: Numbers, degree: int) -> Polynomial:
    """The polynomial of at most this degree, and of at most as many terms as there are points, that misses by the
    least square.

    Non-negative least squares: the best solution is the plain least squares solution on those terms that it does not
    set to 0. With three terms all choices of them can be tried.
    """
    scale = float(n.max())  # powers of 0 … 1 rather than of 0 … 1000: a well-conditioned system
    terms = np.stack([(n / scale) ** power for power in range(degree + 1)], axis=1)
    best, least = np.zeros(degree + 1), np.inf
    for count in range(1, min(degree + 1, len(n)) + 1):
        for chosen in map(list, combinations(range(degree + 1), count)):
            solution = np.linalg.lstsq(terms[:, chosen], seconds, rcond=None)[0]
            missed = float(np.square(terms[:, chosen] @ solution - seconds).sum())
            if solution.min() >= 0 and missed < least:
                best, least = np.zeros(degree + 1), missed
                best[chosen] = solution
    return Polynomial(tuple(float(value) / scale**power for power, value in enumerate(best)))


def fit_exponential(n: Numbers, seconds: Numbers) -> Exponential:
    """The exponential that misses by the least square: in seconds, like the polynomial, not in their logarithm.

    For a given b the best a is known, so b alone is searched for, on a grid made finer around the best.
    """
    steepest = 50.0 / float(n.max())  # grows by exp(50) over the points: as good as a step
    low, high = -steepest, steepest
    for _ in range(8):
        grid = np.linspace(low, high, 101)
        shapes = np.exp(grid[:, None] * (n - n.max()))  # 1 at the last point, so nothing overflows
        a = (shapes @ seconds) / np.square(shapes).sum(axis=1)
        best = int(np.square(a[:, None] * shapes - seconds).sum(axis=1).argmin())
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 100)]
    b = float(grid[best])
    return Exponential(float(a[best] * np.exp(-b * n.max())), b)


def miss(curve: Curve, n: Numbers, seconds: Numbers) -> float:
    """How far a curve is from the points: the root mean square of the differences, as a fraction of the mean."""
    return float(np.sqrt(np.square(curve.at(n) - seconds).mean()) / seconds.mean())


def r_squared(curve: Curve, n: Numbers, seconds: Numbers) -> float | None:
    """The share of the seconds' variance that a curve accounts for; None where they do not vary."""
    spread = float(np.square(seconds - seconds.mean()).sum())
    return 1 - float(np.square(curve.at(n) - seconds).sum()) / spread if spread > 0 else None


def exponent(totals: Numbers) -> float | None:
    """p where a total grows like n**p, from the middle to the end of what it was after 1, 2, 3 … tokens: 1 is linear, 2
    quadratic, 3 cubic. None for a single token."""
    half, end = len(totals) // 2, len(totals)
    return float(np.log(totals[-1] / totals[half - 1]) / np.log(end / half)) if half else None
