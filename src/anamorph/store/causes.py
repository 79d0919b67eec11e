"""The issues of a run by scene, and their causes.

The causes stage keeps them in the run. Against a baseline, and for a read-only run, they are in temporary tables of the
same names, which SQLite finds first.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anamorph.model import GRADES, Conflict, Grade, Verdict, canonical_json, digest_of_text
from anamorph.statistics.blame import CauseKind, SceneCause, Standing, Violation, grade_rank
from anamorph.store.run import RunStore
from anamorph.store.verdicts import ISSUE_PAGE, SOURCE, StoredCase, cases_with_verdicts, suspicions_of

_BATCH = 1_000
# The fact that the run's causes match its verdicts.
CAUSES_FOUND = "causes_found"

_COLUMNS = """
    digest TEXT NOT NULL,
    scene INTEGER NOT NULL,
    what TEXT NOT NULL,
    label TEXT NOT NULL,
    grade INTEGER NOT NULL,
    blamed INTEGER NOT NULL,
    cases INTEGER NOT NULL,
    methods TEXT NOT NULL,
    example INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    standing TEXT
"""
# Emptied, not dropped: SQLite drops no table while a connection reads any other.
_FOUND = f"""
CREATE TEMP TABLE IF NOT EXISTS found_causes (id INTEGER PRIMARY KEY, {_COLUMNS});
CREATE TEMP TABLE IF NOT EXISTS found_cases ("case" INTEGER NOT NULL, cause INTEGER NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS found_ranks (found INTEGER PRIMARY KEY, rank INTEGER NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS standings ("case" INTEGER PRIMARY KEY, standing TEXT NOT NULL);
DELETE FROM temp.found_causes;
DELETE FROM temp.found_cases;
DELETE FROM temp.found_ranks;
DELETE FROM temp.standings
"""
_BESIDE = f"""
CREATE TEMP TABLE IF NOT EXISTS causes (rank INTEGER PRIMARY KEY, {_COLUMNS});
CREATE TEMP TABLE IF NOT EXISTS cause_cases ("case" INTEGER, cause INTEGER, PRIMARY KEY ("case", cause)) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS ranked_issues (rank INTEGER PRIMARY KEY, "case" INTEGER, cause INTEGER);
CREATE TEMP TABLE IF NOT EXISTS patterns (rank INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS causes_beside (found INTEGER);
"""
_EMPTY = """
DELETE FROM causes;
DELETE FROM cause_cases;
DELETE FROM ranked_issues;
DELETE FROM patterns
"""
# Rows are numbered in insertion order: causes new to a baseline first, then by grade and number of cases; issues by
# the first of their causes, its clearest example first.
_RANK = """
INSERT INTO temp.found_ranks (rank, found)
SELECT row_number() OVER (ORDER BY standing IS 'known', grade, what = 'number', cases DESC, example, id), id
FROM temp.found_causes;
INSERT INTO causes (rank, digest, scene, what, label, grade, blamed, cases, methods, example, answers, standing)
SELECT r.rank, digest, scene, what, label, grade, blamed, cases, methods, example, answers, standing
FROM temp.found_causes f JOIN temp.found_ranks r ON r.found = f.id;
INSERT INTO cause_cases SELECT f."case", r.rank FROM temp.found_cases f JOIN temp.found_ranks r ON r.found = f.cause;
INSERT INTO ranked_issues ("case", cause)
SELECT f."case", c.rank FROM (SELECT "case", min(cause) AS cause FROM cause_cases GROUP BY "case") f
JOIN causes c ON c.rank = f.cause ORDER BY c.rank, f."case" <> c.example, f."case";
DELETE FROM temp.found_causes;
DELETE FROM temp.found_cases;
DELETE FROM temp.found_ranks
"""
# Against a baseline, a case is new if one of its causes is; one with no cause left is a false alarm.
_STAND = """
INSERT INTO temp.standings SELECT o."case", CASE WHEN max(k.standing IS 'new') THEN 'new' ELSE 'known' END
FROM cause_cases o JOIN causes k ON k.rank = o.cause GROUP BY o."case";
INSERT INTO temp.standings SELECT v."case", 'suppressed' FROM verdicts v
WHERE v.outcome = 'violated' AND NOT EXISTS (SELECT 1 FROM cause_cases o WHERE o."case" = v."case")
"""


@dataclass(frozen=True, slots=True)
class StoredCause:
    """A stored cause; `scene` and `blamed` are row ids, `example` is a case's digest."""

    rank: int
    digest: str
    scene: int
    what: CauseKind
    label: str
    grade: Grade | None
    blamed: int
    cases: int
    methods: tuple[str, ...]
    example: str
    answers: int
    standing: Standing | None


@dataclass(frozen=True, slots=True)
class SceneIssues:
    """The issues of one scene, and the claims of the cases by follow-up."""

    scene: int
    name: str
    violations: Sequence[Violation]
    claims: Mapping[int, str]


def issues_by_scene(store: RunStore) -> Iterator[SceneIssues]:
    """Every issue, a scene at a time; a case belongs to the scene of its source."""
    rows = store.connection.execute(
        f"""
        SELECT i.scene, (SELECT name FROM scenes s WHERE s.id = i.scene), c.id, c.method, c.relation, p.question,
            c.probes, c.claim, v.grade
        FROM verdicts v JOIN cases c ON c.id = v."case" {SOURCE}
        WHERE v.outcome = 'violated' ORDER BY i.scene, c.id
        """
    )
    for (scene, name), some in itertools.groupby(rows, key=lambda row: (row[0], row[1])):
        yield _scene_issues(store, scene, name, list(some))


def _scene_issues(store: RunStore, scene: int, name: str, rows: Sequence[Sequence[Any]]) -> SceneIssues:
    probes_of = {row[2]: tuple(json.loads(row[6])) for row in rows}
    counts = _edit_counts(store, list(dict.fromkeys(probe for probes in probes_of.values() for probe in probes)))
    violations: list[Violation] = []
    claims: dict[int, str] = {}
    suspicions = suspicions_of(store, list(probes_of))
    for _, _, case, method, relation, question, _, claim, grade in rows:
        probes = probes_of[case]
        claims.update((probe, claim) for probe in probes[1:])
        violations.append(
            Violation(
                case,
                method,
                grade if grade in GRADES else None,
                probes,
                sum(counts[probe] for probe in probes),
                ("relation", relation) if question is None else ("answer", question),
                tuple(_conflicts([each for _, each in suspicions.get(case, ())], probes)),
            )
        )
    return SceneIssues(scene, name, violations, claims)


def _conflicts(suspicions: Sequence[Conflict], probes: Sequence[int]) -> Iterator[Conflict]:
    """Proved conflicts, or all conflicts of a run that was judged before there were proofs; with ids of probes."""
    proved = [each for each in suspicions if each.state == "proved"]
    for each in proved or suspicions:
        if each.what != "answer":
            yield replace(each, probes=tuple(probes[place] for place in each.probes))


def _edit_counts(store: RunStore, probes: Sequence[int]) -> dict[int, int]:
    rows = store.rows(
        """SELECT p.id, json_array_length(i.edits) FROM probes p JOIN images i ON i.id = p.image
        WHERE p.id IN (SELECT value FROM json_each(?))""",
        json.dumps(probes),
    )
    return dict(rows)


def classes_of_scenes(store: RunStore) -> dict[str, int]:
    """The number of scenes known to have each class."""
    rows = store.rows(
        """
        SELECT label, count(*) FROM (
            SELECT s.id, json_extract(t.value, '$.label') AS label FROM scenes s, json_each(s.body, '$.things') t
            UNION SELECT s.id, l.value FROM scenes s, json_each(s.body, '$.labels') l
        ) GROUP BY label
        """
    )
    return {str(label): int(count) for label, count in rows}


def write_causes(
    store: RunStore,
    found: Iterable[tuple[SceneIssues, Sequence[SceneCause]]],
    *,
    beside: bool = False,
    against_baseline: bool = False,
) -> None:
    """Replace the causes: in the run, or `beside` it until the connection is closed; and the standing of each violated
    case, if the causes have one.
    """
    connection = store.connection
    connection.execute("SAVEPOINT causes")
    try:
        for statement in f"{_BESIDE if beside else ''}{_FOUND};{_EMPTY}".split(";"):
            connection.execute(statement)
        number = 0
        for issues, causes in found:
            rows, cases = [], []
            for cause, digest in zip(causes, cause_digests(store, issues, causes), strict=True):
                number += 1
                rows.append(_row(number, issues, cause, digest))
                cases += [(case, number) for case in cause.cases]
            connection.executemany("INSERT INTO temp.found_causes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            connection.executemany("INSERT INTO temp.found_cases VALUES (?, ?)", cases)
        for statement in (_RANK + (f";{_STAND}" if against_baseline else "")).split(";"):
            connection.execute(statement)
        if not beside:
            store.set_fact(CAUSES_FOUND, True)
    except BaseException:
        connection.execute("ROLLBACK TO causes")
        raise
    finally:
        connection.execute("RELEASE causes")


def write_patterns(store: RunStore, patterns: Iterable[Mapping[str, Any]]) -> None:
    """Keep the patterns found in the causes."""
    store.connection.execute("DELETE FROM patterns")
    store.connection.executemany(
        "INSERT INTO patterns (body) VALUES (?)", [(canonical_json(dict(each)),) for each in patterns]
    )


def stored_patterns(store: RunStore) -> list[Mapping[str, Any]]:
    """The patterns, in order."""
    return store.records(json.loads, "SELECT body FROM patterns ORDER BY rank")


def forget_causes(store: RunStore) -> None:
    """Note that the run's verdicts changed since its causes were found; the caller holds the transaction."""
    store.forget_fact(CAUSES_FOUND)


def cause_digests(store: RunStore, issues: SceneIssues, causes: Sequence[SceneCause]) -> list[str]:
    """The digests of a scene's causes."""
    query = "SELECT id, hex(digest) FROM probes WHERE id IN (SELECT value FROM json_each(?))"
    probes = dict(store.rows(query, json.dumps([cause.blamed for cause in causes])))
    return [cause_digest(issues.name, cause.what, cause.label, probes[cause.blamed]) for cause in causes]


def cause_digest(scene: str, what: CauseKind, label: str, blamed: str) -> str:
    """The digest of a cause: the kind of error, the class, the scene, and the blamed probe."""
    return digest_of_text(canonical_json([scene, what, label, blamed.upper()]))


def _row(number: int, issues: SceneIssues, cause: SceneCause, digest: str) -> tuple[Any, ...]:
    return (
        number,
        digest,
        issues.scene,
        cause.what,
        cause.label,
        grade_rank(cause.grade),
        cause.blamed,
        len(cause.cases),
        json.dumps(cause.methods),
        cause.example,
        cause.answers,
        cause.standing,
    )


def case_digests(store: RunStore, cases: Sequence[int]) -> dict[int, str]:
    """The digests of some cases."""
    query = "SELECT id, lower(hex(digest)) FROM cases WHERE id IN (SELECT value FROM json_each(?))"
    return dict(store.rows(query, json.dumps(list(cases))))


def has_causes(store: RunStore) -> bool:
    """Whether there are causes: in the run, or written through this connection."""
    # A read-only run of an earlier schema has empty tables of these names from the start.
    row = store.row("SELECT 1 FROM temp.sqlite_master WHERE name = 'causes_beside'")
    return row is not None or bool(store.fact(CAUSES_FOUND, False))


def count_causes(store: RunStore) -> int:
    """The number of causes."""
    return store.count("causes")


_CAUSE = """
    SELECT k.rank, k.digest, k.scene, k.what, k.label, k.grade, k.blamed, k.cases, k.methods, lower(hex(c.digest)),
        k.answers, k.standing
    FROM causes k JOIN cases c ON c.id = k.example
"""


def count_standings(store: RunStore) -> dict[str, int]:
    """How many violated cases are known, new or suppressed by a baseline."""
    return dict(store.rows("SELECT standing, count(*) FROM temp.standings GROUP BY 1"))


def stored_causes(store: RunStore) -> Iterator[StoredCause]:
    """Every cause, the surest first, then the most common."""
    for rows in store.pages(f"{_CAUSE} WHERE k.rank > :last ORDER BY k.rank LIMIT :most", _BATCH):
        yield from itertools.starmap(_stored, rows)


def causes_with_cases(store: RunStore) -> Iterator[tuple[str, str, CauseKind, str, str, list[str]]]:
    """Every cause with its scene's name, what, label, blamed probe's digest, and the digests of its cases."""
    rows = store.connection.execute(
        """
        SELECT k.digest, s.name, k.what, k.label, lower(hex(p.digest)), lower(hex(c.digest))
        FROM causes k JOIN scenes s ON s.id = k.scene JOIN probes p ON p.id = k.blamed
        JOIN cause_cases o ON o.cause = k.rank JOIN cases c ON c.id = o."case" ORDER BY k.rank
        """
    )
    for cause, some in itertools.groupby(rows, key=lambda row: row[:5]):
        digest, scene, what, label, blamed = cause
        yield digest, scene, what, label, blamed, [row[5] for row in some]


def causes_of_cases(store: RunStore, cases: Sequence[int]) -> dict[int, list[StoredCause]]:
    """The causes of some issues, the first one first."""
    found: dict[int, list[StoredCause]] = {case: [] for case in cases}
    rows = store.connection.execute(
        f"""
        SELECT o."case", k.* FROM cause_cases o JOIN ({_CAUSE}) k ON k.rank = o.cause
        WHERE o."case" IN (SELECT value FROM json_each(?)) ORDER BY o."case", o.cause
        """,
        (json.dumps(list(cases)),),
    )
    for case, *row in rows:
        found[case].append(_stored(*row))
    return found


def ranked_issues(store: RunStore) -> Iterator[tuple[StoredCase, Verdict]]:
    """Every issue with its verdict: by cause, the surest first, its clearest example before the others."""
    query = """
        SELECT r.rank, c.id FROM ranked_issues r JOIN cases c ON c.id = r."case"
        JOIN verdicts v ON v."case" = c.id AND v.outcome = 'violated'
        WHERE r.rank > :last ORDER BY r.rank LIMIT :most"""
    for rows in store.pages(query, ISSUE_PAGE):
        yield from cases_with_verdicts(store, [case for _, case in rows])


def _stored(*row: Any) -> StoredCause:
    cause = StoredCause(*row)
    grade = GRADES[row[5]] if row[5] < len(GRADES) else None
    return replace(cause, grade=grade, methods=tuple(json.loads(row[8])))
