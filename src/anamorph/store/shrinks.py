"""The smallest edits found that still break a relation, beside the issues of a run.

Each case that was shrunk has a fact of its own, named after the case, so that a run needs no further table and runs of
earlier versions can also be shrunk. It holds every answer that shrinking asked for, which is never asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamorph.model import Answer, Verdict, encode
from anamorph.store.case_facts import case_facts
from anamorph.store.run import RunStore

SHRUNK = "shrunk:"


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
    """The answers to one image that shrinking asked about, by attempt."""

    digest: str
    file: str | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class ShrunkCase:
    """The result of shrinking a case: the smallest case that is still violated, source first, and its verdict.

    `probes` is empty where nothing smaller breaks the relation. `claim` is the relation's JSON, `finished` False where
    the budget ended the search, and `calls` how many images were sent for it.
    """

    claim: str
    probes: tuple[ShrunkProbe, ...]
    verdict: Verdict | None
    finished: bool
    calls: int
    replies: tuple[StoredReply, ...] = ()


def record_shrink(store: RunStore, case_digest: str, shrunk: ShrunkCase) -> None:
    """Keep what is known so far; the caller holds the transaction."""
    store.set_fact(SHRUNK + case_digest, encode(shrunk))


def shrinks_of(store: RunStore, case_digests: Sequence[str]) -> Mapping[str, ShrunkCase]:
    """The results of shrinking, for cases that were shrunk; RunError if a result is damaged."""
    return case_facts(store, SHRUNK, ShrunkCase, _checked, case_digests)


def _checked(shrunk: ShrunkCase) -> ShrunkCase:
    if bool(shrunk.probes) != (shrunk.verdict is not None) or not isinstance(json.loads(shrunk.claim), dict):
        raise ValueError("a shrunk case has probes, a verdict and a claim")
    for probe in shrunk.probes:
        edits = json.loads(probe.edits)
        if not probe.answers or not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
            raise ValueError("a probe has answers and a list of edits")
    return shrunk
