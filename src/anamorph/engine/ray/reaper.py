"""Ends what a Ray of our own leaves behind when this process is killed: its agents would go on for ever.

Run as a program, it waits until its standard input ends, which is when its parent does, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_PROCESSES = Path("/proc")


def descendants(parent: int) -> dict[int, int]:
    """The processes below a process, each with the moment it began; none where the system does not say."""
    below: dict[int, list[tuple[int, int]]] = {}
    for entry in _PROCESSES.glob("[0-9]*"):
        about = _about(int(entry.name))
        if about is not None:
            below.setdefault(about[0], []).append((int(entry.name), about[1]))
    found: dict[int, int] = {}
    waiting = [parent]
    while waiting:
        for process, began in below.get(waiting.pop(), ()):
            found[process] = began
            waiting.append(process)
    return found


def _about(process: int) -> tuple[int, int] | None:
    """The parent of a process, and the moment it began, in ticks since the machine did."""
    try:
        fields = (_PROCESSES / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[19])


def reap_with(processes: Mapping[int, int]) -> subprocess.Popen[bytes] | None:
    """Have these processes killed as soon as this one is gone; closing the input of what is given does it at once."""
    if not processes:
        return None
    orders = [f"{process}:{began}" for process, began in processes.items()]
    # In a session of its own: Ctrl-C is for the run, which may go on with it.
    return subprocess.Popen([sys.executable, "-I", __file__, *orders], stdin=subprocess.PIPE, start_new_session=True)


def _main() -> None:
    sys.stdin.buffer.read()
    for order in sys.argv[1:]:
        process, began = map(int, order.split(":"))
        about = _about(process)
        # Another process may have this number by now.
        if about is not None and about[1] == began:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    _main()
