from __future__ import annotations

from anamorph.ledger import Within
from anamorph.relations.nested_views import NestedViews
from tests.relations.readings import read


def conflicts(*texts: str) -> list[tuple[str, str, tuple[int, ...]]]:
    verdict = NestedViews().judge([read(text) for text in texts])
    assert (verdict.outcome == "violated") == bool(verdict.conflicts)
    return [(each.label, each.what, each.probes) for each in verdict.conflicts]


def test_a_view_between_two_that_name_something_names_it() -> None:
    assert conflicts("a dog on a lawn", "a lawn", "a dog") == [("dog", "lost", (0, 2, 1))]
    assert conflicts("a dog on a lawn", "a puppy", "a dog") == []


def test_what_only_the_larger_views_name_may_have_been_cut_away() -> None:
    assert conflicts("a dog and a car", "a dog", "a lawn") == []
    # And a detail that only the smaller ones show may be too small for the larger one's caption.
    assert conflicts("a street", "a dog", "a dog") == []


def test_no_view_names_more_than_a_larger_one() -> None:
    assert conflicts("two dogs", "a lawn with dogs", "three dogs") == [("dog", "number", (0, 2))]
    assert conflicts("dogs", "two dogs", "a dog") == []


def test_its_links_say_that_each_view_is_within_the_one_before() -> None:
    assert NestedViews().links(3) == (Within(1, 0), Within(2, 1))
