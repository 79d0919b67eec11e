from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.patch import Patch
from anamorph.edits.relayout import Relayout
from anamorph.edits.rotate import Rotate
from anamorph.edits.saturation import Saturation
from anamorph.edits.scale import Scale
from anamorph.edits.sharpness import Sharpness
from anamorph.edits.shear import Shear
from anamorph.edits.shrinking.ladders import fewer, towards
from anamorph.model import AmodalMask, Box, Edit
from anamorph.pixels.layouts import Move
from anamorph.pixels.masks import mask_from_pixels


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_steps_lie_between_the_two_numbers_the_most_harmless_first(harmless: float, number: float) -> None:
    steps = towards(harmless, number)
    low, high = min(harmless, number), max(harmless, number)
    assert all(low - 1e-6 <= step <= high + 1e-6 for step in steps)
    distances = [abs(step - harmless) for step in steps]
    assert distances == sorted(distances) and len(set(steps)) == len(steps)


@given(st.lists(st.integers(), max_size=12, unique=True))
def test_parts_of_a_list_are_shorter_and_keep_its_order(items: list[int]) -> None:
    parts = list(fewer(items))
    assert all(0 < len(part) < len(items) for part in parts)
    assert all(list(part) == [item for item in items if item in part] for part in parts)
    if len(items) > 1:
        # Any single item can be left out, so what is found in the end is minimal.
        assert {frozenset(items) - {item} for item in items} <= {frozenset(part) for part in parts}
        assert len(parts[0]) == len(items) // 2


@pytest.mark.parametrize(
    ("edit", "field", "harmless"),
    [
        (Blur(4), "sigma", 0),
        (Brightness(0.5), "factor", 1),
        (Contrast(3), "factor", 1),
        (Saturation(0), "factor", 1),
        (Sharpness(2), "factor", 1),
        (Scale(0.5), "factor", 1),
        (Rotate(-8), "degrees", 0),
        (Shear(0.2), "factor", 0),
    ],
)
def test_a_number_comes_closer_to_what_changes_nothing(edit: Edit, field: str, harmless: float) -> None:
    (ladder,) = edit.smaller()  # type: ignore[attr-defined]
    assert len(ladder) == 31 and {type(rung) for rung in ladder} == {type(edit)}
    changes = [abs(getattr(rung, field) - harmless) for rung in (*ladder, edit)]
    assert changes == sorted(changes) and changes[0] > 0


def test_objects_are_left_out_of_what_removes_them() -> None:
    assert next(iter(Melt(("1", "2", "3", "4"), "telea", spare=True).smaller())) == [Melt(("1", "2"), "telea", True)]
    assert [ladder[0].objects for ladder in Patch(("1", "2"), "mask").smaller()] == [("1",), ("2",)]
    assert list(Melt(("1",)).smaller()) == []


def test_an_inserted_object_stays_on_its_feet_and_never_gets_too_small() -> None:
    insert = Insert("dog-1", Box(100, 50, 80, 160), "feather")
    (ladder,) = insert.smaller()
    for rung in ladder:
        assert rung.box.bottom == 210 and abs(rung.box.x + rung.box.width / 2 - 140) <= 0.5
        assert 32 <= rung.box.width < 80 and abs(rung.box.height - 2 * rung.box.width) <= 1
        assert replace(rung, box=insert.box) == insert
    assert list(Insert("dog-1", Box(0, 0, 31, 90)).smaller()) == []


def test_fewer_objects_move_in_fewer_ways_and_less_far() -> None:
    one = Move("1", right=40, down=-8, degrees=16, scale=4.0, mirror=True)
    whole = AmodalMask("2", mask_from_pixels(np.ones((4, 4), np.bool_)), ("1",), "telea")
    layout = Relayout((one, Move("2", right=10)), "telea", (whole,))
    *alternatives, ladder = layout.smaller()
    assert [edit for (edit,) in alternatives] == [
        Relayout((one,), "telea"),
        Relayout((Move("2", right=10),), "telea", (whole,)),
        replace(layout, moves=(replace(one, mirror=False), layout.moves[1])),
        replace(layout, moves=(replace(one, degrees=0.0), layout.moves[1])),
        replace(layout, moves=(replace(one, scale=1.0), layout.moves[1])),
    ]
    assert ladder[15].moves[0] == Move("1", 20, -4, 8, 2.0, True)
    assert [edit.moves[0].right for edit in ladder] == sorted(edit.moves[0].right for edit in ladder)
