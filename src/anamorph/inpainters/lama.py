"""LaMa, a neural inpainter with Fourier convolutions (Apache-2.0 licence), as ONNX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.errors import UsageError
from anamorph.model import Hole, Pixels, setting
from anamorph.pixels.holes import filled, window_around
from anamorph.pixels.shapes import widened
from anamorph.weights.files import sha256_of, weights_file
from anamorph.weights.sessions import DEVICE_HELP, Device, input_size, on_device, session

_USUAL_SIDE = 512
_Floats: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LaMa:
    """LaMa: the inpainter that ROME and SPOLRE used; about 200 MB, slow without a GPU."""

    kind: ClassVar[str] = "lama"
    path: str | None = setting(None, "The weights: a path, or a name of `anamorph list models`; by default lama.")
    context: float = setting(
        1.0, "How much ground around the hole is shown, as a share of the hole's longer side.", least=0.1, most=10
    )
    device: Device = setting("cpu", DEVICE_HELP)

    @property
    def cpu_heavy(self) -> bool:
        """Whether the processor does the work."""
        return self.device == "cpu"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"weights_sha256": sha256_of(self._file()), "context": self.context, **on_device(self.device)}

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return filled(pixels, hole, self._imagine)

    def _file(self) -> Path:
        return weights_file(f"The inpainter {self.kind!r}", f"inpainters.{self.kind}.path", self.path, self.kind)

    def _imagine(self, pixels: Pixels, hole: Hole) -> Pixels:
        """Fill a window around the hole at the size that the network was made for."""
        file = self._file()
        running = session(file, self.device)
        height, width = (side or _USUAL_SIDE for side in input_size(running, _first_input(file, running)))
        rows, columns = self._window(hole, height)
        view, view_hole = pixels[rows, columns], hole[rows, columns]
        shrinks = view.shape[0] > height or view.shape[1] > width
        how = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
        image = np.asarray(cv2.resize(view, (width, height), interpolation=how), np.float32) / np.float32(255)
        mask = _shrunk(view_hole, width, height, cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        try:
            (made, *_) = running.run(None, _inputs(running, image.transpose(2, 0, 1)[None], mask[None, None]))
        except Exception as problem:
            reason = str(problem).splitlines()[0][:200]
            raise UsageError(f"{file}: does not work as LaMa ({reason}).") from problem
        levels = _levels(np.asarray(made, np.float32)[0].transpose(1, 2, 0), image, mask == 0)
        back = cv2.resize(levels, (view.shape[1], view.shape[0]), interpolation=cv2.INTER_CUBIC)
        result = pixels.copy()
        result[rows, columns] = np.clip(np.rint(back), 0, 255).astype(np.uint8)
        return result

    def _window(self, hole: Hole, side: int) -> tuple[slice, slice]:
        rows, columns = window_around(hole, 0)
        longer = max(rows.stop - rows.start, columns.stop - columns.start)
        margin = max(round(self.context * longer), (side - longer) // 2)
        return window_around(hole, margin)


def _first_input(file: Path, running: Any) -> str:
    """The input that has the image: its own, or one of four channels that has the mask as well."""
    inputs = running.get_inputs()
    names = [each.name for each in inputs]
    if names != ["image", "mask"] and not (len(inputs) == 1 and len(inputs[0].shape) == 4 and inputs[0].shape[1] == 4):
        raise UsageError(
            f"{file}: has the inputs {', '.join(names)}; LaMa's are image, mask, or one with four channels."
        )
    return str(names[0])


def _inputs(running: Any, image: _Floats, mask: _Floats) -> dict[str, _Floats]:
    """The network's input: four channels, of which the image is empty at the hole."""
    if len(running.get_inputs()) == 2:
        return {"image": np.ascontiguousarray(image), "mask": mask}
    return {running.get_inputs()[0].name: np.concatenate([image * (1 - mask), mask], axis=1)}


def _shrunk(hole: Hole, width: int, height: int, how: int) -> _Floats:
    """The hole at the network's size: every pixel of which any part lies in it, and two more to all sides.

    Scaling the result back mixes neighbours, and what is in the hole must not be mixed with what was beside it.
    """
    parts = np.asarray(cv2.resize(hole.astype(np.float32), (width, height), interpolation=how), np.float32)
    return widened(parts > 0, 5).astype(np.float32)


def _levels(made: _Floats, image: _Floats, known: Hole) -> _Floats:
    """The output in grey levels: published exports give 0 to 1 or 0 to 255, and the known pixels show which."""
    if not known.any():
        return made * 255 if made.max() <= 1.5 else made
    expected = image[known].mean() * 255
    found = made[known].mean()
    return made * 255 if abs(found * 255 - expected) < abs(found - expected) else made
