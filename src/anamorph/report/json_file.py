"""report.json: the summary, the tables, the skipped inputs and every issue in full, written one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from anamorph.model import Answer, Skip, Verdict, encode
from anamorph.report.baseline.matching import AgainstBaseline
from anamorph.report.cause_words import Cause, ShownPattern
from anamorph.report.drawings import rows_of
from anamorph.report.explanations import IssueExplanation
from anamorph.report.floor import floor_record
from anamorph.report.issues import Issue, ShownProbe, ShrunkIssue
from anamorph.report.numbers import OutcomeCounts, Proving, RunNumbers, ShownPart
from anamorph.report.record import (
    FORMAT,
    FORMAT_VERSION,
    AnswerRecord,
    BaselineRecord,
    CauseRecord,
    EvidenceRecord,
    ExplainedRecord,
    FigureRecord,
    IssueRecord,
    LeadReasonRecord,
    OutcomeRecord,
    PartRecord,
    PatternRecord,
    ProbeRecord,
    ReviewsRecord,
    ShrunkRecord,
    SummaryRecord,
    SuspicionRecord,
    TableRecord,
)
from anamorph.report.reviews import ReviewNumbers
from anamorph.report.suspicions import Suspicion


class JsonFile:
    """Writes issues one by one, then leads; the file is valid JSON once it is closed."""

    def __init__(self, path: Path, numbers: RunNumbers, skips: Iterable[Skip], causes: Iterable[Cause] = ()) -> None:
        self._stream = path.open("wb")
        self._first, self._in_leads = True, False
        try:
            self._begin(numbers, skips, causes)
        except BaseException:
            self._stream.close()
            raise

    def _begin(self, numbers: RunNumbers, skips: Iterable[Skip], causes: Iterable[Cause]) -> None:
        self._write('{"format":' + _json(FORMAT) + f',"version":{FORMAT_VERSION}')
        self._write(',\n"summary":' + _json(summary(numbers)))
        self._write(',\n"patterns":' + _json([pattern_record(each) for each in numbers.patterns]))
        self._write(',\n"causes":[')
        for position, cause in enumerate(causes):
            self._write((",\n" if position else "\n") + _json(cause_record(cause)))
        self._write('],\n"tables":' + _json(tables(numbers)))
        self._write(',\n"figures":' + _json(drawings(numbers)))
        self._write(',\n"left_out":' + _json(encode(numbers.left_out)))
        self._write(',\n"skips":[')
        for position, skip in enumerate(skips):
            self._write((",\n" if position else "\n") + _json(encode(skip)))
        self._write('],\n"issues":[')

    def add(self, issue: Issue) -> None:
        """Add an issue, or, once all issues are there, a lead."""
        self._write(("\n" if self._first else ",\n") + _json(issue_record(issue)))
        self._first = False

    def begin_leads(self) -> None:
        """End the list of issues; what is added from now on are leads."""
        self._write('],\n"leads":[')
        self._first, self._in_leads = True, True

    def __enter__(self) -> JsonFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            if not self._in_leads:
                self.begin_leads()
            self._write("]}\n")
        self._stream.close()

    def _write(self, text: str) -> None:
        # A lone surrogate stands only inside a JSON string, where its backslash escape is JSON's own escape.
        self._stream.write(text.encode("utf-8", "backslashreplace"))


def summary(numbers: RunNumbers) -> SummaryRecord:
    """The summary as plain data."""
    return {
        "run": numbers.run,
        "state": numbers.state,
        "created_at": numbers.created_at,
        "run_version": numbers.run_version,
        "report_version": numbers.report_version,
        "system": _part_if_any(numbers.system),
        "scenes": _part_if_any(numbers.scenes),
        "segmenter": _part_if_any(numbers.segmenter),
        "methods": [_part(method) for method in numbers.methods],
        "seed": numbers.seed,
        "limit": numbers.limit,
        "repeats": numbers.repeats,
        "judged_as": numbers.judged_as,
        "counts": {
            "scenes": numbers.scene_count,
            "photos": numbers.photos.decided,
            "violated_photos": numbers.photos.violated,
            "skipped": numbers.skip_count,
            "images": numbers.image_count,
            "failed_images": numbers.failed_images,
            "discarded_images": numbers.discarded_images,
            "discarded_cases": numbers.discarded_cases,
            "probes": numbers.probe_count,
            "answers": numbers.answer_count,
            "lacking_answers": numbers.lacking_answers,
            "failures": numbers.failure_count,
            "unjudged": numbers.unjudged,
            **_counts(numbers.counts),
        },
        "causes": numbers.cause_count,
        "grades": grade_records(numbers),
        "wrong_anyway": asdict(numbers.wrong_anyway),
        "proving": proving_record(numbers.proving),
        "floor": floor_record(numbers.floor),
        "groups": [
            {
                "method": group.method,
                "relation": group.relation,
                **_counts(group.counts),
                "noise": {"differing_probes": group.noise[0], "repeated_probes": group.noise[1]},
                "grades": {each.grade or "none": each.violated for each in group.grades},
            }
            for group in numbers.groups
        ],
        "undecided_reasons": [{"reason": reason, "cases": cases} for reason, cases in numbers.undecided_reasons],
        "flakes": {"differing_probes": numbers.flaky_probes, "repeated_probes": numbers.repeated_probes},
        "spending": asdict(numbers.spending),
        "utilisation": {**asdict(numbers.utilisation), "share": numbers.utilisation.share},
        "rates_from": asdict(numbers.estimates),
        "stopped_by": numbers.stopped_by,
        "gate": {**asdict(numbers.gate), "exit_code": numbers.gate.exit_code},
        "baseline": None if numbers.baseline is None else baseline_record(numbers.baseline),
        "reviews": None if numbers.reviews is None else reviews_record(numbers.reviews),
    }


def proving_record(proving: Proving) -> dict[str, Any]:
    """Outcomes of suspicions as plain data."""
    reasons: list[LeadReasonRecord] = [
        {"reason": reason, "suspicions": number} for reason, number in proving.lead_reasons
    ]
    return {
        **asdict(proving),
        "lead_reasons": reasons,
        "suspicions": proving.suspicions,
        "noise": proving.noise,
    }


def baseline_record(against: AgainstBaseline, most: int | None = None) -> BaselineRecord:
    """How a run compares with its baseline as plain data; new and known causes are marked where causes are listed."""
    return {
        "file": against.file,
        "new": against.new,
        "known": against.known,
        "fixed": len(against.fixed),
        "suppressed": against.suppressed,
        "suppressed_issues": against.suppressed_cases,
        "known_issues": against.known_cases,
        "not_tested": against.not_tested,
        "explanation": against.explanation,
        "floor_before": None if against.floor_before is None else asdict(against.floor_before),
        "floor_now": None if against.floor_now is None else asdict(against.floor_now),
        "fixed_causes": [
            {
                "digest": cause.digest,
                "words": cause.words,
                "what": cause.what,
                "label": cause.label,
                "scene": cause.scene,
                "mark": cause.mark,
            }
            for cause in against.fixed[:most]
        ],
    }


def reviews_record(reviews: ReviewNumbers) -> ReviewsRecord:
    """Reviewers' verdicts as plain data."""
    found, kappa = reviews.precision, reviews.kappa
    return {
        "reviewers": list(reviews.reviewers),
        "reviewed": found.reviewed,
        "right": found.right,
        "wrong": found.wrong,
        "unsure": found.unsure,
        "precision": found.share,
        "precision_interval": None if found.interval is None else list(found.interval),
        "false_alarms": [{"cause": cause, "issues": issues} for cause, issues in reviews.false_alarms],
        "errors": [{"error": name, "issues": count} for name, count in reviews.errors],
        "wrong_answers": [{"answer": name, "issues": count} for name, count in reviews.wrong_answers],
        "kappa": None if kappa is None else asdict(kappa),
        "ties": reviews.split,
        "disagreeing": reviews.disagreements,
        "marks_of_other_answers": reviews.changed,
        "marks_of_no_issue": reviews.dropped,
    }


def grade_records(numbers: RunNumbers) -> list[dict[str, Any]]:
    """The violated cases by grade as plain data, the surest first."""
    return [asdict(each) for each in numbers.grades]


def cause_record(cause: Cause) -> CauseRecord:
    """A cause as plain data."""
    return {
        "digest": cause.digest,
        "words": cause.words,
        "what": cause.what,
        "label": cause.label,
        "grade": cause.grade,
        "scene": cause.scene,
        "blamed": cause.blamed,
        "answers": cause.answers,
        "edits_in_words": list(cause.edits),
        "issues": cause.issues,
        "methods": list(cause.methods),
        "example": cause.example,
        "standing": cause.standing,
    }


def pattern_record(shown: ShownPattern) -> PatternRecord:
    """A pattern as plain data."""
    pattern = shown.pattern
    return {
        "words": shown.words,
        "what": pattern.what,
        "label": pattern.label,
        "grade": pattern.grade,
        "causes": pattern.causes,
        "scenes": pattern.scenes,
        "issues": pattern.cases,
        "rate": pattern.rate,
        "rate_interval": None if pattern.interval is None else list(pattern.interval),
        "trigger": None if pattern.trigger is None else pattern.trigger.words,
        "companion": pattern.companion,
        "example": shown.example,
    }


def tables(numbers: RunNumbers) -> list[TableRecord]:
    """The methods' own tables as plain data."""
    return [
        {
            "method": each.method,
            "title": each.table.title if each.table else None,
            "columns": list(each.table.columns) if each.table else [],
            "rows": [[_cell(cell) for cell in row] for row in each.table.rows] if each.table else [],
            "problem": each.problem,
        }
        for each in numbers.tables
    ]


def drawings(numbers: RunNumbers) -> list[FigureRecord]:
    """The methods' own figures as plain data."""
    return [
        {
            "method": each.method,
            "title": each.figure.title,
            "note": each.figure.note,
            "file": f"figures/{each.file}.svg",
            "rows": [list(row) for row in rows_of(each.figure)],
        }
        for each in numbers.drawings
    ]


def issue_record(issue: Issue) -> IssueRecord:
    """An issue as plain data, nothing cut."""
    verdict = issue.verdict
    return {
        "digest": issue.digest,
        "method": issue.method,
        "relation": issue.relation,
        "claim": issue.claim,
        "reason": verdict.reason,
        "grade": issue.grade,
        "state": issue.state,
        "why": issue.why,
        "wrong_anyway": verdict.wrong_anyway,
        "cause": None if issue.cause is None else issue.cause.digest,
        "causes": [cause.digest for cause in issue.causes],
        "suspicions": [_suspicion(each) for each in issue.suspicions],
        "violated": list(verdict.violated),
        "categories": list(verdict.categories),
        "evidence": _evidence(verdict),
        "tags": dict(issue.tags),
        "scene": issue.source.scene,
        "objects": dict(issue.things),
        "probes": [_probe(probe) for probe in issue.probes],
        "replay": issue.replay,
        "shrunk": None if issue.shrunk is None else _shrunk(issue.shrunk),
        "explained": None if issue.explained is None else _explained(issue.explained),
    }


def _suspicion(suspicion: Suspicion) -> SuspicionRecord:
    return {
        "label": suspicion.label,
        "grade": suspicion.grade,
        "what": suspicion.what,
        "probes": list(suspicion.conflict.probes),
        "known": suspicion.conflict.known,
        "state": suspicion.state,
        "why": suspicion.why,
        "proof": [
            {
                "part": answer.part,
                "said": answer.said,
                "question": answer.question,
                "image": answer.address,
                "answers": list(answer.answers),
                "witness": answer.witness,
            }
            for answer in suspicion.proof
        ],
    }


def _shrunk(shrunk: ShrunkIssue) -> ShrunkRecord:
    return {
        "claim": shrunk.claim,
        "reason": shrunk.verdict.reason,
        "violated": list(shrunk.verdict.violated),
        "categories": list(shrunk.verdict.categories),
        "evidence": _evidence(shrunk.verdict),
        "probes": [_probe(probe) for probe in shrunk.probes],
        "finished": shrunk.finished,
    }


def _explained(explained: IssueExplanation) -> ExplainedRecord:
    found = explained.found
    return {
        "probe": explained.position,
        "label": explained.label,
        "carrier": found.carrier,
        "sentence": explained.words,
        "image": explained.address,
        "peak": None if found.peak is None else list(found.peak),
        "on": found.on,
        "calls": found.calls,
        "finished": found.finished,
    }


def _evidence(verdict: Verdict) -> list[EvidenceRecord]:
    return [{"probe": item.probe, "text": item.text, "start": item.start, "end": item.end} for item in verdict.evidence]


def _probe(probe: ShownProbe) -> ProbeRecord:
    return {
        "digest": probe.digest,
        "scene": probe.scene,
        "edits": list(probe.edits),
        "edits_in_words": list(probe.edits_in_words),
        "question": probe.question,
        "image": probe.address,
        "image_problem": probe.image_problem,
        "answers": [_answer(attempt, answer) for attempt, answer in probe.answers.items()],
    }


def _answer(attempt: int, answer: Answer) -> AnswerRecord:
    if answer.labels is None:
        return {"attempt": attempt, "text": answer.text, "labels": None}
    labels = {label: _cell(score) for label, score in answer.labels.items()}
    return {"attempt": attempt, "text": None, "labels": labels}


def _counts(counts: OutcomeCounts) -> OutcomeRecord:
    return {
        "cases": counts.cases,
        "holds": counts.holds,
        "violated": counts.violated,
        "undecided": counts.undecided,
        "violation_rate": counts.violation_rate,
        "violation_rate_interval": None if counts.interval is None else list(counts.interval),
        "vacuous": counts.vacuous,
        "leads": counts.leads,
    }


def _part(part: ShownPart) -> PartRecord:
    return {"kind": part.kind, "settings": part.settings}


def _part_if_any(part: ShownPart | None) -> PartRecord | None:
    return None if part is None else _part(part)


def _cell(value: Any) -> Any:
    """JSON cannot express a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
