from __future__ import annotations

import pytest

from anamorph.pools.class_traits import fits, settings_of, traits_of
from anamorph.reading.labels import label_space


@pytest.mark.parametrize("space", ["coco", "voc"])
def test_every_class_of_the_usual_data_sets_has_traits(space: str) -> None:
    missing = [name for name in label_space(space).names if traits_of(name) is None]
    assert missing == []


def test_sizes_are_in_a_plausible_order() -> None:
    order = ["orange", "bottle", "cat", "dog", "person", "horse", "elephant", "giraffe"]
    sizes = [traits.metres for traits in map(traits_of, order) if traits is not None]
    assert len(sizes) == len(order) and sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("label", "scene", "expected"),
    [
        ("boat", ["oven", "refrigerator"], False),
        ("zebra", ["car", "traffic light"], False),
        ("car", ["bus", "person"], True),
        ("cup", ["dining table", "chair"], True),
        ("person", ["toilet"], True),
        # Only people and dogs say nothing about where a photo was taken.
        ("bear", ["person", "dog"], False),
        ("dog", ["person"], True),
        ("gizmo", ["oven"], True),
    ],
)
def test_which_classes_fit_a_scene(label: str, scene: list[str], expected: bool) -> None:
    assert fits(label, settings_of(scene)) == expected
