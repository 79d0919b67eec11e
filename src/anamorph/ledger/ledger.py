"""The ledger of one photo's answers: contradictions, and how many answers must be false."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.ledger.bounds import Effort
from anamorph.ledger.hitting import least_weight, lightest_hitting_set
from anamorph.ledger.inequalities import inequalities
from anamorph.ledger.possibility import Impossible, Possible, Reasoner, Undecided
from anamorph.ledger.statements import Link, Statement

# Limit of contradictions gathered for one group of linked images; beyond it the floor is only a lower bound.
CONTRADICTION_LIMIT = 400


@dataclass(frozen=True, slots=True)
class Floor:
    """The fewest statements that must be false; if not exact, a lower bound."""

    fewest: int
    exact: bool
    false: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Statements about the images of one photo, which may be false, and links between the images, which are true."""

    statements: Sequence[Statement]
    links: Sequence[Link]
    _books: _Books = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len({statement.key for statement in self.statements}) < len(self.statements):
            raise ValueError("two statements of a ledger have the same key")
        object.__setattr__(self, "_books", _Books(self.statements, self.links))

    @property
    def effort(self) -> Effort:
        """The cost of the queries so far."""
        return self._books.effort

    def contradiction(self, among: Collection[int] | None = None) -> tuple[int, ...] | None:
        """The keys of an irreducible contradiction among the statements; None if none is proved."""
        for group in self._books.groups(among):
            self._books.reasoner.new_question()
            found = self._books.reasoner.contradiction(group)
            if isinstance(found, Impossible):
                return tuple(sorted(found.keys))
        return None

    def numbers(self, among: Collection[int] | None = None) -> dict[int, int] | None:
        """How many objects each image could show for the statements to be true; None if nothing is proved."""
        return self._books.numbers(among)

    def contradictions(self) -> tuple[tuple[int, ...], ...]:
        """The irreducible contradictions behind the floor, the smallest first.

        They include disjoint ones that leave no other contradiction, unless a limit was reached.
        """
        return tuple(sorted(self._books.contradictions, key=lambda keys: (len(keys), keys)))

    def floor(self) -> Floor:
        """The fewest statements that must be false for the others to be possible, with an example."""
        return self._books.floor


@dataclass(frozen=True, slots=True)
class _GroupFloor:
    """The floor of one group of linked images, and the contradictions behind it."""

    fewest: int
    false: tuple[int, ...] | None
    contradictions: set[tuple[int, ...]]


class _Books:
    """A prepared ledger, with cached results."""

    def __init__(self, statements: Sequence[Statement], links: Sequence[Link]) -> None:
        self.effort = Effort()
        self._inequalities = inequalities((statement.image for statement in statements), links)
        self.reasoner = Reasoner(self._inequalities, self.effort)
        self._statements = {statement.key: statement for statement in statements}

    def groups(self, among: Iterable[int] | None) -> list[list[Statement]]:
        """The statements by group of linked images, in the order of their keys."""
        groups: dict[int, list[Statement]] = {}
        for key in sorted(set(self._statements if among is None else among)):
            statement = self._statements[key]
            group = self._inequalities.groups[self._inequalities.unknowns[statement.image]]
            groups.setdefault(group, []).append(statement)
        return list(groups.values())

    def numbers(self, among: Iterable[int] | None) -> dict[int, int] | None:
        """A number for every image that makes the statements true."""
        numbers = [0] * len(self._inequalities.groups)
        for group in self.groups(among):
            self.reasoner.new_question()
            found = self.reasoner.verdict(group)
            if not isinstance(found, Possible):
                return None
            # Outside its group a solution is all zeros.
            numbers = [one + other for one, other in zip(numbers, found.numbers, strict=True)]
        return {image: numbers[unknown] for image, unknown in self._inequalities.unknowns.items()}

    @functools.cached_property
    def floor(self) -> Floor:
        """The sum of the floors of all groups."""
        floors = self._group_floors
        exact = all(each.false is not None for each in floors)
        false = sorted(key for each in floors for key in each.false or ()) if exact else ()
        return Floor(fewest=sum(each.fewest for each in floors), exact=exact, false=tuple(false))

    @property
    def contradictions(self) -> set[tuple[int, ...]]:
        """The contradictions behind the floor."""
        return {keys for each in self._group_floors for keys in each.contradictions}

    @functools.cached_property
    def _group_floors(self) -> list[_GroupFloor]:
        return [self._group_floor(group) for group in self.groups(None)]

    def _group_floor(self, statements: list[Statement]) -> _GroupFloor:
        """Hit all contradictions known so far with the fewest statements, until the others are possible."""
        self.reasoner.new_question()
        alike = self._alike(statements)
        weights = {key: len(keys) for key, keys in alike.items()}
        found, complete = self._packing(weights)
        shown = _spelled_out(found, alike)
        known: list[frozenset[int]] = []
        false: list[int] = []
        while found or not complete:
            known.extend(keys for keys, _ in found)
            small_enough = complete and len(known) <= CONTRADICTION_LIMIT
            hitting = lightest_hitting_set(known, weights) if small_enough else None
            if hitting is None:
                return _GroupFloor(max(len(false), least_weight(known, weights)), None, shown)
            false = [key for each in hitting for key in alike[each]]
            found, complete = self._packing({key: weight for key, weight in weights.items() if key not in hitting})
            shown.update(tuple(sorted(keys)) for keys, _ in found)
        return _GroupFloor(len(false), tuple(false), shown)

    def _alike(self, statements: list[Statement]) -> dict[int, list[int]]:
        """Equal statements, by the largest of their keys: they are all true or all false.

        A thousand answers about copies of a photo then cost no more than the distinct ones.
        """
        alike: dict[tuple[int, int, int | None], list[int]] = {}
        for each in statements:
            unknown = self._inequalities.unknowns[each.image]
            alike.setdefault((unknown, each.least, each.most), []).append(each.key)
        return {max(keys): keys for keys in alike.values()}

    def _packing(self, weights: Mapping[int, int]) -> tuple[list[tuple[frozenset[int], int]], bool]:
        """Contradictions with multiplicities that pack beside each other, and whether that is proved to be all.

        The multiplicity of a contradiction is bounded by the copies left of its statements.
        """
        spare = dict(sorted(weights.items()))
        found: list[tuple[frozenset[int], int]] = []
        while True:
            next_one = self.reasoner.contradiction([self._statements[key] for key in spare])
            if not isinstance(next_one, Impossible):
                return found, not isinstance(next_one, Undecided)
            times = min(spare[key] for key in next_one.keys)
            found.append((next_one.keys, times))
            left = {key: weight - times * (key in next_one.keys) for key, weight in spare.items()}
            spare = {key: weight for key, weight in left.items() if weight}


def _spelled_out(packing: list[tuple[frozenset[int], int]], alike: Mapping[int, list[int]]) -> set[tuple[int, ...]]:
    """Disjoint contradictions: each copy uses different ones of equal statements."""
    unused = {key: iter(keys) for key, keys in alike.items()}
    return {tuple(sorted(next(unused[key]) for key in keys)) for keys, times in packing for _ in range(times)}
