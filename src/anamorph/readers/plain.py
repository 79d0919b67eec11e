"""The plain reader: a text stands for itself, labels for those above a threshold."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from anamorph.language.unreadable import says_no
from anamorph.language.wrapping import unwrapped
from anamorph.model import Answer, LabelSet, Reading, Unreadable, Wording, setting

_SPACE = re.compile(r"\s+")
_EDGE = " \t\n\r.!?,;:\"'`\u201c\u201d\u2018\u2019"


@dataclass(frozen=True, slots=True)
class PlainReader:
    """Reads a text as its wording and scored labels as a set."""

    kind: ClassVar[str] = "plain"
    threshold: float = setting(0.5, "Labels with at least this score count as given.", least=0, most=1)

    def read(self, answer: Answer, question: str | None = None) -> Reading:
        if answer.labels is not None:
            return LabelSet(frozenset(name for name, score in answer.labels.items() if score >= self.threshold))
        text = answer.text or ""
        if answer.empty:
            return Unreadable(text, "the answer is empty")
        message = unwrapped(text)
        if not message.strip():
            return Unreadable(text, "the answer has no words")
        if says_no(message):
            return Unreadable(text, "the system refuses to answer")
        return Wording(text, normal_wording(message))


def normal_wording(text: str) -> str:
    """A text without what does not change its meaning: case, spacing, marks at its ends, Unicode variants."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip(_EDGE).casefold()
