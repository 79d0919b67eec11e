"""Annotator agreement beyond chance: Cohen's kappa for two, its mean over pairs, and Fleiss' kappa for several."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from anamorph.statistics.intervals import Interval, student

T = TypeVar("T")


def cohen(pairs: Iterable[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of two annotators' choices for the same items (Cohen 1960, A coefficient of agreement for nominal
    scales); None without items, or where they would always agree by chance alone.
    """
    chosen = list(pairs)
    if not chosen:
        return None
    total = len(chosen)
    observed = sum(one == other for one, other in chosen) / total
    first, second = (Counter(each) for each in zip(*chosen, strict=True))
    expected = sum(first[choice] * second[choice] for choice in first) / total**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def fleiss(items: Sequence[Mapping[Hashable, int]]) -> float | None:
    """Fleiss' kappa from the counts of each choice by item (Fleiss 1971, Measuring nominal scale agreement among many
    raters); every item needs the same number of judgments, at least 2.
    """
    sizes = {sum(item.values()) for item in items}
    if not sizes:
        return None
    if len(sizes) > 1 or min(sizes) < 2:
        raise ValueError(f"every item needs the same number of judgments, at least 2, got {sorted(sizes)}")
    (raters,) = sizes
    agreeing = [(sum(count**2 for count in item.values()) - raters) / (raters * (raters - 1)) for item in items]
    observed = sum(agreeing) / len(items)
    totals: Counter[Hashable] = Counter()
    for item in items:
        totals.update(item)
    expected = sum((count / (len(items) * raters)) ** 2 for count in totals.values())
    return None if expected == 1 else (observed - expected) / (1 - expected)


def pairwise(judged: Mapping[str, Mapping[Hashable, Hashable]]) -> dict[tuple[str, str], float | None]:
    """Cohen's kappa of every two annotators, over the items that both judged; `judged` is by annotator, then item."""
    return {
        (one, other): cohen((judged[one][item], judged[other][item]) for item in judged[one] if item in judged[other])
        for one, other in itertools.combinations(sorted(judged), 2)
    }


def jackknifed(clusters: Sequence[Sequence[T]], measure: Callable[[Sequence[T]], float | None]) -> Interval | None:
    """The 95 % interval of a measure of agreement, by the jackknife over clusters of items (Fleiss and Davies 1982,
    Jackknifing functions of multinomial frequencies, with an application to a measure of concordance).

    None for fewer than two clusters, or if the measure is undefined for all or without one of them.
    """
    whole = measure([item for cluster in clusters for item in cluster])
    count = len(clusters)
    if whole is None or count < 2:
        return None
    without = []
    for place in range(count):
        rest = [item for other, cluster in enumerate(clusters) if other != place for item in cluster]
        left = measure(rest)
        if left is None:
            return None
        without.append(left)
    mean = math.fsum(without) / count
    error = math.sqrt((count - 1) / count * math.fsum((each - mean) ** 2 for each in without))
    reach = student(count - 1) * error
    return max(-1.0, whole - reach), min(1.0, whole + reach)
