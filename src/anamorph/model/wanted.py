"""The reading that a relation needs of an answer: its kind, in a label space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from anamorph.model.labels import LabelSpace

# caption: what a text names. answer: what it says to a question. closed: a bare number, yes or no, one of the options.
# labels: a set of labels. wording: the text itself, in a normal form.
ReadingKind: TypeAlias = Literal["caption", "answer", "closed", "labels", "wording"]
READING_KINDS: tuple[ReadingKind, ...] = get_args(ReadingKind)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of reading, the question that was asked if there was one, and the classes that words are sorted into."""

    kind: ReadingKind
    space: LabelSpace
    question: str | None = None
