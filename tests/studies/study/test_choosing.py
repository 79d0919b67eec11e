from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from anamorph.edits.blur import Blur
from anamorph.errors import UsageError
from anamorph.relations.stable_labels import StableLabels
from anamorph.studies.study.choosing import draw_study, folder_for
from tests.report.fixtures import HandmadeRun


def planned(run: HandmadeRun, scenes: int = 8) -> HandmadeRun:
    for number in range(scenes):
        run.scene(f"scene {number}")
        run.case(f"scene {number}", "a dog", f"a cat {number}", method="rome", edits=(Blur(2.0),))
        run.case(f"scene {number}", "a dog", f"a cow {number}", method="metaic", edits=(Blur(4.0),))
    run.judge()
    return run


def test_every_kind_of_picture_has_the_same_share_and_photos_come_again_late(run: HandmadeRun) -> None:
    planned(run)
    study = draw_study(run.store, run.config, "naturalness", "run", 9, 3)
    assert Counter(item.pictures[0].what for item in study.items) == {"real": 3, "rome": 3, "metaic": 3}
    assert max(Counter(item.scene for item in study.items).values()) == 2
    assert len({item.id for item in study.items}) == 9
    # Neither the order nor the ids say what is what.
    assert [item.pictures[0].what for item in study.items] != sorted(item.pictures[0].what for item in study.items)


def test_the_same_seed_draws_the_same_study_and_another_one_another(run: HandmadeRun) -> None:
    planned(run)
    one, again, other = (draw_study(run.store, run.config, "pairwise", "run", 6, seed) for seed in (1, 1, 2))
    assert one == again and one.digest != other.digest


def test_pairs_are_of_one_photo_in_either_order(run: HandmadeRun) -> None:
    planned(run)
    study = draw_study(run.store, run.config, "pairwise", "run", 100, 1, between=("rome", "metaic"))
    assert len(study.items) == 8 and len({item.scene for item in study.items}) == 8
    kinds = [tuple(picture.what for picture in item.pictures) for item in study.items]
    assert set(kinds) == {("rome", "metaic"), ("metaic", "rome")}
    default = draw_study(run.store, run.config, "pairwise", "run", 100, 1)
    assert all("real" in {picture.what for picture in item.pictures} for item in default.items)
    assert len(default.items) == 16


def test_relevance_asks_about_the_combinations_of_the_plan(run: HandmadeRun) -> None:
    run.scene("scene", ("cat", "dog"))
    run.case(
        "scene", {"cat": 1.0}, {"dog": 1.0}, tags={"combination": "cat + dog"}, relation=StableLabels(("cat", "dog"))
    )
    study = draw_study(run.store, run.config, "relevance", "run", 5, 0)
    (item,) = study.items
    assert item.labels == ("cat", "dog") and item.scene == "scene" and item.pictures[0].what == "real"


def test_captions_are_those_of_the_follow_ups_of_issues(run: HandmadeRun) -> None:
    planned(run, 2)
    study = draw_study(run.store, run.config, "caption", "run", 100, 0)
    assert {item.caption for item in study.items} == {"a cat 0", "a cow 0", "a cat 1", "a cow 1"}
    assert all(item.pictures[0].image for item in study.items)


def test_a_run_that_has_nothing_to_show_is_named(run: HandmadeRun) -> None:
    run.scene("scene")
    run.case("scene", "a dog", "a dog")
    run.judge()
    with pytest.raises(UsageError, match="no photo was collected for labels"):
        draw_study(run.store, run.config, "relevance", "run", 5, 0)
    with pytest.raises(UsageError, match=r"has no pictures of 'rome'\. Known: real, deeptest"):
        draw_study(run.store, run.config, "naturalness", "run", 5, 0, between=("rome",))


def test_a_study_names_its_run_relative_to_itself(tmp_path: Path) -> None:
    assert folder_for(tmp_path / "study.json", tmp_path / "runs" / "first") == "runs/first"
    assert folder_for(tmp_path / "studies" / "study.json", tmp_path / "runs" / "first") == "../runs/first"
    assert folder_for(Path("/one/study.json"), Path("/two/run")) == "/two/run"
