from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from anamorph.edits.relayout import Relayout
from anamorph.edits.repaint import Repaint
from anamorph.methods.melting.eligibility import COMPANY, LARGE, SMALL, MeltRules
from anamorph.methods.spolre.method import Spolre
from anamorph.methods.spolre.movable import FOUND, INCOMPLETE, NOT_ALONE, MovingRules
from anamorph.model import AmodalMask, Footing, Picture, Scene, Tally, Thing
from anamorph.pixels.amodal import COMPLETED_BY
from anamorph.pixels.layouts import Move
from anamorph.pixels.masks import mask_box, mask_from_pixels, mask_pixels
from anamorph.pixels.shapes import thing_shape, union_shape
from anamorph.pools.cutouts import BORDER, CARRIES, HIDDEN, Quality
from anamorph.pools.folder import SketchStudio
from tests.english import with_references
from tests.methods.scenery import HEIGHT, WIDTH, again, left_out, mask_of, planned, scene, thing

RULES = MovingRules(MeltRules(max_area=0.3), Quality(min_side=8, min_area=64))
# The cat stands before the right end of a dog of 52 x 40.
CAT, DOG = thing("cat", "cat", 120, 50, 22, 60), thing("dog", "dog", 80, 60, 40, 40)
AMODAL = AmodalMask("dog", mask_of(80, 60, 52, 40), ("cat",), "telea")
CAPTIONS = ["A dog behind a cat."]
HIDING = scene(DOG, CAT, captions=CAPTIONS)
GROUND = tuple(Footing(id, mask_of(0, 0, WIDTH, HEIGHT)) for id in ("dog", "cat"))
COMPLETED = replace(HIDING, wholes=(AMODAL,), origin={COMPLETED_BY: "fake"}, footings=GROUND)


def reason(its: Scene, rules: MovingRules = RULES) -> str | None:
    return rules.movable(its, None).left_out.get("dog")


def test_an_object_behind_another_moves_only_once_it_is_completed() -> None:
    assert reason(HIDING) == HIDDEN and RULES.incomplete(HIDING, None) == ("dog",)
    assert reason(replace(HIDING, origin={COMPLETED_BY: "fake"})) == INCOMPLETE
    movable = RULES.movable(COMPLETED, None)
    assert movable.left_out.get("dog") is None
    assert next(t for t in movable.things if t.id == "dog") == replace(DOG, mask=AMODAL.mask, box=mask_box(AMODAL.mask))
    assert movable.company["dog"].lifted == ("cat",) and movable.company["dog"].kept == ()


def test_an_object_that_did_not_grow_where_another_cuts_it_is_not_whole() -> None:
    assert reason(replace(COMPLETED, wholes=(replace(AMODAL, mask=mask_of(80, 60, 40, 40)),))) == INCOMPLETE
    assert reason(replace(COMPLETED, wholes=(replace(AMODAL, mask=mask_of(80, 60, 45, 40)),))) is None


def test_only_objects_of_named_classes_are_completed() -> None:
    assert RULES.incomplete(HIDING, {"cat"}) == ()
    (read,) = with_references([HIDING])
    assert Spolre(melt=RULES.melt).wants_amodal_masks.objects(read) == ("dog",)  # type: ignore[union-attr]
    assert Spolre(complete_masks=False).wants_amodal_masks is None


def with_cat(left: int, top: int, width: int, height: int) -> Scene:
    return replace(COMPLETED, things=(DOG, thing("cat", "cat", left, top, width, height)))


@pytest.mark.parametrize(
    ("its", "rules", "expected"),
    [
        (with_cat(120, 56, 20, 46), RULES, CARRIES),
        (COMPLETED, replace(RULES, melt=MeltRules(max_area=0.03)), LARGE),
        (COMPLETED, replace(RULES, melt=MeltRules(max_area=0.05)), COMPANY),
        (COMPLETED, replace(RULES, melt=MeltRules(max_area=0.3, min_area=0.1)), SMALL),
    ],
    ids=["carried", "large", "large together", "small"],
)
def test_a_completed_object_that_cannot_be_moved_is_left_out_with_its_reason(
    its: Scene, rules: MovingRules, expected: str | None
) -> None:
    assert reason(its, rules) == expected


def test_a_rug_around_it_holds_it_and_two_sides_of_the_photo_do() -> None:
    around = mask_pixels(mask_of(73, 53, 54, 54)) & ~union_shape((DOG, CAT), HEIGHT, WIDTH)
    rug = Thing("rug", "rug", mask_box(mask_from_pixels(around)), mask_from_pixels(around))
    assert reason(replace(COMPLETED, things=(DOG, CAT, rug))) == NOT_ALONE
    cornered = scene(thing("dog", "dog", 220, 0, 40, 40), thing("cat", "cat", 260, 0, 20, 60), captions=CAPTIONS)
    assert reason(replace(cornered, wholes=(replace(AMODAL, mask=mask_of(220, 0, 60, 40)),))) == BORDER


METHOD = Spolre(layouts_per_scene=60, melt=RULES.melt)


def relaid(its: Scene = COMPLETED) -> list[Relayout]:
    edits = [case.follow_ups[0].edits[0] for case in planned(METHOD, [its])]
    return [edit for edit in edits if isinstance(edit, Relayout)]


def test_a_layout_carries_the_whole_of_what_it_moves_and_lifts_what_stood_before_it() -> None:
    moving = [edit for edit in relaid() if Move("dog") not in edit.moves and edit.wholes]
    assert moving and all(edit.wholes == (AMODAL,) for edit in moving)
    assert all({move.object for move in edit.moves} == {"dog", "cat"} for edit in moving)


def test_a_completed_object_that_stays_is_not_lifted() -> None:
    assert all(Move("dog") not in edit.moves for edit in relaid())


def test_the_objects_after_a_layout_are_as_planned() -> None:
    picture = Picture(np.zeros((HEIGHT, WIDTH, 3), np.uint8), COMPLETED.things, SketchStudio())
    for edit in relaid():
        if not edit.wholes:
            continue
        after = {each.id: each for each in edit.apply(picture).things}
        for move in edit.moves:
            width, height = {"dog": (52, 40), "cat": (22, 60)}[move.object]
            area, edge = width * height * move.scale**2, 2 * (width + height) * move.scale
            shown = thing_shape(after[move.object], HEIGHT, WIDTH).sum()
            assert area + edge >= shown >= (1 - METHOD.layout.max_hidden) * area - edge


def test_what_stands_before_the_company_does_not_move_with_it() -> None:
    # A bird before the cat: with the dog gone and the cat laid back, the cat would have a bite.
    bird = thing("bird", "bird", 142, 60, 20, 20)
    its = replace(COMPLETED, things=(DOG, CAT, bird), captions=("A dog, a cat and a bird.",))
    assert RULES.movable(its, None).company["dog"].kept == ("bird",)
    for edit in relaid(its):
        moved = {move.object for move in edit.moves if move != Move(move.object)}
        assert not {"dog", "bird"} <= moved


def test_a_painters_map_has_the_whole_object() -> None:
    cases = planned(replace(METHOD, rendering="diffusion", layouts_per_scene=20), [COMPLETED])
    edits = [case.follow_ups[0].edits[0] for case in cases]
    assert any(isinstance(edit, Repaint) and edit.wholes == (AMODAL,) for edit in edits)


def test_cases_with_completed_objects_survive_json_and_are_counted_apart() -> None:
    cases = planned(METHOD, [COMPLETED])
    assert all(again(case) == case and again(case).digest == case.digest for case in cases)
    assert "1" in Counter(case.tags.get("completed") for case in cases)
    assert INCOMPLETE in {skip.reason for skip in left_out(METHOD, [replace(COMPLETED, wholes=())])}


def test_an_object_in_two_pieces_is_whole_again() -> None:
    shape = mask_pixels(mask_of(60, 60, 100, 40))
    pole = thing("cat", "cat", 105, 30, 12, 100)
    dog = Thing(
        "dog", "dog", mask_box(mask_of(60, 60, 100, 40)), mask_from_pixels(shape & ~thing_shape(pole, 210, 280))
    )
    whole = replace(AMODAL, mask=mask_of(60, 60, 100, 40))
    its = scene(dog, pole, captions=CAPTIONS)
    assert RULES.incomplete(its, {"dog"}) == ("dog",)
    assert reason(replace(its, wholes=(whole,))) is None


def test_the_summary_tells_layouts_with_completed_objects_from_the_others() -> None:
    tags = {"transformations": "mirror", "moved": "1"}
    plain = Tally("spolre", "keeps-all", tags, 6, 2, 0, {}, {})
    whole = Tally("spolre", "keeps-all", {**tags, "completed": "1"}, 3, 1, 0, {}, {})
    titles = [table.title for table in Spolre().summarise([plain])]
    assert "Per number of completed objects" not in titles
    (table,) = (t for t in Spolre().summarise([plain, whole]) if t.title == "Per number of completed objects")
    assert [row[:3] for row in table.rows] == [("0", 8, 2), ("1", 4, 1), ("all", 12, 3)]


def test_what_only_a_segmenter_found_stays_unless_it_is_asked_for_or_need_not_look_like_a_photo() -> None:
    its = scene(replace(DOG, score=0.99), captions=CAPTIONS)
    assert reason(its, replace(RULES, found=False)) == FOUND and reason(its) != FOUND
    spolre = Spolre(melt=RULES.melt, quality=RULES.quality)
    free = replace(spolre, layout=replace(spolre.layout, moves="free"))
    for method, found in ((spolre, True), (replace(spolre, found=True), False), (free, False)):
        assert (FOUND in {skip.reason for skip in left_out(method, [its])}) is found
    assert FOUND not in {skip.reason for skip in left_out(replace(spolre, rendering="diffusion"), [its])}
