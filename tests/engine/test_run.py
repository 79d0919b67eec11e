"""No stage may hold a run in memory: a plan of ten million cases must fit into the memory of one of a thousand."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine import causes as causes_of_engine
from anamorph.engine.ask import stage as asking
from anamorph.engine.causes import causes_stage
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.prove.evidence import keep_evidence
from anamorph.engine.prove.stage import plan_proofs, proving_calls, settle_stage
from anamorph.engine.run import start
from anamorph.model import Answer, Ask, Box, Manner, Pixels, Scene, Skip, Thing, setting
from anamorph.report import cause_words, gallery, issues as issues_of_report, writing
from anamorph.report.numbers import read_numbers
from anamorph.store import answers, causes as stored_causes, plans, scene_labels, verdicts

FEW, MANY = 25, 175
CASES_PER_SCENE = 4
# How many bytes the peak of a stage may grow by for a case more: twice what was measured, which is not nothing, because
# Python keeps freed tuples for later, and what is under way is more with more cases, up to a limit. Holding the digest
# of every case takes 100, holding every case 700, and every issue, of which there are fewer, 1,200 and more.
MOST_GROWTH = {
    "plan": 60,
    "count questions": 60,
    "ask": 200,
    "judge": 300,
    "plan proofs": 500,
    "prove": 300,
    "settle": 500,
    "causes": 500,
    "numbers": 400,
    "report": 900,
}


@dataclass(frozen=True)
class NumberedScenes:
    """Scenes that nobody looks at."""

    kind: ClassVar[str] = "numbered"
    count: int = setting(1, "How many.")

    def scan(self) -> Iterator[Scene | Skip]:
        for number in range(self.count):
            yield Scene(f"scene {number}", f"{number}.jpg", 64, 64, (Thing("0", "dog", Box(1, 1, 9, 9)),))

    def pixels(self, scene: Scene) -> Pixels:
        raise NotImplementedError("nothing looks at these scenes")


@dataclass(frozen=True)
class Careless:
    """Sees a cat now and then where it saw a dog, and, asked for a number, none or one."""

    kind: ClassVar[str] = "careless"
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    manner: ClassVar[Manner] = Manner(batch=8, looks=False, remembers=False)
    fingerprint: ClassVar[Mapping[str, Any]] = {}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> list[Answer]:
        numbers, captions = ("0", "0", "1", "1"), ("a cat", "a dog", "a dog", "a dog")
        return [Answer((numbers if item.question else captions)[int(item.id[0], 16) % 4]) for item in batch]

    def close(self) -> None:
        pass


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and memories so small that a few hundred cases are many."""
    for module, names in (
        (plans, ("BATCH", "REMEMBERED", "PAGE")),
        (answers, ("PAGE",)),
        (verdicts, ("PAGE", "ISSUE_PAGE", "PHOTO_GROUPS")),
        (stored_causes, ("ISSUE_PAGE", "_BATCH")),
        (cause_words, ("_BATCH",)),
        (causes_of_engine, ("PHOTO_GROUPS",)),
        (issues_of_report, ("BATCH",)),
        (scene_labels, ("REMEMBERED",)),
        (gallery, ("CARDS_PER_CHUNK", "ROWS_PER_CHUNK")),
    ):
        for name in names:
            monkeypatch.setattr(module, name, 16)
    monkeypatch.setattr(asking, "GROUP", 8)
    # Its template takes more than all the rest, and always the same.
    monkeypatch.setattr(writing, "write_index", lambda *_: None)
    monkeypatch.setitem(catalog._loaded.setdefault("scenes", {}), "numbered", NumberedScenes)
    monkeypatch.setitem(catalog._loaded.setdefault("systems", {}), "careless", Careless)


def peak_of(work: Callable[[], object]) -> int:
    gc.collect()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    work()
    return tracemalloc.get_traced_memory()[1] - before


def exhaust(events: Iterator[Any]) -> None:
    for _ in events:
        pass


def peaks(folder: Path, scenes: int) -> dict[str, int]:
    """The most memory that each stage of a run took beyond what there was before it."""
    config = resolve(
        {
            "methods": ["deeptest"],
            "scenes": {"kind": "numbered", "count": scenes},
            "system": "careless",
            "prove": {"enabled": True},
        }
    )
    system = config.system()
    with start(config, folder / "run") as store:
        keep_evidence(store, "answers")
        stages: dict[str, Callable[[], object]] = {
            "plan": lambda: exhaust(plan_stage(store, config)),
            "count questions": lambda: proving_calls(store, config),
            "ask": lambda: exhaust(asking.ask_stage(store, config, system)),
            "judge": lambda: exhaust(judge_stage(store, config.readers(), 1)),
            "plan proofs": lambda: exhaust(plan_proofs(store, config)),
            "prove": lambda: exhaust(asking.ask_stage(store, config, system, asking.AskingOrder.of_proofs(config))),
            "settle": lambda: exhaust(settle_stage(store, config)),
            "causes": lambda: causes_stage(store),
            "numbers": lambda: read_numbers(store, config),
            "report": lambda: writing.write_report(store, config, folder / "report"),
        }
        found = {name: peak_of(work) for name, work in stages.items()}
        assert store.count("cases") == CASES_PER_SCENE * scenes
        assert store.count("suspicions") > scenes // 4
        assert store.count("probes", "round > 0") > scenes // 4
    return found


def test_no_stage_needs_more_memory_for_more_cases(tmp_path: Path, small_pages: None) -> None:
    tracemalloc.start()
    try:
        # What is loaded once, word lists among it, is loaded by the first run.
        peaks(tmp_path / "first", 10)
        few, many = peaks(tmp_path / "few", FEW), peaks(tmp_path / "many", MANY)
    finally:
        tracemalloc.stop()
    grown = {name: (many[name] - few[name]) / (CASES_PER_SCENE * (MANY - FEW)) for name in few}
    assert {name: bytes for name, bytes in grown.items() if bytes > MOST_GROWTH[name]} == {}
