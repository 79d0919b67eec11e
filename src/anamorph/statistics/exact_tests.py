"""Exact tests of counts: the binomial test and the sign test."""

from __future__ import annotations

import math

# Probabilities that differ by less than this share are equal up to rounding.
_SAME = 1e-7


def binomial(hits: int, total: int, share: float = 0.5) -> float:
    """The two-sided p-value of a number of hits among independent trials with this probability.

    It sums the probabilities of all outcomes at most as likely as the observed one (Conover, Practical
    Nonparametric Statistics, section 3.1, as R's binom.test does).
    """
    if not 0 <= hits <= total or not 0 <= share <= 1:
        raise ValueError(f"expected hits from 0 to the total and a share from 0 to 1, got {hits} of {total}, {share}")
    if share in (0, 1):
        return float(hits == total * share)
    chances = [_chance(count, total, share) for count in range(total + 1)]
    limit = chances[hits] * (1 + _SAME)
    return min(1.0, math.fsum(chance for chance in chances if chance <= limit))


def sign(wins: int, losses: int) -> float:
    """The two-sided p-value of the sign test: the binomial test with p = 1/2; ties are dropped beforehand."""
    total = wins + losses
    tail = sum(math.comb(total, count) for count in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << total))


def _chance(hits: int, total: int, share: float) -> float:
    ways = math.lgamma(total + 1) - math.lgamma(hits + 1) - math.lgamma(total - hits + 1)
    return math.exp(ways + hits * math.log(share) + (total - hits) * math.log1p(-share))
