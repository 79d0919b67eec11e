"""The user's Python files, loaded as modules."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType

from anamorph.errors import UsageError
from anamorph.model import digest_of_text


def load_module(path: Path) -> ModuleType:
    """The module of a file, loaded once for the same content."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: cannot be read (it is not a regular file).")
        content = path.read_bytes()
    except FileNotFoundError as problem:
        raise UsageError(f"{path}: no such file to load (looked in {Path.cwd()}).") from problem
    except OSError as problem:
        raise UsageError(f"{path}: cannot be read ({problem.strerror or problem}).") from problem
    digest = digest_of_text(f"{path.resolve()} {hashlib.sha256(content).hexdigest()}")
    name = f"anamorph_file_{path.stem}_{digest[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: not a Python file (its name must end in .py).")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as problem:
        sys.modules.pop(name, None)
        if is_ctrl_c(problem):
            raise
        raise UsageError(f"{path}: cannot be loaded: {named(problem)}{_line_in(path, problem)}.") from problem
    return module


def named(problem: BaseException) -> str:
    """The type and message of an error."""
    return f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__


def is_ctrl_c(problem: BaseException) -> bool:
    """Whether it is Ctrl-C, which only the main thread gets; anything else came from the code."""
    return isinstance(problem, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


def _line_in(path: Path, problem: BaseException) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).name == path.name]
    return f" (line {lines[-1]})" if lines else ""
