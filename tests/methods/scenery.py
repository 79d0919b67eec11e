"""Scenes, plans and checks that the tests of object methods share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.model import Case, Mask, Method, Pixels, Scene, Skip, Tally, Thing, decode, encode
from anamorph.pixels.masks import mask_box, mask_from_pixels
from anamorph.store.run import RunStore
from anamorph.store.verdicts import tallies
from anamorph.toybox.scenes import scene_of
from tests.english import with_references

WIDTH, HEIGHT = 280, 210
TOYBOX = tuple(scene_of(7, index) for index in range(8))


def mask_of(left: int, top: int, width: int, height: int) -> Mask:
    shape = np.zeros((HEIGHT, WIDTH), np.bool_)
    shape[top : top + height, left : left + width] = True
    return mask_from_pixels(shape)


def thing(id: str, label: str, left: int, top: int, width: int, height: int, *, crowd: bool = False) -> Thing:
    mask = mask_of(left, top, width, height)
    return Thing(id, label, mask_box(mask), mask, crowd=crowd)


def scene(*things: Thing, captions: Sequence[str] = ()) -> Scene:
    return Scene("s", "s.png", WIDTH, HEIGHT, things, tuple(captions))


@dataclass(frozen=True)
class BlindScenes:
    """Scenes of the toybox that nobody may look at."""

    kind: ClassVar[str] = "blind"

    def scan(self) -> Iterator[Scene | Skip]:
        yield from TOYBOX

    def pixels(self, scene: Scene) -> Pixels:
        raise AssertionError(f"the pixels of {scene.id} were touched while planning")


def planned_blindly(folder: Path, method: str, settings: dict[str, Any]) -> int:
    """Plan a real run whose pixels cannot be had; the number of cases."""
    catalog._loaded.setdefault("scenes", {})["blind"] = BlindScenes
    config = resolve({"methods": [method], "scenes": {"kind": "blind"}, "system": "toybox:captioner", method: settings})
    with start(config, folder) as store:
        for _ in plan_stage(store, config):
            pass
        return store.count("cases")


def coco(shared: Path) -> dict[str, Any]:
    """The real photos, with their captions."""
    photos = shared / "photos"
    files = {"instances": photos / "instances.json", "images": photos / "images", "captions": photos / "captions.json"}
    return {"kind": "coco", **{name: str(path) for name, path in files.items()}}


def run(folder: Path, method: str, scenes: Any, settings: dict[str, Any], limit: int = 1000) -> list[Tally]:
    """A whole run with the toybox's captioner; every image could be made, though a check may have discarded it."""
    plain = {"methods": [method], "scenes": scenes, "system": "toybox:captioner", method: settings, "limit": limit}
    config = resolve(plain)
    with start(config, folder) as store:
        for _ in carry_out(store, config):
            pass
        assert _problems(store) == []
        return tallies(store, method)


def _problems(store: RunStore) -> list[str]:
    rows = store.connection.execute("SELECT problem FROM images WHERE problem IS NOT NULL AND NOT discarded")
    return [row[0] for row in rows]


def planned(method: Method, scenes: Sequence[Scene], seed: int = 1) -> list[Case]:
    return [item for item in method.plan(with_references(scenes), Random(seed)) if isinstance(item, Case)]


def left_out(method: Method, scenes: Sequence[Scene], seed: int = 1) -> list[Skip]:
    return [item for item in method.plan(with_references(scenes), Random(seed)) if isinstance(item, Skip)]


def again(case: Case) -> Case:
    """The case as a stored plan gives it back."""
    return decode(Case, json.loads(json.dumps(encode(case))), catalog.find)
