"""The order of worth against the order of the plan: injected faults found with a tenth of the calls, and whether the
interval that is estimated then covers the rate of the whole run.

Systems say the truth of drawn scenes, without looking, with twelve faults of their own each: they forget a class, count
one too many, or name a class that is not there beside another one, in 5 to 30 % of the images that give occasion to it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from anamorph.config import Config, resolve
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.model import Answer, Ask, Manner
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.store.answers import probes_by_id
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues
from anamorph.studies.calibrate.truth import Truths, studio_of
from anamorph.toybox.captions import NUMBER_WORDS
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.pool import toybox_pool

SCENES, SYSTEMS, ORDERS, FAULTS, SHARE = 240, 10, 10, 12, 0.1
Counts = dict[str, int]


@dataclass(frozen=True)
class Fault:
    """What a system does to a class, and how often."""

    does: str
    label: str
    rate: float

    def spoil(self, seen: Counts, companion: str) -> bool:
        """Make the mistake, where the image gives occasion to it."""
        if self.does == "names":
            if self.label in seen or companion not in seen:
                return False
            seen[self.label] = 1
            return True
        if self.label not in seen:
            return False
        if self.does == "forgets":
            del seen[self.label]
        else:
            seen[self.label] += 1
        return True


@dataclass
class FaultTable:
    """A system that answers from a table, and knows which faults are in which answer."""

    kind: ClassVar[str] = "fault-table"
    answers: Mapping[str, str]
    spoilt: Mapping[str, list[Fault]]
    asked: int = field(default=0)

    @property
    def manner(self) -> Manner:
        return Manner(batch=8, looks=False, remembers=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> list[Answer]:
        self.asked += len(batch)
        return [Answer(self.answers[item.id]) for item in batch]

    def close(self) -> None:
        pass


def caption(seen: Counts) -> str:
    phrases = []
    for label, number in seen.items():
        noun = label if number == 1 else CLASSES[label].plural
        word = ("an" if noun[0] in "aeiou" else "a") if number == 1 else NUMBER_WORDS[min(number, 10)]
        phrases.append(f"{word} {noun}")
    return f"A picture of {' and '.join(phrases)}." if phrases else "An empty place."


def system_of(seed: int, truths: Mapping[str, Counts]) -> FaultTable:
    rng = Random(f"faults {seed}")
    labels = sorted({label for seen in truths.values() for label in seen})
    pairs = rng.sample([(does, label) for does in ("forgets", "miscounts", "names") for label in labels], FAULTS)
    faults = [Fault(does, label, rng.uniform(0.05, 0.3)) for does, label in pairs]
    companions = {fault: rng.choice(labels) for fault in faults}
    answers, spoilt = {}, {}
    for digest, truth in truths.items():
        seen, made = dict(truth), []
        for fault in faults:
            chance = Random(f"{seed}/{fault}/{digest}").random() < fault.rate
            if chance and fault.spoil(seen, companions[fault]):
                made.append(fault)
        answers[digest], spoilt[digest] = caption(seen), made
    return FaultTable(answers, spoilt)


def config_of(pool: Path, **ask: Any) -> Config:
    return resolve(
        {
            "methods": ["rome", "metaic", "spolre", "deeptest"],
            "scenes": {"kind": "toybox", "count": SCENES, "seed": 11},
            "metaic": {"pool": str(pool)},
            "rome": {"pairs_per_scene": 10},
            "spolre": {"layouts_per_scene": 3},
            "ask": ask,
        }
    )


def found_faults(store: RunStore, system: FaultTable) -> tuple[set[Fault], int]:
    """The faults behind the issues, and how many (fault, scene) there are."""
    faults, in_scenes = set[Fault](), set[tuple[Fault, int]]()
    for case, verdict in issues(store):
        named = {conflict.label for conflict in verdict.conflicts}
        for probe in probes_by_id(store, list(dict.fromkeys(case.probes))):
            for fault in system.spoilt[probe.digest]:
                if fault.label in named:
                    faults.add(fault)
                    in_scenes.add((fault, probe.scene))
    return faults, len(in_scenes)


def carried_out(
    plan: Path, pool: Path, system: FaultTable, seed: int, **ask: Any
) -> tuple[set[Fault], int, RunNumbers]:
    config = config_of(pool, **ask)
    config.plain["seed"] = seed  # type: ignore[index]
    config = resolve(config.plain)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(plan, Path(folder) / "run")
        with RunStore.open(Path(folder) / "run") as store:
            store.connection.execute("PRAGMA synchronous = OFF")
            for _ in ask_stage(store, config, system):
                pass
            for _ in judge_stage(store, config.readers(), 1):
                pass
            return *found_faults(store, system), read_numbers(store, config)


def planned(folder: Path) -> Iterator[Any]:
    pool = toybox_pool(folder / "pool")
    config = config_of(pool)
    with start(config, folder / "plan") as store:
        for _ in plan_stage(store, config):
            pass
        known, studio = Truths(), studio_of(config, store)
        ids = [id for (id,) in store.connection.execute("SELECT id FROM probes ORDER BY id")]
        truths: dict[str, Counts] = {}
        for start_at in range(0, len(ids), 500):
            for probe in probes_by_id(store, ids[start_at : start_at + 500]):
                seen = known.of(store, probe, studio)
                assert not isinstance(seen, str), seen
                truths[probe.digest] = {label: seen.count(label).least for label in seen.labels}
    yield from (folder / "plan", pool, truths)


def main(systems: int = SYSTEMS, orders: int = ORDERS) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        plan, pool, truths = planned(Path(name))
        calls = len(truths)
        print(f"{calls:,} calls in all; {SHARE:.0%} are {int(calls * SHARE):,}", flush=True)
        shares: dict[str, list[float]] = {"plan": [], "worth": []}
        scenes: dict[str, list[float]] = {"plan": [], "worth": []}
        covered = tried = 0
        widths: list[float] = []
        for seed in range(systems):
            system = system_of(seed, truths)
            every, every_scene, whole = carried_out(plan, pool, system, seed)
            rate = whole.counts.violation_rate or 0.0
            budget = {"price": 1.0, "budget": float(int(calls * SHARE))}
            for order in ("plan", "worth"):
                for turn in range(orders if order == "worth" else 1):
                    some, in_scenes, numbers = carried_out(
                        plan, pool, system, 1000 * turn + seed, order=order, **budget
                    )
                    if turn == 0:
                        shares[order].append(len(some & every) / len(every))
                        scenes[order].append(in_scenes / every_scene)
                    if order == "worth":
                        low, high = numbers.counts.interval or (0.0, 1.0)
                        tried, covered = tried + 1, covered + (low <= rate <= high)
                        widths.append(high - low)
            print(
                f"system {seed}: {len(every)} faults, rate {rate:.1%}; with {SHARE:.0%} of the calls "
                f"{shares['plan'][-1]:.0%} in plan order, {shares['worth'][-1]:.0%} in the order of worth "
                f"({time.monotonic() - began:.0f} s)",
                flush=True,
            )
        for order in shares:
            mean, in_scene = (sum(values) / len(values) for values in (shares[order], scenes[order]))
            print(f"{order}: {mean:.1%} of the faults found (mean of {systems}), {in_scene:.1%} of (fault, scene)")
        print(f"worth: the 95 % interval covers the rate of the whole run in {covered} of {tried}")
        print(f"worth: mean width of the interval {sum(widths) / len(widths):.1%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
