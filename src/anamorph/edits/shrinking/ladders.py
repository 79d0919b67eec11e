"""Smaller numbers and fewer objects, for the option `smaller` of edits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

# Bisecting this many steps takes five questions.
STEPS = 32
# Enough to tell steps apart, without 0.30000000000000004.
_DIGITS = 6


def towards(harmless: float, number: float) -> list[float]:
    """Numbers from a harmless one towards this one, in even steps."""
    steps = (harmless + (number - harmless) * step / STEPS for step in range(1, STEPS))
    rounded = dict.fromkeys(round(step, _DIGITS) for step in steps)
    return [step for step in rounded if step not in (harmless, number)]


def fewer(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Parts of a list, as in delta debugging (Zeller and Hildebrandt 2002): halves first, then all but a smaller and
    smaller piece, each in the order of the list.
    """
    pieces = 2
    while len(items) > 1:
        bounds = [len(items) * k // pieces for k in range(pieces + 1)]
        cuts = list(itertools.pairwise(bounds))
        yield from (tuple(items[start:end]) for start, end in cuts)
        if pieces > 2:
            yield from ((*items[:start], *items[end:]) for start, end in cuts)
        if pieces == len(items):
            return
        pieces = min(2 * pieces, len(items))
