"""A detector as a captioner that lists its detections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.detectors import Detection
from anamorph.model import Answer, Failure
from anamorph.reading.nouns import counted, enumerated
from anamorph.systems.detecting.detector import DetectorSystem

# The caption reader reads it as a caption that names nothing.
NOTHING = "Nothing that I know."
# Readers take mice for animals, so computer mice are named in full.
_AT_A_DESK = {"mouse": "computer mouse"}


@dataclass(frozen=True, slots=True)
class DetectorCaptionSystem(DetectorSystem):
    """Caption images with detections, the largest first: "Two dogs, a person and a bench."."""

    kind: ClassVar[str] = "detector-caption"
    answers_with: ClassVar[tuple[str, ...]] = ("caption",)

    def _answer(self, found: Sequence[Detection], question: str | None) -> Answer | Failure:
        names = _AT_A_DESK if "keyboard" in self._detector.labels else {}
        return Answer(text=caption_of(found, names))


def caption_of(found: Sequence[Detection], names: Mapping[str, str] = _AT_A_DESK) -> str:
    """Every detected class, with its number, the one whose boxes cover most first.

    `names` are clearer names of ambiguous classes.
    """
    counts = Counter(each.label for each in found)
    if not counts:
        return NOTHING
    areas = {label: sum(each.box.area for each in found if each.label == label) for label in counts}
    order = sorted(counts, key=lambda label: (-areas[label], label))
    text = enumerated([counted(label, counts[label], names.get(label)) for label in order])
    return f"{text[0].upper()}{text[1:]}."
