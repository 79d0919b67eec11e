"""Ledgers drawn at random, and what is true of them by trying every number."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from anamorph.ledger import Changed, Covered, Empty, Joined, Ledger, Link, Same, Statement, Within

IMAGES = 4
CAP = 7


def holds(link: Link, numbers: Mapping[int, int] | Sequence[int]) -> bool:
    """Whether the numbers of the images fit the link, read off its definition."""
    match link:
        case Same(one, other):
            return numbers[one] == numbers[other]
        case Within(part, whole):
            return numbers[part] <= numbers[whole]
        case Covered(whole, pieces):
            seen = [numbers[piece] for piece in pieces]
            return all(number <= numbers[whole] for number in seen) and numbers[whole] <= sum(seen)
        case Joined(whole, parts):
            return numbers[whole] == sum(numbers[part] for part in parts)
        case Empty(image):
            return numbers[image] == 0
        case Changed(before, after, seen_before, seen_after):
            old, new = [numbers[image] for image in seen_before], [numbers[image] for image in seen_after]
            fits = all(number <= numbers[before] for number in old) and all(number <= numbers[after] for number in new)
            return fits and numbers[after] - numbers[before] == sum(new) - sum(old)


def true(statement: Statement, numbers: Mapping[int, int] | Sequence[int]) -> bool:
    """Whether the statement is true of the numbers."""
    number = numbers[statement.image]
    return statement.least <= number and (statement.most is None or number <= statement.most)


@functools.cache
def worlds(links: tuple[Link, ...]) -> list[tuple[int, ...]]:
    """All numbers up to the cap that fit the links."""
    every = itertools.product(range(CAP + 1), repeat=IMAGES)
    return [numbers for numbers in every if all(holds(link, numbers) for link in links)]


@dataclass(frozen=True)
class BruteForce:
    """A ledger's questions, answered by trying all numbers up to the cap."""

    truths: frozenset[frozenset[int]]
    statements: int

    def possible(self, keys: Collection[int]) -> bool:
        return any(truth.issuperset(keys) for truth in self.truths)

    def floor(self) -> int:
        return self.statements - max(map(len, self.truths))


def brute_force(ledger: Ledger) -> BruteForce:
    """Every set of statements that is exactly what is true of some numbers."""
    truths = {
        frozenset(statement.key for statement in ledger.statements if true(statement, numbers))
        for numbers in worlds(tuple(ledger.links))
    }
    return BruteForce(frozenset(truths), len(ledger.statements))


def fits(ledger: Ledger, keys: Collection[int], numbers: Mapping[int, int]) -> bool:
    """Whether the numbers, which may be over the cap, fit the links and the statements with these keys."""
    complete = {image: numbers.get(image, 0) for image in range(IMAGES)}
    said = [statement for statement in ledger.statements if statement.key in keys]
    return all(holds(link, complete) for link in ledger.links) and all(true(each, complete) for each in said)


images = st.integers(0, IMAGES - 1)
several = st.lists(images, max_size=3).map(tuple)
links = st.one_of(
    st.builds(Same, images, images),
    st.builds(Within, images, images),
    st.builds(Covered, images, several),
    st.builds(Joined, images, several),
    st.builds(Changed, images, images, several, several),
    st.builds(Empty, images),
)


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """Any links at all, cycles among them, and any statements, some of which contradict themselves."""
    bounds = st.tuples(images, st.integers(0, 4), st.none() | st.integers(0, 4))
    said = draw(st.lists(bounds, max_size=7))
    statements = tuple(Statement(key, *each) for key, each in enumerate(said))
    return Ledger(statements, tuple(draw(st.lists(links, max_size=4))))


@st.composite
def true_ledgers(draw: st.DrawFn) -> Ledger:
    """Statements that are all true of one world."""
    linked = tuple(draw(st.lists(links, max_size=3)))
    world = draw(st.sampled_from(worlds(linked)))
    said = draw(st.lists(st.tuples(images, st.integers(0, 2), st.none() | st.integers(0, 2)), max_size=8))
    statements = [
        Statement(key, image, max(0, world[image] - below), None if above is None else world[image] + above)
        for key, (image, below, above) in enumerate(said)
    ]
    return Ledger(tuple(statements), linked)
