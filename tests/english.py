"""The parts of the English reader, in COCO's classes unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from anamorph.model import Answer, CaptionReading, LabelSpace, Reading, ReadingKind, Scene, Wanted
from anamorph.readers.english.caption import CaptionReader
from anamorph.readers.english.reader import EnglishReader
from anamorph.readers.english.tags import TagsReader
from anamorph.readers.english.wording import WordingReader
from anamorph.reading.answers import AnswerReader
from anamorph.reading.asked import Question, understood as _understood
from anamorph.reading.claims import Depiction
from anamorph.reading.labels import label_space
from anamorph.reading.naming import namer_of

COCO: LabelSpace = label_space("coco")


def caption_reader(labels: str = "coco", tagger: str = "rules", depicted: Collection[Depiction] = ()) -> CaptionReader:
    return CaptionReader(label_space(labels), tagger, depicted)


def answer_reader(labels: str = "coco") -> AnswerReader:
    return AnswerReader(label_space(labels))


def wording_reader() -> WordingReader:
    return WordingReader(answer_reader())


def tags_reader(labels: str = "coco", threshold: float = 0.5) -> TagsReader:
    return TagsReader(label_space(labels) if labels else None, threshold)


def understood(question: str) -> Question:
    return _understood(question, namer_of(COCO))


def read_as(kind: ReadingKind, answer: str | dict[str, float], question: str | None = None) -> Reading:
    """What a text or a label set means to the reader with its defaults, in COCO's classes."""
    given = Answer(answer) if isinstance(answer, str) else Answer(labels=answer)
    return EnglishReader().read(given, Wanted(kind, COCO, question))


def with_references(scenes: Iterable[Scene]) -> list[Scene]:
    """Scenes as methods get them that want reference captions read."""
    reader = caption_reader()
    return [
        replace(
            scene,
            references=tuple(
                reading for reading in map(reader.read_text, scene.captions) if isinstance(reading, CaptionReading)
            ),
        )
        for scene in scenes
    ]
