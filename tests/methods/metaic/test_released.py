"""A replay of what MetaIC published, with an oracle of our own that follows what its tool did."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings, strategies as st

from anamorph.methods.metaic.released import (
    ReleasedOnlyGains,
    ReleasedReader,
    RerunOnlyGains,
    RerunReader,
    judged_as,
)
from anamorph.model import Answer, CaptionReading, Unreadable, Wanted
from anamorph.relations.only_gains import OnlyGains
from anamorph.relations.same_answer import SameAnswer
from tests.english import COCO

READER = ReleasedReader()
WANTED = Wanted("caption", COCO)


def read(text: str, reader: ReleasedReader = READER) -> CaptionReading:
    reading = reader.read(Answer(text), WANTED)
    assert isinstance(reading, CaptionReading)
    return reading


def test_only_class_words_of_one_word_are_read() -> None:
    reading = read("a man and a dog with a hot dog, donuts, a bus stop and two Cats")
    assert [(m.label, m.number) for m in reading.mentions] == [
        ("dog", "singular"),
        ("dog", "singular"),
        ("bus", "singular"),
        ("cat", "plural"),
    ]
    assert reading.number_of("dog") == "plural"


def test_the_number_of_sheep_is_taken_from_the_tag() -> None:
    assert read("a sheep in a field").number_of("sheep") == "singular"
    assert read("a group of sheep").number_of("sheep") == "plural"
    assert read("a pair of scissors").number_of("scissors") == "plural"


def test_what_is_no_caption_cannot_be_read() -> None:
    assert isinstance(READER.read(Answer(labels={"dog": 1.0}), WANTED), Unreadable)
    assert isinstance(READER.read(Answer(""), WANTED), Unreadable)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_read(text: str) -> None:
    reading = READER.read(Answer(text), WANTED)
    if isinstance(reading, CaptionReading):
        assert all(text[m.start : m.end] == m.text for m in reading.mentions)


def test_the_published_reports_are_reproduced(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "recorded/metaic-azure-0.jsonl").read_text("utf-8").splitlines()]
    expected = set(json.loads((shared / "recorded/metaic-azure-0.expected.json").read_text())["violated"])
    reported = set()
    for row in rows:
        before, after, inserted = read(row["background"]), read(row["generated"]), row["inserted"]
        wanted = "plural" if before.names(inserted) else "singular"
        same = all(before.number_of(x) == after.number_of(x) for x in before.labels if x != inserted)
        if {*after.labels} != {*before.labels, inserted} or not same or after.number_of(inserted) != wanted:
            reported.add(row["id"])
    assert len(reported & expected) / len(reported) >= 0.99
    assert len(reported & expected) / len(expected) >= 0.99


def test_the_own_claim_is_judged_as_every_profile_and_a_released_one_only_as_itself() -> None:
    own, paper, released = OnlyGains("dog", ledger=True, complete="coco"), OnlyGains("dog"), ReleasedOnlyGains("dog")
    assert judged_as(own, "anamorph") is own
    assert judged_as(own, "paper") == judged_as(paper, "paper") == paper
    assert judged_as(own, "released") == judged_as(paper, "released") == judged_as(released, "released") == released
    assert judged_as(released, "paper") is judged_as(SameAnswer(), "released") is None


def test_numbers_are_tested_only_where_the_classes_are_right() -> None:
    relation = ReleasedOnlyGains("dog")
    assert relation.judge([read("a cat"), read("two dogs")]).violated == ("mr1",)
    assert relation.judge([read("a cat"), read("a cat and dogs")]).violated == ("mr2",)
    assert OnlyGains("dog").judge([read("a cat"), read("two dogs")]).violated == ("mr1", "mr2")


def test_romes_authors_ran_metaic_again_with_all_classes_of_one_word() -> None:
    text = "a tv, two donuts, a mouse, a knife, skis, a hot dog and a man"
    own, rerun = read(text), read(text, RerunReader())
    assert [m.label for m in own.mentions] == ["dog"]
    assert [m.label for m in rerun.mentions] == ["tv", "donut", "mouse", "knife", "skis", "dog"]
    seen, lost = (read(each, RerunReader()) for each in ("a cat and a donut", "a cat"))
    assert RerunOnlyGains("donut").judge([lost, seen]).outcome == "holds"
    # MetaIC's own list does not know what was inserted, so it always reports it.
    assert ReleasedOnlyGains("donut").judge([read("a cat"), read("a cat and a donut")]).violated


def test_each_released_oracle_stands_in_for_the_other() -> None:
    for relation in (OnlyGains("dog"), ReleasedOnlyGains("dog"), RerunOnlyGains("dog")):
        assert judged_as(relation, "released") == ReleasedOnlyGains("dog")
        assert judged_as(relation, "released-rerun") == RerunOnlyGains("dog")
    assert judged_as(RerunOnlyGains("dog"), "paper") is None
    assert ReleasedOnlyGains("dog") != RerunOnlyGains("dog")
