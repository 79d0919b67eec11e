"""Records that are kept beside the cases of a run, each as a fact that is named after its case.

So a run needs no further table, and runs of earlier versions can also have them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from anamorph.errors import BadRecord, RunError
from anamorph.model import decode
from anamorph.store.answers import CHUNK
from anamorph.store.run import RUN_FILE, RunStore

T = TypeVar("T")


def case_facts(
    store: RunStore, prefix: str, record: type[T], check: Callable[[T], T], case_digests: Sequence[str]
) -> dict[str, T]:
    """The records of those of some cases that have one, by case; RunError where no run could have written it."""
    found: dict[str, T] = {}
    for start in range(0, len(case_digests), CHUNK):
        names = [prefix + digest for digest in case_digests[start : start + CHUNK]]
        rows = store.connection.execute(
            f"SELECT name, value FROM facts WHERE name IN ({','.join('?' * len(names))})", names
        ).fetchall()
        for name, value in rows:
            try:
                found[name.removeprefix(prefix)] = check(decode(record, json.loads(value)))
            except (BadRecord, ValueError, TypeError, RecursionError) as problem:
                raise RunError(f"{store.folder / RUN_FILE}: facts.{name}: {str(problem)[:300]}") from problem
    return found
