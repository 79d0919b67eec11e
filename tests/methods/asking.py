"""Scenes and plans for the tests of MetaVQA; its pool is in conftest."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from anamorph.methods.metavqa.method import MetaVqa
from anamorph.model import Box, Case, Scene, Thing
from anamorph.reading.labels import label_space
from anamorph.toybox.scenes import ToyboxScenes

COCO = label_space("coco").names
SWITCHES = {
    "object_partition": "objects-add-up",
    "property_partition": "properties-add-up",
    "reordering": "order-does-not-matter",
    "reversion": "opposites-differ",
    "cutting": "pieces-add-up",
    "insertion": "unaffected-by-insertion",
    "removal": "unaffected-by-removal",
    "removal_plus": "removal-takes-one",
}


def toybox(count: int, seed: int = 7) -> list[Scene]:
    return [scene for scene in ToyboxScenes(count, seed).scan() if isinstance(scene, Scene)]


def planned(method: MetaVqa, scenes: Sequence[Scene], seed: int = 0) -> list[Case]:
    return [item for item in method.plan(scenes, Random(seed)) if isinstance(item, Case)]


@st.composite
def photos(draw: st.DrawFn) -> list[Scene]:
    scenes = []
    for number in range(draw(st.integers(1, 3))):
        things = []
        for index in range(draw(st.integers(0, 6))):
            label = draw(st.sampled_from((*COCO[:6], "skis", "scissors")))
            box = Box(draw(st.floats(0, 250)), draw(st.floats(0, 150)), draw(st.floats(1, 50)), draw(st.floats(1, 50)))
            attributes = draw(st.lists(st.sampled_from(("red", "blue", "standing", "occluded")), max_size=2))
            things.append(
                Thing(f"t{index}", label, box, crowd=draw(st.integers(0, 5)) == 0, attributes=tuple(attributes))
            )
        scenes.append(Scene(f"s{number}", f"{number}.jpg", 320, 240, tuple(things)))
    return scenes
