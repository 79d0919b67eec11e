from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.config import MeltCheckSettings
from anamorph.edits.melt import Melt
from anamorph.edits.relayout import Relayout
from anamorph.engine.events import Discarded, RenderFailed, Segmented
from anamorph.engine.render.melt_check import MeltCheck, remains, share_on
from anamorph.engine.segmenter import RunSegmenter, identity_of
from anamorph.engine.studio import RunStudio
from anamorph.model import Box, Hole, Inpainter, MadeUp, Picture, Thing
from anamorph.pixels.layouts import Move
from anamorph.pools.folder import JoinedPools
from anamorph.report import write_report
from anamorph.report.numbers import read_numbers
from anamorph.store.answers import count_pending
from anamorph.store.discards import discard_reasons, discarded_cases, discarded_images
from tests.engine.fakes import Ran, Script, config_for, go, use
from tests.engine.segmenters import (
    SIZE,
    ColourSegmenter,
    Copyist,
    Dreamer,
    GroundFill,
    Lazy,
    Log,
    coloured,
    painted,
    thing_of,
    use_colours,
)

RULES = MeltCheckSettings()


def hole(left: int = 40, right: int = 50, top: int = 10, bottom: int = 20) -> Hole:
    shape = np.zeros((SIZE, SIZE), np.bool_)
    shape[top:bottom, left:right] = True
    return shape


def made_up(*gone: str) -> MadeUp:
    return MadeUp(hole(), tuple(Thing(label, label, Box(40, 10, 10, 10)) for label in gone))


DOG, CAT = thing_of("dog", hole(), 0.9), thing_of("cat", hole(), 0.9)
FAR_CAT = thing_of("cat", hole(0, 10), 0.9)


# --- what is wrong with a melt ---------------------------------------------------------------------------------------


def test_a_class_that_was_in_the_hole_and_is_found_there_again_is_still_there() -> None:
    assert remains([DOG], [DOG], made_up("dog"), (), RULES) == "The melt check still finds 'dog' in the hole."


def test_a_class_that_the_photo_did_not_have_is_new() -> None:
    said = remains([DOG], [CAT], made_up("dog"), (), RULES)
    assert said == "The melt check finds 'cat' in the hole, where it found none before."


def test_a_removed_class_that_the_segmenter_had_missed_is_no_remainder_but_discards_all_the_same() -> None:
    said = remains([], [DOG], made_up("dog"), (), RULES)
    assert said == "The melt check finds 'dog' in the hole, where it found none before."


def test_the_segmenters_own_name_for_the_object_counts_and_not_only_the_annotated_one() -> None:
    assert remains([DOG], [DOG], made_up("wolf"), (), RULES) == "The melt check still finds 'dog' in the hole."


def test_what_stands_beside_the_hole_does_not_count() -> None:
    beside = thing_of("dog", hole(left=20, right=44), 0.9)
    assert remains([DOG, beside], [beside], made_up("dog"), (), RULES) is None


def test_a_class_that_the_photo_has_elsewhere_changes_no_claim() -> None:
    assert remains([DOG, FAR_CAT], [CAT, FAR_CAT], made_up("dog"), (), RULES) is None


def test_a_removed_class_discards_unless_one_of_it_is_annotated_elsewhere() -> None:
    assert remains([CAT, FAR_CAT], [CAT, FAR_CAT], made_up("cat"), (), RULES) is not None
    assert remains([CAT, FAR_CAT], [CAT, FAR_CAT], made_up("cat"), [FAR_CAT], RULES) is None


def test_what_the_segmenter_is_unsure_of_does_not_count() -> None:
    faint = thing_of("dog", hole(), 0.24)
    assert remains([DOG], [faint], made_up("dog"), (), RULES) is None
    assert remains([DOG], [faint], made_up("dog"), (), MeltCheckSettings(score=0.2)) is not None


def test_the_case_of_a_name_does_not_matter() -> None:
    assert remains([], [Thing("1", "Dog ", DOG.box, DOG.mask, 0.9)], made_up("dog"), (), RULES) is not None


def test_a_box_without_a_mask_is_measured_as_a_box() -> None:
    assert share_on(Thing("1", "dog", Box(45, 10, 10, 10)), hole()) == 0.5


@given(st.integers(0, 40), st.integers(1, 20), st.floats(0.01, 1))
def test_the_share_inside_decides(left: int, width: int, inside: float) -> None:
    found = thing_of("dog", hole(left, left + width), 0.9)
    share = share_on(found, hole())
    said = remains([DOG], [found], made_up("dog"), (), MeltCheckSettings(inside=inside))
    assert (said is not None) == (share >= inside)


# --- in the studio ---------------------------------------------------------------------------------------------------


def check() -> MeltCheck:
    segmenter = ColourSegmenter()
    return MeltCheck(RunSegmenter(segmenter, identity_of(segmenter)), RULES)


def picture(inpainter: Inpainter) -> Picture:
    pixels = painted(0)
    things = tuple(thing_of(label, coloured(pixels, label)) for label in ("tree", "dog"))
    return Picture(pixels, things, RunStudio({inpainter.kind: inpainter}, JoinedPools(())))


@pytest.mark.parametrize(
    ("inpainter", "complaint"),
    [
        (GroundFill(), None),
        (Lazy(), "still finds 'dog'"),
        (Dreamer(), "finds 'cat' in the hole, where"),
        (Copyist(), None),
    ],
)
def test_a_melt_is_looked_at(inpainter: Inpainter, complaint: str | None) -> None:
    before = picture(inpainter)
    edit = Melt(("dog",), inpainter.kind)
    said = check().complaint(edit, before, edit.apply(before))
    assert said is None if complaint is None else complaint in (said or "")


@pytest.mark.parametrize(("inpainter", "complaint"), [(GroundFill(), None), (Lazy(), "still finds 'dog'")])
def test_the_ground_that_a_moved_object_left_is_looked_at(inpainter: Inpainter, complaint: str | None) -> None:
    before = picture(inpainter)
    edit = Relayout((Move("dog", down=25),), inpainter.kind)
    after = edit.apply(before)
    assert (after.pixels[40, 45] == before.pixels[15, 45]).all()
    # The fake segmenter sees all dogs as one object; the moved one is covered, so that only the old place is left.
    old_place = after.pixels.copy()
    old_place[30:] = 90
    said = check().complaint(edit, before, after.with_pixels(old_place))
    assert said is None if complaint is None else complaint in (said or "")


def test_an_object_that_covers_its_own_hole_leaves_no_ground_to_look_at() -> None:
    edit = Relayout((Move("dog"),), "ground")
    told = edit.made_up(picture(GroundFill()))
    assert not told.ground[10:20, 40:50].any()
    assert told.ground.any()


def test_the_untouched_photo_and_each_melt_of_it_are_looked_at_once() -> None:
    log, checking, before = use_colours(), check(), picture(GroundFill())
    edit = Melt(("dog",), GroundFill.kind)
    for _ in range(3):
        checking.complaint(edit, before, edit.apply(before))
    assert log.looks == 2


def test_a_plate_is_looked_at_once_for_all_layouts_made_from_it() -> None:
    log, checking, before = use_colours(), check(), picture(GroundFill())
    for down in (22, 25, 28):
        edit = Relayout((Move("dog", down=down),), GroundFill.kind)
        assert checking.complaint(edit, before, edit.apply(before)) is None
    assert log.looks == 2


# --- in a run --------------------------------------------------------------------------------------------------------


@pytest.fixture
def log() -> Log:
    use(Script())
    return use_colours()


def run(folder: Path, inpainter: str, **changes: Any) -> Ran:
    method = {"methods": ["rome"], "rome": {"inpainter": inpainter, "melt": {"max_at_once": 0.1}}}
    scenes = changes.pop("scenes", {"kind": "coloured"})
    # What the pixels alone show is tested by itself.
    changes["melt_check"] = {"fills": False, **changes.pop("melt_check", {})}
    return go(folder, scenes=scenes, segmenter={"kind": "colour"}, **method, **changes)


def test_a_good_melt_is_asked_about(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", "ground")
    assert ran.problem is None
    assert not ran.of(Discarded)
    assert len(ran.outcomes()) == 3
    assert "undecided" not in ran.outcomes()


def test_a_discarded_image_costs_no_call_and_decides_nothing(log: Log, tmp_path: Path) -> None:
    script = use(Script())
    use_colours()
    ran = run(tmp_path / "run", "lazy")
    assert ran.outcomes() == ["undecided"] * 3
    assert len(ran.of(Discarded)) == 3
    assert not ran.of(RenderFailed)
    assert len(script.asked) == 3, "only the untouched photos are asked about"
    with ran.store() as store:
        assert (discarded_images(store), discarded_cases(store)) == (3, 3)
        assert discard_reasons(store) == [("The melt check still finds 'dog' in the hole.", 3)]
        (reason,) = {row[0] for row in store.connection.execute("SELECT reason FROM verdicts")}
    assert reason == "The follow-up has no answer: The melt check still finds 'dog' in the hole."


def test_a_resumed_run_neither_makes_nor_checks_discarded_images_again(log: Log, tmp_path: Path) -> None:
    run(tmp_path / "run", "dreamer")
    script = use(Script())
    again = use_colours()
    ran = run(tmp_path / "run", "dreamer")
    assert ran.problem is None
    assert (script.asked, again.looks) == ([], 0)
    with ran.store() as store:
        assert count_pending(store, 1) == 0


def test_the_check_recalls_what_the_scan_found(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", "lazy")
    assert ran.of(Segmented)[0].looked == 3
    assert log.looks == 3 + 3, "each photo once, and each melted image once"


def test_the_check_can_be_switched_off(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", "lazy", melt_check={"enabled": False})
    assert not ran.of(Discarded)
    assert log.looks == 3


def test_the_check_works_on_annotated_scenes_without_touching_them(log: Log, tmp_path: Path) -> None:
    scenes = {"kind": "coloured", "annotated": True}
    ran = run(tmp_path / "run", "lazy", scenes=scenes, segmenting={"scenes": "none"})
    assert [event.reason for event in ran.of(Discarded)] == ["The melt check still finds 'dog' in the hole."] * 3
    with ran.store() as store:
        assert store.fact("segmenter") == {"kind": "colour", "version": 1, "least": 9}
        bodies = [row[0] for row in store.connection.execute("SELECT body FROM scenes")]
    assert all('"label":"wolf"' in body and '"label":"dog"' not in body for body in bodies)


def test_the_report_counts_discards_apart_from_failures(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", "lazy")
    config = config_for(tmp_path, scenes={"kind": "coloured"}, segmenter={"kind": "colour"}, methods=["rome"], rome={})
    with ran.store() as store:
        numbers = read_numbers(store, config)
        written = write_report(store, config, tmp_path / "report")
    assert (numbers.failed_images, numbers.discarded_images, numbers.discarded_cases) == (0, 3, 3)
    assert numbers.state == "complete"
    assert "Checks of images discarded 3 pictures, so 3 cases were not asked." in written.index_html.read_text()
    summary = json.loads((tmp_path / "report" / "report.json").read_text())["summary"]
    assert summary["counts"]["discarded_images"] == 3
    assert summary["segmenter"]["kind"] == "colour"
