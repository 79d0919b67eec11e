from __future__ import annotations

import pytest

from anamorph.model import Verdict
from anamorph.relations.opposites_differ import OppositesDiffer
from tests.english import answer_reader
from tests.relations.readings import NO, YES, between, number, vague

CLAIM = OppositesDiffer()


def judge(question: str, negation: str) -> Verdict:
    return CLAIM.judge([answer_reader().read_text(text) for text in (question, negation)])


def test_yes_to_the_one_and_no_to_the_other_holds() -> None:
    assert CLAIM.judge([YES, NO]).reason == "Both answers say that there is one."
    assert CLAIM.judge([NO, YES]).reason == "Both answers say that there is none."


def test_the_same_answer_to_both_is_a_violation() -> None:
    for answer in (YES, NO):
        verdict = CLAIM.judge([answer, answer])
        assert verdict.violated == verdict.categories == ("reversion",) and len(verdict.evidence) == 2
    assert CLAIM.judge([YES, YES]).reason.endswith("are both answered with yes.")


@pytest.mark.parametrize(
    ("question", "negation", "outcome"),
    [
        ("There are two giraffes.", "There are two giraffes.", "holds"),
        ("Yes, there is a giraffe.", "Yes, there is a giraffe in the image.", "holds"),
        ("No, there are no giraffes.", "No, there are no giraffes in the image.", "holds"),
        ("No.", "Yes, there are no giraffes in the image.", "holds"),
        ("Yes.", "No, there are two giraffes.", "holds"),
        ("yes", "yes", "violated"),
        ("no", "no", "violated"),
        ("Yes, there is a giraffe.", "Yes, there are no giraffes.", "violated"),
        ("I do not know.", "no", "undecided"),
    ],
)
def test_what_a_chat_model_states_counts_for_more_than_how_it_begins(
    question: str, negation: str, outcome: str
) -> None:
    assert judge(question, negation).outcome == outcome


def test_numbers_stand_for_yes_and_no() -> None:
    assert CLAIM.judge([number(2), NO]).outcome == "holds"
    assert CLAIM.judge([vague(), vague()]).outcome == "holds"
    assert CLAIM.judge([number(0), NO]).outcome == "violated"
    assert CLAIM.judge([between(0, 3), NO]).outcome == "undecided"
