"""A recogniser: the run's segmenter, or known weights on this machine, asked whether an object looks like its class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from anamorph.config import Config
from anamorph.engine.kept import looks_of
from anamorph.engine.segmenter import identity_of, segmenters_at_hand, weights_named
from anamorph.errors import AnamorphError, RunError
from anamorph.model import Box, Pixels, SceneSource, Segmentation, Segmenter, Thing
from anamorph.model.protocols import SceneSourceOptions, SegmenterOptions
from anamorph.pools.cutouts import Look
from anamorph.store.run import RunStore
from anamorph.store.segmentations import SegmentationCache

FACT = "recogniser"
# A cut-out is shown in several sizes at once: the sides of the canvas and of the copies, in pixels, with their places.
# Shown larger than it is, it would be blurred, which no object of a photo is.
_GREY, _CANVAS = 128, 640
_COPIES = ((300, 8, 8), (190, 330, 8), (130, 330, 220), (90, 480, 220), (60, 480, 330))
_MOST_ENLARGED = 1.3
# What is found must have this much in common with the box where the object is; on grey it must fill it, and anything
# else that is seen there this surely is a second object, or shows that it is in parts.
_LEAST_IOU, _FILLS, _SECOND = 0.35, 0.7, 0.35


@dataclass(frozen=True, slots=True)
class Recogniser:
    """Says how surely a class is seen somewhere; safe to use from several threads."""

    segmenter: Segmenter
    identity: Mapping[str, Any]
    classes: frozenset[str] | None
    # What it saw in earlier runs.
    looks: SegmentationCache | None = None

    def knows(self, label: str) -> bool:
        """Whether it could find an object of this class at all; what it does not know, it says nothing about."""
        return self.classes is not None and _name(label) in self.classes

    def on_ground(self, rgba: Pixels, label: str, ground: Pixels | None) -> tuple[Look, ...] | None:
        """How surely a cut-out shows its class in several sizes, the largest first; None for a class it does not know.

        Without any ground it is shown on grey, where nothing else explains what is seen.
        """
        if not self.knows(label):
            return None
        canvas, boxes = _copies(rgba, ground)
        found, looks = self.found(canvas, remember=True), []
        for box in boxes:
            size = max(box.width, box.height) / _CANVAS
            seen = _alone(found, label, box) if ground is None else at_place(found, label, box, _LEAST_IOU)
            looks.append(Look(size, seen))
        return tuple(looks)

    def on_picture(self, pixels: Pixels, label: str, box: Box) -> float | None:
        """How surely a class is seen in a box of a picture; None for a class that it does not know."""
        return self._best(pixels, label, box) if self.knows(label) else None

    def found(self, pixels: Pixels, *, remember: bool = False) -> tuple[Thing, ...]:
        """Everything that is seen on a picture, at any score; `remember` is for pictures that other runs share."""
        looks = self.looks if remember else None
        known = None if looks is None else looks.get(pixels)
        if known is not None:
            return known.things
        found = tuple(self.segmenter.segment(pixels))
        if looks is not None:
            looks.put(pixels, Segmentation(found))
        return found

    def _best(self, pixels: Pixels, label: str, box: Box) -> float:
        return at_place(self.found(pixels), label, box, _LEAST_IOU)


def at_place(found: Iterable[Thing], label: str, box: Box, least_iou: float) -> float:
    """How surely a class was found in a box; 0 where it was not."""
    alike = (thing for thing in found if _name(thing.label) == _name(label))
    return max((_sureness(thing) for thing in alike if _iou(thing.box, box) >= least_iou), default=0.0)


def _alone(found: Iterable[Thing], label: str, box: Box) -> float:
    """How surely one object of a class was found that fills a box; 0 where a part of it looks like another object."""
    there = [thing for thing in found if 2 * thing.box.overlap(box) > thing.box.area]
    own = [thing for thing in there if _name(thing.label) == _name(label) and _iou(thing.box, box) >= _FILLS]
    best = max(own, key=_sureness, default=None)
    if best is None:
        return 0.0
    others = (thing for thing in there if thing is not best and not _same(thing, best))
    return 0.0 if max(map(_sureness, others), default=0.0) >= _SECOND else _sureness(best)


def _same(thing: Thing, other: Thing) -> bool:
    """Whether a network found one object twice, by one name."""
    return _name(thing.label) == _name(other.label) and _iou(thing.box, other.box) >= _FILLS


def numbers_of(found: Iterable[Thing], score: float) -> Counter[str]:
    """How many objects of each class were found at least this surely; classes in lower case."""
    return Counter(_name(thing.label) for thing in found if _sureness(thing) >= score)


def recogniser_at_hand(config: Config, source: SceneSource) -> Recogniser | None:
    """The run's segmenter if it says what it can find, else the best known weights that are here; none for drawings.

    Networks are trained on photos: what they make of a drawing says nothing about it.
    """
    return next(_recognisers(config), None) if wants_recogniser(config, source) else None


def wants_recogniser(config: Config, source: SceneSource) -> bool:
    """Whether images of this source are to be checked by a recogniser, if there is one."""
    return config.settings.recognition.enabled and not SceneSourceOptions.describes.of(source)


def recogniser_like(config: Config, identity: Mapping[str, Any]) -> Recogniser | None:
    """The recogniser of another process of the run; None if it is not here."""
    return next((each for each in _recognisers(config) if dict(each.identity) == dict(identity)), None)


def _recognisers(config: Config) -> Iterator[Recogniser]:
    for segmenter in _candidates(config):
        try:
            classes = SegmenterOptions.classes.of(segmenter)
            identity = identity_of(segmenter)
        except (AnamorphError, OSError):
            # Weights without the library that runs them are not at hand.
            continue
        if classes is not None:
            looks = looks_of(config.settings.cache, segmenter, identity)
            yield Recogniser(segmenter, identity, frozenset(map(_name, classes)), looks)


def _candidates(config: Config) -> Iterator[Segmenter]:
    own = config.segmenter()
    if own is not None:
        yield own
    yield from segmenters_at_hand()


def recogniser_of(store: RunStore, config: Config, source: SceneSource) -> Recogniser | None:
    """The recogniser that the run began with, or, for a new run, the best at hand, which is kept with the run.

    Weights that come to this machine later change nothing in a run that began without them.
    """
    facts = store.fact(FACT)
    if facts is None:
        found = recogniser_at_hand(config, source)
        with store.transaction():
            store.set_fact(FACT, {"identity": None if found is None else dict(found.identity)})
        return found
    if facts["identity"] is None:
        return None
    found = recogniser_like(config, facts["identity"])
    if found is None:
        raise RunError(
            f"{store.folder}: its images were checked by {weights_named(facts['identity'])}, which is not here or "
            "differs now, so new images would not be checked like earlier ones. Get these weights back "
            "(`anamorph list models`), or start a new run."
        )
    return found


def _copies(rgba: Pixels, ground: Pixels | None) -> tuple[Pixels, list[Box]]:
    """A canvas with a cut-out in several sizes, none of them much enlarged, and where these are, largest first."""
    if ground is None:
        canvas = np.full((_CANVAS, _CANVAS, 3), _GREY, np.uint8)
    else:
        canvas = np.asarray(cv2.resize(ground, (_CANVAS, _CANVAS), interpolation=cv2.INTER_AREA), np.uint8)
    boxes = []
    longest = max(rgba.shape[:2])
    for side, left, top in _COPIES:
        if side > _MOST_ENLARGED * longest and side != _COPIES[-1][0]:
            continue
        height, width = (max(1, round(length * side / longest)) for length in rgba.shape[:2])
        how = cv2.INTER_AREA if side < longest else cv2.INTER_LINEAR
        copy = np.asarray(cv2.resize(rgba, (width, height), interpolation=how), np.uint8)
        share, below = copy[..., 3:] / 255, canvas[top : top + height, left : left + width]
        below[:] = np.rint(copy[..., :3] * share + below * (1 - share))
        boxes.append(Box(left, top, width, height))
    return canvas, boxes


def _sureness(thing: Thing) -> float:
    return 1.0 if thing.score is None else thing.score


def _iou(one: Box, other: Box) -> float:
    common = one.overlap(other)
    return common / (one.area + other.area - common) if common else 0.0


def _name(label: str) -> str:
    return label.strip().casefold()
