"""Edits of the whole image that crosscheck uses: mirror, pad, reencode, blank, collage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.blank import Blank
from anamorph.edits.collage import Collage
from anamorph.edits.mirror import Mirror
from anamorph.edits.pad import Pad
from anamorph.edits.reencode import Reencode
from anamorph.errors import BadPicture
from anamorph.model import Picture
from tests.edits.studios import is_truthful, same, scenes, shape_of, stored

COVERS = ("blank", "collage", "mirror", "pad", "reencode")


@given(scenes())
def test_a_mirror_image_swaps_left_and_right_and_mirrored_again_it_is_the_photo(picture: Picture) -> None:
    mirrored = stored(Mirror()).apply(picture)
    assert (mirrored.pixels == picture.pixels[:, ::-1]).all() and is_truthful(mirrored)
    for before, after in zip(picture.things, mirrored.things, strict=True):
        if before.mask is not None:
            assert (shape_of(after) == shape_of(before)[:, ::-1]).all()
    twice = Mirror().apply(mirrored)
    assert (twice.pixels == picture.pixels).all()
    assert [thing.mask for thing in twice.things] == [thing.mask for thing in picture.things]


@given(scenes(), st.floats(0, 1), st.integers(0, 255))
def test_a_border_leaves_what_is_inside_as_it_is(picture: Picture, share: float, gray: int) -> None:
    padded = stored(Pad(share, gray)).apply(picture)
    height, width = picture.pixels.shape[:2]
    down, across = round(height * share), round(width * share)
    assert padded.pixels.shape == (height + 2 * down, width + 2 * across, 3) and is_truthful(padded)
    assert (padded.pixels[down : down + height, across : across + width] == picture.pixels).all()
    if down:
        assert (padded.pixels[:down] == gray).all()
    for before, after in zip(picture.things, padded.things, strict=True):
        if before.mask is not None:
            assert (shape_of(after)[down : down + height, across : across + width] == shape_of(before)).all()


@given(scenes(), st.integers(1, 100))
def test_encoding_keeps_size_and_objects_and_is_always_the_same(picture: Picture, quality: int) -> None:
    edit = stored(Reencode(quality))
    once = edit.apply(picture)
    assert once.pixels.shape == picture.pixels.shape and once.things == picture.things
    assert same(edit.apply(picture), once)


def test_encoding_keeps_colours() -> None:
    pixels = np.zeros((32, 32, 3), np.uint8)
    pixels[..., 0] = 200
    assert np.abs(Reencode(90).apply(Picture(pixels)).pixels.astype(int) - pixels).max() < 12


@given(scenes(), st.sampled_from(("gray", "noise")), st.integers(0, 5))
def test_a_blank_image_shows_nothing_of_the_photo(picture: Picture, pattern: str, seed: int) -> None:
    edit = stored(Blank(pattern, seed))  # type: ignore[arg-type]
    blank = edit.apply(picture)
    assert blank.pixels.shape == picture.pixels.shape and not blank.things
    assert same(edit.apply(replace(picture, pixels=255 - picture.pixels)), blank)


@given(scenes(), scenes(), st.booleans())
def test_a_collage_shows_both_photos_side_by_side(one: Picture, other: Picture, below: bool) -> None:
    collage = Collage("other", below).joined(one, other)
    assert stored(Collage("other", below)) == Collage("other", below)
    height, width = one.pixels.shape[:2]
    assert (collage.pixels[:height, :width] == one.pixels).all() and is_truthful(collage)
    assert collage.pixels.shape[1 if below else 0] == (width if below else height)
    gap = collage.pixels[height : height + 1, :] if below else collage.pixels[:, width : width + 1]
    assert (gap == 255).all()
    # What scaling makes vanish is gone; whatever is left keeps its class, and ids stay unique.
    ids = [thing.id for thing in collage.things]
    assert len(set(ids)) == len(ids) and {thing.id for thing in one.things} <= set(ids)


def test_a_collage_without_the_other_photo_is_refused() -> None:
    with pytest.raises(BadPicture, match="that of 'other' is not there"):
        Collage("other").apply(Picture(np.zeros((4, 4, 3), np.uint8)))
