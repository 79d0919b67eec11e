"""Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Sequence


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The rank correlation of two series, ties with their mean rank; None if one does not vary."""
    ranks = _ranks(first), _ranks(second)
    middle = (len(first) + 1) / 2
    spread = [sum((rank - middle) ** 2 for rank in own) for own in ranks]
    if not all(spread):
        return None
    together = sum((one - middle) * (other - middle) for one, other in zip(*ranks, strict=True))
    return float(together / (spread[0] * spread[1]) ** 0.5)


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]
