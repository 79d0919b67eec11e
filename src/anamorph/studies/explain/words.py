"""The subject of an explanation: the word, number or yes of one answer, and how much another answer changes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.model import (
    Answer,
    AnswerReading,
    CaptionReading,
    ConflictKind,
    Evidence,
    LabelSet,
    Reading,
    Unreadable,
    Verdict,
    Wording,
)
from anamorph.reading.descriptions import described_as
from anamorph.report.suspicions import told_conflicts

About: TypeAlias = Literal["presence", "number", "looks"]
_ABOUT: Mapping[ConflictKind, About] = {"number": "number", "described": "looks"}

# The word is still there, but in another number, or with a lower score.
WEAKENED = 0.5


@dataclass(frozen=True, slots=True)
class Word:
    """The claim of the answer to the probe at `position`: that there is something of a class, or (None) all of it.

    `about` is what is wrong: that it is named at all, its number, or its colour or deed.
    """

    position: int
    label: str | None
    about: About = "presence"


def word_of(verdict: Verdict, readings: Sequence[Reading]) -> Word | None:
    """The word to explain, by the surest conflict in which one is said; None if nothing is said.

    What one answer leaves out is explained in another that names it.
    """
    for conflict in told_conflicts(verdict):
        # Whoever names what others do not is likely wrong, and comes first.
        probes = conflict.probes if conflict.what == "lost" else conflict.probes[::-1]
        said = [position for position in probes if names(_reading(readings, position), conflict.label)]
        said = said or [place for place, reading in enumerate(readings) if names(reading, conflict.label)]
        if said:
            return Word(said[0], conflict.label, _ABOUT.get(conflict.what, "presence"))
    for evidence in verdict.evidence:
        label = _label_of(evidence, _reading(readings, evidence.probe))
        if label is not None:
            return Word(evidence.probe, label)
    proving = sorted({item.probe for item in verdict.evidence if 0 <= item.probe < len(readings)})
    answered = [place for place in proving or range(len(readings)) if _presence(readings[place]) is not None]
    if not answered:
        return None
    # Something in the image must carry a yes, or a number; of several, the later answer is the one that changed.
    return Word(max(answered, key=lambda place: (_presence(readings[place]) or 0, place)), None)


def names(reading: Reading | None, label: str) -> bool:
    """Whether an answer says that there is something of a class."""
    if isinstance(reading, CaptionReading):
        return reading.classes().get(label, (0, 0)) != (0, 0)
    return isinstance(reading, LabelSet) and label in reading.labels


def effect(word: Word, before: tuple[Answer, Reading], now: tuple[Answer, Reading]) -> float | None:
    """How much less an answer says of a word than before: 1 nothing, 0 all as before; None if it is unreadable."""
    reading, other = before[1], now[1]
    if isinstance(other, Unreadable):
        return None
    if word.label is None:
        return float(_statement(reading) != _statement(other))
    if not names(other, word.label):
        return 1.0
    if isinstance(reading, CaptionReading) and isinstance(other, CaptionReading):
        if word.about == "looks":
            return float(not _looks(reading, word.label) <= _looks(other, word.label))
        changed = reading.classes()[word.label] != other.classes()[word.label]
        return (1.0 if word.about == "number" else WEAKENED) * changed
    score, left = ((answer.labels or {}).get(word.label, 0.0) for answer in (before[0], now[0]))
    return WEAKENED * min(1.0, max(0.0, 1 - left / score)) if score > 0 else 0.0


def _looks(reading: CaptionReading, label: str) -> frozenset[str]:
    """The colours and deeds that a caption gives to what it names of a class."""
    found = (described_as(reading.text, each.start, each.end) for each in reading.mentions_of(label))
    return frozenset[str]().union(*found)


def _label_of(evidence: Evidence, reading: Reading | None) -> str | None:
    if isinstance(reading, LabelSet):
        return evidence.text if evidence.text in reading.labels else None
    if isinstance(reading, CaptionReading):
        for mention in reading.mentions:
            if (mention.start, mention.end) == (evidence.start, evidence.end) and mention.present:
                return mention.label
    return None


def _presence(reading: Reading) -> int | None:
    """How much an answer says is there; None if it is not an answer to a question."""
    statement = reading.said if isinstance(reading, Wording) and reading.said is not None else reading
    if isinstance(statement, AnswerReading):
        return statement.least
    return 0 if isinstance(statement, Wording) and statement.asked else None


def _statement(reading: Reading) -> object:
    """An answer in the form in which it is compared."""
    if isinstance(reading, Wording):
        return reading.normal if reading.said is None else _statement(reading.said)
    if isinstance(reading, AnswerReading):
        return reading.there if reading.whether else (reading.least, reading.most)
    return reading


def _reading(readings: Sequence[Reading], position: int) -> Reading | None:
    return readings[position] if 0 <= position < len(readings) else None
