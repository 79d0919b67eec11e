"""What ten million cases would take: memory, disk and hours of every stage, measured on smaller runs and extrapolated.

Runs of three sizes are planned, asked of a recorded system, judged, counted and reported; no scene has pixels. Further
runs are made in four shards and merged. `python -m benchmarks.bench_million --cases 300000` sets the largest size.

The formula: what a stage takes at the largest size, times (10,000,000 / cases) to the power of its exponent. The
exponent is the slope of a straight line through the logarithms of cases and seconds, and at least 1: what costs less
for each case the more there are has costs that do not depend on the cases, and one must not extrapolate those.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import linear_regression
from typing import Any, ClassVar

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.causes import causes_stage
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.prove.stage import settle_stage
from anamorph.engine.run import start
from anamorph.methods.deeptest import DeepTest
from anamorph.model import Box, Pixels, Scene, Skip, Thing, setting
from anamorph.report.numbers import read_numbers
from anamorph.report.writing import write_report
from anamorph.store.run import RunStore
from anamorph.studies.merge.merging import merge_runs

MILLIONS = 10_000_000
CASES = 300_000
CASES_PER_SCENE = 4
SHARDS = 4
# Of 65,536 answers, this many name other classes than the rest.
WRONG = 1_000
# Another subject altogether, of classes that no scene has, which captions alone prove.
USUAL, OTHER = "a dog and a car", "a train and a sheep"
SECONDS = 1_800
STAGES = ("plan", "ask", "judge", "numbers", "report")


@dataclass(frozen=True)
class SmallScenes:
    """Scenes with three objects, and no pixels."""

    kind: ClassVar[str] = "small-scenes"
    count: int = setting(1, "How many.")

    def scan(self) -> Iterator[Scene | Skip]:
        labels = ("dog", "cat", "car")
        things = tuple(Thing(str(place), label, Box(30 * place, 20, 25, 25)) for place, label in enumerate(labels))
        for index in range(self.count):
            yield Scene(f"scene-{index:08}.jpg", f"scene-{index:08}.jpg", 640, 480, things)

    def pixels(self, scene: Scene) -> Pixels:
        raise NotImplementedError("a recorded system does not look")


def config_for(cases: int, answers: Path | None = None, shard: str | None = None) -> Config:
    catalog.register(SmallScenes)
    return resolve(
        {
            "methods": ["deeptest"],
            "scenes": {"kind": "small-scenes", "count": cases // CASES_PER_SCENE},
            **({} if answers is None else {"system": f"recorded:{answers}"}),
            **({} if shard is None else {"shard": shard}),
        }
    )


def exhaust(events: Iterator[Any]) -> None:
    for _ in events:
        pass


def judged(store: RunStore, config: Config) -> None:
    """Judge, settle what that raises by captions alone, and find the causes, as a run does."""
    exhaust(judge_stage(store, config.readers(), 1))
    exhaust(settle_stage(store, config))
    causes_stage(store)


def _restart_peak() -> None:
    """Let the peak of memory begin anew, where the system can do that; elsewhere it is that of the process so far."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_mb() -> float:
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(found: dict[str, float], name: str, work: Callable[[], object]) -> None:
    """Note the processor's seconds of a stage, since those of the clock depend on what else the machine does; and its
    peak of memory.
    """
    _restart_peak()
    began = time.process_time()
    work()
    found[name], found[f"{name}_mb"] = time.process_time() - began, _peak_mb()


def record_answers(store: RunStore, path: Path) -> None:
    """The answers that the recorded system gives."""
    with path.open("a") as lines:
        for (digest,) in store.connection.execute("SELECT lower(hex(digest)) FROM probes"):
            text = OTHER if int(digest[:4], 16) < WRONG else USUAL
            lines.write(json.dumps({"id": digest, "text": text}) + "\n")


def megabytes(folder: Path, pattern: str = "**/*") -> float:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file()) / 1e6


def whole_run(folder: Path, cases: int) -> dict[str, float]:
    """Seconds and peaks of every stage of one run, and its size."""
    found: dict[str, float] = {}
    answers = folder / "answers.jsonl"
    answers.touch()
    planned = config_for(cases)
    with start(planned, folder / "run") as store:
        measured(found, "plan", lambda: exhaust(plan_stage(store, planned)))
        record_answers(store, answers)
        config = config_for(cases, answers)
        measured(found, "ask", lambda: exhaust(ask_stage(store, config, config.system())))
        measured(found, "judge", lambda: judged(store, config))
        measured(found, "numbers", lambda: read_numbers(store, config))
        measured(found, "report", lambda: write_report(store, config, folder / "report"))
        found["cases"], found["issues"] = store.count("cases"), store.count("verdicts", "outcome = 'violated'")
    found["store_mb"], found["report_size_mb"] = megabytes(folder / "run", "run.sqlite*"), megabytes(folder / "report")
    return found


def merged_run(folder: Path, cases: int) -> dict[str, float]:
    """Seconds, peak and disk of merging shards, which are made first, each with its part of the cases."""
    parts = [folder / f"shard-{index}" for index in range(1, SHARDS + 1)]
    answers = folder / "answers"
    answers.mkdir()
    for index, part in enumerate(parts, 1):
        config = config_for(cases, shard=f"{index}/{SHARDS}")
        with start(config, part) as store:
            exhaust(plan_stage(store, config))
            record_answers(store, answers / "all.jsonl")
    for index, part in enumerate(parts, 1):
        config = config_for(cases, answers / "all.jsonl", f"{index}/{SHARDS}")
        with RunStore.open(part) as store:
            exhaust(ask_stage(store, config, config.system()))
            judged(store, config)
    shutil.rmtree(answers)
    found: dict[str, float] = {"shards": SHARDS}
    measured(found, "merge", lambda: merge_runs(parts, folder / "merged"))
    with RunStore.open(folder / "merged", read_only=True) as store:
        found["cases"] = store.count("cases")
    found["store_mb"] = megabytes(folder / "merged", "run.sqlite*")
    return found


def in_a_list(folder: Path, cases: int) -> dict[str, float]:
    """The plain implementation: the same cases in a list."""
    found: dict[str, float] = {"cases": cases}
    scenes = (scene for scene in SmallScenes(cases // CASES_PER_SCENE).scan() if isinstance(scene, Scene))
    measured(found, "list", lambda: len(list(DeepTest().plan(scenes, Random(0)))))
    return found


KINDS: Mapping[str, Callable[[Path, int], dict[str, float]]] = {
    "whole": whole_run,
    "merge": merged_run,
    "list": in_a_list,
}


def apart(kind: str, cases: int) -> dict[str, float]:
    """One measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_million", "--only", kind, "--cases", str(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def exponent(rows: Sequence[Mapping[str, float]], name: str) -> float:
    """By which power of the cases something grows: 1 is in proportion to them."""
    logarithms = [[math.log(max(row[each], 1e-3)) for row in rows] for each in ("cases", name)]
    return linear_regression(*logarithms).slope


def extrapolated(rows: Sequence[Mapping[str, float]], name: str, cases: int = MILLIONS) -> float:
    """What something takes for a number of cases, by the formula at the top."""
    last = rows[-1]
    return last[name] * math.pow(cases / last["cases"], max(1.0, exponent(rows, name)))


def slope_mb(rows: Sequence[Mapping[str, float]], name: str) -> float:
    """Megabytes that a stage's peak grows by for 100,000 cases, between the two largest sizes."""
    one, two = rows[-2:]
    return (two[name] - one[name]) / (two["cases"] - one["cases"]) * 100_000


def sizes(most: int) -> list[int]:
    return [max(CASES_PER_SCENE * SHARDS, most // part) for part in (10, 3, 1)]


@dataclass(frozen=True)
class Measured:
    """Runs of three sizes, the same cases in a list, and merges of two sizes."""

    runs: Sequence[Mapping[str, float]]
    lists: Sequence[Mapping[str, float]]
    merges: Sequence[Mapping[str, float]]


def measure(most: int, one: Callable[[str, int], Mapping[str, float]] = apart) -> Measured:
    """All measurements, each in a process of its own."""
    return Measured(
        [one("whole", cases) for cases in sizes(most)],
        [one("list", cases) for cases in sizes(most)],
        [one("merge", cases) for cases in sizes(most)[:2]],
    )


def stage_cells(rows: Sequence[Mapping[str, float]], name: str) -> list[str]:
    """A stage at every size, and extrapolated: seconds, microseconds a case, exponent, hours, memory, slope."""
    last = rows[-1]
    seconds = [f"{row[name]:.1f}" for row in rows]
    each = f"{1e6 * last[name] / last['cases']:.0f}"
    hours = f"{extrapolated(rows, name) / 3600:.2f}"
    peaks = [f"{row[f'{name}_mb']:.0f}" for row in rows]
    return [name, *seconds, each, f"{exponent(rows, name):.2f}", hours, *peaks, f"{slope_mb(rows, f'{name}_mb'):+.1f}"]


def stage_columns(rows: Sequence[Mapping[str, float]]) -> list[str]:
    counts = [f"{row['cases']:,.0f}" for row in rows]
    seconds, peaks = [f"s, {count} cases" for count in counts], [f"peak MB, {count}" for count in counts]
    return ["stage", *seconds, "µs a case", "exponent", "hours, 10 million", *peaks, "MB more for 100,000"]


def size_sentence(rows: Sequence[Mapping[str, float]]) -> str:
    """The store and the report at the largest size, and extrapolated."""
    last = rows[-1]
    each, of_issues = 1e6 * last["store_mb"] / last["cases"], 1e6 * last["report_size_mb"] / last["issues"]
    share = last["issues"] / last["cases"]
    store, report = (extrapolated(rows, name) / 1000 for name in ("store_mb", "report_size_mb"))
    return (
        f"The store has {each:.0f} bytes a case at {last['cases']:,.0f} cases (exponent "
        f"{exponent(rows, 'store_mb'):.2f}), which makes {store:.1f} GB for 10 million; "
        f"the report {of_issues / 1000:.1f} kB an issue, {report:.1f} GB with "
        f"{share:.1%} of the cases violated."
    )


def merge_sentences(rows: Sequence[Mapping[str, float]]) -> str:
    """Merging, for every 100,000 cases."""
    parts = []
    for row in rows:
        each = row["merge"] / row["cases"] * 1e5
        parts.append(f"{row['cases']:,.0f} cases: {each:.1f} s for 100,000, peak {row['merge_mb']:.0f} MB")
    hours = extrapolated(rows, "merge") / 3600
    return (
        f"Merging {SHARDS} shards, {'; '.join(parts)}. Exponent {exponent(rows, 'merge'):.2f}: {hours:.2f} hours for "
        "10 million cases."
    )


def list_sentence(found: Measured) -> str:
    """The driver's memory beside that of the plain implementation."""
    last, plain = found.runs[-1], found.lists[-1]
    peak = max(last[f"{name}_mb"] for name in STAGES)
    in_gb = (plain["list_mb"] + slope_mb(found.lists, "list_mb") * (MILLIONS - plain["cases"]) / 100_000) / 1000
    return (
        f"The same {plain['cases']:,.0f} cases in a list take {plain['list_mb']:.0f} MB and "
        f"{plain['list']:.1f} s, and 10 million would take {in_gb:.1f} GB; "
        f"the highest peak of a stage is {peak:.0f} MB."
    )


def sentences(found: Measured) -> list[str]:
    """All that the table of stages does not have."""
    total = sum(extrapolated(found.runs, name) for name in STAGES) / 3600
    return [
        f"All stages: {total:.1f} hours of one processor for 10 million cases, and the system's own time.",
        size_sentence(found.runs),
        list_sentence(found),
        merge_sentences(found.merges),
    ]


def main(words: Sequence[str] = ()) -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.bench_million", description=__doc__)
    arguments.add_argument("--cases", type=int, default=CASES, help="how many cases the largest run has")
    arguments.add_argument("--only", choices=tuple(KINDS), help="one run of this size, as JSON")
    given = arguments.parse_args(list(words))
    if given.only:
        with tempfile.TemporaryDirectory(prefix="anamorph-bench-") as folder:
            print(json.dumps(KINDS[given.only](Path(folder), given.cases)))
        return
    found = measure(given.cases)
    for line in (stage_columns(found.runs), *(stage_cells(found.runs, name) for name in STAGES)):
        print(" | ".join(line))
    print("\n".join(sentences(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
