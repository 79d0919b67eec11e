"""Detectors, opened from files of weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anamorph.detectors.class_names import (
    KNOWN_LISTS,
    is_class,
    names_by_count,
    names_in_metadata,
    names_of_list,
)
from anamorph.detectors.detection import Candidates, Detection, Shape, kept
from anamorph.detectors.fitting import Values
from anamorph.detectors.layouts import LAYOUTS, layout_of
from anamorph.detectors.networks.network import Network, Port, channels_last, open_network, picture_port
from anamorph.detectors.networks.tflite import LABEL_FILE
from anamorph.errors import UsageError
from anamorph.model import Box, Pixels
from anamorph.weights.files import sha256_of
from anamorph.weights.sessions import Device

# Incremented when the same file may find other things: a fix in a layout, another way to scale pictures.
VERSION = 1
NMS_IOU = 0.5
MOST = 300
# Where a network with more weights than ONNX allows in one file has the rest.
_REST = (".data", "_data")
# What belongs to a file of weights and has its name with another ending.
_BESIDE = {".pb": ".pbtxt"}


@dataclass(frozen=True, slots=True)
class Detector:
    """Finds things in pictures; several threads may share one. `labels` is by class number, "" where there is none.

    `locates` is False for a classifier, which says what is in a picture, but neither where nor how many.
    """

    file: Path
    layout: str
    labels: tuple[str, ...]
    values: Values
    nms_iou: float
    most: int
    _network: Network = field(repr=False, compare=False)
    _picture: Port = field(repr=False, compare=False)

    @property
    def locates(self) -> bool:
        return LAYOUTS[self.layout].locates

    @property
    def has_masks(self) -> bool:
        """Whether what it finds comes with masks."""
        return any(len(port.sides) == 4 for port in self._network.outputs) and self.layout.startswith("yolo")

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Differs between any two detectors that could find different things."""
        beside = [Path(f"{self.file}{end}") for end in _REST]
        if self.file.suffix in _BESIDE:
            beside.append(self.file.with_suffix(_BESIDE[self.file.suffix]))
        rest = {file.name: sha256_of(file) for file in beside if file.is_file()}
        return {
            "detector": VERSION,
            "weights_sha256": sha256_of(self.file),
            **({"more_weights_sha256": rest} if rest else {}),
            "layout": self.layout,
            "labels": list(self.labels),
            "values": self.values,
            "nms_iou": self.nms_iou,
            "most": self.most,
        }

    def find(
        self,
        pixels: Pixels,
        threshold: float = 0.25,
        thresholds: Mapping[str, float] | None = None,
        masks: bool = True,
    ) -> list[Detection]:
        """Detections in a picture, surest first: with a score of at least `threshold`, or the label's own threshold.

        `masks=False` leaves masks out, which is quicker.
        """
        own = {} if thresholds is None else thresholds
        with _as_layout(self.layout, self._network):
            candidates = LAYOUTS[self.layout].look(self._network, self._picture, pixels, self.values)
        rows = kept(candidates, min([threshold, *own.values()]), self.nms_iou, self.most)
        wanted = [int(row) for row in rows if self._counts(candidates, int(row), threshold, own)]
        return self._detections(candidates, wanted, masks)

    def _counts(self, candidates: Candidates, row: int, threshold: float, own: Mapping[str, float]) -> bool:
        label = self._label(int(candidates.classes[row]))
        return is_class(label) and float(candidates.scores[row]) >= own.get(label, threshold)

    def _label(self, number: int) -> str:
        if not 0 <= number < len(self.labels):
            raise UsageError(
                f"{self.file}: the network found a thing of class {number}, but there are only {len(self.labels)} "
                "labels. Give a list of labels that has one for each class."
            )
        return self.labels[number]

    def _detections(self, candidates: Candidates, rows: list[int], masks: bool) -> list[Detection]:
        shapes: Sequence[Shape | None] = [None] * len(rows)
        if masks and candidates.shapes is not None:
            shapes = candidates.shapes(np.array(rows, np.intp))
        found = []
        for row, shape in zip(rows, shapes, strict=True):
            left, top, right, bottom = (float(side) for side in candidates.boxes[row])
            box = Box(left, top, max(0.0, right - left), max(0.0, bottom - top))
            label = self._label(int(candidates.classes[row]))
            found.append(Detection(label, float(candidates.scores[row]), box, shape))
        return found


def open_detector(
    file: Path,
    layout: str | None = None,
    labels: str | None = None,
    values: Values | None = None,
    nms_iou: float = NMS_IOU,
    most: int = MOST,
    device: Device = "cpu",
) -> Detector:
    """The detector in an .onnx, .tflite or .pb file; UsageError where it cannot be one.

    Without `layout`, it follows from the shapes of inputs and outputs. Without `labels` (a known list, or a .txt or
    .json file), the names come from the file itself or from the number of classes. Without `values`, levels are
    scaled as is usual for the layout. The `device` is for .onnx files; others run on the processor.
    """
    if device != "cpu" and file.suffix.lower() != ".onnx":
        raise UsageError(f"{file}: device = {device!r} is for .onnx files only.")
    network = open_network(file, device)
    picture = picture_port(network)
    names = names_of_list(labels) if labels else names_in_metadata(network.metadata(), LABEL_FILE)
    chosen = layout_of(network, picture, layout, len(names) if names else None)
    with _as_layout(chosen, network):
        count = LAYOUTS[chosen].classes(network)
    if names is None:
        names = _usual_names(chosen, file, count)
    if names is None:
        raise UsageError(
            f"{file}: has {count or 'an unknown number of'} classes and no names for them. "
            f"Give labels: one of {', '.join(KNOWN_LISTS)}, or the path of a .txt or .json file."
        )
    if count is not None and len(names) < count:
        raise UsageError(f"{file}: has {count} classes, but there are only {len(names)} labels.")
    return Detector(file, chosen, names, values or _usual_values(chosen, picture), nms_iou, most, network, picture)


def _usual_names(layout: str, file: Path, count: int | None) -> tuple[str, ...] | None:
    if layout.startswith("ssd"):
        # TensorFlow's post-processing gives COCO's ids, counted from 0 in TFLite and from 1 elsewhere.
        return names_of_list("coco-90" if file.suffix.lower() == ".tflite" else "coco-91")
    return names_by_count(80 if layout == "yolo-rows" else count)


def _usual_values(layout: str, picture: Port) -> Values:
    usual = LAYOUTS[layout].values
    # Networks of TensorFlow have the channels last, and its classifiers want levels from -1 to 1.
    return "signed" if usual == "imagenet" and channels_last(picture) else usual


@contextlib.contextmanager
def _as_layout(name: str, network: Network) -> Iterator[None]:
    """Reports a network that fails because it does not have the layout that was chosen for it."""
    try:
        yield
    except (IndexError, KeyError, StopIteration, ValueError, AssertionError, AttributeError) as problem:
        seen = "; ".join(map(str, network.outputs))
        raise UsageError(
            f"{network.file}: does not work as layout {name}, which has {LAYOUTS[name].form}; its outputs are {seen}."
        ) from problem
