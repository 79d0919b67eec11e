"""A ledger four times as large costs about four times as much, counted in visits of inequalities."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anamorph.ledger import Changed, Covered, Joined, Ledger, Link, Same, Statement, Within

# What is said of which image, all of it true, and how the images are linked.
Shape = tuple[list[tuple[int, int]], list[Link]]
LIES = 5


def star_of_copies(size: int) -> Shape:
    return [(image, 5) for image in range(size)], [Same(0, image) for image in range(1, size)]


def star_of_crops(size: int) -> Shape:
    return [(image, 5) for image in range(size)], [Within(image, 0) for image in range(1, size)]


def chain_of_edits(size: int) -> Shape:
    said, links = [(0, 9)], list[Link]()
    for whole in range(0, size - 1, 3):
        removed = whole % 2
        links.append(Changed(whole, whole + 3, (whole + 1,), (whole + 2,)))
        said += [(whole + 1, 1 + removed), (whole + 2, 2 - removed), (whole + 3, 9 + (whole + 1) % 2)]
    return said[:size], links


def edits_in_either_order(size: int) -> Shape:
    said, links = list[tuple[int, int]](), list[Link]()
    for start in range(0, 11 * (size // 8), 11):
        wholes = [(start, start + 1), (start + 1, start + 11), (start, start + 2), (start + 2, start + 11)]
        for place, (before, after) in enumerate(wholes):
            crops = start + 3 + 2 * place, start + 4 + 2 * place
            links.append(Changed(before, after, crops[:1], crops[1:]))
            said += [(crops[0], 1), (crops[1], 2 if place in (0, 3) else 0)]
    return said, links


def crops_of_crops(size: int) -> Shape:
    images = size // 3
    numbers = dict.fromkeys(range(images), 1)
    links: list[Link] = []
    for image in reversed(range(images)):
        halves = tuple(half for half in (2 * image + 1, 2 * image + 2) if half < images)
        if halves:
            numbers[image] = sum(numbers[half] for half in halves)
            links.append(Joined(image, halves) if image % 2 else Covered(image, halves))
    return [(place % images, numbers[place % images]) for place in range(size)], links


def ledger_of(shape: Shape, lies: int) -> Ledger:
    said, links = shape
    false = {(2 * number + 1) * len(said) // (2 * lies) for number in range(lies)}
    statements = []
    for key, (image, number) in enumerate(said):
        stated = number + (key in false)
        statements.append(Statement(key, image, stated, stated))
    return Ledger(statements, links)


def cost(shape: Shape) -> int:
    ledger = ledger_of(shape, LIES)
    floor = ledger.floor()
    assert floor.exact
    assert 1 <= floor.fewest <= LIES
    return ledger.effort.visits + ledger.effort.entries + ledger.effort.checks * len(ledger.statements)


SHAPES = [star_of_copies, star_of_crops, chain_of_edits, edits_in_either_order, crops_of_crops]


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_the_statements_cost_about_four_times_as_much(shape: Callable[[int], Shape]) -> None:
    assert cost(shape(1000)) <= 5 * cost(shape(250))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_thousand_true_statements_are_possible_at_one_glance(shape: Callable[[int], Shape]) -> None:
    ledger = ledger_of(shape(1000), 0)
    assert ledger.floor().fewest == 0
    assert ledger.effort.checks == 1
    assert ledger.effort.entries == 0
    assert ledger.effort.visits <= 8 * len(ledger.links) + 1000
