from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph.edits.blur import Blur
from anamorph.errors import RunError, UsageError
from anamorph.statistics.intervals import clustered, paired
from anamorph.store.run import RunStore
from anamorph.studies.comparison.comparison import Comparison, check_comparable, compare, split_cases
from anamorph.studies.comparison.files import comparison_record, rate_rows, write_comparison
from anamorph.studies.comparison.shared_cases import shared_cases
from anamorph.studies.comparison.tables import matrix, pair_tables, runs_table, side_by_side, tag_tables
from tests.report.fixtures import HandmadeRun

# Per scene: the answers to four blurred twins of a photo that the system called "a"; None is no answer.
FIRST = {"park": "aaab", "beach": "bbaa", "street": "aaaa", "kitchen": "aab"}
SECOND = {"park": "aaaa", "beach": "bbba", "street": "aaab", "kitchen": "aaa"}


@pytest.fixture
def make(new_run: Callable[..., HandmadeRun]) -> Callable[..., Path]:
    numbers = itertools.count(1)

    def make(answers: dict[str, str], judge: bool = True, pictures: bool = True) -> Path:
        run = new_run(f"run{next(numbers)}")
        for scene, given in answers.items():
            run.scene(scene)
            for number, answer in enumerate(given):
                edits = (Blur(1.0 + number),)
                run.case(scene, "a", None if answer == "-" else answer, edits=edits, pictures=pictures)
        if judge:
            run.judge()
        folder = run.store.folder
        run.store.close()
        return folder

    return make


def compared(*folders: Path) -> Comparison:
    stores = [RunStore.open(folder, read_only=True) for folder in folders]
    check_comparable(stores)
    with shared_cases(folders) as shared:
        return compare(stores, shared, [None] * len(stores))


def test_rates_stand_side_by_side_with_clustered_intervals(make: Callable[..., Path]) -> None:
    comparison = compared(make(FIRST), make(SECOND))
    (line,) = comparison.rates
    assert [(rate.cases, rate.violated) for rate in line.rates] == [(15, 4), (15, 4)]
    assert line.rates[0].interval == clustered([(4, 1), (4, 2), (4, 0), (3, 1)])
    assert comparison.shared == 15 and comparison.sentence == "The runs have the same 15 cases."


def test_a_difference_is_paired_case_by_case(make: Callable[..., Path]) -> None:
    (difference,) = compared(make(FIRST), make(SECOND)).differences
    expected = paired([(4, 1, 0), (4, 2, 3), (4, 0, 1), (3, 1, 0)])
    assert (difference.difference, difference.interval) == expected
    assert (difference.decided, difference.only_first, difference.only_second) == (15, 2, 2)
    assert not difference.clear


def test_a_case_that_one_run_left_undecided_is_no_part_of_a_difference(make: Callable[..., Path]) -> None:
    comparison = compared(make(FIRST), make({**SECOND, "beach": "bb-a"}))
    (difference,), (line,) = comparison.differences, comparison.rates
    assert difference.decided == 14
    assert [rate.undecided for rate in line.rates] == [0, 1]


def test_which_cases_only_one_fails_is_shown(make: Callable[..., Path]) -> None:
    folders = [make(FIRST), make(SECOND)]
    stores = [RunStore.open(folder, read_only=True) for folder in folders]
    with shared_cases(folders) as shared:
        comparison = compare(stores, shared, [None, None])
        found = [(case.scene, case.failing) for _, _, case in split_cases(comparison, shared)]
    assert found == [("park", 0), ("beach", 1), ("street", 1), ("kitchen", 0)]


def test_runs_with_different_plans_are_compared_on_what_they_share_and_it_says_so(make: Callable[..., Path]) -> None:
    more = {**SECOND, "attic": "bbbb"}
    comparison = compared(make(FIRST), make(more), make({"park": "aaaa", "beach": "aaaa"}))
    assert comparison.shared == 8
    assert "different plans" in comparison.sentence and "8 cases that all have" in comparison.sentence
    assert [rate.violated for rate in comparison.rates[0].rates] == [3, 3, 0]
    assert [(each.first, each.second) for each in comparison.differences] == [(0, 1), (0, 2), (1, 2)]


def test_runs_that_share_nothing_show_their_own_rates_and_no_difference(make: Callable[..., Path]) -> None:
    comparison = compared(make(FIRST), make({"moon": "ab"}))
    assert comparison.shared == 0 and comparison.differences == ()
    assert "share no case" in comparison.sentence
    assert [rate.cases for rate in comparison.rates[0].rates] == [15, 2]


def test_the_same_names_on_other_pictures_are_other_cases(make: Callable[..., Path]) -> None:
    first, second = make(FIRST), make(SECOND)
    with RunStore.open(second) as store, store.transaction() as connection:
        connection.execute("UPDATE images SET file = 'ffffffffffffffffffffffffffffffff.jpg' WHERE scene = 1")
    assert compared(first, second).shared == 11


def test_a_system_that_does_not_look_is_compared_all_the_same(make: Callable[..., Path]) -> None:
    assert compared(make(FIRST), make(SECOND, pictures=False)).shared == 15


def test_what_cannot_be_compared_is_shown(make: Callable[..., Path]) -> None:
    folder = make(FIRST)
    with pytest.raises(UsageError, match="One run cannot be compared"):
        compared(folder)
    with pytest.raises(UsageError, match="is given twice"):
        compared(folder, folder)
    with pytest.raises(RunError, match="has no verdicts yet"):
        compared(folder, make(SECOND, judge=False))


def test_tables_have_a_row_per_run_and_one_per_relation(make: Callable[..., Path]) -> None:
    comparison = compared(make(FIRST), make(SECOND))
    names = [run.name for run in comparison.runs]
    assert [row[0] for row in runs_table(comparison).rows] == names
    assert matrix(comparison, "deeptest").rows == ((names[0], "26.7%"), (names[1], "26.7%"))
    ((relation, cases, first, _),) = side_by_side(comparison, "deeptest").rows
    assert (relation, cases) == ("same-answer", 15) and str(first).startswith("26.7% (")
    (pair,) = pair_tables(comparison)
    assert pair.rows[0][2] == "+0.0" and pair.columns[-1] == f"only {names[1]} fails"


def test_a_known_price_gives_a_cost(make: Callable[..., Path]) -> None:
    folders = [make(FIRST), make(SECOND)]
    stores = [RunStore.open(folder, read_only=True) for folder in folders]
    with shared_cases(folders) as shared:
        one, other = compare(stores, shared, [0.5, None]).runs
    assert one.cost == one.calls * 0.5 > 0 and other.cost is None


def test_a_run_that_kept_account_of_its_spending_has_its_own_cost(make: Callable[..., Path]) -> None:
    first, second = make(FIRST), make(SECOND)
    with RunStore.open(second) as store, store.transaction():
        store.set_fact("config", {"ask": {"price": 0.01}})
        store.set_fact("spending", {"images_sent": 25, "spent": 0.25})
    comparison = compared(first, second)
    assert [run.cost for run in comparison.runs] == [None, 0.25]
    assert [row[-1] for row in runs_table(comparison).rows] == ["-", "0.25"]


def test_the_folder_opens_from_disk_and_has_every_number(make: Callable[..., Path], tmp_path: Path) -> None:
    folders = [make(FIRST), make(SECOND)]
    stores = [RunStore.open(folder, read_only=True) for folder in folders]
    with shared_cases(folders) as shared:
        comparison = compare(stores, shared, [None, None])
        for _ in range(2):
            written = write_comparison(comparison, shared, tmp_path / "comparison")
    assert json.loads(written.json.read_text()) == comparison_record(comparison)
    page = written.index_html.read_text()
    assert "Content-Security-Policy" in page and "<script" not in page
    with (tmp_path / "comparison" / "cases.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4 and rows[0]["replay"].startswith("anamorph replay ")
    assert len(list(rate_rows(comparison))) == 3
    (drawing,) = (tmp_path / "comparison" / "figures").glob("*.svg")
    assert drawing.name in page


def test_a_folder_that_holds_something_else_is_left_alone(make: Callable[..., Path], tmp_path: Path) -> None:
    folders = [make(FIRST), make(SECOND)]
    stores = [RunStore.open(folder, read_only=True) for folder in folders]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with shared_cases(folders) as shared, pytest.raises(UsageError, match="not empty"):
        write_comparison(compare(stores, shared, [None, None]), shared, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_tags_with_a_few_values_have_counts_for_each_run(new_run: Callable[..., HandmadeRun]) -> None:
    folders = []
    for name, answers in (("one", "ab"), ("two", "bb")):
        run = new_run(name)
        run.scene("park")
        for number, answer in enumerate(answers):
            tags = {"depth": str(number), "alike": "yes"}
            run.case("park", "a", answer, edits=(Blur(1.0 + number),), tags=tags)
        run.judge()
        folders.append(run.store.folder)
        run.store.close()
    comparison = compared(*folders)
    assert [(each.tag, each.value, [rate.violated for rate in each.rates]) for each in comparison.by_tag] == [
        ("depth", "0", [0, 1]),
        ("depth", "1", [1, 1]),
    ]
    (table,) = tag_tables(comparison, comparison.by_tag[0].method)
    assert table.columns[1:] == ("one", "two")
    assert table.rows == (("0", "0 of 1 (0.0%)", "1 of 1 (100.0%)"), ("1", "1 of 1 (100.0%)", "1 of 1 (100.0%)"))
    assert [each["tag"] for each in comparison_record(comparison)["by_tag"]] == ["depth", "depth"]
