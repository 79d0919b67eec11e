"""The last stage: answers are read and cases judged, cheaply, and again and again without the system."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from anamorph import catalog
from anamorph.config.readers import RunReaders
from anamorph.config.resolving import SOMEBODY_ELSES
from anamorph.engine.events import Advised, Event, Finished, Judged, StageBegan
from anamorph.errors import BadRecord, NotTrusted, RunError, UnknownName
from anamorph.model import (
    Answer,
    Conflict,
    Method,
    Reading,
    ReadingKind,
    Relation,
    Unreadable,
    Verdict,
    decode,
    the_probe,
)
from anamorph.model.protocols import MethodOptions, RelationOptions, reading_kind
from anamorph.store.answers import answers_of, mark_unreadable, problems_of, questions_of
from anamorph.store.causes import forget_causes
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.verdicts import StoredCase, case_pages, first_cases, record_verdicts

# With repeats, at most this many combinations of attempts are judged per case.
MOST_COMBINATIONS = 243
# The fact that names the profile that stored verdicts were made with; None for the run's own.
JUDGED_AS = "judged_as"


class Judge:
    """Reads answers with the readers of the run, each distinct answer to a question once, and judges cases."""

    def __init__(self, readers: RunReaders, repeats: int) -> None:
        self._readers = readers
        self._repeats = repeats
        self._read = functools.lru_cache(maxsize=20_000)(self._read_anew)

    def reading(self, kind: ReadingKind, answer: Answer, question: str | None, read_by: str | None = None) -> Reading:
        """An answer as a kind of reading; `read_by` names a reader that a relation alone has."""
        labels = None if answer.labels is None else tuple(sorted(answer.labels.items()))
        return self._read(kind, read_by, answer.text, labels, question)

    def reading_for(self, relation: Relation, answer: Answer, question: str | None) -> Reading:
        """The reading of an answer for a relation, which may need another kind for label sets than for strings."""
        kind = reading_kind(relation, labels=answer.labels is not None)
        return self.reading(kind, answer, question, RelationOptions.read_by.of(relation))

    def _read_anew(
        self,
        kind: ReadingKind,
        read_by: str | None,
        text: str | None,
        labels: tuple[tuple[str, float], ...] | None,
        question: str | None,
    ) -> Reading:
        return self._readers.read(kind, Answer(text, None if labels is None else dict(labels)), question, read_by)

    def verdict(
        self,
        relation: Relation,
        answers: Sequence[Mapping[int, Answer]],
        questions: Sequence[str | None],
        problems: Sequence[str],
    ) -> Verdict:
        """Judge one case from the answers of its probes, source first, each by attempt."""
        for position, given in enumerate(answers):
            if not given or min(given) >= self._repeats:
                why = problems[position] or "it was not asked yet"
                subject = the_probe(position, len(answers)).capitalize()
                return Verdict("undecided", f"{subject} has no answer: {why.rstrip('.')}.")
        readings = [
            [
                self.reading_for(relation, given[attempt], question)
                for attempt in sorted(given)
                if attempt < self._repeats
            ]
            for given, question in zip(answers, questions, strict=True)
        ]
        if all(len(each) == 1 for each in readings):
            return graded(relation, relation.judge([each[0] for each in readings]))
        return graded(relation, judge_combinations(relation, readings))


def graded(relation: Relation, verdict: Verdict) -> Verdict:
    """A violation with its grade: that of the verdict, else that of the relation, which has none if it is published."""
    if verdict.outcome != "violated" or verdict.grade is not None:
        return verdict
    grade = RelationOptions.grade.of(relation)
    return verdict if grade is None else dataclasses.replace(verdict, grade=grade)


def judge_combinations(relation: Relation, readings: Sequence[Sequence[Reading]]) -> Verdict:
    """A violation stands only if no choice among the repeated answers makes the relation hold."""
    verdicts = [relation.judge(choice) for choice in _choices(readings)]
    violated = [verdict for verdict in verdicts if verdict.outcome == "violated"]
    holding = [verdict for verdict in verdicts if verdict.outcome == "holds"]
    if not violated:
        return holding[0] if holding else verdicts[0]
    if holding:
        share = f"{len(violated)} of {len(verdicts)}"
        return Verdict(
            "undecided",
            f"The system's own noise explains it: {share} combinations of its repeated answers violate the relation.",
        )
    return violated[0]


def _choices(readings: Sequence[Sequence[Reading]]) -> Iterator[Sequence[Reading]]:
    if math.prod(len(each) for each in readings) <= MOST_COMBINATIONS:
        yield from itertools.product(*readings)
        return
    # Attempts of the same number first; the rest of the sample is random but always the same.
    for attempt in range(max(len(each) for each in readings)):
        yield [each[attempt % len(each)] for each in readings]
    rng = Random(MOST_COMBINATIONS)
    for _ in range(MOST_COMBINATIONS):
        yield [rng.choice(each) for each in readings]


class Claims:
    """The relations that cases are judged by: those of the plan, or what a `profile` of their methods claims instead.

    Cases of methods that do not have the profile keep their own.
    """

    def __init__(
        self, store: RunStore, unloaded: Sequence[str] = (), methods: Sequence[Method] = (), profile: str | None = None
    ) -> None:
        self.profile = profile
        self._store, self._unloaded = store, unloaded
        self._judged_as = {
            method.kind: MethodOptions.judged_as.of(method)
            for method in methods
            if profile in MethodOptions.profiles.of(method)
        }

    def of(self, case: StoredCase) -> Relation:
        """The relation of a case; RunError if the run file names none that can be judged as the profile."""
        relation = relation_of(self._store, case, self._unloaded)
        judged_as = self._judged_as.get(case.method)
        if judged_as is None or self.profile is None:
            return relation
        found = judged_as(relation, self.profile)
        if found is None:
            raise RunError(
                f"{self._store.folder}: the cases of {case.method!r} were planned with another profile, which does not "
                f"keep what {self.profile!r} needs. Start a new run with --set {case.method}.profile={self.profile}."
            )
        return found

    def require(self) -> None:
        """RunError if the first case of some method cannot be judged; all its cases are planned with one profile."""
        for case in first_cases(self._store):
            with contextlib.suppress(NotTrusted):
                self.of(case)


def judge_stage(store: RunStore, readers: RunReaders, repeats: int, claims: Claims | None = None) -> Iterator[Event]:
    """Judge every case anew from the stored answers; what needs a file that is not loaded stays undecided."""
    claims = claims or Claims(store)
    claims.require()
    yield StageBegan("judge", store.count("cases"))
    judge = Judge(readers, repeats)
    counts = {"holds": 0, "violated": 0, "undecided": 0}
    if store.fact(JUDGED_AS) != claims.profile:
        with store.transaction():
            # Until the end, verdicts of two profiles are side by side.
            store.set_fact("judged", False)
            store.set_fact(JUDGED_AS, claims.profile)
    for page in case_pages(store):
        verdicts = judge_cases(store, judge, page, claims)
        with store.transaction():
            record_verdicts(store, [(case.id, verdict) for case, verdict in verdicts])
            if claims.profile is None:
                # What only the reader of another profile cannot read is not asked again.
                mark_unreadable(store, _unreadable(store, judge, verdicts, claims))
        for case, verdict in verdicts:
            counts[verdict.outcome] += 1
            yield Judged(case.digest, verdict.outcome)
    for name, problem in sorted(readers.broken.items()):
        yield Advised(f"The reader {name} failed on some answers, which count as unread: {problem}. Please report it.")
    with store.transaction():
        forget_causes(store)
        # Suspicions are settled by the stage that proves.
        store.set_fact("judged", not store.count("suspicions"))
    yield Finished(**counts)


def judge_cases(
    store: RunStore, judge: Judge, page: Sequence[StoredCase], claims: Claims
) -> list[tuple[StoredCase, Verdict]]:
    """Judge some cases from the stored answers; nothing is recorded."""
    probes = [probe for case in page for probe in case.probes]
    answers, questions = answers_of(store, probes), questions_of(store, probes)
    unanswered = [probe for probe, given in answers.items() if not given]
    problems = problems_of(store, unanswered) if unanswered else {}
    found: list[tuple[StoredCase, Verdict]] = []
    for case in page:
        try:
            verdict = judge.verdict(
                claims.of(case),
                [answers[probe] for probe in case.probes],
                [questions[probe] for probe in case.probes],
                [problems.get(probe, "") for probe in case.probes],
            )
            verdict = _suspected(claims.of(case), verdict, [questions[probe] for probe in case.probes])
        except NotTrusted as problem:
            verdict = Verdict("undecided", str(problem))
        found.append((case, verdict))
    return found


def _suspected(relation: Relation, verdict: Verdict, questions: Sequence[str | None]) -> Verdict:
    """A violation by answers to questions as a suspicion about them; one that is judged as published is none."""
    first, grade = questions[0], verdict.grade
    asked = first is not None and None not in questions and relation.reads in ("answer", "wording")
    if verdict.outcome != "violated" or verdict.conflicts or grade is None or not asked:
        return verdict
    whole = Conflict(first or "", grade, "answer", tuple(range(len(questions))))
    return dataclasses.replace(verdict, conflicts=(whole,))


def _unreadable(
    store: RunStore, judge: Judge, verdicts: Sequence[tuple[StoredCase, Verdict]], claims: Claims
) -> list[tuple[int, int]]:
    """The answers behind undecided verdicts that could not be read."""
    undecided = [case for case, verdict in verdicts if verdict.outcome == "undecided"]
    probes = [probe for case in undecided for probe in case.probes]
    answers, questions = answers_of(store, probes), questions_of(store, probes)
    found: dict[tuple[int, int], None] = {}
    for case in undecided:
        with contextlib.suppress(NotTrusted):
            relation = claims.of(case)
            for probe in case.probes:
                for attempt, answer in answers[probe].items():
                    if isinstance(judge.reading_for(relation, answer, questions[probe]), Unreadable):
                        found[probe, attempt] = None
    return list(found)


def relation_of(store: RunStore, case: StoredCase, unloaded: Sequence[str] = ()) -> Relation:
    """The relation that a stored case claims; RunError if the run file names none.

    NotTrusted where it is not in the catalogue, but may be in a file that is not loaded.
    """
    try:
        return relation_from_json(case.claim)
    except (BadRecord, UnknownName, ValueError, LookupError, TypeError, RecursionError) as problem:
        if unloaded and isinstance(problem, UnknownName):
            raise NotTrusted(
                f"The relation {case.relation!r} is not in the catalogue. It may be in {', '.join(unloaded)}, which is "
                f"not loaded for a run that {SOMEBODY_ELSES}."
            ) from problem
        where = f"{store.folder / RUN_FILE}: cases.claim of row {case.id}"
        raise RunError(f"{where}: {str(problem)[:300]}") from problem


@functools.lru_cache(maxsize=4096)
def relation_from_json(text: str) -> Relation:
    """The relation that this JSON stands for."""
    plain = json.loads(text)
    relation: Relation = decode(catalog.find("relations", plain["kind"]), plain, catalog.find, "relation")
    return relation
