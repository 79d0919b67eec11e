from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.config import resolve
from anamorph.edits.insert import Insert
from anamorph.errors import BadRecord, UsageError
from anamorph.methods.inserting.overlaps import PlacementRules, largest_of, overlap_interval, size_range
from anamorph.methods.metaic.method import (
    FOUND,
    NO_CUTOUT,
    NO_PLACE,
    NOTHING_BESIDE,
    NOTHING_FITS,
    USED_UP,
    MetaIC,
    interval_name,
)
from anamorph.model import Box, Case, Footing, Scene, Skip, Tally, Thing, decode
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.masks import mask_box, mask_from_pixels
from anamorph.pools.cutouts import Wanted, build_pool
from anamorph.pools.folder import Pool, PoolEntry, write_cutout, write_list
from anamorph.relations.only_gains import OnlyGains
from anamorph.toybox.scenes import ToyboxScenes
from tests.methods.scenery import TOYBOX, again, coco, left_out, planned, planned_blindly, run, scene, thing

PAPER = PlacementRules(mode="paper")
# One object in the middle, with room all around it.
ROOMY = scene(thing("table", "dining table", 100, 70, 80, 70))


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pool of four cut-outs, of which the cup comes from the scene `s`."""
    folder = tmp_path_factory.mktemp("pool")
    entries = []
    for number, (label, width, height) in enumerate(
        [("cup", 20, 30), ("dog", 40, 20), ("cat", 30, 30), ("bus", 60, 20)]
    ):
        rgba = np.full((height, width, 4), 255, np.uint8)
        rgba[..., :3] = number * 40
        id, file, sha256 = write_cutout(folder, rgba, label)
        entries.append(PoolEntry(id, label, file, sha256, width, height, "s" if label == "cup" else "elsewhere", "1"))
    write_list(folder, entries, {})
    return str(folder)


def inserted(case: Case) -> Insert:
    ((edit,),) = (probe.edits for probe in case.follow_ups)
    assert isinstance(edit, Insert) and case.source.edits == ()
    return edit


def test_a_pair_has_one_picture_for_each_overlap_interval_with_one_cutout_of_one_size(pool: str) -> None:
    cases = planned(MetaIC(pool=pool, placement=PAPER, profile="paper"), [ROOMY])
    assert [case.tags["overlap"] for case in cases] == ["0 %", "0-15 %", "15-30 %", "30-45 %"]
    (cutout,) = {inserted(case).cutout for case in cases}
    (size,) = {(inserted(case).box.width, inserted(case).box.height) for case in cases}
    least, most = size_range([ROOMY.things[0].box], ROOMY.width, ROOMY.height, PlacementRules())
    assert 0.95 * least <= size[0] * size[1] <= 1.05 * most
    assert {case.relation for case in cases} == {OnlyGains(Pool.open(Path(pool)).entry(cutout).label)}


def test_the_overlaps_are_what_the_tags_say(pool: str) -> None:
    table = ROOMY.things[0].box
    for seed in range(20):
        shares = [
            inserted(case).box.overlap(table) / table.area
            for case in planned(MetaIC(pool=pool, placement=PAPER), [ROOMY], seed)
        ]
        assert shares[0] == 0
        assert all(
            low < share <= high for share, (low, high) in zip(shares[1:], pairwise((0, 0.15, 0.3, 0.45)), strict=True)
        )


@st.composite
def crowded(draw: st.DrawFn) -> Scene:
    things = []
    for number in range(draw(st.integers(1, 5))):
        left, top = draw(st.integers(0, 240)), draw(st.integers(0, 170))
        width, height = draw(st.integers(8, 280 - left)), draw(st.integers(8, 210 - top))
        things.append(thing(str(number), "cup", left, top, width, height))
    return scene(*things)


@given(crowded(), st.integers(1, 5), st.floats(0.1, 0.9), st.integers(0, 1000))
def test_every_place_obeys_both_rules_and_stays_on_the_picture(
    pool: str, its: Scene, intervals: int, ratio_max: float, seed: int
) -> None:
    rules = PlacementRules(mode="paper", intervals=intervals, ratio_max=ratio_max)
    boxes = [each.box for each in its.things]
    cases = planned(MetaIC(pool=pool, placement=rules), [its], seed)
    assert len(cases) in (0, intervals)
    names = [interval_name(index, rules) for index in range(intervals)]
    for case in cases:
        box = inserted(case).box
        low, high = overlap_interval(names.index(case.tags["overlap"]), rules)
        shares = [box.overlap(each) / each.area for each in boxes]
        first = shares[largest_of(boxes)]
        assert min(box.x, box.y, its.width - box.right, its.height - box.bottom) >= 0
        assert max(shares) <= high
        assert first > low or high == 0
        assert case.tags["placement"] in ("line", "map")


def test_places_on_the_line_lie_on_one_line_through_the_centre_of_the_largest_object(pool: str) -> None:
    places: Counter[str] = Counter()
    for seed in range(10):
        for its in (ROOMY, *TOYBOX):
            cases = planned(MetaIC(pool=pool, placement=PAPER), [its], seed)
            places.update(case.tags["placement"] for case in cases)
            boxes = [each.box for each in its.things]
            on_line = [inserted(case).box for case in cases if case.tags["placement"] == "line"]
            _are_on_one_line([_from_centre(box, boxes[largest_of(boxes)]) for box in on_line])
    assert places["line"] > places["map"] > 0


def _are_on_one_line(ways: list[tuple[float, float]]) -> None:
    """The last place, that of the largest overlap, gives the line its direction."""
    for way in ways:
        across = abs(way[0] * ways[-1][1] - way[1] * ways[-1][0]) / np.hypot(*ways[-1])
        assert across <= 0.5 * np.sqrt(2) + 1e-6, "a place is off the line by more than rounding to pixels"
        assert way[0] * ways[-1][0] + way[1] * ways[-1][1] > -1


def _from_centre(box: Box, largest: Box) -> tuple[float, float]:
    return (
        box.x + box.width / 2 - largest.x - largest.width / 2,
        box.y + box.height / 2 - largest.y - largest.height / 2,
    )


def test_a_cutout_is_not_put_back_into_its_own_photo(pool: str) -> None:
    cases = planned(MetaIC(pool=pool, pairs_per_scene=9, placement=PAPER, profile="paper"), [ROOMY])
    assert Counter(case.relation for case in cases) == {OnlyGains(label): 4 for label in ("dog", "cat", "bus")}


def test_backgrounds_that_cannot_be_used_are_counted_by_reason(pool: str) -> None:
    empty = Scene("empty", "e.png", 280, 210)
    speck = Scene("speck", "s.png", 280, 210, (thing("1", "cup", 10, 10, 20, 20),))
    full = Scene("full", "f.png", 280, 210, (thing("1", "bed", 0, 0, 280, 180),))
    tight = Scene("tight", "t.png", 280, 210, (thing("1", "bed", 0, 0, 280, 140),))
    method = MetaIC(pool=pool, placement=PlacementRules(mode="paper", sizes_of_large=(0.9, 0.95)), tries=1)
    scenes = [empty, speck, full, tight, ROOMY]
    reasons = Counter(skip.reason for skip in left_out(method, scenes))
    assert reasons == {"no object": 1, "largest object too small": 1, "objects too large": 1, NO_PLACE: 1}
    assert {case.source.scene for case in planned(method, scenes)} == {"s"}


def test_no_object_loses_more_of_its_own_pixels_than_asked(pool: str) -> None:
    """The box of a frame is mostly empty, so boxes alone let a cut-out take most of one side of it."""
    frame = np.zeros((210, 280), np.bool_)
    frame[60:140, 100:104], frame[60:64, 100:220] = True, True
    mask = mask_from_pixels(frame)
    its = scene(Thing("frame", "chair", mask_box(mask), mask))

    def worst(spare: bool) -> float:
        rules = PlacementRules(mode="paper", spare_masks=spare)
        boxes = [
            inserted(c).box for seed in range(30) for c in planned(MetaIC(pool=pool, placement=rules), [its], seed)
        ]
        assert boxes
        hidden = (int(frame[int(b.y) : int(b.bottom), int(b.x) : int(b.right)].sum()) for b in boxes)
        return max(hidden) / int(frame.sum())

    assert worst(spare=False) > 0.45 >= worst(spare=True)


def test_a_crowd_region_is_occupied_ground(pool: str) -> None:
    crowd = thing("crowd", "person", 0, 0, 280, 60, crowd=True)
    rules = PlacementRules(mode="paper", intervals=1)
    cases = [
        c
        for seed in range(20)
        for c in planned(MetaIC(pool=pool, placement=rules), [scene(*ROOMY.things, crowd)], seed)
    ]
    assert cases and all(inserted(case).box.overlap(crowd.box) == 0 for case in cases)


def test_some_intervals_only(pool: str) -> None:
    cases = planned(MetaIC(pool=pool, overlaps=(0, 2), placement=PAPER), [ROOMY])
    assert [case.tags["overlap"] for case in cases] == ["0 %", "15-30 %"]
    with pytest.raises(BadRecord, match=r"overlaps must be below placement\.intervals, which is 4, got 4"):
        decode(MetaIC, {"overlaps": [4]})


def test_a_pair_is_not_given_up_for_an_interval_that_is_not_used(pool: str) -> None:
    small = PlacementRules(mode="paper", sizes=(0.1, 0.25))
    assert planned(MetaIC(pool=pool, placement=small), [ROOMY]) == []
    assert len(planned(MetaIC(pool=pool, placement=small, overlaps=(0,)), [ROOMY])) == 1
    cases = planned(MetaIC(pool=pool, placement=small, overlaps=(0, 1)), [ROOMY])
    table = ROOMY.things[0].box
    assert [case.tags["overlap"] for case in cases] == ["0 %", "0-15 %"]
    assert 0 < inserted(cases[1]).box.overlap(table) / table.area <= 0.15


def test_without_a_pool_the_command_that_makes_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="anamorph list pool build"):
        planned(MetaIC(), [ROOMY])
    write_list(tmp_path, [], {})
    assert [skip.reason for skip in left_out(MetaIC(pool=str(tmp_path)), [ROOMY])] == [NO_CUTOUT]


def test_plans_repeat_for_a_seed_and_a_scene_keeps_its_pairs_whatever_comes_before_it(pool: str) -> None:
    method = MetaIC(pool=pool, pairs_per_scene=2, placement=PAPER)
    once = planned(method, TOYBOX)
    assert [case.digest for case in once] == [case.digest for case in planned(method, TOYBOX)]
    assert [case.digest for case in once] != [case.digest for case in planned(method, TOYBOX, seed=2)]
    assert planned(method, TOYBOX[-1:]) == [case for case in once if case.source.scene == TOYBOX[-1].id]


def test_cases_survive_json(pool: str) -> None:
    cases = planned(MetaIC(pool=pool, blend="feather", question="What is there?", placement=PAPER), TOYBOX)
    assert len(cases) >= 20
    assert all(again(case) == case and again(case).digest == case.digest for case in cases)


def test_planning_touches_no_pixels(tmp_path: Path, pool: str) -> None:
    assert planned_blindly(tmp_path / "run", "metaic", {"pool": pool, "placement": "paper"}) > 0


def test_the_settings_of_the_placement_are_a_table_of_their_own() -> None:
    (method,) = resolve({"methods": ["metaic"], "metaic": {"placement": {"ratio_max": 0.3, "intervals": 3}}}).methods
    assert isinstance(method, MetaIC) and method.placement == PlacementRules(intervals=3, ratio_max=0.3)
    assert [interval_name(index, method.placement) for index in range(3)] == ["0 %", "0-15 %", "15-30 %"]


def test_the_first_table_has_a_row_per_overlap() -> None:
    tallies = [
        Tally("metaic", "only-gains", {"overlap": "0 %", "placement": "line"}, 6, 3, 0, {"mr1": 3, "mr2": 1}),
        Tally("metaic", "only-gains", {"overlap": "0 %", "placement": "map"}, 0, 1, 0, {"mr2": 1}),
        Tally("metaic", "only-gains", {"overlap": "0-15 %", "placement": "line"}, 5, 5, 1, {"mr1": 5}),
    ]
    overlaps, relations, crossed, places = MetaIC().summarise(tallies)
    assert [(row[0], row[1], row[2], row[4]) for row in overlaps.rows] == [
        ("0 %", 10, 4, "40.0%"),
        ("0-15 %", 11, 5, "50.0%"),
        ("all", 21, 9, "45.0%"),
    ]
    assert [row[:2] for row in relations.rows] == [("MR1 alone", 7), ("MR2 alone", 1), ("both", 1), ("all", 9)]
    # The paper's table 2: what MR1 reports alone, and what both relations report, at each overlap.
    assert crossed.columns == ("overlap", "decided", "MR1", "MR2", "MR1 + MR2")
    assert crossed.rows == (
        ("0 %", 10, "3 (30.0%)", "2 (20.0%)", "4 (40.0%)"),
        ("0-15 %", 10, "5 (50.0%)", "0 (0.0%)", "5 (50.0%)"),
        ("all", 20, "8 (40.0%)", "2 (10.0%)", "9 (45.0%)"),
    )
    assert places.rows[1][:3] == ("map", 1, 1)


# Drawn, so that boxes are whole objects.
SUPPORTED = replace(
    scene(thing("man", "person", 60, 40, 44, 110), thing("car", "car", 150, 80, 110, 70)), origin={MEDIUM: DRAWING}
)


def supported_pool(folder: Path) -> str:
    """Cut-outs of a dog, of a bus that is too large, and of a boat that does not fit."""
    entries = []
    for number, (label, width, height) in enumerate([("dog", 70, 50), ("bus", 30, 40), ("boat", 80, 60)]):
        rgba = np.full((height, width, 4), 255, np.uint8)
        rgba[..., :3] = number * 40
        id, file, sha256 = write_cutout(folder, rgba, label)
        entries.append(PoolEntry(id, label, file, sha256, width, height, "elsewhere", "1"))
    write_list(folder, entries, {}, accepted=True)
    return str(folder)


def test_a_supported_object_stands_beside_others_and_looks_like_them(tmp_path: Path) -> None:
    method = MetaIC(pool=supported_pool(tmp_path), overlaps=(0,))
    cases = [case for seed in range(10) for case in planned(method, [SUPPORTED], seed)]
    assert len(cases) == 10 and {str(inserted(case).cutout).partition("-")[0] for case in cases} == {"dog"}
    for case in cases:
        edit = inserted(case)
        assert case.tags == {"overlap": "0 %", "placement": "ground"}
        assert 130 < edit.box.bottom < 206 and all(not edit.box.overlap(each.box) for each in SUPPORTED.things)
        assert edit.relight and edit.same_sharpness and edit.soft_edge == 1.5 and edit.shadow == 0.45
    plain = MetaIC(pool=str(tmp_path), relight=False, same_sharpness=False, soft_edge=0, shadow=0)
    assert inserted(planned(plain, [SUPPORTED])[0]) == Insert(edit.cutout, inserted(planned(plain, [SUPPORTED])[0]).box)


def test_an_overlap_without_a_supported_place_is_left_out_and_counted(tmp_path: Path) -> None:
    method = MetaIC(pool=supported_pool(tmp_path))
    items = list(method.plan([SUPPORTED], Random(1)))
    cases, skips = (
        [each for each in items if isinstance(each, Case)],
        [each for each in items if isinstance(each, Skip)],
    )
    assert len(cases) >= 1 and len(cases) + len(skips) == 4
    assert {(each.noun, each.reason) for each in skips} <= {("overlap", "no supported place for this overlap")}


def test_what_is_recognised_at_its_size_is_inserted_first(tmp_path: Path) -> None:
    entries = []
    for level, seen in enumerate([0.9, 0.3, 0.1]):
        id, file, sha256 = write_cutout(tmp_path, np.full((50, 70, 4), 255 - level, np.uint8), "dog")
        looks = ((0.5, seen), (0.05, seen))
        entries.append(PoolEntry(id, "dog", file, sha256, 70, 50, "elsewhere", "1", score=0.9, seen=looks))
    write_list(tmp_path, entries, {})
    method = MetaIC(pool=str(tmp_path), overlaps=(0,))
    chosen = {inserted(case).cutout for seed in range(8) for case in planned(method, [SUPPORTED], seed)}
    assert chosen == {entries[0].id}
    write_list(tmp_path, entries[1:], {})
    assert planned(method, [SUPPORTED])


def test_other_cutouts_fill_in_where_one_lacks_an_overlap_and_pictures_stay_as_many(tmp_path: Path) -> None:
    entries = []
    for label, width, height in [("dog", 70, 50), ("cat", 60, 40), ("suitcase", 40, 60), ("backpack", 40, 50)]:
        id, file, sha256 = write_cutout(tmp_path, np.full((height, width, 4), 255, np.uint8), label)
        entries.append(PoolEntry(id, label, file, sha256, width, height, "elsewhere", "1"))
    write_list(tmp_path, entries, {}, accepted=True)
    plans = [planned(MetaIC(pool=str(tmp_path)), [SUPPORTED], seed) for seed in range(10)]
    assert max(map(len, plans)) <= 4
    for cases in plans:
        cutouts = [inserted(case).cutout for case in cases]
        assert len(set(cutouts)) == 1 or len(cutouts) <= 4


def test_photos_without_a_supported_place_are_counted_as_scenes(tmp_path: Path) -> None:
    close = scene(thing("face", "person", 40, 10, 180, 199))
    shelf = scene(thing("cup", "cup", 100, 60, 60, 70))
    method = MetaIC(pool=supported_pool(tmp_path))
    skips = left_out(method, [replace(close, id="close"), replace(shelf, id="shelf")])
    assert [(skip.what, skip.noun, skip.reason) for skip in skips] == [
        ("close", "scene", NOTHING_BESIDE),
        ("shelf", "scene", NOTHING_FITS),
    ]


def test_nothing_is_inserted_beside_what_only_a_segmenter_found_unless_asked_for(tmp_path: Path) -> None:
    found = replace(SUPPORTED, things=tuple(replace(each, score=0.99) for each in SUPPORTED.things))
    method = MetaIC(pool=supported_pool(tmp_path), overlaps=(0,))
    assert [skip.reason for skip in left_out(method, [found])] == [FOUND] and not planned(method, [found])
    assert planned(replace(method, found=True), [found])


def test_a_text_in_place_of_the_placement_is_its_mode() -> None:
    (method,) = resolve({"methods": ["metaic"], "metaic": {"placement": "paper"}}).methods
    assert isinstance(method, MetaIC) and method.placement == PAPER and not method.wants_footings
    assert MetaIC().placement.mode == "supported" and MetaIC().wants_footings
    with pytest.raises(UsageError, match="'supported', 'paper'"):
        resolve({"methods": ["metaic"], "metaic": {"placement": "anywhere"}})


def test_without_a_pool_a_run_inserts_objects_of_its_own_scenes(tmp_path: Path) -> None:
    assert MetaIC().wants_pool and not MetaIC(pool="pools/coco").wants_pool
    tallies = run(tmp_path / "run", "metaic", "toybox:12", {})
    assert sum(tally.holds + tally.violated for tally in tallies) >= 12


def test_a_whole_run_on_drawn_scenes(tmp_path: Path) -> None:
    folder, source = tmp_path / "pool", ToyboxScenes(10, seed=11)
    found = [each for each in source.scan() if isinstance(each, Scene)]
    for _ in build_pool(folder, found, source.pixels, Wanted()):
        pass
    tallies = run(tmp_path / "run", "metaic", "toybox:6", {"pool": str(folder)})
    assert sum(tally.undecided for tally in tallies) == 0
    assert sum(tally.holds + tally.violated for tally in tallies) >= 16
    assert sum(tally.holds for tally in tallies) > 0


@pytest.mark.slow
def test_real_photos_take_insertions(tmp_path: Path, shared: Path, pool: str) -> None:
    tallies = run(
        tmp_path / "run", "metaic", coco(shared), {"pool": pool, "blend": "poisson", "placement": "paper"}, limit=12
    )
    assert sum(tally.holds + tally.violated for tally in tallies) > 0


def test_on_photos_a_cutout_is_used_up_and_only_believed_ones_are_used(tmp_path: Path) -> None:
    id, file, sha256 = write_cutout(tmp_path, np.full((60, 80, 4), 255, np.uint8), "kite")
    entry = PoolEntry(id, "kite", file, sha256, 80, 60, "elsewhere", "1")
    ball = thing("ball", "sports ball", 100, 150, 30, 30)
    sky = Footing("", mask_from_pixels(np.ones((ball.mask.height, ball.mask.width), np.bool_)))  # type: ignore[union-attr]
    photos = [replace(scene(ball), id=f"s{number}", footings=(sky,)) for number in range(5)]
    method = MetaIC(pool=str(tmp_path), overlaps=(0,), most_uses=3)
    write_list(tmp_path, [entry], {})
    with pytest.raises(UsageError, match="pool review"):
        planned(method, photos)
    for believed in ([replace(entry, score=0.9)], [entry]):
        write_list(tmp_path, believed, {}, accepted=believed == [entry])
        assert len(planned(method, photos)) == 3 and not method.by_scene
        assert [skip.reason for skip in left_out(method, photos)] == [USED_UP] * 2
        assert len(planned(replace(method, most_uses=0), photos)) == 5
    # Drawn objects are whole.
    assert len(planned(method, [replace(each, origin={MEDIUM: DRAWING}) for each in photos])) == 5
