from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given, settings, strategies as st

from anamorph.methods.inserting.overlaps import PlacementRules, overlap_maps, size_range
from anamorph.methods.metaic.placing import all_sizes, place
from anamorph.model import Box
from anamorph.pixels.shapes import size_at_area

WIDTH, HEIGHT = 60, 45


@st.composite
def boxes_on_canvas(draw: st.DrawFn) -> list[Box]:
    found = []
    for _ in range(draw(st.integers(1, 5))):
        x, y = draw(st.floats(0, WIDTH - 3)), draw(st.floats(0, HEIGHT - 3))
        found.append(Box(x, y, draw(st.floats(2, WIDTH - x)), draw(st.floats(2, HEIGHT - y))))
    return found


cutouts = st.tuples(st.integers(3, 90), st.integers(3, 90))


@given(st.floats(1, 2000), st.floats(1, 3), cutouts)
def test_every_size_that_an_area_rounds_to_is_there_and_no_other(
    least: float, factor: float, cutout: tuple[int, int]
) -> None:
    sizes = all_sizes(least, least * factor, cutout, 10_000, 10_000)
    assert sizes == sorted(set(sizes)) and all(
        one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(sizes)
    )
    assert {size_at_area(area, cutout) for area in np.linspace(least, least * factor, 50)} <= set(sizes) | {
        size_at_area(least, cutout),
        size_at_area(least * factor, cutout),
    }
    assert len(sizes) <= 2 + sum(sizes[-1]) - sum(sizes[0])


def exists(boxes: list[Box], cutout: tuple[int, int], rules: PlacementRules) -> bool:
    """Whether any size has a place for every interval, by trying them all."""
    for size in all_sizes(*size_range(boxes, WIDTH, HEIGHT, rules), cutout, WIDTH, HEIGHT):
        maps = overlap_maps(boxes, size, WIDTH, HEIGHT)
        if all(maps.feasible(index, rules).any() for index in range(rules.intervals)):
            return True
    return False


@settings(max_examples=80)
@given(boxes_on_canvas(), cutouts, st.integers(1, 4), st.integers(0, 999))
def test_a_pair_is_placed_if_and_only_if_some_size_has_a_place_for_every_interval(
    boxes: list[Box], cutout: tuple[int, int], intervals: int, seed: int
) -> None:
    rules = PlacementRules(intervals=intervals, tries=2)
    assert (place(boxes, cutout, WIDTH, HEIGHT, rules, Random(seed)) is not None) == exists(boxes, cutout, rules)


@settings(max_examples=40)
@given(boxes_on_canvas(), cutouts, st.integers(0, 999))
def test_no_place_is_taken_that_hides_too_much(boxes: list[Box], cutout: tuple[int, int], seed: int) -> None:
    def hides(box: Box) -> bool:
        return box.x % 3 != 0

    placed = place(boxes, cutout, WIDTH, HEIGHT, PlacementRules(), Random(seed), hides)
    assert placed is None or not any(map(hides, placed.boxes))
    assert place(boxes, cutout, WIDTH, HEIGHT, PlacementRules(), Random(seed), lambda _: True) is None
