from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from anamorph.concurrency.ordered import AHEAD
from anamorph.config import Config, RunSettings
from anamorph.engine.enrich.stage import THREADS, Enrichment, enriched_scenes
from anamorph.errors import BadPicture
from anamorph.methods.deeptest import DeepTest
from anamorph.methods.metavqa.method import MetaVqa
from anamorph.model import Box, Method, Pixels, Scene, Skip, Thing

RED, BLUE = Thing("1", "car", Box(0, 0, 40, 40)), Thing("2", "car", Box(40, 0, 40, 40))


def config(*methods: Method) -> Config:
    return Config({}, RunSettings(), methods)


@dataclass
class Painted:
    """Photos with a red left half and a blue right half."""

    kind: ClassVar[str] = "painted"
    scenes: list[Scene | Skip] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)

    def scan(self) -> Iterator[Scene | Skip]:
        yield from self.scenes

    def pixels(self, scene: Scene) -> Pixels:
        self.looked.append(scene.id)
        if scene.id == "broken":
            raise BadPicture("cannot be read")
        pixels = np.full((40, 80, 3), (200, 30, 30), np.uint8)
        pixels[:, 40:] = (40, 60, 200)
        return pixels


def scene(id: str, *things: Thing) -> Scene:
    return Scene(id, f"{id}.jpg", 80, 40, things)


def coloured(source: Painted, *methods: Method) -> list[Scene | Skip]:
    with enriched_scenes(config(*methods), source, None) as (items, _):
        return list(items)


def words(found: Scene | Skip) -> list[tuple[str, ...]]:
    assert isinstance(found, Scene)
    return [thing.attributes for thing in found.things]


def test_objects_get_the_colours_of_their_pixels() -> None:
    (found,) = coloured(Painted([scene("a", RED, BLUE)]), MetaVqa())
    assert words(found) == [("red",), ("blue",)]
    assert isinstance(found, Scene) and found.origin["colours"] == "estimated from pixels"


def test_what_is_annotated_stays_as_it_is() -> None:
    annotated = scene("a", Thing("1", "car", RED.box, attributes=("green", "parked")), BLUE)
    other = scene("b", Thing("1", "car", RED.box, attributes=("truncated",)))
    source = Painted([annotated, other])
    first, second = coloured(source, MetaVqa(insertion=False))
    assert first == annotated and source.looked == ["b"]
    assert words(second) == [("truncated", "red")]


@pytest.mark.parametrize(
    "method",
    [
        DeepTest(),
        MetaVqa(estimate_colours=False, insertion=False),
        MetaVqa(property_pairs=0, property_existences=0, insertion=False),
    ],
)
def test_no_photo_is_opened_where_no_method_asks_for_properties(method: Method) -> None:
    source = Painted([scene("a", RED)])
    assert coloured(source, method) == source.scenes and source.looked == []


def test_a_source_that_describes_its_objects_is_believed() -> None:
    class Told(Painted):
        describes: ClassVar[bool] = True

    source = Told([scene("a", RED)])
    assert coloured(source, MetaVqa()) == source.scenes


def test_crowds_skips_and_photos_that_cannot_be_read_pass_through_in_order() -> None:
    crowd = Thing("3", "car", RED.box, crowd=True)
    items: list[Scene | Skip] = [
        scene("a", crowd),
        Skip("x.jpg", "is empty"),
        scene("broken", RED),
        scene("bare"),
        scene("b", BLUE),
    ]
    found = coloured(Painted(items), MetaVqa())
    assert [item.what if isinstance(item, Skip) else item.id for item in found] == ["a", "x.jpg", "broken", "bare", "b"]
    assert [words(item) for item in found if isinstance(item, Scene)] == [[()], [()], [], [("blue",)]]


def test_only_a_few_photos_are_under_way_at_a_time() -> None:
    taken = 0

    def endless() -> Iterator[Scene]:
        nonlocal taken
        while True:
            taken += 1
            yield scene(str(taken), RED)

    with closing(Enrichment(Painted(), colouring=True).over(endless())) as found:
        for _ in range(3):
            next(found)
        assert taken <= AHEAD * THREADS + 3
