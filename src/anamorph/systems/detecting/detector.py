"""A system on top of a detector: its settings, its fingerprint, and how it is asked."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from anamorph.detectors import Detection, Detector, open_detector
from anamorph.detectors.fitting import Values
from anamorph.errors import AnamorphError, UnknownName
from anamorph.model import Answer, Ask, Failure, Manner, Pixels, Thing, digest_of_bytes, setting
from anamorph.weights.files import weights_file
from anamorph.weights.sessions import DEVICE_HELP, Device, on_device

ADAPTER_VERSION = 1
# The path of the weights and the number of threads do not change answers.
_APART = ("path", "parallel", "device")
_REMEMBERED = 64


class _Memory:
    """Detections on the last pictures: metavqa asks eight questions about each, and detection takes the time."""

    def __init__(self) -> None:
        self._found: OrderedDict[str, Sequence[Detection]] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, pixels: Pixels, look: Callable[[Pixels], Sequence[Detection]]) -> Sequence[Detection]:
        key = f"{pixels.shape} {digest_of_bytes(pixels.tobytes())}"
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = look(pixels)
        with self._lock:
            self._found[key] = found
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return found


@dataclass(frozen=True, slots=True)
class DetectorSystem:
    """A detector as a system; `_answer` turns detections into an answer."""

    kind: ClassVar[str]
    needs_places: ClassVar[bool] = True
    path: str = setting(help="The weights, an .onnx, .tflite or .pb file, or a known name, such as yolox-nano.")
    threshold: float = setting(0.3, "The lowest score of detections.", least=0, most=1)
    thresholds: Mapping[str, float] = setting({}, "Thresholds for single labels, such as {dog = 0.6, person = 0.3}.")
    layout: str | None = setting(
        None,
        "The layout of the network's outputs: yolo, yolov5, yolo-rows, yolox, yolox-decoded, detr, deformable-detr, "
        "rt-detr, ssd, ssd-rows, classifier or classifier-softmax; by default inferred from its shapes.",
    )
    labels: str | None = setting(
        None,
        "The names of its classes: coco-80, coco-90, coco-91, voc, or the path of a .txt (one per line) or .json "
        "file; by default those in the weights, or COCO's if their number fits.",
    )
    values: Values | None = setting(
        None,
        "The input range: bytes (0 to 255), unit (0 to 1), signed (-1 to 1), imagenet; by default the layout's.",
    )
    nms_iou: float = setting(
        0.5, "Of two boxes of a class that overlap by more than this share, the surer stays.", least=0, most=1
    )
    most: int = setting(300, "At most this many detections per image.", least=1)
    parallel: int | None = setting(
        None, "Images processed at once, each in one thread; by default one per core.", least=1
    )
    device: Device = setting("cpu", DEVICE_HELP)
    _detector: Detector = field(init=False, repr=False, compare=False)
    _memory: _Memory = field(init=False, repr=False, compare=False, default_factory=_Memory)

    def __post_init__(self) -> None:
        file = weights_file(f"The system {self.kind!r}", "system.path", self.path, self.path)
        detector = open_detector(file, self.layout, self.labels, self.values, self.nms_iou, self.most, self.device)
        for label, threshold in self.thresholds.items():
            if label not in detector.labels:
                raise UnknownName(f"label in thresholds of {file}", label, {*filter(None, detector.labels)})
            if not 0 <= threshold <= 1:
                raise ValueError(f"thresholds.{label} must be from 0 to 1, got {threshold!r}")
        if self.needs_places and not detector.locates:
            raise ValueError(f"{file} is a classifier, which cannot count; {self.kind} needs a detector")
        object.__setattr__(self, "_detector", detector)

    @property
    def manner(self) -> Manner:
        # A session runs in one thread, and batches gain nothing on a CPU; other devices batch the threads' requests.
        return Manner(batch=1, parallel=self.parallel or _cores())

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        # Every setting, including a kind's own; the detector's resolved values replace its settings.
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.init and each.name not in _APART}
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **own,
            **on_device(self.device),
            **self._detector.fingerprint,
        }

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """One answer per item; a network in this process cannot be stopped, so the time limit is ignored."""
        return [self._asked(item) for item in batch]

    def boxes(self, pixels: Pixels) -> tuple[Thing, ...]:
        """Detections on a picture, the surest first; none if the network gives no places."""
        if not self._detector.locates:
            return ()
        found = sorted(self._memory.recall(pixels, self._look), key=lambda each: -each.score)
        return tuple(
            Thing(str(place), each.label, each.box, score=round(each.score, 6)) for place, each in enumerate(found)
        )

    def close(self) -> None:
        """Nothing to close: sessions are shared by all users of a file."""

    def _asked(self, item: Ask) -> Answer | Failure:
        try:
            found = self._memory.recall(item.load(), self._look)
        except AnamorphError as problem:
            return Failure(str(problem))
        return self._answer(found, item.question)

    def _look(self, pixels: Pixels) -> Sequence[Detection]:
        return self._detector.find(pixels, self.threshold, self.thresholds, masks=False)

    def _answer(self, found: Sequence[Detection], question: str | None) -> Answer | Failure:
        raise NotImplementedError


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
