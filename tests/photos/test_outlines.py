from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from anamorph.model import Box, Mask
from anamorph.photos.entries import Flaw
from anamorph.photos.outlines import box_within, circle_mask, polygons_mask, runs_mask
from anamorph.pixels.masks import mask_area, mask_box, mask_from_pixels, mask_pixels

SIZE = (20, 10)

PICTURES = hnp.arrays(np.bool_, st.tuples(st.integers(1, 12), st.integers(1, 12))).filter(
    lambda pixels: bool(pixels.any())
)


def runs_of(pixels: npt.NDArray[np.bool_]) -> list[int]:
    """COCO's uncompressed form: lengths of alternating runs, down the columns, background first."""
    flat = pixels.ravel(order="F").tolist()
    groups = [(value, len(list(group))) for value, group in itertools.groupby(flat)]
    return ([0] if groups[0][0] else []) + [length for _, length in groups]


def decode(segmentation: dict[str, Any], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    return mask_pixels(runs_mask(segmentation, (shape[1], shape[0])))


@given(PICTURES)
def test_uncompressed_runs_give_the_picture_back(pixels: npt.NDArray[np.bool_]) -> None:
    assert np.array_equal(decode({"size": list(pixels.shape), "counts": runs_of(pixels)}, pixels.shape), pixels)


@given(PICTURES)
def test_compressed_runs_give_the_picture_back(pixels: npt.NDArray[np.bool_]) -> None:
    mask = mask_from_pixels(pixels)
    assert runs_mask({"size": list(pixels.shape), "counts": mask.counts}, (mask.width, mask.height)) == mask


@given(PICTURES, st.data())
def test_empty_runs_change_nothing(pixels: npt.NDArray[np.bool_], data: st.DataObject) -> None:
    runs = runs_of(pixels)
    for _ in range(data.draw(st.integers(0, 3))):
        # A run split in two by an empty run of the other value.
        at = data.draw(st.integers(0, len(runs) - 1))
        cut = data.draw(st.integers(0, runs[at]))
        runs[at : at + 1] = [cut, 0, runs[at] - cut]
    mask = runs_mask({"size": list(pixels.shape), "counts": runs}, (pixels.shape[1], pixels.shape[0]))
    assert mask == mask_from_pixels(pixels)
    assert mask_box(mask) == mask_box(mask_from_pixels(pixels))


@given(st.text(alphabet=[chr(code) for code in range(40, 120)], max_size=30))
def test_any_compressed_text_is_a_mask_or_a_flaw(text: str) -> None:
    try:
        mask = runs_mask({"size": [10, 20], "counts": text}, SIZE)
    except Flaw:
        return
    assert 0 < mask_area(mask) <= 200


@pytest.mark.parametrize(
    ("segmentation", "reason"),
    [
        ({"size": [20, 10], "counts": [200]}, r"\[height, width\] \[20, 10\], but the photo is 20 x 10"),
        ({"counts": [200]}, "None"),
        ({"size": [10, 20]}, "neither a list of whole numbers nor a string"),
        ({"size": [10, 20], "counts": [1, 2.5]}, "neither a list"),
        ({"size": [10, 20], "counts": [100, 99]}, "add up to the photo's 200 pixels"),
        ({"size": [10, 20], "counts": [-1, 201]}, "must be positive"),
        ({"size": [10, 20], "counts": [0, 2**63]}, "add up"),
        ({"size": [10, 20], "counts": [200]}, "covers no pixel"),
        ({"size": [10, 20], "counts": "ö"}, "malformed"),
        ({"size": [10, 20], "counts": "o" * 50}, "malformed"),
        ({"size": [10, 20], "counts": "o"}, "cut short"),
    ],
)
def test_bad_runs_are_refused_with_the_reason(segmentation: dict[str, Any], reason: str) -> None:
    with pytest.raises(Flaw, match=reason):
        runs_mask(segmentation, SIZE)


@given(st.integers(0, 18), st.integers(0, 8), st.data())
def test_an_upright_rectangle_covers_exactly_its_pixels(left: int, top: int, data: st.DataObject) -> None:
    right, bottom = data.draw(st.integers(left + 1, 20)), data.draw(st.integers(top + 1, 10))
    mask = polygons_mask([[left, top, right, top, right, bottom, left, bottom]], SIZE)
    expected = np.zeros((10, 20), dtype=np.bool_)
    expected[top:bottom, left:right] = True
    assert np.array_equal(mask_pixels(mask), expected)


COORDINATES = st.lists(st.tuples(st.floats(-1, 21), st.floats(-1, 11)), min_size=3, max_size=8)


@given(COORDINATES)
def test_a_polygon_survives_the_way_through_run_lengths(points: list[tuple[float, float]]) -> None:
    flat = [value for point in points for value in point]
    try:
        mask = polygons_mask([flat], SIZE)
    except Flaw as flaw:
        assert "covers no pixel" in str(flaw)
        return
    again = runs_mask({"size": [10, 20], "counts": runs_of(mask_pixels(mask))}, SIZE)
    assert again == Mask(10, 20, mask.counts)


def test_a_polygon_that_sticks_out_by_a_rounding_error_is_cut() -> None:
    assert mask_area(polygons_mask([[-1, -1, 21, -1, 21, 11, -1, 11]], SIZE)) == 200


def test_several_polygons_are_one_mask() -> None:
    mask = polygons_mask([[0, 0, 2, 0, 2, 2, 0, 2], [10, 5, 12, 5, 12, 7, 10, 7]], SIZE)
    assert mask_area(mask) == 8
    assert mask_box(mask) == Box(0, 0, 12, 7)


@pytest.mark.parametrize(
    ("polygon", "reason"),
    [
        ([1, 1, 5, 5], "has 4 numbers; it needs an even count of at least 6"),
        ([1, 1, 5, 1, 5, 5, 9], "has 7 numbers"),
        ([], "has 0 numbers"),
        ([1, 1, 5, 1, 5, float("nan")], "not finite"),
        ([1, 1, 5, 1, 5, float("inf")], "not finite"),
        ([1, 1, 5, 1, 5, 10**400], "not a flat list"),
        ([[1, 1], [5, 1], [5, 5]], "not a flat list"),
        (["a", 1, 5, 1, 5, 5], "not a flat list"),
        ([None, 1, 5, 1, 5, 5], "not finite|not a flat list"),
        ("polygon", "not a flat list"),
        ({"x": 1}, "not a flat list"),
        ([1, 1, 5, 1, 5, 1e9], r"reaches from \(1, 1\) to \(5, 1e\+09\), out of the 20 x 10 photo"),
        ([-1.5, 1, 5, 1, 5, 5], "out of the 20 x 10 photo"),
        ([3, 3, 3, 3, 3, 3], "covers no pixel"),
    ],
)
def test_bad_polygons_are_refused_with_the_reason(polygon: Any, reason: str) -> None:
    with pytest.raises(Flaw, match=reason):
        polygons_mask([polygon], SIZE)


def test_a_box_that_sticks_out_by_a_rounding_error_is_cut() -> None:
    assert box_within(-0.5, -1, 21, 11.5, SIZE) == Box(0, 0, 20, 10)


def test_a_box_inside_is_kept_as_it_is() -> None:
    assert box_within(2.25, 3.5, 4.5, 5.25, SIZE) == Box(2.25, 3.5, 4.5, 5.25)


@pytest.mark.parametrize(
    "box", [(0, 0, 0, 5), (0, 0, 5, -1), (-2, 0, 5, 5), (16, 0, 6, 5), (0, 0, 5, 12), (20, 3, 1, 2), (0, 0, 1e308, 1)]
)
def test_a_box_outside_or_without_area_is_refused(box: tuple[float, float, float, float]) -> None:
    with pytest.raises(Flaw, match=r"has no area|sticks out|lies outside"):
        box_within(*box, SIZE)


def test_a_circle_covers_the_pixels_whose_centres_it_holds() -> None:
    pixels = mask_pixels(circle_mask((10, 5), (10, 2), SIZE))
    for y, x in itertools.product(range(10), range(20)):
        assert pixels[y, x] == ((x + 0.5 - 10) ** 2 + (y + 0.5 - 5) ** 2 <= 9)


def test_a_circle_is_cut_at_the_edge_of_the_photo() -> None:
    assert mask_box(circle_mask((0, 0), (4, 0), SIZE)) == Box(0, 0, 4, 4)


@pytest.mark.parametrize(("centre", "edge"), [((-5, 0), (1, 1)), ((1, 1), (1, 1e300)), ((5, 5), (5, 5))])
def test_a_circle_around_nothing_or_beyond_the_photo_is_refused(
    centre: tuple[float, float], edge: tuple[float, float]
) -> None:
    with pytest.raises(Flaw, match=r"sticks out|covers no pixel"):
        circle_mask(centre, edge, SIZE)
