from __future__ import annotations

from anamorph.model import Bar, Tally
from anamorph.statistics.intervals import clustered
from anamorph.statistics.rates import rate_bar, rate_cells, rate_of


def test_undecided_cases_count_for_no_rate_but_are_shown() -> None:
    tallies = [Tally("m", "r", {}, holds=30, violated=4, undecided=5), Tally("m", "r", {}, 15, 1, 0)]
    assert rate_cells(tallies) == (55, 5, "5 (9.1%)", "10.0%", "4.3 to 21.4%")


def test_nothing_to_count_is_a_dash() -> None:
    assert rate_cells([]) == (0, 0, "0", "-", "-")
    assert rate_cells([Tally("m", "r", {}, 0, 0, 2)]) == (2, 0, "2 (100.0%)", "-", "-")


def test_the_cases_of_a_photo_count_together_over_several_tallies() -> None:
    one = Tally("m", "r", {"a": "1"}, 2, 2, 0, clusters={1: (2, 2), 2: (2, 0)})
    other = Tally("m", "r", {"a": "2"}, 2, 2, 1, clusters={1: (2, 2), 2: (2, 0)})
    assert rate_of([one, other]).interval == clustered([(4, 4), (4, 0)])


def test_a_tally_without_decided_cases_needs_no_photos() -> None:
    one = Tally("m", "r", {}, 3, 1, 0, clusters={1: (2, 1), 2: (2, 0)})
    assert rate_of([one, Tally("m", "r", {}, 0, 0, 7)]).interval == clustered([(2, 1), (2, 0)])


def test_a_bar_has_a_rate_for_each_series_or_none() -> None:
    one = Tally("m", "r", {}, 3, 1, 0, clusters={1: (2, 1), 2: (2, 0)})
    alone = Tally("m", "r", {}, 3, 1, 0, clusters={1: (4, 1)})
    interval = clustered([(2, 1), (2, 0)])
    assert interval is not None
    assert rate_bar("x", [one], [], [alone]) == Bar("x", ((0.25, *interval), None, None))
