"""Student's t-test of a mean, two-tailed, with exact p-values.

Source: Press and others, Numerical Recipes, section 6.4: the incomplete beta function as a continued fraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

_STEPS, _ENOUGH, _TINY = 300, 1e-14, 1e-300


@dataclass(frozen=True, slots=True)
class TTest:
    """The t-value of a mean against another, its degrees of freedom, and the two-tailed p-value."""

    t: float
    freedom: int
    p_value: float


def t_test(values: Sequence[float], mean: float) -> TTest | None:
    """Whether the mean of some values is another one; None if fewer than two differ."""
    if len(values) < 2 or len(set(values)) < 2:
        return None
    freedom = len(values) - 1
    t = (fmean(values) - mean) / (stdev(values) / math.sqrt(len(values)))
    return TTest(t, freedom, _beta(freedom / (freedom + t * t), freedom / 2, 0.5))


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if not 0 < x < 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction, by Lentz's method."""
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _STEPS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _apart(1 + factor * d), _apart(1 + factor / c)
            found *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return found


def _apart(value: float) -> float:
    """A number that can be divided by."""
    return value if abs(value) > _TINY else _TINY
