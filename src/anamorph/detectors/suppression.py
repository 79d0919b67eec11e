"""One box for each thing: of boxes of one class that cover each other, the surest stays."""

from __future__ import annotations

import cv2
import numpy as np

from anamorph.detectors.detection import Candidates, Indices

# So many of the surest boxes are compared; the cost grows with their square.
_MOST_COMPARED = 3000


def kept(candidates: Candidates, least: float, iou: float, most: int) -> Indices:
    """The rows that stay, surest first: those with a score of at least `least`, no two of a class over `iou` apart."""
    rows = np.flatnonzero(candidates.scores >= least)
    # A stable order, so that equal scores do not make a result depend on the machine.
    rows = rows[np.argsort(-candidates.scores[rows], kind="stable")][:_MOST_COMPARED]
    if not candidates.settled and len(rows) > 1:
        boxes = candidates.boxes[rows].astype(np.float64)
        boxes[:, 2:] -= boxes[:, :2]
        scores, classes = candidates.scores[rows], candidates.classes[rows]
        chosen = cv2.dnn.NMSBoxesBatched(boxes.tolist(), scores.tolist(), classes.tolist(), 0.0, iou)
        rows = rows[np.sort(np.asarray(chosen, np.intp).ravel())]
    return rows[:most]
