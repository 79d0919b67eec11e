"""The labels of a run's scenes, as reports name their objects."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class LabelsOfScene:
    """The labels of a scene's objects by their ids, and how many there are of each."""

    by_id: Mapping[str, str]
    counts: Mapping[str, int]


class SceneLabels:
    """The labels of recently used scenes."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self.of = functools.lru_cache(maxsize=256)(self._read)

    def _read(self, scene: int) -> LabelsOfScene:
        row = self._store.connection.execute("SELECT body FROM scenes WHERE id = ?", (scene,)).fetchone()
        body = json.loads(row[0])
        by_id = {str(thing["id"]): str(thing["label"]) for thing in body.get("things", [])}
        counts = Counter(by_id.values())
        for label in body.get("labels", []):
            counts.setdefault(str(label), 1)
        return LabelsOfScene(by_id, counts)
