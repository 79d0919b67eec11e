from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, strategies as st

from anamorph.edits.crop import Crop
from anamorph.edits.stretch import Stretch
from anamorph.methods.reic.method import NOTHING_PLAIN, SMALL, Reic
from anamorph.model import Box, Case, Scene, Skip, Thing
from anamorph.relations.crop_keeps_inside import CropKeepsInside
from anamorph.relations.nested_views import NestedViews
from anamorph.relations.same_objects import SameObjects
from tests.methods.asking import photos, toybox

BARE = Scene("bare", "bare.jpg", 640, 480)


def cases(method: Reic, scenes: list[Scene], seed: int = 1) -> list[Case]:
    return [item for item in method.plan(scenes, Random(seed)) if isinstance(item, Case)]


def view_of(edit: object) -> Box:
    assert isinstance(edit, Crop)
    return edit.box


def test_a_photo_of_which_nothing_is_known_gets_nested_crops_and_stretches() -> None:
    found = cases(Reic(), [BARE])
    assert [type(case.relation) for case in found] == [NestedViews, NestedViews, SameObjects, SameObjects]
    for case in found[:2]:
        middle, inner = (view_of(probe.edits[0]) for probe in case.follow_ups)
        assert 0 <= middle.x <= inner.x and inner.right <= middle.right <= 640
        assert 0 <= middle.y <= inner.y and inner.bottom <= middle.bottom <= 480
    assert [case.follow_ups[0].edits for case in found[2:]] == [(Stretch(0.8),), (Stretch(1.25),)]


@given(photos(), st.integers(0, 1000))
def test_what_is_said_to_be_inside_or_outside_a_crop_is_so_for_every_object(scenes: list[Scene], seed: int) -> None:
    by_id = {scene.id: scene for scene in scenes}
    for case in cases(Reic(), scenes, seed):
        if not isinstance(case.relation, CropKeepsInside):
            continue
        view = view_of(case.follow_ups[0].edits[0])
        assert case.relation.inside or case.relation.outside
        for thing in by_id[case.source.scene].things:
            if thing.label in case.relation.inside:
                assert thing.box.x >= view.x and thing.box.right <= view.right
                assert thing.box.y >= view.y and thing.box.bottom <= view.bottom
            if thing.label in case.relation.outside:
                assert thing.box.overlap(view) == 0


def test_other_scenes_do_not_change_a_scenes_crops_and_the_seed_does() -> None:
    first, second = toybox(2)
    method = Reic(stretches=())
    together = [case for case in cases(method, [first, second]) if case.source.scene == second.id]
    assert together == cases(method, [second])
    assert together != cases(method, [second], seed=2)


def test_on_drawn_scenes_every_image_has_its_own_truth() -> None:
    (scene,) = toybox(1)
    located = next(case.relation for case in cases(Reic(), [scene]))
    assert isinstance(located, CropKeepsInside) and located.views is not None and len(located.views) == 2
    nested = next(case.relation for case in cases(Reic(locate="views"), [scene]))
    assert isinstance(nested, NestedViews) and nested.views is not None and len(nested.views) == 3


@pytest.mark.parametrize(
    ("scene", "why"),
    [
        (Scene("tiny", "tiny.jpg", 12, 12), SMALL),
        # It fills the photo, so that every crop cuts it.
        (Scene("full", "full.jpg", 640, 480, (Thing("1", "dog", Box(0, 0, 640, 480)),)), NOTHING_PLAIN),
    ],
)
def test_photos_that_give_no_crop_are_counted(scene: Scene, why: str) -> None:
    assert Skip(scene.id, why, "scene") in list(Reic().plan([scene], Random(1)))
