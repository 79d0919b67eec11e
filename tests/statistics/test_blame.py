from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, strategies as st

from anamorph.model import GRADES, Conflict, ConflictKind, Grade
from anamorph.statistics.blame import PatternCounts, SceneCause, Trigger, Violation, blame, causes_of_scene, grade_rank
from anamorph.statistics.intervals import clustered

KINDS: tuple[ConflictKind, ...] = ("lost", "gained", "missing", "invented", "gone", "number", "described")


def conflict(
    probes: tuple[int, ...], what: ConflictKind = "lost", label: str = "person", grade: Grade = "omission"
) -> Conflict:
    return Conflict(label, grade, what, probes, known=len(probes) == 1)


def case(
    id: int, *conflicts: Conflict, edits: int = 1, method: str = "rome", grade: Grade | None = "omission"
) -> Violation:
    probes = tuple(dict.fromkeys(probe for each in conflicts for probe in each.probes)) or (0, id)
    return Violation(id, method, grade, probes, edits, ("answer", "How many dogs?"), conflicts)


CONFLICTS = st.lists(
    st.builds(
        conflict,
        st.lists(st.integers(0, 8), min_size=2, max_size=2, unique=True).map(lambda probes: tuple(sorted(probes))),
        st.sampled_from(KINDS),
        st.sampled_from(("person", "dog")),
        st.sampled_from(GRADES),
    ),
    max_size=14,
)


@given(CONFLICTS)
def test_every_conflict_is_explained_by_one_of_its_own_answers(conflicts: list[Conflict]) -> None:
    to_blame = blame(conflicts)
    assert set(to_blame) == {each.probes for each in conflicts}
    assert all(blamed in probes for probes, blamed in to_blame.items())


@given(CONFLICTS, st.randoms(use_true_random=False))
def test_who_is_to_blame_does_not_depend_on_the_order_of_the_conflicts(conflicts: list[Conflict], rng: Random) -> None:
    shuffled = list(conflicts)
    rng.shuffle(shuffled)
    assert blame(shuffled) == blame(conflicts)


@given(CONFLICTS)
def test_no_fewer_answers_are_blamed_than_are_needed_and_never_one_for_each_conflict_of_a_star(
    conflicts: list[Conflict],
) -> None:
    pairs = {each.probes for each in conflicts}
    blamed = set(blame(conflicts).values())
    assert len(blamed) <= len(pairs)
    # A greedy hitting set of pairs is within a factor 1 + ln(pairs) of the smallest.
    fewest = next(
        size
        for size in range(10)
        if any(all(set(chosen) & set(pair) for pair in pairs) for chosen in _subsets(range(9), size))
    )
    assert fewest <= len(blamed) <= max(1, fewest) * 4


def _subsets(items: Sequence[int], size: int) -> list[tuple[int, ...]]:
    import itertools

    return list(itertools.combinations(items, size))


def test_one_wrong_source_answer_in_fifty_cases_is_one_cause() -> None:
    cases = [case(id, conflict((0, id), "gained")) for id in range(1, 51)]
    (cause,) = causes_of_scene(cases)
    assert (cause.blamed, cause.what, cause.label, len(cause.cases)) == (0, "gained", "person", 50)


def test_two_follow_ups_that_stand_against_many_others_are_two_causes() -> None:
    # 7 and 8 each contradict the source and another image: neither the source nor an agreeing image explains both.
    pairs = [(0, 7), (1, 7), (2, 7), (0, 8), (1, 8), (3, 8)]
    causes = causes_of_scene([case(place, conflict(pair)) for place, pair in enumerate(pairs, start=1)])
    assert [(cause.blamed, cause.cases) for cause in causes] == [(7, (1, 2, 3)), (8, (4, 5, 6))]


@pytest.mark.parametrize(("what", "blamed"), [("lost", 5), ("gained", 2), ("number", 5)])
def test_of_a_single_pair_the_answer_that_is_silent_is_blamed_or_else_the_follow_up(
    what: ConflictKind, blamed: int
) -> None:
    (cause,) = causes_of_scene([case(1, conflict((2, 5), what))])
    assert cause.blamed == blamed


def test_what_contradicts_the_annotations_is_to_blame_for_its_pairs_too() -> None:
    causes = causes_of_scene(
        [case(1, conflict((0,), "invented", grade="invention"), conflict((0, 4), "number")), case(2, conflict((0, 5)))]
    )
    assert [(cause.blamed, cause.what, cause.grade, cause.cases) for cause in causes] == [
        (0, "invented", "invention", (1, 2))
    ]


def test_answers_that_contradict_what_is_known_alike_are_one_cause() -> None:
    cases = [case(id, conflict((id,), "invented", grade="invention")) for id in (3, 4, 5)]
    other = case(6, conflict((7, 8)))
    causes = causes_of_scene([*cases, other])
    assert [(cause.blamed, cause.answers, cause.cases) for cause in causes] == [(3, 3, (3, 4, 5)), (8, 1, (6,))]


@given(st.lists(CONFLICTS.filter(bool), max_size=5), st.lists(st.integers(0, 8), max_size=3))
def test_every_conflict_of_a_case_has_a_cause_and_every_cause_is_of_its_cases(
    several: list[list[Conflict]], wrong: list[int]
) -> None:
    cases = [case(id, *conflicts) for id, conflicts in enumerate(several, start=1)]
    cases += [case(id, conflict((probe,), "invented")) for id, probe in enumerate(wrong, start=50)]
    causes = causes_of_scene(cases)
    for each in cases:
        own = {cause.label for cause in causes if each.case in cause.cases}
        assert own == {conflict.label for conflict in each.conflicts}
    assert all(cause.example in cause.cases for cause in causes)
    assert len({(cause.label, cause.blamed) for cause in causes}) == len(causes)


def test_classes_have_causes_of_their_own_and_methods_share_them() -> None:
    causes = causes_of_scene(
        [case(1, conflict((0, 4)), conflict((0, 4), label="dog")), case(2, conflict((3, 4)), method="metaic")]
    )
    assert [(cause.label, cause.cases, cause.methods) for cause in causes] == [
        ("dog", (1,), ("rome",)),
        ("person", (1, 2), ("rome", "metaic")),
    ]


def test_the_clearest_example_is_the_surest_and_then_the_least_edited() -> None:
    (cause,) = causes_of_scene(
        [
            case(1, conflict((0, 4)), edits=1),
            case(2, conflict((1, 4), "number", grade="miscount"), edits=3),
            case(3, conflict((2, 4), "number", grade="miscount"), edits=2),
        ]
    )
    assert (cause.example, cause.grade, cause.what) == (3, "miscount", "number")


def test_answers_without_conflicts_are_grouped_by_their_question() -> None:
    one, two = (Violation(id, "metavqa", "contradiction", (0, id), 1, ("answer", "How many dogs?")) for id in (1, 2))
    other = Violation(3, "deeptest", None, (0, 9), 1, ("relation", "same-answer"))
    causes = causes_of_scene([one, two, other])
    assert [(cause.what, cause.label, cause.grade, cause.blamed, cause.cases) for cause in causes] == [
        ("answer", "How many dogs?", "contradiction", 0, (1, 2)),
        ("relation", "same-answer", None, 0, (3,)),
    ]


# --- patterns --------------------------------------------------------------------------------------------------------


def found(blamed: int, *cases: int, label: str = "person", grade: Grade | None = "omission") -> SceneCause:
    return SceneCause("lost", label, grade, blamed, cases, ("rome",), cases[0])


CAR, ANY = Trigger("when a car is inserted"), Trigger("when objects are inserted", general=True)


def test_a_pattern_counts_causes_scenes_and_cases_with_a_clustered_interval() -> None:
    counts = PatternCounts()
    counts.add(1, [found(10, 1, 2), found(11, 2, 3)], {}, [])
    counts.add(2, [found(20, 4)], {}, [])
    (pattern,) = counts.patterns({1: 10, 2: 10, 3: 10}, 3, {})
    assert (pattern.causes, pattern.scenes, pattern.cases, pattern.example) == (3, 2, 4, 1)
    assert pattern.rate == pytest.approx(4 / 30) and pattern.interval == clustered([(10, 3), (10, 1), (10, 0)])


@pytest.mark.parametrize(("by_car", "trigger"), [(3, CAR), (2, ANY)])
def test_a_trigger_is_named_where_three_fifths_of_the_causes_have_it(by_car: int, trigger: Trigger) -> None:
    counts = PatternCounts()
    for scene in range(5):
        counts.add(scene, [found(scene, scene)], {scene: (CAR, ANY) if scene < by_car else (ANY,)}, [])
    (pattern,) = counts.patterns({0: 10}, 5, {})
    assert pattern.trigger == trigger


def test_one_cause_shows_no_trigger() -> None:
    counts = PatternCounts()
    counts.add(1, [found(10, 1)], {10: (CAR, ANY)}, [])
    (pattern,) = counts.patterns({1: 10}, 1, {})
    assert pattern.trigger is None


@pytest.mark.parametrize(("presence", "companion"), [(4, "dining table"), (9, None)])
def test_a_companion_is_twice_as_common_as_elsewhere(presence: int, companion: str | None) -> None:
    counts = PatternCounts()
    for scene in range(4):
        counts.add(scene, [found(scene, scene)], {}, ["person", "dining table"])
    (pattern,) = counts.patterns({0: 10}, 10, {"person": 10, "dining table": presence})
    assert pattern.companion == companion


def test_patterns_are_ranked_by_grade_and_then_by_cases() -> None:
    counts = PatternCounts()
    counts.add(
        1,
        [
            found(1, 1, 2, 3, label="dog"),
            found(2, 4, label="cat", grade="contradiction"),
            found(3, 5, label="car", grade=None),
        ],
        {},
        [],
    )
    assert [each.label for each in counts.patterns({1: 9}, 1, {})] == ["cat", "dog", "car"]
    assert [grade_rank(grade) for grade in (*GRADES, None)] == [0, 1, 2, 3, 4]


def test_the_worked_example_of_the_documentation() -> None:
    source, bench, ball, both = 0, 1, 2, 4
    causes = causes_of_scene(
        [case(1, conflict((source, bench))), case(2, conflict((source, both))), case(3, conflict((ball, both)))]
    )
    assert [(cause.blamed, cause.cases) for cause in causes] == [(bench, (1,)), (both, (2, 3))]
