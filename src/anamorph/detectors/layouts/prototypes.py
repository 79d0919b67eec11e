"""Masks of YOLO-seg: each is a mixture of prototypes that the whole picture shares."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from anamorph.detectors.detection import Floats, Indices, Shape
from anamorph.detectors.fitting import Fit
from anamorph.detectors.networks.network import Network


def prototypes_place(network: Network) -> int | None:
    """Which output has the prototypes [1, k, height, width]; None if none has."""
    places = [place for place, port in enumerate(network.outputs) if len(port.sides) == 4]
    return places[0] if len(places) == 1 else None


def mixer(
    prototypes: Floats, coefficients: Floats, boxes: Floats, fit: Fit, view: tuple[int, int]
) -> Callable[[Indices], list[Shape]]:
    """Makes the masks of chosen rows; `boxes` are in the picture's pixels, `view` is the network's height and width."""
    if prototypes.shape[1] != coefficients.shape[1]:  # TFLite has the channels last
        prototypes = prototypes.transpose(0, 3, 1, 2)
    count, height, width = prototypes.shape[1:]
    flat = prototypes[0].reshape(count, -1)
    # From a pixel of the picture to the prototypes: centres are at halves on both sides.
    step_x, step_y = fit.scale_x * width / view[1], fit.scale_y * height / view[0]
    first_x = (fit.scale_x / 2 + fit.left) * width / view[1] - 0.5
    first_y = (fit.scale_y / 2 + fit.top) * height / view[0] - 0.5

    def shapes(rows: Indices) -> list[Shape]:
        levels = (coefficients[rows] @ flat).reshape(-1, height, width)
        return [drawn(level, box) for level, box in zip(levels, boxes[rows], strict=True)]

    def drawn(level: Floats, box: Floats) -> Shape:
        mask = np.zeros((fit.height, fit.width), np.bool_)
        left, top = (int(side) for side in np.floor(box[:2]))
        right, bottom = (int(side) for side in np.ceil(box[2:]))
        if right <= left or bottom <= top:
            return mask
        path = np.array([[step_x, 0, first_x + left * step_x], [0, step_y, first_y + top * step_y]])
        part = cv2.warpAffine(
            np.ascontiguousarray(level),
            path,
            (right - left, bottom - top),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        mask[top:bottom, left:right] = np.asarray(part) > 0
        return mask

    return shapes
