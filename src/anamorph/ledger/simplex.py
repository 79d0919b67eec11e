"""Exact search for bounded numbers that satisfy inequalities: the simplex method over fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from anamorph.ledger.inequalities import Terms

Number = int | Fraction
# Pivots per row chosen for speed before switching to Bland's rule, which terminates.
HASTY_PIVOTS = 3
# The minimum cost of a split, in tableau entries.
SPLIT_COST = 50


class OverLimit(Exception):
    """The search exceeded its cost limit."""


@dataclass(slots=True)
class Range:
    """The bounds of one unknown, and the statements behind them."""

    low: int | None = None
    high: int | None = None
    low_key: int | None = None
    high_key: int | None = None


class Tableau:
    """Basic variables as sums of nonbasic ones, which stay within their ranges while the basic ones are repaired.

    The general simplex of Dutertre and de Moura (2006): it has no objective, and a row that cannot be repaired names
    the contradicting bounds. Variables after the given ones are the sums of the inequalities.
    """

    __slots__ = ("_allowed", "_basics_with", "_outside", "_pivots", "_ranges", "_rows", "_values", "spent")

    def __init__(self, count: int, inequalities: Sequence[Terms], allowed: int) -> None:
        rows, limits = _sums(inequalities)
        self.spent = 0
        self._pivots = 0
        self._outside: set[int] = set()
        self._allowed = allowed
        self._rows: dict[int, dict[int, Number]] = {count + place: dict(terms) for place, terms in enumerate(rows)}
        self._basics_with: list[set[int]] = [set() for _ in range(count + len(rows))]
        for basic, row in self._rows.items():
            for unknown in row:
                self._basics_with[unknown].add(basic)
        self._values: list[Number] = [0] * (count + len(rows))
        self._ranges = [Range(low=0) for _ in range(count)] + limits

    def solve(self, ranges: Sequence[Range]) -> list[Number] | frozenset[int]:
        """A solution within the ranges of the given unknowns, or the statements that rule out every one."""
        self._spend(SPLIT_COST + len(ranges) + len(self._rows))
        self._pivots = 0
        for unknown, limits in enumerate(ranges):
            self._ranges[unknown] = limits
            if limits.low is not None and limits.high is not None and limits.low > limits.high:
                return _keys(limits.low_key, limits.high_key)
        for unknown in range(len(ranges)):
            if unknown not in self._rows:
                self._move_inside(unknown)
        self._outside = {basic for basic in self._rows if self._bound_missed(basic) is not None}
        while self._outside:
            if (conflict := self._repair(self._leaving())) is not None:
                return conflict
        return self._values[: len(ranges)]

    def _leaving(self) -> int:
        if self._careful():
            return min(self._outside)
        return min(self._outside, key=lambda basic: (len(self._rows[basic]), basic))

    def _careful(self) -> bool:
        # The smallest index first (Bland's rule) cannot cycle, but short rows first is usually faster.
        return self._pivots > HASTY_PIVOTS * len(self._rows)

    def _bound_missed(self, unknown: int) -> int | None:
        limits, value = self._ranges[unknown], self._values[unknown]
        if limits.low is not None and value < limits.low:
            return limits.low
        if limits.high is not None and value > limits.high:
            return limits.high
        return None

    def _move_inside(self, unknown: int) -> None:
        bound = self._bound_missed(unknown)
        if bound is not None:
            step = bound - self._values[unknown]
            self._values[unknown] = bound
            for basic in self._basics_with[unknown]:
                self._values[basic] += step * self._rows[basic][unknown]

    def _repair(self, basic: int) -> frozenset[int] | None:
        bound = self._bound_missed(basic)
        assert bound is not None
        sign = 1 if self._values[basic] < bound else -1
        row = self._rows[basic]
        movable = [unknown for unknown, factor in row.items() if self._can_move(unknown, factor * sign)]
        if not movable:
            return self._conflict(basic, sign)
        if self._careful():
            entering = min(movable)
        else:
            entering = min(movable, key=lambda unknown: (len(self._basics_with[unknown]), unknown))
        step = _ratio(bound - self._values[basic], row[entering])
        self._values[entering] += step
        touched = self._basics_with[entering]
        for other in touched:
            self._values[other] += step * self._rows[other][entering]
        self._pivot(basic, entering)
        self._outside.discard(basic)
        for other in (*touched, entering):
            if self._bound_missed(other) is None:
                self._outside.discard(other)
            else:
                self._outside.add(other)
        return None

    def _can_move(self, unknown: int, direction: Number) -> bool:
        limits, value = self._ranges[unknown], self._values[unknown]
        if direction > 0:
            return limits.high is None or value < limits.high
        return limits.low is None or value > limits.low

    def _conflict(self, basic: int, sign: int) -> frozenset[int]:
        own = self._ranges[basic]
        keys = [own.low_key if sign > 0 else own.high_key]
        for unknown, factor in self._rows[basic].items():
            limits = self._ranges[unknown]
            keys.append(limits.high_key if factor * sign > 0 else limits.low_key)
        return _keys(*keys)

    def _pivot(self, leaving: int, entering: int) -> None:
        self._pivots += 1
        row = self._rows.pop(leaving)
        for unknown in row:
            self._basics_with[unknown].discard(leaving)
        factor = row.pop(entering)
        solved: dict[int, Number] = {unknown: _ratio(-number, factor) for unknown, number in row.items()}
        solved[leaving] = _ratio(1, factor)
        for basic in self._basics_with[entering]:
            self._substitute(basic, entering, solved)
        self._basics_with[entering] = set()
        self._rows[entering] = solved
        for unknown in solved:
            self._basics_with[unknown].add(entering)

    def _substitute(self, basic: int, entering: int, solved: dict[int, Number]) -> None:
        self._spend(len(solved))
        row = self._rows[basic]
        scale = row.pop(entering)
        for unknown, number in solved.items():
            total = row.get(unknown, 0) + scale * number
            if total:
                row[unknown] = total.numerator if total.denominator == 1 else total
                self._basics_with[unknown].add(basic)
            else:
                del row[unknown]
                self._basics_with[unknown].discard(basic)

    def _spend(self, entries: int) -> None:
        self.spent += entries
        if self.spent > self._allowed:
            raise OverLimit


def whole_numbers(
    ranges: Sequence[Range], rows: Sequence[Terms], allowed: int
) -> tuple[list[int] | frozenset[int] | None, int]:
    """An integer solution, or the statements that rule one out, or None over the limit; and the cost.

    Branches on the range of a fractional unknown. Open ranges have no cap: with cycles of collages the smallest
    solution can be exponentially large, so a practical cap would prove false contradictions.
    """
    tableau = Tableau(len(ranges), rows, allowed)
    blamed: set[int] = set()
    open_ranges = [list(ranges)]
    try:
        while open_ranges:
            current = open_ranges.pop()
            found = tableau.solve(current)
            if isinstance(found, frozenset):
                blamed |= found
                continue
            place = next((place for place, number in enumerate(found) if number != int(number)), None)
            if place is None:
                return [int(number) for number in found], tableau.spent
            open_ranges.extend(_split(current, place, found[place]))
    except OverLimit:
        return None, tableau.spent
    return frozenset(blamed), tableau.spent


def _split(ranges: list[Range], place: int, number: Number) -> list[list[Range]]:
    below = number.__floor__()
    old = ranges[place]
    # One branch always holds, so a bound from a split blames no statement.
    lower = Range(low=old.low, high=below, low_key=old.low_key)
    upper = Range(low=below + 1, high=old.high, high_key=old.high_key)
    return [[*ranges[:place], half, *ranges[place + 1 :]] for half in (upper, lower)]


def _sums(inequalities: Sequence[Terms]) -> tuple[list[Terms], list[Range]]:
    """The sums that are at most zero, or equal zero if the opposite holds as well, and their ranges."""
    every = set(inequalities)
    rows: list[Terms] = []
    limits: list[Range] = []
    for terms in inequalities:
        opposite = tuple((unknown, -coefficient) for unknown, coefficient in terms)
        if opposite not in every:
            rows.append(terms)
            limits.append(Range(high=0))
        elif terms < opposite:
            rows.append(terms)
            limits.append(Range(low=0, high=0))
    return rows, limits


def _ratio(numerator: Number, denominator: Number) -> Number:
    fraction = Fraction(numerator) / Fraction(denominator)
    # Integers are several times faster than fractions, and nearly all factors are integers.
    return fraction.numerator if fraction.denominator == 1 else fraction


def _keys(*keys: int | None) -> frozenset[int]:
    return frozenset(key for key in keys if key is not None)
