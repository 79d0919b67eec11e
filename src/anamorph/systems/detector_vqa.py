"""A detector that answers questions about number and existence."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.detectors import Detection
from anamorph.detectors.class_names import is_class
from anamorph.model import Answer, Failure
from anamorph.reading.questions import ACTIONS, COLOURS, Vocabulary, nouns_for
from anamorph.systems.detecting.detector import DetectorSystem

UNKNOWN = "I do not know."


@dataclass(frozen=True, slots=True)
class DetectorVqaSystem(DetectorSystem):
    """Answer "How many dogs ...?" and "Is there any dog ...?" from detections; else it does not know."""

    kind: ClassVar[str] = "detector-vqa"
    answers_with: ClassVar[tuple[str, ...]] = ("answer",)

    def _answer(self, found: Sequence[Detection], question: str | None) -> Answer | Failure:
        if not (question or "").strip():
            return Failure("detector-vqa needs a question, such as 'How many dogs are in the image?'")
        return Answer(text=answer_to(question or "", found, self._detector.labels))


def answer_to(question: str, found: Sequence[Detection], labels: tuple[str, ...]) -> str:
    """A number, yes or no; with colors or actions, which a detector cannot see, only if no such object is there."""
    asked = _words(labels).asked_by(question)
    if asked is None:
        return UNKNOWN
    counts = Counter(each.label for each in found)
    if any(attribute is not None and counts[label] for label, attribute in asked.things):
        return UNKNOWN
    number = sum(counts[label] for label in dict.fromkeys(label for label, _ in asked.things))
    if asked.asks == "how-many":
        return str(number)
    return "yes" if (number > 0) != (asked.asks == "is-there-no") else "no"


@functools.lru_cache(maxsize=8)
def _words(labels: tuple[str, ...]) -> Vocabulary:
    known = tuple(label for label in labels if is_class(label))
    return Vocabulary(nouns_for(known), frozenset((*COLOURS, *ACTIONS)), frozenset(ACTIONS))
