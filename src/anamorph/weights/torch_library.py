"""Shared code of adapters to PyTorch: the libraries or the line that installs them, a device, a number format."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Literal, TypeAlias

from anamorph.errors import MissingExtra, UsageError
from anamorph.model import setting

Device: TypeAlias = Literal["auto", "cpu", "cuda", "mps"]
Dtype: TypeAlias = Literal["auto", "float32", "float16", "bfloat16"]


def device_setting() -> Any:
    """The setting for a network's device."""
    return setting("auto", "Where the network runs; auto takes CUDA, then Apple's MPS, then the CPU.")


def dtype_setting() -> Any:
    """The setting for a network's number format."""
    return setting(
        "auto",
        "The number format; auto is float32 on the CPU, and that of the weights elsewhere.",
    )


def require(what: str, extra: str, *libraries: str) -> None:
    """MissingExtra, with the command, if one of the libraries is not installed."""
    if any(importlib.util.find_spec(library) is None for library in libraries):
        raise MissingExtra(what, extra)


def torch() -> Any:
    """PyTorch, imported lazily."""
    return importlib.import_module("torch")


def device_of(name: Device) -> str:
    """The device of a setting on this machine; UsageError if it is not available."""
    there = {"cuda": torch().cuda.is_available(), "mps": torch().backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return next(device for device, usable in there.items() if usable)
    if not there[name]:
        usable = ", ".join(device for device, usable in there.items() if usable)
        raise UsageError(f"The device {name!r} cannot be used on this machine. Usable: auto, {usable}.")
    return name


def dtype_of(name: Dtype, device: str) -> Any:
    """The number format of a setting on a device, as `from_pretrained` takes it."""
    if name == "auto":
        return torch().float32 if device == "cpu" else "auto"
    return getattr(torch(), name)


def reason(problem: BaseException) -> str:
    """The type of a foreign error and the first line of its message, shortened for a sentence."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    said = lines[0][:240].rstrip(".") if lines else ""
    return f"{type(problem).__name__}: {said}" if said else type(problem).__name__


def out_of_memory(problem: BaseException) -> bool:
    """Whether PyTorch ran out of memory, on any device; on MPS and the CPU only the message says so."""
    if isinstance(problem, torch().OutOfMemoryError | MemoryError):
        return True
    return isinstance(problem, RuntimeError) and (
        "out of memory" in str(problem) or "can't allocate memory" in str(problem)
    )


def free_memory(device: str) -> None:
    """Free the memory that PyTorch caches on a device."""
    if device in ("cuda", "mps"):
        getattr(torch(), device).empty_cache()
