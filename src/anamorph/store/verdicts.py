"""Cases to judge, and their verdicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, TypeAlias

from anamorph.errors import BadRecord
from anamorph.model import GRADES, Conflict, Grade, SuspicionState, Tally, Verdict, canonical_json, decode, encode
from anamorph.model.digests import DIGEST_BYTES
from anamorph.store.run import RunStore

PAGE = 1_000
# Evidence may quote long answers, so pages of verdicts are smaller than those of cases.
ISSUE_PAGE = 100
# Intervals need sums by photo. More photos than this are put into as many groups of similar size, whose sums estimate
# the variance as well (Wolter, Introduction to Variance Estimation, 2nd ed., section 2.2), in bounded memory.
PHOTO_GROUPS = 2048
# By method, relation and tags: mentions of each name.
Mentions: TypeAlias = dict[tuple[str, str, str], dict[str, int]]


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A stored case; `claim` is the relation's JSON."""

    id: int
    digest: str
    method: str
    relation: str
    claim: str
    probes: tuple[int, ...]
    tags: str


_CASE = "c.id, lower(hex(c.digest)), c.method, c.relation, c.claim, c.tags, c.probes"
# Joins a case with its source, which says the photo that it is about.
SOURCE = "JOIN probes p ON p.id = json_extract(c.probes, '$[0]') JOIN images i ON i.id = p.image"


def case_of_row(id: int, digest: str, method: str, relation: str, claim: str, tags: str, probes: str) -> StoredCase:
    """A case from its columns."""
    return StoredCase(id, digest, method, relation, claim, tuple(json.loads(probes)), tags)


def case_pages(store: RunStore) -> Iterator[list[StoredCase]]:
    """All cases in the order of the plan, a page at a time."""
    for rows in store.pages(f"SELECT {_CASE} FROM cases c WHERE id > :last ORDER BY id LIMIT :most", PAGE):
        yield [case_of_row(*row) for row in rows]


def cases_by_id(store: RunStore, ids: Sequence[int]) -> list[StoredCase]:
    """These cases, in this order."""
    query = f"SELECT {_CASE} FROM cases c WHERE id IN (SELECT value FROM json_each(?))"
    found = {case.id: case for case in store.records(case_of_row, query, json.dumps(list(ids)))}
    return [found[id] for id in ids]


def cases_by_digest(store: RunStore, digests: Sequence[str]) -> Iterator[StoredCase]:
    """The given cases that the run has."""
    rows = store.with_digests(f"SELECT {_CASE} FROM cases c WHERE digest IN ({{}})", map(bytes.fromhex, digests))
    return (case_of_row(*row) for row in rows)


def violated_cases(store: RunStore) -> frozenset[int]:
    """The row ids of all violated cases."""
    return frozenset(store.column("SELECT \"case\" FROM verdicts WHERE outcome = 'violated'"))


def reason_of(store: RunStore, case: int) -> str:
    """The reason of a case's verdict; empty if it was not judged."""
    return str(store.value('SELECT reason FROM verdicts WHERE "case" = ?', case) or "")


def cases_with_scenes(store: RunStore, method: str | None = None) -> Iterator[tuple[int, int]]:
    """The row ids of all cases, or of a method's, each with its scene's."""
    return store.connection.execute(
        f"SELECT c.id, i.scene FROM cases c {SOURCE} WHERE ?1 IS NULL OR c.method = ?1 ORDER BY c.id", (method,)
    )


def planned_combinations(store: RunStore) -> Iterator[tuple[str, str]]:
    """Every scene with a label combination of its cases."""
    return store.connection.execute(
        f"""SELECT DISTINCT s.name, json_extract(c.tags, '$.combination') FROM cases c {SOURCE}
        JOIN scenes s ON s.id = i.scene WHERE json_extract(c.tags, '$.combination') IS NOT NULL ORDER BY c.id"""
    )


def judged_combinations(store: RunStore) -> Iterator[tuple[str, str, str, list[str]]]:
    """Every judged case about a label combination: digest, scene, combination, categories."""
    rows = store.connection.execute(
        f"""
        SELECT lower(hex(c.digest)), s.name, json_extract(c.tags, '$.combination'), json_extract(v.body, '$.categories')
        FROM cases c JOIN verdicts v ON v."case" = c.id {SOURCE} JOIN scenes s ON s.id = i.scene
        WHERE json_extract(c.tags, '$.combination') IS NOT NULL ORDER BY c.id
        """
    )
    for digest, scene, text, categories in rows:
        yield digest, scene, str(text), json.loads(categories or "[]")


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The size of a run: photos with cases, cases, images made and discarded, calls with their seconds, violations."""

    photos: int
    cases: int
    images: int
    discarded: int
    calls: int
    seconds: float
    violated: int


def run_counts(store: RunStore) -> RunCounts:
    """The size of a run."""
    row = store.row(
        f"""
        SELECT (SELECT count(DISTINCT i.scene) FROM cases c {SOURCE}),
            (SELECT count(*) FROM cases),
            (SELECT count(*) FROM images WHERE edits <> '[]' AND file IS NOT NULL AND NOT discarded),
            (SELECT count(*) FROM images WHERE edits <> '[]' AND discarded),
            (SELECT count(*) FROM answers WHERE NOT recalled),
            (SELECT total(seconds) FROM answers WHERE NOT recalled),
            (SELECT count(*) FROM verdicts WHERE outcome = 'violated')
        """
    )
    return RunCounts(*row)


def first_cases(store: RunStore) -> list[StoredCase]:
    """The first case of every method."""
    query = f"SELECT {_CASE} FROM cases c WHERE id IN (SELECT min(id) FROM cases GROUP BY method) ORDER BY id"
    return store.records(case_of_row, query)


def find_cases(store: RunStore, digest_prefix: str) -> list[StoredCase]:
    """Up to two cases with this digest prefix: two mean that it is ambiguous."""
    query = f"SELECT {_CASE} FROM cases c WHERE digest BETWEEN ? AND ? LIMIT 2"
    return store.records(case_of_row, query, *_between(digest_prefix))


def _between(digest_prefix: str) -> list[bytes]:
    """The lowest and the highest digest with this prefix."""
    return [bytes.fromhex(digest_prefix.ljust(32, digit)) for digit in "0f"]


# Fields of a verdict that have columns and tables, so not in its body.
_APART = ("outcome", "reason", "grade", "vacuous", "wrong_anyway", "score", "conflicts")


def record_verdicts(store: RunStore, verdicts: Iterable[tuple[int, Verdict]]) -> None:
    """Keep verdicts by case, with their suspicions, replacing earlier ones; the caller holds the transaction."""
    several, connection = list(verdicts), store.connection
    connection.executemany('DELETE FROM suspicions WHERE "case" = ?', [(case,) for case, _ in several])
    connection.executemany(
        "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (case, v.outcome, v.reason, v.grade, v.state, v.vacuous, v.wrong_anyway, v.score, _body(v))
            for case, v in several
        ],
    )
    connection.executemany(
        """INSERT INTO suspicions ("case", label, grade, what, probes, known, state, why)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (case, each.label, each.grade, each.what, json.dumps(each.probes), each.known, each.state, each.why)
            for case, verdict in several
            for each in verdict.conflicts
        ],
    )


def _body(verdict: Verdict) -> str:
    plain = encode(verdict)
    return canonical_json({name: value for name, value in plain.items() if name not in _APART})


VERDICT_COLUMNS = "v.outcome, v.reason, v.grade, v.vacuous, v.wrong_anyway, v.score, v.body"


def verdict_of_row(row: Sequence[Any], conflicts: Sequence[Conflict] = ()) -> Verdict:
    """A verdict from VERDICT_COLUMNS and its suspicions."""
    outcome, reason, grade, vacuous, wrong_anyway, score, body = row
    wrong = None if wrong_anyway is None else bool(wrong_anyway)
    columns = {"outcome": outcome, "reason": reason, "grade": grade, "score": score}
    verdict = decode(Verdict, {**json.loads(body), **columns, "vacuous": bool(vacuous), "wrong_anyway": wrong})
    return replace(verdict, conflicts=tuple(conflicts)) if conflicts else verdict


def suspicions_of(store: RunStore, cases: Sequence[int]) -> dict[int, list[tuple[int, Conflict]]]:
    """The suspicions of some cases, each with its row id, in the order raised."""
    found: dict[int, list[tuple[int, Conflict]]] = {}
    rows = store.rows(
        """SELECT id, "case", label, grade, what, probes, known, state, why FROM suspicions
        WHERE "case" IN (SELECT value FROM json_each(?)) ORDER BY id""",
        json.dumps(list(cases)),
    )
    for id, case, label, grade, what, probes, known, state, why in rows:
        plain = {"label": label, "grade": grade, "what": what, "probes": json.loads(probes)}
        conflict = decode(Conflict, {**plain, "known": bool(known), "state": state, "why": why})
        found.setdefault(case, []).append((id, conflict))
    return found


def _conflicts_of(store: RunStore, cases: Sequence[int]) -> dict[int, list[Conflict]]:
    return {case: [each for _, each in some] for case, some in suspicions_of(store, cases).items()}


def verdict_of(store: RunStore, case: int) -> Verdict | None:
    """The verdict on a case, if it was judged."""
    row = store.row(f'SELECT {VERDICT_COLUMNS} FROM verdicts v WHERE v."case" = ?', case)
    return verdict_of_row(row, _conflicts_of(store, [case]).get(case, ())) if row else None


def grades_of(store: RunStore, cases: Sequence[int]) -> dict[int, Grade]:
    """The grades of the given cases that are violated and have one."""
    rows = store.rows(
        """SELECT "case", grade FROM verdicts
        WHERE outcome = 'violated' AND "case" IN (SELECT value FROM json_each(?))""",
        json.dumps(list(cases)),
    )
    return {case: grade for case, found in rows for grade in GRADES if grade == found}


def issues(store: RunStore, outcomes: Sequence[str] = ("violated",)) -> Iterator[tuple[StoredCase, Verdict]]:
    """Every case with one of the outcomes and its verdict, in the order of the plan."""
    for page in issue_pages(store, outcomes):
        yield from page


def issue_pages(store: RunStore, outcomes: Sequence[str] = ("violated",)) -> Iterator[list[tuple[StoredCase, Verdict]]]:
    """As `issues`, a page at a time."""
    # Each page continues after the last: through the index of one outcome, or through the cases if there are several.
    # SQLite would sort all of them for each page; the plus keeps it from using that index.
    column = "v.outcome" if len(outcomes) == 1 else "+v.outcome"
    listed = ",".join(f"'{outcome}'" for outcome in outcomes)
    query = f"""SELECT {_CASE}, {VERDICT_COLUMNS} FROM verdicts v JOIN cases c ON c.id = v."case"
        WHERE v.outcome <> 'holds' AND {column} IN ({listed}) AND v."case" > :last ORDER BY v."case" LIMIT :most"""
    for rows in store.pages(query, ISSUE_PAGE):
        yield _with_verdicts(store, rows)


def cases_with_verdicts(store: RunStore, ids: Sequence[int]) -> Iterator[tuple[StoredCase, Verdict]]:
    """These cases with their verdicts, in this order."""
    rows = store.rows(
        f"""SELECT {_CASE}, {VERDICT_COLUMNS} FROM verdicts v JOIN cases c ON c.id = v."case"
        WHERE c.id IN (SELECT value FROM json_each(?))""",
        json.dumps(list(ids)),
    )
    found = {case.id: (case, verdict) for case, verdict in _with_verdicts(store, rows)}
    yield from (found[id] for id in ids)


def _with_verdicts(store: RunStore, rows: Sequence[Sequence[Any]]) -> list[tuple[StoredCase, Verdict]]:
    """Cases with their verdicts, from the columns of both."""
    conflicts = _conflicts_of(store, [row[0] for row in rows])
    return [(case_of_row(*row[:7]), verdict_of_row(row[7:], conflicts.get(row[0], ()))) for row in rows]


def judged_cases(store: RunStore) -> Iterator[tuple[StoredCase, Verdict | None]]:
    """Every case with its verdict, None if it was not judged, in the order of the plan."""
    for page in case_pages(store):
        rows = store.connection.execute(
            f'SELECT v."case", {VERDICT_COLUMNS} FROM verdicts v WHERE v."case" BETWEEN ? AND ?',
            (page[0].id, page[-1].id),
        )
        found = {row[0]: row[1:] for row in rows}
        conflicts = _conflicts_of(store, [case.id for case in page])
        for case in page:
            row = found.get(case.id)
            yield case, None if row is None else verdict_of_row(row, conflicts.get(case.id, ()))


# Violated cases that a baseline marks as false alarms; `write_causes` makes the table.
_SUPPRESSED = """EXISTS (SELECT 1 FROM temp.standings s WHERE s."case" = v."case" AND s.standing = 'suppressed')"""


# Uniformly drawn cases; `find_drawn_cases` makes the table.
_IN_DRAWN = """EXISTS (SELECT 1 FROM temp.drawn d WHERE d."case" = c.id)"""


def tallies(
    store: RunStore, method: str | None = None, *, against_baseline: bool = False, drawn: bool = False
) -> list[Tally]:
    """The outcomes of the cases, grouped by method, relation and tags; an unjudged case is undecided.

    With `against_baseline`, false alarms count as held; the causes must have been found through this connection. With
    `drawn`, only uniformly drawn cases count.
    """
    suppressed = _SUPPRESSED if against_baseline else "0"
    chosen = _IN_DRAWN if drawn else "1"
    rows = store.rows(
        f"""
        SELECT c.method, c.relation, c.tags, i.scene % ?2, min(c.id),
            sum(v.outcome IS 'holds' OR v.outcome IS 'lead' OR v.outcome IS 'violated' AND {suppressed}),
            sum(v.outcome IS 'violated' AND NOT {suppressed}), sum(v.outcome IS NULL OR v.outcome = 'undecided'),
            count(v.score), total(v.score), sum(v.vacuous IS 1), sum(v.outcome IS 'lead')
        FROM cases c
        LEFT JOIN verdicts v ON v."case" = c.id
        LEFT JOIN probes p ON p.id = json_extract(c.probes, '$[0]') LEFT JOIN images i ON i.id = p.image
        WHERE (?1 IS NULL OR c.method = ?1) AND {chosen}
        GROUP BY 1, 2, 3, 4
        """,
        method,
        PHOTO_GROUPS,
    )
    # An inner join would drop such cases, and a forged run would seem to have tested less.
    if any(row[3] is None for row in rows):
        raise BadRecord("cases.probes", "names a probe that is not there")
    parts, categories = (_mentions(store, method, field, suppressed, chosen) for field in ("violated", "categories"))
    return tallies_of_rows(rows, parts, categories)


def photos_of_methods(store: RunStore) -> dict[str, int]:
    """The number of photos with cases, by method."""
    return dict(store.rows(f"SELECT c.method, count(DISTINCT i.scene) FROM cases c {SOURCE} GROUP BY c.method"))


def photos_by_grade(store: RunStore) -> tuple[int, dict[str | None, int]]:
    """The number of photos with decided cases, and of those with violated ones, by grade."""
    joined = f'verdicts v JOIN cases c ON c.id = v."case" {SOURCE}'
    decided = store.value(f"SELECT count(DISTINCT i.scene) FROM {joined} WHERE v.outcome <> 'undecided'")
    by_grade = f"SELECT v.grade, count(DISTINCT i.scene) FROM {joined} WHERE v.outcome = 'violated' GROUP BY 1"
    return decided, dict(store.rows(by_grade))


def violated_photos(store: RunStore) -> int:
    """The number of photos with a violated case."""
    count = store.value(
        f"""SELECT count(DISTINCT i.scene) FROM verdicts v JOIN cases c ON c.id = v."case" {SOURCE}
        WHERE v.outcome = 'violated'"""
    )
    return int(count)


def change_counts(store: RunStore, most: int) -> Iterator[tuple[str, str, int, int]]:
    """For methods whose cases have several follow-ups: their edits as JSON, with the number tested and in conflict, the
    most conflicts first; nothing for a method with more than `most` different ones.
    """
    for case in first_cases(store):
        if len(case.probes) < 3:
            continue
        rows = store.rows(
            """
            SELECT i.edits, count(*) AS tested, sum(v.outcome = 'violated' AND EXISTS (
                SELECT 1 FROM suspicions k, json_each(k.probes) place
                WHERE k."case" = c.id AND place.value = probe.key
                    AND (k.state = 'proved' OR v.state IS NOT 'proved'))) AS broken
            FROM cases c JOIN verdicts v ON v."case" = c.id AND v.outcome <> 'undecided', json_each(c.probes) probe
            JOIN probes p ON p.id = probe.value JOIN images i ON i.id = p.image
            WHERE c.method = ? AND probe.key > 0 AND i.edits <> '[]' GROUP BY 1 ORDER BY 3 DESC, 2, 1 LIMIT ?
            """,
            case.method,
            most + 1,
        )
        if 1 < len(rows) <= most:
            yield from ((case.method, *row) for row in rows)


def tallies_of_rows(
    rows: Iterable[Sequence[Any]], parts: Mentions | None = None, kinds: Mentions | None = None
) -> list[Tally]:
    """Tallies in the order of the plan from rows by method, relation, tags and photo: first case, holds, violated,
    undecided, graded, score, vacuous and leads.
    """
    groups: dict[tuple[str, str, str], list[Sequence[Any]]] = {}
    for method, relation, tags, *counts in rows:
        groups.setdefault((method, relation, tags), []).append(counts)
    found: list[tuple[int, Tally]] = []
    for key, photos in groups.items():
        method, relation, tags = key
        clusters, firsts, *counts = zip(*photos, strict=True)
        holds, violated, undecided, graded, score, vacuous, leads = map(sum, counts)
        tally = Tally(
            method,
            relation,
            json.loads(tags),
            holds,
            violated,
            undecided,
            parts=(parts or {}).get(key, {}),
            categories=(kinds or {}).get(key, {}),
            clusters={at: (good + bad, bad) for at, good, bad in zip(clusters, *counts[:2], strict=True) if good + bad},
            graded=graded,
            score=score,
            vacuous=vacuous,
            leads=leads,
        )
        found.append((min(firsts), tally))
    return [tally for _, tally in sorted(found, key=itemgetter(0))]


def _mentions(store: RunStore, method: str | None, field: str, suppressed: str, chosen: str) -> Mentions:
    """Mentions of each part or category in verdicts, by method, relation and tags."""
    rows = store.connection.execute(
        f"""
        SELECT c.method, c.relation, c.tags, named.value, count(*)
        FROM verdicts v JOIN cases c ON c.id = v."case", json_each(v.body, ?2) AS named
        WHERE (?1 IS NULL OR c.method = ?1) AND v.outcome <> 'lead'
            AND coalesce(v.state, 'proved') IN ('proved', 'open') AND NOT {suppressed} AND {chosen}
        GROUP BY 1, 2, 3, 4 ORDER BY 4
        """,
        (method, f"$.{field}"),
    )
    found: Mentions = {}
    for name, relation, tags, named, count in rows:
        found.setdefault((name, relation, tags), {})[named] = count
    return found


@dataclass(frozen=True, slots=True)
class GradedViolations:
    """How many violated cases of a method, a relation and a photo have one grade; None if one has none.

    `known` if a baseline has them.
    """

    method: str
    relation: str
    cluster: int
    grade: Grade | None
    wrong_anyway: bool | None
    state: SuspicionState | None
    cases: int
    known: bool = False


def graded_violations(
    store: RunStore, *, against_baseline: bool = False, drawn: bool = False
) -> list[GradedViolations]:
    """The violated cases by grade, with the same photos and cases as `tallies`."""
    known = """(SELECT s.standing IS 'known' FROM temp.standings s WHERE s."case" = v."case")"""
    rows = store.connection.execute(
        f"""
        SELECT c.method, c.relation, i.scene % ?, v.grade, v.wrong_anyway, v.state,
            {known if against_baseline else 0}, count(*)
        FROM verdicts v JOIN cases c ON c.id = v."case" {SOURCE}
        WHERE v.outcome = 'violated' AND NOT {_SUPPRESSED if against_baseline else 0} AND {_IN_DRAWN if drawn else 1}
        GROUP BY 1, 2, 3, 4, 5, 6, 7
        """,
        (PHOTO_GROUPS,),
    )
    return [
        GradedViolations(
            method, relation, cluster, grade, None if wrong is None else bool(wrong), state, cases, bool(known)
        )
        for method, relation, cluster, grade, wrong, state, known, cases in rows
    ]


def is_decided(store: RunStore, digest_prefix: str) -> bool:
    """Whether the run has a case with this digest prefix that was decided, and not vacuously."""
    decided = store.value(
        """SELECT v.outcome <> 'undecided' AND v.vacuous IS NOT 1
        FROM cases c JOIN verdicts v ON v."case" = c.id WHERE c.digest BETWEEN ? AND ?""",
        *_between(digest_prefix),
    )
    return bool(decided)


def digest_of_plan(store: RunStore) -> str:
    """A digest of the set of all cases."""
    found = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for (digest,) in store.connection.execute("SELECT digest FROM cases ORDER BY digest"):
        found.update(digest)
    return found.hexdigest()


@dataclass(frozen=True, slots=True)
class SuspicionCounts:
    """The number of suspicions by state, and of cases by the weightiest state of theirs."""

    suspicions: dict[SuspicionState, int]
    cases: dict[SuspicionState, int]


def count_suspicions(store: RunStore) -> SuspicionCounts:
    """The suspicions of a run by state."""
    suspicions = store.rows("SELECT state, count(*) FROM suspicions GROUP BY state")
    cases = store.rows("SELECT state, count(*) FROM verdicts WHERE state IS NOT NULL GROUP BY state")
    return SuspicionCounts(dict(suspicions), dict(cases))


def unfair_by_rule(store: RunStore, most: int = 5) -> list[tuple[str, str, int, int]]:
    """The rules whose edits were unfair most often: the method, the tag of its cases, the number unfair, and the number
    judged."""
    return store.rows(
        """SELECT c.method, t.key || ' ' || t.value AS rule, sum(v.state IS 'unfair') AS n, count(*)
        FROM cases c JOIN verdicts v ON v."case" = c.id, json_each(c.tags) t
        GROUP BY c.method, rule HAVING n > 0 ORDER BY n DESC, c.method, rule LIMIT ?""",
        most,
    )


def lead_reasons(store: RunStore, most: int = 5) -> list[tuple[str, int]]:
    """The most common reasons for leads, with counts."""
    return store.rows(
        "SELECT why, count(*) AS n FROM suspicions WHERE state = 'lead' GROUP BY why ORDER BY n DESC, why LIMIT ?", most
    )


def undecided_reasons(store: RunStore, most: int = 5) -> list[tuple[str, int]]:
    """The most common reasons for undecided cases, with counts."""
    return store.rows(
        """SELECT reason, count(*) AS n FROM verdicts WHERE outcome = 'undecided'
        GROUP BY reason ORDER BY n DESC, reason LIMIT ?""",
        most,
    )


def noise_of_relations(store: RunStore, repeats: int | None = None) -> dict[tuple[str, str], tuple[int, int]]:
    """By method and relation: of the probes answered more than once, how many got different answers, and the total.

    With the `repeats` of the run, attempts made for proofs are left out: they are biased to answers that looked wrong.
    """
    rows = store.rows(
        """
        WITH repeated AS (
            SELECT probe, count(DISTINCT coalesce(text, labels)) > 1 AS differs FROM answers
            WHERE ?1 IS NULL OR attempt < ?1 GROUP BY probe HAVING count(*) > 1
        )
        SELECT method, relation, sum(differs), count(*) FROM (
            SELECT DISTINCT c.method, c.relation, r.probe, r.differs
            FROM cases c, json_each(c.probes) j JOIN repeated r ON r.probe = j.value
        ) GROUP BY 1, 2
        """,
        repeats,
    )
    return {(method, relation): (int(differing), int(count)) for method, relation, differing, count in rows}


def flake_counts(store: RunStore, repeats: int | None = None) -> tuple[int, int]:
    """Of the probes answered more than once: how many got different answers, and the total.

    With the `repeats` of the run, only of the plan: proofs repeat answers that looked wrong.
    """
    differing, count = store.row(
        """
        SELECT coalesce(sum(differing > 1), 0), count(*) FROM (
            SELECT count(DISTINCT coalesce(text, labels)) AS differing FROM answers
            WHERE ?1 IS NULL OR attempt < ?1 AND (SELECT round FROM probes p WHERE p.id = probe) = 0
            GROUP BY probe HAVING count(*) > 1
        )
        """,
        repeats,
    )
    return int(differing), int(count)
