from __future__ import annotations

from hypothesis import given

from anamorph.model import CaptionReading, Verdict
from anamorph.relations.same_objects import SameObjects
from tests.english import read_as
from tests.relations.readings import captions


def judge(*answers: str | dict[str, float]) -> Verdict:
    readings = [read_as("caption" if isinstance(answer, str) else "labels", answer) for answer in answers]
    return SameObjects().judge(readings)


def test_other_words_for_the_same_objects_are_no_violation() -> None:
    verdict = judge("a man walks his dog on the beach", "two people and a black puppy by the sea")
    assert (verdict.outcome, verdict.vacuous) == ("holds", False)
    assert verdict.reason == "All answers name 'person' and 'dog', and nothing else that is known."


def test_what_is_lost_and_what_is_gained_is_named_with_its_words() -> None:
    verdict = judge("a dog on a couch", "a sofa", "a cat on a couch")
    assert verdict.outcome == "violated" and verdict.violated == ("same-objects",)
    assert verdict.categories == ("object-lost",)
    assert verdict.reason.startswith("The answer to follow-up 1 differs: 'dog' is no longer named, although the edit")
    verdict = judge("a dog on a couch", "a cat and a horse on a couch")
    assert verdict.categories == ("object-lost", "object-gained")
    assert verdict.reason.startswith("'dog' is no longer named; 'cat' and 'horse' are newly named, although the edit")
    assert [(each.probe, each.text) for each in verdict.evidence] == [(0, "dog"), (1, "cat"), (1, "horse")]


def test_numbers_must_agree_where_both_captions_say_one() -> None:
    verdict = judge("two dogs and a cat", "a cat and three dogs")
    assert (verdict.outcome, verdict.categories) == ("violated", ("quantity",))
    assert verdict.reason.startswith("2 of 'dog' named before and 3 now, although the edit")
    assert [(each.probe, each.text) for each in verdict.evidence] == [(0, "dogs"), (1, "dogs")]
    for other in ("dogs and a cat", "several dogs and a cat", "a dog, another dog and a cat"):
        assert judge("two dogs and a cat", other).outcome == "holds", other


def test_captions_that_name_nothing_hold_vacuously() -> None:
    verdict = judge("a photo of things", "several objects")
    assert (verdict.outcome, verdict.vacuous) == ("holds", True)
    assert judge("a photo of things", "a dog").outcome == "violated"


def test_saying_that_something_is_absent_is_saying_something() -> None:
    verdict = judge("there is no dog in the picture", "no dogs")
    assert (verdict.outcome, verdict.vacuous) == ("holds", False)


def test_labels_are_compared_as_sets() -> None:
    assert judge({"dog": 0.9, "cat": 0.6}, {"cat": 0.8, "dog": 0.7, "car": 0.1}).outcome == "holds"
    verdict = judge({"dog": 0.9, "car": 0.2}, {"dog": 0.4, "car": 0.8})
    assert verdict.categories == ("object-lost", "object-gained")
    assert [(each.probe, each.text) for each in verdict.evidence] == [(0, "dog"), (1, "car")]
    assert judge({}, {"dog": 0.1}).vacuous


def test_a_text_beside_labels_is_undecided() -> None:
    assert judge("a dog", {"dog": 0.9}).outcome == "undecided"


@given(captions, captions)
def test_it_holds_exactly_where_the_same_classes_are_named_and_either_way_round(
    one: CaptionReading, other: CaptionReading
) -> None:
    verdict = SameObjects().judge([one, other])
    counts = [(one.count_of(label), other.count_of(label)) for label in one.labels]
    agree = all(None in pair or pair[0] == pair[1] for pair in counts)
    assert (verdict.outcome == "holds") == (set(one.labels) == set(other.labels) and agree)
    assert SameObjects().judge([other, one]).outcome == verdict.outcome


def test_what_is_lost_or_gained_may_be_terse_and_numbers_are_miscounts() -> None:
    verdict = judge("a dog on a couch", "a cat and a horse on a couch")
    assert verdict.grade == "omission"
    assert [(each.label, each.what, each.grade, each.probes) for each in verdict.conflicts] == [
        ("dog", "lost", "omission", (0, 1)),
        ("cat", "gained", "omission", (0, 1)),
        ("horse", "gained", "omission", (0, 1)),
    ]
    verdict = judge("two dogs and a cat", "three dogs")
    assert verdict.grade == "miscount"
    assert [(each.label, each.what) for each in verdict.conflicts] == [("dog", "number"), ("cat", "lost")]
    assert judge({"dog": 0.9}, {"cat": 0.9}).grade == "omission"


def test_nothing_is_meant_to_change_in_number() -> None:
    assert tuple(SameObjects().changes()) == ()
