"""Completion while scenes are scanned; the toybox knows what is behind its things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.edits.relayout import Relayout
from anamorph.engine.enrich.completing import Completing
from anamorph.engine.enrich.stage import Enrichment, enriched_scenes
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.engine.segmenter import RunSegmenter
from anamorph.engine.studio import RunStudio
from anamorph.errors import UsageError
from anamorph.methods.spolre.movable import INCOMPLETE
from anamorph.model import Hole, Picture, Pixels, Scene, Skip, Thing
from anamorph.model.protocols import MethodOptions
from anamorph.pixels.amodal import COMPLETED_BY
from anamorph.pixels.layouts import Move
from anamorph.pixels.masks import mask_box, mask_from_pixels, mask_pixels
from anamorph.pixels.shapes import thing_shape
from anamorph.store.omissions import omissions
from anamorph.store.plans import StoredScenes
from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.painting import paint, see

# A scene of the toybox whose largest thing, a bottle, is drawn again with a second one before it.
SEED, INDEX = 7, 0
MELT = {"max_area": 0.6, "min_area": 0.0}


@dataclass(frozen=True)
class Hidden:
    """A thing of the toybox with another before it, and the truth of what is behind."""

    scene: Scene
    photo: Pixels
    without: Pixels
    outline: Hole


def hidden() -> Hidden:
    recipe = compose(SEED, INDEX, 320, 240)
    largest = max(recipe.items, key=lambda item: item.unit)
    behind = replace(largest, x=0.6, y=0.8)
    before = replace(largest, x=0.6 + 0.7 * _width(recipe, behind) / recipe.height, y=0.86)
    alone, both = replace(recipe, items=(behind,)), replace(recipe, items=(behind, before))
    sights = see(both)
    things = []
    for id, sight in zip(("behind", "before"), sights, strict=True):
        mask = mask_from_pixels(sight.pixels)
        things.append(Thing(id, largest.label, mask_box(mask), mask))
    scene = Scene("s", "s.png", 320, 240, tuple(things), (f"Two {largest.label}s.", f"A {largest.label}."))
    return Hidden(scene, paint(both), paint(alone), see(alone)[0].pixels)


def _width(recipe: Any, item: Any) -> float:
    return float(mask_box(mask_from_pixels(see(replace(recipe, items=(item,)))[0].pixels)).width)


TRUTH = hidden()


@dataclass
class World:
    """What the fakes do, and what they were asked."""

    looks: list[Pixels] = field(default_factory=list)
    problem: Exception | None = None
    finds: tuple[Thing, ...] = ()


world = World()


@dataclass(frozen=True)
class Source:
    kind: ClassVar[str] = "hiding"

    def scan(self) -> Iterator[Scene | Skip]:
        yield Skip("odd", "not a photo")
        yield TRUTH.scene
        yield replace(TRUTH.scene, id="plain", things=TRUTH.scene.things[1:])

    def pixels(self, scene: Scene) -> Pixels:
        return TRUTH.photo


@dataclass(frozen=True)
class Knowing:
    """Fills a hole with what is behind it."""

    kind: ClassVar[str] = "knowing"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return np.where(hole[..., None], TRUTH.without, pixels)


@dataclass(frozen=True)
class Watcher:
    """Finds what it is told to."""

    kind: ClassVar[str] = "watcher"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        world.looks.append(pixels)
        if world.problem is not None:
            raise world.problem
        return world.finds


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: dict[str, tuple[str, type]] = {
        "scenes": ("hiding", Source),
        "inpainters": ("knowing", Knowing),
        "segmenters": ("watcher", Watcher),
    }
    for group, (kind, cls) in parts.items():
        monkeypatch.setitem(catalog._loaded.setdefault(group, {}), kind, cls)
    world.looks.clear()
    whole = mask_from_pixels(TRUTH.outline)
    world.problem = None
    world.finds = (Thing("1", TRUTH.scene.things[0].label, mask_box(whole), whole, 0.9),)


def config(**changes: Any) -> Config:
    plain = {
        "methods": ["spolre"],
        "scenes": "hiding",
        "system": "toybox:captioner",
        "segmenter": "watcher",
        "segmenting": {"remember": False},
        "spolre": {"inpainter": "knowing", "melt": MELT, **changes.pop("spolre", {})},
        **changes,
    }
    return resolve({key: value for key, value in plain.items() if value is not None})


def scanned(its: Config) -> list[Scene | Skip]:
    with enriched_scenes(its, its.scenes(), None) as (items, _):
        return list(items)


def test_the_completed_mask_is_the_outline_that_the_toybox_drew() -> None:
    skip, scene, plain = scanned(config())
    assert isinstance(skip, Skip) and isinstance(scene, Scene) and isinstance(plain, Scene)
    (whole,) = scene.wholes
    assert (whole.object, whole.behind, whole.inpainter) == ("behind", ("before",), "knowing")
    seen, grown = thing_shape(scene.things[0], 240, 320), mask_pixels(whole.mask)
    missing = TRUTH.outline & ~seen
    assert missing.sum() > 100 and (grown & missing).sum() >= 0.98 * missing.sum()
    assert not (grown & ~TRUTH.outline & ~seen).any()
    assert plain.wholes == () and len(world.looks) == 1
    assert scene.origin[COMPLETED_BY].startswith("watcher ")


def test_a_completed_thing_is_laid_elsewhere_as_the_toybox_would_have_drawn_it() -> None:
    its = config()
    scene = scanned(its)[1]
    assert isinstance(scene, Scene)
    picture = Picture(TRUTH.photo, scene.things, RunStudio.of(its))
    moved = Relayout((Move("behind", right=0, down=-60),), "knowing", scene.wholes).apply(picture)
    shape = mask_pixels(scene.wholes[0].mask)
    there = np.roll(shape, -60, axis=0)
    own = thing_shape(scene.things[0], 240, 320)
    laid = np.where(own[..., None], TRUTH.photo, TRUTH.without)
    assert (shape & ~own).any() and (moved.pixels[there] == laid[shape]).all()


def test_no_photo_is_looked_at_where_nothing_is_to_be_completed() -> None:
    assert all(not item.wholes for item in scanned(config(segmenter=None)) if isinstance(item, Scene))
    assert all(not item.wholes for item in scanned(config(spolre={"complete_masks": False})) if isinstance(item, Scene))
    assert world.looks == []


def test_what_cannot_be_completed_is_counted_by_reason_and_a_plan_has_what_can(tmp_path: Path) -> None:
    counts = {}
    for name, finds in (("with", world.finds), ("without", ())):
        world.finds = finds
        its = config(segmenting={"remember": False, "scenes": "none"})
        with start(its, tmp_path / name) as store:
            for _ in plan_stage(store, its):
                pass
            left_out = {each.reason: each.count for each in omissions(store)}
            stored = {scene.id: scene for scene in StoredScenes(store, catalog.find)}
            moved = store.connection.execute("SELECT count(*) FROM images WHERE instr(edits, '\"wholes\"')").fetchone()
            assert store.fact("segmenter") == {"kind": "watcher"}
        counts[name] = (left_out.get(INCOMPLETE, 0), len(stored["s"].wholes), moved[0] > 0)
    assert counts == {"with": (0, 1, True), "without": (1, 0, False)}


def test_a_segmenter_that_fails_leaves_the_scene_as_it_was_and_its_origin_says_so() -> None:
    world.problem = ValueError("too odd a photo")
    scene = scanned(config())[1]
    assert isinstance(scene, Scene) and scene.wholes == () and scene.things == TRUTH.scene.things
    assert scene.origin[COMPLETED_BY].endswith("failed: ValueError: too odd a photo")


def test_a_segmenter_that_cannot_work_at_all_stops_the_scan() -> None:
    world.problem = UsageError("There are no weights.")
    with pytest.raises(UsageError, match="no weights"):
        scanned(config())


def test_what_stands_behind_a_crowd_is_not_completed_and_a_limit_is_kept() -> None:
    its = config()
    segmenter = RunSegmenter.of(its)
    completion = MethodOptions.wants_amodal_masks.of(its.methods[0])
    assert segmenter is not None and completion is not None
    enrichment = Enrichment(its.scenes(), completing=Completing([completion], segmenter, RunStudio.of(its)))
    crowd = replace(TRUTH.scene, things=(TRUTH.scene.things[0], replace(TRUTH.scene.things[1], crowd=True)))
    with closing(enrichment.over([crowd, crowd, TRUTH.scene], limit=2)) as found:
        assert [item.wholes for item in found if isinstance(item, Scene)] == [(), ()]
    assert world.looks == []
