"""Search keywords for a label combination: every choice of synonyms, the labels themselves first (ATOM, II-B)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from anamorph.methods.atom.combinations import Combination
from anamorph.model import LabelSpace, Query, Term


def keywords(combination: Combination, space: LabelSpace, most: int | None = None) -> Iterator[Query]:
    """The default keyword, then the Cartesian product of the synonyms, `most` of them in all, then the simple one.

    The paper leaves the order of the product open. Here the synonyms that a label lists first come first, so that a cut
    leaves out the far-fetched ones.
    """
    labels = [space.label(name) for name in combination]
    # A label without a super-category is its own (section II-A).
    categories = [label.supercategory or label.name for label in labels]
    synonyms = [tuple(dict.fromkeys((label.name, *label.words))) for label in labels]
    for count, places in enumerate(_by_total([len(words) for words in synonyms])):
        if most is not None and count >= most:
            break
        words = (words[place] for words, place in zip(synonyms, places, strict=True))
        yield Query(tuple(map(Term, words, categories)))
    yield Query(tuple(map(Term, combination, categories)), simple=True)


def _by_total(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every tuple of places in lists of these sizes, by their sum, with no more held than was reached."""
    start = (0,) * len(sizes)
    waiting, reached = [(0, start)], {start}
    while waiting:
        total, places = heapq.heappop(waiting)
        yield places
        for position, size in enumerate(sizes):
            if places[position] + 1 < size:
                further = (*places[:position], places[position] + 1, *places[position + 1 :])
                if further not in reached:
                    reached.add(further)
                    heapq.heappush(waiting, (total + 1, further))
