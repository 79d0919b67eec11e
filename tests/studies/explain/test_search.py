from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from anamorph.store.explanations import Patch
from anamorph.studies.explain.pictures import covered, heat_picture
from anamorph.studies.explain.search import PatchSearch

WIDTH, HEIGHT = 160, 120


def hidden(patch: Patch, thing: Patch) -> float:
    """The share of a thing that a patch covers."""
    width = min(patch.right, thing.right) - max(patch.left, thing.left)
    height = min(patch.bottom, thing.bottom) - max(patch.top, thing.top)
    return max(0, width) * max(0, height) / thing.area


def searched(search: PatchSearch, *things: Patch) -> int:
    """Go through a search for a word that is said until half of each thing is hidden; gives the number of calls."""
    calls = 0
    while patches := search.next_round():
        calls += len(patches)
        gone = {patch: float(all(hidden(patch, thing) > 0.5 for thing in things)) for patch in patches}
        there = {patch: float(any(hidden(patch, thing) > 0.5 for thing in things)) for patch in patches}
        search.learn(there if search.alone else gone)
    return calls


def peak(search: PatchSearch) -> tuple[int, int]:
    row, column = np.unravel_index(int(search.heat().argmax()), (HEIGHT, WIDTH))
    return int(column), int(row)


def inside(place: tuple[int, int], thing: Patch) -> bool:
    return thing.left <= place[0] < thing.right and thing.top <= place[1] < thing.bottom


@settings(deadline=None, max_examples=60)
@given(
    st.integers(20, 60).flatmap(
        lambda side: st.tuples(st.just(side), st.integers(0, WIDTH - side), st.integers(0, HEIGHT - side))
    )
)
def test_the_map_is_hottest_on_the_thing_that_carries_the_word(place: tuple[int, int, int]) -> None:
    side, left, top = place
    thing = Patch(left, top, left + side, top + side)
    search = PatchSearch(WIDTH, HEIGHT)
    assert searched(search, thing) <= 57
    assert inside(peak(search), thing)


def test_of_two_things_each_of_which_is_enough_each_is_found_by_showing_parts_alone() -> None:
    things = Patch(10, 10, 40, 40), Patch(110, 70, 140, 100)
    search = PatchSearch(WIDTH, HEIGHT)
    searched(search, *things)
    assert search.smallest_side is None or search.smallest_side > 0.5
    alone = PatchSearch(WIDTH, HEIGHT, alone=True)
    searched(alone, *things)
    assert any(inside(peak(alone), thing) for thing in things)
    heat = alone.heat()
    assert min(heat[25, 25], heat[85, 125]) > 2 * heat[25, 125]


def test_what_nothing_changes_has_no_map() -> None:
    search = PatchSearch(WIDTH, HEIGHT)
    while patches := search.next_round():
        search.learn(dict.fromkeys(patches, 0.0))
    assert not search.heat().any() and search.smallest_side is None
    # Nine patches of half the sides, and four larger ones.
    assert len(search.effects) == 9 + 4


def test_a_covered_patch_is_smooth_and_nothing_else_changes() -> None:
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    patch = Patch(40, 30, 100, 90)
    inner = np.s_[40:80, 50:90]
    one = covered(pixels, patch)
    outside = np.ones((HEIGHT, WIDTH), bool)
    outside[30:90, 40:100] = False
    assert (one[outside] == pixels[outside]).all() and one[inner].std() < 20 < pixels[inner].std()
    alone = covered(pixels, Patch(40, 30, 100, 90, alone=True))
    assert (alone[~outside] == pixels[~outside]).all() and alone[5:20].std() < 20
    assert covered(pixels, None).reshape(-1, 3).std(axis=0).max() == 0


def test_the_picture_glows_where_the_map_is_hot() -> None:
    pixels = np.full((HEIGHT, WIDTH, 3), 120, np.uint8)
    heat = np.zeros((HEIGHT, WIDTH), np.float32)
    heat[40:60, 60:90] = 1
    drawn = heat_picture(pixels, heat, [])
    assert (drawn[5, 5] == 120).all() and int(drawn[50, 75, 0]) > 180
