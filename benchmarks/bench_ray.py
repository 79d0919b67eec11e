"""What running on Ray costs the driver, and what it gains where making images keeps processors busy.

A Ray of this machine's own, on all of its processors. CPU is that of the driver's process alone, with Ray's threads in
it, while it asks: 200 photos of 640 x 480 through `deeptest` (1,000 probes), kept in memory where there is room, and a
system that answers at once. Throughput is that of ROME on the toybox with an inpainter that computes for a while in
Python, which threads cannot do at once; processes and workers are started within that time.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamorph.config import resolve
from anamorph.engine.events import StageBegan
from anamorph.engine.ray.cluster import connect
from anamorph.engine.run import carry_out, start
from anamorph.model import Pixels
from benchmarks.bench_engine import roomy_folder
from benchmarks.photographs import make_photos

PHOTOS, REPEATS = 200, 2
BUSY_SECONDS = 0.05
GOAL_MS = 1.0

EXTENSION = f'''
"""An inpainter that keeps a processor busy."""
import time
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Busy:
    """Computes for a while, and fills with grey."""

    kind: ClassVar[str] = "busy"
    cpu_heavy: ClassVar[bool] = True

    def fill(self, pixels, hole):
        until, total = time.thread_time() + {BUSY_SECONDS}, 0
        while time.thread_time() < until:
            total += sum(range(1000))
        pixels = pixels.copy()
        pixels[hole] = 128
        return pixels
'''


def at_once(images: Sequence[Pixels], questions: Sequence[str | None]) -> list[str]:
    """A system that answers at once."""
    return ["a photo"] * len(images)


def asked(folder: Path, plain: dict[str, Any]) -> tuple[float, float, int]:
    """CPU and wall seconds of asking, and how many answers came."""
    config, began = resolve(plain), (0.0, 0.0)
    cpu = wall = 0.0
    with start(config, folder) as store:
        for event in carry_out(store, config):
            if isinstance(event, StageBegan) and event.stage == "ask":
                began = time.process_time(), time.perf_counter()
            elif isinstance(event, StageBegan) and event.stage == "judge":
                cpu, wall = time.process_time() - began[0], time.perf_counter() - began[1]
        return cpu, wall, store.count("answers")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=roomy_folder()) as name, connect("ray") as cluster:
        folder = Path(name)
        print(f"Ray with {cluster.resource('CPU'):g} CPUs")
        make_photos(folder / "photos", PHOTOS)
        system = {"kind": "callable", "target": "benchmarks.bench_ray:at_once", "batch": 16}
        plain: dict[str, Any] = {"methods": ["deeptest"], "scenes": f"folder:{folder}/photos", "system": system}
        for engine in ("local", "ray"):
            found = []
            for number in range(REPEATS):
                cpu, wall, probes = asked(folder / f"{engine}-{number}", {**plain, "engine": engine})
                found.append((1000 * cpu / probes, probes / wall))
            cpu_ms, rate = min(found)[0], max(each[1] for each in found)
            print(f"{engine:6} driver's CPU {cpu_ms:5.2f} ms a probe (goal {GOAL_MS:g}), {rate:5.0f} probes a second")
        (folder / "busy.py").write_text(EXTENSION)
        plain = {"methods": ["rome"], "scenes": "toybox:80", "system": system, "load": [str(folder / "busy.py")]}
        plain |= {"rome": {"max_depth": 1, "inpainter": "busy"}}
        for label, changes in (
            ("threads", {"ask": {"render_processes": 0}}),
            ("processes", {"ask": {"render_processes": 2}}),
            ("ray", {"engine": "ray"}),
        ):
            _, wall, probes = asked(folder / label, {**plain, **changes})
            print(
                f"{label:9} {probes / wall:6.1f} probes a second with {1000 * BUSY_SECONDS:g} ms of CPU for each melt"
            )


if __name__ == "__main__":
    main()
