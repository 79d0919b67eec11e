"""What a network found on a photo, and the objects that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anamorph.edits.masks import mask_box, mask_from_pixels
from anamorph.model import Box, Hole, Thing


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One object: its label, how sure the network is, and its box; its mask, where the network gives one."""

    label: str
    score: float
    box: Box
    mask: Hole | None = None

    @property
    def area(self) -> float:
        return self.box.area if self.mask is None else float(self.mask.sum())


@dataclass(frozen=True, slots=True)
class Choosing:
    """Which of the objects that a network found are kept."""

    min_area: float
    nms_iou: float
    most: int
    labels: tuple[str, ...] = ()

    def things(self, found: Iterable[Found], height: int, width: int) -> tuple[Thing, ...]:
        """Objects with ids such as dog-2, counted from the surest of each class."""
        kept: list[Found] = []
        for each in sorted((_clipped(each, height, width) for each in found), key=lambda each: -each.score):
            if self.labels and each.label not in self.labels:
                continue
            if not 0 < each.area >= self.min_area * height * width:
                continue
            if not any(_overlap(each, other) > self.nms_iou for other in kept if other.label == each.label):
                kept.append(each)
            if len(kept) == self.most:
                break
        return _named(kept)


def _named(found: Sequence[Found]) -> tuple[Thing, ...]:
    counts: dict[str, int] = {}
    things = []
    for each in found:
        counts[each.label] = counts.get(each.label, 0) + 1
        mask = None if each.mask is None else mask_from_pixels(each.mask)
        box = each.box if mask is None else mask_box(mask)
        things.append(Thing(f"{each.label}-{counts[each.label]}", each.label, box, mask, round(each.score, 4)))
    return tuple(things)


def _clipped(found: Found, height: int, width: int) -> Found:
    box = found.box
    left, top = min(max(box.x, 0.0), width), min(max(box.y, 0.0), height)
    right, bottom = min(max(box.right, left), width), min(max(box.bottom, top), height)
    return Found(found.label, found.score, Box(left, top, right - left, bottom - top), found.mask)


def _overlap(one: Found, other: Found) -> float:
    """Intersection over union of masks, or of boxes where one has no mask."""
    common = one.box.overlap(other.box)
    if not common or one.mask is None or other.mask is None:
        return common / (one.box.area + other.box.area - common) if common else 0.0
    both = int((one.mask & other.mask).sum())
    return both / (int(one.mask.sum()) + int(other.mask.sum()) - both) if both else 0.0
