"""Records of later commands about the cases of a run: a table for each command, by case digest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from anamorph.errors import BadRecord, RunError
from anamorph.model import decode, encode
from anamorph.store.run import RUN_FILE, RunStore

T = TypeVar("T")

RecordTable: TypeAlias = Literal["shrinks", "explanations"]


def record_case(store: RunStore, table: RecordTable, digest: str, record: Any) -> None:
    """Keep the record of a case, replacing an earlier one; the caller holds the transaction."""
    body = json.dumps(encode(record), sort_keys=True)
    store.connection.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", (digest, body))


def case_records(
    store: RunStore, table: RecordTable, record: type[T], check: Callable[[T], T], digests: Sequence[str]
) -> dict[str, T]:
    """The records of the given cases that have one, by case; RunError if no run could have written it."""
    found: dict[str, T] = {}
    query = f"SELECT digest, body FROM {table} WHERE digest IN (SELECT value FROM json_each(?))"
    for digest, body in store.rows(query, json.dumps(list(digests))):
        try:
            found[digest] = check(decode(record, json.loads(body)))
        except (BadRecord, ValueError, TypeError, RecursionError) as problem:
            raise RunError(f"{store.folder / RUN_FILE}: {table}.{digest}: {str(problem)[:300]}") from problem
    return found
