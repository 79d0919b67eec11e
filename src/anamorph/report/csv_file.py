"""issues.csv: one row per issue, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from anamorph.model import Answer
from anamorph.report.issues import Issue, ShownProbe
from anamorph.report.wording import visible

COLUMNS = (
    "issue",
    "method",
    "relation",
    "scene",
    "question",
    "reason",
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

# What makes a spreadsheet read a cell as a formula; the wide forms do so in some locales.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Excel holds 32,767 characters in a cell and spills the rest into other rows.
_MOST = 32_000


class CsvFile:
    """Writes issues one by one."""

    def __init__(self, path: Path) -> None:
        # With the byte order mark, Excel takes the file for UTF-8; without it, for the code page of the machine.
        self._stream = path.open("w", encoding="utf-8-sig", newline="")
        self._writer = csv.writer(self._stream, quoting=csv.QUOTE_ALL)
        self._writer.writerow(COLUMNS)

    def add(self, issue: Issue) -> None:
        verdict = issue.verdict
        row = (
            issue.digest,
            issue.method,
            issue.relation,
            issue.source.scene,
            _numbered([probe.question or "" for probe in issue.probes], same_as_one=True),
            verdict.reason,
            "; ".join(verdict.violated),
            "; ".join(verdict.categories),
            "; ".join(f"{name}={value}" for name, value in issue.tags.items()),
            "; ".join(f"{label} x{count}" if count > 1 else label for label, count in issue.things.items()),
            _numbered(["; ".join(probe.edits_in_words) for probe in issue.follow_ups]),
            _answer(issue.source),
            _numbered([_answer(probe) for probe in issue.follow_ups]),
            issue.source.image or "",
            "; ".join(probe.image or "" for probe in issue.follow_ups),
            issue.replay,
        )
        self._writer.writerow([safe_cell(cell) for cell in row])

    def __enter__(self) -> CsvFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def safe_cell(text: str) -> str:
    """A text that a spreadsheet shows and never computes."""
    # Looked at before hidden characters become visible ones, because a tab or a line end may be what hides a formula.
    guard = "'" if text.lstrip(" ").startswith(_FORMULA_STARTS) else ""
    if len(text) > _MOST:
        text = f"{text[:_MOST]}\u2026 (cut; all {len(text)} characters are in report.json)"
    return guard + visible(text)


def answer_text(answer: Answer) -> str:
    """An answer in one line of text; labels by falling score."""
    if answer.labels is None:
        return answer.text or ""
    ranked = sorted(answer.labels.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{label} {score:.4g}" for label, score in ranked)


def _answer(probe: ShownProbe) -> str:
    return "" if probe.answer is None else answer_text(probe.answer)


def _numbered(texts: Sequence[str], same_as_one: bool = False) -> str:
    if len(texts) == 1 or (same_as_one and len(set(texts)) == 1):
        return texts[0]
    return "\n".join(f"[{position}] {text}" for position, text in enumerate(texts, start=0 if same_as_one else 1))
