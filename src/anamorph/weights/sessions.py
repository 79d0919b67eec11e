"""Inference sessions for ONNX weights, one per file, with one thread each."""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from anamorph.errors import UsageError

Device: TypeAlias = Literal["cpu", "cuda", "coreml", "openvino"]
DEVICES: tuple[Device, ...] = get_args(Device)
DEVICE_HELP = "Where the network runs: cpu, cuda, coreml or openvino, if the installed onnxruntime has it."
_PROVIDERS: Mapping[Device, str] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
_opening = threading.Lock()


def session(file: Path, device: Device = "cpu", rewritten: Callable[[bytes], bytes] | None = None) -> Any:
    """A single-threaded inference session, one per file and device, which threads may share.

    On a CPU, the model may be `rewritten` to one that computes the same numbers faster.
    """
    status = file.stat()
    with _opening:
        how = rewritten if device == "cpu" else None
        return _session(str(file.absolute()), status.st_mtime_ns, status.st_size, device, how)


def on_device(device: Device) -> dict[str, str]:
    """The device's part of a fingerprint: nothing for the processor, since other devices round differently."""
    return {} if device == "cpu" else {"device": device}


@functools.lru_cache(maxsize=8)
def _session(file: str, modified: int, size: int, device: Device, rewritten: Callable[[bytes], bytes] | None) -> Any:
    onnxruntime: Any = importlib.import_module("onnxruntime")
    there = [each for each in DEVICES if _PROVIDERS[each] in onnxruntime.get_available_providers()]
    if device not in there:
        raise UsageError(
            f"device = {device!r}: the installed onnxruntime cannot use it. It has {', '.join(there)}. Install the "
            "build of onnxruntime for your device in its place."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            file if rewritten is None else rewritten(Path(file).read_bytes()),
            options,
            providers=list(dict.fromkeys((_PROVIDERS[device], _PROVIDERS["cpu"]))),
        )
    except Exception as problem:
        reason = str(problem).splitlines()[0][:200]
        raise UsageError(f"{file}: cannot be loaded as ONNX weights ({reason}).") from problem


def input_size(running: Any, name: str) -> tuple[int | None, int | None]:
    """Height and width that an input of a session asks for; None if any will do."""
    shape = next(each.shape for each in running.get_inputs() if each.name == name)
    height, width = (side if isinstance(side, int) and side > 0 else None for side in shape[-2:])
    return height, width
