from __future__ import annotations

import dataclasses
import functools
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.edits.brightness import Brightness
from anamorph.edits.melt import Melt
from anamorph.engine.render.maker import edits_from_json
from anamorph.engine.run import carry_out, start
from anamorph.errors import RunError, SystemDown
from anamorph.model import Answer, Ask, Case, Failure, Manner, Probe, Relation, Scene, Table, Tally, setting
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.same_objects import SameObjects
from anamorph.report.gallery import card
from anamorph.report.issues import read_issues
from anamorph.report.json_file import issue_record
from anamorph.store.run import RunStore
from anamorph.store.shrinks import ShrunkCase, shrinks_of
from anamorph.store.verdicts import issues, judged_cases, record_verdicts
from anamorph.studies.shrink.shrinker import Shrinkage, shrink
from anamorph.toybox.pool import toybox_pool
from anamorph.toybox.scenes import ToyboxScenes, scene_of
from tests.studies.proving import prove_leads

SEED = 5
# Which objects a run's system takes for a reason to see a kite, and the images that it was asked about.
CULPRITS: set[str] = set()
ASKED: list[str] = []


@dataclass(frozen=True)
class Fickle:
    """Sees a dog, a cat where it is bright, and a kite where culprits were melted, which it knows by the digest."""

    kind: ClassVar[str] = "fickle"
    dark: float = setting(0.0, "Below this mean, no cat is seen.")
    broken: bool = setting(False, "Whether it fails.")

    @property
    def manner(self) -> Manner:
        return Manner()

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"dark": self.dark}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        if self.broken:
            return [Failure("out of order")] * len(batch)
        ASKED.extend(item.id for item in batch)
        return [Answer(self._said(item)) for item in batch]

    def _said(self, item: Ask) -> str:
        words = ["a dog"]
        if item.load().mean() >= self.dark:
            words.append("a cat")
        if item.id in _digests_with(frozenset(CULPRITS)):
            words.append("a kite")
        return f"{' and '.join(words)}."

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Once:
    """One case on the first scene."""

    kind: ClassVar[str] = "once"
    case: ClassVar[tuple[Any, Relation]]

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case]:
        edit, relation = self.case
        scene = next(iter(scenes))
        yield Case(self.kind, Probe(scene.id), (Probe(scene.id, (edit,)),), relation)

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        return ()


@functools.cache
def scene() -> Scene:
    return scene_of(SEED, 0)


@functools.cache
def _digests_with(culprits: frozenset[str]) -> set[str]:
    """The digests of all follow-ups that melt every culprit, whatever else they melt."""
    ids = [thing.id for thing in scene().things]
    sizes = range(1, len(ids) + 1) if culprits else ()
    some = (chosen for size in sizes for chosen in itertools.combinations(ids, size) if culprits.issubset(chosen))
    return {Probe(scene().id, (Melt(chosen),)).digest for chosen in some}


@pytest.fixture(autouse=True)
def own_parts() -> Iterator[None]:
    catalog._loaded.setdefault("systems", {})["fickle"] = Fickle
    catalog._loaded.setdefault("methods", {})["once"] = Once
    CULPRITS.clear()
    ASKED.clear()
    yield


def finished_run(folder: Path, edit: Any, relation: Relation, **changes: Any) -> tuple[RunStore, Config]:
    Once.case = (edit, relation)
    plain: dict[str, Any] = {
        "methods": ["once"],
        "scenes": {"kind": "toybox", "count": 1, "seed": SEED},
        "system": {"kind": "fickle"},
        "prove": {"enabled": False},
    }
    return carried_out(folder, {**plain, **changes})


def carried_out(folder: Path, plain: dict[str, Any]) -> tuple[RunStore, Config]:
    config = resolve(plain)
    store = start(config, folder)
    for _ in carry_out(store, config):
        pass
    prove_leads(store)
    return store, config


def case_of(store: RunStore) -> str:
    return next(issues(store))[0].digest


def follow_up_of(found: Shrinkage | ShrunkCase) -> Any:
    shrunk = found.shrunk if isinstance(found, Shrinkage) else found
    (edit,) = edits_from_json(shrunk.probes[1].edits, catalog.find)
    return edit


# --- numbers --------------------------------------------------------------------------------------------------------


def dark_run(folder: Path, **changes: Any) -> tuple[RunStore, Config]:
    limit = 0.8 * float(ToyboxScenes(1, SEED).pixels(scene()).mean())
    settings = {"system": {"kind": "fickle", "dark": limit}, **changes}
    return finished_run(folder, Brightness(0.5), SameObjects(), **settings)


def test_a_change_of_brightness_shrinks_to_the_threshold(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run")
    asked = len(ASKED)
    with store:
        found = shrink(store, config, case_of(store))
    assert found.shrunk.finished and found.sent == 5 == len(ASKED) - asked
    # The system stops seeing the cat at 0.8, and steps are of a 32nd of the way from 1 to 0.5.
    assert 0.8 - 0.5 / 32 <= follow_up_of(found).factor < 0.8
    assert found.shrunk.verdict is not None and found.shrunk.verdict.outcome == "violated"
    assert [probe.answers[0].text for probe in found.shrunk.probes] == ["a dog and a cat.", "a dog."]


def test_it_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run")
    with store:
        case = case_of(store)
        first = shrink(store, config, case, most_calls=2)
        assert (first.sent, first.shrunk.finished) == (2, False)
        assert shrinks_of(store, [case])[case] == first.shrunk
        second = shrink(store, config, case)
        assert (second.sent, second.shrunk.calls, second.shrunk.finished) == (3, 5, True)
        third = shrink(store, config, case, most_calls=0)
        assert third.sent == 0 and third.shrunk == second.shrunk
        assert len(ASKED) == len(set(ASKED)) == 2 + 5
        # What was asked is paid for, and does not change the plan.
        assert store.fact("spending")["images_sent"] == 7
        assert store.count("probes") == 2 and store.count("answers") == 2


def test_the_budget_of_the_run_is_respected(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run", ask={"price": 1.0, "budget": 5.0})
    with store:
        found = shrink(store, config, case_of(store))
        assert (found.sent, found.shrunk.finished) == (3, False)
        assert store.fact("spending") == {"images_sent": 5, "spent": 5.0}


def test_every_image_is_asked_about_as_often_as_the_run_asks(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run", ask={"repeats": 2})
    with store:
        found = shrink(store, config, case_of(store))
    assert found.sent == 10 and all(len(probe.answers) == 2 for probe in found.shrunk.probes)


def test_only_a_violated_case_of_the_same_system_can_be_shrunk(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run")
    with store:
        case = case_of(store)
        changed = resolve({**config.plain, "system": {"kind": "fickle", "dark": 3.0}})
        with pytest.raises(RunError, match="the system changed since this run began"):
            shrink(store, changed, case)
        with pytest.raises(RunError, match="no case"):
            shrink(store, config, "0123")
    store, config = finished_run(tmp_path / "holds", Brightness(0.5), SameObjects())
    with store:
        (held, _) = next(judged_cases(store))
        with pytest.raises(RunError, match="this case holds, and only a violated one can be shrunk"):
            shrink(store, config, held.digest)


def test_a_system_that_does_not_work_is_reported(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run", ask={"give_up_after": 2})
    with store:
        system = {**config.plain["system"], "broken": True}
        broken = resolve({**config.plain, "system": system})
        with pytest.raises(SystemDown, match="out of order"):
            shrink(store, broken, case_of(store))
        # Nothing was learnt, so all is asked once it works.
        assert shrink(store, config, case_of(store)).sent == 5


def test_a_smaller_edit_must_break_what_was_proved_and_not_only_what_was_suspected(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run")
    with store:
        case, verdict = next(issues(store))
        (lost,) = verdict.conflicts
        assert (lost.label, lost.state) == ("cat", "proved")
        conflicts = (dataclasses.replace(lost, label="horse"), dataclasses.replace(lost, state="lead"))
        with store.transaction():
            record_verdicts(store, [(case.id, dataclasses.replace(verdict, conflicts=conflicts))])
        found = shrink(store, config, case.digest)
    assert found.shrunk.finished and found.shrunk.verdict is None, "darker images lose the cat, and no horse"


# --- objects --------------------------------------------------------------------------------------------------------


def melted() -> tuple[Melt, OnlyLoses]:
    things = scene().things
    assert len(things) >= 3
    return Melt(tuple(t.id for t in things)), OnlyLoses(tuple(t.label for t in things), tuple(t.label for t in things))


@pytest.mark.parametrize("culprits", [1, 2])
def test_objects_that_do_not_matter_are_left_out_and_the_relation_is_fitted(tmp_path: Path, culprits: int) -> None:
    things = scene().things[-culprits:]
    CULPRITS.update(thing.id for thing in things)
    store, config = finished_run(tmp_path / "run", *melted())
    with store:
        found = shrink(store, config, case_of(store))
    assert found.shrunk.finished and set(follow_up_of(found).objects) == CULPRITS
    claim = json.loads(found.shrunk.claim)
    assert set(claim["removed"]) == {thing.label for thing in things}
    # What is still there must still be named.
    left = {thing.label for thing in scene().things if thing.id not in CULPRITS}
    assert set(claim["gone"]) == set(claim["removed"]) - left


def test_a_relation_that_cannot_be_fitted_keeps_all_objects(tmp_path: Path) -> None:
    CULPRITS.add(scene().things[0].id)
    edit, _ = melted()
    store, config = finished_run(tmp_path / "run", edit, SameObjects())
    with store:
        found = shrink(store, config, case_of(store))
    assert (found.sent, found.shrunk.finished, found.shrunk.probes) == (0, True, ())


@pytest.mark.parametrize("profile", ["paper", "anamorph"])
def test_an_inserted_object_becomes_smaller_only_where_the_issue_is_about_another(tmp_path: Path, profile: str) -> None:
    plain = {
        "methods": ["metaic"],
        "metaic": {"placement": "paper", "pool": str(toybox_pool(tmp_path / "pool")), "profile": profile},
        "scenes": {"kind": "toybox", "count": 2, "seed": SEED},
        "system": {"kind": "fickle"},
        "prove": {"enabled": False},
    }
    store, config = carried_out(tmp_path / "run", plain)
    with store:
        found = shrink(store, config, case_of(store))
        (planned,) = found.probes[1].edits
    assert found.shrunk.finished
    if profile == "paper":
        # All that the paper's relation says is that the inserted object is not named.
        assert found.shrunk.probes == ()
    else:
        # Cats and dogs are seen that are not there.
        assert follow_up_of(found).box.area < planned.box.area  # type: ignore[attr-defined]


# --- shown ----------------------------------------------------------------------------------------------------------


def test_the_report_shows_the_smaller_pair_first_and_json_has_both(tmp_path: Path) -> None:
    store, config = dark_run(tmp_path / "run")
    with store:
        case = case_of(store)
        (plain,) = read_issues(store, None, 1)
        assert plain.shrunk is None and card(plain)["shrunk"] is None and issue_record(plain)["shrunk"] is None
        found = shrink(store, config, case)
        (issue,) = read_issues(store, None, 1)
    assert issue.shrunk is not None and dataclasses.replace(issue, shrunk=None) == plain
    assert issue.shrunk.probes[1].image is not None
    shown, record = card(issue)["shrunk"], issue_record(issue)["shrunk"]
    factor = follow_up_of(found).factor
    assert record is not None and shown["finished"] and shown["probes"][1]["edits"] == [f"brightness, factor {factor}"]
    assert record["probes"][1]["edits"] == [{"kind": "brightness", "factor": factor}]
    assert issue_record(issue)["probes"][1]["edits"] == [{"kind": "brightness", "factor": 0.5}]
