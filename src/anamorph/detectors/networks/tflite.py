"""TFLite networks, run by LiteRT (the extra `tflite`)."""

from __future__ import annotations

import functools
import importlib
import threading
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anamorph.detectors.networks.network import Array, Port
from anamorph.errors import MissingExtra, UsageError

LABEL_FILE = "label_file"
_opening = threading.Lock()


def open_tflite(file: Path) -> TfliteNetwork:
    """The network in a file; one for each file, which several threads may share."""
    status = file.stat()
    with _opening:
        return _opened(file.absolute(), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _opened(file: Path, modified: int, size: int) -> TfliteNetwork:
    return TfliteNetwork(file)


class TfliteNetwork:
    """A network in a TFLite file; an interpreter is not thread-safe, so each thread has its own."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._own = threading.local()
        interpreter = self._interpreter()
        self.inputs = tuple(_port(each) for each in interpreter.get_input_details())
        self.outputs = tuple(_port(each) for each in interpreter.get_output_details())

    def metadata(self) -> Mapping[str, str]:
        """The label file that TFLite's metadata packs behind the network as a ZIP archive, if there is one."""
        try:
            with zipfile.ZipFile(self.file) as archive:
                names = [name for name in archive.namelist() if name.lower().endswith(".txt")]
                if len(names) == 1:
                    return {LABEL_FILE: archive.read(names[0]).decode("utf-8")}
        except (zipfile.BadZipFile, OSError, UnicodeDecodeError):
            pass
        return {}

    def run(self, feeds: Mapping[str, Array]) -> Sequence[Array]:
        interpreter = self._interpreter()
        try:
            for each in interpreter.get_input_details():
                content = feeds[each["name"]]
                if tuple(each["shape"]) != content.shape:
                    interpreter.resize_tensor_input(each["index"], content.shape)
                    interpreter.allocate_tensors()
                interpreter.set_tensor(each["index"], content)
            interpreter.invoke()
            return [_read(interpreter, each) for each in interpreter.get_output_details()]
        except (ValueError, RuntimeError) as problem:
            reason = str(problem).splitlines()[0][:200]
            raise UsageError(f"{self.file}: the network does not run ({reason}).") from problem

    def _interpreter(self) -> Any:
        found = getattr(self._own, "interpreter", None)
        if found is None:
            found = self._own.interpreter = _interpreter_of(self.file)
        return found


def _interpreter_of(file: Path) -> Any:
    try:
        library: Any = importlib.import_module("ai_edge_litert.interpreter")
    except ImportError as problem:
        raise MissingExtra(f"The TFLite network {file}", "tflite") from problem
    try:
        interpreter = library.Interpreter(str(file), num_threads=1)
        interpreter.allocate_tensors()
    except (ValueError, RuntimeError) as problem:
        reason = (str(problem).splitlines() or ["no reason given"])[0][:200]
        raise UsageError(f"{file}: cannot be loaded as TFLite weights ({reason}).") from problem
    return interpreter


def _port(each: Any) -> Port:
    sides = tuple(int(side) if side > 0 else None for side in each["shape_signature"])
    return Port(each["name"], sides, np.dtype(each["dtype"]).name)


def _read(interpreter: Any, each: Any) -> Array:
    content: Array = interpreter.get_tensor(each["index"])
    scale, zero = each["quantization"]
    if scale and np.issubdtype(content.dtype, np.integer):
        return np.asarray((content.astype(np.float32) - zero) * scale, np.float32)
    return content
