from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anamorph import catalog
from anamorph.concurrency.ordered import AHEAD
from anamorph.config import Config
from anamorph.engine.enrich.segmenting import Segmenting
from anamorph.engine.enrich.stage import Enrichment
from anamorph.engine.events import Scanned, Segmented, Skipped
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.engine.segmenter import RunSegmenter, identity_of
from anamorph.errors import RunError, UsageError
from anamorph.model import Box, Mask, Pixels, Scene, Segmentation, Skip, Thing
from anamorph.store.plans import StoredScenes
from anamorph.store.run import RunStore
from anamorph.store.segmentations import FILE, SegmentationCache
from anamorph.store.shelf import default_file
from tests.engine.fakes import Ran, Script, config_for, go, use
from tests.engine.segmenters import ColourScenes, ColourSegmenter, Log, painted, use_colours


@pytest.fixture
def log() -> Log:
    use(Script())
    return use_colours()


def run(folder: Path, **changes: Any) -> Ran:
    scenes = {"kind": "coloured", **changes.pop("scenes", {})}
    segmenter = {"segmenter": {"kind": "colour"}} if changes.pop("segmented", True) else {}
    return go(folder, **segmenter, **{"scenes": scenes, **changes})


def scenes_of(ran: Ran) -> list[Scene]:
    with ran.store() as store:
        return list(StoredScenes(store, catalog.find))


def test_photos_without_objects_get_those_of_the_segmenter(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run")
    assert ran.problem is None
    scenes = scenes_of(ran)
    assert [scene.id for scene in scenes] == ["s0", "s1", "s2"]
    assert [[thing.label for thing in scene.things] for scene in scenes] == [["dog", "tree"]] * 3
    assert scenes[0].things[0].box == Box(40, 10, 10, 10)
    assert scenes[0].captions == ("a dog by a tree",)
    assert ran.of(Segmented) == [Segmented(looked=3, recalled=0, failed=0, things=6)]


def test_the_origin_of_a_scene_names_its_segmenter(log: Log, tmp_path: Path) -> None:
    before = [scene.origin for scene in scenes_of(run(tmp_path / "one"))]
    log.version = 2
    after = [scene.origin for scene in scenes_of(run(tmp_path / "two"))]
    assert before[0]["from"] == "paint"
    assert before[0]["things"].startswith("colour ")
    assert before[0] == before[1]
    assert before[0]["things"] != after[0]["things"]


def test_a_run_without_a_segmenter_leaves_scenes_as_they_are(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", segmented=False)
    assert [scene.things for scene in scenes_of(ran)] == [(), (), ()]
    assert not ran.of(Segmented)


@pytest.mark.parametrize(
    ("scenes", "labels"), [("unannotated", ["plant", "wolf"]), ("all", ["dog", "tree"]), ("none", ["plant", "wolf"])]
)
def test_annotated_objects_are_replaced_only_on_request(
    log: Log, tmp_path: Path, scenes: str, labels: list[str]
) -> None:
    ran = run(tmp_path / "run", scenes={"annotated": True}, segmenting={"scenes": scenes})
    assert [thing.label for thing in scenes_of(ran)[0].things] == labels


def test_objects_that_the_segmenter_is_unsure_of_stay_out_of_scenes_but_are_kept_for_the_check(
    log: Log, tmp_path: Path
) -> None:
    log.score = 0.3
    assert scenes_of(run(tmp_path / "one"))[0].things == ()
    again = run(tmp_path / "two", segmenting={"min_score": 0.3})
    assert len(scenes_of(again)[0].things) == 2
    assert log.looks == 3, "what scenes want is no business of the segmenter's"


def test_a_photo_is_segmented_once_and_not_once_per_run(log: Log, tmp_path: Path) -> None:
    first = scenes_of(run(tmp_path / "one"))
    assert log.looks == 3
    again = run(tmp_path / "two")
    assert scenes_of(again) == first
    assert log.looks == 3
    assert again.of(Segmented) == [Segmented(looked=0, recalled=3, failed=0, things=6)]


def test_another_segmenter_does_not_get_what_the_first_one_found(log: Log, tmp_path: Path) -> None:
    run(tmp_path / "one")
    log.version = 2
    run(tmp_path / "two")
    assert log.looks == 6


def test_nothing_is_kept_where_that_is_not_wanted(log: Log, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(tmp_path / name, segmenting={"remember": False})
    assert log.looks == 6
    assert not default_file(FILE).exists()


def test_the_cache_goes_where_a_setting_says(log: Log, tmp_path: Path) -> None:
    run(tmp_path / "run", segmenting={"cache": str(tmp_path / "kept" / "here.sqlite")})
    assert (tmp_path / "kept" / "here.sqlite").is_file()
    assert not default_file(FILE).exists()


def test_a_cache_that_cannot_be_written_names_the_settings(log: Log, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    ran = run(tmp_path / "run", segmenting={"cache": str(tmp_path / "file" / "cache.sqlite")})
    assert isinstance(ran.problem, RunError)
    assert "segmenting.cache" in str(ran.problem)


def test_an_entry_that_cannot_be_read_is_made_anew(log: Log, tmp_path: Path) -> None:
    run(tmp_path / "one")
    with closing(sqlite3.connect(default_file(FILE), isolation_level=None)) as connection:
        connection.execute("UPDATE segmentations SET things = '[{\"shape\": 1}]'")
    assert len(scenes_of(run(tmp_path / "two"))[0].things) == 2
    assert log.looks == 6


def test_a_photo_on_which_the_segmenter_fails_is_skipped_by_name(log: Log, tmp_path: Path) -> None:
    log.fails_on = {1}
    ran = run(tmp_path / "run")
    assert ran.problem is None
    assert [scene.id for scene in scenes_of(ran)] == ["s0", "s2"]
    (skipped,) = ran.of(Skipped)
    assert skipped == Skipped("s1", "The segmenter 'colour' failed on it: ValueError: too odd a photo.")
    assert ran.of(Segmented)[0].failed == 1


def test_a_photo_that_cannot_be_decoded_is_skipped_by_name(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", scenes={"broken": [0]})
    assert [scene.id for scene in scenes_of(ran)] == ["s1", "s2"]
    assert "0 is broken." in ran.of(Skipped)[0].reason


def test_a_segmenter_that_cannot_work_at_all_stops_the_run(log: Log, tmp_path: Path) -> None:
    log.unusable = True
    ran = run(tmp_path / "run")
    assert isinstance(ran.problem, UsageError)
    assert str(ran.problem) == "There are no weights."


def test_no_more_photos_are_looked_at_than_the_limit_asks_for(log: Log, tmp_path: Path) -> None:
    log.fails_on = {1}
    ran = run(tmp_path / "run", scenes={"count": 40}, limit=4)
    assert [event.scene for event in ran.of(Scanned)] == ["s0", "s2", "s3", "s4"]
    assert log.looks == 5


def test_a_plan_that_was_cut_off_does_not_look_again(log: Log, tmp_path: Path) -> None:
    config = _config(tmp_path, count=30)
    with start(config, tmp_path / "run") as store:
        events = plan_stage(store, config)
        while not isinstance(next(events), Scanned):
            pass
        events.close()  # type: ignore[attr-defined]
        seen = log.looks
        list(plan_stage(store, config))
        assert store.count("scenes") == 30
    assert 1 <= seen < 30
    assert log.looks == 30


def test_scenes_come_in_the_order_of_the_source_whoever_is_done_first(log: Log) -> None:
    second_is_done = threading.Event()

    class Waiting(ColourSegmenter):
        def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
            if pixels[0, 0, 0] == 0:
                assert second_is_done.wait(30)
            else:
                second_is_done.set()
            return super().segment(pixels)

    enrichment = Enrichment(ColourScenes(6), _segmenting(Waiting()), threads=2)
    found = [item.id for item in enrichment.over(ColourScenes(6).scan()) if isinstance(item, Scene)]
    assert found == [f"s{index}" for index in range(6)]


def test_only_a_few_photos_are_under_way(log: Log) -> None:
    enrichment = Enrichment(ColourScenes(), _segmenting(ColourSegmenter()), threads=2)
    with closing(enrichment.over(ColourScenes(1000).scan())) as found:
        for taken in range(1, 20):
            next(found)
            assert len(ColourScenes.scanned) <= taken + AHEAD * 2


@pytest.mark.parametrize(
    ("things", "complaint"),
    [
        ((Thing("a", "dog", Box(0, 0, 1, 1)), Thing("a", "cat", Box(0, 0, 1, 1))), "two objects the id 'a'"),
        ((Thing("a", "dog", Box(0, 0, 1, 1), Mask(2, 3, "06")),), "a mask of 3 x 2 on a photo of 60 x 60"),
    ],
)
def test_objects_that_cannot_be_on_the_photo_are_refused(log: Log, things: tuple[Thing, ...], complaint: str) -> None:
    class Odd(ColourSegmenter):
        def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
            return things

    (skip,) = Enrichment(ColourScenes(), _segmenting(Odd())).over(ColourScenes(1).scan())
    assert isinstance(skip, Skip)
    assert complaint in skip.reason


def test_a_run_does_not_go_on_with_another_segmenter(log: Log, tmp_path: Path) -> None:
    run(tmp_path / "run")
    log.version = 2
    with RunStore.open(tmp_path / "run") as store, store.transaction():
        store.connection.execute("DELETE FROM answers")
    problem = run(tmp_path / "run").problem
    assert isinstance(problem, RunError)
    assert "the segmenter changed since this run began (version)" in str(problem)


def test_the_cache_may_be_shared_by_two_runs_at_once(tmp_path: Path, log: Log) -> None:
    identity = identity_of(ColourSegmenter())
    things = (Thing("a", "dog", Box(0, 0, 1, 1), score=0.5),)
    with (
        closing(SegmentationCache.open(tmp_path / "c.sqlite", identity)) as one,
        closing(SegmentationCache.open(tmp_path / "c.sqlite", identity)) as two,
    ):
        assert two.get(painted(1)) is None
        one.put(painted(1), Segmentation(things))
        assert two.get(painted(1)) == Segmentation(things)
        assert two.get(painted(2)) is None
        # The same bytes in another shape are another photo.
        assert two.get(painted(1).reshape(30, 120, 3)) is None


def _segmenting(segmenter: ColourSegmenter) -> Segmenting:
    return Segmenting(RunSegmenter(segmenter, identity_of(segmenter)))


def _config(folder: Path, count: int) -> Config:
    return config_for(folder, scenes={"kind": "coloured", "count": count}, segmenter={"kind": "colour"})
