"""Segmenters and detectors of the transformers library: Mask2Former, DETR, GroundingDINO and similar models."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Segmentation, Thing, setting
from anamorph.reading.labels import SHIPPED, label_space
from anamorph.segmenters.selection.selection import (
    Selection,
    ground_of,
    min_area_setting,
    most_setting,
    threshold_setting,
)
from anamorph.segmenters.transformers.models import LoadedModel, Style, loaded_model, sort_of
from anamorph.weights.checkpoints import (
    Checkpoint,
    Workbench,
    local_files_setting,
    major_version,
    model_setting,
    revision_setting,
)
from anamorph.weights.torch_library import (
    Device,
    Dtype,
    device_of,
    device_setting,
    dtype_of,
    dtype_setting,
    reason,
    require,
    torch,
)

# Raised when the same network would find other things.
VERSION = 3


@dataclass(frozen=True, slots=True)
class TransformersSegmenter:
    """A Hugging Face model: Mask2Former and DETR return masks, detectors boxes, GroundingDINO boxes for any words.

    With `style = "panoptic"` it returns ground as well.
    """

    kind: ClassVar[str] = "transformers"
    model: str = model_setting()
    revision: str | None = revision_setting()
    threshold: float = threshold_setting()
    min_area: float = min_area_setting()
    nms_iou: float = setting(
        0.8, "Of two objects of one class with a larger intersection over union, the surer one stays.", least=0, most=1
    )
    most: int = most_setting()
    labels: tuple[str, ...] = setting(
        (),
        "Only these classes; they prompt models that take words. The name of a label space, such as coco, "
        "stands for all of its classes.",
    )
    style: Style = setting(
        "instance", "Masks: one for each object (they may overlap), or each pixel in one region only."
    )
    ground: tuple[str, ...] = setting(
        (),
        "Classes of the model that are ground, not objects, such as sky. By default the model's, or COCO's ground. "
        "Classes in `labels` are objects.",
    )
    device: Device = device_setting()
    dtype: Dtype = dtype_setting()
    local_files_only: bool = local_files_setting()
    _held: _Held = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require(f"The segmenter {self.kind!r}", "transformers", "torch", "transformers")
        self._checkpoint.check()
        object.__setattr__(self, "_held", _Held())

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        checkpoint = self._checkpoint
        with self._held.lock:
            if self._held.fingerprint is None:
                sort = sort_of(checkpoint)
                if sort == "words" and not self.labels:
                    raise UsageError(
                        f"{self.model} needs words as prompts: set segmenter.labels to class names, or to coco."
                    )
                marks: dict[str, Any] = {
                    "segmenter": VERSION,
                    "transformers": major_version("transformers"),
                    **checkpoint.identity(),
                    "dtype": str(dtype_of(self.dtype, device_of(self.device))),
                    "threshold": self.threshold,
                    "min_area": self.min_area,
                    "nms_iou": self.nms_iou,
                    "most": self.most,
                    "labels": list(self._wanted),
                }
                if sort == "masks":
                    marks["style"] = self.style
                    marks["ground"] = list(self.ground)
                self._held.fingerprint = marks
            return self._held.fingerprint

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        return self._surveyed(pixels).things

    @property
    def survey(self) -> Callable[[Pixels], Segmentation] | None:
        """A function that finds objects and ground, if masks are regions."""
        return self._surveyed if self.style == "panoptic" else None

    def _surveyed(self, pixels: Pixels) -> Segmentation:
        _ = self.fingerprint
        with self._held.lock:
            if self._held.model is None:
                device = device_of(self.device)
                bench = Workbench(self._checkpoint, device, dtype_of(self.dtype, device))
                self._held.model = loaded_model(bench, self.style, self._wanted, self.ground)
            try:
                with torch().inference_mode():
                    found = list(self._held.model.find(pixels, self.threshold))
            except UsageError:
                raise
            except Exception as problem:
                # The model loaded, so it fails on this photo.
                raise BadPicture(f"{self.model} failed with {reason(problem)}.") from problem
            ground = self._held.model.ground - set(self._wanted)
        chosen = Selection(self.min_area, self.nms_iou, self.most, self._wanted)
        things = chosen.things((each for each in found if each.label not in ground), *pixels.shape[:2])
        return Segmentation(things, ground_of(each for each in found if each.label in ground))

    @property
    def _checkpoint(self) -> Checkpoint:
        return Checkpoint(f"The segmenter {self.kind!r}", self.model, self.revision, self.local_files_only)

    @property
    def _wanted(self) -> tuple[str, ...]:
        if len(self.labels) == 1 and self.labels[0] in SHIPPED:
            return label_space(self.labels[0]).names
        return self.labels


@dataclass(slots=True)
class _Held:
    """Created on first use; `lock` admits one thread at a time."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    fingerprint: Mapping[str, Any] | None = None
    model: LoadedModel | None = None
