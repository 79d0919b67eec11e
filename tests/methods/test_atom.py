from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from anamorph import catalog
from anamorph.config import resolve
from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.rotate import Rotate
from anamorph.edits.saturation import Saturation
from anamorph.edits.scale import Scale
from anamorph.edits.sharpness import Sharpness
from anamorph.engine.run import carry_out, start
from anamorph.errors import BadRecord
from anamorph.methods.atom.combinations import coverage
from anamorph.methods.atom.method import NO_COMBINATION, Atom
from anamorph.methods.atom.tables import label_summary
from anamorph.model import Box, Case, Edit, LabelSet, Picture, Scene, Skip, Table, Tally, Thing, decode, encode
from anamorph.relations.stable_labels import StableLabels
from anamorph.scenes.coco.source import CocoScenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import tallies as stored_tallies
from tests.english import with_references

TABLE_1: tuple[Edit, ...] = (
    Scale(0.8),
    Brightness(0.8),
    Contrast(0.8),
    Rotate(2.0),
    Blur(1.0),
    Sharpness(0.8),
    Saturation(0.8),
)


NO_OPERATION: dict[str, Any] = {
    "scale": [],
    "brightness": [],
    "contrast": [],
    "rotation": [],
    "blur": [],
    "sharpness": [],
    "saturation": [],
}


def scene(id: str, *labels: str, captions: tuple[str, ...] = ()) -> Scene:
    return Scene(id, f"{id}.jpg", 8, 8, captions=captions, labels=labels)


def planned(method: Atom, scenes: Sequence[Scene], seed: int = 0) -> list[Case]:
    return [item for item in method.plan(with_references(scenes), Random(seed)) if isinstance(item, Case)]


def pairs_of(cases: Sequence[Case]) -> list[tuple[str, str]]:
    return [(case.tags["combination"], case.source.scene) for case in cases]


def test_every_case_shows_the_photo_and_the_seven_changes_of_table_1() -> None:
    (case,) = planned(Atom(k=(2,)), [scene("s", "dog", "cat")])
    assert [probe.edits for probe in case.follow_ups] == [(edit,) for edit in TABLE_1]
    assert case.source.edits == () and case.source.question is None
    assert case.relation == StableLabels(("cat", "dog"))
    assert case.tags == {"k": "2", "combination": "cat + dog"}


def test_values_can_be_changed_and_operations_left_out() -> None:
    method = Atom(k=(1,), scale=(), brightness=(), contrast=(), rotation=(-2, 2), blur=(), sharpness=(), saturation=())
    (case,) = planned(method, [scene("s", "cat")])
    assert [probe.edits for probe in case.follow_ups] == [(Rotate(-2),), (Rotate(2),)]


label_lists = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), max_size=12)


@given(label_lists, st.lists(st.integers(1, 3), min_size=1, max_size=2), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=60)
def test_each_combination_gets_up_to_n_scenes_that_have_all_its_labels(
    label_sets: list[list[str]], sizes: list[int], most: int, seed: int
) -> None:
    scenes = [scene(f"s{index}", *labels) for index, labels in enumerate(label_sets)]
    method = Atom(k=tuple(sizes), per_combination=most)
    cases = planned(method, scenes, seed)
    assert planned(method, scenes, seed) == cases
    assert len({case.digest for case in cases}) == len(cases)
    labels_of = {each.id: set(each.labels) for each in scenes}
    counts = Counter(case.tags["combination"] for case in cases)
    for case in cases:
        assert decode(Case, encode(case), catalog.find) == case
        assert isinstance(case.relation, StableLabels)
        wanted = set(case.relation.labels)
        assert wanted <= labels_of[case.source.scene]
        assert len(wanted) == int(case.tags["k"]) and len(wanted) in sizes
        assert counts[case.tags["combination"]] == min(most, sum(wanted <= have for have in labels_of.values()))
    for size in set(sizes):
        covered = coverage(label_sets, "abcdef", size).covered
        assert sum(combination.count("+") == size - 1 for combination in counts) == covered


def test_given_combinations_are_tested_and_no_others() -> None:
    scenes = [scene("a", "cat", "dog", "car"), scene("b", "cat"), scene("c", "dog", "car")]
    method = Atom(combinations=(("dog", "cat"), ("car",), ("cat", "dog"), ("zebra",)))
    assert pairs_of(planned(method, scenes)) == [("car", "a"), ("car", "c"), ("cat + dog", "a")]


def test_a_label_space_narrows_what_is_combined() -> None:
    scenes = [scene("a", "cat", "dog", "car")]
    assert pairs_of(planned(Atom(labels=("cat", "car")), scenes)) == [("car", "a"), ("cat", "a"), ("car + cat", "a")]


def test_labels_are_also_those_of_the_objects() -> None:
    things = (Thing("1", "cat", Box(0, 0, 2, 2)), Thing("2", "cat", Box(3, 3, 2, 2)))
    photo = Scene("s", "s.jpg", 8, 8, things)
    assert pairs_of(planned(Atom(), [photo])) == [("cat", "s")]


def test_captions_stand_for_labels_if_one_caption_names_all() -> None:
    scenes = [
        scene("both", captions=("Two dogs.", "A dog and a cat on a couch.")),
        scene("apart", captions=("A dog.", "A cat.")),
        scene("one thing", captions=("An orange cake.",)),
        scene("in a row", captions=("Dogs cats and cakes.",)),
        scene("none", "cat", "dog", captions=("",)),
    ]
    found = pairs_of(planned(Atom(labels_from="captions", labels=("cat", "dog", "cake", "orange")), scenes))
    assert found == [
        *(("cake", "one thing"), ("cake", "in a row")),
        *(("cat", "both"), ("cat", "apart"), ("cat", "in a row")),
        *(("dog", "both"), ("dog", "apart"), ("dog", "in a row")),
        *(("cake + cat", "in a row"), ("cake + dog", "in a row")),
        ("cat + dog", "both"),
    ]


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ({"k": [0]}, "must be at least 1"),
        ({"k": []}, "k must name at least one size"),
        ({"combinations": [["cat", "cat"]]}, "none twice, got ['cat', 'cat']"),
        ({"combinations": [[]]}, "at least one label"),
        ({"scale": 0}, "must be at least 0.01"),
        (NO_OPERATION, "at least one operation must have a value"),
        ({"labels_from": "tags"}, "expected one of 'annotations', 'captions'"),
    ],
)
def test_a_bad_setting_is_named(plain: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadRecord) as caught:
        decode(Atom, plain, catalog.find, "atom")
    assert complaint in str(caught.value)


def test_settings_round_trip() -> None:
    method = decode(Atom, {"combinations": [["cat", "dog"], "car"], "k": 3, "rotation": -2}, catalog.find)
    assert method.combinations == (("cat", "dog"), ("car",)) and method.k == (3,)
    assert decode(Atom, encode(method), catalog.find) == method


def test_a_tagger_that_names_what_is_there_is_confident_and_one_that_wavers_is_not() -> None:
    (case,) = planned(Atom(k=(1,)), [scene("s", "cat")])
    steady = [LabelSet(frozenset({"cat"}))] * 8
    assert case.relation.judge(steady).outcome == "holds"
    wavering = [*steady[:7], LabelSet(frozenset({"dog"}))]
    verdict = case.relation.judge(wavering)
    assert (verdict.outcome, verdict.categories) == ("violated", ("label-error",))


def test_only_as_in_the_paper_is_every_change_a_report() -> None:
    wavering = [LabelSet(frozenset({"cat"})), *[LabelSet(frozenset({"dog"}))] * 7]
    scenes = [scene("s", "cat")]
    # The random approach judges in the same way.
    for own, published in zip(
        planned(Atom(k=(1,), random_repeats=1), scenes),
        planned(Atom(k=(1,), random_repeats=1, profile="paper"), scenes),
        strict=True,
    ):
        assert own.relation.judge(wavering).conflicts and own.relation.judge(wavering).grade == "omission"
        assert published.relation.judge(wavering).conflicts == () and published.relation.judge(wavering).grade is None
        assert own.probes == published.probes
        assert Atom().judged_as(own.relation, "paper") == published.relation


def test_the_seven_changes_can_be_made() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    picture = Picture(noise, (Thing("1", "cat", Box(10, 10, 30, 20)),))
    (case,) = planned(Atom(k=(1,)), [scene("s", "cat")])
    for probe in case.follow_ups:
        (edit,) = probe.edits
        changed = edit.apply(picture)
        assert changed.pixels.shape != noise.shape or not np.array_equal(changed.pixels, noise)
        assert [thing.label for thing in changed.things] == ["cat"]


# --- the summary ----------------------------------------------------------------------------------------------------


def test_the_summary_is_that_of_the_tables() -> None:
    tags = {"k": "1", "combination": "cat"}
    tally = Tally("atom", "stable-labels", tags, 1, 0, 0, categories={"confident": 1}, graded=1, score=1.0)
    assert Atom().summarise([tally]) == label_summary([tally])


# --- whole runs -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_a_run_on_the_toybox_tags_judges_and_sums_up(tmp_path: Path) -> None:
    config = resolve({"methods": ["atom"], "scenes": "toybox:4", "system": "toybox:tagger"})
    with start(config, tmp_path / "run") as store:
        for _ in carry_out(store, config):
            pass
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        tallies = stored_tallies(store, "atom")
        assert store.count("images") == 4 * 8
    assert {each.tags["k"] for each in tallies} == {"1", "2"}
    assert sum(each.undecided for each in tallies) == 0
    for each in tallies:
        assert sum(each.categories.values()) == each.decided
        assert each.categories.get("confident", 0) <= each.score <= each.graded
        assert sum(decided for decided, _ in each.clusters.values()) == each.decided
    # Labels that come and go are reported where that is proved, and leads otherwise.
    moved = sum(each.categories.get(group, 0) for each in tallies for group in ("label-error", "unspecific"))
    assert moved > 0 and sum(each.violated + each.leads for each in tallies) == moved
    photos, combinations, *_ = config.methods[0].summarise(tallies)
    assert isinstance(photos, Table) and isinstance(combinations, Table)
    assert [row[0] for row in photos.rows] == [row[0] for row in combinations.rows] == [1, 2]


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_a_run_as_in_the_paper_reports_every_label_error_and_unspecific_image(tmp_path: Path) -> None:
    plain = {"methods": ["atom"], "scenes": "toybox:4", "system": "toybox:tagger", "atom": {"profile": "paper"}}
    config = resolve(plain)
    with start(config, tmp_path / "run") as store:
        for _ in carry_out(store, config):
            pass
        tallies = stored_tallies(store, "atom")
    moved = sum(each.categories.get(group, 0) for each in tallies for group in ("label-error", "unspecific"))
    assert sum(each.violated for each in tallies) == moved > 0 == sum(each.leads for each in tallies)


TEXT_TAGGER = """
def tag(images, questions):
    return ["Tags: dog, a bench" if image.mean() > 100 else "- Dogs\\n- Bench" for image in images]
"""


def test_a_model_that_writes_tags_is_judged_as_a_tagger(tmp_path: Path) -> None:
    (tmp_path / "tagger.py").write_text(TEXT_TAGGER)
    config = resolve({"methods": ["atom"], "scenes": "toybox:4", "system": f"callable:{tmp_path / 'tagger.py'}:tag"})
    with start(config, tmp_path / "run") as store:
        for _ in carry_out(store, config):
            pass
        tallies = stored_tallies(store, "atom")
    assert sum(each.undecided for each in tallies) == 0
    assert sum(each.violated for each in tallies) == 0
    assert sum(each.decided for each in tallies) > 0


def test_real_photos_and_their_captions_are_planned(shared: Path) -> None:
    folder = shared / "photos"
    source = CocoScenes(str(folder / "instances.json"), str(folder / "images"), str(folder / "captions.json"))
    scenes = [each for each in source.scan() if isinstance(each, Scene)]
    annotated = Counter(case.tags["k"] for case in planned(Atom(), scenes))
    captioned = Counter(case.tags["k"] for case in planned(Atom(labels_from="captions"), scenes))
    assert annotated["1"] > 100 and annotated["2"] > 200
    assert 50 < captioned["1"] < annotated["1"] and 50 < captioned["2"] < annotated["2"]


def test_a_scene_without_any_of_the_combinations_is_told() -> None:
    bare = Scene("bare", "b.jpg", 10, 10)
    skips = [item for item in Atom(k=(1,)).plan([bare], Random(0)) if isinstance(item, Skip)]
    assert skips == [Skip("bare", NO_COMBINATION, "scene")]


def test_a_collected_photo_is_tested_for_what_it_was_collected_for_and_nothing_else() -> None:
    photo = Scene("a", "a.jpg", 8, 8, labels=("cat", "dog", "person"), collected_for=(("dog",), ("cat", "dog")))
    tested = [case.tags["combination"] for case in planned(Atom(), [photo])]
    assert tested == ["dog", "cat + dog"]
    assert [case.tags["combination"] for case in planned(Atom(k=(2,)), [photo])] == ["cat + dog"]
    assert planned(Atom(labels=("cat",)), [photo]) == []
    given = Atom(combinations=(("dog", "cat"), ("person",)))
    assert [case.tags["combination"] for case in planned(given, [photo])] == ["cat + dog"]


def test_the_random_approach_tests_as_many_photos_for_each_size_in_every_repeat() -> None:
    scenes = [scene(f"s{number}", "cat", *(["dog"] if number < 4 else [])) for number in range(12)]
    cases = planned(Atom(k=(1, 2), per_combination=3, random_repeats=5), scenes)
    ours = [case for case in cases if "approach" not in case.tags]
    assert ours == planned(Atom(k=(1, 2), per_combination=3), scenes)
    for size in ("1", "2"):
        photos = {case.source.scene for case in ours if case.tags["k"] == size}
        drawn = [case for case in cases if case.tags.get("approach") == "random" and case.tags["k"] == size]
        assert len({case.source.scene for case in drawn}) == len(drawn)
        per_repeat = Counter(repeat for case in drawn for repeat in case.tags["repeats"].split("+"))
        assert per_repeat == {str(repeat): len(photos) for repeat in range(1, 6)}
        assert all(case.relation == StableLabels(()) for case in drawn)


def test_the_random_approach_has_a_row_for_each_repeat_beside_atoms_and_is_in_no_other_table() -> None:
    own = Tally("atom", "stable-labels", {"k": "2", "combination": "cat + dog"}, 3, 1, 0, categories={"unspecific": 1})
    drawn = [
        Tally("atom", "stable-labels", {"approach": "random", "k": "2", "repeats": "1"}, 1, 1, 0),
        Tally("atom", "stable-labels", {"approach": "random", "k": "2", "repeats": "1+2"}, 2, 0, 0),
    ]
    alone, beside = label_summary([own]), label_summary([own, *drawn])
    (table,) = (each for each in beside if each not in alone)
    assert isinstance(table, Table) and table.title == "ATOM and photos chosen at random"
    assert [row[:4] for row in table.rows] == [(2, "ATOM", 4, 1), (2, "random, 1", 4, 1), (2, "random, 2", 2, 0)]
