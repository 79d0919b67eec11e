"""What tests see of the machine: programs and places for temporary files, and nothing that belongs to the user."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# By which the makers of this project ask for more.
CONTROLS = (
    "ANAMORPH_AXE",
    "ANAMORPH_FIFTYONE",
    "ANAMORPH_GOLDEN",
    "ANAMORPH_POWER_CUTS_EVERY",
    "ANAMORPH_REGISTRY_TESTS",
    "ANAMORPH_TORCHVISION",
)
_KEPT = (
    *("PATH", "PATHEXT", "SYSTEMROOT", "WINDIR", "COMSPEC", "TMPDIR", "TEMP", "TMP", "USER", "LOGNAME"),
    *("LD_LIBRARY_PATH", "PYENV_ROOT", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"),
    *CONTROLS,
)
# Of the test runner, and how many threads mathematics may take.
_KEPT_BEGINNINGS = ("PYTEST_", "COV_", "COVERAGE_", "OMP_", "OPENBLAS_", "MKL_", "NVPL_", "MALLOC_")
# Set in the processes that xdist starts: they have the home of the process that started them.
_HOME = "PYTEST_ANAMORPH_HOME"

# The environment of the user, for tests that are about the pip and npm of this machine.
USERS_ENVIRONMENT = dict(os.environ)


def is_kept(name: str) -> bool:
    """Whether tests see this variable of the user's environment."""
    return name in _KEPT or name.startswith(_KEPT_BEGINNINGS)


def leave_home() -> None:
    """Take away all of the environment that is the user's own, and give this process an empty home."""
    home = os.environ.get(_HOME)
    for name in list(os.environ):
        if not is_kept(name):
            del os.environ[name]
    if home is None:
        home = tempfile.mkdtemp(prefix="anamorph-home-")
        atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ.update({_HOME: home, "HOME": home, "USERPROFILE": home, "LANG": "C.UTF-8"})
