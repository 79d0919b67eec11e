"""The objects of a run's scenes, as reports name and outline them."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from anamorph.model import Box, Thing
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class LabelsOfScene:
    """The objects of a scene by their ids, without masks, how many there are of each label, and the photo's size."""

    things: Mapping[str, Thing]
    by_id: Mapping[str, str]
    counts: Mapping[str, int]
    size: tuple[int, int]


class SceneLabels:
    """The labels of recently used scenes."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self.of = functools.lru_cache(maxsize=256)(self._read)

    def _read(self, scene: int) -> LabelsOfScene:
        row = self._store.connection.execute("SELECT body FROM scenes WHERE id = ?", (scene,)).fetchone()
        body = json.loads(row[0])
        things = {str(thing["id"]): _thing(thing) for thing in body.get("things", [])}
        counts = Counter(thing.label for thing in things.values())
        for label in body.get("labels", []):
            counts.setdefault(str(label), 1)
        by_id = {id: thing.label for id, thing in things.items()}
        return LabelsOfScene(things, by_id, counts, (int(body.get("width", 0)), int(body.get("height", 0))))


def _thing(plain: Mapping[str, object]) -> Thing:
    box = plain.get("box")
    place = Box(*(float(box.get(name, 0)) for name in ("x", "y", "width", "height"))) if isinstance(box, dict) else None
    return Thing(str(plain["id"]), str(plain["label"]), place or Box(0, 0, 0, 0))
