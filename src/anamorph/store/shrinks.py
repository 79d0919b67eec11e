"""The smallest edits found that still break a relation, with all answers that shrinking asked for: none is asked for
twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamorph.model import Answer, Verdict
from anamorph.store.case_records import case_records, record_case
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class ShrunkProbe:
    """A probe of a shrunk case; `edits` is JSON, `file` its picture's name, None if the system does not look."""

    digest: str
    edits: str
    question: str | None
    file: str | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class StoredReply:
    """The answers about one image of shrinking, by attempt."""

    digest: str
    file: str | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class ShrunkCase:
    """The result of shrinking a case: the smallest case that is still violated, source first, and its verdict.

    `probes` is empty if nothing smaller breaks the relation. `claim` is the relation's JSON, `finished` False if the
    budget ended the search, and `calls` the number of images sent.
    """

    claim: str
    probes: tuple[ShrunkProbe, ...]
    verdict: Verdict | None
    finished: bool
    calls: int
    replies: tuple[StoredReply, ...] = ()


def record_shrink(store: RunStore, case_digest: str, shrunk: ShrunkCase) -> None:
    """Keep the result so far; the caller holds the transaction."""
    record_case(store, "shrinks", case_digest, shrunk)


def shrinks_of(store: RunStore, case_digests: Sequence[str]) -> Mapping[str, ShrunkCase]:
    """The results of shrinking, for cases that were shrunk; RunError if a result is damaged."""
    return case_records(store, "shrinks", ShrunkCase, _checked, case_digests)


def _checked(shrunk: ShrunkCase) -> ShrunkCase:
    if bool(shrunk.probes) != (shrunk.verdict is not None) or not isinstance(json.loads(shrunk.claim), dict):
        raise ValueError("a shrunk case has probes, a verdict and a claim")
    for probe in shrunk.probes:
        edits = json.loads(probe.edits)
        if not probe.answers or not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
            raise ValueError("a probe has answers and a list of edits")
    return shrunk
