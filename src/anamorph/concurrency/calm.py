"""Settings of our own processes: threads of libraries do not spin, and our own take short turns."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

# Its names in builds of OpenBLAS.
_SETTERS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")
# How long a thread keeps the interpreter while others want it. With Python's 5 ms, calls that are answered wait for the
# threads that make images: 2,000 calls in 32 connections took 1.16 times as long (means of three each, in turn).
_SWITCH_SECONDS = 0.0005
# How many new objects Python looks for cycles among. With its 700, and all modules among what is looked at again and
# again, planning 50,000 cases took 1.17 times as long.
_NEW_OBJECTS = 20_000


def calm_libraries() -> int:
    """Make numpy's BLAS and OpenCV use one thread each; returns how many could be set.

    Our own threads take shorter turns, and garbage is looked for less often.

    Only for Anamorph's own processes, such as a command or a worker: programs that import Anamorph, and child
    processes, keep their settings, since no environment is changed.
    """
    told = 0
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
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
