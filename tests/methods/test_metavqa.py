from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from anamorph import catalog
from anamorph.edits.crop import Crop
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.patch import Patch
from anamorph.errors import BadRecord, UsageError
from anamorph.methods.melting.eligibility import FIXTURE, LARGE, MeltRules
from anamorph.methods.metavqa.method import MetaVqa
from anamorph.model import Box, Case, Edit, Scene, Skip, Table, Thing, decode, encode
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pools.folder import Pool
from anamorph.toybox.questions import asked_by
from tests.methods.asking import COCO, SWITCHES, photos, planned, toybox

# --- the plan --------------------------------------------------------------------------------------------------------


@given(photos(), st.integers(0, 99), st.sampled_from(("patch", "inpainting")))
@settings(max_examples=60)
def test_cases_round_trip_are_distinct_and_follow_from_the_seed(scenes: list[Scene], seed: int, how: Any) -> None:
    method = MetaVqa(remove_by=how, fewest_classes=1)
    cases = planned(method, scenes, seed)
    assert planned(method, scenes, seed) == cases
    assert len({case.digest for case in cases}) == len(cases)
    for case in cases:
        assert decode(Case, encode(case), catalog.find) == case
        assert {probe.scene for probe in case.probes} == {case.source.scene}
        assert all(probe.question for probe in case.probes)
        assert case.source.edits == ()


def test_what_a_scene_is_asked_does_not_depend_on_the_scenes_before_it(pool: Path) -> None:
    scenes, method = toybox(8), MetaVqa(absent=COCO, pool=str(pool))
    together = planned(method, scenes)
    for scene in scenes:
        assert [case for case in together if case.source.scene == scene.id] == planned(method, [scene])


def test_plans_do_not_depend_on_the_seed_of_hashes() -> None:
    program = (
        "from random import Random\n"
        "from anamorph.methods.atom.method import Atom\n"
        "from anamorph.methods.metavqa.method import MetaVqa\n"
        "from anamorph.toybox.scenes import ToyboxScenes\n"
        "scenes = list(ToyboxScenes(12).scan())\n"
        "for method in (MetaVqa(), Atom(combinations=(('person', 'dog'), ('cup',))), Atom(per_combination=1)):\n"
        "    for case in method.plan(scenes, Random(1)): print(getattr(case, 'digest', case))\n"
    )
    plans = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(plans) == 1 and len(plans.pop().splitlines()) > 200


@given(photos(), st.sampled_from(sorted(SWITCHES)))
@settings(max_examples=40)
def test_a_relation_that_is_turned_off_takes_its_own_cases_away_and_no_others(scenes: list[Scene], switch: str) -> None:
    everything = planned(MetaVqa(fewest_classes=1), scenes)
    without = planned(decode(MetaVqa, {"fewest_classes": 1, switch: False}), scenes)
    gone = SWITCHES[switch]
    assert without == [case for case in everything if case.relation.kind != gone]


@given(photos())
@settings(max_examples=60)
def test_images_are_edited_only_as_the_paper_allows(scenes: list[Scene]) -> None:
    for case in planned(MetaVqa(fewest_classes=1), scenes):
        scene = next(scene for scene in scenes if scene.id == case.source.scene)
        edits = [edit for probe in case.follow_ups for edit in probe.edits]
        for edit in edits:
            if isinstance(edit, Patch):
                (gone,) = (scene.thing(id) for id in edit.objects)
                assert not gone.crowd
                assert not any(gone.box.overlap(other.box) for other in scene.things if other is not gone)
        if case.relation.kind == "pieces-add-up":
            assert len(edits) == len(case.follow_ups) >= 2
            boxes = [edit.box for edit in edits if isinstance(edit, Crop)]
            assert sum(box.area for box in boxes) == scene.width * scene.height
            for thing in scene.things:
                assert sum(box.overlap(thing.box) > 0 for box in boxes) == 1
            assert case.tags["axis"] == ("x" if len({box.y for box in boxes}) == 1 else "y")
        if case.relation.kind == "removal-takes-one":
            (patch,) = edits
            assert isinstance(patch, Patch)
            label = scene.thing(patch.objects[0]).label
            assert label not in ("skis", "scissors")
            assert not any(thing.crowd and thing.label == label for thing in scene.things)


def test_a_word_without_a_singular_can_be_given_one_and_then_be_counted() -> None:
    things = (Thing("1", "glasses", Box(0, 0, 40, 40)), Thing("2", "cat", Box(60, 0, 40, 40)))
    scenes = [Scene("s", "s.jpg", 100, 100, things)]
    counts = MetaVqa(absent_mix=(0, 0, 1), names={"glasses": "drinking glass / drinking glasses"})
    removed = {
        edit.objects[0]
        for seed in range(20)
        for case in planned(counts, scenes, seed)
        if case.relation.kind == "removal-takes-one"
        for edit in case.follow_ups[0].edits
        if isinstance(edit, Patch)
    }
    assert removed == {"1", "2"}
    assert "1" not in {
        edit.objects[0]
        for seed in range(20)
        for case in planned(MetaVqa(absent_mix=(0, 0, 1)), scenes, seed)
        if case.relation.kind == "removal-takes-one"
        for edit in case.follow_ups[0].edits
        if isinstance(edit, Patch)
    }


def names_of(question: str) -> set[str]:
    asked = asked_by(question)
    assert asked is not None, question
    return {label for label, _ in asked.things}


def test_what_is_removed_is_asked_for_only_by_removal_plus() -> None:
    scenes = {scene.id: scene for scene in toybox(60)}
    kinds: Counter[str] = Counter()
    for case in planned(MetaVqa(), list(scenes.values())):
        for probe in case.follow_ups:
            for edit in probe.edits:
                if isinstance(edit, Patch):
                    label = scenes[probe.scene].thing(edit.objects[0]).label
                    named = names_of(probe.question or "")
                    assert (label in named) == (case.relation.kind == "removal-takes-one")
                    kinds[case.relation.kind] += 1
    assert kinds["removal-takes-one"] > 50 and kinds["unaffected-by-removal"] > 200


# --- insertion -------------------------------------------------------------------------------------------------------


def test_what_is_inserted_is_of_a_class_in_the_photo_near_its_mean_size_on_free_ground(pool: Path) -> None:
    scenes = {scene.id: scene for scene in toybox(60)}
    entries = Pool.open(pool)
    inserts = [
        (scenes[probe.scene], edit, probe.question or "")
        for case in planned(MetaVqa(pool=str(pool), insertions=2), list(scenes.values()))
        for probe in case.follow_ups
        for edit in probe.edits
        if isinstance(edit, Insert)
    ]
    assert len({(scene.id, edit) for scene, edit, _ in inserts}) > 20
    for scene, edit, question in inserts:
        label = entries.entry(edit.cutout).label
        areas = [thing.box.area for thing in scene.things if thing.label == label]
        mean = sum(areas) / len(areas)
        # Whole pixels make small boxes a little larger or smaller than they should be.
        slack = edit.box.width + edit.box.height + 1
        assert 0.8 * mean - slack <= edit.box.area <= 1.2 * mean + slack
        assert not any(edit.box.overlap(thing.box) for thing in scene.things)
        assert edit.box.right <= scene.width and edit.box.bottom <= scene.height
        assert label not in names_of(question)


def test_without_a_pool_nothing_is_inserted_and_the_summary_says_so() -> None:
    cases = planned(MetaVqa(), toybox(10))
    assert "unaffected-by-insertion" not in {case.relation.kind for case in cases}
    (table, *_) = MetaVqa().summarise([])
    assert isinstance(table, Table)
    rows = table.rows
    assert ("insertion", 0, 0, "0", "-", "-") in rows


def test_a_pool_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no pool of cut-outs here"):
        planned(MetaVqa(pool=str(tmp_path)), toybox(1))


# --- settings and streams --------------------------------------------------------------------------------------------


def test_inpainting_removes_with_the_inpainter_that_was_set() -> None:
    cases = planned(MetaVqa(remove_by="inpainting", inpainter="membrane"), toybox(20))
    melts = {type(edit) for case in cases for probe in case.follow_ups for edit in probe.edits} - {Crop}
    assert melts == {Melt}
    used = {edit.inpainter for case in cases for p in case.follow_ups for edit in p.edits if isinstance(edit, Melt)}
    assert used == {"membrane"}


PHOTO = Scene(
    "p",
    "p.jpg",
    600,
    400,
    (
        Thing("1", "dog", Box(200, 150, 40, 40)),
        Thing("2", "sink", Box(300, 20, 40, 40)),
        Thing("3", "bus", Box(20, 20, 160, 220)),
        Thing("4", "car", Box(450, 0, 45, 45)),
        Thing("5", "cat", Box(400, 300, 40, 40)),
    ),
)


def removed(method: MetaVqa, scene: Scene) -> tuple[set[str], set[Edit], dict[str, str]]:
    """The objects that a plan removes, by which edits, and why others stay."""
    plan = list(method.plan([scene], Random(7)))
    cases = [item for item in plan if isinstance(item, Case)]
    edits = {edit for case in cases for probe in case.follow_ups for edit in probe.edits}
    gone = {edit for edit in edits if isinstance(edit, Melt | Patch)}
    why = {item.what: item.reason for item in plan if isinstance(item, Skip) and item.noun == "object"}
    return {id for edit in gone for id in edit.objects}, {*gone}, why


def test_inpainting_leaves_fixtures_and_what_is_too_large_on_photos() -> None:
    inpainting = MetaVqa(remove_by="inpainting", inpainter="membrane", removals=9, cutting=False, insertion=False)
    gone, edits, why = removed(inpainting, PHOTO)
    assert gone == {"1", "4", "5"} and why == {"p: sink 2": FIXTURE, "p: bus 3": LARGE}
    assert all(isinstance(edit, Melt) and edit.shadows and edit.spare for edit in edits)
    everything = replace(inpainting, melt=MeltRules(1, 0, max_at_once=1, fixtures=True), shadows=False)
    gone, edits, why = removed(everything, PHOTO)
    assert gone == {"1", "2", "3", "4", "5"} and not why
    assert not any(isinstance(edit, Melt) and edit.shadows for edit in edits)


def test_a_patch_hides_anything_and_drawn_ground_goes_on_anywhere() -> None:
    patched = MetaVqa(removals=9, cutting=False, insertion=False)
    assert removed(patched, PHOTO)[::2] == ({"1", "2", "3", "4", "5"}, {})
    drawn = replace(PHOTO, origin={MEDIUM: DRAWING})
    gone, edits, why = removed(replace(patched, remove_by="inpainting"), drawn)
    assert gone == {"1", "2", "3", "4", "5"} and not why
    assert not any(isinstance(edit, Melt) and edit.shadows for edit in edits)


def test_absent_classes_can_be_set_and_are_otherwise_those_of_the_scenes() -> None:
    scenes = toybox(30)
    own = {thing.label for scene in scenes for thing in scene.things}
    asked = {name for case in planned(MetaVqa(), scenes) for name in names_of(case.source.question or "")}
    assert asked <= own
    given_one = planned(MetaVqa(absent=("zebra", "toaster"), property_pairs=0, property_existences=0), scenes)
    there = {scene.id: {thing.label for thing in scene.things} for scene in scenes}
    absent = {n for case in given_one for n in names_of(case.source.question or "") - there[case.source.scene]}
    assert absent == {"zebra", "toaster"}


def test_properties_that_no_scene_has_are_not_asked_for() -> None:
    scenes = toybox(30)
    known = {attribute for scene in scenes for thing in scene.things for attribute in thing.attributes}
    for case in planned(MetaVqa(), scenes):
        asked = asked_by(case.source.question or "")
        assert asked is not None
        assert {attribute for _, attribute in asked.things if attribute} <= known


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ({"absent_mix": [0, 0, 0]}, "absent_mix must have a weight above 0"),
        ({"absent_mix": [1, 2]}, "expected a list of 3"),
        ({"insertion_sizes": [1.2, 0.8]}, "insertion_sizes must rise"),
        ({"axes": ["z"]}, "expected one of 'x', 'y'"),
        ({"templates": {"count": "How many?"}}, "count must have {things} once"),
        ({"cuting": True}, "Did you mean 'cutting'?"),
    ],
)
def test_a_bad_setting_is_named(plain: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadRecord) as caught:
        decode(MetaVqa, plain, catalog.find, "metavqa")
    assert complaint in str(caught.value)


def test_settings_come_from_toml_tables() -> None:
    method = decode(
        MetaVqa,
        {"templates": {"any": "Any {thing}?"}, "names": {"tv": "telly / tellies"}, "axes": "x", "cutting": False},
        catalog.find,
    )
    assert method.templates.any == "Any {thing}?" and method.axes == ("x",) and method.names["tv"] == "telly / tellies"
    assert decode(MetaVqa, encode(method), catalog.find) == method


class Many:
    """The same few scenes, again and again under new names, made when they are asked for."""

    def __init__(self, count: int) -> None:
        self.count, self.few = count, toybox(10)

    def __iter__(self) -> Iterator[Scene]:
        for number in range(self.count):
            some = self.few[number % len(self.few)]
            yield Scene(f"n{number}", some.picture, some.width, some.height, some.things)


def test_a_long_plan_is_not_held_in_memory() -> None:
    method = MetaVqa()
    # What is cached is cached first.
    sum(1 for _ in method.plan(Many(20), Random(0)))
    scenes = Many(500)
    tracemalloc.start()
    count = sum(1 for _ in method.plan(scenes, Random(0)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 10_000
    assert peak < 1_000_000


def test_the_first_cases_come_before_the_last_scene_is_planned() -> None:
    assert len(list(itertools.islice(MetaVqa(absent=COCO).plan(Many(10**9), Random(0)), 5))) == 5
