"""Whether and how one answer is wrong about what is visible.

It reads answers independently of relations if possible: captions in the toybox's wording are read by `said_by`, not by
the caption reader. So a report caused only by the reader's mistake does not count as right.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.model import Answer, AnswerReading, CaptionReading
from anamorph.readers.english.caption import CaptionReader
from anamorph.reading.answers import AnswerReader
from anamorph.reading.labels import label_space
from anamorph.reading.nouns import OTHER_WORDS
from anamorph.toybox.captions import NUMBER_WORDS, said_by
from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.questions import Asked, asked_by
from anamorph.toybox.truth import Span, Truth

Category: TypeAlias = Literal[
    "omission", "misclassification", "quantity", "hallucination", "attribute", "number", "yes-no", "missing", "extra"
]
# A plural without a number, such as "dogs", is at least two, with no upper bound.
_MANY = 1_000_000
# "of" is that of "a couple of".
_NUMBERS = ("a", "an", "of", *NUMBER_WORDS[2:])


@dataclass(frozen=True, slots=True)
class Assessment:
    """Right or wrong about what is visible, or `untold` if undecidable; the reasons are for people."""

    outcome: Literal["right", "wrong", "untold"]
    categories: tuple[Category, ...] = ()
    reason: str = ""

    @property
    def wrong(self) -> bool:
        return self.outcome == "wrong"


_RIGHT = Assessment("right")


def assess(answer: Answer, question: str | None, truth: Truth, threshold: float = 0.5) -> Assessment:
    """Compare one answer with what is visible; nothing is wrong if the truth is in doubt."""
    if answer.labels is not None:
        return _assess_labels(answer, truth, threshold)
    assert answer.text is not None
    if question is None:
        return _assess_caption(answer.text, truth)
    asked = asked_by(question)
    if asked is None:
        return Assessment("untold", reason=f"what {question!r} asks for is not known")
    return _assess_answer(answer.text, question, asked, truth)


# --- captions -------------------------------------------------------------------------------------------------------


def _assess_caption(text: str, truth: Truth) -> Assessment:
    said = _numbers_said(text)
    if said is None:
        return Assessment("untold", reason="the caption cannot be read")
    named, perhaps = said
    missing = [label for label in truth.labels if label not in named and label not in perhaps]
    unseen = [label for label in named if label not in truth.possible_labels]
    miscounted = [label for label, said in named.items() if label not in unseen and not _fits(said, truth.count(label))]
    misdescribed = [
        f"{word} {label}"
        for label, word in said_by(text).attributes
        if label in truth.possible_labels and truth.is_there(label, word) is False
    ]
    found: list[Category] = []
    if missing and unseen:
        found.append("misclassification")
    if len(missing) > len(unseen):
        found.append("omission")
    if len(unseen) > len(missing):
        found.append("hallucination")
    if miscounted:
        found.append("quantity")
    if misdescribed:
        found.append("attribute")
    if not found:
        return _RIGHT
    clauses = (("not named", missing), ("not there", unseen), ("other number", miscounted), ("none", misdescribed))
    return Assessment(
        "wrong", tuple(found), "; ".join(f"{what}: {', '.join(names)}" for what, names in clauses if names)
    )


def _numbers_said(text: str) -> tuple[Mapping[str, Span], frozenset[str]] | None:
    """The number of each class in a caption, and the classes that it may name; None if it cannot be read."""
    if _in_own_wording(text):
        return {label: Span(number, number) for label, number in said_by(text).numbers.items()}, frozenset()
    reading = _caption_reader().read_text(text)
    if not isinstance(reading, CaptionReading):
        return None
    said: dict[str, Span] = {}
    for label in reading.labels:
        mentions = [mention for mention in reading.mentions_of(label) if not mention.again]
        counts = [m.count if m.count is not None else 1 if m.number == "singular" else None for m in mentions]
        least = sum(2 if count is None else count for count in counts)
        if any(mention.number == "unknown" and mention.count is None for mention in mentions):
            said[label] = Span(1, _MANY)
        else:
            most = None if None in counts or label in reading.perhaps else least
            said[label] = Span(least, _MANY if most is None else most)
    return said, frozenset(reading.perhaps)


def _fits(said: Span, seen: Span) -> bool:
    return said.least <= seen.most and seen.least <= said.most


@functools.cache
def _own_words() -> frozenset[str]:
    texts = [
        "a an couple of photo picture there is are and on next to near with beside in front behind",
        "two three four five six seven eight nine man woman child people empty place thing things reading books",
        *(place for background in BACKGROUNDS.values() for place in background.places),
        *(f"{one.name} {one.plural}" for one in CLASSES.values()),
        *(" ".join(words) for words in OTHER_WORDS.values()),
        *INKS,
        *ACTIONS,
    ]
    return frozenset(word for text in texts for word in _words(text))


def _in_own_wording(text: str) -> bool:
    """Whether a caption is in the toybox's wording: no other words, no digits, and no noun without a number."""
    if re.search(r"\d", text) or not all(word in _own_words() for word in _words(text)):
        return False
    found = list(_nouns().finditer(text.lower()))
    for noun in found:
        before = _words(text[: noun.start()])
        if before and before[-1] in INKS:
            before.pop()
        if not before or before[-1] not in (*_NUMBERS, "reading" if noun[0] == "books" else "a"):
            return False
    return bool(found)


@functools.cache
def _nouns() -> re.Pattern[str]:
    nouns = [word for one in CLASSES.values() for word in (one.name, one.plural, *OTHER_WORDS.get(one.name, ()))]
    return re.compile(rf"\b(?:{'|'.join(sorted(nouns, key=len, reverse=True))})\b")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


@functools.cache
def _caption_reader() -> CaptionReader:
    return CaptionReader(label_space("coco"))


@functools.cache
def _answer_reader() -> AnswerReader:
    return AnswerReader(label_space("coco"))


# --- answers --------------------------------------------------------------------------------------------------------


def _assess_answer(text: str, question: str, asked: Asked, truth: Truth) -> Assessment:
    reading = _answer_reader().read_text(text, question)
    if not isinstance(reading, AnswerReading):
        return Assessment("untold", reason="the answer cannot be read")
    seen = count(asked, truth)
    if asked.asks != "how-many":
        if seen.least == 0 < seen.most:
            return _RIGHT
        if reading.there is None:
            return Assessment("untold", reason="the answer leaves open whether there is any")
        if reading.there == (seen.least > 0):
            return _RIGHT
        return Assessment("wrong", ("yes-no",), f"there {'is one' if seen.least else 'is none'}")
    if _fits(Span(reading.least, _MANY if reading.most is None else reading.most), seen):
        return _RIGHT
    number = str(seen.least) if seen.least == seen.most else f"{seen.least} to {seen.most}"
    return Assessment("wrong", ("number",), f"visible: {number}")


def count(asked: Asked, truth: Truth) -> Span:
    """The number of things asked for; a thing that is asked for twice counts once."""
    things = [
        thing
        for thing in truth.things
        if any(thing.label == label and (word is None or word in thing.attributes) for label, word in asked.things)
    ]
    return Span(sum(thing.clear for thing in things), sum(thing.perceptible for thing in things))


# --- labels ---------------------------------------------------------------------------------------------------------


def _assess_labels(answer: Answer, truth: Truth, threshold: float) -> Assessment:
    given = frozenset(label for label, score in (answer.labels or {}).items() if score >= threshold)
    missing = [label for label in truth.labels if label not in given]
    # A tagger may know labels, such as grass, that the toybox does not record.
    extra = sorted(label for label in given & _known_labels() if label not in truth.possible_labels)
    found: list[Category] = ["missing"] if missing else []
    found += ["extra"] if extra else []
    if not found:
        return _RIGHT
    clauses = (("missing", missing), ("extra", extra))
    return Assessment(
        "wrong", tuple(found), "; ".join(f"{what}: {', '.join(names)}" for what, names in clauses if names)
    )


@functools.cache
def _known_labels() -> frozenset[str]:
    return frozenset(label_space("coco").names)
