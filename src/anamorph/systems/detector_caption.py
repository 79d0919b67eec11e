"""A detector turned into a captioner: it says what it found, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.detectors import Detection
from anamorph.model import Answer, Failure
from anamorph.reading.nouns import counted, enumerated
from anamorph.systems.detecting.detector import DetectorSystem

# The caption reader takes it for a caption that names no thing, which is what it is.
NOTHING = "Nothing that I know."
# Mice are animals to most readers; what lies beside a keyboard is named in full.
_AT_A_DESK = {"mouse": "computer mouse"}


@dataclass(frozen=True, slots=True)
class DetectorCaptionSystem(DetectorSystem):
    """Caption pictures with what a detector finds: "Two dogs, a person and a bench.", what fills most of it first."""

    kind: ClassVar[str] = "detector-caption"
    answers_with: ClassVar[tuple[str, ...]] = ("caption",)

    def _answer(self, found: Sequence[Detection], question: str | None) -> Answer | Failure:
        names = _AT_A_DESK if "keyboard" in self._detector.labels else {}
        return Answer(text=caption_of(found, names))


def caption_of(found: Sequence[Detection], names: Mapping[str, str] = _AT_A_DESK) -> str:
    """Every class that was found, with its number; the one whose boxes cover most comes first.

    `names` is what to call classes whose name says too little.
    """
    counts = Counter(each.label for each in found)
    if not counts:
        return NOTHING
    areas = {label: sum(each.box.area for each in found if each.label == label) for label in counts}
    order = sorted(counts, key=lambda label: (-areas[label], label))
    text = enumerated([counted(label, counts[label], names.get(label)) for label in order])
    return f"{text[0].upper()}{text[1:]}."
