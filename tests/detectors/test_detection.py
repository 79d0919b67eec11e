from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from anamorph.detectors.detection import Candidates, kept
from anamorph.model import Box


def plainly(candidates: Candidates, least: float, iou: float) -> list[int]:
    """The rule, word by word."""
    chosen: list[int] = []
    for row in sorted(range(len(candidates.scores)), key=lambda row: -candidates.scores[row]):
        if candidates.scores[row] < least:
            continue
        mine = _box(candidates, row)
        others = [_box(candidates, k) for k in chosen if candidates.classes[k] == candidates.classes[row]]
        if all(mine.overlap(o) <= iou * (mine.area + o.area - mine.overlap(o)) for o in others):
            chosen.append(row)
    return chosen


def _box(candidates: Candidates, row: int) -> Box:
    left, top, right, bottom = (float(v) for v in candidates.boxes[row])
    return Box(left, top, right - left, bottom - top)


@given(st.integers(0, 60), st.integers(0, 2**32), st.sampled_from([0.3, 0.5, 0.7]))
def test_the_surest_of_each_class_stay(count: int, seed: int, iou: float) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 40, (count, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(4, 30, (count, 2))], axis=1).astype(np.float32)
    candidates = Candidates(boxes, rng.uniform(0, 1, count).astype(np.float32), rng.integers(0, 3, count))
    assert kept(candidates, 0.2, iou, 1000).tolist() == plainly(candidates, 0.2, iou)
    assert kept(candidates, 0.2, iou, 2).tolist() == plainly(candidates, 0.2, iou)[:2]


def test_boxes_without_area_do_no_harm() -> None:
    boxes = np.array([[5, 5, 5, 5], [5, 5, 5, 5], [0, 0, 9, 9]], np.float32)
    candidates = Candidates(boxes, np.array([0.9, 0.8, 0.7], np.float32), np.zeros(3, np.intp))
    assert 2 in kept(candidates, 0.1, 0.5, 10).tolist()
