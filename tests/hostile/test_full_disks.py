"""A disk that is full, and a machine without memory: said of the machine, with 3, and what is missing is made later."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

RUN = [sys.executable, "-m", "anamorph.cli.main"]


def in_a_world_of_its_own(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script that may mount, in the folder."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200"}
    words = ["unshare", *user, "--mount", "sh", "-c", script]
    return subprocess.run(words, env=env, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def place(tmp_path: Path, photos: Callable[..., Path]) -> Path:
    (tmp_path / "disc").mkdir()
    if not shutil.which("unshare") or in_a_world_of_its_own("mount -t tmpfs none disc", tmp_path).returncode:
        pytest.skip("needs unshare and the right to mount")
    photos(6)
    (tmp_path / "system.py").write_text("def caption(image): return f'{int(image.mean()) % 3 + 2} dogs'\n")
    return tmp_path


@pytest.mark.parametrize("full", ["disc", "disc/run/images"], ids=["all", "images alone"])
def test_a_run_on_a_full_disk_says_so_and_goes_on_once_there_is_room(place: Path, full: str) -> None:
    run = [*RUN, "run", "-m", "deeptest", "-s", "folder:photos", "-y", "system.py:caption", "-o", "disc/run"]
    script = f"""
        mkdir -p {full} && mount -t tmpfs -o size={"400k" if full == "disc" else "24k"} none {full}
        {shlex.join(run)} --no-report; echo "code $?"
        mount -o remount,size=30m {full}
        {shlex.join([*RUN, "resume", "disc/run"])} --no-report; echo "code $?"
    """
    done = in_a_world_of_its_own(script, place)
    codes = [line for line in done.stdout.splitlines() if line.startswith("code ")]
    assert codes[0] == "code 3" and codes[1] in ("code 0", "code 1"), (done.stdout, done.stderr)
    if full != "disc":
        assert "no image can be written in disc/run/images ([Errno 28] No space left on device)" in done.stderr
        assert "continue with `anamorph resume disc/run`" in done.stderr
    assert "does not work" not in done.stderr and "no image:" not in done.stderr


# OpenCV has an error of its own for this.
NO_MEMORY = """
import resource, cv2, numpy, psutil
from anamorph.errors import machine_fault
resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + 100_000_000,) * 2)
for hungry in (lambda: cv2.resize(small, (30_000, 30_000)), lambda: numpy.ones(10**9)):
    small = numpy.zeros((8, 8, 3), numpy.uint8)
    try:
        hungry()
    except Exception as problem:
        print(machine_fault(problem))
"""


def test_the_lack_of_memory_is_known_by_the_errors_of_those_who_meet_it() -> None:
    done = subprocess.run([sys.executable, "-c", NO_MEMORY], capture_output=True, text=True)
    said = "MachineFault(message='The machine failed, and not the system: it has no memory left', lasts=False)"
    assert done.stdout.splitlines() == [said] * 2, done.stderr
