"""From k labels to k + 1: which combinations a finished ATOM run recognised with confidence, and what extends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from anamorph.engine.judge import Judge, relation_from_json
from anamorph.engine.run import config_of
from anamorph.errors import RunError
from anamorph.methods.atom.combinations import Combination
from anamorph.methods.atom.scores import LabelSummary, LabelTally
from anamorph.model import LabelSet, Reader
from anamorph.relations.stable_labels import StableLabels, image_group
from anamorph.store.answers import answers_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import case_pages

_METHOD = "atom"


def confident_combinations(run: Path, least_score: float = 0.0) -> list[Combination]:
    """The combinations of a finished run with at least one confident image (algorithm 1's L_c) and such a score."""
    with RunStore.open(run, read_only=True) as store:
        if not store.fact("judged"):
            raise RunError(f"{run}: this run is not finished. Use `anamorph resume {run}` first.")
        summary = label_summary(store, config_of(store).readers())
    return [
        each.labels
        for each in summary.combinations
        if each.confident > 0 and each.score is not None and each.score >= least_score
    ]


def label_summary(store: RunStore, readers: Mapping[str, Reader]) -> LabelSummary:
    """ATOM's groups and scores over the first answers of a run; photos with a missing answer are left out."""
    judge, tally = Judge(readers, 1), LabelTally()
    found = False
    for page in case_pages(store):
        cases = [case for case in page if case.method == _METHOD]
        answers = answers_of(store, [probe for case in cases for probe in case.probes])
        for case in cases:
            relation = relation_from_json(case.claim)
            if not isinstance(relation, StableLabels):
                continue
            found = True
            given = [answers[probe] for probe in case.probes]
            if not all(given):
                continue
            readings = [judge.reading(relation.reads, each[min(each)]) for each in given]
            outputs = [reading.labels for reading in readings if isinstance(reading, LabelSet)]
            if len(outputs) == len(readings):
                tally.add(relation.labels, outputs, image_group(relation.labels, outputs))
    if not found:
        raise RunError(f"{store.folder}: no case of the method {_METHOD!r} in this run, so there is nothing to extend.")
    return tally.summary()


def extended(combinations: Iterable[Combination], labels: Iterable[str]) -> list[Combination]:
    """Every combination with one more label, each once, small ones first."""
    space = sorted(set(labels))
    larger = {
        tuple(sorted((*combination, label)))
        for combination in combinations
        for label in space
        if label not in combination
    }
    return sorted(larger, key=lambda each: (len(each), each))
