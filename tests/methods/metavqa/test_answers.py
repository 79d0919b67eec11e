from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from anamorph.config import resolve
from anamorph.engine.run import carry_out, start
from anamorph.methods.metavqa.method import NO_POOL, NOT_CUT, NOT_REMOVABLE, NOTHING_ASKED, MetaVqa
from anamorph.model import Answer, Bars, Box, Case, Picture, Scene, Skip, Table, Tally, Thing
from anamorph.pools.folder import JoinedPools, Pool, SketchStudio
from anamorph.scenes.coco.source import CocoScenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import tallies as stored_tallies
from anamorph.toybox.questions import asked_by
from anamorph.toybox.truth import truth
from tests.english import answer_reader
from tests.methods.asking import SWITCHES, planned, toybox

# --- what answers come to --------------------------------------------------------------------------------------------


def true_answer(scenes: dict[str, Scene], case: Case, studio: SketchStudio | None = None) -> list[Answer]:
    answers = []
    for probe in case.probes:
        asked = asked_by(probe.question or "")
        assert asked is not None, probe.question
        scene = scenes[probe.scene]
        picture = Picture(np.zeros((scene.height, scene.width, 3), np.uint8), scene.things, studio)
        for edit in probe.edits:
            picture = edit.apply(picture)
        number = sum(
            thing.label == label and (attribute is None or attribute in thing.attributes)
            for thing in picture.things
            for label, attribute in asked.things
        )
        if asked.asks == "how-many":
            answers.append(Answer(str(number)))
        else:
            answers.append(Answer("yes" if (number > 0) == (asked.asks == "is-there") else "no"))
    return answers


def judged(case: Case, answers: Sequence[Answer]) -> str:
    reader = answer_reader()
    return case.relation.judge([reader.read_text(answer.text or "") for answer in answers]).outcome


@pytest.mark.parametrize("how", ["patch", "inpainting"])
def test_a_system_that_tells_the_truth_violates_no_relation(pool: Path, how: Any) -> None:
    scenes = {scene.id: scene for scene in toybox(40)}
    studio = SketchStudio(JoinedPools((Pool.open(pool),)))
    cases = planned(MetaVqa(pool=str(pool), remove_by=how), list(scenes.values()))
    assert {case.relation.kind for case in cases} == set(SWITCHES.values())
    for case in cases:
        assert judged(case, true_answer(scenes, case, studio)) == "holds", case


def outcomes(says: Callable[[str], str]) -> dict[str, Counter[str]]:
    """How every relation fares with a system that only hears the question."""
    found: dict[str, Counter[str]] = {}
    for case in planned(MetaVqa(), toybox(40)):
        answers = [Answer(says(probe.question or "")) for probe in case.probes]
        found.setdefault(case.relation.kind, Counter())[judged(case, answers)] += 1
    return found


def test_always_zero_passes_partition_and_fails_removal_plus() -> None:
    found = outcomes(lambda question: "0")
    for kind in ("objects-add-up", "properties-add-up", "order-does-not-matter", "unaffected-by-removal"):
        assert set(found[kind]) == {"holds"}
    assert set(found["removal-takes-one"]) == {"violated"}


def test_always_yes_fails_reversion() -> None:
    found = outcomes(lambda question: "yes")
    assert set(found["opposites-differ"]) == {"violated"}
    assert set(found["unaffected-by-removal"]) == {"holds", "undecided"}
    assert set(found["objects-add-up"]) == {"undecided"}


# --- the summary -----------------------------------------------------------------------------------------------------


def test_the_summary_has_all_relations_the_three_partition_cases_and_both_axes() -> None:
    partition = [
        Tally("metavqa", "objects-add-up", {"about": "objects", "partition": "both absent"}, 9, 1, 0),
        Tally("metavqa", "objects-add-up", {"about": "objects", "partition": "both present"}, 10, 30, 10),
        Tally("metavqa", "properties-add-up", {"about": "properties", "partition": "one absent"}, 1, 3, 0),
    ]
    cuts = [Tally("metavqa", "pieces-add-up", {"axis": "y", "asks": "how-many"}, 2, 2, 0)]
    relations, presences, axes, bars = MetaVqa().summarise([*partition, *cuts])
    assert isinstance(relations, Table) and isinstance(presences, Table) and isinstance(axes, Table)
    assert [row[0] for row in relations.rows] == [
        *("object-partition", "property-partition", "reordering", "reversion"),
        *("cutting", "insertion", "removal", "removal+"),
    ]
    assert relations.rows[0] == ("object-partition", 60, 31, "10 (16.7%)", "62.0%", "48.2 to 74.1%")
    assert [row[:4] for row in presences.rows] == [
        ("objects", "both absent", 10, 1),
        ("objects", "one absent", 0, 0),
        ("objects", "both present", 50, 30),
        ("properties", "both absent", 0, 0),
        ("properties", "one absent", 4, 3),
        ("properties", "both present", 0, 0),
    ]
    assert [(row[0], row[1], row[4]) for row in axes.rows] == [("x", 0, "-"), ("y", 4, "50.0%")]
    assert isinstance(bars, Bars) and [bar.name for bar in bars.bars] == [row[0] for row in relations.rows]


# --- whole runs ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_a_run_on_the_toybox_answers_judges_and_sums_up_every_relation(pool: Path, tmp_path: Path) -> None:
    config = resolve(
        {"methods": ["metavqa"], "scenes": "toybox:5", "system": "toybox:answerer", "metavqa": {"pool": str(pool)}}
    )
    with start(config, tmp_path / "run") as store:
        for _ in carry_out(store, config):
            pass
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        tallies = stored_tallies(store, "metavqa")
    assert {tally.relation for tally in tallies} >= set(SWITCHES.values()) - {"properties-add-up"}
    assert sum(tally.undecided for tally in tallies) == 0
    table = config.methods[0].summarise(tallies)[0]
    assert isinstance(table, Table)
    assert sum(int(row[1]) for row in table.rows) == sum(t.holds + t.violated for t in tallies) > 60


def test_real_photos_are_planned(shared: Path) -> None:
    folder = shared / "photos"
    source = CocoScenes(str(folder / "instances.json"), str(folder / "images"))
    scenes = [scene for scene in source.scan() if isinstance(scene, Scene)]
    counts = Counter(case.relation.kind for case in planned(MetaVqa(), scenes))
    # COCO has no attributes, so the only properties are actions, which are asked about any person.
    pairs = counts["objects-add-up"] + counts["properties-add-up"]
    assert pairs == counts["order-does-not-matter"] and counts["objects-add-up"] > 100
    assert counts["opposites-differ"] > 100
    asked = [case for case in planned(MetaVqa(), scenes) if case.relation.kind == "properties-add-up"]
    assert len(asked) > 40 and all("people" in (case.source.question or "") for case in asked)
    assert {case.tags["partition"] for case in asked} == {"not annotated"}
    assert counts["pieces-add-up"] > 100 and counts["unaffected-by-removal"] > 100 and counts["removal-takes-one"] > 20


def test_the_truth_of_a_piece_is_the_truth_of_the_whole() -> None:
    """What the toybox says of cut photos adds up, so that calibration can judge these cases."""
    scenes = {scene.id: scene for scene in toybox(15)}
    cut = [case for case in planned(MetaVqa(), list(scenes.values())) if case.relation.kind == "pieces-add-up"]
    for case in cut[:40]:
        scene = scenes[case.source.scene]
        seen = [thing.id for probe in case.follow_ups for thing in truth(scene, probe.edits).things]
        assert sorted(seen) == sorted(thing.id for thing in truth(scene).things)


def test_what_cannot_be_asked_cut_or_removed_is_told() -> None:
    empty = Scene("empty", "e.jpg", 100, 100)
    full = Scene(
        "full", "f.jpg", 100, 100, (Thing("1", "cat", Box(0, 0, 100, 100)), Thing("2", "dog", Box(1, 1, 98, 98)))
    )
    skips = {item for item in MetaVqa().plan([empty, full], Random(0)) if isinstance(item, Skip)}
    assert {skip.reason for skip in skips if skip.what == "full"} == {
        NOT_CUT.format("x"),
        NOT_CUT.format("y"),
        NOT_REMOVABLE,
        NO_POOL,
    }
    assert Skip("empty", NOTHING_ASKED, "scene") in list(MetaVqa().plan([empty], Random(0)))
