"""The grids of cells in which one-stage detectors divide a picture."""

from __future__ import annotations

import numpy as np

from anamorph.detectors.detection import Floats

STRIDES = (8, 16, 32)
_STRIDES_OF_LARGE = (8, 16, 32, 64)


def cell_count(height: int, width: int, strides: tuple[int, ...] = STRIDES) -> int:
    """How many cells the grids of all strides have together."""
    return sum((height // stride) * (width // stride) for stride in strides)


def strides_of(cells: int, height: int, width: int) -> tuple[int, ...] | None:
    """The strides whose grids have this many cells in total; None if none do."""
    for strides in (STRIDES, _STRIDES_OF_LARGE):
        if cell_count(height, width, strides) == cells:
            return strides
    return None


def cells_of(height: int, width: int, strides: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Column and row of every cell [n, 2], and its stride [n, 1], grid by grid and row by row."""
    places, sizes = [], []
    for stride in strides:
        rows, columns = np.mgrid[: height // stride, : width // stride]
        places.append(np.stack([columns.ravel(), rows.ravel()], axis=1))
        sizes.append(np.full((rows.size, 1), stride))
    return np.concatenate(places).astype(np.float32), np.concatenate(sizes).astype(np.float32)
