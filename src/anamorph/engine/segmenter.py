"""The segmenter of a run: what it finds is checked and kept, and it stays the same one throughout the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.kept import looks_of
from anamorph.errors import BadPicture, RunError, UsageError
from anamorph.model import Pixels, Segmentation, Segmenter, Thing, digest_of, encode
from anamorph.model.protocols import SegmenterOptions
from anamorph.photos.scene_limits import MOST_PIXELS
from anamorph.store.run import RunStore
from anamorph.store.segmentations import FILE, SegmentationCache
from anamorph.store.shelf import default_file
from anamorph.weights.files import is_here
from anamorph.weights.known import KNOWN

FACT = "segmenter"
# The detector of a run without a segmenter; empty if none was at hand when it began.
DETECTOR_AT_HAND = "melt_check_detector"
# Known weights that find objects, the best first, and the score from which on checks of images want to know of them.
DETECTORS = ("yolo11n-seg", "yolo11n", "efficientdet-lite2", "efficientdet-lite1", "yolox-nano", "efficientdet-lite0")
_LOW = 0.1


def identity_of(segmenter: Segmenter) -> dict[str, Any]:
    """The identity of a segmenter: everything that could change its findings."""
    identity: dict[str, Any] = encode({"kind": segmenter.kind, **segmenter.fingerprint})
    return identity


def segmenters_at_hand() -> Iterator[Segmenter]:
    """Segmenters whose weights are on this machine, the best first; the library that runs them may be missing."""
    for name in DETECTORS:
        if is_here(KNOWN[name]):
            yield catalog.find("segmenters", "onnx")(path=name, threshold=_LOW)


@dataclass(slots=True)
class RunSegmenter:
    """A segmenter with its cache; safe to use from several threads."""

    segmenter: Segmenter
    identity: Mapping[str, Any]
    cache: SegmentationCache | None = None

    @classmethod
    def of(cls, config: Config) -> RunSegmenter | None:
        """The segmenter of a run, if it has one; the caller closes it."""
        segmenter = config.segmenter()
        if segmenter is None:
            return None
        settings, identity = config.settings.segmenting, identity_of(segmenter)
        if not settings.remember:
            return cls(segmenter, identity)
        file = Path(settings.cache) if settings.cache else default_file(FILE)
        return cls(segmenter, identity, SegmentationCache.open(file, identity))

    @classmethod
    def at_hand(cls, config: Config, like: Mapping[str, Any] | None = None) -> RunSegmenter | None:
        """A detector whose weights are here, to look at melts if the run has no segmenter; with `like`, that one."""
        for segmenter in segmenters_at_hand():
            try:
                identity = identity_of(segmenter)
                if like is not None and identity != like:
                    continue
                return cls(segmenter, identity, looks_of(config.settings.cache, segmenter, identity))
            except UsageError:
                # Its runtime is not installed; another one's may be.
                continue
        return None

    @property
    def signature(self) -> str:
        """How the origin of a scene names it."""
        return f"{self.segmenter.kind} {digest_of(self.identity)[:12]}"

    @property
    def finds_ground(self) -> bool:
        """Whether it finds ground besides objects."""
        return SegmenterOptions.survey.of(self.segmenter) is not None

    def recall(self, pixels: Pixels) -> Segmentation | None:
        """The cached segmentation of these pixels, if any."""
        return None if self.cache is None else self.cache.get(pixels)

    def survey(self, pixels: Pixels, *, remember: bool = True) -> Segmentation:
        """The segmenter's findings; BadPicture if they cannot be on the picture."""
        survey = SegmenterOptions.survey.of(self.segmenter)
        found = Segmentation(tuple(self.segmenter.segment(pixels))) if survey is None else survey(pixels)
        _check(found, pixels)
        if remember and self.cache is not None:
            self.cache.put(pixels, found)
        return found

    def look(self, pixels: Pixels, *, remember: bool = True) -> tuple[Thing, ...]:
        """The objects that the segmenter finds now, without the ground."""
        return self.survey(pixels, remember=remember).things

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()


def weights_named(identity: Mapping[str, Any]) -> str:
    """A segmenter for people: its known weights, or its kind, and the beginning of their digest."""
    sha256 = str(identity.get("weights_sha256", ""))
    known = [name for name, each in KNOWN.items() if sha256 in (each.sha256, *(digest for digest, _ in each.also))]
    return f"{known[0] if known else identity['kind']} {sha256[:8]}".strip()


def note_segmenter(store: RunStore, segmenter: RunSegmenter, fact: str = FACT) -> None:
    """Keep with a run which segmenter it has."""
    with store.transaction():
        store.set_fact(fact, dict(segmenter.identity))


def settle_segmenter(store: RunStore, segmenter: RunSegmenter) -> None:
    """Make sure that the segmenter is the one that the run began with."""
    before, now = store.fact(FACT), segmenter.identity
    if before is None:
        note_segmenter(store, segmenter)
    elif before != now:
        changed = ", ".join(sorted(key for key in {*before, *now} if before.get(key) != now.get(key)))
        raise RunError(
            f"{store.folder}: the segmenter changed since this run began ({changed}), so new images would not be "
            "checked like earlier ones: start a new run, or restore the earlier weights and settings."
        )


def detector_of(store: RunStore, config: Config) -> RunSegmenter | None:
    """The detector that looks at melts in a run without a segmenter: the one it began with, or the best at hand.

    Weights that come to this machine later change nothing in a run that began without them.
    """
    before = store.fact(DETECTOR_AT_HAND)
    if before is not None and not before:
        return None
    found = RunSegmenter.at_hand(config, before)
    if before is None:
        with store.transaction():
            store.set_fact(DETECTOR_AT_HAND, {} if found is None else dict(found.identity))
    elif found is None:
        raise RunError(
            f"{store.folder}: its images were checked by {weights_named(before)}, which is not here or differs now, so "
            "new images would not be checked like earlier ones. Get these weights back (`anamorph list models`), or "
            "start a new run."
        )
    return found


def _check(found: Segmentation, pixels: Pixels) -> None:
    """A segmenter may be a user's own, and what it finds goes into the run's plan."""
    height, width = pixels.shape[:2]
    ids, labels = [thing.id for thing in found.things], [each.label for each in found.stuff]
    for names, what in ((ids, "objects the id"), (labels, "pieces of ground the class")):
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadPicture(f"It gave two {what} {twice!r}.")
    masks = [(thing.id, thing.mask) for thing in found.things] + [(each.label, each.mask) for each in found.stuff]
    for name, mask in masks:
        if mask is not None and (mask.height, mask.width) != (height, width):
            size = f"{mask.width} x {mask.height}"
            raise BadPicture(f"It gave {name!r} a mask of {size} on a photo of {width} x {height}.")
    if len(labels) * height * width > MOST_PIXELS:
        raise BadPicture(f"It gave {len(labels)} pieces of ground on a photo of {width} x {height}, which is too much.")
