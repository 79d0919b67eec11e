"""Judgements of relevance in files: JSON lines, or CSV for spreadsheets."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anamorph.errors import BadRecord, UsageError
from anamorph.model import decode, encode
from anamorph.report.spreadsheets import write_csv
from anamorph.studies.relevance.votes import RELEVANCES, Judgement, RelevanceSummary, Vote

COLUMNS = ("image", "labels", "annotator", "relevance", "note", "reason")
VOTE_COLUMNS = ("image", "labels", "relevance", *RELEVANCES, "tied")
_COUNTED = ("combinations", "relevant_combinations", "images", "strong", "weak", "irrelevant")
# What separates the labels of a combination in a cell.
AND = " + "


@dataclass(frozen=True, slots=True)
class BadJudgement:
    """A line that is not a judgement, and why."""

    file: str
    line: int
    problem: str


def read_judgements(path: Path) -> Iterator[Judgement | BadJudgement]:
    """Every judgement of a .jsonl or .csv file; bad lines are reported and skipped."""
    try:
        rows = _csv_rows(path) if path.suffix.lower() == ".csv" else _json_rows(path)
        for line, row in rows:
            try:
                yield BadJudgement(str(path), line, row) if isinstance(row, str) else decode(Judgement, row)
            except BadRecord as problem:
                yield BadJudgement(str(path), line, str(problem).rstrip("."))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise UsageError(f"{path}: cannot be read as judgements ({problem}).") from problem


def write_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    """Write judgements as `read_judgements` reads them."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix.lower() == ".csv":
            writer = csv.writer(stream)
            writer.writerow(COLUMNS)
            writer.writerows(
                (each.image, AND.join(each.labels), each.annotator, each.relevance, each.note, each.reason or "")
                for each in judgements
            )
            return
        for each in judgements:
            stream.write(json.dumps(encode(each), ensure_ascii=False) + "\n")


def write_votes(path: Path, votes: Iterable[Vote]) -> None:
    """The votes of the annotators, one photo per line."""
    if path.suffix.lower() == ".csv":
        write_csv(path, [VOTE_COLUMNS, *map(_vote_row, votes)])
        return
    with path.open("w", encoding="utf-8") as stream:
        for each in votes:
            stream.write(json.dumps(asdict(each), ensure_ascii=False) + "\n")


def _vote_row(vote: Vote) -> tuple[str | int, ...]:
    counts = (vote.votes.get(name, 0) for name in RELEVANCES)
    return (vote.image, AND.join(vote.labels), vote.relevance, *counts, int(vote.tied))


def summary_record(summary: RelevanceSummary) -> dict[str, Any]:
    agreement = summary.agreement
    return {
        "judgements": summary.judgements,
        "revised": summary.revised,
        "tied": summary.tied,
        "per_size": [
            {
                "k": each.size,
                **{name: getattr(each, name) for name in _COUNTED},
                "ri": each.relevant_images_share,
                "rlc": each.relevant_combinations_share,
            }
            for each in summary.per_size
        ],
        "weak_reasons": dict(summary.reasons),
        "annotators": list(agreement.annotators),
        "cohen": [{"pair": list(pair), "kappa": kappa} for pair, kappa in agreement.pairs.items()],
        "mean_cohen": agreement.mean,
        "fleiss": agreement.fleiss,
        "judged_by_all": agreement.judged_by_all,
    }


def _json_rows(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open(encoding="utf-8-sig") as stream:
        for line, text in enumerate(stream, start=1):
            if not text.strip():
                continue
            try:
                row = json.loads(text)
            except (ValueError, RecursionError) as problem:
                row = f"is not JSON: {problem}"
            yield line, row if isinstance(row, dict | str) else f"is not a JSON object but {text.strip()[:40]}"


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        missing = [name for name in COLUMNS[:4] if name not in (reader.fieldnames or ())]
        if missing:
            raise UsageError(f"{path}: has no column {missing[0]!r}. Needed: {', '.join(COLUMNS[:4])}.")
        for row in reader:
            if None in row or None in row.values():
                yield reader.line_num, "has more or fewer cells than there are columns"
                continue
            labels = [label.strip() for label in row["labels"].split(AND.strip()) if label.strip()]
            rest = {name: row[name].strip() for name in ("image", "annotator", "relevance")}
            reason = {"reason": row["reason"].strip()} if row.get("reason", "").strip() else {}
            yield reader.line_num, {**rest, "labels": labels, "note": row.get("note", ""), **reason}
