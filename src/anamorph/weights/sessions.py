"""Sessions that run ONNX weights, one for each file, with one thread each."""

from __future__ import annotations

import functools
import importlib
import threading
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError

_opening = threading.Lock()


def session(file: Path) -> Any:
    """An inference session with one thread; one for each file, which several threads may share."""
    status = file.stat()
    with _opening:
        return _session(str(file.absolute()), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _session(file: str, modified: int, size: int) -> Any:
    onnxruntime: Any = importlib.import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        reason = str(problem).splitlines()[0][:200]
        raise UsageError(f"{file}: cannot be loaded as ONNX weights ({reason}).") from problem


def input_size(running: Any, name: str) -> tuple[int | None, int | None]:
    """Height and width that an input of a session asks for; None where any will do."""
    shape = next(each.shape for each in running.get_inputs() if each.name == name)
    height, width = (side if isinstance(side, int) and side > 0 else None for side in shape[-2:])
    return height, width
