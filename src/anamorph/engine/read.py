"""The stage in which readers that ask another system read, several answers at a time, before anything is judged."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from anamorph.concurrency.ordered import in_order
from anamorph.config import Config
from anamorph.config.readers import RunReaders
from anamorph.engine.budget import READING_ACCOUNT
from anamorph.engine.events import Event, ReadSome, StageBegan
from anamorph.engine.judge import Claims
from anamorph.errors import NotTrusted
from anamorph.model import Answer, ReadingKind
from anamorph.model.protocols import RelationOptions, reading_kind
from anamorph.store.answers import answers_of, questions_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, case_pages

# Calls mostly wait; the reader itself bounds how many are under way.
_THREADS = 32


def read_stage(store: RunStore, config: Config, claims: Claims) -> Iterator[Event]:
    """Have every answer read that a reader must ask about; what it says is kept, so that judging asks nothing."""
    readers = config.readers()
    # A stranger's reader is not made, and what it would read stays undecided.
    if not readers.asking_kinds or not config.trusted:
        return
    yield StageBegan("read")
    done = 0
    for page in case_pages(store):
        wanted = _wanted(store, readers, page, claims)
        for _ in in_order(lambda each: readers.read(*each), wanted, _THREADS):
            done += 1
            yield ReadSome(done)
    keep_account(store, readers)


def keep_account(store: RunStore, readers: RunReaders) -> None:
    """Add what readers have asked to the account of the run."""
    with store.transaction():
        for name, account in readers.take_accounts():
            kept = dict(store.fact(READING_ACCOUNT, {}))
            own = kept.get(name, {})
            kept[name] = {key: (own.get(key) or 0) + value for key, value in account.items() if value is not None}
            store.set_fact(READING_ACCOUNT, kept)


def _wanted(
    store: RunStore, readers: RunReaders, page: Sequence[StoredCase], claims: Claims
) -> list[tuple[ReadingKind, Answer, str | None]]:
    """The distinct answers of a page of cases that a reader must ask about."""
    probes = [probe for case in page for probe in case.probes]
    answers, questions = answers_of(store, probes), questions_of(store, probes)
    found: dict[tuple[ReadingKind, str, str | None], None] = {}
    for case in page:
        with contextlib.suppress(NotTrusted):
            relation = claims.of(case)
            kind = reading_kind(relation, labels=False)
            if kind not in readers.asking_kinds or RelationOptions.read_by.of(relation) is not None:
                continue
            for probe in case.probes:
                for answer in answers[probe].values():
                    if answer.text is not None:
                        found[kind, answer.text, questions[probe]] = None
    return [(kind, Answer(text), question) for kind, text, question in found]
