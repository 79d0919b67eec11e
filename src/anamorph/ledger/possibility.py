"""Satisfiability of statements, or an irreducible contradiction among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from anamorph.ledger.bounds import Bounds, Contradicted, Effort
from anamorph.ledger.inequalities import Inequalities
from anamorph.ledger.simplex import Range, whole_numbers
from anamorph.ledger.statements import Statement

# Limit of tableau entries for the exact searches of one query, a few seconds; beyond it the result is undecided.
SEARCH_LIMIT = 1_000_000
# In contradictions up to this size every pair is tried, so that a pair is preferred to a larger set.
PAIRS_WITHIN = 8


@dataclass(frozen=True, slots=True)
class Possible:
    """Numbers of all unknowns that make the statements true."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Impossible:
    """Statements that cannot all be true."""

    keys: frozenset[int]


@dataclass(frozen=True, slots=True)
class Undecided:
    """The search limit was reached before either was proved."""


Verdict = Possible | Impossible | Undecided


class Reasoner:
    """Decides statements about one group of unknowns, under inequalities that always hold."""

    def __init__(self, inequalities: Inequalities, effort: Effort) -> None:
        self._inequalities = inequalities
        self._effort = effort
        self._start = Bounds(inequalities, effort)
        self._start.after_links()

        self._allowed = SEARCH_LIMIT

    def new_question(self) -> None:
        """Reset the cost counter of the exact searches."""
        self._allowed = SEARCH_LIMIT

    def verdict(self, statements: Sequence[Statement]) -> Verdict:
        """Whether the statements, all of one group, are satisfiable: proved, or undecided."""
        self._effort.checks += 1
        try:
            for widest_first in (True, False):
                bounds = self._start.copy()
                bounds.believe(statements)
                settled = bounds.settle(widest_first)
                if settled:
                    return Possible(tuple(bounds.lows))
                if settled is None:
                    break
        except Contradicted as contradicted:
            return Impossible(contradicted.keys)
        return self._exact_verdict(statements)

    def contradiction(self, statements: Sequence[Statement]) -> Impossible | Undecided | None:
        """An irreducible contradiction among statements of one group; None if they are possible together."""
        found = self.verdict(statements)
        if isinstance(found, Impossible):
            return self._shrunk([statement for statement in statements if statement.key in found.keys])
        return found if isinstance(found, Undecided) else None

    def _shrunk(self, statements: list[Statement]) -> Impossible | Undecided:
        if len(statements) <= PAIRS_WITHIN:
            pairs = (list(pair) for pair in combinations(statements, 2))
            statements = next((pair for pair in pairs if self._plainly_impossible(pair)), statements)
        needed: list[Statement] = []
        candidates = statements
        while candidates:
            *others, last = candidates
            found = self.verdict([*needed, *others])
            if isinstance(found, Undecided):
                return found
            if isinstance(found, Possible):
                needed.append(last)
                candidates = others
            else:
                candidates = [statement for statement in others if statement.key in found.keys]
        return Impossible(frozenset(statement.key for statement in needed))

    def _plainly_impossible(self, statements: Sequence[Statement]) -> bool:
        self._effort.checks += 1
        try:
            self._start.copy().believe(statements)
        except Contradicted:
            return True
        return False

    def _exact_verdict(self, statements: Sequence[Statement]) -> Verdict:
        unknowns = self._inequalities.unknowns
        group = self._inequalities.groups[unknowns[statements[0].image]]
        members = [unknown for unknown, other in enumerate(self._inequalities.groups) if other == group]
        places = {unknown: place for place, unknown in enumerate(members)}
        rows = [
            tuple((places[unknown], coefficient) for unknown, coefficient in terms)
            for terms in self._inequalities.rows_of_group(group)
        ]
        ranges = [Range(low=0) for _ in members]
        for statement in statements:
            _narrow(ranges[places[unknowns[statement.image]]], statement)
        found, spent = whole_numbers(ranges, rows, self._allowed)
        self._allowed -= spent
        self._effort.entries += spent
        if found is None:
            return Undecided()
        if isinstance(found, frozenset):
            return Impossible(found)
        numbers = [0] * len(self._inequalities.groups)
        for unknown, number in zip(members, found, strict=True):
            numbers[unknown] = number
        return Possible(tuple(numbers))


def _narrow(limits: Range, statement: Statement) -> None:
    if limits.low is None or statement.least > limits.low:
        limits.low, limits.low_key = statement.least, statement.key
    if statement.most is not None and (limits.high is None or statement.most < limits.high):
        limits.high, limits.high_key = statement.most, statement.key
