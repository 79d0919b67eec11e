"""The verdicts on a file of recorded outputs, kept as counts while its rows go by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from anamorph.config import GateSettings
from anamorph.engine.gate import MOST_COUNTED, AnswerCounts, GateInput, MethodOutcomes, counts_for_gate
from anamorph.model import GRADES, AnswerReading, RecordedRowOptions, RecordedTally
from anamorph.studies.judge.files import BadLine
from anamorph.studies.judge.judge import JudgedRow

# At most this many bad lines are reported one by one.
REPORTED_BAD_LINES = 20
_MOST_REASONS = 10


@dataclass(slots=True)
class RowCounts:
    """The rows of one method or relation: by outcome, by part of the relation, by kind of error."""

    outcomes: Counter[str] = field(default_factory=Counter)
    violated: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    vacuous: int = 0
    grades: Counter[str] = field(default_factory=Counter)

    def add(self, row: JudgedRow) -> None:
        verdict = row.verdict
        self.outcomes[verdict.outcome] += 1
        self.vacuous += verdict.vacuous
        self.violated.update(verdict.violated)
        if verdict.outcome == "violated":
            self.categories.update(verdict.categories)
            self.grades.update([verdict.grade] if verdict.grade is not None else [])
        if verdict.outcome == "undecided":
            self.undecided[verdict.reason] += 1

    def record(self) -> dict[str, Any]:
        return {
            "holds": self.outcomes["holds"],
            "violated": self.outcomes["violated"],
            "undecided": self.outcomes["undecided"],
            "vacuous": self.vacuous,
            "violated_parts": dict(sorted(self.violated.items())),
            "categories": dict(sorted(self.categories.items())),
            **({"grades": {grade: self.grades[grade] for grade in GRADES}} if self.grades else {}),
            "undecided_reasons": dict(self.undecided.most_common(_MOST_REASONS)),
        }


class TranscriptSummary:
    """Takes in rows as they are judged."""

    def __init__(self) -> None:
        self.methods: dict[str, RowCounts] = {}
        # Of rows that name a relation and no method.
        self.relations: dict[str, RowCounts] = {}
        # Totals that methods keep themselves.
        self.tallies: dict[str, RecordedTally] = {}
        self.bad_lines: list[BadLine] = []
        self.bad_count = 0
        # Rows with references, and those whose references lack what both captions name: all of them, or some.
        self.references: Counter[str] = Counter()
        self._answers = AnswerCounts()
        self._counted = 0

    def add(self, row: JudgedRow | BadLine) -> None:
        if isinstance(row, BadLine):
            self.bad_count += 1
            if len(self.bad_lines) < REPORTED_BAD_LINES:
                self.bad_lines.append(row)
            return
        if row.method is None:
            self.relations.setdefault(row.case.relation.kind, RowCounts()).add(row)
        else:
            self.methods.setdefault(row.method, RowCounts()).add(row)
            make = RecordedRowOptions.tally.of(type(row.row))
            if make is not None and row.method not in self.tallies:
                self.tallies[row.method] = make()
            if row.method in self.tallies:
                self.tallies[row.method].add(row.row, row.case, row.verdict)
        if self._counted < MOST_COUNTED:
            self._counted += 1
            # A row does not say which photo it is about, so its answers count as those of a photo of its own.
            for reading in row.case.readings:
                self._answers.add(row.line, isinstance(reading, AnswerReading), reading)
        if (check := row.references) is not None:
            by_all, by_some = int(bool(check.unnamed)), int(any(check.unnamed_by))
            self.references.update(checked=1, unnamed_by_all=by_all, unnamed_by_some=by_some)

    @property
    def gate_input(self) -> GateInput:
        groups = tuple(
            MethodOutcomes(
                name, each.outcomes["holds"], each.outcomes["violated"], each.outcomes["undecided"], each.vacuous
            )
            for name, each in (*self.methods.items(), *self.relations.items())
        )
        return GateInput(groups, self._answers.commonest)

    def counted(self, settings: GateSettings) -> int | None:
        """How many violated rows have the grades that the gate counts, or none; None if all count."""
        if not settings.grades:
            return None
        groups = [*self.methods.values(), *self.relations.values()]
        left_out = sum(
            each.grades[grade] for each in groups for grade in GRADES if not counts_for_gate(grade, settings)
        )
        return sum(each.outcomes["violated"] for each in groups) - left_out

    def record(self) -> dict[str, Any]:
        groups = self.gate_input.methods
        names = ("holds", "violated", "undecided", "vacuous")
        record: dict[str, Any] = {
            "judged": sum(each.cases for each in groups),
            **{name: sum(getattr(each, name) for each in groups) for name in names},
            "bad_lines": self.bad_count,
            "bad": [_bad_record(bad) for bad in self.bad_lines],
            "methods": {method: counts.record() for method, counts in sorted(self.methods.items())},
        }
        if self.relations:
            record["relations"] = {kind: counts.record() for kind, counts in sorted(self.relations.items())}
        if self.references:
            record["references"] = dict(self.references)
        for method, tally in sorted(self.tallies.items()):
            if sums := tally.record():
                record[method] = sums
        return record


def _bad_record(bad: BadLine) -> dict[str, Any]:
    row_id = {} if bad.id is None else {"id": bad.id}
    return {"line": bad.line, **row_id, "problem": bad.problem}
