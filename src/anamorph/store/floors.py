"""The error floor of a run: of all answers, and by relation, class and photo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class FloorRow:
    """The number of closed answers of some cases, and the fewest that must be false; `exact` if no more must.

    `scope` is all, relation, class, photo (a row of `scenes`), or group: photos that collages link.
    """

    scope: str
    name: str
    answers: int
    fewest: int
    exact: int


def linked_cases(store: RunStore, relations: Sequence[str]) -> Iterator[list[int]]:
    """The judged cases of some relations, grouped by photos that a case links."""
    parents: dict[int, int] = {}

    def root(scene: int) -> int:
        while parents[scene] != scene:
            parents[scene] = parents[parents[scene]]
            scene = parents[scene]
        return scene

    rows = store.connection.execute(
        """SELECT c.id, json_group_array(DISTINCT i.scene) FROM cases c JOIN verdicts v ON v."case" = c.id,
            json_each(c.probes) k JOIN probes p ON p.id = k.value JOIN images i ON i.id = p.image
        WHERE c.relation IN (SELECT value FROM json_each(?)) GROUP BY c.id ORDER BY c.id""",
        (json.dumps(list(relations)),),
    )
    first: dict[int, int] = {}
    for case, text in rows:
        scenes = json.loads(text)
        for scene in scenes:
            parents.setdefault(scene, scene)
            one, other = sorted((root(scenes[0]), root(scene)))
            parents[other] = one
        first[case] = scenes[0]
    groups: dict[int, list[int]] = {}
    for case, scene in first.items():
        groups.setdefault(root(scene), []).append(case)
    yield from (groups[scene] for scene in sorted(groups))


def photo_names(store: RunStore, rows: Sequence[FloorRow]) -> list[str]:
    """The names of the scenes of some rows."""
    ids = [int(row.name) for row in rows]
    query = "SELECT id, name FROM scenes WHERE id IN (SELECT value FROM json_each(?))"
    names: dict[int, str] = dict(store.rows(query, json.dumps(ids)))
    return [names[id] for id in ids]


def outcomes_with_tag(store: RunStore, tag: str, value: str) -> dict[str, int]:
    """The outcomes of the decided cases with a tag."""
    rows = store.rows(
        """SELECT v.outcome, count(*) FROM cases c JOIN verdicts v ON v."case" = c.id
        WHERE json_extract(c.tags, '$.' || ?) = ? AND v.outcome <> 'undecided' GROUP BY 1""",
        tag,
        value,
    )
    return dict(rows)


def clear_floors(store: RunStore) -> None:
    """Clear the floors; the caller holds the transaction."""
    store.connection.execute("DELETE FROM floors")


def write_floors(store: RunStore, rows: Iterable[FloorRow]) -> None:
    """Keep floors; the caller holds the transaction."""
    store.connection.executemany(
        "INSERT INTO floors VALUES (?, ?, ?, ?, ?)",
        ((row.scope, row.name, row.answers, row.fewest, row.exact) for row in rows),
    )


def read_floors(store: RunStore, scope: str) -> list[FloorRow]:
    """The findings, the most false answers first."""
    return store.records(
        FloorRow,
        """SELECT scope, name, answers, fewest, exact FROM floors WHERE scope = ?
        ORDER BY fewest DESC, answers DESC, name""",
        scope,
    )
