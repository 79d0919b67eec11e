"""Programs under test that are written within a test, and what is left of their processes."""

from __future__ import annotations

import gc
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from anamorph.model import Ask, Failure
from anamorph.systems.command.system import CommandSystem

Asks = Callable[..., list[Ask]]
Programs = Callable[..., CommandSystem]

# Long enough for a loaded machine; nothing waits for it unless something is broken.
PATIENT = 60.0
HASTY = 1.0

PRELUDE = """
import json, os, sys, time

def items():
    for line in sys.stdin:
        yield json.loads(line)

def say(item, **reply):
    print(json.dumps({"id": item["id"], **reply}), flush=True)

"""


@contextmanager
def running_programs(folder: Path) -> Iterator[Programs]:
    """Makes systems that run the text of a Python program; nothing of them may be left afterwards."""
    gc.collect()
    files, processes = psutil.Process().num_fds(), descendants()
    made: list[CommandSystem] = []

    def make(source: str, **settings: Any) -> CommandSystem:
        path = folder / f"program{len(made)}.py"
        path.write_text(PRELUDE + textwrap.dedent(source))
        made.append(CommandSystem(f"'{sys.executable}' -S '{path}' '{folder}'", **settings))
        return made[-1]

    yield make
    for system in made:
        system.close()
    # What other tests left behind may go meanwhile; nothing may come.
    assert psutil.Process().num_fds() <= files
    assert descendants() <= processes


def descendants() -> set[int]:
    """Every process below this one, except the browser of other tests, whose processes come and go."""
    below = psutil.Process().children(recursive=True)
    browsers = {each.pid for child in below if "chrom" in child.name() for each in (child, *child.children(True))}
    return {child.pid for child in below} - browsers


def gone(pid: int) -> bool:
    """Wait until a process is no more, or only a zombie of somebody else's."""
    for _ in range(2000):
        if not psutil.pid_exists(pid):
            return True
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def pid_in(path: Path) -> int:
    """The number that a program writes into a file, once it is there."""
    for _ in range(2000):
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


def failures(replies: Any) -> list[Failure]:
    return [reply for reply in replies if isinstance(reply, Failure)]
