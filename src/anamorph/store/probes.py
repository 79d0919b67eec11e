"""Probes of a run with their images and scenes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """A probe, its image's edits as JSON, the file or why there is none, and its scene."""

    digest: str
    question: str | None
    edits: str
    file: str | None
    problem: str | None
    scene: int
    scene_name: str

    @property
    def untouched(self) -> bool:
        """Whether it shows the unedited photo."""
        return self.edits == "[]"


def probe_rows(store: RunStore, ids: Sequence[int]) -> Mapping[int, ProbeRow]:
    """These probes."""
    rows = store.rows(
        """SELECT p.id, lower(hex(p.digest)), p.question, i.edits, i.file, i.problem, s.id, s.name
        FROM probes p JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene
        WHERE p.id IN (SELECT value FROM json_each(?))""",
        json.dumps(list(ids)),
    )
    return {id: ProbeRow(*row) for id, *row in rows}


def plan_asks(store: RunStore) -> bool:
    """Whether the plan itself asks questions."""
    return store.row("SELECT 1 FROM probes WHERE round = 0 AND question IS NOT NULL LIMIT 1") is not None


def probes_of_image(store: RunStore, digest: str) -> list[int]:
    """The planned probes that show an image."""
    return store.column(
        "SELECT p.id FROM probes p JOIN images i ON i.id = p.image WHERE i.digest = ? AND p.round = 0 ORDER BY p.id",
        bytes.fromhex(digest),
    )


def captioned(store: RunStore, probe: int) -> tuple[str, str] | None:
    """The image digest and first answer of a probe; None if it has a question."""
    row: tuple[str, str] | None = store.row(
        """SELECT lower(hex(i.digest)), coalesce(a.text, '') FROM probes p JOIN images i ON i.id = p.image
        LEFT JOIN answers a ON a.probe = p.id AND a.attempt = 0 WHERE p.id = ? AND p.question IS NULL""",
        probe,
    )
    return row
