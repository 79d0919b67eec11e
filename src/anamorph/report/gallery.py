"""The issues as the gallery's scripts read them: a small index to filter by, and chunks of cards to show.

A page from disk may not fetch files, so both are scripts that assign to one global. Everything a person reads is made
visible and cut here; the scripts only put it into text nodes.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from anamorph.model import Answer, Evidence, probe_name
from anamorph.model.visible import visible
from anamorph.report.causes import UNGRADED, Cause, deed
from anamorph.report.explanations import IssueExplanation
from anamorph.report.issues import Issue, ShownProbe, ShrunkIssue
from anamorph.report.wording import answer_text, marked_texts, short
from anamorph.statistics.causes import Pattern

GLOBAL = "ANAMORPH"
CARDS_PER_CHUNK = 50
ROWS_PER_CHUNK = 2_000

# Characters shown of each text; report.json holds the whole.
MOST_ANSWER = 1_200
MOST_REASON = 800
MOST_NAME = 160
MOST_LABELS = 30
MOST_OTHERS = 5
MOST_EVIDENCE = 20
# Characters of each answer that the search looks at.
MOST_SEARCHED = 400


class GalleryFiles:
    """Writes the issues one by one into a folder of chunks."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._index = _Chunks(folder, "index", ROWS_PER_CHUNK)
        self._cards = _Chunks(folder, "issues", CARDS_PER_CHUNK)

    def add(self, issue: Issue) -> None:
        self._index.add(index_row(issue))
        self._cards.add(card(issue))

    def __enter__(self) -> GalleryFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._index.flush()
            self._cards.flush()


class _Chunks:
    def __init__(self, folder: Path, name: str, size: int) -> None:
        self._folder, self._name, self._size = folder, name, size
        self._items: list[str] = []
        self._written = 0

    def add(self, item: Any) -> None:
        self._items.append(script_json(item))
        if len(self._items) == self._size:
            self.flush()

    def flush(self) -> None:
        if not self._items:
            return
        name = f"{self._name}-{self._written}"
        body = ",\n".join(self._items)
        (self._folder / f"{name}.js").write_text(f'{GLOBAL}["{name}"] = [\n{body}\n];\n', encoding="ascii")
        self._items = []
        self._written += 1


def script_json(value: Any) -> str:
    """JSON in ASCII, which is a script expression with the same meaning as long as no object has free keys.

    In a script, unlike in JSON, a key "__proto__" is not a key; therefore free names travel in lists of pairs.
    """
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def index_row(issue: Issue) -> list[Any]:
    """What the filters and the search look at."""
    return [
        issue.digest,
        short(issue.method, MOST_NAME),
        short(issue.relation, MOST_NAME),
        _names(issue.verdict.categories),
        _tags(issue),
        _names(issue.things),
        _searched(issue),
        issue.grade or UNGRADED,
        issue.confirmation or "",
        [pattern_key(cause) for cause in issue.causes],
        [cause.digest for cause in issue.causes],
    ]


def pattern_key(found: Cause | Pattern) -> str:
    """What the page filters by to show a pattern."""
    return short(deed(found.what, found.label), MOST_NAME)


def card(issue: Issue) -> dict[str, Any]:
    """What the gallery shows of an issue."""
    questions = {probe.question for probe in issue.probes}
    count = len(issue.probes)
    return {
        "digest": issue.digest,
        "method": short(issue.method, MOST_NAME),
        "relation": short(issue.relation, MOST_NAME),
        "reason": short(issue.verdict.reason, MOST_REASON),
        "grade": issue.grade,
        "confirmation": issue.confirmation,
        "wrong_anyway": issue.verdict.wrong_anyway,
        "cause": _cause(issue.cause),
        "violated": [name for name in _names(issue.verdict.violated) if name != issue.relation],
        "categories": _names(issue.verdict.categories),
        "tags": _tags(issue),
        "scene": short(issue.source.scene, MOST_NAME),
        "things": [[short(label, MOST_NAME), number] for label, number in list(issue.things.items())[:MOST_LABELS]],
        "question": _question(issue.source) if len(questions) == 1 else None,
        "probes": [_probe(issue, issue.source.scene, position, len(questions) > 1) for position in range(count)],
        "replay": issue.replay,
        "shrunk": None if issue.shrunk is None else _shrunk(issue.shrunk, issue.source.scene, len(questions) > 1),
        "explained": None if issue.explained is None else _explained(issue.explained),
    }


def _cause(cause: Cause | None) -> dict[str, Any] | None:
    if cause is None:
        return None
    return {
        "digest": cause.digest,
        "words": short(cause.words, MOST_REASON),
        "scene": short(cause.scene, MOST_NAME),
        "edits": [short(edit, MOST_REASON) for edit in cause.edits],
        "issues": cause.issues,
    }


def _shrunk(shrunk: ShrunkIssue, source_scene: str, own_question: bool) -> dict[str, Any]:
    return {
        "reason": short(shrunk.verdict.reason, MOST_REASON),
        "finished": shrunk.finished,
        "probes": [_probe(shrunk, source_scene, position, own_question) for position in range(len(shrunk.probes))],
    }


def _explained(explained: IssueExplanation) -> dict[str, Any]:
    words = short(explained.words, MOST_REASON)
    return {"words": words, "image": explained.address, "alt": f"Heat map over the image: {words}"}


def _probe(issue: Issue | ShrunkIssue, source_scene: str, position: int, own_question: bool) -> dict[str, Any]:
    probe = issue.probes[position]
    evidence = issue.evidence(position)
    title = probe_name(position, len(issue.probes)).capitalize()
    edits = [short(edit, MOST_REASON) for edit in probe.edits_in_words]
    scene = short(probe.scene, MOST_NAME)
    others = [answer for attempt, answer in probe.answers.items() if attempt != probe.shown]
    shown = None if probe.answer is None else answer_text(probe.answer)
    differing = [text for text in dict.fromkeys(map(answer_text, others)) if text != shown]
    return {
        "title": title,
        "image": probe.address,
        "alt": f"{title}, scene {scene}" + (f": {'; '.join(edits)}" if edits else ""),
        "missing": None if probe.address else _missing(probe),
        "edits": edits,
        "scene": scene if probe.scene != source_scene else None,
        "question": _question(probe) if own_question else None,
        "answer": _answer(probe.answer, evidence),
        "evidence": _chips(probe.answer, evidence),
        "attempt": probe.shown if others else None,
        "others": [short(text, MOST_ANSWER // 4) for text in differing[:MOST_OTHERS]],
        "other_count": len(others),
    }


def _missing(probe: ShownProbe) -> str:
    if probe.image_problem:
        return short(f"The picture could not be made: {probe.image_problem}", MOST_REASON)
    return "No picture is kept of this probe."


def _question(probe: ShownProbe) -> str | None:
    return None if probe.question is None else short(probe.question, MOST_REASON)


def _answer(answer: Answer | None, evidence: Sequence[Evidence]) -> dict[str, Any] | None:
    if answer is None:
        return None
    if answer.labels is not None:
        return _label_answer(answer, {item.text for item in evidence})
    text = answer.text or ""
    parts = marked_texts(text, [span for item in evidence if (span := _span(item, text))], MOST_ANSWER)
    return {
        "parts": [[part.text, part.marked] for part in parts],
        "length": len(text) if len(text) > MOST_ANSWER else None,
    }


def _label_answer(answer: Answer, proving: set[str]) -> dict[str, Any]:
    labels = answer.labels or {}
    ranked = sorted(labels.items(), key=lambda item: (item[0] not in proving, -item[1], item[0]))
    chosen = sorted(ranked[:MOST_LABELS], key=lambda item: (-item[1], item[0]))
    return {
        "labels": [
            [short(label, MOST_NAME), f"{score:.2f}" if math.isfinite(score) else str(score), label in proving]
            for label, score in chosen
        ],
        "more": max(0, len(labels) - MOST_LABELS),
    }


def _chips(answer: Answer | None, evidence: Sequence[Evidence]) -> list[str]:
    """Evidence that is not marked in the answer itself."""
    text, labels = ("", {}) if answer is None else (answer.text or "", answer.labels or {})
    loose = dict.fromkeys(item.text for item in evidence if item.text not in labels and not _span(item, text))
    return _names(loose)[:MOST_EVIDENCE]


def _span(evidence: Evidence, text: str) -> tuple[int, int] | None:
    """Where in the text the evidence is, if it is anywhere."""
    start, end = evidence.start, evidence.end
    return (start, end) if start is not None and end is not None and 0 <= start < end <= len(text) else None


def _searched(issue: Issue) -> str:
    pieces = [issue.digest, issue.source.scene, issue.verdict.reason, *issue.verdict.violated]
    for probe in issue.probes:
        answers = [answer_text(answer)[:MOST_SEARCHED] for answer in probe.answers.values()]
        pieces += [probe.question or "", *probe.edits_in_words, *answers]
    text = "\n".join(dict.fromkeys(piece[:MOST_SEARCHED] for piece in pieces if piece))
    return unicodedata.normalize("NFC", visible(text))


def _tags(issue: Issue) -> list[list[str]]:
    return [[short(name, MOST_NAME), short(value, MOST_NAME)] for name, value in issue.tags.items()]


def _names(names: Any) -> list[str]:
    return [short(name, MOST_NAME) for name in names]
