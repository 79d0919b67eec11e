"""What every inpainter must do, whatever the hole."""

from __future__ import annotations

import numpy as np
import pytest

from anamorph.errors import BadPicture
from anamorph.model import Hole, Inpainter, Pixels

HEIGHT, WIDTH = 90, 120


def photo(height: int = HEIGHT, width: int = WIDTH) -> Pixels:
    """A smooth picture with some noise."""
    rows, columns = np.indices((height, width))
    level = np.stack([rows * 1.5, columns * 1.2, (rows + columns) * 0.8], axis=2)
    return np.clip(level + np.random.default_rng(0).normal(0, 3, level.shape), 0, 255).astype(np.uint8)


def holes() -> dict[str, Hole]:
    """Holes of every kind, by what is special about them."""
    found = {
        name: np.zeros((HEIGHT, WIDTH), np.bool_) for name in ("empty", "inside", "corner", "frame", "most", "dot")
    }
    found["inside"][30:60, 40:80] = True
    found["corner"][:25, :25] = True
    found["frame"][:] = True
    found["frame"][10:-10, 10:-10] = False
    found["most"][:] = True
    found["most"][0, :3] = False
    found["dot"][5, 5] = True
    found["all"] = np.ones((HEIGHT, WIDTH), np.bool_)
    return found


def keeps_its_promises(inpainter: Inpainter, kinds: tuple[str, ...] = ()) -> None:
    """Same size, nothing outside the hole changed, the input left alone, and the same again for the same input."""
    pixels = photo()
    for name, hole in holes().items():
        if kinds and name not in kinds:
            continue
        before = pixels.copy()
        made = inpainter.fill(pixels, hole)
        assert made.shape == pixels.shape and made.dtype == np.uint8, name
        assert (made[~hole] == pixels[~hole]).all(), name
        assert (pixels == before).all(), name
        assert (inpainter.fill(pixels, hole) == made).all(), name
    with pytest.raises(BadPicture, match="The hole is"):
        inpainter.fill(pixels, np.zeros((3, 3), np.bool_))
