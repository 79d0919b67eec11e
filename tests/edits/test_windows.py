"""Edits work in windows around what changes; here they are held against the same work on the whole canvas."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import assume, given, strategies as st

from anamorph.edits.insert import Insert, resized
from anamorph.edits.relayout import Relayout
from anamorph.model import Box, Hole, Picture, Pixels, Thing
from anamorph.pixels.blending import Blend, blended, mixed
from anamorph.pixels.holes import filled
from anamorph.pixels.layouts import Move, affine_of, kept_inside, moved_shape, of_centres
from anamorph.pixels.shapes import covered, thing_shape, thing_with_shape, widened, window_of
from tests.edits.studios import FakeStudio, scenes


def shapes(height: int = 24, width: int = 32) -> st.SearchStrategy[Hole]:
    def made(seed: int, share: float) -> Hole:
        rng = np.random.default_rng(seed)
        shape = np.zeros((height, width), np.bool_)
        top, left = int(rng.integers(0, height)), int(rng.integers(0, width))
        part = shape[top : top + int(rng.integers(1, height)), left : left + int(rng.integers(1, width))]
        part[:] = rng.random(part.shape) < share
        return shape

    return st.builds(made, st.integers(0, 9999), st.floats(0, 1))


@given(shapes(), st.sampled_from([1, 3, 7, 13]))
def test_a_shape_is_widened_as_on_the_whole_canvas(shape: Hole, kernel: int) -> None:
    expected = cv2.dilate(shape.astype(np.uint8), np.ones((kernel, kernel), np.uint8))
    assert (widened(shape, kernel) == np.asarray(expected).astype(np.bool_)).all()


@given(shapes(), st.integers(0, 5))
def test_a_window_holds_the_shape_and_nothing_needless(shape: Hole, margin: int) -> None:
    rows, columns = window_of(shape, margin)
    rest = shape.copy()
    rest[rows, columns] = False
    assert not rest.any()
    if shape.any():
        ys, xs = np.nonzero(shape)
        assert (rows.start, rows.stop) == (max(0, ys.min() - margin), min(24, ys.max() + 1 + margin))
        assert (columns.start, columns.stop) == (max(0, xs.min() - margin), min(32, xs.max() + 1 + margin))


@given(scenes(), st.integers(0, 999))
def test_what_is_left_under_a_cover_is_what_its_pixels_say(picture: Picture, seed: int) -> None:
    height, width = picture.pixels.shape[:2]
    cover = np.zeros((height, width), np.bool_)
    cover[seed % height :, seed % width :] = np.random.default_rng(seed).random() < 0.8
    left = {thing.id: thing for thing in covered(picture.things, cover)}
    for thing in picture.things:
        after = thing_shape(thing, height, width) & ~cover
        expected = thing_with_shape(thing, after) if thing.mask is not None else thing if after.any() else None
        if (after == thing_shape(thing, height, width)).all() and after.any():
            expected = thing
        assert left.get(thing.id) == expected


@given(shapes(), st.integers(0, 999))
def test_a_filled_hole_changes_nothing_else(hole: Hole, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (24, 32, 3), dtype=np.uint8)
    made = filled(pixels, hole, lambda pixels, _: 255 - pixels)
    assume(not hole.all())
    assert (made == np.where(hole[..., None], 255 - pixels, pixels)).all()


@given(st.integers(0, 999), st.sampled_from([0.0, 0.5, 1.0]))
def test_mixing_is_the_plain_formula(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    ground, over = rng.integers(0, 256, (2, 9, 11, 3), dtype=np.uint8)
    alpha = np.where(rng.random((9, 11)) < share, rng.random((9, 11)), rng.random((9, 11)) < 0.5).astype(np.float32)
    plain = np.rint(ground + alpha[..., None] * (over.astype(np.float32) - ground)).astype(np.uint8)
    assert (mixed(ground, over, alpha) == plain).all()
    assert (mixed(ground, over.astype(np.float32), alpha) == plain).all()


def resized_plainly(rgba: Pixels, width: int, height: int) -> tuple[Pixels, np.ndarray]:
    how = cv2.INTER_AREA if width * height < rgba.shape[0] * rgba.shape[1] else cv2.INTER_LINEAR
    share = rgba[..., 3:].astype(np.float32) / 255
    weighted = np.concatenate([rgba[..., :3] * share, share], axis=2)
    scaled = np.asarray(cv2.resize(weighted, (width, height), interpolation=how), np.float32)
    alpha = np.clip(scaled[..., 3], 0, 1)
    return np.clip(np.rint(scaled[..., :3] / np.maximum(alpha, 1e-3)[..., None]), 0, 255).astype(np.uint8), alpha


@given(st.integers(0, 999), st.integers(2, 30), st.integers(2, 30), st.booleans())
def test_a_cutout_is_resized_as_by_the_plain_formula(seed: int, width: int, height: int, soft: bool) -> None:
    rng = np.random.default_rng(seed)
    rgba = rng.integers(0, 256, (14, 18, 4), dtype=np.uint8)
    if not soft:
        rgba[..., 3] = np.where(rgba[..., 3] > 90, 255, 0)
    colour, alpha, _ = resized(rgba, width, height)
    expected, expected_alpha = resized_plainly(rgba, width, height)
    assert (alpha == expected_alpha).all()
    assert (colour == expected)[alpha > 0].all()


@given(scenes(), st.sampled_from(["paste", "feather", "poisson"]), st.integers(0, 999))
def test_an_insertion_is_the_blend_of_its_window(picture: Picture, blend: Blend, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rgba = rng.integers(0, 256, (9, 8, 4), dtype=np.uint8)
    rgba[..., 3] = np.where(rgba[..., 3] > 60, 255, 0)
    rgba[[0, -1], :, 3] = rgba[:, [0, -1], 3] = 255
    height, width = picture.pixels.shape[:2]
    x, y = int(rng.integers(0, width - 10)), int(rng.integers(0, height - 10))
    with_studio = Picture(picture.pixels, picture.things, FakeStudio(cup=rgba))
    done = Insert("cup", Box(x, y, 10, 10), blend).apply(with_studio)
    expected = picture.pixels.copy()
    expected[y : y + 10, x : x + 10] = blended(expected[y : y + 10, x : x + 10], *resized(rgba, 10, 10), blend)
    assert (done.pixels == expected).all()


def moved_plainly(thing: Thing, move: Move, height: int, width: int) -> Hole:
    shape = thing_shape(thing, height, width).astype(np.uint8)
    affine = of_centres(affine_of(move, thing.box))
    return np.asarray(cv2.warpAffine(shape, affine, (width, height), flags=cv2.INTER_NEAREST)).astype(np.bool_)


# No factor that puts many centres exactly between two pixels, where rounding decides.
moves = st.builds(
    Move,
    st.just("x"),
    st.integers(-20, 20),
    st.integers(-20, 20),
    st.sampled_from([0.0, 3.7, -11.3, 26.1]),
    st.sampled_from([0.73, 0.91, 1.0, 1.17, 1.37]),
    st.booleans(),
)


@given(scenes(), moves)
def test_a_moved_shape_is_that_of_the_whole_canvas_but_for_rounding(picture: Picture, move: Move) -> None:
    height, width = picture.pixels.shape[:2]
    for thing in picture.things:
        kept = kept_inside(thing.box, move, width, height)
        if kept is not None:
            plain = moved_plainly(thing, kept, height, width)
            differing = int((moved_shape(thing, kept, width, height) != plain).sum())
            assert differing <= max(2, 0.01 * height * width)


@given(scenes(), st.integers(-20, 20), st.integers(-20, 20), st.booleans())
def test_a_shape_that_is_shifted_by_whole_pixels_is_exact(
    picture: Picture, right: int, down: int, mirror: bool
) -> None:
    height, width = picture.pixels.shape[:2]
    for thing in picture.things:
        box = thing.box
        move = Move(thing.id, right, down, mirror=mirror and box.x % 1 == box.width % 1 == 0)
        if box.x + right < 0 or box.y + down < 0 or box.right + right > width or box.bottom + down > height:
            continue
        assert (moved_shape(thing, move, width, height) == moved_plainly(thing, move, height, width)).all()


@given(scenes(), moves)
def test_laid_pixels_are_those_of_the_whole_canvas_but_for_rounding(picture: Picture, move: Move) -> None:
    height, width = picture.pixels.shape[:2]
    thing = picture.things[0]
    kept = kept_inside(
        thing.box, Move(thing.id, move.right, move.down, move.degrees, move.scale, move.mirror), width, height
    )
    assume(kept is not None and thing.mask is not None)
    assert kept is not None
    picture = Picture(picture.pixels, (thing,), picture.studio)
    done = Relayout((kept,), "flat").apply(picture)
    ((_, hole),) = picture.studio.holes[-1:]  # type: ignore[union-attr]
    plate = np.where(hole[..., None], 7, picture.pixels)
    own = thing_shape(thing, height, width).astype(np.float32)[..., None]
    weighted = np.concatenate([picture.pixels * own, own], axis=2)
    affine = of_centres(affine_of(kept, thing.box))
    moved = np.asarray(cv2.warpAffine(weighted, affine, (width, height), flags=cv2.INTER_LINEAR), np.float32)
    alpha = np.where(moved_shape(thing, kept, width, height), np.clip(moved[..., 3], 0, 1), 0)[..., None]
    expected = plate + alpha * (moved[..., :3] / np.maximum(moved[..., 3:], 1e-3) - plate)
    # OpenCV keeps coordinates to a 32nd of a pixel or so, counted from the corner of the canvas it is given.
    assert np.abs(done.pixels - expected).mean() < 1.5
