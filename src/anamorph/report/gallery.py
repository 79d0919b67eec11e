"""The issues as the gallery's scripts read them: a small index to filter by, texts to search, and cards to show.

A page from disk may not fetch files, so all are scripts that assign to one global, in chunks that are loaded when they
are needed. Everything a person reads is made visible and cut here; the scripts only put it into text nodes.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol

from anamorph.model import Answer, Evidence, Verdict, probe_name
from anamorph.model.visible import visible
from anamorph.report.cause_words import UNGRADED, Cause, deed
from anamorph.report.explanations import IssueExplanation
from anamorph.report.issues import Issue, ShownProbe, ShrunkIssue
from anamorph.report.suspicions import (
    AS_JUDGED,
    STATE_WORDS,
    ProofAnswer,
    Suspicion,
    suspected,
    told_conflicts,
)
from anamorph.report.wording import answer_text, differing_spans, marked_texts, short
from anamorph.statistics.blame import Pattern
from anamorph.store.marks import Mark

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
MOST_ABSENT = 8
MOST_SUSPICIONS = 8
MOST_PROOF = 12
# In an answer of no more words, all of them matter.
FEWEST_WORDS = 3
# Characters of each answer that the search looks at.
MOST_SEARCHED = 400


# What issues can be filtered by; the scripts have the same order.
FACETS = (
    *("state", "grade", "pattern", "why", "cause", "method", "relation", "category", "tag", "object", "change"),
    "mark",
)


class ChunkWriter(Protocol):
    """Takes the chunks of a gallery, each a list in the syntax of scripts."""

    def __call__(self, name: str, body: str) -> None: ...


def chunk_files(folder: Path) -> ChunkWriter:
    """Writes each chunk into a script of its own."""
    folder.mkdir()

    def write(name: str, body: str) -> None:
        (folder / f"{name}.js").write_text(f'{GLOBAL}["{name}"] = {body};\n', encoding="ascii")

    return write


class GalleryFiles:
    """Writes issues one by one into chunks, or leads, which have chunks of their own."""

    def __init__(self, write: ChunkWriter, noun: Literal["issue", "lead"] = "issue") -> None:
        # About how many characters they take so far, and how many there are.
        self.size = self.count = 0
        before = "" if noun == "issue" else f"{noun}-"
        self._index = _IndexChunks(write, f"{before}index")
        self._texts = _Chunks(write, f"{before}texts", ROWS_PER_CHUNK)
        self._cards = _Chunks(write, f"{noun}s", CARDS_PER_CHUNK)

    def add(self, issue: Issue) -> None:
        values = facets(issue)
        self._index.add(issue.digest, values)
        self.size += self._texts.add(searched(issue, values)) + self._cards.add(_without_empty(card(issue)))
        self.count += 1

    def __enter__(self) -> GalleryFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._index.flush()
            self._texts.flush()
            self._cards.flush()


class _Chunks:
    def __init__(self, write: ChunkWriter, name: str, size: int) -> None:
        self._write, self._name, self._size = write, name, size
        self._items: list[str] = []
        self._written = 0

    def add(self, item: Any) -> int:
        """Add an item, and say how long it is."""
        text = script_json(item)
        self._items.append(text)
        if len(self._items) == self._size:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if not self._items:
            return
        body = ",\n".join(self._items)
        self._write(f"{self._name}-{self._written}", f"[\n{body}\n]")
        self._items = []
        self._written += 1


class _IndexChunks:
    """The index of the filters: for each facet, the values that come up in a chunk, and their places in each row."""

    def __init__(self, write: ChunkWriter, name: str) -> None:
        self._write, self._name = write, name
        self._written = 0
        self._start()

    def _start(self) -> None:
        self._digests: list[str] = []
        self._names: list[dict[str, int]] = [{} for _ in FACETS]
        self._rows: list[list[list[int]]] = []

    def add(self, digest: str, values: Sequence[Sequence[str]]) -> None:
        self._digests.append(digest)
        self._rows.append(
            [
                [names.setdefault(value, len(names)) for value in dict.fromkeys(some)]
                for names, some in zip(self._names, values, strict=True)
            ]
        )
        if len(self._rows) == ROWS_PER_CHUNK:
            self.flush()

    def flush(self) -> None:
        if not self._rows:
            return
        parts = ("".join(self._digests), [list(names) for names in self._names], self._rows)
        self._write(f"{self._name}-{self._written}", "[\n" + ",\n".join(map(script_json, parts)) + "\n]")
        self._written += 1
        self._start()


def _without_empty(value: Any) -> Any:
    """A card without what is empty, which the scripts fill in: a report may have 100,000 cards."""
    if isinstance(value, dict):
        return {key: _without_empty(item) for key, item in value.items() if item is not None and item != []}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


def script_json(value: Any) -> str:
    """JSON in ASCII, which is a script expression with the same meaning as long as no object has free keys.

    In a script, unlike in JSON, a key "__proto__" is not a key; therefore free names travel in lists of pairs.
    """
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def facets(issue: Issue) -> list[list[str]]:
    """The values of an issue for each facet."""
    return [
        [AS_JUDGED if issue.state is None else STATE_WORDS[issue.state]],
        [issue.grade or UNGRADED],
        _patterns(issue),
        [short(why, MOST_NAME) for why in _whys(issue)],
        [cause.digest for cause in issue.causes],
        [short(issue.method, MOST_NAME)],
        [short(issue.relation, MOST_NAME)],
        _names(issue.verdict.categories),
        [f"{name}={value}" for name, value in _tags(issue)],
        _names(issue.things),
        changes_in_conflict(issue),
        [mark.verdict for mark in issue.marks.values()],
    ]


def _patterns(issue: Issue) -> list[str]:
    """The system's errors; for a lead, which has no cause, its suspected errors."""
    if issue.causes:
        return [pattern_key(cause) for cause in issue.causes]
    return [short(each.words, MOST_NAME) for each in issue.suspicions if each.state == "lead"]


def _whys(issue: Issue) -> list[str]:
    """Why a lead is not counted; proofs differ from issue to issue, and are nothing to filter by."""
    return [each.why for each in issue.suspicions if each.state == "lead"] if issue.state == "lead" else []


def changes_in_conflict(issue: Issue) -> list[str]:
    """The edits of the differing follow-ups, if a case has several."""
    differing = _differing(issue) if len(issue.probes) > 2 else ()
    return [change_key(issue.probes[place].edits_in_words) for place in sorted(differing) if issue.probes[place].edits]


def change_key(edits: Sequence[str]) -> str:
    """The page's filter for the issues of an edit."""
    return short("; ".join(edits), MOST_NAME)


def pattern_key(found: Cause | Pattern) -> str:
    """The page's filter for a pattern."""
    return short(deed(found.what, found.label), MOST_NAME)


def card(issue: Issue) -> dict[str, Any]:
    """An issue as the gallery shows it."""
    return {
        "digest": issue.digest,
        "method": short(issue.method, MOST_NAME),
        "relation": short(issue.relation, MOST_NAME),
        "reason": short(suspected(issue.verdict), MOST_REASON),
        "grade": issue.grade,
        "state": None if issue.state is None else STATE_WORDS[issue.state],
        "suspicions": [_suspicion(each) for each in issue.suspicions[:MOST_SUSPICIONS]],
        "wrong_anyway": issue.verdict.wrong_anyway,
        "cause": _cause(issue.cause),
        "violated": [name for name in _names(issue.verdict.violated) if name != issue.relation],
        "categories": _names(issue.verdict.categories),
        "tags": _tags(issue),
        "scene": short(issue.source.scene, MOST_NAME),
        "things": [[short(label, MOST_NAME), number] for label, number in list(issue.things.items())[:MOST_LABELS]],
        "question": None if _ask_differently(issue) else _question(issue.source),
        "probes": _probes(issue, issue.source.scene, _ask_differently(issue)),
        "marks": [_mark(mark) for mark in issue.marks.values()],
        "replay": issue.replay,
        "shrunk": None if issue.shrunk is None else _shrunk(issue.shrunk, issue.source.scene, _ask_differently(issue)),
        "explained": None if issue.explained is None else _explained(issue.explained),
    }


def _suspicion(suspicion: Suspicion) -> dict[str, Any]:
    """The outcome of a suspicion; a question that all its answers share stands above them."""
    proof = suspicion.proof[:MOST_PROOF]
    questions = {answer.question for answer in proof}
    return {
        "words": short(f"{suspicion.words[:1].upper()}{suspicion.words[1:]}", MOST_REASON),
        "state": STATE_WORDS[suspicion.state],
        "why": short(suspicion.why, MOST_REASON),
        "question": short(proof[0].question, MOST_REASON) if len(questions) == 1 else None,
        "proof": [_proof(answer, own_question=len(questions) > 1) for answer in proof],
    }


def _proof(answer: ProofAnswer, *, own_question: bool) -> dict[str, Any]:
    part = short(answer.part, MOST_NAME)
    return {
        "part": part,
        "said": short(answer.said, MOST_NAME),
        "question": short(answer.question, MOST_REASON) if own_question else None,
        "image": answer.address,
        "alt": f"{part[:1].upper()}{part[1:]}, as it was asked about",
        "missing": None if answer.address else "No picture is kept of this image.",
        # What was said word for word, where that is more than what it means.
        "answers": [short(text, MOST_NAME) for text in answer.answers[:MOST_OTHERS] if text.strip() != answer.said],
        "times": len(answer.answers),
        "witness": answer.witness,
    }


def _mark(mark: Mark) -> list[str]:
    """Who said what about an issue: whether it is right, and more."""
    more = [mark.error, f"because of the {mark.false_alarm}" if mark.false_alarm else ""]
    more.append(f"should have said \u201c{mark.caption}\u201d" if mark.caption else "")
    return [short(mark.reviewer, MOST_NAME), mark.verdict, short("; ".join(filter(None, more)), MOST_REASON)]


def _ask_differently(issue: Issue) -> bool:
    return len({probe.question for probe in issue.probes}) > 1


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
        "probes": _probes(shrunk, source_scene, own_question),
    }


def _explained(explained: IssueExplanation) -> dict[str, Any]:
    words = short(explained.words, MOST_REASON)
    return {"words": words, "image": explained.address, "alt": f"Heat map over the image: {words}"}


def _probes(issue: Issue | ShrunkIssue, source_scene: str, own_question: bool) -> list[dict[str, Any]]:
    count = len(issue.probes)
    differing = _differing(issue)
    # Among several follow-ups, those that differ are marked; where all do, or only one is there, nothing needs it.
    marked = 0 < len(differing) < count - 1
    return [
        _probe(issue, source_scene, place, own_question, (place in differing) if marked and place else None)
        for place in range(count)
    ]


def _differing(issue: Issue | ShrunkIssue) -> set[int]:
    """The follow-ups that the verdict is about; where it names the first one only, all with another answer."""
    places = range(1, len(issue.probes))
    in_conflict = {place for conflict in told_conflicts(issue.verdict) for place in conflict.probes}
    if in_conflict:
        return in_conflict.intersection(places)
    source, proving = issue.probes[0], {item.probe for item in issue.verdict.evidence}
    return {
        place
        for place in places
        if place in proving
        or (issue.probes[place].question == source.question and issue.probes[place].answer != source.answer)
    }


def _probe(
    issue: Issue | ShrunkIssue, source_scene: str, position: int, own_question: bool, differs: bool | None
) -> dict[str, Any]:
    probe = issue.probes[position]
    evidence = issue.evidence(position)
    title = probe_name(position, len(issue.probes)).capitalize()
    edits = [short(edit, MOST_REASON) for edit in probe.edits_in_words]
    brief = [short(edit, MOST_REASON) for edit in probe.edits_in_brief]
    scene = short(probe.scene, MOST_NAME)
    others = [answer for attempt, answer in probe.answers.items() if attempt != probe.shown]
    shown = None if probe.answer is None else answer_text(probe.answer)
    differing = [text for text in dict.fromkeys(map(answer_text, others)) if text != shown]
    return {
        "title": title,
        "image": probe.address,
        "size": list(probe.size) if probe.outlines else None,
        "outlines": [[each.x, each.y, each.width, each.height, each.does] for each in probe.outlines],
        "alt": f"{title}, scene {scene}" + (f": {'; '.join(brief or edits)}" if edits else ""),
        "missing": None if probe.address else _missing(probe),
        "edits": brief or edits,
        "exactly": edits if brief and brief != edits else [],
        "scene": scene if probe.scene != source_scene else None,
        "question": _question(probe) if own_question else None,
        "answer": _answer(probe.answer, evidence, _counterpart(issue, position), issue.threshold),
        "crossed": _crossed(issue, position, issue.threshold),
        "evidence": _chips(probe.answer, evidence),
        "absent": _names(_absent(issue.verdict, position)),
        "differs": differs,
        "attempt": probe.shown if others else None,
        "others": [short(text, MOST_ANSWER // 4) for text in differing[:MOST_OTHERS]],
        "other_count": len(others),
    }


def _absent(verdict: Verdict, position: int) -> list[str]:
    """The classes that the answer to a probe should name and does not."""
    found = dict.fromkeys(
        conflict.label
        for conflict in told_conflicts(verdict)
        if (conflict.what in ("lost", "missing") and conflict.probes[-1] == position)
        or (conflict.what == "gained" and position == 0)
    )
    return list(found)[:MOST_ABSENT]


def _counterpart(issue: Issue | ShrunkIssue, position: int) -> str | None:
    """The answer that one is compared with, where both are quoted as a whole."""
    if position:
        return None if issue.probes[0].answer is None else issue.probes[0].answer.text
    against = next((item.probe for item in issue.verdict.evidence if 0 < item.probe < len(issue.probes)), None)
    answer = None if against is None else issue.probes[against].answer
    return None if answer is None else answer.text


def _missing(probe: ShownProbe) -> str:
    if probe.image_problem:
        return short(f"The picture could not be made: {probe.image_problem}", MOST_REASON)
    return "No picture is kept of this probe."


def _question(probe: ShownProbe) -> str | None:
    return None if probe.question is None else short(probe.question, MOST_REASON)


def _answer(
    answer: Answer | None, evidence: Sequence[Evidence], counterpart: str | None, threshold: float | None
) -> dict[str, Any] | None:
    if answer is None:
        return None
    if answer.labels is not None:
        return _label_answer(answer, {item.text for item in evidence}, threshold)
    text = answer.text or ""
    spans = [span for item in evidence if (span := _span(item, text))]
    if counterpart is not None and any(_is_whole(span, text) for span in spans):
        # Two sentences are quoted as evidence; what makes them differ is a word or two.
        spans = differing_spans(text, counterpart)
    parts = marked_texts(text, spans, MOST_ANSWER)
    return {
        "parts": [[part.text, part.marked] for part in parts],
        "length": len(text) if len(text) > MOST_ANSWER else None,
    }


def _label_answer(answer: Answer, proving: set[str], threshold: float | None) -> dict[str, Any]:
    """The labels by falling score; `below` are those that do not reach the threshold, so that they are not named."""
    labels = answer.labels or {}
    ranked = sorted(labels.items(), key=lambda item: (item[0] not in proving, -item[1], item[0]))
    chosen = sorted(ranked[:MOST_LABELS], key=lambda item: (-item[1], item[0]))
    named = [item for item in chosen if not _is_below(item[1], threshold)]
    below = [item for item in chosen if _is_below(item[1], threshold)]
    return {
        "labels": [[short(label, MOST_NAME), _score(score), label in proving] for label, score in named],
        "below": [[short(label, MOST_NAME), _score(score)] for label, score in below],
        "more": max(0, len(labels) - MOST_LABELS),
    }


def _is_below(score: float, threshold: float | None) -> bool:
    return threshold is not None and score < threshold


def _score(score: float) -> str:
    return f"{score:.2f}" if math.isfinite(score) else str(score)


def _crossed(issue: Issue | ShrunkIssue, position: int, threshold: float | None) -> list[list[str]]:
    """The labels that the source or a follow-up alone names: name, both scores, and the change if both are known."""
    source, answer = issue.probes[0].answer, issue.probes[position].answer
    if not position or threshold is None or source is None or answer is None:
        return []
    before, after = source.labels or {}, answer.labels or {}
    found = []
    for label in sorted({*before, *after}):
        one, other = before.get(label, 0.0), after.get(label, 0.0)
        if _is_below(one, threshold) != _is_below(other, threshold):
            # Of a label that an answer leaves out, nobody knows the score.
            scores = [_score(given[label]) if label in given else "not given" for given in (before, after)]
            both = label in before and label in after
            change = f"{other - one:+.2f}".replace("-", "\N{MINUS SIGN}") if both else ""
            found.append((abs(other - one), [short(label, MOST_NAME), *scores, change]))
    found.sort(key=lambda each: (-each[0], each[1]))
    return [line for _, line in found[:MOST_ABSENT]]


def _chips(answer: Answer | None, evidence: Sequence[Evidence]) -> list[str]:
    """Evidence that is not marked in the answer itself."""
    text, labels = ("", {}) if answer is None else (answer.text or "", answer.labels or {})
    loose = dict.fromkeys(item.text for item in evidence if item.text not in labels and not _span(item, text))
    return _names(loose)[:MOST_EVIDENCE]


def _span(evidence: Evidence, text: str) -> tuple[int, int] | None:
    """Where in the text the evidence is, if it is anywhere."""
    start, end = evidence.start, evidence.end
    return (start, end) if start is not None and end is not None and 0 <= start < end <= len(text) else None


def _is_whole(span: tuple[int, int], text: str) -> bool:
    """Whether nearly all of a text of several words is marked."""
    return len(text.split()) > FEWEST_WORDS and span[1] - span[0] > 0.8 * len(text)


def searched(issue: Issue, values: Sequence[Sequence[str]]) -> str:
    """The searchable text, in lower case; `values` are those of the facets."""
    pieces = [issue.digest, issue.source.scene, issue.verdict.reason, *issue.verdict.violated]
    pieces += [each.words for each in issue.suspicions]
    pieces += [value for facet, some in zip(FACETS, values, strict=True) if facet != "cause" for value in some]
    for probe in issue.probes:
        answers = [answer_text(answer)[:MOST_SEARCHED] for answer in probe.answers.values()]
        pieces += [probe.question or "", *probe.edits_in_words, *answers]
    text = "\n".join(dict.fromkeys(piece[:MOST_SEARCHED] for piece in pieces if piece))
    return unicodedata.normalize("NFC", visible(text)).lower()


def _tags(issue: Issue) -> list[list[str]]:
    return [[short(name, MOST_NAME), short(value, MOST_NAME)] for name, value in issue.tags.items()]


def _names(names: Any) -> list[str]:
    return [short(name, MOST_NAME) for name in names]
