"""Everything that a report shows of an issue, gathered from the store a batch at a time."""

from __future__ import annotations

import dataclasses
import itertools
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anamorph import catalog
from anamorph.config.readers import DEFAULT_READERS
from anamorph.engine.causes import claimed_classes
from anamorph.model import Answer, Evidence, Grade, Outcome, SuspicionState, Verdict, probe_name
from anamorph.report.cause_words import Cause, causes_of, ensure_causes, read_causes
from anamorph.report.explanations import IssueExplanation
from anamorph.report.outlines import MOST_OUTLINES, ImageChanges, ShownOutline, image_changes
from anamorph.report.reviews import marks_of_run
from anamorph.report.suspicions import (
    STATE_WORDS,
    Suspicion,
    TakesPictures,
    open_picture,
    read_suspicions,
    told_conflicts,
    why_of,
)
from anamorph.report.wording import answer_text
from anamorph.statistics.blame import grade_rank
from anamorph.store.answers import answers_of
from anamorph.store.causes import ranked_issues
from anamorph.store.explanations import explanations_of
from anamorph.store.images import ImageFolder
from anamorph.store.marks import Mark, answers_digest
from anamorph.store.probes import ProbeRow, probe_rows
from anamorph.store.proofs import ranked_leads
from anamorph.store.run import RunStore
from anamorph.store.scene_labels import LabelsOfScene, SceneLabels
from anamorph.store.shrinks import ShrunkCase, shrinks_of
from anamorph.store.verdicts import StoredCase, find_cases, judged_cases, verdict_of

if TYPE_CHECKING:
    from PIL.Image import Image

BATCH = 50
SHORT_DIGEST = 12
# Among how many of the surest causes the clearest are looked for.
_MOST_CANDIDATES = 60
# An object that covers this share of a picture is seen at once.
_LARGE = 0.02


@dataclass(frozen=True, slots=True)
class ShownProbe:
    """A probe of an issue: its picture, and every answer by attempt.

    `address` is the picture's within the report, `shown` the attempt that the verdict's evidence is about.
    """

    digest: str
    scene: str
    edits: tuple[Mapping[str, Any], ...]
    edits_in_words: tuple[str, ...]
    question: str | None
    address: str | None
    image_problem: str | None
    answers: Mapping[int, Answer]
    shown: int | None
    file: Path | None = None
    # What was done to the picture in a few words, and where.
    edits_in_brief: tuple[str, ...] = ()
    outlines: tuple[ShownOutline, ...] = ()
    size: tuple[int, int] = (0, 0)

    @property
    def answer(self) -> Answer | None:
        return None if self.shown is None else self.answers[self.shown]

    @property
    def image(self) -> Image | None:
        """The picture that the system saw, opened by Pillow; None if the run does not have it."""
        return None if self.file is None else open_picture(self.file)


@dataclass(frozen=True, slots=True)
class ShrunkIssue:
    """The smallest edit of an issue that still breaks its relation, as `anamorph case shrink` found it."""

    claim: Mapping[str, Any]
    verdict: Verdict
    probes: tuple[ShownProbe, ...]
    finished: bool
    threshold: float | None = None

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """The words that prove the verdict in the answer to one probe."""
        return tuple(item for item in self.verdict.evidence if item.probe == position)


@dataclass(frozen=True, slots=True)
class Issue:
    """A violated case, or a lead, with all that belongs to it; `things` counts the objects of its scene by label.

    `causes` are the answers that are to blame, the surest first; a lead has none. `suspicions` are what its answers
    raised, what became of that, and the closed answers that settled it, the weightiest first.
    `shrunk` is set if the case was shrunk and something smaller is also violated. `explained` is set if it
    was explained which part of an image carries the wrong word.
    """

    digest: str
    method: str
    relation: str
    claim: Mapping[str, Any]
    verdict: Verdict
    tags: Mapping[str, str]
    things: Mapping[str, int]
    probes: tuple[ShownProbe, ...]
    replay: str
    causes: tuple[Cause, ...] = ()
    shrunk: ShrunkIssue | None = None
    explained: IssueExplanation | None = None
    # What people said about it, by reviewer.
    marks: Mapping[str, Mark] = field(default_factory=dict)
    suspicions: tuple[Suspicion, ...] = ()
    # The score from which a label counts as named; None if the run's reader has no such limit.
    threshold: float | None = None

    def __str__(self) -> str:
        """The error, and the answers that show it, in a few lines."""
        lines = [f"{self.method}, {self.relation}, {self.digest[:12]}: {self.verdict.reason}"]
        for number, probe in enumerate(self.probes):
            name = probe_name(number, len(self.probes))
            edits = f" [{', '.join(probe.edits_in_words)}]" if probe.edits_in_words else ""
            question = f" {probe.question}" if probe.question else ""
            lines.append(
                f"  {name}{edits}:{question} {'(no answer)' if probe.answer is None else answer_text(probe.answer)}"
            )
        return "\n".join(lines)

    @property
    def grade(self) -> Grade | None:
        """How sure it is that something is wrong; None if the relation judges as published."""
        return self.verdict.grade

    @property
    def state(self) -> SuspicionState | None:
        """The outcome of proving: proved, or a lead; None if it raised no suspicion, as when judged as published."""
        return self.verdict.state

    @property
    def why(self) -> str:
        """Why it is proved, or why it is not counted; empty if it raised no suspicion."""
        return why_of(self.verdict)

    @property
    def certainty(self) -> str:
        """Its grade and its state in words: "omission, proved"; empty if it has neither."""
        state = None if self.state is None else STATE_WORDS[self.state]
        return ", ".join(word for word in (self.grade, state) if word)

    @property
    def cause(self) -> Cause | None:
        """The cause that it is counted under."""
        return self.causes[0] if self.causes else None

    @property
    def reason(self) -> str:
        """Why the answers cannot all be right."""
        return self.verdict.reason

    @property
    def source(self) -> ShownProbe:
        return self.probes[0]

    @property
    def follow_ups(self) -> tuple[ShownProbe, ...]:
        return self.probes[1:]

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """The words that prove the verdict in the answer to one probe."""
        return tuple(item for item in self.verdict.evidence if item.probe == position)


def replay_command(run: Path, digest: str) -> str:
    """The command that goes through one case again, quoted for a shell."""
    path = str(run)
    return f"anamorph case replay {shlex.quote(f'./{path}' if path.startswith('-') else path)} {digest[:SHORT_DIGEST]}"


def read_issues(store: RunStore, images: TakesPictures | None, repeats: int) -> Iterator[Issue]:
    """Every issue of a run by its cause, the surest cause first, and its clearest example before its others; with a
    report's `images`, pictures are copied on the way.
    """
    ensure_causes(store)
    yield from _read(store, ranked_issues(store), images, repeats)


def read_leads(store: RunStore, images: TakesPictures | None, repeats: int) -> Iterator[Issue]:
    """Every lead of a run: those about whether something is there before those about how many."""
    yield from _read(store, ranked_leads(store), images, repeats)


def read_examples(store: RunStore, repeats: int, most: int) -> Iterator[Issue]:
    """The clearest examples of different causes, the surest cause first; no issue twice."""
    distinct = dict.fromkeys(cause.example for cause in itertools.islice(read_causes(store), 20 * most))
    yield from _read(store, _cases_of(store, list(itertools.islice(distinct, most))), None, repeats)


def read_clearest(store: RunStore, images: TakesPictures | None, repeats: int, most: int) -> list[tuple[Cause, Issue]]:
    """The clearest causes with an example each: sure, few pictures and few words, and no two of a kind in a row."""
    causes: dict[str, Cause] = {}
    for cause in itertools.islice(read_causes(store), _MOST_CANDIDATES):
        causes.setdefault(cause.example, cause)
    found = [(causes[issue.digest], issue) for issue in _read(store, _cases_of(store, list(causes)), None, repeats)]
    found.sort(key=lambda pair: _clarity(*pair))
    picked: list[tuple[Cause, Issue]] = []
    # First of different kinds and scenes, then of different scenes, then whatever there is.
    several: tuple[Callable[[Cause], tuple[object, ...]], ...] = (
        lambda cause: (cause.scene, (cause.label,)),
        lambda cause: (cause.scene,),
        lambda cause: (cause.digest,),
    )
    for keys in several:
        for cause, issue in found:
            taken = {key for other, _ in picked for key in keys(other)}
            if len(picked) < most and not taken.intersection(keys(cause)):
                picked.append((cause, issue))
    picked.sort(key=lambda pair: _clarity(*pair))
    # Only now are their pictures taken.
    cases = _cases_of(store, [issue.digest for _, issue in picked])
    return [(causes[issue.digest], issue) for issue in _read(store, cases, images, repeats)]


def _cases_of(store: RunStore, digests: Sequence[str]) -> Iterator[tuple[StoredCase, Verdict]]:
    for digest in digests:
        case = find_cases(store, digest)[0]
        verdict = verdict_of(store, case.id)
        if verdict is not None:
            yield case, verdict


def _clarity(cause: Cause, issue: Issue) -> tuple[int, ...]:
    """How quickly a person sees what is wrong, the quickest first."""
    told = told_conflicts(issue.verdict)
    shown = [probe.answer for probe in issue.probes]
    words = sum(len((answer.text or "").split()) + 2 * len(answer.labels or ()) for answer in shown if answer)
    sizes = [each.width * each.height for probe in issue.probes for each in probe.outlines]
    unseen = 0 if sizes and max(sizes) > _LARGE else 1
    return (
        grade_rank(cause.grade),
        int(issue.state != "proved"),
        int(any(probe.file is None for probe in issue.probes)),
        int(len(issue.probes) > 3 and not told),
        min(len({conflict.label for conflict in told}), 4),
        min(len(told), 4) + unseen,
        words,
    )


def read_issue(store: RunStore, digest: str, repeats: int, outcome: Outcome = "violated") -> Issue | None:
    """One issue, or one lead, by the digest of its case; None if the run has none, or its outcome is another one."""
    for case in find_cases(store, digest)[:1]:
        verdict = verdict_of(store, case.id)
        if verdict is not None and verdict.outcome == outcome:
            return next(_read(store, iter([(case, verdict)]), None, repeats))
    return None


def label_threshold(store: RunStore) -> float | None:
    """The score from which the run's reader of labels takes one as named; None if it has no such setting."""
    tables = store.fact("config", {}).get("readers", {})
    name = tables.get("labels", DEFAULT_READERS["labels"]) if isinstance(tables, Mapping) else ""
    if name not in catalog.CATALOG["readers"]:
        return None
    fields = {each.name: each.default for each in dataclasses.fields(catalog.find("readers", name))}
    own = tables.get(name, {})
    found = own.get("threshold", fields.get("threshold")) if isinstance(own, Mapping) else None
    return float(found) if isinstance(found, int | float) else None


def _read(
    store: RunStore, found: Iterator[tuple[StoredCase, Verdict]], images: TakesPictures | None, repeats: int
) -> Iterator[Issue]:
    scenes = SceneLabels(store)
    marks = _marks_by_answers(store)
    threshold = label_threshold(store)
    while batch := list(itertools.islice(found, BATCH)):
        ids = list(dict.fromkeys(probe for case, _ in batch for probe in case.probes))
        rows = probe_rows(store, ids)
        answers = answers_of(store, ids)
        causes = causes_of(store, [case.id for case, _ in batch], scenes)
        shrinks = shrinks_of(store, [case.digest for case, _ in batch])
        explained = explanations_of(store, [case.digest for case, _ in batch])
        for case, verdict in batch:
            issue = _issue(
                case, verdict, rows, answers, scenes, images, store.images, store.folder, repeats, causes[case.id]
            )
            suspicions = read_suspicions(store, case.id, verdict, images)
            issue = replace(issue, suspicions=suspicions, threshold=threshold)
            smaller = shrinks.get(case.digest)
            if smaller is not None and smaller.verdict is not None and len(smaller.probes) == len(case.probes):
                scene = scenes.of(rows[case.probes[0]].scene)
                issue = replace(issue, shrunk=_shrunk(smaller, smaller.verdict, issue, scene, images, store.images))
            if case.digest in marks:
                said = marks[case.digest].get(answers_digest([probe.answers for probe in issue.probes]), {})
                issue = replace(issue, marks=said)
            why = explained.get(case.digest)
            if why is not None and why.position < len(case.probes) and why.carrier != "unknown":
                address = images.take(why.picture) if images is not None and why.picture else None
                file = store.images.find(why.picture) if why.picture else None
                issue = replace(issue, explained=IssueExplanation(why, len(case.probes), address, file))
            yield issue


def _marks_by_answers(store: RunStore) -> Mapping[str, Mapping[str, Mapping[str, Mark]]]:
    """Marks on cases of a run: by case, by the digest of the answers that were seen, and by reviewer."""
    found: dict[str, dict[str, dict[str, Mark]]] = {}
    for mark in marks_of_run(store).values():
        found.setdefault(mark.case, {}).setdefault(mark.answers, {})[mark.reviewer] = mark
    return found


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case in brief: how it came out, why, and what the system answered to its probes, source first.

    `outcome` is None for a case that is not judged yet, and an answer is None if it is missing.
    """

    digest: str
    method: str
    relation: str
    outcome: Outcome | None
    reason: str
    violated: tuple[str, ...]
    categories: tuple[str, ...]
    tags: Mapping[str, str]
    scene: str
    questions: tuple[str | None, ...]
    answers: tuple[Answer | None, ...]
    grade: Grade | None = None
    state: SuspicionState | None = None
    why: str = ""
    wrong_anyway: bool | None = None
    cause: Cause | None = None


def read_cases(store: RunStore) -> Iterator[JudgedCase]:
    """Every case of a run in brief, in the order of its plan; of repeated answers, the first."""
    found, scenes = judged_cases(store), SceneLabels(store)
    while batch := list(itertools.islice(found, BATCH)):
        ids = list(dict.fromkeys(probe for case, _ in batch for probe in case.probes))
        rows, answers = probe_rows(store, ids), answers_of(store, ids)
        violated = [case.id for case, verdict in batch if verdict is not None and verdict.outcome == "violated"]
        causes = causes_of(store, violated, scenes) if violated else {}
        for case, verdict in batch:
            yield JudgedCase(
                case.digest,
                case.method,
                case.relation,
                None if verdict is None else verdict.outcome,
                "" if verdict is None else verdict.reason,
                () if verdict is None else tuple(verdict.violated),
                () if verdict is None else tuple(verdict.categories),
                json.loads(case.tags),
                rows[case.probes[0]].scene_name,
                tuple(rows[id].question for id in case.probes),
                tuple(answers[id].get(min(answers[id], default=0)) for id in case.probes),
                None if verdict is None else verdict.grade,
                None if verdict is None else verdict.state,
                "" if verdict is None else why_of(verdict),
                None if verdict is None else verdict.wrong_anyway,
                next(iter(causes.get(case.id, ())), None),
            )


def _issue(
    case: StoredCase,
    verdict: Verdict,
    rows: Mapping[int, ProbeRow],
    answers: Mapping[int, Mapping[int, Answer]],
    scenes: SceneLabels,
    images: TakesPictures | None,
    pictures: ImageFolder,
    run: Path,
    repeats: int,
    causes: tuple[Cause, ...],
) -> Issue:
    probes = []
    inserted = claimed_classes(case.claim)
    changes = [image_changes(json.loads(rows[id].edits), scenes.of(rows[id].scene), inserted) for id in case.probes]
    for position, id in enumerate(case.probes):
        row = rows[id]
        given = {attempt: answer for attempt, answer in sorted(answers[id].items()) if attempt < repeats}
        probes.append(
            ShownProbe(
                row.digest,
                row.scene_name,
                tuple(json.loads(row.edits)),
                changes[position].words,
                row.question,
                images.take(row.file) if images is not None and row.file else None,
                row.problem,
                given,
                _shown_attempt(given, [item for item in verdict.evidence if item.probe == position]),
                pictures.find(row.file) if row.file else None,
                changes[position].brief,
                _outlines(changes, position),
                scenes.of(row.scene).size,
            )
        )
    return Issue(
        case.digest,
        case.method,
        case.relation,
        json.loads(case.claim),
        verdict,
        json.loads(case.tags),
        scenes.of(rows[case.probes[0]].scene).counts,
        tuple(probes),
        replay_command(run, case.digest),
        causes,
    )


def _outlines(changes: Sequence[ImageChanges], position: int) -> tuple[ShownOutline, ...]:
    """The edits of a picture; on the source also those of the follow-ups."""
    own = changes[position]
    if position:
        return own.after
    coming = (each for follow_up in changes[1:] for each in follow_up.before if each not in own.before)
    return tuple(dict.fromkeys((*own.after, *coming)))[:MOST_OUTLINES]


def _shrunk(
    found: ShrunkCase,
    verdict: Verdict,
    issue: Issue,
    scene: LabelsOfScene,
    images: TakesPictures | None,
    pictures: ImageFolder,
) -> ShrunkIssue:
    probes = []
    changes = [image_changes(json.loads(probe.edits), scene, claimed_classes(found.claim)) for probe in found.probes]
    for position, (probe, planned) in enumerate(zip(found.probes, issue.probes, strict=True)):
        given = dict(enumerate(probe.answers))
        probes.append(
            ShownProbe(
                probe.digest,
                planned.scene,
                tuple(json.loads(probe.edits)),
                changes[position].words,
                probe.question,
                images.take(probe.file) if images is not None and probe.file else None,
                None,
                given,
                _shown_attempt(given, [item for item in verdict.evidence if item.probe == position]),
                pictures.find(probe.file) if probe.file else None,
                changes[position].brief,
                _outlines(changes, position),
                scene.size,
            )
        )
    return ShrunkIssue(json.loads(found.claim), verdict, tuple(probes), found.finished, issue.threshold)


def _shown_attempt(given: Mapping[int, Answer], evidence: Sequence[Evidence]) -> int | None:
    """With repeats, the first attempt whose text has the evidence where the verdict says it is."""
    for attempt, answer in given.items():
        if all(_fits(answer, item) for item in evidence):
            return attempt
    return next(iter(given), None)


def _fits(answer: Answer, evidence: Evidence) -> bool:
    if answer.text is None or evidence.start is None or evidence.end is None:
        return True
    return answer.text[evidence.start : evidence.end] == evidence.text
