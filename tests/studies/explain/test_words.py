from __future__ import annotations

import pytest

from anamorph.model import Answer, CaptionReading, Conflict, Evidence, LabelSet, Reading, Unreadable, Verdict
from anamorph.studies.explain.words import Word, effect, word_of
from tests.english import answer_reader, caption_reader

HOW_MANY, ANY = "How many dogs are in the image?", "Is there any dog in the image?"


def caption(text: str) -> Reading:
    return caption_reader().read_text(text)


def answer(text: str, question: str = HOW_MANY) -> Reading:
    return answer_reader().read_text(text, question)


def violated(*conflicts: Conflict, evidence: tuple[Evidence, ...] = ()) -> Verdict:
    return Verdict("violated", "No.", conflicts=conflicts, evidence=evidence)


def test_an_invention_is_explained_where_it_is_said() -> None:
    readings = [caption("a dog"), caption("a dog and a kite")]
    assert word_of(violated(Conflict("kite", "invention", "invented", (1,), True)), readings) == Word(1, "kite")


def test_an_omission_is_explained_in_the_image_where_the_word_is_said() -> None:
    readings = [caption("a dog and a cat"), caption("a dog")]
    assert word_of(violated(Conflict("cat", "omission", "lost", (0, 1))), readings) == Word(0, "cat")
    # Not named in the follow-up that must name it, but in the source.
    assert word_of(violated(Conflict("cat", "omission", "missing", (1,), True)), readings) == Word(0, "cat")


def test_what_no_answer_says_cannot_be_explained() -> None:
    readings = [caption("a dog"), caption("a dog")]
    assert word_of(violated(Conflict("cat", "omission", "missing", (1,), True)), readings) is None


def test_a_violation_as_published_is_explained_by_its_evidence() -> None:
    named = caption("a kite and a dog")
    assert isinstance(named, CaptionReading)
    ((start, end),) = named.spans_of("kite")
    evidence = (Evidence(1, "kite", start, end),)
    assert word_of(violated(evidence=evidence), [caption("a dog"), named]) == Word(1, "kite")
    assert word_of(violated(evidence=(Evidence(1, "cup"),)), [LabelSet(frozenset()), LabelSet(frozenset({"cup"}))]) == (
        Word(1, "cup")
    )


def test_of_two_answers_the_one_that_sees_more_is_explained() -> None:
    both = (Evidence(0, "3", 0, 1), Evidence(1, "2", 0, 1))
    assert word_of(violated(evidence=both), [answer("3"), answer("2")]) == Word(0, None)
    assert word_of(violated(evidence=both), [answer("no", ANY), answer("yes", ANY)]) == Word(1, None)


@pytest.mark.parametrize(
    ("now", "expected"),
    [("two dogs and a kite", 0.0), ("a dog and two kites", 0.5), ("a dog", 1.0), ("no kite at all, a dog", 1.0)],
)
def test_a_word_is_gone_weakened_or_as_before(now: str, expected: float) -> None:
    before = (Answer("a dog and a kite"), caption("a dog and a kite"))
    assert effect(Word(0, "kite"), before, (Answer(now), caption(now))) == expected
    if expected == 0.5:
        assert effect(Word(0, "kite", "number"), before, (Answer(now), caption(now))) == 1.0


def test_a_colour_that_is_no_longer_given_is_gone() -> None:
    before = (Answer("a red kite"), caption("a red kite"))
    word = word_of(violated(Conflict("kite", "invention", "described", (0,), True)), [before[1]])
    assert word == Word(0, "kite", "looks")
    texts = ("a red kite and a dog", "a kite", "a blue kite", "a dog")
    assert [effect(word, before, (Answer(text), caption(text))) for text in texts] == [0, 1, 1, 1]


def test_a_number_or_a_yes_changes_or_not() -> None:
    before = (Answer("3"), answer("3"))
    assert [effect(Word(0, None), before, (Answer(text), answer(text))) for text in ("3", "three", "2")] == [0, 0, 1]


def test_a_score_that_falls_counts_a_little_and_a_label_that_is_gone_counts_all() -> None:
    def tagged(score: float) -> tuple[Answer, Reading]:
        return Answer(labels={"cup": score}), LabelSet(frozenset({"cup"} if score >= 0.5 else ()))

    word = Word(0, "cup")
    assert effect(word, tagged(0.9), tagged(0.9)) == 0 and effect(word, tagged(0.9), tagged(0.4)) == 1
    assert 0 < (effect(word, tagged(0.9), tagged(0.6)) or 0) < 0.5


def test_an_answer_that_cannot_be_read_shows_nothing() -> None:
    before = (Answer("a kite"), caption("a kite"))
    assert effect(Word(0, "kite"), before, (Answer("??"), Unreadable("??", "not English"))) is None
