from __future__ import annotations

from random import Random

import pytest

from anamorph.methods.rome.measures import removal_measures
from anamorph.methods.rome.method import Rome
from anamorph.model import Case, Tally
from anamorph.relations.removal_measured import RemovalMeasured
from tests.methods.asking import toybox
from tests.relations.readings import NO, YES


@pytest.mark.parametrize(
    ("before", "after", "removed", "cell"),
    [
        (YES, NO, True, "true understanding"),
        (NO, YES, True, "ignorance"),
        (YES, YES, True, "stubbornness (yes)"),
        (NO, NO, True, "stubbornness (no)"),
        (YES, NO, False, "indecision"),
        (NO, YES, False, "indecision"),
        (YES, YES, False, "kept"),
    ],
)
def test_answers_are_sorted_and_nothing_is_reported(before: object, after: object, removed: bool, cell: str) -> None:
    verdict = RemovalMeasured("dog", removed).judge([before, after])  # type: ignore[list-item]
    assert (verdict.outcome, verdict.categories) == ("holds", (cell,))


def test_the_table_has_beafs_measures_and_their_f1() -> None:
    cells = {"true understanding": 6, "ignorance": 1, "stubbornness (yes)": 2, "stubbornness (no)": 1}
    removed = Tally("rome", RemovalMeasured.kind, {"measured": "removed"}, 10, 0, 0, categories=cells)
    others = Tally(
        "rome", RemovalMeasured.kind, {"measured": "other"}, 20, 0, 0, categories={"kept": 16, "indecision": 4}
    )
    (table,) = removal_measures([removed, others])
    assert table.rows == (
        ("true understanding", 6, "60.0%"),
        ("ignorance", 1, "10.0%"),
        ("stubbornness (yes)", 2, "20.0%"),
        ("stubbornness (no)", 1, "10.0%"),
        ("indecision", 4, "20.0%"),
        ("F1 of understanding and 100 % - indecision", "", "68.6%"),
    )
    assert removal_measures([]) == ()


def test_rome_asks_about_what_it_removed_wholly_and_about_two_others_where_it_is_told_to() -> None:
    scenes = toybox(6)
    plain = [item for item in Rome().plan(scenes, Random(1)) if isinstance(item, Case)]
    asked = [item for item in Rome(measure_removal=True).plan(scenes, Random(1)) if isinstance(item, Case)]
    measured = [case for case in asked if isinstance(case.relation, RemovalMeasured)]
    assert [case for case in asked if case not in measured] == plain and measured
    for case in measured:
        assert isinstance(case.relation, RemovalMeasured)
        scene = next(each for each in scenes if each.id == case.source.scene)
        gone = {id for edit in case.follow_ups[0].edits for id in getattr(edit, "objects", ())}
        left = {thing.label for thing in scene.things if thing.id not in gone}
        assert (case.relation.label in left) != case.relation.removed
        assert case.source.question == case.follow_ups[0].question is not None and not case.source.edits
