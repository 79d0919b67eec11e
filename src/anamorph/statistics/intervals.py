"""95 % intervals of rates over dependent cases: those of one photo tend to fail together.

The rate is a ratio, violated over decided cases, and its variance is that of photos, not of cases: the linearized
ratio estimator over clusters (Cochran, Sampling Techniques, 3rd ed., sections 6.3 and 9A.1). It yields an effective
number of independent cases for Wilson's interval, with Student's t for few photos (Korn and Graubard 1998, Survey
Methodology 24, for the effective number; Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3, find
Wilson's form the best of seven). Unlike a bootstrap it needs only sums, and unlike the Wald interval it stays in 0..1
and has a width even without failures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

Interval: TypeAlias = tuple[float, float]

# The 97.5 % point of the normal distribution.
_Z = 1.959963984540054
# The 97.5 % points of Student's t for 1 to 4 degrees of freedom, for which the expansion below is too inexact.
_SMALL_T = (12.706204736432095, 4.302652729911275, 3.182446305284263, 2.7764451051977987)


def wilson(hits: float, total: float) -> Interval:
    """Wilson's interval of a share of independent cases; `total` is above 0."""
    share, square = hits / total, _Z**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    reach = _Z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total**2))
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    # Exactly 0 or 1, not 1e-17.
    return (0.0 if hits <= 0 else low), (1.0 if hits >= total else high)


def student(freedom: int) -> float:
    """Student's 97.5 % point (Abramowitz and Stegun 26.7.5); `freedom` is at least 1."""
    if freedom <= len(_SMALL_T):
        return _SMALL_T[freedom - 1]
    z, n = _Z, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def clustered(clusters: Iterable[tuple[int, int]]) -> Interval | None:
    """The interval of a rate from (decided, violated) of each photo; None for fewer than two photos."""
    used = [(decided, violated) for decided, violated in clusters if decided]
    count, total, hits = len(used), sum(each[0] for each in used), sum(each[1] for each in used)
    if count < 2:
        return None
    rate = hits / total
    if 0 < hits < total:
        residuals = math.fsum((violated - rate * decided) ** 2 for decided, violated in used)
        variance = count / (count - 1) * residuals / total**2
        # Photos whose cases balance each other are a fluke of small samples: the effective number never exceeds the
        # number of cases.
        effective = min(total, rate * (1 - rate) / variance) if variance else total
    else:
        # If all outcomes are equal, agreement within photos is unknown: each photo counts once.
        effective = count
    effective *= (_Z / student(count - 1)) ** 2
    return wilson(rate * effective, effective)


def paired(clusters: Iterable[tuple[int, int, int]]) -> tuple[float, Interval | None]:
    """The difference of two rates, second minus first, over the cases that both systems decided, from (decided,
    violated by the first, violated by the second) of each photo; its interval as in `clustered`.

    For systems that never differed, the interval is as wide as that of a rate of 0 in as many photos.
    """
    used = [each for each in clusters if each[0]]
    count, total = len(used), sum(each[0] for each in used)
    if not total:
        return 0.0, None
    difference = sum(second - first for _, first, second in used) / total
    if count < 2:
        return difference, None
    residuals = math.fsum((second - first - difference * decided) ** 2 for decided, first, second in used)
    reach = student(count - 1) * math.sqrt(count / (count - 1) * residuals) / total
    if not residuals:
        reach = clustered([(1, 0)] * count)[1]  # type: ignore[index]
    return difference, (max(-1.0, difference - reach), min(1.0, difference + reach))


def merged(several: Iterable[Mapping[int, tuple[int, int]]]) -> dict[int, tuple[int, int]]:
    """(decided, violated) by photo, summed over groups of cases."""
    total: dict[int, tuple[int, int]] = {}
    for clusters in several:
        for cluster, (decided, violated) in clusters.items():
            before = total.get(cluster, (0, 0))
            total[cluster] = (before[0] + decided, before[1] + violated)
    return total
