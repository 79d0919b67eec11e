"""MI-GAN, a small neural inpainter (MIT licence), as its authors' ONNX pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anamorph.errors import UsageError
from anamorph.model import Hole, Pixels, setting
from anamorph.pixels.holes import filled
from anamorph.weights.files import sha256_of, weights_file
from anamorph.weights.graphs import with_fewer_passes
from anamorph.weights.sessions import DEVICE_HELP, Device, on_device, session

_KEEP, _FILL = 255, 0


@dataclass(frozen=True, slots=True)
class MiGan:
    """MI-GAN: a neural inpainter of 30 MB that runs on a CPU; good up to an eighth of the picture."""

    kind: ClassVar[str] = "migan"
    path: str | None = setting(None, "The weights: a path, or a name of `anamorph list models`; by default migan.")
    device: Device = setting("cpu", DEVICE_HELP)

    @property
    def cpu_heavy(self) -> bool:
        """Whether the processor does the work."""
        return self.device == "cpu"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"weights_sha256": sha256_of(self._file()), **on_device(self.device)}

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return filled(pixels, hole, self._imagine)

    def _file(self) -> Path:
        return weights_file(f"The inpainter {self.kind!r}", f"inpainters.{self.kind}.path", self.path, self.kind)

    def _imagine(self, pixels: Pixels, hole: Hole) -> Pixels:
        file = self._file()
        running = session(file, self.device, with_fewer_passes)
        image = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])
        mask = np.where(hole, _FILL, _KEEP).astype(np.uint8)[None, None]
        try:
            (made,) = running.run(None, {"image": image, "mask": mask})
        except Exception as problem:
            reason = str(problem).splitlines()[0][:200]
            raise UsageError(f"{file}: does not work as the MI-GAN pipeline ({reason}).") from problem
        return np.ascontiguousarray(np.asarray(made, np.uint8)[0].transpose(1, 2, 0))
