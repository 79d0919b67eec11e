from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st

from anamorph.model import Skip
from anamorph.store.omissions import (
    EXAMPLES,
    OTHER,
    REASONS,
    Omission,
    OmissionCounts,
    omission_sentences,
    omissions,
    write_omissions,
)
from anamorph.store.plans import clear_plan
from anamorph.store.run import RunStore


def counted(*skips: Skip, method: str = "rome") -> list[Omission]:
    counts = OmissionCounts()
    for skip in skips:
        counts.add(method, skip)
    return counts.found()


def test_reasons_are_counted_with_the_commonest_first() -> None:
    found = counted(Skip("a", "small", "object"), Skip("b", "large", "object"), Skip("c", "large", "object"))
    assert found == [Omission("rome", "object", "large", 2, ("b", "c")), Omission("rome", "object", "small", 1, ("a",))]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=60))
def test_counts_are_exact_whatever_the_order(items: list[tuple[str, int]]) -> None:
    found = counted(*(Skip(str(place), f"{reason}", noun) for place, (noun, reason) in enumerate(items)))
    assert {(each.noun, each.reason): each.count for each in found} == {
        (noun, str(reason)): items.count((noun, reason)) for noun, reason in items
    }


def test_a_million_skips_are_counted_and_a_few_are_kept() -> None:
    (one,) = counted(*(Skip(str(number), "large", "object") for number in range(5_000)))
    assert one.count == 5_000 and one.examples == tuple(map(str, range(EXAMPLES)))


def test_a_method_that_writes_a_reason_for_each_item_does_not_swell_the_run() -> None:
    found = counted(*(Skip(str(number), f"{number} is odd", "object") for number in range(REASONS + 50)))
    assert len(found) == REASONS + 1 and sum(each.count for each in found) == REASONS + 50
    assert [each.count for each in found if each.reason == OTHER] == [50]


def test_a_run_keeps_them_until_its_plan_is_made_anew(tmp_path: Path) -> None:
    found = counted(Skip("a", "small", "object"))
    with RunStore.create(tmp_path, {}) as store:
        assert omissions(store) == []
        with store.transaction():
            write_omissions(store, found)
        assert omissions(store) == found
        clear_plan(store)
        assert omissions(store) == []


def test_one_sentence_tells_what_a_method_left_out() -> None:
    found = counted(
        *[Skip("x", "too large", "object")] * 1200, Skip("y", "a crowd", "object"), Skip("s", "empty", "scene")
    )
    assert omission_sentences(found) == [
        "rome left out 1,201 objects: 1,200 too large; 1 a crowd.",
        "rome left out 1 scene: 1 empty.",
    ]
