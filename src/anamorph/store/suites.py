"""Outcomes for JUnit files: scene by scene within a method and relation.

A scene fails if any of its cases is violated, and is skipped if none is but some are undecided, which must not look
like a pass. A case belongs to the scene of its source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anamorph.store.run import RunStore

_CASES = """
    FROM cases c JOIN probes p ON p.id = json_extract(c.probes, '$[0]') JOIN images i ON i.id = p.image
    LEFT JOIN verdicts v ON v."case" = c.id
"""
# Of the grades that the gate counts; a violation without a grade always counts.
_COUNTED = """(v.outcome IS 'violated' AND (json_array_length(?1) = 0
    OR coalesce(v.grade IN (SELECT value FROM json_each(?1)), 1)))"""
# Against a baseline, known issues do not count, and false alarms count as held.
_STANDING = """(SELECT s.standing FROM temp.standings s WHERE s."case" = c.id)"""
_OUTCOME = f"CASE WHEN {_STANDING} IS 'suppressed' THEN 'holds' ELSE v.outcome END"


class SuiteTotals(NamedTuple):
    """The number of scenes of a method and relation: all, failed, and skipped."""

    method: str
    relation: str
    scenes: int
    failed: int
    skipped: int


class SuiteCase(NamedTuple):
    """A case in its suite and scene; `certainty` has its grade, state and standing, `counted` if the gate counts it."""

    method: str
    relation: str
    scene: int
    name: str
    digest: str
    outcome: str | None
    reason: str | None
    certainty: str
    counted: int


def suite_totals(store: RunStore, grades: Sequence[str], *, against_baseline: bool) -> list[SuiteTotals]:
    """Every method and relation; `grades` are those that the gate counts, or none for all."""
    outcome, counted, _ = _columns(against_baseline)
    return store.records(
        SuiteTotals,
        f"""
        SELECT method, relation, count(*), sum(counted > 0), sum(violated = 0 AND undecided > 0) FROM (
            SELECT c.method, c.relation, sum({outcome} IS 'violated') AS violated, sum({counted}) AS counted,
                sum(v.outcome IS NULL OR v.outcome = 'undecided') AS undecided
            {_CASES} GROUP BY c.method, c.relation, i.scene
        ) GROUP BY method, relation
        """,
        json.dumps(grades),
    )


def suite_cases(store: RunStore, grades: Sequence[str], *, against_baseline: bool) -> Iterator[SuiteCase]:
    """Every case, by method, relation and scene."""
    outcome, counted, standing = _columns(against_baseline)
    # SQLite sorts in a file (temp_store), so a million cases do not fill the memory.
    rows = store.connection.execute(
        f"""
        SELECT c.method, c.relation, i.scene, (SELECT name FROM scenes s WHERE s.id = i.scene), lower(hex(c.digest)),
            {outcome}, CASE WHEN v.outcome = 'holds' THEN NULL ELSE v.reason END,
            ltrim(coalesce(', ' || v.grade, '') || coalesce(', ' || v.state, '')
                || coalesce(', ' || {standing}, ''), ', '), {counted}
        {_CASES} ORDER BY c.method, c.relation, i.scene, c.id
        """,
        (json.dumps(grades),),
    )
    return map(SuiteCase._make, rows)


def _columns(against_baseline: bool) -> tuple[str, str, str]:
    """The outcome of a case, whether the gate counts it, and its standing."""
    if not against_baseline:
        return "v.outcome", _COUNTED, "NULL"
    return f"({_OUTCOME})", f"({_COUNTED} AND {_STANDING} IS 'new')", f"nullif({_STANDING}, 'suppressed')"
