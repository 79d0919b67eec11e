"""The links of a ledger as inequalities between unknown numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anamorph.ledger.detours import detours
from anamorph.ledger.statements import AtMost, Link, Same

# (unknown, coefficient) pairs whose sum is at most zero.
Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Inequalities:
    """Unknowns, each for one or more images with equal numbers, and the inequalities between them.

    No inequality has a constant, so zeros satisfy all of them: links alone never contradict each other.
    """

    unknowns: dict[int, int]
    rows: tuple[Terms, ...]
    # Per unknown, the rows with a positive coefficient, and those with a negative one.
    hurt_by_more: tuple[tuple[int, ...], ...]
    hurt_by_less: tuple[tuple[int, ...], ...]
    # Per unknown, its group; unknowns of different groups are independent.
    groups: tuple[int, ...]

    def rows_of_group(self, group: int) -> list[Terms]:
        """The inequalities between the unknowns of a group."""
        return [terms for terms in self.rows if self.groups[terms[0][0]] == group]


def inequalities(images: Iterable[int], links: Sequence[Link]) -> Inequalities:
    """The inequalities of the links, over their images and the given ones."""
    sums = [each for link in links for each in link.inequalities()]
    sums += [each for detour in detours(links) for each in detour]
    everything = {*images, *(image for left, right in sums for image in (*left, *right))}
    # Images with equal numbers are one unknown, so that copies cost nothing.
    unknowns = _numbered(sorted(everything), [(link.one, link.other) for link in links if isinstance(link, Same)])
    count = len(set(unknowns.values()))
    rows = tuple(dict.fromkeys(terms for each in sums if (terms := _terms(each, unknowns))))
    neighbors = [(terms[0][0], unknown) for terms in rows for unknown, _ in terms[1:]]
    return Inequalities(
        unknowns=unknowns,
        rows=rows,
        hurt_by_more=_rows_by_unknown(rows, count, 1),
        hurt_by_less=_rows_by_unknown(rows, count, -1),
        groups=tuple(_numbered(range(count), neighbors).values()),
    )


def _terms(sums: AtMost, unknowns: dict[int, int]) -> Terms:
    coefficients: Counter[int] = Counter()
    for image in sums[0]:
        coefficients[unknowns[image]] += 1
    for image in sums[1]:
        coefficients[unknowns[image]] -= 1
    if not any(coefficient > 0 for coefficient in coefficients.values()):
        return ()
    divisor = math.gcd(*coefficients.values())
    return tuple((unknown, number // divisor) for unknown, number in sorted(coefficients.items()) if number)


def _rows_by_unknown(rows: Sequence[Terms], count: int, sign: int) -> tuple[tuple[int, ...], ...]:
    found: list[list[int]] = [[] for _ in range(count)]
    for row, terms in enumerate(rows):
        for unknown, coefficient in terms:
            if coefficient * sign > 0:
                found[unknown].append(row)
    return tuple(map(tuple, found))


def _numbered(members: Sequence[int], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Each member's equivalence class under the pairs, numbered from zero."""
    parents = {member: member for member in members}

    def root(member: int) -> int:
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    for one, other in pairs:
        first, second = sorted((root(one), root(other)))
        parents[second] = first
    numbers: dict[int, int] = {}
    return {member: numbers.setdefault(root(member), len(numbers)) for member in members}
