from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from PIL import Image

from anamorph.model import Pixels
from anamorph.photos.decoding import read_pixels
from anamorph.pixels.perceptual_hash import ALIKE, differing_bits, perceptual_hash


def copies(pixels: Pixels) -> Iterator[Pixels]:
    """What a photo becomes on its way through the web."""
    photo = Image.fromarray(pixels)
    for quality, scale in itertools.product((30, 75), (0.25, 0.5, 1.0, 1.5)):
        scaled = photo.resize((round(photo.width * scale), round(photo.height * scale)), Image.Resampling.BICUBIC)
        file = io.BytesIO()
        scaled.save(file, "JPEG", quality=quality)
        yield np.array(Image.open(file))
    yield np.array(photo.convert("L").convert("RGB"))


@pytest.mark.slow
def test_copies_of_real_photos_are_alike_and_no_two_photos_are(shared: Path) -> None:
    photos = [read_pixels(path) for path in sorted((shared / "photos" / "images").iterdir())]
    hashes = [perceptual_hash(photo) for photo in photos]
    assert len(hashes) == 62
    closest = min(differing_bits(one, other) for one, other in itertools.combinations(hashes, 2))
    furthest = max(
        differing_bits(hash_, perceptual_hash(copy))
        for photo, hash_ in zip(photos, hashes, strict=True)
        for copy in copies(photo)
    )
    assert furthest <= ALIKE / 2 and closest >= 2 * ALIKE


def test_a_hash_has_64_bits_and_is_always_the_same() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (50, 70, 3), dtype=np.uint8)
    assert perceptual_hash(noise) == perceptual_hash(noise.copy()) and 0 <= perceptual_hash(noise) < 2**64


def test_the_smallest_and_the_plainest_picture_have_a_hash() -> None:
    for shape in ((1, 1, 3), (1, 500, 3), (40, 40, 3)):
        perceptual_hash(np.full(shape, 128, dtype=np.uint8))


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_difference_is_a_distance(one: int, other: int) -> None:
    assert differing_bits(one, one) == 0
    assert differing_bits(one, other) == differing_bits(other, one) <= 64
