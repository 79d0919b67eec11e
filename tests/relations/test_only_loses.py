from __future__ import annotations

from hypothesis import given, strategies as st

from anamorph.model import CaptionReading
from anamorph.relations.only_loses import OnlyLoses
from tests.relations.readings import LABELS, caption, captions, many, one, read, some

label_tuples = st.lists(st.sampled_from(LABELS), unique=True, max_size=3).map(tuple)


def test_a_caption_that_loses_only_what_was_melted_holds() -> None:
    verdict = OnlyLoses(("dog",)).judge([read("a man and a dog"), read("a man on a beach")])
    assert verdict.outcome == "holds" and verdict.reason == "The caption loses only 'dog', which was removed."


def test_a_thing_that_appears_violates_mr1_and_where_a_last_object_went_equation_3_as_well() -> None:
    """The introduction of the paper: melting a window brought out "a group of balls"."""
    verdict = OnlyLoses(("potted plant",)).judge([caption(one("potted plant")), caption(many("sports ball"))])
    assert verdict.violated == ("mr1", "mr2") and verdict.categories == ("misclassification",)
    assert OnlyLoses(("potted plant",), ()).judge([caption(), caption(one("cup"))]).violated == ("mr1",)
    assert verdict.reason == "'sports ball' appeared although objects were only removed."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(1, "sports ball")]


def test_a_thing_that_disappears_although_not_melted_is_an_omission() -> None:
    verdict = OnlyLoses(("dog",)).judge([caption(one("dog"), many("chair")), caption()])
    assert verdict.violated == ("mr1",) and verdict.categories == ("omission",)
    assert verdict.reason == "'chair' disappeared although not removed."
    assert [(e.probe, e.text, e.start, e.end) for e in verdict.evidence] == [(0, "chair", 5, 10)]


def test_an_airplane_that_becomes_a_kite_is_a_misclassification() -> None:
    verdict = OnlyLoses(("person",)).judge([read("an airplane in the sky"), read("a kite in the sky")])
    assert verdict.categories == ("misclassification",)
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "airplane"), (1, "kite")]


def test_the_last_one_of_a_class_must_not_be_named_any_more() -> None:
    verdict = OnlyLoses(("bus",), gone=("bus",)).judge([caption(many("bus")), caption(one("bus"))])
    assert verdict.violated == ("mr2",)
    assert verdict.reason == "'bus' is still named although the last one was removed."


def test_without_the_scene_the_last_one_is_counted_in_the_source_caption() -> None:
    claim = OnlyLoses(("bus",))
    assert claim.judge([caption(one("bus")), caption(one("bus"))]).violated == ("mr2",)
    assert claim.judge([caption(many("bus")), caption(one("bus"))]).outcome == "holds"
    assert claim.judge([caption(one("bus"), one("bus")), caption(one("bus"))]).outcome == "holds"
    assert claim.judge([caption(some("sheep")), caption(some("sheep"))]).outcome == "holds"


def test_a_scene_in_which_one_is_left_overrules_the_caption() -> None:
    assert OnlyLoses(("bus",), gone=()).judge([caption(one("bus")), caption(one("bus"))]).outcome == "holds"


def test_a_removed_thing_that_was_never_named_may_not_appear() -> None:
    verdict = OnlyLoses(("cat",), gone=("cat",)).judge([caption(one("dog")), caption(one("dog"), one("cat"))])
    assert verdict.violated == ("mr1", "mr2") and verdict.categories == ("misclassification",)


@given(captions, label_tuples)
def test_the_same_caption_holds_where_some_are_left(reading: CaptionReading, removed: tuple[str, ...]) -> None:
    assert OnlyLoses(removed, gone=()).judge([reading, reading]).outcome == "holds"


@given(captions, label_tuples)
def test_leaving_out_exactly_what_was_removed_holds(reading: CaptionReading, removed: tuple[str, ...]) -> None:
    rest = caption(*(mention for mention in reading.mentions if mention.label not in removed))
    for gone in (None, removed):
        assert OnlyLoses(removed, gone).judge([reading, rest]).outcome == "holds"


@given(captions, captions, label_tuples, st.none() | label_tuples)
def test_it_agrees_with_the_equations_of_the_paper(
    a: CaptionReading, d: CaptionReading, removed: tuple[str, ...], gone: tuple[str, ...] | None
) -> None:
    verdict = OnlyLoses(removed, gone).judge([a, d])
    before, after = set(a.labels), set(d.labels)
    assert ("mr1" in verdict.violated) == (not after <= before or not before - after <= set(removed))
    last = {x for x in removed if a.number_of(x) == "singular"} if gone is None else set(gone)
    assert ("mr2" in verdict.violated) == (bool(last) and not after <= before - last)
    for each in verdict.evidence:
        assert (a, d)[each.probe].text[each.start : each.end] == each.text


def test_captions_that_name_nothing_hold_vacuously() -> None:
    verdict = OnlyLoses(("dog",)).judge([read("a photo of things"), read("some things")])
    assert (verdict.outcome, verdict.vacuous) == ("holds", True)
    assert verdict.reason == "Neither caption names a known class."
    assert not OnlyLoses(("dog",)).judge([read("a man"), read("a man")]).vacuous
    assert not OnlyLoses(("dog",)).judge([read("there is no dog"), read("there is no dog")]).vacuous
