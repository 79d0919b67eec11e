from __future__ import annotations

import itertools
import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, strategies as st

from anamorph.methods.atom.combinations import (
    Samples,
    caption_names,
    combinations_in,
    coverage,
    expected_coverage,
)
from anamorph.model import CaptionReading
from tests.english import caption_reader

label_sets = st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=4), min_size=1, max_size=6)


def test_combinations_are_in_order_and_small_ones_come_first() -> None:
    assert combinations_in(["c", "a", "b", "a"], (2, 1)) == [
        *(("a",), ("b",), ("c",)),
        *(("a", "b"), ("a", "c"), ("b", "c")),
    ]
    assert combinations_in(["a"], (2,)) == []


@given(st.frozensets(st.sampled_from("abcdefgh")), st.integers(1, 4))
def test_there_are_as_many_combinations_as_the_binomial_says(labels: frozenset[str], size: int) -> None:
    found = combinations_in(labels, (size,))
    assert len(set(found)) == len(found) == math.comb(len(labels), size)


# --- captions -------------------------------------------------------------------------------------------------------

READER = caption_reader()


@pytest.mark.parametrize(
    ("caption", "combination", "named"),
    [
        ("A cake and an orange on a table.", ("cake", "orange"), True),
        ("Two dogs chase a cat.", ("cat", "dog"), True),
        ("A woman rides her bike past a bus.", ("bicycle", "bus", "person"), True),
        # Figure 1 of the paper: another word, two labels that are one thing, and an adjective.
        ("A cakemaker with an orange.", ("cake", "orange"), False),
        ("A delicious orange cake on a plate.", ("cake", "orange"), False),
        ("An orange cat beside a cake.", ("cake", "orange"), False),
        ("A dog on a couch.", ("cat", "dog"), False),
        ("A dog, no cats.", ("cat", "dog"), False),
    ],
)
def test_a_caption_must_name_every_label_as_a_thing_of_its_own(
    caption: str, combination: tuple[str, ...], named: bool
) -> None:
    reading = READER.read_text(caption)
    assert isinstance(reading, CaptionReading)
    assert caption_names(reading, combination) is named


def test_labels_that_follow_each_other_directly_are_refused() -> None:
    reading = READER.read_text("a dog and a cat")
    assert isinstance(reading, CaptionReading)
    dog, cat = reading.mentions
    joined = CaptionReading("dog cat", (replace(dog, start=0, end=3), replace(cat, start=4, end=7)))
    assert caption_names(reading, ("cat", "dog"))
    assert not caption_names(joined, ("cat", "dog"))


# --- samples --------------------------------------------------------------------------------------------------------


@given(st.integers(1, 5), st.integers(0, 20), st.integers(0, 99))
def test_a_sample_has_different_scenes_and_all_of_them_where_there_are_few(most: int, count: int, seed: int) -> None:
    samples = Samples(most, Random(seed))
    for number in range(count):
        samples.add(("a",), f"s{number}")
    chosen = dict(samples).get(("a",), [])
    assert len(set(chosen)) == len(chosen) == min(most, count)


def test_every_scene_has_the_same_chance() -> None:
    hits = [0] * 10
    for seed in range(3000):
        samples = Samples(3, Random(seed))
        for number in range(10):
            samples.add(("a",), str(number))
        for _, chosen in samples:
            for scene in chosen:
                hits[int(scene)] += 1
    assert all(hit == pytest.approx(900, rel=0.12) for hit in hits)


def test_samples_come_out_small_combinations_first_whatever_the_order_in() -> None:
    samples = Samples(5, Random(0))
    for combination in (("b", "c"), ("z",), ("a", "b"), ("a",)):
        samples.add(combination, "s")
    assert [combination for combination, _ in samples] == [("a",), ("z",), ("a", "b"), ("b", "c")]


# --- coverage -------------------------------------------------------------------------------------------------------


def test_coverage_counts_distinct_combinations_of_the_label_space() -> None:
    chosen = [{"a", "b", "c"}, {"a", "b"}, {"d", "elsewhere"}]
    found = coverage(chosen, "abcd", 2)
    assert (found.covered, found.possible, found.share, found.expected, found.expected_share) == (3, 6, 0.5, None, None)
    assert coverage(chosen, "abcd", 1).covered == 4


def test_everything_chosen_covers_what_the_collection_covers() -> None:
    collection = [{"a", "b"}, {"b", "c"}, {"a"}]
    found = coverage(collection, "abc", 2, collection)
    assert found.covered == found.expected == 2
    assert found.expected_share == pytest.approx(2 / 3)


@given(label_sets, st.integers(1, 3), st.data())
def test_the_random_baseline_is_the_mean_over_all_choices(
    collection: list[frozenset[str]], size: int, data: st.DataObject
) -> None:
    draws = data.draw(st.integers(0, len(collection)))
    choices = list(itertools.combinations(collection, draws))
    mean = sum(coverage(choice, "abcdef", size).covered for choice in choices) / len(choices)
    assert expected_coverage(collection, "abcdef", size, draws) == pytest.approx(mean)


@given(label_sets, st.integers(1, 3))
def test_a_larger_random_choice_covers_no_less(collection: list[frozenset[str]], size: int) -> None:
    means = [expected_coverage(collection, "abcdef", size, draws) for draws in range(len(collection) + 1)]
    assert means[0] == 0
    assert all(one <= other + 1e-9 for one, other in itertools.pairwise(means))


def test_large_collections_do_not_overflow() -> None:
    collection = [{"a", "b"}] + [{"a"}] * 99_999
    assert expected_coverage(collection, "ab", 2, 50_000) == pytest.approx(0.5, abs=1e-6)


def test_more_cannot_be_chosen_than_there_is() -> None:
    with pytest.raises(ValueError, match="2 label sets cannot be chosen from 1"):
        coverage([{"a"}, {"b"}], "ab", 1, [{"a"}])


def test_an_empty_space_has_no_share() -> None:
    assert coverage([{"a"}], (), 2, [{"a"}]).share == 0.0
