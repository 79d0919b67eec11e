from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.edits.brightness import Brightness
from anamorph.engine.run import carry_out, start
from anamorph.errors import RunError, SystemDown
from anamorph.model import Answer, Ask, Box, Case, Failure, Manner, Pixels, Probe, Scene, Table, Tally, Thing, setting
from anamorph.pixels.shapes import thing_shape
from anamorph.relations.same_objects import SameObjects
from anamorph.report.gallery import card
from anamorph.report.issues import read_issues
from anamorph.report.json_file import issue_record
from anamorph.store.explanations import explanations_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues, judged_cases
from anamorph.studies.explain.explainer import clearest_cases, explain
from anamorph.toybox.scenes import ToyboxScenes, scene_of
from tests.studies.proving import prove_leads

SEED = 5
ASKED: list[str] = []


@functools.cache
def scene() -> Scene:
    return scene_of(SEED, 0)


@functools.cache
def photo() -> Pixels:
    return ToyboxScenes(1, SEED).pixels(scene())


@dataclass(frozen=True)
class Spotter:
    """Names a dog, and a kite while it sees most of some objects of the toybox's scene as they are."""

    kind: ClassVar[str] = "spotter"
    objects: tuple[int, ...] = setting((0,), "The places of the objects, each of which is enough.")
    mood: str = setting("steady", "steady, random, blind (always names the kite) or broken.")

    @property
    def manner(self) -> Manner:
        return Manner(parallel=2)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"objects": list(self.objects)}

    def boxes(self, pixels: Pixels) -> tuple[Thing, ...]:
        return (Thing("0", "kite", Box(1, 2, 30, 40), score=0.5), Thing("1", "dog", Box(5, 5, 9, 9)))

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        ASKED.extend(item.id for item in batch)
        return [self._said(item) for item in batch]

    def _said(self, item: Ask) -> Answer | Failure:
        if self.mood == "broken":
            return Failure("out of order")
        pixels = item.load()
        dark = pixels.mean() < 30
        if self.mood == "random":
            return Answer("a dog and a kite." if len(ASKED) == 1 else "a dog.")
        if self.mood == "blind" and not dark:
            return Answer("a dog and a kite.")
        same = np.abs(pixels.astype(int) - photo().astype(int)).max(axis=2) < 40
        height, width = same.shape
        shapes = [thing_shape(scene().things[place], height, width) for place in self.objects]
        seen = any(same[shape].mean() > 0.6 for shape in shapes)
        return Answer("a dog and a kite." if seen else "a dog.")

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Darkened:
    """One case: the first scene, and the same in the dark."""

    kind: ClassVar[str] = "darkened"

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case]:
        first = next(iter(scenes))
        yield Case(self.kind, Probe(first.id), (Probe(first.id, (Brightness(0.1),)),), SameObjects())

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        return ()


@pytest.fixture(autouse=True)
def own_parts() -> Iterator[None]:
    catalog._loaded.setdefault("systems", {})["spotter"] = Spotter
    catalog._loaded.setdefault("methods", {})["darkened"] = Darkened
    ASKED.clear()
    yield


def finished_run(folder: Path, **changes: Any) -> tuple[RunStore, Config, str]:
    plain: dict[str, Any] = {
        "methods": ["darkened"],
        "scenes": {"kind": "toybox", "count": 1, "seed": SEED},
        "system": {"kind": "spotter"},
        "prove": {"enabled": False},
    }
    config = resolve({**plain, **changes})
    store = start(config, folder)
    for _ in carry_out(store, config):
        pass
    prove_leads(store)
    return store, config, next(issues(store))[0].digest


@pytest.mark.parametrize("place", range(3))
def test_the_peak_lies_on_the_object_that_carries_the_word(tmp_path: Path, place: int) -> None:
    store, config, case = finished_run(tmp_path / "run", system={"kind": "spotter", "objects": [place]})
    thing = scene().things[place]
    with store:
        found = explain(store, config, case)
        explained = found.explained
        assert (explained.carrier, explained.label, explained.position) == ("part", "kite", 0)
        assert explained.finished and found.sent == explained.calls == len(ASKED) - 2 <= 62
        x, y = explained.peak or (0, 0)
        assert thing.box.x <= x <= thing.box.right and thing.box.y <= y <= thing.box.bottom
        assert explained.on == thing.label
        assert explained.picture is not None and store.images.pixels(explained.picture).shape == photo().shape
        # The system's own boxes of the class, and of no other.
        assert [box.label for box in explained.boxes] == ["kite"]


def test_where_each_of_two_objects_is_enough_parts_are_shown_alone(tmp_path: Path) -> None:
    store, config, case = finished_run(tmp_path / "run", system={"kind": "spotter", "objects": [0, 1]})
    with store:
        explained = explain(store, config, case, most_calls=120).explained
    assert explained.carrier == "part" and (explained.alone or explained.on is not None)
    assert explained.on in {thing.label for thing in scene().things[:2]}


def test_it_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path: Path) -> None:
    store, config, case = finished_run(tmp_path / "run")
    with store:
        first = explain(store, config, case, most_calls=8)
        assert (first.sent, first.explained.finished) == (8, False)
        second = explain(store, config, case)
        assert second.explained.finished and second.explained.calls == 8 + second.sent
        third = explain(store, config, case, most_calls=0)
        assert third.sent == 0 and third.explained.patches == second.explained.patches
        assert len(ASKED) == len(set(ASKED)) == 2 + second.explained.calls
        assert store.fact("spending")["images_sent"] == len(ASKED)
        assert store.count("probes") == 2 and store.count("answers") == 2
        assert explanations_of(store, [case])[case].replies
    # Covered images are made again where they are needed.
    assert not list((tmp_path / "run" / "images").rglob("*.png"))


def test_the_budget_of_the_run_is_respected(tmp_path: Path) -> None:
    store, config, case = finished_run(tmp_path / "run", ask={"price": 1.0, "budget": 9.0})
    with store:
        found = explain(store, config, case)
        assert (found.sent, found.explained.finished) == (7, False)
        assert store.fact("spending") == {"images_sent": 9, "spent": 9.0}


def test_a_word_that_is_said_whatever_the_image_shows_does_not_come_from_it(tmp_path: Path) -> None:
    store, config, case = finished_run(tmp_path / "run", system={"kind": "spotter", "mood": "blind"})
    with store:
        found = explain(store, config, case)
        (issue,) = read_issues(store, None, 1)
    assert (found.explained.carrier, found.sent, found.explained.peak) == ("nothing", 2, None)
    assert issue.explained is not None and "does not come from the image" in issue.explained.words


def test_a_random_system_a_broken_one_and_a_case_that_holds_are_refused(tmp_path: Path) -> None:
    store, config, case = finished_run(tmp_path / "run", ask={"give_up_after": 2})
    with store:
        random, broken = (
            resolve({**config.plain, "system": {**config.plain["system"], "mood": mood}})
            for mood in ("random", "broken")
        )
        with pytest.raises(RunError, match=r"the system is random here: asked again .* it says 'a dog\.'"):
            explain(store, random, case)
        with pytest.raises(SystemDown, match=r"did not answer about the image as it is.*: out of order"):
            explain(store, broken, case)
        with pytest.raises(RunError, match="no case"):
            explain(store, config, "0123")
        # Nothing was learnt from either.
        assert explain(store, config, case).explained.carrier == "part"
        with store.transaction() as connection:
            connection.execute("UPDATE verdicts SET outcome = 'holds', body = json_set(body, '$.outcome', 'holds')")
        (held, _) = next(judged_cases(store))
        with pytest.raises(RunError, match="this case holds, and only a violated one can be explained"):
            explain(store, config, held.digest)


def test_the_issue_shows_the_map_and_json_says_where_it_is(tmp_path: Path) -> None:
    store, config, case = finished_run(tmp_path / "run")
    with store:
        assert clearest_cases(store, 3) == [case]
        (plain,) = read_issues(store, None, 1)
        assert plain.explained is None and card(plain)["explained"] is None and issue_record(plain)["explained"] is None
        explain(store, config, case)
        (issue,) = read_issues(store, None, 1)
    label = scene().things[0].label
    shown, record = card(issue)["explained"], issue_record(issue)["explained"]
    assert shown["words"].startswith("'kite' in the answer to the source comes from ") and label in shown["words"]
    assert record is not None and (record["on"], record["carrier"], record["finished"]) == (label, "part", True)
    assert issue.explained is not None and issue.explained.file is not None and issue.explained.file.is_file()
