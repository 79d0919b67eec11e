"""The reader of English, by rules and word lists: captions, answers, wordings and lists of tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from anamorph.model import Answer, LabelSpace, Reading, ReadingKind, Unreadable, Wanted, setting
from anamorph.readers.english.caption import CaptionReader
from anamorph.readers.english.tags import TagsReader
from anamorph.readers.english.wording import WordingReader
from anamorph.reading.answers import AnswerReader
from anamorph.reading.claims import Depiction
from anamorph.reading.tagging.taggers import RULES, find_tagger


@dataclass(frozen=True, slots=True)
class EnglishReader:
    """Reads English by rules: captions, answers to questions, wordings, and lists of tags."""

    kind: ClassVar[str] = "english"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("caption", "answer", "labels", "wording")
    shipped: ClassVar[Mapping[str, tuple[str, ...]]] = {"tagger": (RULES,)}
    tagger: str = setting(RULES, "What finds the nouns: rules, spacy, spacy:MODEL, stanza or stanza:FOLDER.")
    depicted: tuple[Depiction, ...] = setting(
        (), "Which depicted things count as if they were there: toy, sculpture, picture, screen, costume, shape."
    )
    threshold: float = setting(0.5, "Labels with at least this score count as given.", least=0, most=1)
    free_tags: bool = setting(False, "Tags and labels stay as they are; else those that name a class are that class.")
    _parts: dict[LabelSpace, _Parts] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        find_tagger(self.tagger)

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        if answer.labels is not None:
            if wanted.kind != "labels":
                return Unreadable("", "the answer is a set of labels, not a text")
            return self._of(wanted.space).tags.read_labels(answer.labels)
        text, parts = answer.text or "", self._of(wanted.space)
        if wanted.kind == "caption":
            return parts.captions.read_text(text)
        if wanted.kind == "answer":
            return parts.answers.read_text(text, wanted.question)
        if wanted.kind == "labels":
            return parts.tags.read_text(text)
        return parts.wordings.read_text(text, wanted.question)

    def _of(self, space: LabelSpace) -> _Parts:
        parts = self._parts.get(space)
        if parts is None:
            answers = AnswerReader(space)
            parts = self._parts[space] = _Parts(
                CaptionReader(space, self.tagger, self.depicted),
                answers,
                WordingReader(answers),
                TagsReader(None if self.free_tags else space, self.threshold),
            )
        return parts


@dataclass(frozen=True, slots=True)
class _Parts:
    """What reads in one label space."""

    captions: CaptionReader
    answers: AnswerReader
    wordings: WordingReader
    tags: TagsReader
