"""The cases that several runs share, and each run's outcomes."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamorph.model import GRADES, Grade, Tally
from anamorph.store.run import RUN_FILE
from anamorph.store.schema import read_only_address
from anamorph.store.verdicts import PHOTO_GROUPS, tallies_of_rows

# A case is the same in two runs if its digest (scene, edits, questions, relation, tags) and the bytes of its source
# image are; if a run kept no image, because its system does not look, the digest alone.
_TABLES = """
CREATE TABLE shared (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, method TEXT, relation TEXT, tags TEXT, scene INTEGER,
    file TEXT
);
CREATE TABLE outcomes (
    "case" INTEGER, run INTEGER, outcome TEXT NOT NULL, grade TEXT, lead INTEGER NOT NULL, PRIMARY KEY ("case", run)
) WITHOUT ROWID;
CREATE TABLE scenes (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""
_SPLIT = """
SELECT lower(hex(s.digest)), s.method, s.relation, (SELECT name FROM scenes WHERE scenes.id = s.scene),
    CASE WHEN a.outcome = 'violated' THEN ?1 ELSE ?2 END, CASE WHEN a.outcome = 'violated' THEN a.grade ELSE b.grade END
FROM shared s JOIN outcomes a ON a."case" = s.id AND a.run = ?1 JOIN outcomes b ON b."case" = s.id AND b.run = ?2
"""
_SOURCE = "JOIN r.probes p ON p.id = json_extract(c.probes, '$[0]') JOIN r.images i ON i.id = p.image"


PAIR_COUNTS = ("decided", "first", "second", "only_first", "only_second")


@dataclass(frozen=True, slots=True)
class PhotoPair:
    """The cases of a photo that two runs decided: how many each violates, and how many only one does."""

    method: str
    relation: str
    photo: int
    decided: int
    first: int
    second: int
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True)
class SplitCase:
    """A case that one of two runs violates and the other meets; the grade is that of the violation."""

    digest: str
    method: str
    relation: str
    scene: str
    failing: int
    grade: Grade | None


@dataclass(frozen=True, slots=True)
class SharedCases:
    """The cases that runs share, in a temporary database; runs are numbered in their order."""

    connection: sqlite3.Connection

    @property
    def count(self) -> int:
        return int(self.connection.execute("SELECT count(*) FROM shared").fetchone()[0])

    def tallies(self, run: int) -> list[Tally]:
        """One run's outcomes of the shared cases."""
        rows = self.connection.execute(
            """
            SELECT s.method, s.relation, s.tags, s.scene % ?2, min(s.id), sum(o.outcome = 'holds'),
                sum(o.outcome = 'violated'), sum(o.outcome = 'undecided'), 0, 0.0, 0, sum(o.lead)
            FROM shared s JOIN outcomes o ON o."case" = s.id AND o.run = ?1
            GROUP BY 1, 2, 3, 4
            """,
            (run, PHOTO_GROUPS),
        )
        return tallies_of_rows(rows)

    def pairs(self, first: int, second: int) -> Iterator[PhotoPair]:
        """The cases that both runs decided, by method, relation and photo."""
        rows = self.connection.execute(
            """
            SELECT s.method, s.relation, s.scene % ?3, count(*),
                sum(a.outcome = 'violated'), sum(b.outcome = 'violated'),
                sum(a.outcome = 'violated' AND b.outcome = 'holds'), sum(a.outcome = 'holds' AND b.outcome = 'violated')
            FROM shared s
            JOIN outcomes a ON a."case" = s.id AND a.run = ?1 JOIN outcomes b ON b."case" = s.id AND b.run = ?2
            WHERE a.outcome <> 'undecided' AND b.outcome <> 'undecided'
            GROUP BY s.method, s.relation, s.scene % ?3 ORDER BY min(s.id)
            """,
            (first, second, PHOTO_GROUPS),
        )
        return (PhotoPair(*row) for row in rows)

    def splits(self, first: int, second: int) -> Iterator[SplitCase]:
        """Every case that one of two runs violates and the other meets, in the order of the plan."""
        rows = self.connection.execute(
            f"""
            {_SPLIT}
            WHERE a.outcome <> b.outcome AND a.outcome <> 'undecided' AND b.outcome <> 'undecided' ORDER BY s.id
            """,
            (first, second),
        )
        return (_split_case(*row) for row in rows)

    def clearest_splits(self, failing: int, holding: int, most: int) -> list[SplitCase]:
        """At most `most` cases that one run violates and the other meets: the surest first, each scene once at first.

        Of the cases of one scene, the first in the plan comes first.
        """
        ranks = " ".join(f"WHEN '{grade}' THEN {rank}" for rank, grade in enumerate(GRADES))
        rows = self.connection.execute(
            f"""
            {_SPLIT}
            WHERE a.outcome = 'violated' AND b.outcome = 'holds'
            ORDER BY row_number() OVER (
                PARTITION BY s.scene ORDER BY CASE a.grade {ranks} ELSE {len(GRADES)} END, s.id
            ), CASE a.grade {ranks} ELSE {len(GRADES)} END, s.id LIMIT ?3
            """,
            (failing, holding, most),
        )
        return [_split_case(*row) for row in rows]

    def decided(self, run: int) -> dict[int, int]:
        """The number of cases that a run decided, by photo or group of photos."""
        rows = self.connection.execute(
            """
            SELECT s.scene % ?2, count(*) FROM shared s JOIN outcomes o ON o."case" = s.id AND o.run = ?1
            WHERE o.outcome <> 'undecided' GROUP BY 1
            """,
            (run, PHOTO_GROUPS),
        )
        return dict(rows.fetchall())

    def graded(self, run: int) -> dict[Grade | None, dict[int, int]]:
        """The number of cases that a run violates, by grade, and by photo or group of photos."""
        found: dict[Grade | None, dict[int, int]] = {}
        rows = self.connection.execute(
            """
            SELECT o.grade, s.scene % ?2, count(*) FROM shared s JOIN outcomes o ON o."case" = s.id AND o.run = ?1
            WHERE o.outcome = 'violated' GROUP BY 1, 2
            """,
            (run, PHOTO_GROUPS),
        )
        for grade, photo, number in rows:
            found.setdefault(_grade(grade), {})[photo] = number
        return found


def _split_case(digest: str, method: str, relation: str, scene: str, failing: int, grade: str | None) -> SplitCase:
    return SplitCase(digest, method, relation, scene, failing, _grade(grade))


def _grade(stored: object) -> Grade | None:
    return next((grade for grade in GRADES if grade == stored), None)


@contextlib.contextmanager
def shared_cases(folders: Sequence[Path]) -> Iterator[SharedCases]:
    """The cases that all of these runs have; any number of runs, opened one at a time."""
    connection = sqlite3.connect("", isolation_level=None, uri=True)
    try:
        connection.executescript(_TABLES)
        for place, folder in enumerate(folders):
            with _attached(connection, folder):
                if place == 0:
                    connection.execute("INSERT INTO scenes SELECT id, name FROM r.scenes")
                    connection.execute(
                        f"""
                        INSERT INTO shared (id, digest, method, relation, tags, scene, file)
                        SELECT c.id, c.digest, c.method, c.relation, c.tags, i.scene, i.file FROM r.cases c {_SOURCE}
                        """
                    )
                else:
                    connection.execute(
                        f"""
                        DELETE FROM shared WHERE NOT EXISTS (
                            SELECT 1 FROM r.cases c {_SOURCE} WHERE c.digest = shared.digest
                            AND (i.file IS NULL OR shared.file IS NULL OR i.file = shared.file)
                        )
                        """
                    )
        for place, folder in enumerate(folders):
            with _attached(connection, folder):
                # A run of an earlier schema has the grade in the body of a verdict, and no leads.
                columns = {row[1] for row in connection.execute("PRAGMA r.table_info(verdicts)")}
                grade = "v.grade" if "grade" in columns else "json_extract(v.body, '$.grade')"
                # A lead does not count, so its case holds.
                connection.execute(
                    f"""
                    INSERT INTO outcomes
                    SELECT s.id, ?, CASE v.outcome WHEN 'lead' THEN 'holds' ELSE coalesce(v.outcome, 'undecided') END,
                        CASE WHEN v.outcome = 'violated' THEN {grade} END, v.outcome IS 'lead'
                    FROM shared s JOIN r.cases c ON c.digest = s.digest LEFT JOIN r.verdicts v ON v."case" = c.id
                    """,
                    (place,),
                )
        yield SharedCases(connection)
    finally:
        connection.close()


@contextlib.contextmanager
def _attached(connection: sqlite3.Connection, folder: Path) -> Iterator[None]:
    connection.execute("ATTACH ? AS r", (read_only_address(folder / RUN_FILE),))
    try:
        yield
    finally:
        connection.execute("DETACH r")
