"""The cases of a run whose answers are captions of a photo, which reference captions can be held against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anamorph.engine.judge import relation_from_json
from anamorph.errors import UnknownName
from anamorph.model import Answer
from anamorph.store.answers import answers_of
from anamorph.store.probes import probe_rows
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, case_pages


@dataclass(frozen=True, slots=True)
class CaptionedPage:
    """Some cases, each with the name of its photo, and the first answer to each of their probes that has one."""

    cases: Sequence[tuple[StoredCase, str]]
    answers: Mapping[int, Answer]


def captioned_pages(store: RunStore) -> Iterator[CaptionedPage]:
    """A page of cases at a time; references belong to the photo, so a source must be the untouched photo."""
    for page in case_pages(store):
        rows = probe_rows(store, sorted({case.probes[0] for case in page}))
        sources = {probe: row for probe, row in rows.items() if row.untouched}
        cases = [
            (case, source.scene_name)
            for case in page
            if (source := sources.get(case.probes[0])) is not None and _gives_captions(case, source.question)
        ]
        answers = answers_of(store, [probe for case, _ in cases for probe in case.probes])
        yield CaptionedPage(cases, {probe: given[min(given)] for probe, given in answers.items() if given})


def _gives_captions(case: StoredCase, question: str | None) -> bool:
    """Whether the answers of a case are captions; an answer to a question is one only if the relation reads it so."""
    try:
        reads = relation_from_json(case.claim).reads
    except UnknownName:
        # It may be in a file that is not loaded, because another user made the run; the command says which.
        return False
    return reads == "caption" or (reads == "wording" and question is None)
