"""The order in which cases are asked if not the plan's: rounds of cases.

A round has an even part, drawn uniformly, and a part chosen for its promise. Rates are estimated from the even parts
alone until every case was asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from anamorph.model import decode
from anamorph.store.run import RunStore

# Whether a case was asked: each of its probes was answered, failed, or has no image.
_UNASKED = """
SELECT count(*) FROM cases c WHERE c.id IN (SELECT value FROM json_each(?)) AND EXISTS (
    SELECT 1 FROM json_each(c.probes) j JOIN probes p ON p.id = j.value JOIN images i ON i.id = p.image
    WHERE i.problem IS NULL AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.probe = p.id)
        AND NOT EXISTS (SELECT 1 FROM failures x WHERE x.probe = p.id)
)
"""


@dataclass(frozen=True, slots=True)
class AskedRound:
    """Cases (row ids) that are asked together: drawn uniformly, or chosen for their promise."""

    even: tuple[int, ...]
    chosen: tuple[int, ...]

    @property
    def cases(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*self.even, *self.chosen)))


def record_round(store: RunStore, number: int, decided: AskedRound) -> None:
    """Keep a round; the caller holds the transaction."""
    store.connection.execute(
        "INSERT OR REPLACE INTO rounds VALUES (?, ?, ?)", (number, json.dumps(decided.even), json.dumps(decided.chosen))
    )


def stored_rounds(store: RunStore) -> Iterator[AskedRound]:
    """The rounds of a run, in order, read one at a time."""
    query = "SELECT number, even, chosen FROM rounds WHERE number > :last ORDER BY number LIMIT :most"
    for ((number, even, chosen),) in store.pages(query, 1, last=-1):
        plain = {"even": json.loads(even), "chosen": json.loads(chosen)}
        yield decode(AskedRound, plain, path=f"rounds.{number}")


def has_rounds(store: RunStore) -> bool:
    """Whether any case was asked in an order other than the plan's."""
    return store.row("SELECT 1 FROM rounds LIMIT 1") is not None


def find_drawn_cases(store: RunStore) -> int:
    """Put the uniformly drawn cases that were asked into the table `temp.drawn`; returns their number.

    An incomplete round is left out, and all after it: which of its cases were asked may depend on choice.
    """
    connection = store.connection
    connection.execute('CREATE TEMP TABLE IF NOT EXISTS drawn ("case" INTEGER PRIMARY KEY)')
    connection.execute("DELETE FROM temp.drawn")
    for decided in stored_rounds(store):
        even = json.dumps(decided.even)
        if store.value(_UNASKED, even):
            break
        connection.execute("INSERT OR IGNORE INTO temp.drawn SELECT value FROM json_each(?)", (even,))
    return store.count("temp.drawn")
