from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from anamorph.edits.blur import Blur
from anamorph.errors import RunError, UsageError
from anamorph.statistics.intervals import clustered, paired
from anamorph.store.run import RunStore
from anamorph.store.shared_cases import SharedCases, shared_cases
from anamorph.studies.compare.comparison import Comparison, check_comparable, compare, split_cases
from anamorph.studies.compare.files import comparison_record, rate_rows, write_comparison
from anamorph.studies.compare.tables import (
    grade_table,
    matrix,
    outcome_table,
    pair_tables,
    runs_table,
    side_by_side,
    tag_tables,
)
from tests.report.fixtures import HandmadeRun, serious_faults
from tests.store.test_schema_3 import write_schema_3

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


@contextmanager
def opened(*folders: Path) -> Iterator[tuple[list[RunStore], SharedCases, Comparison]]:
    stores = [RunStore.open(folder, read_only=True) for folder in folders]
    check_comparable(stores)
    with shared_cases(folders) as shared:
        yield stores, shared, compare(stores, shared, [None] * len(stores))


def compared(*folders: Path, out: Path | None = None) -> Comparison:
    with opened(*folders) as (stores, shared, comparison):
        if out is not None:
            assert write_comparison(comparison, shared, stores, out) == out / "index.html"
        return comparison


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


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
    with opened(make(FIRST), make(SECOND)) as (_, shared, comparison):
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
    with opened(make(FIRST), make(SECOND)) as (stores, shared, _):
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
    folders, out = [make(FIRST), make(SECOND)], tmp_path / "comparison"
    for _ in range(2):
        comparison = compared(*folders, out=out)
    record = json.loads((out / "comparison.json").read_text())
    assert record == json.loads(json.dumps(comparison_record(comparison)))
    page = (out / "index.html").read_text()
    assert "Content-Security-Policy" in page and "<script" not in page
    rows = rows_of(out / "cases.csv")
    assert len(rows) == 4 and rows[0]["replay"].startswith("anamorph case replay ")
    assert len(list(rate_rows(comparison))) == 3
    (drawing,) = (out / "figures").glob("*.svg")
    assert drawing.name in page
    # A folder that holds something else is left alone.
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not empty"):
        compared(*folders, out=tmp_path)
    assert (out / "thesis.txt").read_text() == "years of work"


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


# --- who wins --------------------------------------------------------------------------------------------------------

SCENES = tuple("abcdefghijklmnop")
GOOD = dict.fromkeys(SCENES, "aaaa")
BAD = {scene: "abba" if place % 4 else "aaab" for place, scene in enumerate(SCENES)}


def renamed(folder: Path, system: str) -> Path:
    with RunStore.open(folder) as store, store.transaction():
        store.set_fact("config", {"system": {"kind": "command", "command": system}})
    return folder


def test_the_system_that_clearly_fails_less_often_wins(make: Callable[..., Path]) -> None:
    folders = renamed(make(BAD, pictures=False), "bad"), renamed(make(GOOD, pictures=False), "good")
    comparison = compared(*folders)
    assert comparison.winner == 1 and not comparison.versions
    assert comparison.headline == f"{comparison.runs[1].name} wins against {comparison.runs[0].name}"
    (whole,) = comparison.overall
    assert (whole.only_first, whole.only_second, whole.both, whole.neither) == (28, 0, 0, 36)
    assert f"{comparison.runs[1].name} fails 0.0% and {comparison.runs[0].name} 43.8% of the 64" in comparison.lead
    assert "43.8 points apart, 95 % interval " in comparison.lead


def test_without_a_clear_difference_nobody_wins(make: Callable[..., Path]) -> None:
    comparison = compared(renamed(make(FIRST), "one"), renamed(make(SECOND), "other"))
    assert comparison.winner is None and comparison.headline.startswith("No clear winner between ")
    assert comparison.lead.endswith("so either may be better.")
    runs = (make(each, pictures=False) for each in (FIRST, SECOND, FIRST))
    three = compared(*(renamed(run, str(place)) for place, run in enumerate(runs)))
    assert three.headline.startswith("No clear winner among ") and three.winner is None


def test_of_three_the_winner_beats_every_other_one(make: Callable[..., Path]) -> None:
    worse = dict.fromkeys(SCENES, "bbbb")
    runs = (make(each, pictures=False) for each in (BAD, worse, GOOD))
    comparison = compared(*(renamed(run, str(place)) for place, run in enumerate(runs)))
    names = [run.name for run in comparison.runs]
    assert comparison.headline == f"{names[2]} wins against {names[0]} and {names[1]}"
    # The one that comes closest is the one to be told apart from.
    assert names[0] in comparison.lead and names[1] not in comparison.lead


def test_runs_of_one_system_are_versions_with_what_was_fixed_and_broken(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    folders = [renamed(make(BAD), "it"), renamed(make(GOOD), "it")]
    comparison = compared(*folders, out=tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text()
    before, after = (run.name for run in comparison.runs)
    assert comparison.versions and comparison.headline == f"{after} is better than {before}"
    assert compared(*reversed(folders)).headline == f"{before} is worse than {after}"
    assert outcome_table(comparison).columns[3:5] == ("fixed", "broken")
    assert f"<title>{after} is better than {before}" in page and "<dt>Fixed</dt><dd>28</dd>" in page
    # Three of them at once, each photo once, and more on demand.
    first, more = page.split('<details class="fold">')
    assert first.count('<article class="one-sided"') == 3 and more.count('<article class="one-sided"') == 6
    assert page.count('class="frame"') == 18 and "No such cases." in page


def test_violations_are_counted_by_grade_and_cases_say_theirs(make: Callable[..., Path], tmp_path: Path) -> None:
    folders = [make(FIRST), make(SECOND)]
    with RunStore.open(folders[0]) as store, store.transaction() as connection:
        connection.execute("UPDATE verdicts SET grade = 'omission' WHERE outcome = 'violated'")
    comparison = compared(*folders, out=tmp_path / "page")
    with shared_cases(folders) as shared:
        clearest = shared.clearest_splits(0, 1, 9)
    found = {each.grade: each.violated for each in comparison.grades}
    assert found == {"contradiction": (0, 4), "omission": (4, 0)}
    assert [row[0] for row in grade_table(comparison).rows] == ["contradiction", "omission"]
    assert [case.grade for case in clearest] == ["omission", "omission"]
    grades = {(row["fails"], row["grade"]) for row in rows_of(tmp_path / "page" / "cases.csv")}
    assert grades == {("run1", "omission"), ("run2", "contradiction")}


def test_a_run_of_an_earlier_schema_is_compared_by_the_grades_in_its_bodies(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("old", "new")]
    for folder in folders:
        folder.mkdir()
        write_schema_3(folder)
    with RunStore.open(folders[1]) as store, store.transaction() as connection:
        connection.execute("UPDATE verdicts SET outcome = 'lead', state = 'lead' WHERE \"case\" = 4")
    comparison = compared(*folders)
    assert {each.grade: each.violated for each in comparison.grades} == {
        "contradiction": (1, 0),
        "miscount": (1, 1),
        "omission": (1, 1),
    }
    assert [run.leads for run in comparison.runs] == [0, 1] and comparison.rates[0].leads == (0, 1)
    assert [rate.violated for rate in comparison.rates[0].rates] == [3, 2], "a lead does not count"
    assert (comparison.overall[0].only_first, comparison.overall[0].only_second) == (1, 0)


EVIL = "</script><script>window.evil=1</script><img src=x onerror=window.evil=1>\u202e"


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_the_page_of_a_comparison_has_no_serious_fault_and_obeys_no_answer(
    make: Callable[..., Path], new_run: Callable[..., HandmadeRun], chrome: Chrome, axe: str, tmp_path: Path
) -> None:
    folders = []
    for name, answers in (("one", ("a", "b", EVIL)), ("two", ("a", "a", "a"))):
        run = new_run(name)
        for place, answer in enumerate(answers):
            run.scene(f"{EVIL}{place}")
            run.case(f"{EVIL}{place}", "a", answer, edits=(Blur(1.0 + place),))
        run.judge()
        folders.append(run.store.folder)
        run.store.close()
    compared(*folders, out=tmp_path / "page")
    chrome.get((tmp_path / "page" / "index.html").as_uri())
    assert serious_faults(chrome, axe) == []
    assert chrome.execute_script("return window.evil") is None
    assert "<img src=x" in chrome.execute_script("return document.body.innerText")
