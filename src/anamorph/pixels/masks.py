"""Masks between pixels and COCO's run-length encoding."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
from pycocotools import mask as coco_mask

from anamorph.model import Box, Mask


def mask_from_pixels(pixels: npt.NDArray[np.bool_] | npt.NDArray[np.uint8]) -> Mask:
    """Encode a boolean picture."""
    # OpenCV turns rows into columns several times faster than numpy does.
    columns = cv2.transpose(np.ascontiguousarray(pixels).view(np.uint8)).T if pixels.size else pixels.view(np.uint8)
    encoded = coco_mask.encode(np.asfortranarray(columns))
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
    if not pixels.size:
        return pixels.astype(np.bool_)
    return np.asarray(cv2.transpose(pixels.T), np.uint8).view(np.bool_)


def mask_in_window(shape: npt.NDArray[np.bool_], left: int, top: int, height: int, width: int) -> Mask:
    """The mask of a canvas that is empty except for a shape whose top left corner is at (left, top)."""
    # Runs go down the columns, so only those of the shape are encoded, and an empty one so that the last run is empty;
    # the columns before and after them are added to the first and to the last run.
    columns = np.zeros((min(shape.shape[1] + 1, width - left), height), np.uint8)
    columns[: shape.shape[1], top : top + shape.shape[0]] = shape.T
    counts = coco_mask.encode(columns.T)["counts"].decode("ascii")
    after = (width - left - len(columns)) * height
    if after:
        start = len(counts) - 1
        while start and ord(counts[start - 1]) - 48 & 32:
            start -= 1
        (last,), _ = _first_numbers(counts[start:], 1)
        counts = counts[:start] + _written(last + after)
    (first,), rest = _first_numbers(counts, 1)
    return Mask(height, width, _written(first + left * height) + rest)


def mask_common(one: Mask, other: Mask) -> Mask:
    """The overlap of two masks of one size, without decoding either."""
    common = coco_mask.merge([_rle(one), _rle(other)], intersect=True)
    return Mask(one.height, one.width, common["counts"].decode("ascii"))


def mask_complement(mask: Mask) -> Mask:
    """The pixels that a mask does not have, without decoding it: its runs begin one place later, or earlier."""
    numbers, rest = _first_numbers(mask.counts, 4)
    # The first three runs are written as they are, every other one as what it has more than the second before it.
    if numbers and numbers[0] == 0:
        numbers = numbers[1:]
        if len(numbers) > 2:
            numbers[2] += numbers[0]
    else:
        numbers = [0, *numbers]
        if len(numbers) > 3:
            numbers[3] -= numbers[1]
    return Mask(mask.height, mask.width, "".join(map(_written, numbers)) + rest)


def _first_numbers(counts: str, most: int) -> tuple[list[int], str]:
    """The first numbers of COCO's string, five bits a character with the least first, and what follows them."""
    numbers: list[int] = []
    value = shift = start = 0
    for place, character in enumerate(counts):
        bits = ord(character) - 48
        value |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        numbers.append(value - (1 << shift) if bits & 16 else value)
        value, shift, start = 0, 0, place + 1
        if len(numbers) == most:
            break
    return numbers, counts[start:]


def _written(number: int) -> str:
    characters = []
    while True:
        bits = number & 31
        number >>= 5
        more = number != (-1 if bits & 16 else 0)
        characters.append(chr(bits + (32 if more else 0) + 48))
        if not more:
            return "".join(characters)


def mask_area(mask: Mask) -> int:
    """The number of pixels in a mask, without decoding it."""
    return int(coco_mask.area(_rle(mask)))


def mask_box(mask: Mask) -> Box:
    """The tight box around a mask, without decoding it."""
    x, y, width, height = (float(v) for v in coco_mask.toBbox(_rle(mask)))
    return Box(x, y, width, height)


def _rle(mask: Mask) -> dict[str, object]:
    return {"size": [mask.height, mask.width], "counts": mask.counts.encode("ascii")}
