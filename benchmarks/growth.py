"""`make bench-report`: how cost grows with a run, written to docs/benchmarks.md; about five minutes of a processor.

Every figure is beside a plain implementation of the same thing in the same run, so that the ratio says something on any
machine. Each size runs in a process of its own, whose peak memory is its own. With `--keep FILE`, measurements are kept
in a file, and those that it has are not made again.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
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
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.methods.deeptest import DeepTest
from anamorph.methods.rome.method import Rome
from anamorph.model import Answer, Ask, Box, Manner, Pixels, Scene, Skip, Thing, canonical_json, encode, setting
from anamorph.report.numbers import read_numbers
from anamorph.report.writing import write_report
from benchmarks.bench_million import (
    CASES,
    OTHER,
    STAGES,
    USUAL,
    Measured,
    exhaust,
    judged,
    measure,
    measured,
    sentences,
    stage_cells,
    stage_columns,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
SCENES = (100, 1_000, 10_000, 100_000)
OBJECTS = (5, 50, 500)
ISSUES = (1_000, 10_000)
SECONDS = 3_600


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
        return [Answer(USUAL if int(item.id[:4], 16) >= wrong else OTHER) for item in batch]

    def close(self) -> None:
        pass


def timed(work: Callable[[], Any]) -> float:
    # The processor's time: that of the clock says more about what else the machine does.
    began = time.process_time()
    work()
    return time.process_time() - began


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
        measured(found, "plan", lambda: exhaust(plan_stage(store, config)))
        measured(found, "ask", lambda: exhaust(ask_stage(store, config, config.system())))
        measured(found, "judge", lambda: judged(store, config))
        measured(found, "numbers", lambda: read_numbers(store, config))
        measured(found, "report", lambda: write_report(store, config, Path(folder) / "report"))
        found["cases"], found["issues"] = store.count("cases"), store.count("verdicts", "outcome = 'violated'")
        # Without the log, which is gone once the run is closed.
        pages, size = (store.connection.execute(f"PRAGMA page_{name}").fetchone()[0] for name in ("count", "size"))
        found["store_mb"] = pages * size / 1e6
    found["peak_mb"] = max(found[f"{name}_mb"] for name in STAGES)
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
    line = json.dumps({"source": USUAL, "follow_up": OTHER})
    return sum((row := json.loads(line))["source"] != row["follow_up"] for _ in range(cases))


def objects(count: int) -> dict[str, float]:
    """Milliseconds for a scene with a given number of objects: ROME's plan, beside writing the scene out as JSON."""
    from random import Random

    rounds = max(1, 200 // count)
    scenes = [scene for scene in ManyScenes(rounds, count).scan() if isinstance(scene, Scene)]
    planned = timed(lambda: list(Rome(inpainter="telea").plan(scenes, Random(1))))
    plain = timed(lambda: [canonical_json(encode(scene)) for scene in scenes])
    return {"objects": count, "rome": 1000 * planned / rounds, "plain": 1000 * plain / rounds}


def apart(kept: dict[str, dict[str, float]], file: Path | None, *words: object) -> dict[str, float]:
    """A measurement in a process of its own, unless it is kept already."""
    key = " ".join(map(str, words))
    if key not in kept:
        command = [sys.executable, "-m", *key.split()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode:
            sys.exit(done.stderr)
        kept[key] = json.loads(done.stdout.splitlines()[-1])
        if file is not None:
            file.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    return kept[key]


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
    cells += [f"{row['numbers']:.2f}", f"{row['report']:.2f}", f"{row['store_mb']:.1f}"]
    cells += [f"{row[f'{name}_mb']:.0f}" for name in STAGES]
    return " | ".join(cells)


def object_row(row: Mapping[str, float]) -> str:
    ratio = row["rome"] / max(row["plain"], 1e-6)
    return f"{row['objects']:.0f} | {row['rome']:.1f} | {row['plain']:.2f} | {ratio:.0f}"


def issue_row(row: Mapping[str, float]) -> str:
    each = 1000 * row["report"] / row["issues"]
    figures = f"{row['judge']:.2f} | {row['numbers']:.2f} | {row['report']:.2f} | {each:.2f} | {row['peak_mb']:.0f}"
    return f"{row['issues']:,.0f} | {figures}"


@dataclass(frozen=True)
class Figures:
    """All that the page has."""

    sizes: Sequence[Mapping[str, float]]
    things: Sequence[Mapping[str, float]]
    many: Sequence[Mapping[str, float]]
    million: Measured


def slope(rows: Sequence[Mapping[str, float]], name: str, per: str) -> float:
    """Megabytes for 1,000 more, between the two largest sizes."""
    one, two = rows[-2:]
    return (two[name] - one[name]) / (two[per] - one[per]) * 1000


def page(found: Figures) -> str:
    sizes = found.sizes
    ratios = ", ".join(f"{name} {growth(sizes, name, 'cases')}" for name in STAGES)
    slopes = ", ".join(f"{name} {slope(sizes, f'{name}_mb', 'cases'):+.2f}" for name in STAGES)
    peaks = "|".join(f"peak MB, {name}" for name in STAGES)
    lines = [
        "# Benchmarks",
        "",
        "How cost grows, written by `make bench-report`. Times are the processor's, so that other work counts little;",
        "*times plain* is the ratio to a plain implementation in the same process: cases as JSON lines in a list for",
        "the plan, two texts compared for a verdict, a scene written out as JSON for objects. Ratios are worth",
        "comparing; seconds are this machine's.",
        "",
        f"Anamorph {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}.",
        "",
        "## Scenes",
        "",
        "deeptest, four cases a scene, and a system that does not look; about one case in seven is violated. `ask`",
        "stores every answer, `judge` also proves and finds causes. Peaks are of stages, all in one process.",
        "",
        *table(
            f"scenes|cases|plan s|times plain|ask s|judge s|times plain|numbers s|report s|store MB|{peaks}",
            list(map(scene_row, sizes)),
        ),
        f"A case of the largest run costs as much as one of the smallest, times: {ratios}.",
        "1 is linear growth; below 1, fixed costs weigh less. Between the two largest runs, the peak grows by these",
        f"megabytes for 1,000 cases: {slopes}. What grows are caches that have a limit, not records: SQLite's pages",
        "(16 MB, and as much again where it sorts), 5,000 probes while planning, 20,000 readings while judging.",
        "",
        "## Ten million cases",
        "",
        "`python -m benchmarks.bench_million`: deeptest over scenes without pixels, asked of a",
        "[recorded](systems/recorded.md) system. The hours are extrapolated: what a stage takes at the largest size,",
        "times (10,000,000 / cases) to the power of its exponent. The exponent is the slope of a straight line through",
        "the logarithms of cases and seconds, and at least 1 for the hours; 1 is growth in proportion.",
        "",
        *table(
            "|".join(stage_columns(found.million.runs)),
            [" | ".join(stage_cells(found.million.runs, name)) for name in STAGES],
        ),
        *sentences(found.million),
        "",
        "Nothing larger than this page shows was measured. At these sizes the indexes of digests, about 95 bytes a",
        "case, fit into the machine's file cache; for 10 million cases they take 0.9 GB, and where they do not fit,",
        "planning waits for the disk.",
        "",
        "The only peak that keeps growing is that of `ask`: the recorded system has an index of its file, 16 bytes an",
        "answer, and several times as much while it reads the file. Other systems have none. While shards are merged,",
        "the disk holds their rows three times: on their way, in the log and in the run. Ten million cases are worth",
        "dividing ([shards](shards.md)): plan, ask and judge then run on all machines at once.",
        "",
        "## Objects in a scene",
        "",
        "ROME's plan of one scene, at most 100 pairs, in milliseconds.",
        "",
        *table("objects|plan ms|scene as JSON ms|times plain", list(map(object_row, found.things))),
        "## Issues",
        "",
        "Runs in which about a quarter of the cases are violated: causes, numbers, and the report with its page.",
        "",
        *table("issues|judge s|numbers s|report s|report ms an issue|peak MB", list(map(issue_row, found.many))),
    ]
    return "\n".join(lines)


def main(words: Sequence[str]) -> None:
    catalog.register(ManyScenes)
    catalog.register(ShareWrong)
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    arguments.add_argument("--cases", type=int, default=CASES, help="how many the largest run for ten million has")
    arguments.add_argument("--keep", type=Path, help="a file for measurements; those that it has are not made again")
    arguments.add_argument("--only", nargs="+", help="one measurement, as JSON")
    given = arguments.parse_args(list(words))
    if given.only:
        what, *sizes = given.only
        known: Mapping[str, Callable[[], dict[str, float]]] = {
            "stages": lambda: stages(int(sizes[0]), float(sizes[1])),
            "objects": lambda: objects(int(sizes[0])),
        }
        print(json.dumps(known[what]()))
        return
    kept = json.loads(given.keep.read_text()) if given.keep is not None and given.keep.exists() else {}
    run = functools.partial(apart, kept, given.keep)
    here = functools.partial(run, "benchmarks.growth --only")
    figures = Figures(
        [here("stages", count, 0.1) for count in SCENES],
        [here("objects", count) for count in OBJECTS],
        # Four cases a scene, of which about a quarter are violated.
        [here("stages", count // 2, 0.5) for count in ISSUES],
        measure(given.cases, lambda kind, cases: run("benchmarks.bench_million --only", kind, "--cases", cases)),
    )
    PAGE.write_text(page(figures), encoding="utf-8")
    print(f"Written: {PAGE}")


if __name__ == "__main__":
    main(sys.argv[1:])
