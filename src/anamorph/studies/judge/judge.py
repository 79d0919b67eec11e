"""Judges outputs that were recorded elsewhere: rows in, verdicts out; pure, and in bounded memory."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anamorph import catalog
from anamorph.config.readers import RunReaders
from anamorph.engine.judge import graded
from anamorph.errors import BadRecord, UnknownName, UsageError, did_you_mean
from anamorph.model import (
    Answer,
    CaptionReading,
    LabelSet,
    MethodOptions,
    Output,
    Reading,
    ReadingKind,
    RecordedCase,
    RecordedRow,
    RecordedRowOptions,
    Relation,
    RelationOptions,
    Unreadable,
    Verdict,
)
from anamorph.model.protocols import reading_kind
from anamorph.studies.judge.files import BadLine, RecordedLine
from anamorph.studies.judge.rows import RowParser, id_of
from anamorph.studies.label_errors.references import ReferenceCheck, check_references

# What rows are judged as where no profile is chosen, or the method of a row does not have it.
DEFAULT = "default"

_NO_ANSWER = Unreadable("", "there is no answer")
# Long texts are rarely repeated, and would fill the memory.
_LONGEST_REMEMBERED = 1000
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One row, the verdict on it, and what its reference captions lack; `method` is None if it named a relation."""

    line: int
    id: str | int
    method: str | None
    row: RecordedRow
    case: RecordedCase
    verdict: Verdict
    references: ReferenceCheck | None = None

    def record(self, evidence: bool = False) -> dict[str, Any]:
        verdict = self.verdict
        record: dict[str, Any] = {
            "id": self.id,
            "outcome": verdict.outcome,
            "violated": verdict.violated,
            "categories": verdict.categories,
            "reason": verdict.reason,
        }
        if verdict.grade is not None:
            record["grade"] = verdict.grade
        notes = RecordedRowOptions.notes.of(self.row)
        if notes is not None:
            record.update(notes(verdict))
        if self.references is not None:
            record["references"] = dataclasses.asdict(self.references)
        if evidence:
            record["evidence"] = [dataclasses.asdict(each) for each in verdict.evidence]
        return record


class TranscriptJudge:
    """Judges rows with the readers of a configuration, each distinct text read once."""

    def __init__(self, readers: RunReaders, profile: str = DEFAULT) -> None:
        if profile != DEFAULT and profile not in (known := _profiles()):
            raise UsageError(f"profile must be one of {', '.join((DEFAULT, *known))}, got {profile!r}.")
        self._by_default, self._outputs = _Outputs(readers, DEFAULT), _Outputs(readers, profile)
        self._has_profile = functools.cache(functools.partial(_has_profile, profile))
        self._parse = RowParser().parse

    def judge_all(self, lines: Iterable[RecordedLine | BadLine]) -> Iterator[JudgedRow | BadLine]:
        """Judge lines as they come; one that is bad does not stop the rest."""
        for line in lines:
            yield line if isinstance(line, BadLine) else self.judge(line)

    def judge(self, line: RecordedLine) -> JudgedRow | BadLine:
        """The verdict on a line, or what is wrong with it."""
        row_id = None
        try:
            row_id = id_of(line)
            method, row = self._parse(line)
            case = row.case(self._outputs if self._has_profile(method) else self._by_default)
            verdict = _verdict(case, method)
            verdict = graded(case.relation, verdict) if self._outputs.profile == DEFAULT else verdict
            return JudgedRow(line.line, row_id, method, row, case, verdict, _checked_references(case))
        except (BadRecord, UnknownName) as problem:
            return BadLine(line.line, f"{str(problem).rstrip('.')}.", row_id)


def _profiles() -> list[str]:
    methods = (catalog.find("methods", name) for name in catalog.names("methods"))
    return sorted({profile for method in methods for profile in MethodOptions.profiles.of(method)})


def _has_profile(profile: str, method: str | None) -> bool:
    return method is not None and profile in MethodOptions.profiles.of(catalog.find("methods", method))


class _Outputs:
    """Reads outputs with the configured readers, each distinct text once."""

    def __init__(self, readers: RunReaders, profile: str) -> None:
        self._readers = readers
        self.profile = profile
        self._read_often = functools.lru_cache(maxsize=_REMEMBERED)(self._read_anew)

    def read(self, relation: Relation | type[Relation], output: Output, question: str | None = None) -> Reading:
        labels = isinstance(output, tuple | Mapping)
        kind, read_by = reading_kind(relation, labels=labels), RelationOptions.read_by.of(relation)
        if output is None:
            return _NO_ANSWER
        if isinstance(output, tuple):
            # Labels without scores have reached the system's own threshold, so there is nothing to read.
            if kind == "labels":
                return LabelSet(frozenset(output))
            output = dict.fromkeys(output, 1.0)
        if isinstance(output, Mapping):
            return self._readers.read(kind, Answer(labels=output), question, read_by)
        text = ("yes" if output else "no") if isinstance(output, bool) else str(output)
        read = self._read_anew if len(text) > _LONGEST_REMEMBERED else self._read_often
        return read(kind, read_by, text, question)

    def _read_anew(self, kind: ReadingKind, read_by: str | None, text: str, question: str | None) -> Reading:
        return self._readers.read(kind, Answer(text), question, read_by)

    def classes(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """As the label space spells them; `hot_dog` and `Hot Dog` are `hot dog`."""
        known = self._class_names
        found = []
        for name in names:
            label = known.get(name.strip().replace("_", " ").casefold()) or known.get(name.casefold())
            if label is None:
                guess = did_you_mean(name, self._readers.space.names)
                raise BadRecord(key, f"{name!r} is not a class of the label space {self._readers.space.name}.{guess}")
            found.append(label)
        return tuple(found)

    def supercategory(self, label: str) -> str:
        return self._readers.space.supercategory(label) or label

    @functools.cached_property
    def _class_names(self) -> Mapping[str, str]:
        return {name.casefold(): name for name in self._readers.space.names}


def _verdict(case: RecordedCase, method: str | None) -> Verdict:
    try:
        return case.relation.judge(case.readings)
    except Exception as problem:
        # A relation of the user's own may not say what it cannot judge.
        if method is not None:
            raise
        raise BadRecord(
            "relation", f"{case.relation.kind} cannot judge these answers: {type(problem).__name__}: {problem}"
        ) from problem


def _checked_references(case: RecordedCase) -> ReferenceCheck | None:
    """Whether reference captions name what both captions of a pair name; else the label may be wrong."""
    if not case.references or len(case.readings) != 2:
        return None
    source, follow_up = case.readings
    if not isinstance(source, CaptionReading) or not isinstance(follow_up, CaptionReading):
        return None
    return check_references(source, follow_up, case.references, case.general)
