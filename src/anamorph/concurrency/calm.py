"""Threads that libraries start for themselves: they wait for work by spinning, and ours have the cores already."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

# By the names that builds of OpenBLAS give it.
_SETTERS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")


def calm_libraries() -> int:
    """Have numpy's BLAS and OpenCV use one thread each; gives how many of them could be told.

    Only for processes that are Anamorph's own, such as a command or a worker: a program that imports Anamorph has its
    own settings, and so have the processes that are started from here, since no environment is changed.
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
    """The functions that set the threads of each OpenBLAS that numpy's wheels bring; other libraries have their own."""
    import numpy

    package = Path(numpy.__file__).parent
    for folder in (package.with_name("numpy.libs"), package / ".dylibs"):
        for file in sorted(folder.glob("*openblas*")) if folder.is_dir() else ():
            with contextlib.suppress(OSError):
                # It is loaded already: this is a second handle of the same library.
                library = ctypes.CDLL(str(file))
                for name in _SETTERS:
                    setter = getattr(library, name, None)
                    if setter is not None:
                        yield setter
                        break
