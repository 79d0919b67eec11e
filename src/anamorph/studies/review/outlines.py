"""Where two pictures of a case differ: boxes from the plan where it says so, else from the pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from anamorph.model import Pixels, Thing
from anamorph.report.outlines import placed_changes

MOST_BOXES = 12
# A difference that compression alone makes is smaller.
_LEAST_DIFFERENCE = 28
# Smaller spots are noise; larger ones mean that the whole picture changed.
_LEAST_SHARE, _MOST_SHARE = 0.0004, 0.6


@dataclass(frozen=True, slots=True)
class Outline:
    """A box in a picture, and what happened there; `gone` if what is meant is not in this picture."""

    x: float
    y: float
    width: float
    height: float
    what: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """The outlines in a source and in a follow-up; `note` if there is nothing to outline."""

    source: tuple[Outline, ...] = ()
    follow_up: tuple[Outline, ...] = ()
    note: str = ""


def planned_difference(
    source: Sequence[Mapping[str, Any]],
    follow_up: Sequence[Mapping[str, Any]],
    things: Mapping[str, Thing],
) -> Difference | None:
    """The effects of a follow-up's edits beyond those of its source; None if they do not say where.

    `things` are the scene's objects by id.
    """
    before = [edit for edit in follow_up if edit not in source]
    # What was done to the source only, such as another object that was removed, is a difference as well.
    undone = [edit for edit in source if edit not in follow_up]
    left: list[Outline] = []
    right: list[Outline] = []
    for edits, here, there in ((before, right, left), (undone, left, right)):
        for edit in edits:
            placed = _placed(edit, things)
            if placed is None:
                # An edit of the whole picture may have moved everything.
                return None
            for outline, goes in placed:
                (here if goes else there).append(outline)
    if not left and not right:
        return None
    return Difference(tuple(left[:MOST_BOXES]), tuple(right[:MOST_BOXES]))


def _placed(edit: Mapping[str, Any], things: Mapping[str, Thing]) -> list[tuple[Outline, bool]] | None:
    """The outlines of an edit, each with whether it belongs to the edited picture; None if it names no place."""
    does, changes = placed_changes(edit, things) or (None, [])
    found: list[tuple[Outline, bool]] = []
    for change in changes:
        before, after = change.before or change.after, change.after or change.before
        if does is None or before is None or after is None:
            continue
        for box, absent, edited in ((before, change.before is None, False), (after, does == "removed", True)):
            found.append((Outline(box.x, box.y, box.width, box.height, does, absent), edited))
    return found or None


def seen_difference(source: Pixels, follow_up: Pixels) -> Difference:
    """Boxes around the pixels that differ."""
    if source.shape != follow_up.shape:
        return Difference(note="The pictures differ in size.")
    difference = cv2.absdiff(source, follow_up).max(axis=2)
    changed = (difference >= _LEAST_DIFFERENCE).astype(np.uint8)
    if not changed.any():
        return Difference(note="The pictures look the same.")
    height, width = changed.shape
    side = max(3, round(max(height, width) / 40)) | 1
    joined = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    spots = [row for row in stats[1:] if row[cv2.CC_STAT_AREA] >= _LEAST_SHARE * height * width]
    spots.sort(key=lambda row: -int(row[cv2.CC_STAT_AREA]))
    largest = max((int(row[cv2.CC_STAT_WIDTH]) * int(row[cv2.CC_STAT_HEIGHT]) for row in spots), default=0)
    if largest > _MOST_SHARE * height * width or len(spots) > 4 * MOST_BOXES:
        return Difference(note="The whole picture changed.")
    boxes = tuple(
        Outline(float(x), float(y), float(wide), float(high), "changed") for x, y, wide, high, _ in spots[:MOST_BOXES]
    )
    return Difference(boxes, boxes, "" if boxes else "The pictures differ a little all over.")
