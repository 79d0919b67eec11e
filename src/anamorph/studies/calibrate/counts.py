"""The cases of a finished run, compared with the truth."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.config import Config
from anamorph.config.readers import RunReaders
from anamorph.model import GRADES, Answer, Verdict
from anamorph.readers.english.reader import EnglishReader
from anamorph.statistics.intervals import clustered
from anamorph.store.answers import PendingProbe, answers_of, probes_by_id
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, case_pages, verdict_of
from anamorph.studies.calibrate.closed_truth import assess_closed
from anamorph.studies.calibrate.records import Example, Measurement, Share
from anamorph.studies.calibrate.truth import Truths, studio_of
from anamorph.toybox.truth import Truth
from anamorph.toybox.wrongness import Assessment, assess

EXAMPLES = 3


class _Clusters:
    """Hits and totals of a share, by scene."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[int, int]] = {}

    def add(self, scene: int, hit: bool) -> None:
        total, hits = self._of.get(scene, (0, 0))
        self._of[scene] = (total + 1, hits + hit)

    @property
    def share(self) -> Share:
        total, hits = (sum(each[k] for each in self._of.values()) for k in (0, 1))
        return Share(hits, total, clustered(self._of.values()))


@dataclass(slots=True)
class _Tally:
    """Counts of one relation as they grow; of a `truthful` system, every report is a false alarm."""

    truthful: bool = False
    cases: int = 0
    undecided: int = 0
    untold: int = 0
    violated: _Clusters = field(default_factory=_Clusters)
    precision: _Clusters = field(default_factory=_Clusters)
    recall: _Clusters = field(default_factory=_Clusters)
    caught: defaultdict[str, _Clusters] = field(default_factory=lambda: defaultdict(_Clusters))
    right: defaultdict[str, _Clusters] = field(default_factory=lambda: defaultdict(_Clusters))
    false_alarms: list[Example] = field(default_factory=list)
    missed: list[Example] = field(default_factory=list)
    grades: Counter[str] = field(default_factory=Counter)
    settled: Counter[str] = field(default_factory=Counter)
    suspected: _Clusters = field(default_factory=_Clusters)
    recall_suspected: _Clusters = field(default_factory=_Clusters)
    violated_alone: _Clusters = field(default_factory=_Clusters)
    recall_alone: _Clusters = field(default_factory=_Clusters)

    def add(
        self, scene: int, verdict: Verdict, assessments: Sequence[Assessment], example: Example, *, alone: bool
    ) -> None:
        """Count one case of a scene; `alone` if captions alone would report it."""
        self.cases += 1
        wrong = any(each.wrong for each in assessments)
        if verdict.outcome == "undecided":
            self.undecided += 1
            return
        reported = verdict.outcome == "violated"
        suspected = reported or bool(verdict.conflicts)
        self.violated.add(scene, reported)
        self.suspected.add(scene, suspected)
        self.violated_alone.add(scene, alone)
        self.settled.update([verdict.state] if verdict.state else ())
        if reported and verdict.grade is not None:
            self.grades[verdict.grade] += 1
        if not wrong and any(each.outcome == "untold" for each in assessments):
            self.untold += 1
            return
        if reported:
            self.precision.add(scene, wrong)
            for category in verdict.categories:
                self.right[category].add(scene, wrong)
        if wrong:
            self.recall.add(scene, reported)
            self.recall_suspected.add(scene, suspected)
            self.recall_alone.add(scene, alone)
            for kind in {category for each in assessments for category in each.categories}:
                self.caught[kind].add(scene, reported)
        if reported and (self.truthful or not wrong):
            self.false_alarms += [example] * (len(self.false_alarms) < EXAMPLES)
        elif wrong and not reported:
            self.missed += [example] * (len(self.missed) < EXAMPLES)


def count_cases(
    store: RunStore,
    config: Config,
    truths: Truths,
    system: str,
    form: str | None,
    fault: str | None = None,
    style: str | None = None,
    *,
    alone: frozenset[int] | None = None,
) -> Iterator[Measurement]:
    """One measurement for each relation of a judged run; a page of cases is in memory at a time."""
    reader = config.readers().reader(EnglishReader.kind)
    threshold = reader.threshold if isinstance(reader, EnglishReader) else 0.5
    studio = studio_of(config, store)
    tallies: dict[tuple[str, str], _Tally] = {}
    for page in case_pages(store):
        ids = list(dict.fromkeys(probe for case in page for probe in case.probes))
        answers = answers_of(store, ids)
        probes = {probe.id: probe for probe in probes_by_id(store, ids)}
        assessed = {
            id: _assess(truths.of(store, probes[id], studio), probes[id], answers[id], threshold, config.readers())
            for id in ids
        }
        for case in page:
            verdict = verdict_of(store, case.id)
            assert verdict is not None  # the run is judged
            each = [assessment for probe in case.probes for assessment in assessed[probe]]
            row = probes[case.probes[0]].scene
            example = _example(case, truths.scene(store, row).id, verdict, answers, each)
            tally = tallies.setdefault((case.method, case.relation), _Tally(style is not None))
            tally.add(row, verdict, each, example, alone=alone is not None and case.id in alone)
    for (method, relation), tally in tallies.items():
        yield Measurement(
            system=system,
            form=form or "",
            fault=fault,
            method=method,
            relation=relation,
            cases=tally.cases,
            undecided=tally.undecided,
            untold=tally.untold,
            precision=tally.precision.share,
            recall=tally.recall.share,
            violated=tally.violated.share,
            recall_by_category={name: tally.caught[name].share for name in sorted(tally.caught)},
            precision_by_category={name: tally.right[name].share for name in sorted(tally.right)},
            false_alarms=tuple(tally.false_alarms),
            missed=tuple(tally.missed),
            style=style,
            by_grade={grade: tally.grades[grade] for grade in GRADES if tally.grades[grade]},
            refuted=tally.settled["refuted"],
            unfair=tally.settled["unfair"],
            leads=tally.settled["lead"],
            suspected=tally.suspected.share,
            recall_suspected=tally.recall_suspected.share,
            recall_alone=None if alone is None else tally.recall_alone.share,
            violated_alone=None if alone is None else tally.violated_alone.share,
        )


def _assess(
    seen: Truth | str, probe: PendingProbe, answers: Mapping[int, Answer], threshold: float, readers: RunReaders
) -> list[Assessment]:
    if isinstance(seen, str):
        return [Assessment("untold", reason=seen) for _ in answers]
    found = []
    for _, answer in sorted(answers.items()):
        closed = None
        if probe.question is not None and answer.text is not None:
            closed = assess_closed(readers.read("closed", answer, probe.question), probe.question, seen)
        found.append(closed or assess(answer, probe.question, seen, threshold))
    return found


def _example(
    case: StoredCase,
    scene: str,
    verdict: Verdict,
    answers: Mapping[int, Mapping[int, Answer]],
    assessments: Sequence[Assessment],
) -> Example:
    given = [answer for probe in case.probes for _, answer in sorted(answers[probe].items())]
    tags = ", ".join(f"{key} {value}" for key, value in json.loads(case.tags).items())
    reasons = tuple(each.reason for each in assessments)
    return Example(case.digest[:12], scene, tags, verdict.reason, tuple(map(_said, given)), reasons)


def _said(answer: Answer) -> str:
    if answer.labels is None:
        return answer.text or ""
    return ", ".join(sorted(name for name, score in answer.labels.items() if score >= 0.5)) or "(no label)"
