"""The reader of English as runs use it; its parts have tests of their own in the folder."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import BadRecord, UnknownName
from anamorph.model import (
    READING_KINDS,
    Answer,
    AnswerReading,
    CaptionReading,
    LabelSet,
    LabelSpace,
    Reading,
    ReadingKind,
    Unreadable,
    Wanted,
    Wording,
    decode,
)
from anamorph.model.protocols import ReaderOptions
from anamorph.readers.english.reader import EnglishReader
from anamorph.reading.labels import label_space
from tests.english import COCO

READER = EnglishReader()
HOW_MANY = "How many dogs are there?"


def read(kind: ReadingKind, text: str, question: str | None = None, reader: EnglishReader = READER) -> Reading:
    return reader.read(Answer(text), Wanted(kind, COCO, question))


def test_each_kind_of_reading_is_made_of_the_same_text() -> None:
    caption = read("caption", "Two dogs and a cat.")
    assert isinstance(caption, CaptionReading) and caption.labels == ("dog", "cat")
    answer = read("answer", "Two dogs and a cat.", HOW_MANY)
    assert isinstance(answer, AnswerReading) and answer.number == 2
    assert read("labels", "Two dogs and a cat.") == LabelSet(frozenset({"dog", "cat"}))
    wording = read("wording", "Two dogs and a cat.", HOW_MANY)
    assert isinstance(wording, Wording) and wording.normal == "two dogs and a cat"
    assert isinstance(wording.said, AnswerReading) and wording.said.number == 2


def test_it_says_which_kinds_it_makes() -> None:
    makes = ReaderOptions.makes.of(EnglishReader)
    assert set(READING_KINDS) - set(makes) == {"closed"} and get_args(ReadingKind) == READING_KINDS
    assert not ReaderOptions.asks.of(EnglishReader)


@pytest.mark.parametrize("kind", ["caption", "answer", "wording"])
def test_a_set_of_labels_is_no_text(kind: ReadingKind) -> None:
    reading = READER.read(Answer(labels={"dog": 0.9}), Wanted(kind, COCO))
    assert reading == Unreadable("", "the answer is a set of labels, not a text")


def test_labels_are_given_from_the_threshold_on_and_those_that_name_a_class_are_that_class() -> None:
    answer = Answer(labels={"dog": 0.3, "cat": 0.29, "Sofa": 0.9, "Snow Storm": 0.9})
    wanted = Wanted("labels", COCO)
    assert EnglishReader(threshold=0.3).read(answer, wanted) == LabelSet(frozenset({"dog", "couch", "Snow Storm"}))
    assert READER.read(answer, wanted) == LabelSet(frozenset({"couch", "Snow Storm"}))
    assert EnglishReader(free_tags=True).read(answer, wanted) == LabelSet(frozenset({"Sofa", "Snow Storm"}))
    assert READER.read(Answer(labels={}), Wanted("labels", COCO)) == LabelSet(frozenset())


def test_tags_of_a_text_are_mapped_to_the_label_space_unless_they_are_free() -> None:
    text = '{"sofas": 0.9, "men": 0.6, "cat": 0.4}'
    assert read("labels", text) == LabelSet(frozenset({"couch", "person"}))
    assert read("labels", text, reader=EnglishReader(free_tags=True)) == LabelSet(frozenset({"sofa", "man"}))
    assert read("labels", text, reader=EnglishReader(threshold=0.7)) == LabelSet(frozenset({"couch"}))


def test_depicted_things_count_where_that_is_asked_for() -> None:
    text = "a statue of a horse"
    plain, counted = read("caption", text), read("caption", text, reader=EnglishReader(depicted=("sculpture",)))
    assert isinstance(plain, CaptionReading) and isinstance(counted, CaptionReading)
    assert "horse" not in plain.classes() and "horse" in counted.classes()


def test_one_reader_reads_in_several_label_spaces() -> None:
    voc = label_space("voc")
    for space, label in ((COCO, "couch"), (voc, "sofa"), (COCO, "couch")):
        reading = READER.read(Answer("a couch"), Wanted("caption", space))
        assert isinstance(reading, CaptionReading) and reading.labels == (label,)
    answer = READER.read(Answer("Two couches."), Wanted("answer", voc, "How many sofas are there?"))
    assert isinstance(answer, AnswerReading) and answer.number == 2


def test_what_was_made_for_a_space_is_kept_while_the_space_is() -> None:
    reader = EnglishReader()
    wanted = Wanted("caption", LabelSpace("mine", COCO.labels))
    reader.read(Answer("a dog"), wanted)
    made = reader._of(wanted.space)
    assert reader._of(wanted.space) is made and reader._of(COCO) is not made


def test_settings_are_decoded_and_wrong_ones_are_named() -> None:
    table = {"threshold": 0.3, "depicted": ["toy"], "free_tags": True, "tagger": "rules"}
    assert decode(EnglishReader, table) == EnglishReader("rules", ("toy",), 0.3, True)
    assert replace(READER, threshold=0.3) != READER == EnglishReader()
    with pytest.raises(BadRecord, match="threshold: must be at most 1"):
        decode(EnglishReader, {"threshold": 2})
    with pytest.raises(BadRecord, match=r"depicted\[0\]: expected one of 'toy'"):
        decode(EnglishReader, {"depicted": ["dream"]})
    with pytest.raises(UnknownName, match="Unknown tagger 'nltk'"):
        EnglishReader(tagger="nltk")


@given(st.text(), st.sampled_from(ReaderOptions.makes.of(EnglishReader)), st.none() | st.text())
def test_any_text_is_read_as_any_kind(text: str, kind: ReadingKind, question: str | None) -> None:
    made = {"caption": CaptionReading, "answer": AnswerReading, "labels": LabelSet, "wording": Wording}[kind]
    assert isinstance(read(kind, text, question), made | Unreadable)
