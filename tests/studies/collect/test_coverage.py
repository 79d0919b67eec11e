from __future__ import annotations

import itertools

import pytest

from anamorph.studies.collect.coverage import collected_coverage, coverage_table

SPACE = ("a", "b", "c", "d")
PHOTOS = {("a", "b"): ["1", "2"], ("c", "d"): ["2"], ("a",): ["3"], ("b", "c"): [], ("a", "x"): ["4"]}


def test_a_combination_is_covered_if_it_has_a_photo() -> None:
    found = collected_coverage(PHOTOS, SPACE, 2)
    assert (found.possible, found.covered, found.photos, found.data_set) == (6, 2, 2, None)


def test_a_data_set_is_laid_beside_as_in_figure_4() -> None:
    found = collected_coverage(PHOTOS, SPACE, 2, [("a", "b", "c"), ("d",), ("x", "y")])
    beside = found.data_set
    assert beside is not None
    assert (beside.covered, beside.both, beside.only_collected, beside.only_data_set) == (3, 1, 1, 2)


def test_a_random_choice_covers_the_mean_over_all_choices() -> None:
    data_set = [("a", "b"), ("a", "b", "c"), ("d",), ("c", "d")]
    beside = collected_coverage(PHOTOS, SPACE, 2, data_set).data_set
    assert beside is not None and beside.draws == 2
    counts = [
        len({pair for labels in chosen for pair in itertools.combinations(labels, 2)})
        for chosen in itertools.combinations(data_set, 2)
    ]
    assert beside.random == pytest.approx(sum(counts) / len(counts))


def test_a_data_set_with_fewer_photos_is_taken_whole() -> None:
    beside = collected_coverage(PHOTOS, SPACE, 2, [("a", "b")]).data_set
    assert beside is not None and beside.draws == 1 and beside.random == pytest.approx(1.0)


def test_the_table_has_the_data_set_only_where_there_is_one() -> None:
    plain = coverage_table([collected_coverage(PHOTOS, SPACE, 2)])
    assert plain.columns == ("k", "possible", "collected", "photos") and plain.rows == (("2", 6, "2 (33.3%)", 2),)
    full = coverage_table([collected_coverage(PHOTOS, SPACE, 2, [("a", "b")])])
    assert len(full.columns) == len(full.rows[0]) == 9


def test_an_empty_space_and_an_empty_collection_are_no_error() -> None:
    assert coverage_table([collected_coverage({}, (), 2, [])]).rows
