"""Error rates from tallies: the share of decided cases that are violated, with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable

from anamorph.model import Tally

# The normal distribution's 97.5 % point, for an interval that holds in 95 of 100 samples.
_Z = 1.959963984540054

RATE_COLUMNS = ("cases", "violated", "undecided", "rate", "95 % interval")


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; `total` is at least 1."""
    share, square = hits / total, _Z**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    reach = _Z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total**2))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def rate_cells(tallies: Iterable[Tally]) -> tuple[str | int | float, ...]:
    """The cells below `RATE_COLUMNS`; a dash where there was nothing to count."""
    holds = violated = undecided = 0
    for tally in tallies:
        holds += tally.holds
        violated += tally.violated
        undecided += tally.undecided
    decided = holds + violated
    cases = decided + undecided
    left_open = f"{undecided} ({undecided / cases:.1%})" if undecided else "0"
    if not decided:
        return (cases, violated, left_open, "-", "-")
    low, high = wilson(violated, decided)
    return (cases, violated, left_open, f"{violated / decided:.1%}", f"{100 * low:.1f} to {high:.1%}")
