"""The run in numbers: one record, read once, that the terminal, the page, the JSON and the JUnit file all show."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from anamorph import __version__, catalog
from anamorph.config import Config, GateSettings
from anamorph.config.resolving import SOMEBODY_ELSES
from anamorph.engine.budget import Spending, read_spending
from anamorph.engine.further import calls_at_most
from anamorph.engine.gate import GateResult, RunOutcomes, counts_for_gate, gate_of_run
from anamorph.engine.judge import JUDGED_AS
from anamorph.engine.prove.evidence import EvidenceKind, evidence_sentence, kept_evidence
from anamorph.engine.prove.stage import proving_calls
from anamorph.engine.stopping import stopped_by
from anamorph.engine.utilisation import Utilisation, read_utilisation
from anamorph.errors import AnamorphError
from anamorph.http.secrets import without_secrets
from anamorph.model import GRADES, Figure, Grade, Method, Table, Tally, encode
from anamorph.model.protocols import MethodOptions, RelationOptions
from anamorph.model.visible import visible
from anamorph.report.baseline.file import ChosenBaseline
from anamorph.report.baseline.matching import AgainstBaseline, BaselineMatch
from anamorph.report.cause_words import Cause, ShownPattern, find_causes, read_causes
from anamorph.report.floor import ErrorFloor, read_floor
from anamorph.report.reviews import ReviewNumbers, count_reviews, marks_of_run, read_reviews
from anamorph.report.wording import ELLIPSIS, in_words
from anamorph.statistics.intervals import Interval, clustered, merged
from anamorph.statistics.rates import Rate, rate_of
from anamorph.store.answers import count_pending, forms_of_answers
from anamorph.store.causes import count_causes
from anamorph.store.discards import discard_reasons, discarded_cases, discarded_images
from anamorph.store.omissions import Omission, omissions
from anamorph.store.orders import find_drawn_cases, has_rounds
from anamorph.store.plans import planned_images
from anamorph.store.proofs import ROUNDS, count_proving
from anamorph.store.run import RunStore
from anamorph.store.verdicts import (
    GradedViolations,
    change_counts,
    count_suspicions,
    flake_counts,
    graded_violations,
    lead_reasons,
    noise_of_relations,
    photos_by_grade,
    photos_of_methods,
    tallies,
    undecided_reasons,
    violated_photos,
)

MOST_REASONS = 20
# A method that makes more kinds of follow-ups has one for each object, and no table of them.
MOST_CHANGES = 30
# Of the causes, the surest and commonest; all of them are in report.json.
MOST_CAUSES = 100

# How far a run has come: its plan is cut off, its cases are not judged, answers are missing, or nothing is missing.
RunState: TypeAlias = Literal["planning", "unjudged", "unanswered", "complete"]

AnswerKind: TypeAlias = Literal["caption", "answer", "labels"]

# A longer one, such as a whole command line, is only shown among the settings.
SHORT_CHOICE = 40


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """How some cases came out; an unjudged case is among the undecided. `interval` is the rate's 95 % interval.

    Of the cases that hold, `vacuous` ones do so vacuously, and `leads` raised a suspicion that was not proved. Where
    some cases were asked for what they may find, `drawn` says how those came out that were drawn evenly, from which the
    rate and its interval are.
    """

    holds: int = 0
    violated: int = 0
    undecided: int = 0
    interval: Interval | None = None
    vacuous: int = 0
    drawn: Rate | None = None
    leads: int = 0

    @property
    def cases(self) -> int:
        return self.holds + self.violated + self.undecided

    @property
    def decided(self) -> int:
        return self.holds + self.violated

    @property
    def violation_rate(self) -> float | None:
        """The violated share of the decided cases; None if nothing was decided."""
        if self.drawn is not None:
            return self.drawn.share
        return self.violated / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class Estimates:
    """The base of rates and intervals: all cases, or the `cases` that were drawn evenly."""

    part: Literal["all", "even"] = "all"
    cases: int = 0

    @property
    def sentence(self) -> str:
        """Which cases rates come from, in words; empty where they come from all."""
        if self.part == "all":
            return ""
        return (
            f"Rates and tables are about {self.cases:,} cases that were drawn evenly at random; further cases were "
            "asked for what they may find, and count as issues only."
        )


@dataclass(frozen=True, slots=True)
class GradeCounts:
    """The violated cases of one grade; `rate` is their share of all decided cases.

    `grade` is None for cases that were judged as published, or before there were grades.
    """

    grade: Grade | None
    violated: int
    rate: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class PhotoCounts:
    """Of the photos with `decided` cases, how many have a violated one, and how many one of each grade."""

    decided: int = 0
    violated: int = 0
    grades: tuple[tuple[Grade | None, int], ...] = ()

    def of(self, grade: Grade | None) -> int:
        """How many photos have a violated case of this grade."""
        return dict(self.grades).get(grade, 0)


@dataclass(frozen=True, slots=True)
class WrongAnyway:
    """Of the `known` violated cases whose source could be held against annotations: how many sources were wrong
    already, as a share of all decided cases.
    """

    cases: int
    known: int
    rate: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Proving:
    """The outcomes of suspicions, the evidence that decided them, and the cost of asking.

    Suspicions are counted by state, and so are cases, by the weightiest of theirs: `lead_cases` have a lead and nothing
    proved; `unfair_cases` and `refuted_cases` hold. `calls` were planned for `questions` closed questions, in `rounds`.
    `lead_reasons` say why leads are not counted. Of `repeated` probes that were answered more than once, `differing`
    got different answers: the system's noise.
    """

    evidence: EvidenceKind = "captions"
    sentence: str = ""
    proved: int = 0
    refuted: int = 0
    unfair: int = 0
    leads: int = 0
    undecided: int = 0
    proved_cases: int = 0
    lead_cases: int = 0
    refuted_cases: int = 0
    unfair_cases: int = 0
    undecided_cases: int = 0
    questions: int = 0
    calls: int = 0
    rounds: int = 0
    lead_reasons: tuple[tuple[str, int], ...] = ()
    repeated: int = 0
    differing: int = 0

    @property
    def suspicions(self) -> int:
        """How many were raised."""
        return self.proved + self.refuted + self.unfair + self.leads + self.undecided

    @property
    def noise(self) -> float | None:
        """The share of repeated questions that got different answers; None if nothing was asked twice."""
        return self.differing / self.repeated if self.repeated else None

    @property
    def found(self) -> str:
        """Cases that count and cases that do not: "12 proved, 31 leads"."""
        return f"{self.proved_cases:,} proved, {counted_noun(self.lead_cases, 'lead')}"

    @property
    def others(self) -> str:
        """The other outcomes, in cases: "14 refuted, 3 unfair edits, 2 undecided"; empty if there are none."""
        parts = [
            f"{self.refuted_cases:,} refuted" if self.refuted_cases else "",
            counted_noun(self.unfair_cases, "unfair edit") if self.unfair_cases else "",
            f"{self.undecided_cases:,} undecided" if self.undecided_cases else "",
        ]
        return ", ".join(filter(None, parts))

    @property
    def asked(self) -> str:
        """The cost of proving: "60 closed questions in 3 rounds (88 calls)"; empty if nothing was asked."""
        if not self.questions:
            return ""
        calls = f" ({counted_noun(self.calls, 'call')})" if self.calls != self.questions else ""
        rounds = f" in {counted_noun(self.rounds, 'round')}" if self.rounds else ""
        return f"{counted_noun(self.questions, 'closed question')}{rounds}{calls}"

    @property
    def noise_sentence(self) -> str:
        """How often the system contradicts itself by chance; empty if nothing was asked more than once."""
        if not self.repeated:
            return ""
        one = self.repeated == 1
        subject = "the one question that was" if one else f"{self.repeated:,} questions that were"
        share = "" if one else f" ({self.noise:.1%})"
        return f"Of {subject} asked more than once, {self.differing:,} got another answer{share}."


def noise_cell(noise: tuple[int, int]) -> str:
    """The share of repeated questions that got another answer: "5.0% of 40"; a dash if none was asked twice."""
    differing, repeated = noise
    return f"{differing / repeated:.1%} of {repeated:,}" if repeated else "-"


def counted_noun(number: int, noun: str) -> str:
    """ "1 lead", "31 leads"."""
    return f"{number:,} {noun if number == 1 else f'{noun}s'}"


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """The cases of one method and relation; `gated` has only the violations that the gate counts."""

    method: str
    relation: str
    counts: OutcomeCounts
    gated: OutcomeCounts
    grades: tuple[GradeCounts, ...]
    # Of the questions that were asked more than once, how many got different answers, and how many there are.
    noise: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class MethodTable:
    """A table of a method's own, or why there is none; `filters` says which issues each of its rows is about, as the
    name of a filter and its value, where that is known.
    """

    method: str
    table: Table | None
    problem: str | None = None
    file: str = ""
    filters: tuple[tuple[str, str] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodFigure:
    """A figure of a method's own, and the name of its files in the report."""

    method: str
    figure: Figure
    file: str


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How often one change, of several that a method makes to each photo, is in conflict with the others."""

    method: str
    words: str
    tested: int
    broken: int

    @property
    def rate(self) -> float:
        return self.broken / self.tested


@dataclass(frozen=True, slots=True)
class MethodStory:
    """A method's work in plain words, and how often each claim that it checked is broken, most often first."""

    method: str
    did: str
    claims: tuple[tuple[str, int], ...]
    counts: OutcomeCounts


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A scene source or a system: its kind, and its settings without secrets."""

    kind: str
    settings: Mapping[str, Any]
    choice: str = ""


@dataclass(frozen=True, slots=True)
class RunNumbers:
    """A run in numbers: its size and the outcomes of its cases, without the single cases."""

    run: str
    folder: str
    state: RunState
    created_at: str | None
    run_version: str
    report_version: str
    system: ShownPart | None
    scenes: ShownPart | None
    segmenter: ShownPart | None
    methods: tuple[ShownPart, ...]
    seed: int
    limit: int | None
    repeats: int
    scene_count: int
    image_count: int
    probe_count: int
    answer_count: int
    lacking_answers: int
    skip_count: int
    failure_count: int
    failed_images: int
    discarded_images: int
    discarded_cases: int
    counts: OutcomeCounts
    gated: OutcomeCounts
    grades: tuple[GradeCounts, ...]
    wrong_anyway: WrongAnyway
    proving: Proving
    cause_count: int
    causes: tuple[Cause, ...]
    patterns: tuple[ShownPattern, ...]
    groups: tuple[RelationCounts, ...]
    tables: tuple[MethodTable, ...]
    drawings: tuple[MethodFigure, ...]
    undecided_reasons: tuple[tuple[str, int], ...]
    discard_reasons: tuple[tuple[str, int], ...]
    left_out: tuple[Omission, ...]
    unjudged: int
    flaky_probes: int
    repeated_probes: int
    spending: Spending
    gate: GateResult
    # The profile that the verdicts were made with, where it is not the run's own.
    judged_as: str | None = None
    # Only violations of these grades count for the gate; of all, where it is empty.
    gate_grades: tuple[Grade, ...] = ()
    baseline: AgainstBaseline | None = None
    estimates: Estimates = Estimates()
    utilisation: Utilisation = Utilisation()
    # The rule that ended asking before everything was asked, such as a time.
    stopped_by: str | None = None
    # The kind of the system's answers; None if there are several kinds, or none.
    answers_with: AnswerKind | None = None
    stories: tuple[MethodStory, ...] = ()
    changes: tuple[ChangeCounts, ...] = ()
    # Reviewers' verdicts; None if there are no marks.
    reviews: ReviewNumbers | None = None
    # How many closed answers must be false; None if the run has none that are linked.
    floor: ErrorFloor | None = None
    photos: PhotoCounts = PhotoCounts()
    # What the plan allowed for: its own calls, and at most so many more to prove what they raise.
    planned_calls: int = 0
    proving_calls_at_most: int = 0

    @property
    def stop_sentence(self) -> str:
        """How the run ended by a rule, in words; empty where none ended it."""
        if self.stopped_by is None:
            return ""
        name, _, rest = self.stopped_by.partition(" ")
        return (
            f"Stopped by --{name} {rest}: complete for its purpose, with {self.answer_count:,} answers of "
            f"{self.answer_count + self.lacking_answers:,}. `anamorph resume` goes on."
        )

    @property
    def new_causes(self) -> tuple[Cause, ...]:
        """The first causes that the baseline does not know; none without a baseline."""
        return tuple(cause for cause in self.causes if cause.standing == "new")


def read_numbers(store: RunStore, config: Config, chosen: ChosenBaseline | None = None) -> RunNumbers:
    """Read and count everything that a summary shows, against a baseline if there is one."""
    several = tallies(store)
    match = None if chosen is None else BaselineMatch(chosen, config.settings.ask.repeats)
    patterns = find_causes(store, match)
    against = None
    if match is not None:
        against = match.result(store, config.settings.seed, [method.kind for method in config.methods])
        several = tallies(store, against_baseline=True)
    repeats = config.settings.ask.repeats
    lacking = count_pending(store, repeats)
    # Once everything was asked, it does not matter what came first.
    drawn = find_drawn_cases(store) if lacking and has_rounds(store) else None
    sample = None if drawn is None else tallies(store, against_baseline=against is not None, drawn=True)
    shown = [each for method in config.methods for each in _summary(several if sample is None else sample, method)]
    shown += [MethodTable(name, None, _not_loaded(config)) for name in config.unknown]
    flaky, repeated = flake_counts(store, repeats) if repeats > 1 else (0, 0)
    cases = store.count("cases")
    discarded = discarded_cases(store)
    spending = read_spending(store, config.settings.ask)
    graded = graded_violations(store, against_baseline=against is not None)
    graded_sample = (
        graded if sample is None else graded_violations(store, against_baseline=against is not None, drawn=True)
    )
    about = _Sample(sample, graded_sample)
    gate_settings = config.settings.gate
    gated = _gated(several, graded, gate_settings, about)
    proving = None if kept_evidence(store) == "captions" else proving_calls(store, config)
    outcomes = RunOutcomes(
        several,
        spending,
        lacking,
        discarded,
        gated.violated if gate_settings.grades or against is not None else None,
        0 if against is None else against.known_cases,
        _failing_causes(match, gate_settings),
        sample,
        None if sample is None else _gated(sample, graded_sample, gate_settings, _Sample(None, ())).violated,
    )
    if sample is not None:
        patterns = [replace(shown, pattern=replace(shown.pattern, interval=None)) for shown in patterns]
    return RunNumbers(
        run=store.folder.resolve().name,
        folder=str(store.folder),
        state=_state(store, lacking),
        created_at=_moment(store.fact("created_at")),
        run_version=str(store.fact("version", "unknown")),
        report_version=__version__,
        system=describe_part("systems", config.plain.get("system")),
        scenes=describe_part("scenes", config.plain.get("scenes")),
        segmenter=describe_part("segmenters", config.plain.get("segmenter")),
        methods=tuple(_method(method) for method in config.methods),
        seed=config.settings.seed,
        limit=config.settings.limit,
        repeats=repeats,
        scene_count=store.count("scenes"),
        image_count=planned_images(store),
        probe_count=store.count("probes", "round = 0"),
        answer_count=store.count("answers"),
        lacking_answers=lacking,
        skip_count=store.count("skips"),
        failure_count=store.count("failures"),
        failed_images=store.count("images", "problem IS NOT NULL AND NOT discarded"),
        discarded_images=discarded_images(store),
        discarded_cases=discarded,
        counts=_counts(several, sample),
        gated=gated,
        grades=_grades(several, graded, about),
        wrong_anyway=_wrong_anyway(several, graded, about),
        proving=_proving(store, config),
        cause_count=count_causes(store),
        causes=tuple(itertools.islice(read_causes(store), MOST_CAUSES)),
        patterns=tuple(patterns),
        groups=_groups(
            several, graded, gate_settings, about, noise_of_relations(store, repeats) if repeats > 1 else {}
        ),
        tables=tuple(each for each in shown if isinstance(each, MethodTable)),
        drawings=tuple(each for each in shown if isinstance(each, MethodFigure)),
        undecided_reasons=tuple(undecided_reasons(store, MOST_REASONS)),
        discard_reasons=tuple(discard_reasons(store, MOST_REASONS)),
        left_out=tuple(omissions(store)),
        unjudged=cases - store.count("verdicts"),
        flaky_probes=flaky,
        repeated_probes=repeated,
        spending=spending,
        gate=gate_of_run(store, config, outcomes),
        judged_as=store.fact(JUDGED_AS),
        gate_grades=gate_settings.grades,
        baseline=against,
        estimates=Estimates() if drawn is None else Estimates("even", drawn),
        utilisation=read_utilisation(store),
        stopped_by=stopped_by(store) if lacking else None,
        reviews=_reviews(store, repeats),
        answers_with=_answers_with(store),
        stories=tuple(_stories(store, several, config, sample)),
        changes=tuple(_changes(store)),
        floor=read_floor(store),
        photos=_photos(store),
        planned_calls=calls_at_most(store, config),
        proving_calls_at_most=0 if proving is None else proving[1],
    )


def _photos(store: RunStore) -> PhotoCounts:
    decided, grades = photos_by_grade(store)
    return PhotoCounts(decided, violated_photos(store), tuple(grades.items()))  # type: ignore[arg-type]


def _proving(store: RunStore, config: Config) -> Proving:
    counts = count_suspicions(store)
    suspicions, cases = counts.suspicions, counts.cases
    questions, calls = count_proving(store, config.settings.ask.repeats)
    differing, repeated = flake_counts(store)
    return Proving(
        evidence=kept_evidence(store),
        sentence=evidence_sentence(store, config),
        proved=suspicions.get("proved", 0),
        refuted=suspicions.get("refuted", 0),
        unfair=suspicions.get("unfair", 0),
        leads=suspicions.get("lead", 0),
        undecided=suspicions.get("undecided", 0) + suspicions.get("open", 0),
        proved_cases=cases.get("proved", 0),
        lead_cases=cases.get("lead", 0),
        refuted_cases=cases.get("refuted", 0),
        unfair_cases=cases.get("unfair", 0),
        undecided_cases=cases.get("undecided", 0) + cases.get("open", 0),
        questions=questions,
        calls=calls,
        rounds=int(store.fact(ROUNDS, 0)),
        lead_reasons=tuple(lead_reasons(store, MOST_REASONS)),
        repeated=repeated,
        differing=differing,
    )


def _answers_with(store: RunStore) -> AnswerKind | None:
    labels, texts, asked, shown = forms_of_answers(store)
    if labels:
        return None if texts else "labels"
    if not texts or (asked and shown):
        return None
    return "answer" if asked else "caption"


def _stories(
    store: RunStore, several: Sequence[Tally], config: Config, sample: Sequence[Tally] | None
) -> Iterator[MethodStory]:
    methods = {method.kind: method for method in config.methods}
    photos = photos_of_methods(store)
    for name in dict.fromkeys(tally.method for tally in several):
        own = [tally for tally in several if tally.method == name]
        broken: Counter[str] = Counter()
        for tally in own:
            broken[_claim(tally.relation)] += tally.violated
        yield MethodStory(
            name,
            _did(methods.get(name), own, f"{photos[name]:,} {'photo' if photos[name] == 1 else 'photos'}"),
            tuple(broken.most_common()),
            _counts(own, None if sample is None else [tally for tally in sample if tally.method == name]),
        )


def _did(method: Method | None, own: Sequence[Tally], photos: str) -> str:
    did = None if method is None else MethodOptions.did.of(method)
    if did is not None:
        try:
            return visible(did(own)).replace("{photos}", photos)
        except Exception:  # noqa: BLE001  a method may come from a user's own file
            pass
    return f"tested {photos}"


def is_closed(relation: str) -> bool:
    """Whether a relation is about closed answers; not one that is not known here."""
    try:
        return RelationOptions.account.of(catalog.find("relations", relation)) is not None
    except AnamorphError:
        return False


def _claim(relation: str) -> str:
    """A relation's claim in words; its name if it has none, or is not known here."""
    try:
        claims = RelationOptions.claims.of(catalog.find("relations", relation))
    except AnamorphError:
        claims = None
    return visible(claims) if isinstance(claims, str) else f"{visible(relation)} holds"


def _reviews(store: RunStore, repeats: int) -> ReviewNumbers | None:
    marks = marks_of_run(store)
    if not marks:
        return None
    found = read_reviews(store, repeats, marks)
    return count_reviews(found.issues, found.changed, found.dropped)


def _failing_causes(match: BaselineMatch | None, settings: GateSettings) -> int | None:
    """How many new causes fail the gate, where any does."""
    if match is None or not (match.chosen.fail_on_new or settings.fail_on_new):
        return None
    return sum(count for grade, count in match.new.items() if counts_for_gate(grade, settings))


def _state(store: RunStore, lacking: int) -> RunState:
    if not store.fact("planned"):
        return "planning"
    if not store.fact("judged"):
        return "unjudged"
    return "unanswered" if lacking else "complete"


@dataclass(frozen=True, slots=True)
class _Sample:
    """The evenly drawn cases that rates come from, and their violations by grade; None if rates come from all cases."""

    tallies: Sequence[Tally] | None
    graded: Sequence[GradedViolations]

    def of(self, method: str, relation: str) -> _Sample:
        """Those of one method and relation."""
        if self.tallies is None:
            return self
        key = (method, relation)
        return _Sample(
            [each for each in self.tallies if (each.method, each.relation) == key],
            [each for each in self.graded if (each.method, each.relation) == key],
        )

    def over(
        self, several: Sequence[Tally], graded: Sequence[GradedViolations]
    ) -> tuple[Sequence[Tally], Sequence[GradedViolations]]:
        """The counts behind a rate: these, or those of the sample."""
        return (several, graded) if self.tallies is None else (self.tallies, self.graded)


def _groups(
    several: Sequence[Tally],
    graded: Sequence[GradedViolations],
    settings: GateSettings,
    about: _Sample,
    noise: Mapping[tuple[str, str], tuple[int, int]],
) -> tuple[RelationCounts, ...]:
    found: dict[tuple[str, str], list[Tally]] = {}
    for tally in several:
        found.setdefault((tally.method, tally.relation), []).append(tally)
    groups = []
    for (method, relation), each in found.items():
        own = [violations for violations in graded if (violations.method, violations.relation) == (method, relation)]
        part = about.of(method, relation)
        counts, gated = _counts(each, part.tallies), _gated(each, own, settings, part)
        heard = noise.get((method, relation), (0, 0))
        groups.append(RelationCounts(method, relation, counts, gated, _grades(each, own, part), heard))
    return tuple(groups)


def _gated(
    several: Sequence[Tally], graded: Sequence[GradedViolations], settings: GateSettings, about: _Sample
) -> OutcomeCounts:
    """The counts with only the violations that the gate counts; the others are neither held nor violated for it."""
    counts = _counts(several, about.tallies)
    if not settings.grades and not any(each.known for each in graded):
        return counts

    def counted(some: Sequence[GradedViolations]) -> list[GradedViolations]:
        return [each for each in some if counts_for_gate(each.grade, settings) and not each.known]

    violated = sum(each.cases for each in counted(graded))
    base, own = about.over(several, graded)
    interval, drawn = _interval(base, counted(own)), counts.drawn
    if drawn is not None:
        of_these = sum(each.cases for each in counted(own))
        drawn = replace(drawn, holds=drawn.decided - of_these, violated=of_these, interval=interval)
    return replace(counts, holds=counts.decided - violated, violated=violated, interval=interval, drawn=drawn)


def _grades(several: Sequence[Tally], graded: Sequence[GradedViolations], about: _Sample) -> tuple[GradeCounts, ...]:
    """Every grade, the surest first, then ungraded violations if there are any."""
    found = []
    base, sampled = about.over(several, graded)
    for grade in (*GRADES, None):
        own = [each for each in graded if each.grade == grade]
        if own or grade is not None:
            violated = sum(each.cases for each in own)
            rated = [each for each in sampled if each.grade == grade]
            rate = _share(sum(each.cases for each in rated), base)
            found.append(GradeCounts(grade, violated, rate, _interval(base, rated)))
    return tuple(found)


def _wrong_anyway(several: Sequence[Tally], graded: Sequence[GradedViolations], about: _Sample) -> WrongAnyway:
    cases = sum(each.cases for each in graded if each.wrong_anyway)
    known = sum(each.cases for each in graded if each.wrong_anyway is not None)
    base, sampled = about.over(several, graded)
    rated = [each for each in sampled if each.wrong_anyway]
    return WrongAnyway(cases, known, _share(sum(each.cases for each in rated), base), _interval(base, rated))


def _share(cases: int, several: Sequence[Tally]) -> float | None:
    decided = sum(tally.decided for tally in several)
    return cases / decided if decided else None


def _interval(several: Sequence[Tally], some: Sequence[GradedViolations]) -> Interval | None:
    """The interval of the share that some of the violated cases have, clustered by photo."""
    by_photo: Counter[int] = Counter()
    for each in some:
        by_photo[each.cluster] += each.cases
    decided = merged(tally.clusters for tally in several)
    return clustered((number, by_photo[photo]) for photo, (number, _) in decided.items())


def _counts(several: Sequence[Tally], sample: Sequence[Tally] | None = None) -> OutcomeCounts:
    rate, drawn = rate_of(several), None if sample is None else rate_of(sample)
    vacuous = sum(tally.vacuous for tally in several)
    interval = rate.interval if drawn is None else drawn.interval
    leads = sum(tally.leads for tally in several)
    return OutcomeCounts(rate.holds, rate.violated, rate.undecided, interval, vacuous, drawn, leads)


def _summary(several: Sequence[Tally], method: Method) -> Sequence[MethodTable | MethodFigure]:
    try:
        shown = method.summarise([tally for tally in several if tally.method == method.kind])
    except Exception as problem:  # noqa: BLE001  a method may come from a user's own file
        why = f"Its summary failed with {type(problem).__name__}: {problem}".rstrip(": .")
        return [MethodTable(method.kind, None, f"{why}.")]
    return [
        MethodTable(method.kind, each, file=_file(method, each.title), filters=_row_filters(each, several, method.kind))
        if isinstance(each, Table)
        else MethodFigure(method.kind, each, _file(method, each.title))
        for each in shown
    ]


def _row_filters(table: Table, several: Sequence[Tally], method: str) -> tuple[tuple[str, str] | None, ...]:
    """Which issues the rows of a table are about: where a row's name is that of a tag, a relation or a kind of error,
    and the row has a cell with the number of these issues.
    """
    issues: dict[str, dict[tuple[str, str], int]] = {}
    for tally in several:
        if tally.method != method or not tally.violated:
            continue
        names = [(value, ("tag", f"{name}={value}"), tally.violated) for name, value in tally.tags.items()]
        names += [(name, ("relation", tally.relation), tally.violated) for name in _relation_names(tally.relation)]
        names += [(name, ("category", name), count) for name, count in tally.categories.items()]
        for name, key, count in names:
            counts = issues.setdefault(name, {})
            counts[key] = counts.get(key, 0) + count
    return tuple(_row_filter(row, issues.get(str(row[0]), {})) if row else None for row in table.shown())


def _row_filter(row: Sequence[str | int | float], issues: Mapping[tuple[str, str], int]) -> tuple[str, str] | None:
    """The one filter that gives as many issues as a cell of the row says."""
    numbers = {cell for cell in row[1:] if isinstance(cell, int)}
    fitting = [key for key, count in issues.items() if count in numbers]
    return fitting[0] if len(fitting) == 1 else None


def _relation_names(relation: str) -> tuple[str, ...]:
    try:
        name = RelationOptions.name.of(catalog.find("relations", relation))
    except AnamorphError:
        name = None
    return (relation,) if name is None else (relation, name)


def _changes(store: RunStore) -> Iterator[ChangeCounts]:
    """Edits of methods that make several follow-ups of each photo, and how often each broke a case."""
    for method, edits, tested, broken in change_counts(store, MOST_CHANGES):
        words = "; ".join(in_words(edit) for edit in json.loads(edits))
        yield ChangeCounts(method, words, tested, broken)


def _not_loaded(config: Config) -> str:
    files = ", ".join(config.unloaded)
    return f"Its table needs {files}, which is not loaded for a run that {SOMEBODY_ELSES}."


def _file(method: Method, title: str) -> str:
    """The name of a table's or a figure's file, without its ending."""
    return re.sub(r"[^a-z0-9]+", "-", f"{method.kind} {title}".lower()).strip("-")[:80]


def _method(method: Method) -> ShownPart:
    settings = without_secrets(encode(method))
    return ShownPart(method.kind, {name: value for name, value in settings.items() if name != "kind"})


def describe_part(group: str, table: Any) -> ShownPart | None:
    """A part of a checked configuration is a table with a kind; None if the configuration names none."""
    if not isinstance(table, Mapping):
        return None
    settings = without_secrets(table)
    kind = str(table.get("kind", "unknown"))
    choice = settings.get(_first_setting(group, kind))
    short = _shortened(choice) if isinstance(choice, str) else ""
    return ShownPart(kind, {name: value for name, value in settings.items() if name != "kind"}, short)


def _shortened(choice: str) -> str:
    """A choice that fits into a table: the end of a long path, the beginning of any other long text."""
    if len(choice) <= SHORT_CHOICE:
        return choice
    is_path = "/" in choice and "://" not in choice and not any(letter.isspace() for letter in choice)
    most = SHORT_CHOICE - 1
    return f"{ELLIPSIS}{choice[-most:]}" if is_path else f"{choice[:most]}{ELLIPSIS}"


def _first_setting(group: str, kind: str) -> str:
    """The setting that the short form `kind:...` fills."""
    try:
        return next((field.name for field in fields(catalog.find(group, kind)) if field.init), "")
    except AnamorphError:
        return ""


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
