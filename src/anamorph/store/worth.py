"""Temporary tables for the order by worth: all cases in random order, their arms, and which were taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from anamorph.errors import BadRecord
from anamorph.store.run import RunStore

_TABLES = """
CREATE TEMP TABLE IF NOT EXISTS worth_cases (place INTEGER PRIMARY KEY, "case" INTEGER, arm INTEGER, scene INTEGER);
CREATE INDEX IF NOT EXISTS temp.worth_by_arm ON worth_cases (arm, place);
CREATE INDEX IF NOT EXISTS temp.worth_by_case ON worth_cases ("case");
CREATE TEMP TABLE IF NOT EXISTS worth_taken ("case" INTEGER PRIMARY KEY);
DELETE FROM temp.worth_cases;
DELETE FROM temp.worth_taken
"""
# Digests are pseudorandom, so their order, starting at a random one, is a random order.
_SHUFFLED = """
SELECT c.id, c.method, c.relation, c.claim, p.question, i.scene, json_extract(s.body, '$.things[0].label')
FROM cases c JOIN probes p ON p.id = json_extract(c.probes, '$[0]') JOIN images i ON i.id = p.image
JOIN scenes s ON s.id = i.scene WHERE c.digest {} ? ORDER BY c.digest
"""


class ShuffledCase(NamedTuple):
    """A case: its relation as JSON, its source's question, its scene and the scene's first class."""

    id: int
    method: str
    relation: str
    claim: str
    question: str | None
    scene: int
    first_class: str | None


class CasePlace(NamedTuple):
    """The place of a case in the random order, its arm and its scene."""

    place: int
    arm: int
    scene: int


class WorthTables:
    """The cases of a run in a random order that starts at a digest; `arm_of` assigns each to an arm."""

    def __init__(self, store: RunStore, start: bytes, arm_of: Callable[[ShuffledCase], int]) -> None:
        self._store, self._connection = store, store.connection
        self._connection.executescript(_TABLES)

        def rows() -> Iterator[tuple[int, int, int]]:
            for comparison in (">=", "<"):
                for row in self._connection.execute(_SHUFFLED.format(comparison), (start,)):
                    case = ShuffledCase(*row)
                    yield case.id, arm_of(case), case.scene

        self._connection.executemany('INSERT INTO temp.worth_cases ("case", arm, scene) VALUES (?, ?, ?)', rows())

    def take(self, case: int) -> bool:
        """Note that a case is asked; False if it was noted before."""
        return bool(self._connection.execute("INSERT OR IGNORE INTO temp.worth_taken VALUES (?)", (case,)).rowcount)

    def place_of(self, case: int) -> CasePlace:
        """The place of a case; BadRecord if the run has no such case."""
        row = self._store.row('SELECT place, arm, scene FROM temp.worth_cases WHERE "case" = ?', case)
        if row is None:
            raise BadRecord("order", f"names the case {case}, which is not there")
        return CasePlace(*row)

    def after(self, place: int, most: int) -> list[int]:
        """The next cases of the random order, taken or not."""
        return self._store.column(
            'SELECT "case" FROM temp.worth_cases WHERE place > ? ORDER BY place LIMIT ?', place, most
        )

    def free(self, arm: int, place: int) -> Iterator[tuple[int, int, int]]:
        """The cases of an arm, from a place on, that are not taken: place, case and scene."""
        return self._connection.execute(
            """SELECT w.place, w."case", w.scene FROM temp.worth_cases w
            WHERE w.arm = ? AND w.place >= ?
                AND NOT EXISTS (SELECT 1 FROM temp.worth_taken t WHERE t."case" = w."case")
            ORDER BY w.place""",
            (arm, place),
        )
