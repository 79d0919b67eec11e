from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anamorph.model import Answer, LabelSet, Unreadable, Wording
from anamorph.readers.plain import PlainReader, normal_wording


@given(st.text())
def test_the_normal_form_is_stable_and_ignores_case_and_spacing(text: str) -> None:
    normal = normal_wording(text)
    assert normal_wording(f"  {text}\n") == normal
    assert "  " not in normal


def test_marks_at_the_ends_go_and_those_within_stay() -> None:
    assert normal_wording('"A man, a plan!"') == "a man, a plan"


def test_full_width_letters_are_letters() -> None:
    assert normal_wording("\uff21 \uff44\uff4f\uff47") == "dog"


def test_labels_are_given_from_the_threshold_on() -> None:
    labels = {"dog": 0.3, "cat": 0.29}
    assert PlainReader(0.3).read(Answer(labels=labels)) == LabelSet(frozenset({"dog"}))


def test_a_text_keeps_its_wording_and_an_empty_one_is_unreadable() -> None:
    assert PlainReader().read(Answer("A Dog.")) == Wording("A Dog.", "dog")
    assert isinstance(PlainReader().read(Answer(" ")), Unreadable)
