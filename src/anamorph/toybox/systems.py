"""The toybox's neural systems: a captioner, an answerer and a tagger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from anamorph.errors import AnamorphError
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.toybox import networks

_BATCH = 32
_FORMS = {"captioner": "caption", "answerer": "answer", "tagger": "labels"}


@dataclass(frozen=True, slots=True)
class ToyboxSystem:
    """A small neural network that ships with Anamorph, trained on toybox scenes; its mistakes are real."""

    kind: ClassVar[str] = "toybox"
    model: Literal["captioner", "answerer", "tagger"] = setting(
        help="captioner writes captions, answerer answers questions about numbers and existence, tagger scores classes."
    )

    @property
    def answers_with(self) -> tuple[str, ...]:
        return (_FORMS[self.model],)

    @property
    def manner(self) -> Manner:
        # Each network runs in one thread, so two batches keep two cores busy.
        return Manner(batch=_BATCH, parallel=2)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"kind": self.kind, "model": self.model, "weights": networks.weights_digest()}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """One answer per item; the networks are local and fast, so the time limit is not enforced."""
        replies: list[Answer | Failure | None] = [self._refusal(item) for item in batch]
        pictures, positions = [], []
        for position, item in enumerate(batch):
            if replies[position] is None:
                try:
                    pictures.append(networks.fitted(item.load()))
                    positions.append(position)
                except AnamorphError as problem:
                    replies[position] = Failure(str(problem))
        if positions:
            answers = self._answers(np.stack(pictures), [batch[position].question or "" for position in positions])
            for position, answer in zip(positions, answers, strict=True):
                replies[position] = answer
        return [reply for reply in replies if reply is not None]

    def close(self) -> None:
        pass

    def _refusal(self, item: Ask) -> Failure | None:
        if self.model == "answerer" and not (item.question or "").strip():
            return Failure("toybox:answerer needs a question, such as 'How many dogs are in the image?'")
        return None

    def _answers(self, pictures: networks.Pictures, questions: Sequence[str]) -> list[Answer]:
        match self.model:
            case "captioner":
                return [Answer(text=text) for text in networks.captions(pictures)]
            case "answerer":
                return [Answer(text=text) for text in networks.answers(pictures, questions)]
            case "tagger":
                return [Answer(labels=scores) for scores in networks.tags(pictures)]
