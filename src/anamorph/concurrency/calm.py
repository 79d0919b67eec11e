"""Limits the threads of libraries, which spin while our own threads use the cores."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

# Its names in builds of OpenBLAS.
_SETTERS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")


def calm_libraries() -> int:
    """Make numpy's BLAS and OpenCV use one thread each; returns how many could be set.

    Only for Anamorph's own processes, such as a command or a worker: programs that import Anamorph, and child
    processes, keep their settings, since no environment is changed.
    """
    told = 0
    if "numpy" in sys.modules:
        for setter in _blas_setters():
            setter(1)
            told += 1
    cv2 = sys.modules.get("cv2")
    if cv2 is not None:
        cv2.setNumThreads(1)
        told += 1
    return told


def _blas_setters() -> Iterator[ctypes._NamedFuncPointer]:
    """The thread setter of each OpenBLAS in a numpy wheel; other BLAS builds are left alone."""
    import numpy

    package = Path(numpy.__file__).parent
    for folder in (package.with_name("numpy.libs"), package / ".dylibs"):
        for file in sorted(folder.glob("*openblas*")) if folder.is_dir() else ():
            with contextlib.suppress(OSError):
                # Already loaded: this is a second handle of the same library.
                library = ctypes.CDLL(str(file))
                for name in _SETTERS:
                    setter = getattr(library, name, None)
                    if setter is not None:
                        yield setter
                        break
