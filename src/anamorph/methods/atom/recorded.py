"""Recorded label sets of an image and its follow-ups, and ATOM's totals over many of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.atom.outputs import OutputCoverage, OutputTally, operations_table
from anamorph.methods.atom.scores import LabelSummary, LabelTally
from anamorph.model import (
    Cell,
    Labels,
    LabelSet,
    RecordedCase,
    RecordedOutputs,
    RecordedTally,
    Table,
    Verdict,
    encode,
)
from anamorph.relations.stable_labels import INCOMPLETE, ImageGroup, StableLabels
from anamorph.statistics.tables import share

_WORST_SHOWN = 10
# By the category of the verdict.
_GROUPS: Mapping[str, ImageGroup] = {
    "confident": "confident",
    "label-error": "label-error",
    "unspecific": "unspecific",
    INCOMPLETE: "none",
}


class AtomTally:
    """The images by group, and the scores of the label combinations."""

    def __init__(self) -> None:
        self._labels, self._outputs = LabelTally(), OutputTally()
        self._space: set[str] = set()
        self._images = 0

    def add(self, row: Any, case: RecordedCase, verdict: Verdict) -> None:
        group = _group(verdict)
        if group is not None:
            sets = [reading.labels for reading in case.readings if isinstance(reading, LabelSet)]
            self._labels.add(row.labels, sets, group)
            self._outputs.add(len(set(row.labels)), sets, row.operations)
            self._space.update(row.labels)
            self._images += 1

    def _coverage(self) -> list[OutputCoverage]:
        """Of the labels that images were collected for, which are all of a label space that was tested as a whole."""
        return [self._outputs.coverage(self._space, size) for size in self._outputs.sizes]

    def record(self) -> Mapping[str, Any]:
        if not self._images:
            return {}
        outputs = {"outputs": encode(self._coverage()), "operations": encode(self._outputs.operations())}
        return {**_summary_record(self._labels.summary()), **outputs}

    def shown(self) -> Sequence[str | Table]:
        if not self._images:
            return ()
        labels = self._labels.summary()
        scored = sorted((each.score, each.labels) for each in labels.combinations if each.score is not None)
        worst = tuple((" + ".join(names), f"{score:.3f}") for score, names in scored[:_WORST_SHOWN])
        return (
            f"Images: confident {labels.confident}, label error {labels.label_error}, unspecific {labels.unspecific}, "
            f"none of these {labels.none}.",
            f"Label combinations: {len(labels.combinations)}, confident {labels.confident_percent:.1f} %, "
            f"vulnerable {labels.vulnerable_percent:.1f} %.",
            Table("Lowest scores (all are in --json)", ("combination", "score"), worst),
            *(
                f"Outputs have {each.covered} of the {each.possible} combinations of {each.size} "
                f"({share(each.covered, each.possible)}), those of error-revealing images {each.covered_by_revealing} "
                f"({share(each.covered_by_revealing, each.possible)})."
                for each in self._coverage()
            ),
            operations_table(self._outputs.operations()),
        )


@dataclass(frozen=True, slots=True)
class AtomRow:
    """The label combination that an image was collected for, the label sets of source and follow-ups, and the changes.

    `operations` names what was done for each follow-up.
    """

    cells: ClassVar[Mapping[str, Cell]] = {"labels": "labels", "outputs": "label-sets", "operations": "labels"}
    tally: ClassVar[Callable[[], RecordedTally] | None] = AtomTally
    labels: tuple[str, ...]
    outputs: tuple[Labels | None, ...]
    operations: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        if not self.labels:
            raise BadRecord("labels", "needs at least one label")
        if len(self.outputs) < 2:
            problem = f"needs the source's labels and at least one follow-up's, got {len(self.outputs)}"
            raise BadRecord("outputs", problem)
        if self.operations and len(self.operations) != len(self.outputs) - 1:
            wanted = len(self.outputs) - 1
            raise BadRecord("operations", f"needs one for each of the {wanted} follow-ups, got {len(self.operations)}")
        readings = tuple(outputs.read(StableLabels, output) for output in self.outputs)
        return RecordedCase(StableLabels(self.labels), readings)

    @classmethod
    def from_keys(cls, plain: Mapping[str, Any]) -> AtomRow | None:
        """The usual row, which has many labels, without the general decoder's care; None if it is unusual."""
        labels, outputs, operations = plain.get("labels"), plain.get("outputs"), plain.get("operations", [])
        if not isinstance(labels, list) or not isinstance(outputs, list):
            return None
        for each in (labels, operations, *outputs):
            if not isinstance(each, list) or not all(type(label) is str for label in each):
                return None
        return cls(tuple(labels), tuple(map(tuple, outputs)), tuple(operations))

    def notes(self, verdict: Verdict) -> Mapping[str, str]:
        group = _group(verdict)
        return {} if group is None else {"image": group}


def _group(verdict: Verdict) -> ImageGroup | None:
    """Where algorithm 1 puts an image; None for one that is undecided."""
    return next((_GROUPS[category] for category in verdict.categories), None)


def _summary_record(summary: LabelSummary) -> dict[str, Any]:
    return {
        "images": summary.confident + summary.label_error + summary.unspecific + summary.none,
        "confident": summary.confident,
        "label_error": summary.label_error,
        "unspecific": summary.unspecific,
        "none": summary.none,
        "combinations": len(summary.combinations),
        "confident_combinations": summary.confident_combinations,
        "vulnerable_combinations": summary.vulnerable_combinations,
        "confident_combinations_percent": round(summary.confident_percent, 1),
        "vulnerable_combinations_percent": round(summary.vulnerable_percent, 1),
        "scores": [
            {
                "labels": list(each.labels),
                "score": None if each.score is None else round(each.score, 4),
                "confident": each.confident,
                "label_error": each.label_error,
            }
            for each in summary.combinations
        ],
    }
