"""The issues of runs as a session: what the page shows of each, and the marks that a reviewer makes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal, cast

from anamorph.engine.run import config_of
from anamorph.errors import BadPicture, BadRecord, RunError
from anamorph.model import decode
from anamorph.report.cause_words import UNGRADED
from anamorph.report.gallery import MOST_NAME, MOST_PROOF, MOST_REASON, MOST_SUSPICIONS, card
from anamorph.report.issues import Issue, ShownProbe, read_issue, read_issues, read_leads
from anamorph.report.suspicions import STATE_WORDS, Suspicion
from anamorph.report.wording import short
from anamorph.store.json_lines import check_writable
from anamorph.store.marks import (
    ERROR_KINDS,
    FALSE_ALARMS,
    MARK_VERDICTS,
    Mark,
    Undo,
    answers_digest,
    append_mark,
    check_reviewer,
    new_id,
    now_text,
    read_marks,
)
from anamorph.store.own_files import refuse_link
from anamorph.store.proofs import scene_row
from anamorph.store.run import RunStore
from anamorph.store.scene_labels import SceneLabels
from anamorph.studies.review.outlines import Difference, planned_difference, seen_difference
from anamorph.studies.review.sampling import Stratified, stratified_sample

# A source and eight follow-ups.
LETTERS = "abcdefghi"
_MOST_PIXELS = 40_000_000
_DETAILS: Mapping[str, tuple[str, ...]] = {"right": ("error", "wrong_answer"), "wrong": ("false_alarm",)}
# Not a field: what is said of one issue is said of all of its cause.
SAME_CAUSE = "same_cause"
_FIELDS = ("verdict", "error", "wrong_answer", "false_alarm", "caption")

ERROR_WORDS: Mapping[str, str] = {
    "misclassification": "takes it for something else",
    "omission": "leaves it out",
    "miscount": "wrong number",
    "invention": "names what is not there",
    "attribute": "wrong color, size or material",
    "action": "wrong action or place",
    "answer": "wrong answer",
    "other": "something else",
}
FALSE_ALARM_WORDS: Mapping[str, str] = {
    "edit": "the edit: the picture shows something else than planned",
    "reader": "the reader: the answer was misread",
    "annotation": "the annotation: the label is wrong or missing",
    "omission": "a legitimate omission: it need not be mentioned",
}


@dataclass(frozen=True, slots=True)
class ReviewChoice:
    """Which issues are reviewed, and how they are shown."""

    sample: int | None = None
    seed: int = 0
    blind: bool = False
    only_unmarked: bool = False
    methods: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    # Leads instead of issues.
    leads: bool = False

    @property
    def outcome(self) -> Literal["violated", "lead"]:
        return "lead" if self.leads else "violated"

    def takes(self, item: ReviewItem) -> bool:
        wanted = ((self.methods, item.method), (self.relations, item.relation), (self.grades, item.grade or UNGRADED))
        return all(not names or name in names for names, name in wanted)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """An issue in brief; `run` is the place of its run, `cause` the digest of what it is counted under."""

    run: int
    case: str
    answers: str
    method: str
    relation: str
    grade: str
    cause: str
    probes: int

    @property
    def key(self) -> tuple[str, str]:
        return self.case, self.answers

    @property
    def stratified(self) -> Stratified:
        return Stratified(f"{self.case} {self.answers}", (self.method, self.relation, self.grade), self.cause)


@dataclass(slots=True)
class ReviewSession:
    """Issues of one or more runs that one reviewer marks; marks of others are not looked at."""

    file: Path
    reviewer: str
    choice: ReviewChoice
    stores: list[RunStore]
    repeats: list[int]
    items: list[ReviewItem]
    # The marks of this reviewer that were not taken back, of each issue the earliest first.
    marks: dict[tuple[str, str], list[Mark]] = field(default_factory=lambda: defaultdict(list))
    templates: tuple[str, str] = ("anamorph.studies.review", "templates")
    template: str = "issue.html"

    @property
    def noun(self) -> tuple[str, str]:
        return ("lead", "leads") if self.choice.leads else ("issue", "issues")

    @property
    def title(self) -> str:
        return f"Review of {'leads of ' if self.choice.leads else ''}{self.stores[0].folder.name}" + (
            f" and {len(self.stores) - 1} more" * (len(self.stores) > 1)
        )

    def __len__(self) -> int:
        return len(self.items)

    def close(self) -> None:
        for store in self.stores:
            store.close()

    def mark(self, position: int) -> Mark | None:
        stack = self.marks.get(self.items[position].key)
        return stack[-1] if stack else None

    def is_done(self, position: int) -> bool:
        return self.mark(position) is not None

    def facets(self, position: int) -> Mapping[str, str]:
        item, mark = self.items[position], self.mark(position)
        own = {"mark": "not marked" if mark is None else mark.verdict}
        if self.choice.blind:
            return own
        return {"method": item.method, "relation": item.relation, "grade": item.grade or UNGRADED, **own}

    def fields(self, position: int) -> Mapping[str, str]:
        mark = self.mark(position)
        if mark is None:
            return {}
        wrong = "" if mark.wrong_answer is None else str(mark.wrong_answer)
        fields = {name: str(getattr(mark, name) or "") for name in _FIELDS}
        return {**fields, "wrong_answer": wrong, "error": ",".join(mark.errors)}

    def answer(self, position: int, changes: Mapping[str, str]) -> None:
        if SAME_CAUSE in changes:
            self._settle_cause(position)
            return
        item = self.items[position]
        unknown = [name for name in changes if name not in _FIELDS]
        if unknown:
            raise BadRecord(unknown[0][:40], f"unknown field. Known: {', '.join(_FIELDS)}.")
        fields = {**dict.fromkeys(_FIELDS, ""), **self.fields(position), **changes}
        if not fields["verdict"]:
            raise BadRecord("verdict", "say first whether the report is right, a false alarm, or unsure")
        # Another verdict makes other questions of the details.
        if "verdict" in changes:
            fitting = _DETAILS.get(fields["verdict"], ())
            others = {name for names in _DETAILS.values() for name in names if name not in fitting}
            fields |= dict.fromkeys(others - set(changes), "")
        place = fields.pop("wrong_answer")
        if place and not (place.isdecimal() and len(place) < 4 and int(place) < item.probes):
            raise BadRecord("wrong_answer", f"expected the place of an answer from 0 to {item.probes - 1}")
        last = self._last()
        error, *also = fields.pop("error").split(",")
        said = {**fields, "error": error, "also": also}
        line = {
            **{name: value for name, value in said.items() if value},
            **({"wrong_answer": int(place)} if place else {}),
            **{name: getattr(item, name) for name in ("case", "answers", "method", "relation", "grade", "cause")},
            "id": new_id(),
            "reviewer": self.reviewer,
            "at": now_text("" if last is None else last.at),
        }
        mark = decode(Mark, cast(Any, line))
        append_mark(self.file, mark)
        self.marks[item.key].append(mark)

    def same_cause(self, position: int) -> list[int]:
        """Other issues of the same cause that this reviewer has not marked."""
        cause = self.items[position].cause
        places = range(len(self.items)) if cause else ()
        return [each for each in places if each != position and self.items[each].cause == cause and not self.mark(each)]

    def _settle_cause(self, position: int) -> None:
        """Mark the other issues of a cause as this one is marked; which answer is wrong differs, and is left open."""
        said = self.fields(position)
        if not said:
            raise BadRecord(SAME_CAUSE, "mark this one first")
        for place in self.same_cause(position):
            kept = {name: said[name] for name in ("verdict", "error", "false_alarm") if said[name]}
            self.answer(place, kept)

    def undo(self) -> int | None:
        last = self._last()
        if last is None:
            return None
        append_mark(self.file, Undo(new_id(), last.id, self.reviewer, now_text(last.at)))
        self.marks[last.case, last.answers].pop()
        return next(place for place, item in enumerate(self.items) if item.key == (last.case, last.answers))

    def _last(self) -> Mark | None:
        """The latest mark of an issue of this session."""
        tops = [mark for place in range(len(self.items)) if (mark := self.mark(place)) is not None]
        return max(tops, key=lambda mark: (mark.time, mark.id), default=None)

    def picture(self, name: str) -> Path | None:
        return next((path for store in self.stores if (path := store.images.find(name)) is not None), None)

    def item(self, position: int) -> Mapping[str, Any]:
        with self.stores[self.items[position].run].reading():
            return {**self._shown(self.items[position]), "same_cause": len(self.same_cause(position))}

    def _shown(self, item: ReviewItem) -> Mapping[str, Any]:
        store = self.stores[item.run]
        issue = read_issue(store, item.case, self.repeats[item.run], self.choice.outcome)
        if issue is None or _answers_of(issue) != item.answers:
            raise RunError(f"{store.folder}: the run has changed since the session began. Start the command again.")
        shown = card(issue)
        differences = [Difference(), *(_difference(store, issue, probe) for probe in issue.follow_ups)]
        probes = []
        for place, (probe, drawn) in enumerate(zip(issue.probes, shown["probes"], strict=True)):
            size = _size(probe)
            probes.append(
                {
                    **drawn,
                    "letter": LETTERS[place : place + 1],
                    "picture": None if size is None else cast(Path, probe.file).name,
                    "missing": None if size else drawn["missing"] or "No picture is kept of this probe.",
                    "size": size,
                    "outlines": differences[place].follow_up,
                    "note": differences[place].note,
                    "outlined": ", ".join(dict.fromkeys(outline.what for outline in differences[place].follow_up)),
                }
            )
        return {
            **shown,
            "probes": [_blind(probe) for probe in probes] if self.choice.blind else probes,
            # The outlines in the source depend on the follow-up beside it.
            "of_source": [(place, each.source) for place, each in enumerate(differences) if each.source],
            "proofs": [] if self.choice.blind else [_proof(each) for each in issue.suspicions[:MOST_SUSPICIONS]],
            "noun": self.noun[0],
            "blind": self.choice.blind,
            "first": _first_shown(issue, blind=self.choice.blind),
            "errors": [(name, ERROR_WORDS[name]) for name in ERROR_KINDS],
            "false_alarms": [(name, FALSE_ALARM_WORDS[name]) for name in FALSE_ALARMS],
            "verdicts": MARK_VERDICTS,
        }


def _proof(suspicion: Suspicion) -> Mapping[str, Any]:
    """The outcome of a suspicion, with the pictures and the answers that settled it."""
    lines = [
        {
            "part": short(line.part, MOST_NAME),
            "said": short(line.said, MOST_NAME),
            "question": short(line.question, MOST_REASON),
            "picture": line.file.name if line.file is not None and line.file.is_file() else None,
            "times": len(line.answers),
        }
        for line in suspicion.proof[:MOST_PROOF]
    ]
    state = STATE_WORDS[suspicion.state]
    return {"words": suspicion.words, "state": state, "why": short(suspicion.why, MOST_REASON), "lines": lines}


def _blind(probe: Mapping[str, Any]) -> dict[str, Any]:
    """A probe without what the verdict says of it, and without what was done."""
    answer = probe["answer"]
    if answer is not None:
        for kind in ("parts", "labels"):
            if kind in answer:
                answer = {**answer, kind: [[*part[:-1], False] for part in answer[kind]]}
    return {**probe, "answer": answer, "evidence": [], "edits": [], "alt": probe["title"], "outlined": ""}


def _first_shown(issue: Issue, *, blind: bool) -> int:
    """The follow-up to show first: one that the evidence is about or that is to blame, or else has another answer."""
    follow_ups = range(1, len(issue.probes))
    differing = [place for place in follow_ups if issue.probes[place].answers != issue.source.answers]
    if blind:
        return next(iter(differing), 1)
    proving = [each.probe for each in issue.verdict.evidence if each.probe in follow_ups]
    blamed = [place for place in follow_ups if issue.cause and issue.probes[place].digest == issue.cause.blamed]
    return next(iter((*proving, *blamed, *differing)), 1)


def _size(probe: ShownProbe) -> tuple[int, int] | None:
    """The width and height of a picture; None if it cannot be shown."""
    from PIL import Image

    if probe.file is None or not probe.file.is_file():
        return None
    try:
        with Image.open(probe.file, formats=("JPEG", "PNG")) as opened:
            return opened.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _difference(store: RunStore, issue: Issue, follow_up: ShownProbe) -> Difference:
    source = issue.source
    if source.file is None or follow_up.file is None:
        return Difference()
    if source.file == follow_up.file:
        return Difference(note="It is the same picture.")
    sizes = _size(source), _size(follow_up)
    if None in sizes:
        return Difference()
    if source.scene == follow_up.scene and sizes[0] == sizes[1]:
        row = scene_row(store, source.scene)
        things = {} if row is None else SceneLabels(store).of(row).things
        planned = planned_difference(source.edits, follow_up.edits, things)
        if planned is not None:
            return planned
    if any(size is not None and size[0] * size[1] > _MOST_PIXELS for size in sizes):
        return Difference(note="The pictures are too large to compare.")
    try:
        return seen_difference(store.images.pixels(source.file.name), store.images.pixels(follow_up.file.name))
    except BadPicture:
        return Difference()


def _answers_of(issue: Issue) -> str:
    return answers_digest([probe.answers for probe in issue.probes])


# --- opening --------------------------------------------------------------------------------------------------------


def open_review(
    runs: Sequence[Path], file: Path, reviewer: str, choice: ReviewChoice, report: Callable[[str], None]
) -> ReviewSession:
    """Open runs, which are only read, and find the issues that are to be reviewed.

    The sample is drawn before marked issues are left out, so that a session that is continued has the same sample.
    """
    check_reviewer(reviewer)
    refuse_link(file)
    stores: list[RunStore] = []
    session = ReviewSession(file, reviewer, choice, stores, [], [])
    try:
        for run in runs:
            stores.append(RunStore.open(run, read_only=True))
            with stores[-1].reading():
                session.repeats.append(config_of(stores[-1], reading=True).settings.ask.repeats)
        check_writable(file)  # makes the file, so that it comes after all that may be wrong with the runs
        lines = read_marks(file, report)
        found: dict[tuple[str, str], ReviewItem] = {}
        for place, store in enumerate(stores):
            with store.reading():
                read = read_leads if choice.leads else read_issues
                for issue in read(store, None, session.repeats[place]):
                    cause, grade = issue.cause.digest if issue.cause else "", issue.grade or ""
                    about = (issue.digest, _answers_of(issue), issue.method, issue.relation, grade, cause)
                    item = ReviewItem(place, *about, len(issue.probes))
                    if choice.takes(item):
                        found.setdefault(item.key, item)
    except BaseException:
        session.close()
        raise
    items = list(found.values())
    if choice.sample is not None:
        items = [
            items[place] for place in stratified_sample([each.stratified for each in items], choice.sample, choice.seed)
        ]
    elif choice.blind:
        items.sort(key=lambda item: item.key)
        Random(f"{choice.seed}:blind").shuffle(items)
    undone = {(line.undoes, line.reviewer) for line in lines if isinstance(line, Undo)}
    own = [line for line in lines if isinstance(line, Mark) and line.reviewer == reviewer]
    for mark in sorted(own, key=lambda mark: (mark.time, mark.id)):
        if (mark.id, mark.reviewer) not in undone:
            session.marks[mark.case, mark.answers].append(mark)
    session.items = [item for item in items if not choice.only_unmarked or not session.marks.get(item.key)]
    return session
