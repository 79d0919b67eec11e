"""Edits that lead from one image to another by two paths, with the same total change.

The links imply it, but bounds would have to climb around the cycle to find out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anamorph.ledger.statements import AtMost, Changed, Link, Same

# Longer cycles are left to the exact search: their inequalities have too many images to be useful.
LONGEST = 32


@dataclass(frozen=True, slots=True)
class _Step:
    """A step from one image to the next, with the images gained and lost."""

    link: int
    start: int
    end: int
    gained: tuple[int, ...]
    lost: tuple[int, ...]


def detours(links: Sequence[Link]) -> Iterator[tuple[AtMost, AtMost]]:
    """For every cycle of edits, that its gains equal its losses."""
    ways: dict[int, list[_Step]] = {}
    for number, link in enumerate(links):
        for step in _steps(number, link):
            ways.setdefault(step.start, []).append(step)
    tree, depths = _tree(ways)
    taken = {step.link for step in tree.values()}
    for step in (step for steps in ways.values() for step in steps):
        if step.link not in taken:
            taken.add(step.link)
            if (circle := _circle(step, tree, depths)) is not None:
                gained = tuple(image for each in circle for image in each.gained)
                lost = tuple(image for each in circle for image in each.lost)
                yield (gained, lost), (lost, gained)


def _steps(number: int, link: Link) -> Iterator[_Step]:
    match link:
        case Changed(before, after, seen_before, seen_after):
            yield _Step(number, before, after, seen_after, seen_before)
            yield _Step(number, after, before, seen_before, seen_after)
        case Same(one, other):
            yield _Step(number, one, other, (), ())
            yield _Step(number, other, one, (), ())


def _tree(ways: dict[int, list[_Step]]) -> tuple[dict[int, _Step], dict[int, int]]:
    """A breadth-first tree, so that cycles are short: the step to each image, and its depth."""
    tree: dict[int, _Step] = {}
    depths: dict[int, int] = {}
    for root in ways:
        if root in depths:
            continue
        depths[root] = 0
        left = deque([root])
        while left:
            for step in ways[left.popleft()]:
                if step.end not in depths:
                    depths[step.end] = depths[step.start] + 1
                    tree[step.end] = step
                    left.append(step.end)
    return tree, depths


def _circle(step: _Step, tree: dict[int, _Step], depths: dict[int, int]) -> list[_Step] | None:
    """The cycle of a step: the tree path to its start, the step, and the path back from its end."""
    circle = [step]
    start, end = step.start, step.end
    while start != end:
        if len(circle) == LONGEST:
            return None
        if depths[start] >= depths[end]:
            circle.append(tree[start])
            start = tree[start].start
        else:
            back = tree[end]
            circle.append(_Step(back.link, back.end, back.start, back.lost, back.gained))
            end = back.start
    return circle
