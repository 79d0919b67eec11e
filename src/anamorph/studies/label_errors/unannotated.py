"""Objects that a run's answers name and the annotations do not: perhaps the data set lacks them."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.judge import Judge, relation_from_json
from anamorph.engine.prove.subjects import class_subject
from anamorph.errors import UnknownName
from anamorph.model import Answer, AnswerReading, CaptionReading, LabelSet, LabelSpace, Reading, Scene
from anamorph.model.protocols import EditOptions, RelationOptions
from anamorph.readers.closed import form_of, read_closed, without_instruction
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import namer_of, words_of
from anamorph.reading.questions import ACTIONS, COLOURS, Vocabulary, nouns_for
from anamorph.store.answers import answers_of, scene_of
from anamorph.store.descriptions import DescribedImage, Insertions, described_images, describing_probes, kinds_of_edits
from anamorph.store.run import RunStore
from anamorph.store.verdicts import case_pages

# A class that fewer of a photo's descriptions name is not listed.
LEAST_SHARE = 0.5

# What an edit means for a description of its image: it shows the photo, an object more, or something else.
_Shows: TypeAlias = Literal["photo", "more", "else"]
# The answers to each probe, by attempt.
Given: TypeAlias = Mapping[int, Mapping[int, Answer]]


@dataclass(frozen=True, slots=True)
class NamingCaption:
    """A reference caption that names the class, and which one it is."""

    reference: int
    caption: str


@dataclass(frozen=True, slots=True)
class ClosedAnswer:
    """Answers about the class on the untouched photo, attempt by attempt.

    `there` is None if the answers differ; a `witness` said it, or else the system itself.
    """

    question: str
    said: tuple[str, ...]
    there: bool | None
    witness: bool = False


@dataclass(frozen=True, slots=True)
class Unannotated:
    """A class that `named` of a photo's `described` images name, and that is not annotated on it.

    `description` is one that names it, of the untouched photo if that does; `elsewhere` says that other photos of the
    run have the class annotated. `image` is the file of the untouched photo within the run.
    """

    scene: str
    picture: str
    label: str
    named: int
    described: int
    description: str
    of_references: int
    references: tuple[NamingCaption, ...] = ()
    asked: tuple[ClosedAnswer, ...] = ()
    elsewhere: bool = False
    image: str | None = None

    @property
    def denied(self) -> bool:
        return any(each.there is False for each in self.asked)


@dataclass(slots=True)
class _Naming:
    """How the descriptions of a photo name one class."""

    named: int = 0
    description: str = ""
    untouched: bool = False

    def add(self, reading: CaptionReading | LabelSet, untouched: bool) -> None:
        self.named += 1
        if not self.description or (untouched and not self.untouched):
            said = reading.text if isinstance(reading, CaptionReading) else ", ".join(sorted(reading.labels))
            self.description, self.untouched = said, untouched


def find_unannotated(store: RunStore, config: Config) -> list[Unannotated]:
    """Every unannotated class that at least half of a photo's descriptions name, the surest first.

    Photos without annotated objects have none, nor have those whose owner declares the annotations exhaustive. Photos
    are read one at a time.
    """
    finder = _Finder(store, config)
    found: list[Unannotated] = []
    for row, probes in describing_probes(store):
        scene = scene_of(store, row, catalog.find)
        annotated = finder.annotated(scene)
        # A segmenter's findings are not annotations.
        if scene.complete is None and any(thing.score is None for thing in scene.things):
            found += finder.lacking(scene, annotated, described_images(store, probes), answers_of(store, probes))
    marked = [replace(each, elsewhere=each.label in finder.classes) for each in found]
    return sorted(marked, key=_rank)


def _rank(one: Unannotated) -> tuple[object, ...]:
    """Classes that no answer denies and all descriptions and some references name, then the rest by how many do."""
    share = one.named / one.described
    return (one.denied, -((share == 1) + bool(one.references)), -share, -len(one.references), not one.elsewhere,
            -one.described)  # fmt: skip


class _Finder:
    """Finds what photos lack; `classes` are all that some photo has annotated, in the run's label space."""

    def __init__(self, store: RunStore, config: Config) -> None:
        readers = config.readers()
        self.config, self.judge, self.space = config, Judge(readers, 1), readers.space
        self.classes: set[str] = set()
        self.insertions = _insertions(store)

    def annotated(self, scene: Scene) -> set[str]:
        """The classes of a photo's annotations in any form, as the run's label space calls them."""
        names = {thing.label for thing in scene.things} | {each.label for each in scene.stuff} | set(scene.labels)
        found = names.union(*(_meant(self.space, name) for name in names))
        self.classes |= found
        return found

    def lacking(
        self, scene: Scene, annotated: set[str], probes: Sequence[DescribedImage], answers: Given
    ) -> Iterator[Unannotated]:
        """The classes that descriptions of a photo name and its annotations lack."""
        naming, described = self._named(probes, answers, annotated)
        labels = [
            label
            for label, each in naming.items()
            if label not in annotated and each.named >= LEAST_SHARE * described[label]
        ]
        if not labels:
            return
        references = [self.judge.reading("caption", Answer(caption), None) for caption in scene.captions]
        untouched = [each for each in probes if each.edits == "[]"]
        asked = self._asked(labels, [each for each in untouched if each.question is not None], answers)
        image = untouched[0].file if untouched else None
        for label in labels:
            yield Unannotated(
                scene.id,
                scene.picture,
                label,
                naming[label].named,
                described[label],
                naming[label].description,
                len(references),
                tuple(
                    NamingCaption(place, scene.captions[place])
                    for place, reading in enumerate(references)
                    if label in _names(reading, annotated)
                ),
                tuple(asked[label]),
                image=image,
            )

    def _named(
        self, probes: Sequence[DescribedImage], answers: Given, annotated: set[str]
    ) -> tuple[dict[str, _Naming], Mapping[str, int]]:
        """How each class is named, and how many descriptions there are of images into which none was put."""
        naming: dict[str, _Naming] = {}
        left_out: Counter[str] = Counter()
        all_described = 0
        for each in probes:
            given = answers[each.probe]
            inserted = self._inserted(each) if each.question is None and given else None
            if inserted is None:
                continue
            answer = given[min(given)]
            reading = self.judge.reading("caption" if answer.labels is None else "labels", answer, None)
            if not isinstance(reading, CaptionReading | LabelSet):
                continue
            all_described += 1
            left_out.update(inserted)
            for label in _names(reading, annotated) - inserted:
                if label in self.space:
                    naming.setdefault(label, _Naming()).add(reading, each.edits == "[]")
        return naming, {label: all_described - left_out[label] for label in naming}

    def _inserted(self, probe: DescribedImage) -> frozenset[str] | None:
        """The classes that were put into an image; None for one that does not show the photo, or if that is unknown."""
        edits = json.loads(probe.edits)
        shows = [_shows(str(edit.get("kind")) if isinstance(edit, dict) else "") for edit in edits]
        if "else" in shows:
            return None
        if "more" not in shows:
            return frozenset()
        known = frozenset() if self.insertions is None else self.insertions.of(probe.image)
        return known if len(known) >= shows.count("more") else None

    def _asked(
        self, labels: Sequence[str], probes: Sequence[DescribedImage], answers: Given
    ) -> Mapping[str, Sequence[ClosedAnswer]]:
        """The answers to questions about one class alone, by class."""
        settings = self.config.settings
        subjects = {label: class_subject(label, settings.questions, settings.prove) for label in labels}
        own = {text: label for label, each in subjects.items() for text in (each.question, each.stern)}
        found: dict[str, list[ClosedAnswer]] = {label: [] for label in labels}
        for each in probes:
            question = each.question or ""
            label = own.get(question) or _asked_for(self.space, question)
            form = subjects[label].form if question in own and label else form_of(question)
            if label not in found or form is None:
                continue
            texts = [answer.text or "" for _, answer in sorted(answers[each.probe].items())]
            readings = [read_closed(text, form, question) for text in texts]
            closed = [reading for reading in readings if isinstance(reading, AnswerReading) and not reading.whether]
            if closed:
                there = {reading.least > 0 for reading in closed}
                said = tuple(reading.text.strip() for reading in closed)
                verdict = there.pop() if len(there) == 1 else None
                found[label].append(ClosedAnswer(question, said, verdict, bool(each.witness)))
        return found


def _names(reading: Reading, annotated: set[str]) -> frozenset[str]:
    """The classes that a description says are there; a word that only may mean one names none, nor does one that may
    mean what is annotated.
    """
    if isinstance(reading, LabelSet):
        return reading.labels
    if not isinstance(reading, CaptionReading):
        return frozenset()
    there = (each for each in reading.mentions if each.present and annotated.isdisjoint(each.may_be))
    return frozenset(each.label for each in there if each.label is not None)


@functools.lru_cache(maxsize=4096)
def _meant(space: LabelSpace, name: str) -> frozenset[str]:
    """The classes that the name of an annotation means, or may mean, in a label space: couch for a sofa."""
    words = words_of(name)
    if not words or name in space:
        return frozenset()
    meant = namer_of(space).named(words, singular_of(words[-1]) or words[-1])
    return frozenset((*meant.may_be, *([meant.label] if meant.label else [])))


@functools.lru_cache(maxsize=4096)
def _asked_for(space: LabelSpace, question: str) -> str | None:
    """The one class that a question asks for, whatever it looks like; None if it asks for more or less."""
    asked = _vocabulary(space).asked_by(without_instruction(question))
    if asked is None or len(asked.things) != 1 or asked.things[0][1] is not None:
        return None
    return asked.things[0][0]


@functools.lru_cache(maxsize=4)
def _vocabulary(space: LabelSpace) -> Vocabulary:
    return Vocabulary(nouns_for(space.names), frozenset((*COLOURS, *ACTIONS)), frozenset(ACTIONS))


def _shows(kind: str) -> _Shows:
    """The effect of an edit's kind on the content of a picture."""
    try:
        edit = catalog.find("edits", kind)
    except UnknownName:
        # It may be in a file that is not loaded, because another user made the run.
        return "else"
    if EditOptions.reach.of(edit) not in ("all", "place"):
        return "else"
    return "more" if EditOptions.does.of(edit) == "inserted" else "photo"


def _insertions(store: RunStore) -> Insertions | None:
    """The classes that relations say were put into images; None if no edit puts any."""
    if all(_shows(kind) != "more" for kind in kinds_of_edits(store)):
        return None
    found = Insertions(store)
    for page in case_pages(store):
        found.add((label, probe) for case in page for label in _inserted_by(case.claim) for probe in case.probes[1:])
    return found


def _inserted_by(claim: str) -> tuple[str, ...]:
    """The classes that the follow-ups of a case have one more of."""
    try:
        changes = RelationOptions.changes.of(relation_from_json(claim))
    except UnknownName:
        return ()
    return tuple(label for label, by in (changes() if changes is not None else ()) if by is not None and by > 0)
