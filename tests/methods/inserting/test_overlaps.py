from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from anamorph.methods.inserting.overlaps import (
    PlacementRules,
    has_free_place,
    largest_of,
    may_overlap,
    overlap_interval,
    overlap_maps,
    size_range,
    unusable,
    weighted_area,
)
from anamorph.methods.metaic.placing import place
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


def obeys(box: Box, boxes: list[Box], index: int, rules: PlacementRules) -> bool:
    """Rules R1 and R2 as the paper words them."""
    low, high = overlap_interval(index, rules)
    first = largest_of(boxes)
    for position, other in enumerate(boxes):
        ratio = box.overlap(other) / other.area
        if position == first:
            if not (ratio == 0 if index == 0 else low < ratio <= high):
                return False
        elif ratio > high:
            return False
    return True


@settings(max_examples=40)
@given(boxes_on_canvas(), st.integers(1, 50), st.integers(1, 40), st.integers(1, 5), st.floats(0.05, 1))
def test_the_maps_say_for_every_position_what_the_rules_say(
    boxes: list[Box], width: int, height: int, intervals: int, ratio_max: float
) -> None:
    rules = PlacementRules(intervals=intervals, ratio_max=ratio_max)
    maps = overlap_maps(boxes, (width, height), WIDTH, HEIGHT)
    rng = np.random.default_rng(0)
    for index in range(intervals):
        feasible = maps.feasible(index, rules)
        assert feasible.shape == (HEIGHT - height + 1, WIDTH - width + 1)
        spots = {(int(y), int(x)) for y, x in zip(*np.nonzero(feasible), strict=True)}
        sample = [(int(rng.integers(feasible.shape[0])), int(rng.integers(feasible.shape[1]))) for _ in range(60)]
        for y, x in [*sample, *list(spots)[:60]]:
            assert ((y, x) in spots) == obeys(Box(x, y, width, height), boxes, index, rules)


@settings(max_examples=60)
@given(boxes_on_canvas(), st.tuples(st.integers(3, 90), st.integers(3, 90)), st.integers(0, 999))
def test_what_is_placed_obeys_the_rules_has_one_size_and_stays_inside(
    boxes: list[Box], cutout: tuple[int, int], seed: int
) -> None:
    rules = PlacementRules()
    placed = place(boxes, cutout, WIDTH, HEIGHT, rules, Random(seed))
    assert placed == place(boxes, cutout, WIDTH, HEIGHT, rules, Random(seed))
    if placed is None:
        return
    least, most = size_range(boxes, WIDTH, HEIGHT, rules)
    assert len(placed.boxes) == len(placed.off_line) == 4
    assert len({(box.width, box.height) for box in placed.boxes}) == 1
    for index, box in enumerate(placed.boxes):
        assert obeys(box, boxes, index, rules)
        assert box.x >= 0 and box.y >= 0 and box.right <= WIDTH and box.bottom <= HEIGHT
    # Whole pixels: each side may be off by half of one.
    width, height = placed.boxes[0].width, placed.boxes[0].height
    assert (width - 0.5) * (height - 0.5) <= most + 1 and (width + 0.5) * (height + 0.5) >= least - 1
    assert not placed.off_line[-1]


@settings(max_examples=60)
@given(boxes_on_canvas(), st.integers(0, 999))
def test_places_on_the_line_lie_on_a_ray_from_the_largest_objects_centre(boxes: list[Box], seed: int) -> None:
    placed = place(boxes, (20, 20), WIDTH, HEIGHT, PlacementRules(), Random(seed))
    if placed is None:
        return
    largest = boxes[largest_of(boxes)]
    centre = np.array([largest.x + largest.width / 2, largest.y + largest.height / 2])
    middles = [np.array([box.x + box.width / 2, box.y + box.height / 2]) - centre for box in placed.boxes]
    end = middles[-1] / max(float(np.linalg.norm(middles[-1])), 1e-9)
    for middle, off in zip(middles[:-1], placed.off_line, strict=False):
        if not off:
            assert abs(end[0] * middle[1] - end[1] * middle[0]) <= 0.75
            assert end @ middle >= -1


def test_a_pair_for_which_a_position_exists_at_every_size_is_always_placed() -> None:
    boxes = [Box(5, 5, 200, 150), Box(500, 300, 60, 60)]
    for seed in range(50):
        assert place(boxes, (100, 80), 640, 480, PlacementRules(), Random(seed)) is not None


def test_intervals_are_those_of_the_papers_example() -> None:
    rules = PlacementRules(intervals=4, ratio_max=0.45)
    assert overlap_interval(0, rules) == (0, 0)
    found = [overlap_interval(index, rules) for index in (1, 2, 3)]
    assert np.allclose(found, [(0, 0.15), (0.15, 0.3), (0.3, 0.45)])


def test_the_weighted_area_is_equation_two() -> None:
    areas, canvas = [100.0, 300.0], 1000.0
    weights = [math.exp(0.1), math.exp(0.3)]
    expected = (weights[0] * 100 + weights[1] * 300) / sum(weights)
    assert weighted_area(areas, canvas) == pytest.approx(expected)
    assert weighted_area([50.0], canvas) == pytest.approx(50)


def test_the_size_switch_looks_at_the_largest_object_not_at_the_weighted_area() -> None:
    rules = PlacementRules()
    # The largest covers 45 % of the picture, the weighted area only about 30 %.
    boxes = [Box(0, 0, 90, 50), Box(0, 0, 10, 10), Box(50, 50, 30, 30)]
    weighted = weighted_area([box.area for box in boxes], 100 * 100)
    assert weighted < 0.4 * 100 * 100
    assert size_range(boxes, 100, 100, rules) == pytest.approx((0.1 * weighted, 0.37 * weighted))
    assert size_range(boxes[1:], 100, 100, rules)[1] == pytest.approx(1.3 * weighted_area([100.0, 900.0], 10_000))


@given(st.floats(1, 1e5), st.integers(1, 500), st.integers(1, 500))
def test_a_new_size_has_the_area_and_the_shape_that_equation_three_says(area: float, width: int, height: int) -> None:
    new_width, new_height = size_at_area(area, (width, height))
    factor = math.sqrt(area / (width * height))
    assert abs(new_width - max(1, width * factor)) <= 0.5 and abs(new_height - max(1, height * factor)) <= 0.5


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ([], "no object"),
        ([Box(0, 0, 10, 10)], "largest object too small"),
        ([Box(0, 0, 100, 80)], "objects too large"),
        ([Box(0, 0, 30, 30)], None),
    ],
)
def test_backgrounds_that_do_not_serve_are_reported_with_the_reason(boxes: list[Box], reason: str | None) -> None:
    assert unusable(boxes, 100, 100, PlacementRules(mode="paper")) == reason
    # A supported object has the size of its class, however large others are.
    assert unusable(boxes, 100, 100, PlacementRules()) == (None if boxes else reason)


def test_a_cutout_that_fits_at_no_size_is_not_placed() -> None:
    assert place([Box(0, 0, 300, 200)], (1000, 10), 400, 300, PlacementRules(), Random(0)) is None
    assert place([Box(0, 0, 50, 45)], (20, 20), 60, 45, PlacementRules(), Random(0)) is None


def test_one_interval_means_no_overlap_at_all() -> None:
    boxes = [Box(0, 0, 20, 20), Box(30, 0, 10, 10)]
    placed = place(boxes, (10, 10), WIDTH, HEIGHT, PlacementRules(intervals=1), Random(0))
    assert placed is not None and len(placed.boxes) == 1
    assert all(placed.boxes[0].overlap(box) == 0 for box in boxes)


@settings(max_examples=60)
@given(boxes_on_canvas(), st.integers(1, 60), st.integers(1, 45))
def test_a_free_place_is_found_exactly_where_there_is_one(boxes: list[Box], width: int, height: int) -> None:
    maps = overlap_maps(boxes, (width, height), WIDTH, HEIGHT)
    assert has_free_place(boxes, (width, height), WIDTH, HEIGHT) == bool(maps.free.any())
    rules = PlacementRules()
    assert may_overlap(boxes, (width, height), WIDTH, HEIGHT, rules) or not maps.possible(rules)
    assert maps.possible(rules) == all(maps.feasible(index, rules).any() for index in range(rules.intervals))
