"""Names and outlines of the objects in a run's scenes."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from anamorph.model import Box, Thing
from anamorph.store.run import RunStore

REMEMBERED = 256
_MOST_PIXELS = 1_000_000


@dataclass(frozen=True, slots=True)
class LabelsOfScene:
    """The objects of a scene by id, without masks, the number of each label, and the photo's size."""

    things: Mapping[str, Thing]
    by_id: Mapping[str, str]
    counts: Mapping[str, int]
    size: tuple[int, int]


class SceneLabels:
    """The labels of recently used scenes."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self.of = functools.lru_cache(maxsize=REMEMBERED)(self._read)

    def _read(self, scene: int) -> LabelsOfScene:
        row = self._store.connection.execute("SELECT body FROM scenes WHERE id = ?", (scene,)).fetchone()
        body = json.loads(row[0])
        things = {str(thing["id"]): _thing(thing) for thing in body.get("things", [])}
        counts = Counter(thing.label for thing in things.values())
        for label in body.get("labels", []):
            counts.setdefault(str(label), 1)
        by_id = {id: thing.label for id, thing in things.items()}
        return LabelsOfScene(things, by_id, counts, (int(_number(body, "width")), int(_number(body, "height"))))


def _thing(plain: Mapping[str, object]) -> Thing:
    box = plain.get("box")
    place = [_number(box, name) if isinstance(box, dict) else 0.0 for name in ("x", "y", "width", "height")]
    return Thing(str(plain["id"]), str(plain["label"]), Box(*place))


def _number(plain: Mapping[str, object], name: str) -> float:
    """A number in a scene's JSON, or 0: a run file may be forged, and only an outline depends on it."""
    value = plain.get(name)
    return float(value) if isinstance(value, int | float) and abs(value) < _MOST_PIXELS else 0.0
