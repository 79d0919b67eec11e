"""A recorded triple of OAMT: the captions of a photo and of its pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.oamt.published import TriplesRecur
from anamorph.model import Cell, RecordedCase, RecordedOutputs, RecordedTally, Relation, Table, Verdict
from anamorph.relations.parts_tell_whole import PartsTellWhole
from anamorph.statistics.tables import share


class RatedTally:
    """How many of the rated rows are reported: of real errors, of false alarms and of those that nobody could tell."""

    def __init__(self) -> None:
        self._rows = {name: [0, 0] for name in ("real error", "unclear", "false alarm")}

    def add(self, row: Any, case: RecordedCase, verdict: Verdict) -> None:
        if row.false_alarm is not None:
            name = "real error" if row.false_alarm == 0 else "false alarm" if row.false_alarm == 1 else "unclear"
            self._rows[name][0] += 1
            self._rows[name][1] += verdict.outcome == "violated"

    def record(self) -> Mapping[str, Any]:
        rated = any(rows for rows, _ in self._rows.values())
        keys = {name: {"rows": rows, "reported": reported} for name, (rows, reported) in self._rows.items()}
        return {"rated": keys} if rated else {}

    def shown(self) -> Sequence[str | Table]:
        rows = tuple((name, rows, reported, share(reported, rows)) for name, (rows, reported) in self._rows.items())
        return (Table("Rated rows", ("rated as", "rows", "reported", "share"), rows),) if self.record() else ()


@dataclass(frozen=True, slots=True)
class OamtRow:
    """The caption of a photo, and those of the two pieces that it was cut into.

    `false_alarm` is what people said of a report of it: 0 for a real error, 1 for a false alarm.
    """

    cells: ClassVar[Mapping[str, Cell]] = {"pieces": "texts"}
    tally: ClassVar[Callable[[], RecordedTally] | None] = RatedTally
    source: str | None
    pieces: tuple[str | None, ...]
    false_alarm: float | None = None

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        if len(self.pieces) < 2:
            raise BadRecord("pieces", f"needs the captions of two pieces or more, got {len(self.pieces)}")
        relation: Relation = TriplesRecur() if outputs.profile == "paper" else PartsTellWhole()
        return RecordedCase(relation, tuple(outputs.read(relation, each) for each in (self.source, *self.pieces)))
