"""A replay of what ROME published, with an oracle of our own that follows what its tool did."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from anamorph.config import resolve
from anamorph.errors import NotTrusted
from anamorph.methods.rome.method import Rome
from anamorph.methods.rome.released import (
    NounMention,
    ReleasedOnlyLoses,
    ReleasedReader,
    count_of,
    judged_as,
    mapped_pair,
)
from anamorph.model import Answer, CaptionReading, Unreadable, Wanted
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.verdicts.ledger import KnownClass
from tests.english import COCO
from tests.methods.scenery import planned, scene, thing
from tests.relations.readings import UNREADABLE, caption, one

READER = ReleasedReader()
WANTED = Wanted("caption", COCO)


def read(text: str) -> CaptionReading:
    reading = READER.read(Answer(text), WANTED)
    assert isinstance(reading, CaptionReading)
    return reading


def test_class_chunks_stay_whole_and_the_first_of_two_nouns_is_dropped() -> None:
    reading = read("a hot dog and a bowl sink")
    assert [(m.text, m.label) for m in reading.mentions] == [("hot dog", "hot dog"), ("sink", "sink")]


def test_a_word_is_mapped_onto_a_class_word_of_either_caption() -> None:
    ancestor, descendant = read("a man on a bench"), read("a person on a bench")
    left, right = mapped_pair(ancestor, descendant)
    assert left.labels == right.labels == ("person", "bench")
    alone, _ = mapped_pair(ancestor, read("a bench"))
    assert alone.labels == ("bench",)
    assert count_of(mapped_pair(read("two men"), descendant)[0], "person") == 2


def test_the_claim_maps_words_onto_classes_of_either_caption_and_counts_forms() -> None:
    man = NounMention("man", 0, 0, "man", None, "singular", kin=("person",))
    released = ReleasedOnlyLoses(("person",))
    # No caption has the class word, so "man" stands for nothing.
    assert released.judge([caption(man), caption(man)]).outcome == "holds"
    assert released.judge([caption(man), caption(one("person"))]).violated == ("mr2",)
    assert OnlyLoses(("person",)).judge([caption(man), caption(one("person"))]).violated == ("mr1",)


def test_a_caption_that_cannot_be_read_leaves_the_claim_undecided() -> None:
    assert ReleasedOnlyLoses(("dog",)).judge([caption(one("dog")), UNREADABLE]).outcome == "undecided"
    assert isinstance(READER.read(Answer(labels={"dog": 1.0}), WANTED), Unreadable)
    assert isinstance(READER.read(Answer(""), WANTED), Unreadable)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_read(text: str) -> None:
    reading = READER.read(Answer(text), WANTED)
    if isinstance(reading, CaptionReading):
        assert all(text[m.start : m.end] == m.text for m in reading.mentions)


def test_the_published_reports_are_reproduced(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "recorded/rome-azure.jsonl").read_text("utf-8").splitlines()]
    expected = set(json.loads((shared / "recorded/rome-azure.expected.json").read_text())["violated"])
    read_once = functools.cache(read)
    reported = set()
    for row in rows:
        ancestor, descendant = mapped_pair(read_once(row["ancestor"]), read_once(row["descendant"]))
        removed = {name.replace("_", " ") for name in row["removed"]}
        before, after = {*ancestor.labels}, {*descendant.labels}
        gone = any(count_of(ancestor, name) == 1 and name in after for name in removed)
        if not after <= before or not before - after <= removed or gone:
            reported.add(row["id"])
    assert len(reported & expected) / len(reported) >= 0.97
    assert len(reported & expected) / len(expected) >= 0.97


def test_the_own_claim_is_judged_as_every_profile_and_a_released_one_only_as_itself() -> None:
    known = (KnownClass("dog", 1, 1),)
    own = OnlyLoses(("dog",), ("dog",), (("dog", 1),), ledger=True, known=known, complete="coco")
    paper, released = OnlyLoses(("dog",), ("dog",)), ReleasedOnlyLoses(("dog",))
    assert judged_as(own, "anamorph") is own
    assert judged_as(own, "paper") == judged_as(paper, "paper") == paper
    assert judged_as(own, "released") == judged_as(paper, "released") == judged_as(released, "released") == released
    assert judged_as(released, "paper") is judged_as(SameAnswer(), "released") is None


def test_the_plan_of_the_released_profile_claims_what_the_tool_did() -> None:
    photo = scene(thing("table", "dining table", 60, 60, 160, 100), thing("dog", "dog", 10, 10, 15, 15))
    (case,) = planned(Rome(max_depth=1, profile="released"), [photo])
    assert case.relation == ReleasedOnlyLoses(("dog",))
    # A puppy is no class word, and neither caption names a dog: the tool saw nothing.
    pair = [read("a puppy by a bench"), read("a bench")]
    assert case.relation.judge(pair).outcome == "holds" and case.relation.judge(pair[::-1]).grade is None


def test_it_reads_in_the_label_space_of_the_run_with_a_tagger_of_its_own() -> None:
    readers = resolve({"labels": "voc", "readers": {ReleasedReader.kind: {"tagger": "rules"}}}).readers()
    assert readers.reader(ReleasedReader.kind) == ReleasedReader()
    for relation_reader in (None, ReleasedReader.kind):
        reading = readers.read("caption", Answer("a sofa and a frisbee"), read_by=relation_reader)
        assert isinstance(reading, CaptionReading) and reading.labels == ("sofa",)


def test_it_opens_no_file_that_the_run_of_somebody_else_names() -> None:
    strange = resolve({"labels": "labels.toml"}, trusted=False).readers()
    with pytest.raises(NotTrusted, match=r"label space 'labels.toml' is not opened"):
        strange.read("caption", Answer("a dog"), read_by=ReleasedReader.kind)
    strange = resolve({"readers": {ReleasedReader.kind: {"tagger": "spacy:mine"}}}, trusted=False).readers()
    with pytest.raises(NotTrusted, match=r"'released-rome' needs tagger = 'spacy:mine'"):
        strange.read("caption", Answer("a dog"), read_by=ReleasedReader.kind)
