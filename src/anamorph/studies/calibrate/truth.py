"""The truth about a run's toybox images, and systems that state nothing else."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from anamorph import catalog
from anamorph.config import Config
from anamorph.edits.collage import Collage
from anamorph.engine.render.maker import edits_from_json, sentence
from anamorph.engine.studio import pools_of
from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, Failure, Manner, Scene, Studio, canonical_json, digest_of_text
from anamorph.pools.folder import SketchStudio
from anamorph.readers.closed import instructed, without_instruction
from anamorph.reading.nouns import enumerated
from anamorph.store.answers import PendingProbe, find_probe, scene_of
from anamorph.store.proofs import scene_row
from anamorph.store.run import RunStore
from anamorph.studies.calibrate.closed_truth import true_closed_answer
from anamorph.studies.calibrate.styles import EMPTY, Style, counted, styled_answer, styled_caption, styled_labels
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.faults.system import Form
from anamorph.toybox.questions import asked_by
from anamorph.toybox.truth import Truth, truth, truth_of_collage
from anamorph.toybox.wrongness import count

_REMEMBERED = 50_000
_SCENES_REMEMBERED = 256


class Truths:
    """The truth of images by scene and edits, each worked out once for all runs; safe to use from several threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Truth | str] = OrderedDict()
        self._scenes: OrderedDict[tuple[Path, int], Scene] = OrderedDict()
        self._lock = threading.Lock()

    def scene(self, store: RunStore, row: int) -> Scene:
        with self._lock:
            key = (store.folder, row)
            if key not in self._scenes:
                self._scenes[key] = scene_of(store, row, catalog.find)
                if len(self._scenes) > _SCENES_REMEMBERED:
                    self._scenes.popitem(last=False)
            return self._scenes[key]

    def of(self, store: RunStore, probe: PendingProbe, studio: Studio) -> Truth | str:
        """The objects visible in a probe's image, or why they are unknown."""
        scene = self.scene(store, probe.scene)
        *before, last = json.loads(probe.edits) or [None]
        if last is None or last.get("kind") != Collage.kind:
            return self._seen(scene, probe.edits, studio)
        row = scene_row(store, last["other"])
        if row is None:
            return f"Unknown scene {last['other']!r}."
        other = self.scene(store, row)
        one, second = self._seen(scene, canonical_json(before), studio), self._seen(other, "[]", studio)
        if isinstance(one, str) or isinstance(second, str):
            return one if isinstance(one, str) else str(second)
        # The second is scaled to the width or the height of the first.
        ratio = other.height / other.width if last.get("below") else other.width / other.height
        own = scene.height / scene.width if last.get("below") else scene.width / scene.height
        return truth_of_collage(one, second, (own / (own + ratio), ratio / (own + ratio)))

    def _seen(self, scene: Scene, edits: str, studio: Studio) -> Truth | str:
        key = digest_of_text(f"{scene.picture}\n{edits}")
        with self._lock:
            if key not in self._known:
                self._known[key] = _truth(scene, edits, studio)
                if len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
            return self._known[key]


def studio_of(config: Config, store: RunStore) -> SketchStudio:
    """The studio for the truth of a run: cut-outs are the run's own, and nothing is inpainted."""
    return SketchStudio(pools_of(config, store))


def _truth(scene: Scene, edits: str, studio: Studio) -> Truth | str:
    try:
        return truth(scene, edits_from_json(edits, catalog.find), studio)
    except UsageError:
        raise
    except Exception as problem:  # noqa: BLE001  an edit may come from a user's own file
        return sentence(problem)


@dataclass(frozen=True, slots=True, eq=False)
class TruthfulSystem:
    """Says what is visible and nothing else, without looking: it knows the scene and the edits of every probe.

    Without a question it gives a caption or labels, as its form says; it answers questions whatever its form. With a
    style it may leave things out, doubt or reword, and what it does say is still true.
    """

    kind: ClassVar[str] = "truthful"
    form: Form
    folder: Path
    truths: Truths
    studio: Studio
    style: Style | None = None

    @classmethod
    def over(
        cls, store: RunStore, config: Config, form: Form, truths: Truths, style: Style | None = None
    ) -> TruthfulSystem:
        return cls(form, store.folder, truths, studio_of(config, store), style)

    @property
    def manner(self) -> Manner:
        return Manner(batch=64, looks=False, remembers=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"form": self.form, "style": self.style}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        # Asked from a thread of the engine's, which needs a connection of its own.
        with RunStore.open(self.folder, read_only=True) as store:
            return [self._reply(store, item.id) for item in batch]

    def close(self) -> None:
        pass

    def _reply(self, store: RunStore, digest: str) -> Answer | Failure:
        probe = find_probe(store, digest)
        assert probe is not None  # it asks for what is planned
        seen = self.truths.of(store, probe, self.studio)
        if isinstance(seen, str):
            return Failure(seen)
        rng = Random(f"{self.style}/{probe.digest}")
        question = probe.question
        if question is not None:
            closed = true_closed_answer(seen, question)
            if closed is not None and (self.style is None or instructed(question)):
                return Answer(text=closed)
            # Told what form to answer in, it obeys, whatever its style.
            style = None if instructed(question) else self.style
            question = without_instruction(question)
            answer = true_answer(seen, question) if style is None else styled_answer(style, seen, question, rng)
            return Failure(f"The true answer to {question!r} is not known") if answer is None else Answer(text=answer)
        if self.form == "labels":
            plain = {name: float(name in seen.labels) for name in CLASSES}
            return Answer(labels=styled_labels(self.style, seen) if self.style else plain)
        if self.form == "answer":
            return Failure("An answerer needs a question")
        if self.style is None:
            return Answer(text=true_caption(seen))
        place = rng.choice(BACKGROUNDS[self.truths.scene(store, probe.scene).origin["background"]].places)
        return Answer(text=styled_caption(self.style, seen, place, rng))


def true_caption(seen: Truth) -> str:
    """One sentence that names everything that is clearly visible, with its number."""
    phrases = [counted(seen, label) for label in seen.labels]
    return f"A picture of {enumerated(phrases)}." if phrases else EMPTY


def true_answer(seen: Truth, question: str) -> str | None:
    """The number, or yes or no; None for a question that is not understood."""
    asked = asked_by(question)
    if asked is None:
        return None
    number = count(asked, seen).least
    if asked.asks == "how-many":
        return str(number)
    return "yes" if (number > 0) != (asked.asks == "is-there-no") else "no"
