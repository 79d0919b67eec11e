"""A detector or classifier from a file of weights, as a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from anamorph.detectors import Detection
from anamorph.model import Answer, Failure, setting
from anamorph.systems.detecting.detector import DetectorSystem


@dataclass(frozen=True, slots=True)
class OnnxSystem(DetectorSystem):
    """Tag images with a network from an ONNX or TFLite file: each label with its best score."""

    kind: ClassVar[str] = "onnx"
    answers_with: ClassVar[tuple[str, ...]] = ("labels",)
    needs_places: ClassVar[bool] = False
    threshold: float = setting(0.5, "The lowest score of labels.", least=0, most=1)
    scores: Literal["raw", "decided"] = setting(
        "raw",
        "raw: labels have the network's scores, and readers.english.threshold (0.5) decides again which count; "
        "decided: every label that is given has the score 1.",
    )

    def _answer(self, found: Sequence[Detection], question: str | None) -> Answer | Failure:
        best: dict[str, float] = {}
        for each in found:
            best[each.label] = max(best.get(each.label, 0.0), round(each.score, 6))
        return Answer(labels=dict.fromkeys(best, 1.0) if self.scores == "decided" else best)
