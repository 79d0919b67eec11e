"""One real photo, put to the system before a run: what it says, how that is read, and what could never match."""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anamorph.config import Config
from anamorph.engine.ask.posing import Posing
from anamorph.engine.vocabulary import ENGLISH, shown_names
from anamorph.errors import AskError, NotTrusted, SystemDown, UsageError
from anamorph.model import Answer, Ask, LabelSet, Reading, ReadingKind, Scene, System, Unreadable
from anamorph.model.protocols import MethodOptions, SystemOptions
from anamorph.reading.tokens import tokenize
from anamorph.reading.unreadable import not_english
from anamorph.store.images import ImageFolder

# A question that any photo answers, for methods that ask questions only.
_CLASSES = "people"


@dataclass(frozen=True, slots=True)
class Trial:
    """The system's answer about one photo; `problem` if there is none, `warnings` for labels that can never match."""

    photo: str
    question: str | None
    answer: Answer | None
    reading: Reading | None
    problem: str
    warnings: tuple[str, ...]
    seconds: float

    @property
    def usable(self) -> bool:
        """Whether there is an answer that could be read."""
        return not self.problem and not isinstance(self.reading, Unreadable)


def try_one(config: Config, system: System, classes: Collection[str] = ()) -> Trial:
    """Ask about the first usable photo of the scenes, as the run would; nothing is kept.

    `classes` are those of the photos, as far as they are known.
    """
    source = config.scenes()
    scene = next((found for found in source.scan() if isinstance(found, Scene)), None)
    if scene is None:
        raise UsageError("The scene source has no usable photo to ask about.")
    question = _question(config, system)
    with tempfile.TemporaryDirectory(prefix="anamorph-check-") as folder:
        images, form = ImageFolder(Path(folder)), config.settings.images
        name = images.write(form.encode(source.pixels(scene)), form.suffix)
        posed = Posing.to(system, config).of(question)
        ask = Ask("check", posed, images.path(name).absolute(), functools.partial(images.pixels, name))
        began = time.monotonic()
        try:
            said = system.ask([ask] * _copies(system), config.settings.ask.timeout_seconds)[0]
        except (AskError, SystemDown) as failed:
            return Trial(scene.id, posed, None, None, str(failed), (), time.monotonic() - began)
        seconds = time.monotonic() - began
    if not isinstance(said, Answer):
        return Trial(scene.id, posed, None, None, said.message, (), seconds)
    kind: ReadingKind = "labels" if said.labels is not None else "caption" if question is None else "answer"
    try:
        reading = config.readers().read(kind, said, question)
    except NotTrusted as problem:
        reading = Unreadable(said.text or "", str(problem))
    warnings = tuple(_warnings(config, kind, said, reading, classes))
    return Trial(scene.id, posed, said, reading, "", warnings, seconds)


def _copies(system: System) -> int:
    """Two for a function of several images, so that one that returns a single answer is found; else one."""
    return 2 if SystemOptions.signature.of(system) is not None and system.manner.batch > 1 else 1


def _question(config: Config, system: System) -> str | None:
    """A closed question if every method asks questions only; else the photo alone is shown, as to a captioner."""
    suits = [MethodOptions.suits.of(method) for method in config.methods]
    only_questions = bool(suits) and all(each == ("answer",) for each in suits)
    if only_questions or SystemOptions.answers_with.of(system) == ("answer",):
        return config.settings.questions.count.replace("{classes}", _CLASSES)
    return None


def _warnings(
    config: Config, kind: ReadingKind, answer: Answer, reading: Reading, classes: Collection[str]
) -> Iterator[str]:
    readers = config.readers()
    if answer.empty:
        yield "the answer is empty, which no relation can judge"
    elif isinstance(reading, Unreadable):
        yield f"the answer cannot be read: {reading.reason}"
    if answer.text and readers.name_of(kind) == ENGLISH and not_english(answer.text, tokenize(answer.text)):
        yield (
            "the answer does not look like English, which is all that the rules read; choose the reader llm "
            "(docs/readers/llm.md)"
        )
    if kind == "labels" and answer.labels:
        yield from _label_warnings(config, answer.labels, reading, classes)


def _label_warnings(
    config: Config, labels: Mapping[str, float], reading: Reading, classes: Collection[str]
) -> Iterator[str]:
    readers = config.readers()
    if isinstance(reading, LabelSet) and not reading.labels:
        yield (
            f"no label reaches the threshold of the reader {readers.name_of('labels')}; the highest score is "
            f"{max(labels.values()):g}"
        )
    # Every label as if it were given, whatever its score.
    named = {name: readers.read("labels", Answer(labels={name: 1.0})) for name in labels}
    foreign = [
        name
        for name, read in named.items()
        if isinstance(read, LabelSet) and not any(each in readers.space or each in classes for each in read.labels)
    ]
    if foreign:
        yield (
            f"{len(foreign):,} of {len(labels):,} labels are neither classes of the photos nor of the label space "
            f"{config.settings.labels}, so they can match no annotation: {shown_names(foreign)}; `anamorph list labels "
            "propose` makes a label space with words for them"
        )
