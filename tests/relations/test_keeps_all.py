from __future__ import annotations

from hypothesis import given, strategies as st

from anamorph.model import CaptionReading
from anamorph.relations.keeps_all import KeepsAll
from tests.english import caption_reader
from tests.relations.readings import LABELS, caption, captions, one, read

ROOM = KeepsAll((("couch", 1), ("chair", 1)))


def test_a_caption_that_names_more_than_it_must_holds() -> None:
    verdict = ROOM.judge([read("a living room with a couch, a chair and a tv")])
    assert verdict.outcome == "holds" and verdict.reason == "The caption still names 'couch' and 'chair'."


def test_the_papers_couch_that_became_a_tv_is_a_misclassification() -> None:
    verdict = ROOM.judge([read("A living room with a brown chair and a tv.")])
    assert verdict.violated == ("inclusion",) and verdict.categories == ("misclassification",)
    assert verdict.reason == "'couch' is in the picture but not named; 'tv' is named instead."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "tv")]


def test_a_missing_class_with_nothing_in_its_place_is_an_omission() -> None:
    verdict = ROOM.judge([caption(one("chair"))])
    assert verdict.violated == ("inclusion",) and verdict.categories == ("omission",)


def test_ground_that_is_named_is_not_what_an_object_was_taken_for() -> None:
    reader = caption_reader("coco-all")
    said = reader.read_text("a living room with a chair and a brick wall")
    verdict = ROOM.judge([said])
    assert verdict.categories == ("omission",) and verdict.reason == "'couch' is in the picture but not named."


def test_a_class_that_is_there_but_need_not_be_named_is_not_taken_for_another() -> None:
    claim = KeepsAll((("couch", 1), ("tv", 1)), named=("couch",))
    assert claim.judge([caption(one("tv"))]).categories == ("omission",)
    assert claim.judge([caption(one("couch"))]).outcome == "holds"


def test_a_class_whose_number_is_not_certain_must_be_named_in_any_number() -> None:
    claim = KeepsAll((("person", 4), ("couch", 1)), uncounted=("person",))
    assert claim.judge([read("three men on a couch")]).outcome == "holds"
    assert claim.judge([read("a couch")]).categories == ("omission",)
    assert claim.judge([read("three men on two couches")]).violated == ("quantity",)


def test_four_men_that_became_three_are_a_wrong_quantity() -> None:
    verdict = KeepsAll((("person", 4),)).judge([read("three men sitting at a table")])
    assert verdict.violated == ("quantity",) and verdict.categories == ("quantity",)
    assert verdict.reason == "3 of 'person' named where there are 4."


def test_a_number_counts_only_where_the_caption_says_one() -> None:
    for text in ("a group of men", "men at a table", "a man"):
        assert KeepsAll((("person", 4),)).judge([read(text)]).outcome == "holds", text


def test_without_references_only_what_the_source_names_must_stay() -> None:
    claim = KeepsAll((("dog", 1), ("cat", 1)), ground_truth="self")
    assert claim.judge([caption(one("dog")), caption(one("dog"))]).outcome == "holds"
    assert claim.judge([caption(one("dog")), caption(one("cat"))]).categories == ("omission",)
    nothing_said = claim.judge([caption(), caption(one("cat"))])
    assert (nothing_said.outcome, nothing_said.vacuous) == ("holds", True)
    assert not claim.judge([caption(one("dog")), caption(one("dog"))]).vacuous


def test_the_first_follow_up_that_fails_is_named() -> None:
    verdict = KeepsAll((("dog", 1),)).judge([caption(), caption(one("dog")), caption(one("cat"))])
    assert verdict.reason.startswith("The answer to follow-up 2 is wrong: 'dog' is in the picture but not named")


def test_a_scene_with_nothing_to_name_is_undecided() -> None:
    verdict = KeepsAll((("dog", 1),), named=()).judge([caption(one("dog"))])
    assert verdict.outcome == "undecided" and verdict.reason == "No reference caption names an object of the scene."
    assert KeepsAll((("dog", 0),)).judge([caption()]).outcome == "undecided"


@given(captions, st.dictionaries(st.sampled_from(LABELS), st.integers(1, 4), min_size=1))
def test_it_holds_exactly_when_all_are_included_with_the_numbers_that_are_said(
    reading: CaptionReading, objects: dict[str, int]
) -> None:
    verdict = KeepsAll(tuple(objects.items())).judge([reading])
    included = all(reading.names(label) for label in objects)
    said = all(reading.count_of(label) in (None, count) for label, count in objects.items())
    assert verdict.outcome == ("holds" if included and said else "violated")


@given(captions)
def test_a_caption_keeps_what_it_names_itself(reading: CaptionReading) -> None:
    objects = tuple((label, reading.count_of(label) or 1) for label in reading.labels)
    verdict = KeepsAll(objects, ground_truth="self").judge([reading, reading])
    assert (verdict.outcome, verdict.vacuous) == ("holds", not objects)


def test_where_nothing_is_counted_no_number_is_wrong_but_every_class_must_be_named() -> None:
    claim = KeepsAll((("dog", 2), ("cup", 1)), uncounted=("dog", "cup"))
    assert claim.judge([read("three dogs and a cup")]).outcome == "holds"
    assert KeepsAll((("dog", 2), ("cup", 1))).judge([read("three dogs and a cup")]).violated == ("quantity",)
    assert claim.judge([read("three dogs")]).violated == ("inclusion",)
