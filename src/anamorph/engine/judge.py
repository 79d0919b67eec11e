"""The last stage: answers are read and cases judged, cheaply, and again and again without the system."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from anamorph import catalog
from anamorph.engine.events import Event, Finished, Judged, StageBegan
from anamorph.errors import BadRecord, RunError, UnknownName
from anamorph.model import Answer, Reader, Reading, Relation, Unreadable, Verdict, decode, the_probe
from anamorph.store.answers import answers_of, mark_unreadable, problems_of
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.verdicts import StoredCase, case_pages, record_verdicts

# With repeats, at most this many combinations of attempts are judged per case.
MOST_COMBINATIONS = 243


class Judge:
    """Reads answers with the readers that relations name, each distinct answer once, and judges cases."""

    def __init__(self, readers: Mapping[str, Reader], repeats: int) -> None:
        self._readers = readers
        self._repeats = repeats
        self._read = functools.lru_cache(maxsize=20_000)(self._read_anew)

    def reading(self, reads: str, answer: Answer) -> Reading:
        """What an answer means to a relation that uses this reader."""
        labels = None if answer.labels is None else tuple(sorted(answer.labels.items()))
        return self._read(reads, answer.text, labels)

    def _read_anew(self, reads: str, text: str | None, labels: tuple[tuple[str, float], ...] | None) -> Reading:
        return self._readers[reads].read(Answer(text, None if labels is None else dict(labels)))

    def verdict(self, relation: Relation, answers: Sequence[Mapping[int, Answer]], problems: Sequence[str]) -> Verdict:
        """Judge one case from the answers of its probes, source first, each by attempt."""
        for position, given in enumerate(answers):
            if not given or min(given) >= self._repeats:
                why = problems[position] or "it was not asked yet"
                subject = the_probe(position, len(answers)).capitalize()
                return Verdict("undecided", f"{subject} has no answer: {why.rstrip('.')}.")
        readings = [
            [self.reading(relation.reads, given[attempt]) for attempt in sorted(given) if attempt < self._repeats]
            for given in answers
        ]
        if all(len(each) == 1 for each in readings):
            return relation.judge([each[0] for each in readings])
        return judge_combinations(relation, readings)


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


def judge_stage(store: RunStore, readers: Mapping[str, Reader], repeats: int) -> Iterator[Event]:
    """Judge every case anew from the stored answers."""
    yield StageBegan("judge", store.count("cases"))
    judge = Judge(readers, repeats)
    counts = {"holds": 0, "violated": 0, "undecided": 0}
    for page in case_pages(store):
        verdicts = _judge_page(store, judge, page)
        with store.transaction():
            record_verdicts(store, [(case.id, verdict) for case, verdict in verdicts])
            mark_unreadable(store, _unreadable(store, judge, verdicts))
        for case, verdict in verdicts:
            counts[verdict.outcome] += 1
            yield Judged(case.digest, verdict.outcome)
    with store.transaction():
        store.set_fact("judged", True)
    yield Finished(**counts)


def _judge_page(store: RunStore, judge: Judge, page: Sequence[StoredCase]) -> list[tuple[StoredCase, Verdict]]:
    answers = answers_of(store, [probe for case in page for probe in case.probes])
    unanswered = [probe for probe, given in answers.items() if not given]
    problems = problems_of(store, unanswered) if unanswered else {}
    return [
        (
            case,
            judge.verdict(
                relation_of(store, case),
                [answers[probe] for probe in case.probes],
                [problems.get(probe, "") for probe in case.probes],
            ),
        )
        for case in page
    ]


def _unreadable(store: RunStore, judge: Judge, verdicts: Sequence[tuple[StoredCase, Verdict]]) -> list[tuple[int, int]]:
    """The answers behind undecided verdicts that could not be read."""
    undecided = [case for case, verdict in verdicts if verdict.outcome == "undecided"]
    answers = answers_of(store, [probe for case in undecided for probe in case.probes])
    found: dict[tuple[int, int], None] = {}
    for case in undecided:
        reads = relation_of(store, case).reads
        for probe in case.probes:
            for attempt, answer in answers[probe].items():
                if isinstance(judge.reading(reads, answer), Unreadable):
                    found[probe, attempt] = None
    return list(found)


def relation_of(store: RunStore, case: StoredCase) -> Relation:
    """The relation that a stored case claims; RunError if the run file names none."""
    try:
        return relation_from_json(case.claim)
    except (BadRecord, UnknownName, ValueError, LookupError, TypeError, RecursionError) as problem:
        where = f"{store.folder / RUN_FILE}: cases.claim of row {case.id}"
        raise RunError(f"{where}: {str(problem)[:300]}") from problem


@functools.lru_cache(maxsize=4096)
def relation_from_json(text: str) -> Relation:
    """The relation that this JSON stands for."""
    plain = json.loads(text)
    relation: Relation = decode(catalog.find("relations", plain["kind"]), plain, catalog.find, "relation")
    return relation
