from __future__ import annotations

from collections.abc import Callable

import pytest

from anamorph.edits.blur import Blur
from anamorph.engine.causes import group_issues
from anamorph.model import Verdict
from anamorph.report.baseline.file import Baseline, CauseMark, ChosenBaseline, marked
from anamorph.report.baseline.matching import baseline_of
from anamorph.report.cause_words import read_causes
from anamorph.report.issues import read_issues
from anamorph.report.numbers import RunNumbers, read_numbers
from tests.report.fixtures import HandmadeRun
from tests.report.test_cause_words import about, violated

HOLDS = Verdict("holds", "Fine.")


def desk(run: HandmadeRun) -> list[str]:
    """Three cases of one scene, all of which hold."""
    scene = run.scene("desk", ("person",))
    cases = [run.case(scene, "a dog", "a dog", edits=(Blur(2.0 + n),)) for n in range(3)]
    run.judge()
    for digest in cases:
        run.rule(digest, HOLDS)
    return cases


def known(run: HandmadeRun) -> Baseline:
    group_issues(run.store, beside=True)
    return baseline_of(run.store, 7, ["deeptest"])


def against(run: HandmadeRun, baseline: Baseline) -> RunNumbers:
    return read_numbers(run.store, run.config, ChosenBaseline(baseline, "known.json"))


def test_the_same_run_has_nothing_new_and_nothing_fixed(run: HandmadeRun) -> None:
    for digest in desk(run):
        run.rule(digest, violated(about("person")))
    numbers = against(run, known(run))
    result = numbers.baseline
    assert result is not None and (result.new, result.known, result.fixed, result.not_tested) == (0, 1, (), 0)
    assert result.explanation == "" and numbers.gated.violated == 0 and numbers.counts.violated == 3
    assert result.sentence == "Against known.json: 0 new causes, 1 known, 0 fixed."


def test_another_answer_to_blame_for_what_broke_before_is_known(run: HandmadeRun) -> None:
    first, second, _ = desk(run)
    for digest in (first, second):
        run.rule(digest, violated(about("person", "gained")))
    baseline = known(run)
    (before,) = read_causes(run.store)
    assert before.edits == (), "the source answer explains both"
    run.rule(first, HOLDS)
    run.rule(second, violated(about("person", "lost")))
    result = against(run, baseline).baseline
    (now,) = read_causes(run.store)
    assert now.digest != before.digest and now.standing == "known"
    assert result is not None and (result.new, result.known, result.fixed) == (0, 1, ())


def test_another_answer_to_blame_is_new_where_one_of_its_cases_held_before_and_the_old_cause_is_not_fixed(
    run: HandmadeRun,
) -> None:
    first, second, third = desk(run)
    for digest in (first, second):
        run.rule(digest, violated(about("person")))
    baseline = known(run)
    run.rule(first, HOLDS)
    run.rule(second, violated(about("person", "gained")))
    run.rule(third, violated(about("person", "gained")))
    result = against(run, baseline).baseline
    assert result is not None and (result.new, result.fixed, result.not_tested) == (1, (), 0)


def test_another_class_in_the_same_case_is_new_and_the_old_one_fixed(run: HandmadeRun) -> None:
    first, *_ = desk(run)
    run.rule(first, violated(about("person")))
    baseline = known(run)
    run.rule(first, violated(about("dog")))
    numbers = against(run, baseline)
    result = numbers.baseline
    assert result is not None and result.new == 1 and [each.words for each in result.fixed] == ["loses 'person'"]
    assert [each.words for each in numbers.new_causes] == ["loses 'dog'"] and numbers.gated.violated == 1


def test_a_case_with_a_known_and_a_new_cause_counts_as_new(run: HandmadeRun) -> None:
    first, *_ = desk(run)
    run.rule(first, violated(about("person")))
    baseline = known(run)
    run.rule(first, violated(about("person"), about("dog")))
    numbers = against(run, baseline)
    assert numbers.gated.violated == 1 and [cause.standing for cause in numbers.causes] == ["new", "known"]


@pytest.mark.parametrize(("mark", "counted"), [("false-alarm", 0), ("accepted", 1), (None, 1)])
def test_a_false_alarm_is_neither_violated_nor_new(run: HandmadeRun, mark: CauseMark | None, counted: int) -> None:
    first, *_ = desk(run)
    run.rule(first, violated(about("person")))
    baseline = known(run)
    numbers = against(run, marked(baseline, {baseline.causes[0].digest: mark}))
    assert (numbers.counts.violated, numbers.counts.holds) == (counted, 3 - counted)
    assert numbers.cause_count == len(list(read_issues(run.store, None, 1))) == len(numbers.patterns) == counted
    assert (
        numbers.baseline is not None and numbers.baseline.suppressed == numbers.baseline.suppressed_cases == 1 - counted
    )
    assert (
        sum(each.violated for each in numbers.grades)
        == sum(group.counts.violated for group in numbers.groups)
        == counted
    )


def test_a_false_alarm_stays_one_when_another_answer_is_to_blame(run: HandmadeRun) -> None:
    first, second, _ = desk(run)
    for digest in (first, second):
        run.rule(digest, violated(about("person", "gained")))
    baseline = known(run)
    alarm = marked(baseline, {baseline.causes[0].digest: "false-alarm"})
    run.rule(first, HOLDS)
    run.rule(second, violated(about("person", "lost")))
    result = against(run, alarm).baseline
    assert result is not None and (result.new, result.known, result.suppressed) == (0, 0, 1)


def test_what_is_not_there_undecided_or_held_vacuously_is_not_fixed(
    run: HandmadeRun, new_run: Callable[..., HandmadeRun]
) -> None:
    cases = desk(run)
    for digest, label in zip(cases, ("person", "dog", "cat"), strict=True):
        run.rule(digest, violated(about(label)))
    baseline = known(run)
    run.rule(cases[0], Verdict("undecided", "Unclear."))
    run.rule(cases[1], Verdict("holds", "Nothing is named.", vacuous=True))
    run.rule(cases[2], HOLDS)
    result = against(run, baseline).baseline
    assert result is not None and (len(result.fixed), result.not_tested) == (1, 2)
    other = new_run("other")
    other.case(other.scene("street"), "a dog", "a dog")
    other.judge()
    elsewhere = against(other, baseline).baseline
    assert elsewhere is not None and (elsewhere.fixed, elsewhere.not_tested) == ((), 3)
    assert "another plan than the baseline (other photos, settings" in elsewhere.explanation
