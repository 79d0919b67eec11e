"""Weights in files: where they are, what they are, and a session that runs them."""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import threading
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError

FOLDER_VARIABLE = "ANAMORPH_MODELS"

_opening = threading.Lock()


def weights_file(inpainter: str, path: str | None, name: str) -> Path:
    """The file to use: `path` if it is given, else `name` in the folder of models; UsageError where it is missing."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if path is not None:
        file = Path(path)
        how = f"Correct inpainters.{inpainter}.path."
    elif folder:
        file = Path(folder) / name
        how = f"Put it there ({FOLDER_VARIABLE} names this folder), or set inpainters.{inpainter}.path."
    else:
        raise UsageError(
            f"The inpainter {inpainter!r} needs the weights {name}: set inpainters.{inpainter}.path to the file, "
            f"or {FOLDER_VARIABLE} in the environment to the folder that it is in."
        )
    if not file.is_file():
        raise UsageError(f"The inpainter {inpainter!r} needs weights, but there is no file {file}. {how}")
    return file


def sha256_of(file: Path) -> str:
    """The digest of a file's content."""
    status = file.stat()
    return _sha256(str(file.absolute()), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=64)
def _sha256(file: str, modified: int, size: int) -> str:
    with Path(file).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


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
