"""Segmenters and detectors in ONNX files, above all the YOLO-seg family."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from anamorph.detectors import Detection, Detector, open_detector
from anamorph.detectors.fitting import Values
from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Thing, setting
from anamorph.segmenters.selection.selection import min_area_setting, most_setting, named, threshold_setting
from anamorph.weights.files import weights_file
from anamorph.weights.sessions import DEVICE_HELP, Device, on_device

# Raised when the same detections would yield other things.
VERSION = 1


@dataclass(frozen=True, slots=True)
class OnnxSegmenter:
    """A network in an ONNX file: YOLO-seg returns masks, a plain detector boxes."""

    kind: ClassVar[str] = "onnx"
    path: str = setting(help="A file of weights, or the name of known weights.")
    threshold: float = threshold_setting()
    min_area: float = min_area_setting()
    nms_iou: float = setting(
        0.5, "Of two boxes of one class with a larger intersection over union, the surer one stays.", least=0, most=1
    )
    twin_iou: float = setting(
        0.8, "The same for two objects of different classes: they are one object.", least=0, most=1
    )
    most: int = most_setting()
    layout: str | None = setting(None, "The layout of the outputs, if their shapes do not show it.")
    labels: str | None = setting(
        None,
        "The names of the classes: a known list such as coco-80, or a .txt or .json file. By default the file's own.",
    )
    values: Values | None = setting(
        None, "The network's input range: bytes, unit, signed or imagenet. By default the layout's."
    )

    device: Device = setting("cpu", DEVICE_HELP)

    @property
    def cpu_heavy(self) -> bool:
        """Whether it runs on the CPU."""
        return self.device == "cpu"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "segmenter": VERSION,
            "threshold": self.threshold,
            "min_area": self.min_area,
            "twin_iou": self.twin_iou,
            **on_device(self.device),
            **self._detector().fingerprint,
        }

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the network knows."""
        return tuple(label for label in self._detector().labels if label)

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        detector = self._detector()
        try:
            found = detector.find(pixels, self.threshold)
        except UsageError as problem:
            # The weights loaded, so it fails on this photo.
            raise BadPicture(str(problem)) from problem
        least = self.min_area * pixels.shape[0] * pixels.shape[1]
        large = (each for each in found if 0 < each.area >= least)
        return named(without_twins(large, self.twin_iou))

    def _detector(self) -> Detector:
        file = weights_file(f"The segmenter {self.kind!r}", "segmenter.path", self.path, self.path)
        modified = file.stat().st_mtime_ns
        return _opened(file, modified, self.layout, self.labels, self.values, self.nms_iou, self.most, self.device)


@functools.lru_cache(maxsize=8)
def _opened(
    file: Path,
    modified: int,
    layout: str | None,
    labels: str | None,
    values: Values | None,
    nms_iou: float,
    most: int,
    device: Device,
) -> Detector:
    detector = open_detector(file, layout, labels, values, nms_iou, most, device)
    if not detector.locates:
        raise UsageError(f"{file}: this network classifies whole photos, so it cannot find objects.")
    return detector


def without_twins(found: Iterable[Detection], iou: float) -> list[Detection]:
    """The detections, in order, without duplicates of an object under another class."""
    kept: list[Detection] = []
    for each in found:
        if not any(each.iou(other) > iou for other in kept if other.label != each.label):
            kept.append(each)
    return kept
