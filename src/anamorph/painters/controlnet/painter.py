"""Stable Diffusion with a ControlNet for class maps, through the diffusers library."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import cv2
import numpy as np
from PIL import Image

from anamorph.errors import BadPicture
from anamorph.model import Pixels, Region, digest_of, setting
from anamorph.painters.controlnet.palettes import coloured, palette
from anamorph.weights.checkpoints import Checkpoint, local_files_setting, major_version, transformers
from anamorph.weights.torch_library import (
    Device,
    Dtype,
    device_of,
    device_setting,
    dtype_of,
    dtype_setting,
    free_memory,
    out_of_memory,
    reason,
    require,
    torch,
)

# Incremented when the same map and seed would yield another image.
VERSION = 1

# Stable Diffusion works on blocks of 8 pixels, which its published checkpoints halve three more times.
_GRAIN = 64


@dataclass(frozen=True, slots=True)
class ControlNet:
    """Stable Diffusion with a ControlNet for class maps, in the role of PITI in SPOLRE."""

    kind: ClassVar[str] = "controlnet"
    model: str = setting(
        "stable-diffusion-v1-5/stable-diffusion-v1-5", "Stable Diffusion: a name on the hub, or a folder."
    )
    controlnet: str = setting(
        "lllyasviel/control_v11p_sd15_seg", "The ControlNet for class maps: a name on the hub, or a folder."
    )
    revision: str | None = setting(None, "A branch, tag or commit of the model on the hub.")
    controlnet_revision: str | None = setting(None, "A branch, tag or commit of the ControlNet on the hub.")
    palette: str = setting("ade20k", "The colors of the classes in the map: ade20k, or your own .toml file.")
    steps: int = setting(20, "Diffusion steps; more take longer and look better.", least=1, most=1000)
    guidance: float = setting(7.5, "Guidance scale: how closely the prompt is followed.", least=1, most=50)
    strength: float = setting(1.0, "How closely the map is followed.", least=0, most=2)
    negative_prompt: str = setting("drawing, blurry, deformed", "The negative prompt.")
    side: int = setting(512, "The shorter side of generated images, before scaling to the photo's size.", least=64)
    device: Device = device_setting()
    dtype: Dtype = dtype_setting()
    local_files_only: bool = local_files_setting()
    _held: _Held = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require(f"The painter {self.kind!r}", "diffusion", "torch", "transformers", "diffusers")
        for checkpoint in self._checkpoints:
            checkpoint.check()
        object.__setattr__(self, "_held", _Held())

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        model, controlnet = self._checkpoints
        return {
            "painter": VERSION,
            "diffusers": importlib.metadata.version("diffusers"),
            "transformers": major_version("transformers"),
            "model": model.identity(),
            "controlnet": controlnet.identity(),
            "palette": digest_of({label: list(colour) for label, colour in palette(self.palette).items()}),
            "dtype": str(dtype_of(self.dtype, device_of(self.device))),
            "steps": self.steps,
            "guidance": self.guidance,
            "strength": self.strength,
            "negative_prompt": self.negative_prompt,
            "side": self.side,
        }

    def paint(self, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        colours = coloured(regions, height, width, palette(self.palette))
        scale = self.side / min(height, width)
        across, along = (max(_GRAIN, round(each * scale / _GRAIN) * _GRAIN) for each in (width, height))
        # The map must not gain interpolated colors.
        map = cv2.resize(colours, (across, along), interpolation=cv2.INTER_NEAREST)
        with self._held.lock:
            if self._held.pipeline is None:
                self._held.pipeline = self._loaded()
            try:
                made = self._held.pipeline(
                    prompt,
                    image=Image.fromarray(np.asarray(map, np.uint8)),
                    height=along,
                    width=across,
                    num_inference_steps=self.steps,
                    guidance_scale=self.guidance,
                    negative_prompt=self.negative_prompt or None,
                    controlnet_conditioning_scale=self.strength,
                    # On the CPU, so that a seed means the same on every device.
                    generator=torch().Generator("cpu").manual_seed(seed),
                    output_type="np",
                ).images[0]
            except Exception as problem:
                if out_of_memory(problem):
                    free_memory(device_of(self.device))
                raise BadPicture(f"{self.model} failed with {reason(problem)}.") from problem
        if not np.isfinite(made).all():
            raise BadPicture(f"{self.model} returned values that are not finite; float32 may help.")
        levels = np.clip(np.rint(made * 255), 0, 255).astype(np.uint8)
        how = cv2.INTER_AREA if across > width else cv2.INTER_CUBIC
        return np.asarray(cv2.resize(levels, (width, height), interpolation=how), np.uint8)

    @property
    def _checkpoints(self) -> tuple[Checkpoint, Checkpoint]:
        what, local = f"The painter {self.kind!r}", self.local_files_only
        return (
            Checkpoint(what, self.model, self.revision, local, "model_index.json"),
            Checkpoint(what, self.controlnet, self.controlnet_revision, local),
        )

    def _loaded(self) -> Any:
        transformers()
        diffusers: Any = importlib.import_module("diffusers")
        # It logs missing safetensors as an error, then reads the .bin files; real errors are raised.
        diffusers.utils.logging.set_verbosity(diffusers.utils.logging.CRITICAL)
        diffusers.utils.logging.disable_progress_bar()
        device = device_of(self.device)
        dtype = dtype_of(self.dtype, device)
        kind = {} if dtype == "auto" else {"dtype": dtype}
        model, controlnet = self._checkpoints
        pipeline = model.load(
            diffusers.StableDiffusionControlNetPipeline.from_pretrained,
            controlnet=controlnet.load(diffusers.ControlNetModel.from_pretrained, **kind),
            # The safety checker blacks out images, which are then useless as follow-ups.
            safety_checker=None,
            requires_safety_checker=False,
            **kind,
        )
        pipeline.set_progress_bar_config(disable=True)
        return pipeline.to(device)


@dataclass(slots=True)
class _Held:
    """Created on first use; `lock` admits one thread at a time."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    pipeline: Any = None
