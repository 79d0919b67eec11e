from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import CaptionReading, Verdict
from anamorph.relations.only_gains import OnlyGains
from tests.relations.readings import LABELS, caption, captions, many, one, read, some


def judge(inserted: str, background: str, generated: str) -> Verdict:
    return OnlyGains(inserted).judge([read(background), read(generated)])


def test_a_caption_that_gains_the_inserted_class_holds() -> None:
    verdict = judge("dog", "a horse in a field", "a horse and a dog in a field")
    assert verdict.outcome == "holds" and not verdict.violated and not verdict.evidence
    assert verdict.reason == "The caption gains 'dog' and nothing else changes."


def test_the_papers_first_example_takes_a_bird_for_a_person() -> None:
    verdict = judge("bird", "a bench in a park", "a person on a bench in a park")
    assert verdict.violated == ("mr1",) and verdict.categories == ("misclassification",)
    assert verdict.reason == "The inserted 'bird' is not named; 'person' is named although only 'bird' was inserted."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(1, "person")]


def test_the_papers_second_example_names_one_inserted_cow_in_the_plural() -> None:
    verdict = judge("cow", "an elephant in a field", "an elephant and cows in a field")
    assert verdict.violated == ("mr2",) and verdict.categories == ("quantity",)
    assert verdict.reason == "'cow' is plural although only one was inserted."


def test_a_sheep_and_a_zebra_are_not_a_couple_of_zebra() -> None:
    verdict = judge("sheep", "a zebra in a field", "a couple of zebra in a field")
    assert verdict.violated == ("mr1", "mr2") and verdict.categories == ("omission", "quantity")
    assert verdict.reason == "The inserted 'sheep' is not named; 'zebra' was singular and is now plural."


@pytest.mark.parametrize(
    ("inserted", "background", "generated"),
    [
        ("bird", "an elephant in a zoo", "an elephant with a parrot on its back"),
        ("cow", "a person on a hill", "a woman on a hill with a cow"),
        ("scissors", "a book on a table", "a book and a pair of scissors on a table"),
    ],
)
def test_the_papers_own_false_alarms_are_none_here(inserted: str, background: str, generated: str) -> None:
    assert judge(inserted, background, generated).outcome == "holds"


def test_a_second_object_of_a_class_makes_it_plural() -> None:
    assert judge("dog", "a dog on a couch", "two dogs on a couch").outcome == "holds"
    verdict = judge("dog", "a dog on a couch", "a dog on a couch")
    assert verdict.violated == ("mr2",)
    assert verdict.reason == "'dog' is singular although one was inserted beside what was there."
    assert [(e.probe, e.text, e.start) for e in verdict.evidence] == [(0, "dog", 2), (1, "dog", 2)]


def test_both_relations_are_always_evaluated() -> None:
    readings = [caption(one("cat")), caption(many("cat"))]
    assert OnlyGains("dog").judge(readings).violated == ("mr1", "mr2")


def test_the_released_tool_looked_at_numbers_only_where_classes_were_right() -> None:
    released = OnlyGains("dog", mr2_only_if_mr1_holds=True)
    assert released.judge([caption(one("cat")), caption(many("cat"))]).violated == ("mr1",)
    assert released.judge([caption(one("cat")), caption(many("cat"), one("dog"))]).violated == ("mr2",)


def test_a_number_that_cannot_be_seen_is_never_wrong() -> None:
    assert OnlyGains("sheep").judge([caption(one("cat")), caption(one("cat"), some("sheep"))]).outcome == "holds"


@given(captions, st.sampled_from(LABELS))
def test_adding_the_inserted_thing_to_any_caption_holds(background: CaptionReading, inserted: str) -> None:
    """Named once more, it is plural if it was there, and singular otherwise."""
    mention = many(inserted) if background.names(inserted) else one(inserted)
    assert OnlyGains(inserted).judge([background, caption(*background.mentions, mention)]).outcome == "holds"


@given(captions, captions, st.sampled_from(LABELS))
def test_it_agrees_with_the_equations_of_the_paper(b: CaptionReading, g: CaptionReading, inserted: str) -> None:
    verdict = OnlyGains(inserted).judge([b, g])
    assert ("mr1" in verdict.violated) == (set(g.labels) != set(b.labels) | {inserted})
    known = {x for x in {*b.labels, *g.labels} if "unknown" not in (b.number_of(x), g.number_of(x))}
    common = (set(b.labels) & set(g.labels) & known) - {inserted}
    wrong = any(b.number_of(x) != g.number_of(x) for x in common)
    if g.names(inserted) and g.number_of(inserted) != "unknown":
        wrong |= g.number_of(inserted) != ("plural" if b.names(inserted) else "singular")
    assert ("mr2" in verdict.violated) == wrong
    assert (verdict.outcome == "violated") == bool(verdict.violated) == bool(verdict.categories)


@given(captions, captions, st.sampled_from(LABELS))
def test_the_order_of_evaluation_never_changes_the_outcome(b: CaptionReading, g: CaptionReading, inserted: str) -> None:
    ours, released = (OnlyGains(inserted, flag).judge([b, g]) for flag in (False, True))
    assert ours.outcome == released.outcome and set(released.violated) <= set(ours.violated)


def test_what_all_people_name_must_be_named_where_both_captions_are_silent() -> None:
    relation = OnlyGains("dog", ledger=True, required=("cat", "bus"))
    verdict = relation.judge([read("A bus."), read("A bus and a dog.")])
    assert verdict.reason == "'cat' is in the picture but not named."
    assert (verdict.grade, verdict.violated) == ("omission", ("mr1",))
    # What the source has and the follow-up has not was lost.
    lost = relation.judge([read("A bus and a cat."), read("A cat and a dog.")])
    assert [each.what for each in lost.conflicts] == ["lost"]
    assert OnlyGains("dog", required=("cat",)).judge([read("A bus."), read("A bus and a dog.")]).outcome == "holds"
