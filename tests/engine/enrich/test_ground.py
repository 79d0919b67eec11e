"""Ground for scenes that have none, from a segmenter that finds it besides objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.engine.enrich.segmenting import Segmenting
from anamorph.engine.events import Segmented
from anamorph.engine.segmenter import RunSegmenter, identity_of
from anamorph.errors import BadPicture
from anamorph.model import Pixels, Region, Scene, Segmentation, Skip, Stuff
from anamorph.pixels.masks import mask_area, mask_from_pixels
from anamorph.store.plans import StoredScenes
from anamorph.weights.files import FOLDER_VARIABLE
from tests.engine.fakes import Ran, Script, go, use
from tests.engine.segmenters import GROUND, SIZE, ColourSegmenter, Log, painted, use_colours


def ground(pixels: Pixels) -> Stuff:
    return Stuff("floor", mask_from_pixels(np.asarray(np.all(pixels == GROUND, axis=2))))


@dataclass(frozen=True)
class GroundSegmenter(ColourSegmenter):
    """Finds the grey ground, too."""

    kind: ClassVar[str] = "ground-finder"

    def survey(self, pixels: Pixels) -> Segmentation:
        return Segmentation(self.segment(pixels), (ground(pixels),))


@dataclass(frozen=True)
class Atlas:
    """Keeps the maps that it is to paint."""

    kind: ClassVar[str] = "atlas"
    maps: ClassVar[list[tuple[Region, ...]]] = []

    def paint(self, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        self.maps.append(tuple(regions))
        return np.zeros((height, width, 3), np.uint8)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Log:
    use(Script())
    made = use_colours()
    Atlas.maps.clear()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "no-models"))
    for group, extension in (("painters", Atlas), ("segmenters", GroundSegmenter)):
        monkeypatch.setitem(catalog._loaded.setdefault(group, {}), extension.kind, extension)
    return made


def run(folder: Path, segmenter: str = "ground-finder", **changes: Any) -> Ran:
    spolre = {"rendering": "diffusion", "painter": "atlas", "layouts_per_scene": 1, "complete_masks": False}
    return go(
        folder,
        methods=["spolre"],
        spolre={**spolre, **changes.pop("spolre", {})},
        scenes={"kind": "coloured", **changes.pop("scenes", {})},
        segmenter={"kind": segmenter},
        recognition={"enabled": False},
        **changes,
    )


def scenes_of(ran: Ran) -> list[Scene]:
    with ran.store() as store:
        return list(StoredScenes(store, catalog.find))


def test_a_painters_map_has_the_ground_that_the_segmenter_finds(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run")
    assert ran.problem is None
    scene = scenes_of(ran)[0]
    assert [thing.label for thing in scene.things] == ["dog", "tree"]
    assert [each.label for each in scene.stuff] == ["floor"] and scene.origin["ground"] == scene.origin["things"]
    assert len(Atlas.maps) == 3
    floor, *objects = Atlas.maps[0]
    assert floor.label == "floor" and floor.shape.all() and [each.label for each in objects] == ["tree", "dog"]


def test_annotated_objects_stay_and_get_ground_below_them(log: Log, tmp_path: Path) -> None:
    ran = run(tmp_path / "run", scenes={"annotated": True})
    assert ran.problem is None
    scene = scenes_of(ran)[0]
    assert [thing.label for thing in scene.things] == ["plant", "wolf"] and "things" not in scene.origin
    assert [each.label for each in scene.stuff] == ["floor"] and scene.origin["ground"].startswith("ground-finder ")
    assert ran.of(Segmented) == [Segmented(looked=3, recalled=0, failed=0, things=0)]


def test_ground_is_remembered_with_the_objects(log: Log, tmp_path: Path) -> None:
    settings = {"cache": str(tmp_path / "c.sqlite")}
    first = scenes_of(run(tmp_path / "one", segmenting=settings))
    looks = log.looks
    again = run(tmp_path / "two", segmenting=settings)
    assert scenes_of(again) == first and first[0].stuff
    assert again.of(Segmented) == [Segmented(looked=0, recalled=3, failed=0, things=6)]
    assert log.looks == looks


@pytest.mark.parametrize(
    ("segmenter", "changes"),
    [
        ("colour", {}),
        ("ground-finder", {"spolre": {"rendering": "cutout", "inpainter": "ground"}}),
        ("ground-finder", {"segmenting": {"scenes": "none"}}),
    ],
)
def test_without_a_segmenter_that_finds_it_or_a_use_for_it_there_is_no_ground(
    log: Log, tmp_path: Path, segmenter: str, changes: dict[str, Any]
) -> None:
    ran = run(tmp_path / "run", segmenter, scenes={"annotated": True}, **changes)
    assert ran.problem is None and [scene.stuff for scene in scenes_of(ran)] == [(), (), ()]


def segmenting(segmenter: ColourSegmenter) -> Segmenting:
    return Segmenting(RunSegmenter(segmenter, identity_of(segmenter)), ground=True)


def test_a_photo_on_which_the_segmenter_fails_keeps_its_annotated_objects(log: Log) -> None:
    log.fails_on = {1}
    bare = Scene("s1", "1", SIZE, SIZE)
    annotated = replace(bare, things=ColourSegmenter().segment(painted(0)))
    step = segmenting(GroundSegmenter())
    assert step.wanted(annotated) and step.segmented(annotated, lambda: painted(1)) == annotated
    assert isinstance(step.segmented(bare, lambda: painted(1)), Skip) and step.failed == 2


def test_ground_that_a_data_set_describes_stays(log: Log) -> None:
    own = Stuff("lawn", ground(painted(0)).mask)
    scene = Scene("s0", "0", SIZE, SIZE, ColourSegmenter().segment(painted(0)), stuff=(own,))
    assert not segmenting(GroundSegmenter()).wanted(scene)


@dataclass(frozen=True)
class Wrong(GroundSegmenter):
    """Finds ground that cannot be."""

    twice: bool = False

    def survey(self, pixels: Pixels) -> Segmentation:
        found = ground(pixels if self.twice else pixels[:-1])
        return Segmentation((), (found, found) if self.twice else (found,))


def test_ground_that_cannot_be_on_the_photo_is_refused(log: Log) -> None:
    with pytest.raises(BadPicture, match="gave two pieces of ground the class 'floor'"):
        segmenting(Wrong(twice=True)).segmenter.survey(painted(0))
    with pytest.raises(BadPicture, match="gave 'floor' a mask of 60 x 59 on a photo of 60 x 60"):
        segmenting(Wrong()).segmenter.survey(painted(0))


def test_too_much_ground_is_refused(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anamorph.engine.segmenter.MOST_PIXELS", SIZE * SIZE - 1)
    with pytest.raises(BadPicture, match="It gave 1 pieces of ground on a photo of 60 x 60, which is too much"):
        segmenting(GroundSegmenter()).segmenter.survey(painted(0))
    assert mask_area(ground(painted(0)).mask) > 0
