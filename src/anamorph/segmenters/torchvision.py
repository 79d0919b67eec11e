"""Segmenters and detectors of the torchvision library: Mask R-CNN, Faster R-CNN, RetinaNet, FCOS, SSD."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anamorph.detectors import Detection
from anamorph.errors import BadPicture, UnknownName, UsageError
from anamorph.model import Box, Pixels, Thing, setting
from anamorph.segmenters.selection.selection import Selection, min_area_setting, most_setting, threshold_setting
from anamorph.weights.files import sha256_of
from anamorph.weights.torch_library import Device, device_of, device_setting, reason, require, torch

# Raised when the same network would find other things.
VERSION = 1

# Names in torchvision's lists for unused numbers.
_NO_CLASS = {"__background__", "N/A", ""}


@dataclass(frozen=True, slots=True)
class TorchvisionSegmenter:
    """A detection model of torchvision: Mask R-CNN returns masks, the others boxes."""

    kind: ClassVar[str] = "torchvision"
    model: str = setting("maskrcnn_resnet50_fpn_v2", "A detection model of torchvision.")
    weights: str = setting("DEFAULT", "The model's published weights; they are fetched once and kept.")
    path: str | None = setting(None, "Your own file of weights for this model, instead of the published ones.")
    classes: str | None = setting(
        None, "With `path`: a text file with the names of the classes, one per line, the background first."
    )
    threshold: float = threshold_setting()
    mask_threshold: float = setting(
        0.5, "A pixel is part of a mask if the network is this sure of it.", least=0, most=1
    )
    min_area: float = min_area_setting()
    nms_iou: float = setting(
        0.8, "Of two objects of one class with a larger intersection over union, the surer one stays.", least=0, most=1
    )
    most: int = most_setting()
    labels: tuple[str, ...] = setting((), "Only these classes; by default all that the network knows.")
    device: Device = device_setting()
    _held: _Held = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require(f"The segmenter {self.kind!r}", "torchvision", "torch", "torchvision")
        if (self.path is None) != (self.classes is None):
            raise ValueError("path and classes go together: your own weights, and the names of their classes")
        for name, file in (("path", self.path), ("classes", self.classes)):
            if file is not None and not Path(file).is_file():
                raise UsageError(f"The segmenter 'torchvision' has no file {file}. Correct segmenter.{name}.")
        object.__setattr__(self, "_held", _Held())

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        marks: dict[str, Any] = {
            "segmenter": VERSION,
            "model": self.model,
            "threshold": self.threshold,
            "mask_threshold": self.mask_threshold,
            "min_area": self.min_area,
            "nms_iou": self.nms_iou,
            "most": self.most,
            "labels": list(self.labels),
        }
        if self.path is not None and self.classes is not None:
            return {**marks, "weights_sha256": sha256_of(Path(self.path)), "classes": list(self._own_classes())}
        published = self._published()
        # The file name ends in the first digits of its sha256, which are checked on download.
        return {**marks, "weights": str(published), "file": published.url.rpartition("/")[2]}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        with self._held.lock:
            if self._held.network is None:
                self._held.network, self._held.names = self._loaded()
            network, names = self._held.network, self._held.names
            try:
                with torch().inference_mode():
                    levels = torch().from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1))).float() / 255
                    (made,) = network([levels.to(next(network.parameters()).device)])
                    found = list(self._found(made, names))
            except Exception as problem:
                # The weights loaded, so it fails on this photo.
                raise BadPicture(f"{self.model} failed with {reason(problem)}.") from problem
        chosen = Selection(self.min_area, self.nms_iou, self.most, self.labels)
        return chosen.things(found, *pixels.shape[:2])

    def _found(self, made: Mapping[str, Any], names: Sequence[str]) -> Iterator[Detection]:
        masks = made.get("masks")
        for number, (score, label) in enumerate(zip(made["scores"].tolist(), made["labels"].tolist(), strict=True)):
            if score < self.threshold or names[label] in _NO_CLASS:
                continue
            left, top, right, bottom = (float(each) for each in made["boxes"][number].tolist())
            mask = None if masks is None else (masks[number, 0] >= self.mask_threshold).cpu().numpy()
            if mask is None or mask.any():
                yield Detection(names[label], float(score), Box(left, top, right - left, bottom - top), mask)

    def _published(self) -> Any:
        """The published weights of the model; UnknownName, with the known ones, if there are none of this name."""
        models = _library().models
        known = models.list_models(module=models.detection)
        if self.model not in known:
            raise UnknownName("detection model of torchvision", self.model, known)
        offered = models.get_model_weights(self.model)
        name = self.weights.rpartition(".")[2]
        if name not in offered.__members__:
            raise UnknownName(f"weights of {self.model}", self.weights, offered.__members__)
        return offered[name]

    def _own_classes(self) -> tuple[str, ...]:
        assert self.classes is not None
        return tuple(line.strip() for line in Path(self.classes).read_text(encoding="utf-8").splitlines())

    def _loaded(self) -> tuple[Any, Sequence[str]]:
        published = self._published()
        names = published.meta["categories"] if self.path is None else self._own_classes()
        network = _library().models.get_model(
            self.model, weights=None, weights_backbone=None, num_classes=max(len(names), 2)
        )
        if self.path is None:
            try:
                state = published.get_state_dict(progress=False, check_hash=True)
            except Exception as problem:
                raise UsageError(
                    f"The weights of {self.model} cannot be fetched from {published.url} ({reason(problem)}). "
                    f"Download the file yourself and put it into {torch().hub.get_dir()}/checkpoints."
                ) from problem
        else:
            state = _state_of(self.path)
        try:
            network.load_state_dict(state)
        except (RuntimeError, TypeError, AttributeError) as problem:
            raise UsageError(
                f"{self.path or published}: are not weights of {self.model} with {len(names)} classes "
                f"({reason(problem)})."
            ) from problem
        return network.eval().to(device_of(self.device)), names


def _state_of(path: str) -> Any:
    try:
        # Only tensors are read; a pickle that runs code is refused.
        state = torch().load(path, map_location="cpu", weights_only=True)
    except Exception as problem:
        raise UsageError(f"{path}: cannot be read as weights of PyTorch ({reason(problem)}).") from problem
    return state.get("model", state) if isinstance(state, dict) else state


def _library() -> Any:
    try:
        return importlib.import_module("torchvision")
    except (ImportError, RuntimeError, OSError) as problem:
        raise UsageError(
            f"The installed torchvision does not work with the installed torch {torch().__version__} "
            f"({reason(problem)}). Install both together: pip install --upgrade torch torchvision"
        ) from problem


@dataclass(slots=True)
class _Held:
    """Created on first use; `lock` admits one thread at a time."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    network: Any = None
    names: Sequence[str] = ()
