from __future__ import annotations

from random import Random
from typing import Any

import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.contrast import Contrast
from anamorph.methods.deeptest import DeepTest
from anamorph.model import Scene, Tally
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.same_objects import SameObjects

SCENES = [Scene("a", "a.jpg", 4, 4), Scene("b", "b.jpg", 4, 4)]


def test_every_scene_gets_one_case_per_perturbation_over_the_same_source() -> None:
    cases = list(DeepTest(blur=(1, 2)).plan(SCENES, Random(0)))
    assert [case.tags["edit"] for case in cases[:5]] == ["blur", "blur", "brightness", "contrast", "shear"]
    assert len(cases) == 10
    assert {case.source.digest for case in cases[:5]} == {cases[0].source.digest}
    assert cases[0].follow_ups[0].edits == (Blur(1),)


def test_an_empty_list_leaves_a_perturbation_out_and_other_edits_can_be_added() -> None:
    method = DeepTest(blur=(), brightness=(), contrast=(), shear=(), also=(Contrast(0.5),))
    assert [case.follow_ups[0].edits for case in method.plan(SCENES[:1], Random(0))] == [(Contrast(0.5),)]


def test_a_question_goes_with_every_probe() -> None:
    case = next(DeepTest(question="What is this?").plan(SCENES, Random(0)))
    assert {probe.question for probe in case.probes} == {"What is this?"}


def test_the_table_has_a_row_per_perturbation_and_one_for_all() -> None:
    tallies = [
        Tally("deeptest", "same-answer", {"edit": "blur"}, holds=6, violated=2, undecided=1),
        Tally("deeptest", "same-answer", {"edit": "shear"}, holds=0, violated=0, undecided=3),
    ]
    (table,) = DeepTest().summarise(tallies)
    assert table.rows == (
        ("blur", 9, 2, "1 (11.1%)", "25.0%", "7.1 to 59.1%"),
        ("shear", 3, 0, "3 (100.0%)", "-", "-"),
        ("all", 12, 2, "4 (33.3%)", "25.0%", "7.1 to 59.1%"),
    )


@pytest.mark.parametrize(
    ("settings", "relation"),
    [
        ({}, SameObjects()),
        ({"compare": "objects"}, SameObjects()),
        ({"compare": "wording"}, SameAnswer()),
        ({"question": "What is this?"}, SameAnswer()),
        ({"question": "Describe the image.", "compare": "objects"}, SameObjects()),
        ({"relation": SameAnswer()}, SameAnswer()),
        ({"relation": SameAnswer(), "compare": "objects"}, SameAnswer()),
    ],
)
def test_captions_are_compared_by_their_objects_and_answers_by_their_wording(
    settings: dict[str, Any], relation: object
) -> None:
    assert {case.relation for case in DeepTest(**settings).plan(SCENES, Random(0))} == {relation}
