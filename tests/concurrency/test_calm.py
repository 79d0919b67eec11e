from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

THREADS = """
import json, sys, threading, time
import numpy as np
import cv2
import anamorph.api.calls
from pathlib import Path

def burnt():
    # CPU of the whole process against that of this thread, while products are made.
    one = np.random.default_rng(0).random((700, 700))
    began, own = time.process_time(), time.thread_time()
    for _ in range(10):
        one @ one
    return (time.process_time() - began) / (time.thread_time() - own)

before, turns = cv2.getNumThreads(), [sys.getswitchinterval()]
from anamorph.concurrency.calm import calm_libraries
imported = cv2.getNumThreads()
turns.append(sys.getswitchinterval())
told = calm_libraries()
after = cv2.getNumThreads()
turns.append(sys.getswitchinterval())
counts = {"before": before, "imported": imported, "told": told, "after": after}
print(json.dumps({**counts, "turns": turns, "ratio": burnt()}))
"""


def state() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_libraries_are_told_only_when_asked_to() -> None:
    found = state()
    assert found["imported"] == found["before"], "importing Anamorph changes nothing"
    assert found["turns"][0] == found["turns"][1] > found["turns"][2], "threads take turns, not only after 5 ms"
    assert found["after"] == 1
    if found["told"] == 2:
        assert found["ratio"] < 1.2, "no other thread works, or spins, beside the one that multiplies"
