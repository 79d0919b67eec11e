from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.relayout import Relayout
from anamorph.edits.repaint import Repaint
from anamorph.errors import BadRecord
from anamorph.methods.melting.eligibility import LARGE
from anamorph.methods.spolre.method import FEWER, NO_REFERENCES, NOTHING_MOVABLE, NOTHING_NAMED, Spolre
from anamorph.methods.spolre.movable import NOT_ALONE, UNNAMED
from anamorph.methods.spolre.rearranging import TRANSFORMATIONS, Arrangement, LayoutRules, Rearranger, Transformation
from anamorph.model import Case, Mask, Picture, Scene, Stuff, Tally, decode
from anamorph.pixels.layouts import Move, moved_box
from anamorph.pixels.shapes import thing_shape
from anamorph.pools.cutouts import BORDER, CARRIES
from anamorph.pools.folder import SketchStudio
from anamorph.relations.keeps_all import KeepsAll
from tests.methods.scenery import TOYBOX, again, coco, left_out, planned, planned_blindly, run, scene, thing

CUP, DOG, OTHER_DOG = (
    thing("cup", "cup", 20, 30, 30, 30),
    thing("dog", "dog", 90, 40, 40, 30),
    thing("other", "dog", 190, 120, 40, 40),
)
CAPTIONS = ("A cup and a dog.", "Two dogs beside a cup.", "Some dogs.")
SIMPLE = scene(CUP, DOG, OTHER_DOG, captions=CAPTIONS)


def relaid(case: Case) -> Arrangement:
    ((edit,),) = (probe.edits for probe in case.follow_ups)
    assert isinstance(edit, Relayout) and case.source.edits == ()
    return Arrangement(edit.moves)


def relation_of(case: Case) -> KeepsAll:
    assert isinstance(case.relation, KeepsAll)
    return case.relation


def reasons(method: Spolre, *scenes: Scene) -> Counter[str]:
    return Counter(skip.reason for skip in left_out(method, scenes))


def test_a_scene_gets_ten_different_layouts_that_must_name_what_references_agree_on() -> None:
    cases = planned(Spolre(profile="paper"), [SIMPLE])
    assert len({relaid(case) for case in cases}) == len(cases) == 10
    assert {case.relation for case in cases} == {KeepsAll((("cup", 1), ("dog", 2)), ("cup", "dog"))}


def test_a_painter_makes_several_pictures_of_each_layout_and_numbers_are_claimed_as_published_only() -> None:
    laid = planned(Spolre(layouts_per_scene=3), [SIMPLE])
    method = Spolre(layouts_per_scene=3, rendering="diffusion", images_per_layout=2, profile="paper")
    cases = planned(method, [SIMPLE])
    painted = [case.follow_ups[0].edits[0] for case in cases]
    assert all(isinstance(edit, Repaint) for edit in painted) and len(set(painted)) == len(painted) == 6
    edits = [edit for edit in painted if isinstance(edit, Repaint)]
    assert [edit.sample for edit in edits] == [0, 1] * 3
    assert [edit.moves for edit in edits[::2]] == [relaid(case).moves for case in laid]
    assert {edit.prompt for edit in edits} == {"a photograph with cup, dog"}
    assert {case.relation for case in cases} == {KeepsAll((("cup", 1), ("dog", 2)), ("cup", "dog"), painted=True)}
    own = planned(replace(method, profile="anamorph"), [SIMPLE])
    assert {relation_of(case).uncounted for case in own} == {("cup", "dog")}


def test_the_ground_of_a_scene_goes_on_the_map_and_is_neither_counted_nor_claimed() -> None:
    ground = (Stuff("grass-merged", Mask(4, 4, "04o0")),)
    method = Spolre(layouts_per_scene=1, rendering="diffusion")
    (bare,), (case,) = planned(method, [SIMPLE]), planned(method, [replace(SIMPLE, stuff=ground)])
    (without,), (edit,) = bare.follow_ups[0].edits, case.follow_ups[0].edits
    assert isinstance(without, Repaint) and edit == replace(without, stuff=ground)
    assert case.relation == bare.relation


def test_numbers_of_painted_pictures_are_judged_where_the_check_of_each_picture_counts_them() -> None:
    unsure = scene(CUP, DOG, OTHER_DOG, captions=[*CAPTIONS, "Three dogs and a cup."])
    method = Spolre(layouts_per_scene=1, rendering="diffusion", painted_numbers=True)
    (case,) = planned(method, [unsure])
    (edit,) = case.follow_ups[0].edits
    assert isinstance(edit, Repaint) and edit.counted == ("cup",)
    relation = relation_of(case)
    assert relation.uncounted == ("dog",) and relation.known is not None
    assert {each.label: (each.least, each.most) for each in relation.known} == {"cup": (1, 1), "dog": (0, None)}
    (case,) = planned(method, [replace(unsure, countable=("dog",))])
    (edit,) = case.follow_ups[0].edits
    assert isinstance(edit, Repaint) and edit.counted == () and relation_of(case).uncounted == ("cup", "dog")


@pytest.mark.parametrize(("agreement", "named"), [(0, ("cup", "dog")), (0.6, ("cup", "dog")), (0.7, ("dog",))])
def test_a_class_must_be_named_where_enough_references_name_it(agreement: float, named: tuple[str, ...]) -> None:
    assert {relation_of(case).named for case in planned(Spolre(agreement=agreement), [SIMPLE])} == {named}


def test_only_objects_that_a_reference_names_move() -> None:
    silent = scene(CUP, DOG, OTHER_DOG, captions=["A dog."])
    moved = {move.object for case in planned(Spolre(), [silent]) for move in relaid(case).moved}
    assert moved == {"dog", "other"}
    assert reasons(Spolre(), silent)[UNNAMED] == 1


def test_a_number_that_a_reference_contradicts_or_a_crowd_hides_is_not_claimed() -> None:
    unsure = scene(CUP, DOG, OTHER_DOG, captions=[*CAPTIONS, "Three dogs and a cup."])
    assert {relation_of(case).uncounted for case in planned(Spolre(), [unsure])} == {("dog",)}
    crowd = thing("crowd", "cup", 230, 10, 40, 40, crowd=True)
    crowded = scene(CUP, DOG, OTHER_DOG, crowd, captions=CAPTIONS)
    assert {relation_of(case).uncounted for case in planned(Spolre(), [crowded])} == {("cup",)}


def test_without_references_the_systems_own_caption_of_the_source_is_the_truth() -> None:
    bare = scene(CUP, DOG)
    assert planned(Spolre(profile="paper"), [bare]) == []
    cases = planned(Spolre(ground_truth="self", profile="paper"), [bare])
    assert {case.relation for case in cases} == {KeepsAll((("cup", 1), ("dog", 1)), None, "self")}
    assert len(cases) == 10


def test_a_scene_without_references_is_judged_by_the_caption_of_its_source_except_as_published() -> None:
    alone = scene(CUP, DOG, OTHER_DOG)
    cases = planned(Spolre(), [alone, SIMPLE])
    assert Counter(relation_of(case).ground_truth for case in cases) == {"self": 10, "references": 10}
    assert reasons(Spolre(profile="paper"), alone) == {NO_REFERENCES: 1}


@pytest.mark.parametrize(("left", "top"), [(0, 60), (250, 60), (100, 0), (100, 180)])
def test_what_a_side_cuts_only_moves_along_that_side(left: int, top: int) -> None:
    cases = planned(
        Spolre(layout=LayoutRules("free")), [scene(thing("cup", "cup", left, top, 30, 30), captions=["A cup."])]
    )
    moves = [move for case in cases for move in relaid(case).moved]
    assert len(moves) > 3 and all(move.degrees == 0 and move.scale == 1 for move in moves)
    beside = left in (0, 250)
    assert all(move.right == 0 and not move.mirror for move in moves) if beside else all(m.down == 0 for m in moves)
    assert any(move.down if beside else move.right for move in moves)


def test_what_is_not_moved_is_told_with_its_reason() -> None:
    assert reasons(Spolre(), scene(CUP, captions=["A bus."])) == {NOTHING_NAMED: 1}
    cut = scene(thing("cup", "cup", 0, 0, 30, 30), captions=["A cup."])
    assert reasons(Spolre(), cut) == {BORDER: 1, NOTHING_MOVABLE: 1}
    large = scene(thing("bed", "bed", 20, 20, 200, 150), captions=["A bed."])
    assert reasons(Spolre(), large) == {LARGE: 1, NOTHING_MOVABLE: 1}
    tray = thing("tray", "bowl", 80, 80, 90, 60)
    laden = scene(tray, thing("egg", "egg", 110, 95, 20, 20), captions=["A bowl."])
    assert reasons(Spolre(), laden) == {CARRIES: 1, UNNAMED: 1, NOTHING_MOVABLE: 1}
    ball = thing("ball", "sports ball", 131, 50, 8, 8)
    assert reasons(Spolre(), scene(DOG, ball, captions=["A dog."])) == {NOT_ALONE: 1, UNNAMED: 1, NOTHING_MOVABLE: 1}


def test_one_object_and_the_mirror_alone_have_one_layout_and_what_is_missing_is_told() -> None:
    method = Spolre(layout=LayoutRules(steps=1, transformations=("mirror",)))
    lonely = scene(CUP, captions=["A cup."])
    (case,) = planned(method, [lonely])
    assert relaid(case).moves == (Move("cup", mirror=True),)
    assert case.tags == {"transformations": "mirror", "moved": "1"}
    assert reasons(method, lonely) == {FEWER: 1}


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_one_transformation_at_a_time_is_the_papers_ablation(transformation: Transformation) -> None:
    rules = LayoutRules("free", 1, (transformation,))
    cases = planned(Spolre(layouts_per_scene=5, layout=rules), TOYBOX)
    assert {case.tags["transformations"] for case in cases} == {transformation}
    assert {case.tags["moved"] for case in cases} == {"1"}
    for case in cases:
        (move,) = relaid(case).moved
        changed = {
            "translation": Move(move.object, move.right, move.down),
            "rotation": Move(move.object, degrees=move.degrees),
            "scaling": Move(move.object, scale=move.scale),
            "mirror": Move(move.object, mirror=move.mirror),
        }
        assert move == changed[transformation]


@st.composite
def scattered(draw: st.DrawFn) -> Scene:
    things = []
    for number in range(draw(st.integers(1, 5))):
        left, top = draw(st.integers(0, 230)), draw(st.integers(0, 160))
        width, height = draw(st.integers(4, min(90, 280 - left))), draw(st.integers(4, min(90, 210 - top)))
        things.append(thing(str(number), "cup", left, top, width, height, crowd=draw(st.integers(0, 9)) == 0))
    return scene(*things)


@given(
    scattered(),
    st.sets(st.sampled_from(TRANSFORMATIONS), min_size=1),
    st.integers(1, 6),
    st.floats(0, 0.6),
    st.randoms(),
)
def test_no_layout_leaves_the_picture_turns_or_scales_too_far_or_hides_too_much(
    its: Scene, kinds: set[Transformation], steps: int, most: float, rng: Random
) -> None:
    rules = LayoutRules("free", steps=steps, transformations=tuple(sorted(kinds)), max_hidden=most, tries=5)
    movable = [each for each in its.things if not each.crowd][:3]
    if not movable:
        return
    arranged = Rearranger(its, movable, rules).draw(rng)
    if arranged is None:
        return
    assert arranged.moved and {move.object for move in arranged.moves} <= {each.id for each in movable}
    assert set(arranged.transformations) <= kinds
    for move in arranged.moved:
        box = moved_box(its.thing(move.object).box, move)
        assert min(box.x, box.y, its.width - box.right, its.height - box.bottom) >= 0
        assert abs(move.degrees) <= rules.max_degrees and rules.scales[0] <= move.scale <= rules.scales[1]
    _nothing_is_lost(its, arranged, most)


def _nothing_is_lost(its: Scene, arranged: Arrangement, most: float) -> None:
    """What the edit itself says is left of each object, against what moving alone would leave."""
    picture = Picture(np.zeros((its.height, its.width, 3), np.uint8), its.things, SketchStudio())
    after = {each.id: each for each in Relayout(arranged.moves).apply(picture).things}
    scales = {move.object: move.scale for move in arranged.moves}
    for id, scale in scales.items():
        area = thing_shape(its.thing(id), its.height, its.width).sum() * scale**2
        left = thing_shape(after[id], its.height, its.width).sum() if id in after else 0
        # Nearest neighbour may lose a line of pixels on each side of a small object.
        edge = 2 * (its.thing(id).box.width + its.thing(id).box.height) * scale
        assert left >= (1 - most) * area - edge


def test_a_moved_object_does_not_hide_one_that_stays() -> None:
    wall = thing("wall", "tv", 100, 0, 180, 210)
    its = scene(CUP, wall, captions=["A cup."])
    rules = LayoutRules("free", transformations=("translation",), steps=1, max_hidden=0)
    cases = planned(Spolre(layout=rules), [its])
    boxes = [moved_box(CUP.box, move) for case in cases for move in relaid(case).moved]
    assert boxes and all(box.overlap(wall.box) == 0 for box in boxes)


def test_a_movable_object_that_another_comes_to_lie_over_is_lifted_and_laid_on_top() -> None:
    big, small = thing("big", "dog", 20, 20, 80, 60), thing("small", "cup", 180, 120, 16, 20)
    rules = LayoutRules("free", transformations=("translation",), steps=1)
    cases = planned(Spolre(layouts_per_scene=200, layout=rules), [scene(big, small, captions=["A dog and a cup."])])
    over = [
        arranged
        for arranged in map(relaid, cases)
        for move in arranged.moved
        if move.object == "big" and moved_box(big.box, move).overlap(small.box) > 0
    ]
    assert over and all(Move("small") in arranged.moves for arranged in over)


def test_plans_repeat_for_a_seed_and_a_scene_keeps_its_layouts_whatever_comes_before_it() -> None:
    method = Spolre(layouts_per_scene=3)
    once = planned(method, TOYBOX)
    assert [case.digest for case in once] == [case.digest for case in planned(method, TOYBOX)]
    assert [case.digest for case in once] != [case.digest for case in planned(method, TOYBOX, seed=2)]
    assert planned(method, TOYBOX[-1:]) == [case for case in once if case.source.scene == TOYBOX[-1].id]


def test_cases_survive_json() -> None:
    cases = planned(Spolre(layouts_per_scene=4, question="What is there?"), TOYBOX)
    assert len(cases) >= 20
    assert all(again(case) == case and again(case).digest == case.digest for case in cases)


def test_planning_touches_no_pixels(tmp_path: Path) -> None:
    assert planned_blindly(tmp_path / "run", "spolre", {"layouts_per_scene": 2, "layout": {"moves": "free"}}) > 0


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"transformations": []}, "transformations must name at least one"),
        ({"transformations": ["flip"]}, "expected one of 'translation', 'rotation', 'scaling', 'mirror', got 'flip'"),
        ({"scales": [1.3, 0.7]}, "scales must be the least and the largest, got 1.3 and 0.7"),
    ],
)
def test_a_wrong_layout_setting_is_told(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadRecord, match=complaint):
        decode(Spolre, {"layout": settings})


def test_a_layout_with_several_transformations_counts_for_each_of_them() -> None:
    tallies = [
        Tally(
            "spolre", "keeps-all", {"transformations": "rotation+mirror", "moved": "2"}, 6, 2, 0, {}, {"omission": 2}
        ),
        Tally("spolre", "keeps-all", {"transformations": "mirror", "moved": "1"}, 2, 2, 0, {}, {"quantity": 2}),
    ]
    kinds, moved, errors = Spolre().summarise(tallies)
    assert [row[:3] for row in kinds.rows] == [("rotation", 8, 2), ("mirror", 12, 4), ("all", 12, 4)]
    assert [row[:3] for row in moved.rows] == [("2", 8, 2), ("1", 4, 2), ("all", 12, 4)]
    assert errors.rows == (("omission", 2, "50.0%"), ("quantity", 2, "50.0%"))


def test_a_whole_run_on_drawn_scenes(tmp_path: Path) -> None:
    tallies = run(tmp_path / "run", "spolre", "toybox:5", {"layouts_per_scene": 5})
    assert sum(tally.undecided for tally in tallies) == 0
    assert sum(tally.holds + tally.violated for tally in tallies) >= 20
    assert sum(tally.holds for tally in tallies) > 0


@pytest.mark.slow
def test_real_photos_can_be_laid_out_anew(tmp_path: Path, shared: Path) -> None:
    tallies = run(tmp_path / "run", "spolre", coco(shared), {"layouts_per_scene": 2}, limit=20)
    assert sum(tally.holds + tally.violated for tally in tallies) > 0
