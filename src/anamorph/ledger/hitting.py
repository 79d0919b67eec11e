"""Minimum-weight hitting sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

# Branch limit of the search for one hitting set.
BRANCH_LIMIT = 5_000

Family = Sequence[frozenset[int]]
Weights = Mapping[int, int]


class _OverLimit(Exception):
    """The search exceeded its branch limit."""


def least_weight(family: Family, weights: Weights) -> int:
    """A lower bound on the weight of hitting sets: sets, the smallest first, use up their members' weights.

    With unit weights it is the number of disjoint sets found.
    """
    spare: dict[int, int] = {}
    total = 0
    for each in sorted(family, key=len):
        paid = min(spare.get(member, weights[member]) for member in each)
        if paid:
            total += paid
            for member in each:
                spare[member] = spare.get(member, weights[member]) - paid
    return total


def lightest_hitting_set(family: Family, weights: Weights) -> frozenset[int] | None:
    """A minimum-weight set that hits every set of the family; None over the limit.

    Of equally light ones it prefers members of many sets, and then larger members.
    """
    search = _Search(weights)
    chosen: set[int] = set()
    try:
        for part in _parts(family):
            chosen |= search.lightest(part)
    except _OverLimit:
        return None
    return frozenset(chosen)


def _parts(family: Family) -> list[list[frozenset[int]]]:
    """The connected components of the family, which are solved separately."""
    parts: list[tuple[set[int], list[frozenset[int]]]] = []
    for each in family:
        members, sets = set(each), [each]
        apart = []
        for part in parts:
            if part[0].isdisjoint(each):
                apart.append(part)
            else:
                members |= part[0]
                sets = part[1] + sets
        parts = [*apart, (members, sets)]
    return [sets for _, sets in parts]


class _Search:
    """Branch and bound over the members of the smallest unhit set."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._branches = 0
        self._best: frozenset[int] = frozenset()

    def lightest(self, family: Family) -> frozenset[int]:
        self._best = self._greedy(family)
        self._try(list(family), frozenset())
        return self._best

    def _weight(self, members: frozenset[int]) -> int:
        return sum(self._weights[member] for member in members)

    def _preferred(self, family: Family) -> list[int]:
        counts = Counter(member for each in family for member in each)
        return sorted(
            counts, key=lambda member: (Fraction(counts[member], self._weights[member]), member), reverse=True
        )

    def _greedy(self, family: Family) -> frozenset[int]:
        chosen: set[int] = set()
        left = list(family)
        while left:
            best = self._preferred(left)[0]
            chosen.add(best)
            left = [each for each in left if best not in each]
        return frozenset(chosen)

    def _try(self, left: list[frozenset[int]], chosen: frozenset[int]) -> None:
        self._branches += 1
        if self._weight(chosen) + least_weight(left, self._weights) >= self._weight(self._best):
            return
        if self._branches > BRANCH_LIMIT:
            raise _OverLimit
        if not left:
            self._best = chosen
            return
        smallest = min(left, key=len)
        for member in [each for each in self._preferred(left) if each in smallest]:
            self._try([each for each in left if member not in each], chosen | {member})
            # Every lighter hitting set with this member was tried: exclude it from here on.
            left = [each - {member} for each in left]
            if not all(left):
                return
