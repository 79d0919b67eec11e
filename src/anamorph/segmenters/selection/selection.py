"""From a network's detections to the objects kept; the settings that all segmenters share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anamorph.detectors import Detection
from anamorph.model import Box, Hole, Stuff, Thing, setting
from anamorph.pixels.masks import mask_box, mask_from_pixels


def threshold_setting() -> Any:
    """The setting for the score threshold; low, because the melt check also uses objects that scenes do not get."""
    return setting(
        0.25, "Detections with a lower score are dropped. Scenes need more: see segmenting.min_score.", least=0, most=1
    )


def min_area_setting() -> Any:
    """The setting for the smallest object."""
    return setting(0.0005, "An object that covers a smaller share of the photo is dropped.", least=0, most=1)


def most_setting() -> Any:
    """The setting for the most objects per photo."""
    return setting(100, "At most this many objects per photo, the surest ones.", least=1, most=1000)


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects the objects to keep."""

    min_area: float
    nms_iou: float
    most: int
    labels: tuple[str, ...] = ()

    def things(self, found: Iterable[Detection], height: int, width: int) -> tuple[Thing, ...]:
        """The kept objects, the surest first."""
        kept: list[Detection] = []
        for each in sorted((_clipped(each, height, width) for each in found), key=lambda each: -each.score):
            if self.labels and each.label not in self.labels:
                continue
            if not 0 < each.area >= self.min_area * height * width:
                continue
            if not any(each.iou(other) > self.nms_iou for other in kept if other.label == each.label):
                kept.append(each)
            if len(kept) == self.most:
                break
        return named(kept)


def named(found: Iterable[Detection]) -> tuple[Thing, ...]:
    """Objects with ids such as dog-2, numbered within each class, the surest first."""
    counts: dict[str, int] = {}
    things = []
    for each in found:
        counts[each.label] = counts.get(each.label, 0) + 1
        mask = None if each.mask is None else mask_from_pixels(each.mask)
        box = each.box if mask is None else mask_box(mask)
        things.append(Thing(f"{each.label}-{counts[each.label]}", each.label, box, mask, round(each.score, 4)))
    return tuple(things)


def ground_of(found: Iterable[Detection]) -> tuple[Stuff, ...]:
    """Ground, each class once, from regions with masks, the surest first."""
    shapes: dict[str, Hole] = {}
    for each in sorted(found, key=lambda each: -each.score):
        if each.mask is not None:
            known = shapes.get(each.label)
            shapes[each.label] = each.mask if known is None else known | each.mask
    return tuple(Stuff(label, mask_from_pixels(shape)) for label, shape in shapes.items() if shape.any())


def _clipped(found: Detection, height: int, width: int) -> Detection:
    box = found.box
    left, top = min(max(box.x, 0.0), width), min(max(box.y, 0.0), height)
    right, bottom = min(max(box.right, left), width), min(max(box.bottom, top), height)
    return Detection(found.label, found.score, Box(left, top, right - left, bottom - top), found.mask)
