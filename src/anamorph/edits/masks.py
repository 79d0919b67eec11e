"""Masks between pixels and COCO's run-length encoding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pycocotools import mask as coco_mask

from anamorph.model import Box, Mask


def mask_from_pixels(pixels: npt.NDArray[np.bool_] | npt.NDArray[np.uint8]) -> Mask:
    """Encode a boolean picture."""
    encoded = coco_mask.encode(np.asfortranarray(pixels, dtype=np.uint8))
    height, width = encoded["size"]
    return Mask(int(height), int(width), encoded["counts"].decode("ascii"))


def mask_from_polygons(polygons: Sequence[Sequence[float]], height: int, width: int) -> Mask:
    """Encode the union of polygons, each a flat list x0, y0, x1, y1, ..."""
    merged = coco_mask.merge(coco_mask.frPyObjects([list(map(float, p)) for p in polygons], height, width))
    return Mask(height, width, merged["counts"].decode("ascii"))


def mask_from_runs(counts: Sequence[int], height: int, width: int) -> Mask:
    """Encode COCO's uncompressed run lengths, as crowd regions have them."""
    encoded = coco_mask.frPyObjects({"size": [height, width], "counts": list(counts)}, height, width)
    return Mask(height, width, encoded["counts"].decode("ascii"))


def mask_pixels(mask: Mask) -> npt.NDArray[np.bool_]:
    """The boolean picture of a mask."""
    pixels: npt.NDArray[np.uint8] = coco_mask.decode(_rle(mask))
    return pixels.astype(np.bool_)


def mask_area(mask: Mask) -> int:
    """The number of pixels in a mask, without decoding it."""
    return int(coco_mask.area(_rle(mask)))


def mask_box(mask: Mask) -> Box:
    """The tight box around a mask, without decoding it."""
    x, y, width, height = (float(v) for v in coco_mask.toBbox(_rle(mask)))
    return Box(x, y, width, height)


def _rle(mask: Mask) -> dict[str, object]:
    return {"size": [mask.height, mask.width], "counts": mask.counts.encode("ascii")}
