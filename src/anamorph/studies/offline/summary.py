"""What a file of recorded outputs came to, kept as counts while its rows go by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from anamorph.engine.events import Finished
from anamorph.methods.atom.scores import LabelSummary, LabelTally
from anamorph.studies.offline.files import BadLine
from anamorph.studies.offline.judge import JudgedRow

# So many bad lines are told one by one.
TOLD_BAD_LINES = 20
_MOST_REASONS = 10


@dataclass(slots=True)
class MethodCounts:
    """The rows of one method: by outcome, by part of the relation, by kind of error."""

    outcomes: Counter[str] = field(default_factory=Counter)
    violated: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)

    def add(self, row: JudgedRow) -> None:
        verdict = row.finding.verdict
        self.outcomes[verdict.outcome] += 1
        self.violated.update(verdict.violated)
        if verdict.outcome == "violated":
            self.categories.update(verdict.categories)
        if verdict.outcome == "undecided":
            self.undecided[verdict.reason] += 1

    def record(self) -> dict[str, Any]:
        return {
            "holds": self.outcomes["holds"],
            "violated": self.outcomes["violated"],
            "undecided": self.outcomes["undecided"],
            "violated_parts": dict(sorted(self.violated.items())),
            "categories": dict(sorted(self.categories.items())),
            "undecided_reasons": dict(self.undecided.most_common(_MOST_REASONS)),
        }


class TranscriptSummary:
    """Takes in rows as they are judged."""

    def __init__(self) -> None:
        self.methods: dict[str, MethodCounts] = {}
        self.bad_lines: list[BadLine] = []
        self.bad_count = 0
        # Rows whose references lack what both captions name: in none of them, or in some.
        self.unnamed_by_all = 0
        self.unnamed_by_some = 0
        self.with_references = 0
        self._labels = LabelTally()
        self._labelled = 0

    def add(self, row: JudgedRow | BadLine) -> None:
        if isinstance(row, BadLine):
            self.bad_count += 1
            if len(self.bad_lines) < TOLD_BAD_LINES:
                self.bad_lines.append(row)
            return
        self.methods.setdefault(row.method, MethodCounts()).add(row)
        image = row.finding.image
        if image is not None:
            self._labels.add(image.labels, image.outputs, image.group)
            self._labelled += 1
        check = row.finding.references
        if check is not None:
            self.with_references += 1
            self.unnamed_by_all += bool(check.unnamed)
            self.unnamed_by_some += any(check.unnamed_by)

    @property
    def finished(self) -> Finished:
        """All rows by outcome, as the gate wants them."""
        total: Counter[str] = Counter()
        for counts in self.methods.values():
            total.update(counts.outcomes)
        return Finished(total["holds"], total["violated"], total["undecided"])

    @property
    def labels(self) -> LabelSummary | None:
        """ATOM's summary, if there was a row of ATOM."""
        return self._labels.summary() if self._labelled else None

    def record(self) -> dict[str, Any]:
        """The summary as plain JSON data."""
        finished = self.finished
        record: dict[str, Any] = {
            "judged": finished.holds + finished.violated + finished.undecided,
            "holds": finished.holds,
            "violated": finished.violated,
            "undecided": finished.undecided,
            "bad_lines": self.bad_count,
            "bad": [{"line": bad.line, "problem": bad.problem} for bad in self.bad_lines],
            "methods": {method: counts.record() for method, counts in sorted(self.methods.items())},
        }
        if self.with_references:
            record["references"] = {
                "checked": self.with_references,
                "unnamed_by_all": self.unnamed_by_all,
                "unnamed_by_some": self.unnamed_by_some,
            }
        if (labels := self.labels) is not None:
            record["atom"] = label_record(labels)
        return record


def label_record(summary: LabelSummary) -> dict[str, Any]:
    """ATOM's figures as plain JSON data."""
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
