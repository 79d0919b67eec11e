"""`make bench-report`: how cost grows with a run, written to docs/benchmarks.md; some minutes.

Every figure is beside a plain implementation of the same thing in the same run, so that the ratio says something on any
machine. Each size runs in a process of its own, whose peak memory is its own.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from anamorph import __version__, catalog
from anamorph.config import Config, resolve
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.methods.deeptest import DeepTest
from anamorph.methods.rome.method import Rome
from anamorph.model import Answer, Ask, Box, Manner, Pixels, Scene, Skip, Thing, canonical_json, encode, setting
from anamorph.report.numbers import read_numbers
from anamorph.report.writing import write_report

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
SCENES = (100, 1_000, 10_000)
OBJECTS = (5, 50, 500)
ISSUES = (1_000, 10_000, 100_000)
SECONDS = 900


@dataclass(frozen=True)
class ManyScenes:
    """Scenes with objects in rows that nobody looks at."""

    kind: ClassVar[str] = "benchmark-scenes"
    count: int = setting(1, "How many.")
    objects: int = setting(3, "Objects in each.")

    def scan(self) -> Iterator[Scene | Skip]:
        things = tuple(
            Thing(
                str(place), ("dog", "cat", "car", "bus")[place % 4], Box(20 * (place % 30), 20 * (place // 30), 15, 15)
            )
            for place in range(self.objects)
        )
        for index in range(self.count):
            yield Scene(f"scene {index}", f"{index}.jpg", 640, 480, things)

    def pixels(self, scene: Scene) -> Pixels:
        raise NotImplementedError("nothing looks at these scenes")


@dataclass(frozen=True)
class ShareWrong:
    """Answers without looking; a share of the follow-ups gets another answer."""

    kind: ClassVar[str] = "share-wrong"
    share: float = setting(0.1, "The share.")

    @property
    def manner(self) -> Manner:
        return Manner(batch=64, looks=False, remembers=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"share": self.share}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> list[Answer]:
        wrong = int(self.share * 0xFFFF)
        return [Answer("a dog" if int(item.id[:4], 16) >= wrong else "a cat") for item in batch]

    def close(self) -> None:
        pass


def timed(work: Callable[[], Any]) -> float:
    # The processor's time: that of the clock says more about what else the machine does.
    began = time.process_time()
    work()
    return time.process_time() - began


def exhaust(events: Iterator[Any]) -> None:
    for _ in events:
        pass


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def config_for(scenes: int, share: float) -> Config:
    return resolve(
        {
            "methods": ["deeptest"],
            "scenes": {"kind": "benchmark-scenes", "count": scenes},
            "system": {"kind": "share-wrong", "share": share},
        }
    )


def stages(scenes: int, share: float) -> dict[str, float]:
    """Processor seconds of each stage for a run of this size, and of the plain implementations."""
    config = config_for(scenes, share)
    found: dict[str, float] = {"scenes": scenes}
    with tempfile.TemporaryDirectory() as folder, start(config, Path(folder) / "run") as store:
        found["plan"] = timed(lambda: exhaust(plan_stage(store, config)))
        found["ask"] = timed(lambda: exhaust(ask_stage(store, config, config.system())))
        found["judge"] = timed(lambda: exhaust(judge_stage(store, config.readers(), 1)))
        found["numbers"] = timed(lambda: read_numbers(store, config))
        found["report"] = timed(lambda: write_report(store, config, Path(folder) / "report"))
        found["cases"], found["issues"] = store.count("cases"), store.count("verdicts", "outcome = 'violated'")
        found["store_mb"] = sum(file.stat().st_size for file in (Path(folder) / "run").glob("run.sqlite*")) / 1e6
    found["peak_mb"] = peak_mb()
    found["plain"] = timed(lambda: _plain_cases(scenes))
    found["plain_judge"] = timed(lambda: _plain_judge(int(found["cases"])))
    return found


def _plain_cases(scenes: int) -> list[str]:
    """The same cases as JSON lines in a list: no digests, no store."""
    from random import Random

    cases = DeepTest().plan(ManyScenes(scenes).scan(), Random(1))  # type: ignore[arg-type]
    return [canonical_json(encode(case)) for case in cases]


def _plain_judge(cases: int) -> int:
    """Compare two texts for each case, read from JSON lines."""
    line = json.dumps({"source": "a dog", "follow_up": "a cat"})
    return sum((row := json.loads(line))["source"] != row["follow_up"] for _ in range(cases))


def objects(count: int) -> dict[str, float]:
    """Milliseconds for a scene with a given number of objects: ROME's plan, beside writing the scene out as JSON."""
    from random import Random

    rounds = max(1, 200 // count)
    scenes = [scene for scene in ManyScenes(rounds, count).scan() if isinstance(scene, Scene)]
    planned = timed(lambda: list(Rome(inpainter="telea").plan(scenes, Random(1))))
    plain = timed(lambda: [canonical_json(encode(scene)) for scene in scenes])
    return {"objects": count, "rome": 1000 * planned / rounds, "plain": 1000 * plain / rounds}


def apart(*words: object) -> dict[str, float]:
    """A measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.growth", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def growth(rows: Sequence[Mapping[str, float]], name: str, per: str) -> str:
    """How much a unit costs at the largest size, compared with the smallest."""
    first, last = (row[name] / row[per] for row in (rows[0], rows[-1]))
    return f"{last / first:.2f}" if first else "-"


def table(columns: str, rows: Sequence[str]) -> list[str]:
    names = [name.strip() for name in columns.split("|")]
    return [f"| {' | '.join(names)} |", f"|{'---:|' * len(names)}", *(f"| {row} |" for row in rows), ""]


def scene_row(row: Mapping[str, float]) -> str:
    cells = [f"{row['scenes']:,.0f}", f"{row['cases']:,.0f}", f"{row['plan']:.2f}", f"{row['plan'] / row['plain']:.1f}"]
    cells += [f"{row['ask']:.2f}", f"{row['judge']:.2f}", f"{row['judge'] / max(row['plain_judge'], 1e-6):.0f}"]
    cells += [f"{row['numbers']:.2f}", f"{row['report']:.2f}", f"{row['store_mb']:.1f}", f"{row['peak_mb']:.0f}"]
    return " | ".join(cells)


def object_row(row: Mapping[str, float]) -> str:
    ratio = row["rome"] / max(row["plain"], 1e-6)
    return f"{row['objects']:.0f} | {row['rome']:.1f} | {row['plain']:.2f} | {ratio:.0f}"


def issue_row(row: Mapping[str, float]) -> str:
    each = 1000 * row["report"] / row["issues"]
    figures = f"{row['judge']:.2f} | {row['numbers']:.2f} | {row['report']:.2f} | {each:.2f} | {row['peak_mb']:.0f}"
    return f"{row['issues']:,.0f} | {figures}"


def page(
    sizes: Sequence[Mapping[str, float]], things: Sequence[Mapping[str, float]], many: Sequence[Mapping[str, float]]
) -> str:
    stages = ("plan", "ask", "judge", "numbers", "report")
    ratios = ", ".join(f"{name} {growth(sizes, name, 'cases')}" for name in stages)
    slope = (sizes[-1]["peak_mb"] - sizes[0]["peak_mb"]) / (sizes[-1]["cases"] - sizes[0]["cases"]) * 1000
    of_issues = (many[-1]["peak_mb"] - many[0]["peak_mb"]) / (many[-1]["issues"] - many[0]["issues"]) * 1000
    lines = [
        "# Benchmarks",
        "",
        "How cost grows, written by `make bench-report`. Times are the processor's, so that other work does not count;",
        "*times plain* is the ratio to a plain implementation in the same process: cases as JSON lines in a list for",
        "the plan, two texts compared for a verdict, a scene written out as JSON for objects. Ratios are worth",
        "comparing; seconds are this machine's.",
        "",
        f"Anamorph {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}.",
        "",
        "## Scenes",
        "",
        "deeptest, four cases a scene, and a system that does not look; about one case in five is violated. `ask`",
        "stores every answer, `numbers` has the causes.",
        "",
        *table(
            "scenes|cases|plan s|times plain|ask s|judge s|times plain|numbers s|report s|store MB|peak MB",
            list(map(scene_row, sizes)),
        ),
        "A case of the largest run costs as much as one of the smallest, times: "
        + ratios
        + ". 1 is linear growth; below",
        f"1, fixed costs weigh less. Peak memory grows by {slope:.2f} MB for 1,000 cases.",
        "",
        "## Objects in a scene",
        "",
        "ROME's plan of one scene, at most 100 pairs, in milliseconds.",
        "",
        *table("objects|plan ms|scene as JSON ms|times plain", list(map(object_row, things))),
        "## Issues",
        "",
        "Runs in which about half of the cases are violated: causes, numbers, and the report with its page.",
        "",
        *table("issues|judge s|numbers s|report s|report ms an issue|peak MB", list(map(issue_row, many))),
        f"Peak memory grows by {of_issues:.2f} MB for 1,000 issues.",
        "",
    ]
    return "\n".join(lines)


def main(words: Sequence[str]) -> None:
    catalog.register(ManyScenes)
    catalog.register(ShareWrong)
    if words and words[0] == "stages":
        print(json.dumps(stages(int(words[1]), float(words[2]))))
    elif words and words[0] == "objects":
        print(json.dumps(objects(int(words[1]))))
    else:
        most = int(words[0]) if words else 10**9
        sizes = [apart("stages", count, 0.1) for count in SCENES if count <= most]
        things = [apart("objects", count) for count in OBJECTS]
        # Four cases a scene, of which half are violated.
        many = [apart("stages", count // 2, 0.5) for count in ISSUES if count // 2 <= most]
        PAGE.write_text(page(sizes, things, many), encoding="utf-8")
        print(f"Written: {PAGE}")


if __name__ == "__main__":
    main(sys.argv[1:])
