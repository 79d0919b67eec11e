from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st

from anamorph.edits.melt import Melt
from anamorph.methods.melting.eligibility import COMPANY, CROWD, LARGEST, SMALL, MeltRules, eligible
from anamorph.methods.rome import removals
from anamorph.methods.rome.method import EMPTY, NOTHING_MELTS, Rome
from anamorph.methods.rome.removals import closed, members, pairs, sampled_pairs
from anamorph.model import Case, Scene, Skip, Tally, encode
from anamorph.relations.only_loses import OnlyLoses
from tests.methods.scenery import TOYBOX, again, coco, left_out, planned, planned_blindly, run, scene, thing

# The table is the largest; the others stand apart, far enough for no hole to reach a neighbour.
# Melting as the paper has it, as far as what belongs together goes.
FREE = MeltRules(max_at_once=1, apart=False)
TABLE = thing("table", "dining table", 10, 110, 260, 90)
CUP, OTHER_CUP, DOG = (
    thing("cup", "cup", 20, 20, 20, 20),
    thing("other", "cup", 100, 20, 20, 20),
    thing("dog", "dog", 180, 20, 30, 30),
)
SIMPLE = scene(TABLE, CUP, OTHER_CUP, DOG)
# A bowl with a carrot in it: the bowl cannot go without the carrot, the carrot can go alone.
BOWL, CARROT = thing("bowl", "bowl", 20, 20, 80, 72), thing("carrot", "carrot", 50, 45, 18, 17)
NEEDY = scene(TABLE, BOWL, CARROT, DOG)


def melted(case: Case) -> list[tuple[str, ...]]:
    return [tuple(id for edit in probe.edits if isinstance(edit, Melt) for id in edit.objects) for probe in case.probes]


def test_three_objects_at_depth_two_give_the_pairs_that_one_can_count_by_hand() -> None:
    cases = planned(Rome(melt=FREE), [SIMPLE])
    cup, other, dog = ("cup",), ("other",), ("dog",)
    from_the_photo: list[list[tuple[str, ...]]] = [
        [(), each] for each in (cup, other, dog, cup + other, cup + dog, other + dog)
    ]
    from_another: list[list[tuple[str, ...]]] = [
        *[[one, cup + other] for one in (cup, other)],
        *[[one, cup + dog] for one in (cup, dog)],
        *[[one, other + dog] for one in (other, dog)],
    ]
    assert sorted(melted(case) for case in cases) == sorted(from_the_photo + from_another)
    assert Counter(case.tags["melted"] for case in cases) == {"0 to 1": 3, "0 to 2": 3, "1 to 2": 6}


def test_only_classes_of_objects_that_went_in_between_are_removed_and_only_the_last_of_a_class_is_gone() -> None:
    relations = {tuple(melted(case)): case.relation for case in planned(Rome(melt=FREE, profile="paper"), [SIMPLE])}
    assert relations[(), ("cup",)] == OnlyLoses(("cup",), ())
    assert relations[(), ("dog",)] == OnlyLoses(("dog",), ("dog",))
    assert relations[(), ("cup", "other")] == OnlyLoses(("cup",), ("cup",))
    assert relations[("cup",), ("cup", "other")] == OnlyLoses(("cup",), ("cup",))
    assert relations[("cup",), ("cup", "dog")] == OnlyLoses(("dog",), ("dog",))


def test_the_own_profile_knows_the_objects_of_the_ancestor_and_how_many_were_melted() -> None:
    relations = {tuple(melted(case)): case.relation for case in planned(Rome(melt=FREE), [SIMPLE])}
    relation = relations[("cup",), ("cup", "other")]
    assert isinstance(relation, OnlyLoses) and relation.ledger and relation.melted == (("cup", 1),)
    known = {each.label: (each.least, each.most) for each in relation.known or ()}
    assert known["cup"] == (1, 1) and known["dog"] == (1, 1)


def test_a_crowd_of_a_class_keeps_the_class_in_the_picture() -> None:
    crowd = thing("crowd", "dog", 250, 20, 25, 60, crowd=True)
    method = Rome(max_depth=1, melt=FREE, profile="paper")
    relations = {tuple(melted(case)): case.relation for case in planned(method, [scene(TABLE, DOG, crowd)])}
    assert relations == {((), ("dog",)): OnlyLoses(("dog",), ())}


def test_the_last_object_can_be_told_by_the_caption_as_the_released_tool_has_it() -> None:
    cases = planned(Rome(last_object="caption"), [SIMPLE])
    assert {case.relation.gone for case in cases if isinstance(case.relation, OnlyLoses)} == {None}
    assert {case.tags["last object"] for case in cases} == {"by caption"}


def test_a_bowl_goes_only_with_its_carrot_and_the_pair_counts_both() -> None:
    found = [melted(case) for case in planned(Rome(melt=FREE), [NEEDY])]
    both = ("bowl", "carrot")
    assert [(), both] in found and [("carrot",), both] in found
    assert all(("bowl" in objects) <= ("carrot" in objects) for pair in found for objects in pair)
    assert not any(
        "bowl" in objects for pair in map(melted, planned(Rome(max_depth=1, melt=FREE), [NEEDY])) for objects in pair
    )


def test_an_object_that_is_too_small_to_be_chosen_goes_along_where_it_must() -> None:
    crumb = thing("crumb", "carrot", 45, 40, 8, 8)
    found = [melted(case) for case in planned(Rome(max_depth=1, melt=FREE), [scene(TABLE, BOWL, crumb)])]
    assert found == [[(), ("bowl", "crumb")]]


def test_what_is_left_out_is_told_with_its_reason() -> None:
    crumb, crowd = thing("crumb", "cup", 220, 60, 4, 4), thing("crowd", "dog", 180, 20, 60, 60, crowd=True)
    skips = left_out(Rome(), [scene(TABLE, CUP, crumb, DOG, crowd)])
    assert {skip.what: skip.reason for skip in skips} == {
        "s: dining table table": LARGEST,
        "s: cup crumb": SMALL,
        "s: dog dog": COMPANY,
        "s: dog crowd": CROWD,
    }
    assert {skip.noun for skip in skips} == {"object"}


def test_a_scene_of_which_nothing_melts_is_told() -> None:
    assert left_out(Rome(), [scene(TABLE)])[-1] == Skip("s", NOTHING_MELTS, "scene")
    assert left_out(Rome(), [scene()]) == [Skip("s", EMPTY, "scene")]


def test_the_largest_object_may_go_where_the_setting_says_so() -> None:
    rules = MeltRules(max_area=1, fixtures=True, max_at_once=1)
    assert not any("table" in objects for c in planned(Rome(melt=rules), [SIMPLE]) for objects in melted(c))
    cases = planned(Rome(melt=rules, keep_largest=False), [SIMPLE])
    assert any("table" in objects for case in cases for objects in melted(case))


def test_a_set_of_objects_is_one_image_however_many_pairs_use_it() -> None:
    cases = planned(Rome(max_depth=3, pairs_per_scene=0, melt=FREE), [SIMPLE])
    assert len(cases) == 3**3 - 2**3
    assert len({probe.image_digest for case in cases for probe in case.probes}) == 2**3


needs_lists = st.integers(1, 6).flatmap(
    lambda count: st.lists(st.lists(st.integers(0, 5), max_size=2), min_size=count, max_size=count)
)


def transitive(wishes: list[list[int]]) -> list[int]:
    """Needs as bits: a unit needs only earlier ones, and all that they need."""
    needs: list[int] = []
    for unit, wanted in enumerate(wishes):
        mask = 0
        for other in wanted:
            if other < unit:
                mask |= 1 << other | needs[other]
        needs.append(mask)
    return needs


@given(needs_lists, st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_pairs_are_exactly_the_closed_subsets_of_closed_sets(
    wishes: list[list[int]], most: int, rng: Random
) -> None:
    needs = transitive(wishes)
    sets = [sum(1 << u for u in chosen) for size in range(most + 1) for chosen in combinations(range(len(needs)), size)]
    states = [state for state in sets if closed(state, needs)]
    expected = {(a, d) for d in states for a in states if a != d and a & d == a}
    found = list(pairs(needs, most))
    assert len(found) == len(expected) and set(found) == expected
    wanted = rng.randint(1, 8)
    sample = sampled_pairs(needs, most, wanted, rng)
    assert len(sample) == len(set(sample)) == min(wanted, len(expected)) and set(sample) <= expected


def test_members_are_the_bits() -> None:
    assert list(members(0b10110)) == [1, 2, 4]


def _plainly(count: int, most: int) -> int:
    return sum(math.comb(count, size) * (2**size - 1) for size in range(1, most + 1))


@pytest.mark.parametrize("how", ["listed", "drawn", "gone through"])
def test_every_pair_is_equally_likely_whichever_way_the_sample_is_taken(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how != "listed":
        monkeypatch.setattr(removals, "_LISTED", 0)
    if how == "gone through":
        monkeypatch.setattr(removals, "_DRAWS", 0)
    needs = [0, 0, 0b1, 0]
    valid = list(pairs(needs, 3))
    counts = Counter(pair for seed in range(3000) for pair in sampled_pairs(needs, 3, 4, Random(seed)))
    expected = 3000 * 4 / len(valid)
    # Four standard deviations around the mean; the seeds are fixed, so this cannot flicker.
    assert set(counts) == set(valid)
    assert all(abs(count - expected) < 4 * math.sqrt(expected) for count in counts.values())


def test_a_sample_of_a_hopeless_number_of_pairs_is_taken_without_listing_them() -> None:
    assert _plainly(400, 6) > 10**14
    sample = sampled_pairs([0] * 400, 6, 50, Random(1))
    assert len(set(sample)) == 50
    assert all(a & d == a and a != d and d.bit_count() <= 6 for a, d in sample)


def test_plans_repeat_for_a_seed_and_a_scene_keeps_its_pairs_whatever_comes_before_it() -> None:
    method = Rome(max_depth=3, pairs_per_scene=5)
    once, twice = planned(method, TOYBOX), planned(method, TOYBOX)
    assert [case.digest for case in once] == [case.digest for case in twice]
    assert [case.digest for case in once] != [case.digest for case in planned(method, TOYBOX, seed=2)]
    last = [case for case in once if case.source.scene == TOYBOX[-1].id]
    assert planned(method, TOYBOX[-1:]) == last


@pytest.mark.parametrize("method", [Rome(), Rome(max_depth=3, keep_largest=False, last_object="caption")])
def test_every_case_of_drawn_scenes_is_sound_and_survives_json(method: Rome) -> None:
    by_id = {each.id: each for each in TOYBOX}
    cases = planned(method, TOYBOX)
    assert cases
    for case in cases:
        assert again(case) == case and again(case).digest == case.digest
        _is_sound(method, by_id[case.source.scene], case)


def _is_sound(method: Rome, its: Scene, case: Case) -> None:
    before, after = (set(objects) for objects in melted(case))
    assert before < after
    found = eligible(its, method.melt, keep_largest=method.keep_largest)
    assert found.closed(frozenset(after)) and found.closed(frozenset(before))
    assert isinstance(case.relation, OnlyLoses)
    assert set(case.relation.removed) == {its.thing(id).label for id in after - before}
    still = {each.label for each in its.things if each.id not in after}
    assert method.last_object == "caption" or set(case.relation.gone or ()) == set(case.relation.removed) - still


def test_at_most_as_many_pairs_of_a_scene_as_set() -> None:
    counts = Counter(case.source.scene for case in planned(Rome(max_depth=3, pairs_per_scene=4), TOYBOX))
    assert max(counts.values()) == 4


def test_planning_touches_no_pixels(tmp_path: Path) -> None:
    assert planned_blindly(tmp_path / "run", "rome", {}) == len(planned(Rome(), TOYBOX))


def test_the_tables_tell_which_relation_failed_and_what_kind_of_error_it_is() -> None:
    kinds = {"omission": 3, "misclassification": 2}
    tallies = [
        Tally(
            "rome", "only-loses", {"melted": "0 to 1", "last object": "melted"}, 5, 4, 1, {"mr1": 3, "mr2": 2}, kinds
        ),
        Tally("rome", "only-loses", {"melted": "0 to 2", "last object": "stays"}, 8, 2, 0, {"mr1": 2}, {"omission": 2}),
    ]
    relations, crossed, depths, last, errors = Rome().summarise(tallies)
    assert crossed.rows[0] == ("0 to 1", 9, "3 (33.3%)", "2 (22.2%)", "4 (44.4%)")
    assert relations.rows == (
        ("MR1 alone", 4, "66.7%"),
        ("MR2 alone", 1, "16.7%"),
        ("both", 1, "16.7%"),
        ("all", 6, "100.0%"),
    )
    assert depths.columns[:5] == ("units melted", "cases", "violated", "undecided", "rate")
    assert [(row[0], row[1], row[2], row[4]) for row in depths.rows] == [
        ("0 to 1", 10, 4, "44.4%"),
        ("0 to 2", 10, 2, "20.0%"),
        ("all", 20, 6, "31.6%"),
    ]
    assert [row[0] for row in last.rows] == ["melted", "stays", "all"]
    assert errors.rows == (("misclassification", 2, "33.3%"), ("omission", 5, "83.3%"))


def test_settings_are_written_as_plain_data() -> None:
    plain = json.loads(json.dumps(encode(Rome())))
    assert plain["melt"]["max_area"] == 0.12 and plain["max_depth"] == 2


def test_a_whole_run_on_drawn_scenes(tmp_path: Path) -> None:
    tallies = run(tmp_path / "run", "rome", "toybox:6", {"pairs_per_scene": 6})
    assert sum(tally.undecided for tally in tallies) == 0
    assert sum(tally.holds + tally.violated for tally in tallies) >= 20
    assert sum(tally.holds for tally in tallies) > 0


@pytest.mark.slow
def test_real_photos_can_be_melted(tmp_path: Path, shared: Path) -> None:
    tallies = run(tmp_path / "run", "rome", coco(shared), {"pairs_per_scene": 4}, limit=8)
    assert sum(tally.holds + tally.violated for tally in tallies) > 0


def test_objects_whose_holes_are_too_large_together_are_melted_one_at_a_time() -> None:
    large = scene(TABLE, thing("a", "cup", 20, 15, 62, 62), thing("b", "dog", 180, 15, 62, 62))
    assert {melted(case)[-1] for case in planned(Rome(melt=MeltRules(max_at_once=0.11)), [large])} == {("a",), ("b",)}
    both = planned(Rome(melt=MeltRules(max_at_once=0.5)), [large])
    assert ("a", "b") in {melted(case)[-1] for case in both}


def test_shadows_go_with_objects_of_photos() -> None:
    (edit,) = planned(Rome(max_depth=1), [scene(TABLE, CUP)])[0].probes[-1].edits
    assert isinstance(edit, Melt) and edit.shadows
    (edit,) = planned(Rome(max_depth=1, shadows=False), [scene(TABLE, CUP)])[0].probes[-1].edits
    assert isinstance(edit, Melt) and not edit.shadows
