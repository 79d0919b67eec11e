"""Answers to closed questions about images of one scene, by image and question, as the store would have them."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.config.settings import ProveSettings, QuestionSettings
from anamorph.engine.prove.hearing import Hearing
from anamorph.engine.prove.subjects import Subject, class_subject
from anamorph.model import Answer, Edit, canonical_json, encode
from anamorph.store.proofs import ClosedProbe


def about(label: str) -> Subject:
    """The closed question about a class."""
    return class_subject(label, QuestionSettings(), ProveSettings())


class Said:
    """What was said so far; a list of texts is one for each time that it was asked."""

    def __init__(self) -> None:
        self._probes: dict[tuple[str, str], ClosedProbe] = {}

    def say(self, edits: tuple[Edit, ...], question: str, *texts: str) -> Said:
        """Note answers to a question about an image."""
        key = (canonical_json(encode(edits)), question)
        answers = {attempt: Answer(text=text) for attempt, text in enumerate(texts)}
        self._probes[key] = ClosedProbe(len(self._probes) + 1, *key, False, len(texts), answers)
        return self

    def hearing(self, scene: str = "photo") -> Hearing:
        return Hearing.of(scene, list(self._probes.values()), witness=False, repeats=1)


def orders(found: Sequence[object]) -> list[str]:
    """The questions of some orders."""
    return [str(getattr(getattr(each, "probe", None), "question", "")) for each in found]
