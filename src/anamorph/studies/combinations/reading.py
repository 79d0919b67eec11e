"""The label sets of a run, photo by photo: what ATOM's oracle and its tables are made of."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anamorph.config.readers import RunReaders
from anamorph.engine.judge import Judge, relation_of
from anamorph.errors import RunError
from anamorph.model import LabelSet
from anamorph.relations.stable_labels import StableLabels
from anamorph.store.answers import answers_of
from anamorph.store.proofs import edits_of_probes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import case_pages

_METHOD = "atom"


@dataclass(frozen=True, slots=True)
class PhotoOutputs:
    """A photo of a combination, or one chosen at random, which has none: what was done to it, and its label sets.

    `photo` is the same for all cases of one photo.
    """

    photo: int
    labels: tuple[str, ...]
    tags: Mapping[str, str]
    operations: tuple[str, ...]
    outputs: tuple[frozenset[str], ...]


def photo_outputs(store: RunStore, readers: RunReaders) -> Iterator[PhotoOutputs]:
    """The first answers of every case of ATOM; photos with a missing answer are left out."""
    judge = Judge(readers, 1)
    found = False
    for page in case_pages(store):
        cases = [case for case in page if case.method == _METHOD]
        probes = [probe for case in cases for probe in case.probes]
        answers, operations = answers_of(store, probes), _operations(store, probes)
        for case in cases:
            relation = relation_of(store, case)
            if not isinstance(relation, StableLabels):
                continue
            found = True
            given = [answers[probe] for probe in case.probes]
            if not all(given):
                continue
            readings = [judge.reading_for(relation, each[min(each)], None) for each in given]
            outputs = tuple(reading.labels for reading in readings if isinstance(reading, LabelSet))
            if len(outputs) == len(readings):
                done = tuple(operations[probe] for probe in case.probes[1:])
                yield PhotoOutputs(case.probes[0], relation.labels, json.loads(case.tags), done, outputs)
    if not found:
        raise RunError(f"{store.folder}: this run has no case of the method {_METHOD!r}, so it has no combinations.")


def _operations(store: RunStore, probes: Sequence[int]) -> dict[int, str]:
    """The kinds of each probe's edits."""
    return {probe: _named(edits) for probe, edits in edits_of_probes(store, list(dict.fromkeys(probes))).items()}


@functools.lru_cache(maxsize=1024)
def _named(edits: str) -> str:
    """The kinds of edits with their values, so that two rotations stay two operations: rotate 2."""
    named = []
    for edit in json.loads(edits):
        values = (f"{value:g}" for key, value in edit.items() if key != "kind" and isinstance(value, int | float))
        named.append(" ".join([str(edit.get("kind")), *values]))
    return ", ".join(named)
