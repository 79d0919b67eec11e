"""The reading that a relation needs of an answer: its kind, in a label space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from anamorph.model.labels import LabelSpace

# caption: things named. answer: the reply to a question. closed: a bare number, yes or no, one of the options.
# labels: a set of labels. wording: the text, normalized.
ReadingKind: TypeAlias = Literal["caption", "answer", "closed", "labels", "wording"]
READING_KINDS: tuple[ReadingKind, ...] = get_args(ReadingKind)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of reading, the question if any, and the classes that words map to."""

    kind: ReadingKind
    space: LabelSpace
    question: str | None = None
