from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.contrast import Contrast
from anamorph.methods.deeptest import NO_QUESTIONS, DeepTest
from anamorph.model import Case, Question, Scene, Skip, Tally
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.same_objects import SameObjects

SCENES = [Scene("a", "a.jpg", 4, 4), Scene("b", "b.jpg", 4, 4)]
ASKED = Scene("c", "c.jpg", 4, 4, questions=(Question("How many?", ("2",)), Question("Who?"), Question("Who?")))


def planned(method: DeepTest, scenes: Sequence[Scene]) -> list[Case]:
    return [item for item in method.plan(scenes, Random(0)) if isinstance(item, Case)]


def test_every_scene_gets_one_case_per_perturbation_over_the_same_source() -> None:
    cases = planned(DeepTest(blur=(1, 2)), SCENES)
    assert [case.tags["edit"] for case in cases[:5]] == ["blur", "blur", "brightness", "contrast", "shear"]
    assert len(cases) == 10
    assert {case.source.digest for case in cases[:5]} == {cases[0].source.digest}
    assert cases[0].follow_ups[0].edits == (Blur(1),)


def test_an_empty_list_leaves_a_perturbation_out_and_other_edits_can_be_added() -> None:
    method = DeepTest(blur=(), brightness=(), contrast=(), shear=(), also=(Contrast(0.5),))
    assert [case.follow_ups[0].edits for case in planned(method, SCENES[:1])] == [(Contrast(0.5),)]


def test_a_question_goes_with_every_probe() -> None:
    case = planned(DeepTest(question="What is this?"), SCENES)[0]
    assert {probe.question for probe in case.probes} == {"What is this?"}


def test_the_questions_that_a_scene_brings_are_asked_of_source_and_follow_up() -> None:
    cases = planned(DeepTest(shear=()), [ASKED, SCENES[0]])
    assert [case.source.question for case in cases] == ["How many?"] * 3 + ["Who?"] * 3 + [None] * 3
    assert all(len({probe.question for probe in case.probes}) == 1 for case in cases)
    assert [case.tags.get("questions") for case in cases] == ["scenes"] * 6 + [None] * 3


def test_the_setting_says_where_questions_come_from() -> None:
    def texts(question: str | None, **which: Any) -> list[str | None]:
        return [case.source.question for case in planned(DeepTest(question=question, **which), [ASKED])[::4]]

    assert texts("What is this?") == ["What is this?", "How many?", "Who?"]
    assert texts("What is this?", questions="own") == ["What is this?"]
    assert texts("What is this?", questions="scenes") == ["How many?", "Who?"]
    assert texts(None, questions="own") == [None]
    skips = list(DeepTest(questions="scenes").plan(SCENES[:1], Random(0)))
    assert skips == [Skip("a", NO_QUESTIONS, "scene")]


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
        ({"question": "What is this?", "compare": "wording"}, SameAnswer(by_wording=True)),
        ({"question": "Describe the image.", "compare": "objects"}, SameObjects()),
        ({"relation": SameAnswer()}, SameAnswer()),
        ({"relation": SameAnswer(), "compare": "objects"}, SameAnswer()),
    ],
)
def test_captions_are_compared_by_their_objects_and_answers_by_what_they_say(
    settings: dict[str, Any], relation: object
) -> None:
    assert {case.relation for case in planned(DeepTest(**settings), SCENES)} == {relation}
