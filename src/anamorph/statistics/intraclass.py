"""Agreement of ratings on a scale: the six intraclass correlations of Shrout and Fleiss, with 95 % intervals.

Source: Shrout and Fleiss 1979, Intraclass correlations: uses in assessing rater reliability, Psychological Bulletin 86,
420 to 428. The interval of the second form is their approximation, after Satterthwaite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.statistics.intervals import Interval

# 1: each item has its own raters. 2: the same raters, a sample of all raters (absolute agreement). 3: these raters
# only; a consistently stricter one does not matter (consistency).
Form: TypeAlias = Literal[1, 2, 3]

# Half of 5 % is beyond each end of an interval.
_LEVEL = 0.975
_HALVINGS = 200


@dataclass(frozen=True, slots=True)
class Intraclass:
    """An intraclass correlation: of single ratings, or (`averaged`) of the mean of `raters` ratings."""

    form: Form
    averaged: bool
    items: int
    raters: int
    value: float
    interval: Interval

    @property
    def name(self) -> str:
        """As Shrout and Fleiss write it: "ICC(2,1)", "ICC(2,4)"."""
        return f"ICC({self.form},{self.raters if self.averaged else 1})"


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """The mean squares of a table of ratings: between items, within items, between raters, and residual."""

    between: float
    within: float
    raters: float
    residual: float


def mean_squares(ratings: Sequence[Sequence[float]]) -> MeanSquares:
    """The mean squares of items (rows) by raters (columns), with one rating in each cell."""
    items, raters = len(ratings), len(ratings[0])
    grand = math.fsum(map(math.fsum, ratings)) / (items * raters)
    rows = [math.fsum(row) / raters for row in ratings]
    columns = [math.fsum(row[column] for row in ratings) / items for column in range(raters)]
    between = raters * math.fsum((mean - grand) ** 2 for mean in rows)
    judges = items * math.fsum((mean - grand) ** 2 for mean in columns)
    within = math.fsum((value - mean) ** 2 for row, mean in zip(ratings, rows, strict=True) for value in row)
    return MeanSquares(
        between / (items - 1),
        within / (items * (raters - 1)),
        judges / (raters - 1),
        # Rounding must not make a sum of squares negative.
        max(0.0, within - judges) / ((items - 1) * (raters - 1)),
    )


def intraclass(ratings: Sequence[Sequence[float]], form: Form, *, averaged: bool = False) -> Intraclass | None:
    """An intraclass correlation of items (rows) rated by the same number of raters (columns); None if it is not
    defined: fewer than two items or raters, or no variance to explain.
    """
    items, raters = len(ratings), len(ratings[0]) if ratings else 0
    if any(len(row) != raters for row in ratings):
        raise ValueError("every item needs the same number of ratings")
    if items < 2 or raters < 2:
        return None
    squares = mean_squares(ratings)
    noise = squares.within if form == 1 else squares.residual
    spread = squares.between + (raters - 1) * noise
    if form == 2:
        spread += raters * (squares.raters - squares.residual) / items
    if spread <= 0:
        return None
    single = (squares.between - noise) / spread
    low, high = _interval(squares, items, raters, form, single)
    if averaged:
        single, low, high = (_of_means(raters, each) for each in (single, low, high))
    return Intraclass(form, averaged, items, raters, single, (low, high))


def _of_means(raters: int, single: float) -> float:
    """The correlation of means of this many ratings, by the Spearman-Brown formula."""
    below = 1 + (raters - 1) * single
    return raters * single / below if below > 0 else -math.inf


def _interval(squares: MeanSquares, items: int, raters: int, form: Form, single: float) -> Interval:
    if form == 2:
        return _interval_of_agreement(squares, items, raters, single)
    noise = squares.within if form == 1 else squares.residual
    if not noise:
        return single, single
    freedom = items * (raters - 1) if form == 1 else (items - 1) * (raters - 1)
    ratio = squares.between / noise
    low = ratio / f_quantile(_LEVEL, items - 1, freedom)
    high = ratio * f_quantile(_LEVEL, freedom, items - 1)
    return (low - 1) / (low + raters - 1), (high - 1) / (high + raters - 1)


def _interval_of_agreement(squares: MeanSquares, items: int, raters: int, single: float) -> Interval:
    if not squares.residual:
        return single, single
    n, k = items, raters
    between, judges, residual = squares.between, squares.raters, squares.residual
    ratio = judges / residual
    weight = n * (1 + (k - 1) * single) - k * single
    spread = (n - 1) * (k * single * ratio) ** 2 + weight**2
    # With hardly any agreement the approximation's degrees of freedom can vanish; with equal raters, its spread.
    freedom = max(1.0, (k - 1) * (n - 1) * (k * single * ratio + weight) ** 2 / spread) if spread else 1.0
    rest = k * judges + (k * n - k - n) * residual
    low = f_quantile(_LEVEL, n - 1, freedom)
    high = f_quantile(_LEVEL, freedom, n - 1)
    lower = n * (between - low * residual) / (low * rest + n * between)
    upper = n * (high * between - residual) / (rest + n * high * between)
    return lower, upper


def f_quantile(level: float, first: float, second: float) -> float:
    """A quantile of the F distribution."""
    low, high = 0.0, 1.0
    # The beta distribution function is monotonic, so bisection finds its quantile.
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _beta_share(middle, first / 2, second / 2) < level:
            low = middle
        else:
            high = middle
    return second * low / (first * (1 - low))


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction, by Lentz's method."""
    tiny = 1e-300
    upper, lower = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = lower
    for m in range(1, 1000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / ((1 + term * lower) or tiny)
            upper = (1 + term / upper) or tiny
            value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return value
