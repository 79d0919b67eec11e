"""Detections in a picture, before and after non-maximum suppression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Box

Floats: TypeAlias = npt.NDArray[np.float32]
Indices: TypeAlias = npt.NDArray[np.intp]
# Height x width of the picture, True where the thing is.
Shape: TypeAlias = npt.NDArray[np.bool_]

# Only this many of the surest boxes are compared, because the cost grows with the square of their number.
_MOST_COMPARED = 3000


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """One thing in a picture: what it is, how sure the network is, and where; its mask, where the network gives one."""

    label: str
    score: float
    box: Box
    mask: Shape | None = None

    @property
    def area(self) -> float:
        return self.box.area if self.mask is None else float(self.mask.sum())

    def iou(self, other: Detection) -> float:
        """Intersection over union of masks, or of boxes where one has no mask."""
        common = self.box.overlap(other.box)
        if not common or self.mask is None or other.mask is None:
            return common / (self.box.area + other.box.area - common) if common else 0.0
        both = int((self.mask & other.mask).sum())
        return both / (int(self.mask.sum()) + int(other.mask.sum()) - both) if both else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Everything that a network gave: boxes (x0, y0, x1, y1 in the picture's pixels), scores and class numbers.

    `settled` if the network itself has dropped what it found twice. `shapes` makes the masks of chosen rows.
    """

    boxes: Floats
    scores: Floats
    classes: Indices
    settled: bool = False
    shapes: Callable[[Indices], Sequence[Shape]] | None = None


def kept(candidates: Candidates, least: float, iou: float, most: int) -> Indices:
    """The rows that stay, surest first: at most `most` with a score of at least `least`.

    Of boxes of one class whose intersection over union exceeds `iou`, the surest stays (non-maximum suppression).
    """
    rows = np.flatnonzero(candidates.scores >= least)
    # A stable order, so that with equal scores the result does not depend on the machine.
    rows = rows[np.argsort(-candidates.scores[rows], kind="stable")][:_MOST_COMPARED]
    if not candidates.settled and len(rows) > 1:
        boxes = candidates.boxes[rows].astype(np.float64)
        boxes[:, 2:] -= boxes[:, :2]
        scores, classes = candidates.scores[rows], candidates.classes[rows]
        chosen = cv2.dnn.NMSBoxesBatched(boxes.tolist(), scores.tolist(), classes.tolist(), 0.0, iou)
        rows = rows[np.sort(np.asarray(chosen, np.intp).ravel())]
    return rows[:most]
