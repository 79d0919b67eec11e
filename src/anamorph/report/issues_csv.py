"""issues.csv and leads.csv: one row per issue, and one per lead."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.report.issues import Issue, ShownProbe
from anamorph.report.wording import answer_text

COLUMNS = (
    "issue",
    "method",
    "relation",
    "scene",
    "question",
    "reason",
    "grade",
    "state",
    "why",
    "wrong_anyway",
    "cause",
    "cause_in_words",
    "violated",
    "categories",
    "tags",
    "objects",
    "edits",
    "source_answer",
    "follow_up_answers",
    "source_image",
    "follow_up_images",
    "replay",
)


def issue_row(issue: Issue) -> tuple[str, ...]:
    """The cells of an issue under `COLUMNS`."""
    verdict = issue.verdict
    return (
        issue.digest,
        issue.method,
        issue.relation,
        issue.source.scene,
        _numbered([probe.question or "" for probe in issue.probes], same_as_one=True),
        verdict.reason,
        issue.grade or "",
        issue.state or "",
        issue.why,
        "" if verdict.wrong_anyway is None else "yes" if verdict.wrong_anyway else "no",
        "" if issue.cause is None else issue.cause.digest,
        "" if issue.cause is None else issue.cause.words,
        "; ".join(verdict.violated),
        "; ".join(verdict.categories),
        "; ".join(f"{name}={value}" for name, value in issue.tags.items()),
        "; ".join(f"{label} x{count}" if count > 1 else label for label, count in issue.things.items()),
        _numbered(["; ".join(probe.edits_in_words) for probe in issue.follow_ups]),
        _answer(issue.source),
        _numbered([_answer(probe) for probe in issue.follow_ups]),
        issue.source.address or "",
        "; ".join(probe.address or "" for probe in issue.follow_ups),
        issue.replay,
    )


def _answer(probe: ShownProbe) -> str:
    return "" if probe.answer is None else answer_text(probe.answer)


def _numbered(texts: Sequence[str], same_as_one: bool = False) -> str:
    if len(texts) == 1 or (same_as_one and len(set(texts)) == 1):
        return texts[0]
    return "\n".join(f"[{position}] {text}" for position, text in enumerate(texts, start=0 if same_as_one else 1))
