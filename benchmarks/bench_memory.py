"""Peak memory of planning, storing and judging a million cases with a recorded system.

Each stage runs in a process of its own, so that its peak is its own; the plain figure is the same cases in a list.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.methods.deeptest import DeepTest
from anamorph.model import Pixels, Scene, Skip, setting
from anamorph.store.run import RunStore

CASES = 1_000_000
LIMIT_MB = 400


@dataclass(frozen=True)
class ManyScenes:
    """Scenes that are only numbers; nobody looks at them."""

    kind: ClassVar[str] = "many"
    count: int = setting(1, "How many.")

    def scan(self) -> Iterator[Scene | Skip]:
        for index in range(self.count):
            yield Scene(f"photo-{index:07}.jpg", f"photo-{index:07}.jpg", 640, 480)

    def pixels(self, scene: Scene) -> Pixels:
        raise NotImplementedError("a recorded system does not look")


def config_for(answers: Path | None, cases: int) -> Config:
    catalog._loaded.setdefault("scenes", {})["many"] = ManyScenes
    scenes = {"kind": "many", "count": cases // 4}
    system = {"system": f"recorded:{answers}"} if answers else {}
    return resolve({"methods": ["deeptest"], "scenes": scenes, **system})


def plan(folder: Path, cases: int) -> None:
    """Plan, store, and write the answers that the recorded system will give."""
    config = config_for(None, cases)
    with start(config, folder / "run") as store:
        for _ in plan_stage(store, config):
            pass
        with (folder / "answers.jsonl").open("w") as lines:
            for number, (digest,) in enumerate(store.connection.execute("SELECT lower(hex(digest)) FROM probes")):
                lines.write(json.dumps({"id": digest, "text": f"a photo of thing {number % 50 == 0}"}) + "\n")


def judge(folder: Path, cases: int) -> None:
    """Ask the recorded system everything, and judge."""
    config = config_for(folder / "answers.jsonl", cases)
    with RunStore.open(folder / "run") as store:
        for _ in carry_out(store, config):
            pass
        print(f"  {store.count('verdicts'):,} verdicts, {store.count('answers'):,} answers")


def plainly(folder: Path, cases: int) -> None:
    """The same cases in a list."""
    scenes = (scene for scene in ManyScenes(cases // 4).scan() if isinstance(scene, Scene))
    print(f"  {len(list(DeepTest().plan(scenes, Random(0)))):,} cases in a list")


STAGES = {"plan": plan, "judge": judge, "plainly": plainly}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="anamorph-bench-") as folder:
        for stage in STAGES:
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.bench_memory", stage, folder, str(CASES)],
                capture_output=True,
                text=True,
                check=True,
            )
            *lines, peak = done.stdout.splitlines()
            print("\n".join([f"{stage}: peak {peak} MB in {time.perf_counter() - began:.0f} s", *lines]), flush=True)
        size = sum(path.stat().st_size for path in Path(folder, "run").rglob("*") if path.is_file())
        print(f"the run on disk: {size / 1e6:.0f} MB; the limit for plan and judge is {LIMIT_MB} MB")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        STAGES[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    else:
        main()
