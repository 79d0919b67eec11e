"""Bounds propagation: lows and highs of unknowns from statements, through single inequalities."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from anamorph.ledger.inequalities import Inequalities
from anamorph.ledger.statements import Statement

# Bounds can climb forever around a cycle of links (x at least y + 1, y at least x). A bound that moved this many times
# stays, which is sound; the exact search does the rest.
PATIENCE = 12
# Visits per inequality and unknown after which lows that are raised to a solution also count as climbing.
SETTLING_VISITS = 6
GIVEN = -1


@dataclass(slots=True)
class Effort:
    """The cost of reasoning about a ledger so far."""

    checks: int = 0
    visits: int = 0
    entries: int = 0


class Contradicted(Exception):
    """An unknown has no possible number; `keys` are the statements responsible."""

    def __init__(self, keys: frozenset[int]) -> None:
        super().__init__(keys)
        self.keys = keys


class Bounds:
    """Lows and highs of all unknowns, each with its supporting statements."""

    def __init__(self, inequalities: Inequalities, effort: Effort) -> None:
        count = len(inequalities.groups)
        self.lows = [0] * count
        self.highs: list[int | None] = [None] * count
        self._inequalities = inequalities
        self._effort = effort
        # The reason of a bound is a statement's key or the reasons it was derived from.
        self._reasons: list[int | tuple[int, ...]] = []
        self._low_reasons = [GIVEN] * count
        self._high_reasons = [GIVEN] * count
        self._moves = [0] * count
        self._raised: deque[int] = deque()
        # Inequalities between two unknowns go first, so that a contradiction of two statements is found first.
        self._pairs: deque[int] = deque()
        self._others: deque[int] = deque()
        self._waiting: set[int] = set()

    def after_links(self) -> None:
        """Consequences of the links alone: unknowns that are zero whatever is answered."""
        self._wait_for(range(len(self._inequalities.rows)))
        self._spread()

    def copy(self) -> Bounds:
        """An independent copy."""
        twin = Bounds(self._inequalities, self._effort)
        for name in ("lows", "highs", "_reasons", "_low_reasons", "_high_reasons", "_moves", "_raised"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def believe(self, statements: Iterable[Statement]) -> None:
        """Assume the statements and propagate; raises Contradicted on a contradiction."""
        for statement in statements:
            unknown = self._inequalities.unknowns[statement.image]
            if statement.least > self.lows[unknown]:
                self._raise(unknown, statement.least, statement.key)
            high = self.highs[unknown]
            if statement.most is not None and (high is None or statement.most < high):
                self._lower(unknown, statement.most, statement.key)
        self._spread()

    def settle(self, widest_first: bool) -> bool | None:
        """Raise lows until they are a solution; False where this way of raising fails, None if it may never end."""
        last_visit = self._effort.visits + SETTLING_VISITS * (len(self._inequalities.rows) + len(self.lows))
        try:
            while self._raised:
                unknown = self._raised.popleft()
                for row in self._inequalities.hurt_by_more[unknown]:
                    while (excess := self._excess(row)) > 0:
                        if self._effort.visits > last_visit:
                            return None
                        if not self._relieve(row, excess, widest_first):
                            return False
        except Contradicted:
            return False
        return True

    def _excess(self, row: int) -> int:
        return sum(coefficient * self.lows[unknown] for unknown, coefficient in self._inequalities.rows[row])

    def _relieve(self, row: int, excess: int, widest_first: bool) -> bool:
        self._effort.visits += 1
        rooms: list[tuple[int | None, int, int]] = []
        for unknown, coefficient in self._inequalities.rows[row]:
            high = self.highs[unknown]
            room = None if high is None else high - self.lows[unknown]
            if coefficient < 0 and room != 0:
                rooms.append((room, unknown, -coefficient))
        if not rooms:
            return False
        choose = max if widest_first else min
        room, unknown, weight = choose(rooms, key=lambda each: (each[0] is None, each[0] or 0))
        needed = -(-excess // weight)
        self._raise(unknown, self.lows[unknown] + (needed if room is None else min(needed, room)), ())
        self._spread()
        return True

    def _spread(self) -> None:
        while rows := self._pairs or self._others:
            row = rows.popleft()
            self._waiting.discard(row)
            self._visit(row)

    def _visit(self, row: int) -> None:
        terms = self._inequalities.rows[row]
        self._effort.visits += 1
        least = 0
        unbounded: tuple[int, int] | None = None
        for unknown, coefficient in terms:
            if coefficient > 0:
                least += coefficient * self.lows[unknown]
                continue
            high = self.highs[unknown]
            if high is not None:
                least += coefficient * high
            elif unbounded is None:
                unbounded = unknown, coefficient
            else:
                return
        if unbounded is not None:
            self._derive_low(row, unbounded[0], -(least // unbounded[1]) if least > 0 else 0)
        elif least > 0:
            raise self._contradicted(self._reasons_of(row, None))
        else:
            self._tighten(row, least)

    def _tighten(self, row: int, least: int) -> None:
        for unknown, coefficient in self._inequalities.rows[row]:
            high = self.highs[unknown]
            if coefficient < 0:
                assert high is not None
                self._derive_low(row, unknown, high - least // coefficient)
                continue
            bound = self.lows[unknown] + -least // coefficient
            if (high is None or bound < high) and self._moves[unknown] < PATIENCE:
                self._moves[unknown] += 1
                self._lower(unknown, bound, self._reasons_of(row, unknown))

    def _derive_low(self, row: int, unknown: int, bound: int) -> None:
        if bound > self.lows[unknown] and self._moves[unknown] < PATIENCE:
            self._moves[unknown] += 1
            self._raise(unknown, bound, self._reasons_of(row, unknown))

    def _reasons_of(self, row: int, without: int | None) -> tuple[int, ...]:
        reasons = [
            (self._low_reasons if coefficient > 0 else self._high_reasons)[unknown]
            for unknown, coefficient in self._inequalities.rows[row]
            if unknown != without
        ]
        return tuple(reason for reason in reasons if reason != GIVEN)

    def _raise(self, unknown: int, bound: int, reason: int | tuple[int, ...]) -> None:
        self._low_reasons[unknown] = len(self._reasons)
        self._reasons.append(reason)
        self.lows[unknown] = bound
        self._raised.append(unknown)
        self._refuse_crossing(unknown)
        self._wait_for(self._inequalities.hurt_by_more[unknown])

    def _lower(self, unknown: int, bound: int, reason: int | tuple[int, ...]) -> None:
        self._high_reasons[unknown] = len(self._reasons)
        self._reasons.append(reason)
        self.highs[unknown] = bound
        self._refuse_crossing(unknown)
        self._wait_for(self._inequalities.hurt_by_less[unknown])

    def _wait_for(self, rows: Iterable[int]) -> None:
        for row in rows:
            if row not in self._waiting:
                self._waiting.add(row)
                (self._pairs if len(self._inequalities.rows[row]) <= 2 else self._others).append(row)

    def _refuse_crossing(self, unknown: int) -> None:
        high = self.highs[unknown]
        if high is not None and self.lows[unknown] > high:
            reasons = (self._low_reasons[unknown], self._high_reasons[unknown])
            raise self._contradicted(tuple(reason for reason in reasons if reason != GIVEN))

    def _contradicted(self, reasons: tuple[int, ...]) -> Contradicted:
        keys: set[int] = set()
        seen: set[int] = set()
        left = list(reasons)
        while left:
            number = left.pop()
            if number in seen:
                continue
            seen.add(number)
            reason = self._reasons[number]
            if isinstance(reason, tuple):
                left.extend(reason)
            else:
                keys.add(reason)
        return Contradicted(frozenset(keys))
