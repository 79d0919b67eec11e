from __future__ import annotations

import hashlib

import pytest

from anamorph.statistics.intraclass import intraclass
from anamorph.studies.study.results import StudyResult, answers_of_study
from anamorph.studies.study.study import Study, StudyItem, StudyKind, StudyPicture, new_study
from anamorph.studies.study.summary import judgements, sum_up_study, summary_record


def study(kind: StudyKind, *whats: tuple[str, ...], labels: tuple[str, ...] = ()) -> Study:
    items = (
        StudyItem(
            f"{place:012x}",
            f"scene {place}",
            tuple(StudyPicture(f"{place:032x}.jpg", name) for name in what),
            labels,
        )
        for place, what in enumerate(whats)
    )
    return new_study(kind, "run", 0, tuple(items))


def result(shown: Study, place: int, reviewer: str, choice: str, minute: int = 0, **more: str) -> StudyResult:
    id = hashlib.blake2b(f"{place}{reviewer}{choice}{minute}".encode(), digest_size=16).hexdigest()
    at = f"2026-11-17T09:{minute:02}:00+00:00"
    return StudyResult(id, shown.digest, shown.items[place].id, reviewer, at, choice, **more)


# Shrout and Fleiss 1979, table 2, as tests/statistics/test_intraclass.py has it, on a scale of 1 to 4 for the first two
# judges only: six pictures, each rated by two people.
RATINGS = [(3, 4), (1, 1), (2, 3), (1, 2), (4, 4), (2, 2)]


def test_naturalness_is_a_mean_for_each_kind_and_the_agreement_of_all() -> None:
    shown = study("naturalness", ("real",), ("rome",), ("real",), ("rome",), ("real",), ("rome",))
    results = [
        result(shown, place, name, str(pair[who]))
        for place, pair in enumerate(RATINGS)
        for who, name in enumerate(("ann", "bob"))
    ]
    found = sum_up_study(shown, answers_of_study(shown, results)).naturalness
    assert found is not None
    kinds = {each.what: each for each in found.kinds}
    assert kinds["real"].mean == pytest.approx((3.5 + 2.5 + 4) / 3) and kinds["rome"].mean == pytest.approx(1.5)
    assert (kinds["rome"].pictures, kinds["rome"].ratings) == (3, 6)
    assert kinds["rome"].shares == {"1": 3, "2": 3}
    wanted = intraclass(RATINGS, 2)
    assert wanted is not None and found.agreement[0] == wanted and found.rated_by_all == 6
    assert [each.name for each in found.agreement] == ["ICC(2,1)", "ICC(2,2)", "ICC(3,1)", "ICC(3,2)"]


def test_a_later_answer_replaces_an_earlier_one_and_an_empty_one_takes_it_back() -> None:
    shown = study("naturalness", ("real",), ("rome",))
    results = [
        result(shown, 0, "ann", "1", 5),
        result(shown, 0, "ann", "4", 7),
        result(shown, 1, "ann", "2", 6),
        result(shown, 1, "ann", "", 8),
    ]
    answers = answers_of_study(shown, reversed(results))
    assert {item: given["ann"].choice for item, given in answers.given.items()} == {shown.items[0].id: "4"}


def test_results_of_another_study_or_choice_are_counted_and_left_out() -> None:
    shown, other = study("naturalness", ("real",)), study("naturalness", ("rome",))
    answers = answers_of_study(shown, [result(other, 0, "ann", "1"), result(shown, 0, "ann", "5")])
    assert answers.given == {} and answers.strange == 2


def test_pairs_are_tested_by_what_most_people_chose() -> None:
    shown = study("pairwise", *[("real", "rome") if place % 2 else ("rome", "real") for place in range(10)])
    results = []
    for place in range(10):
        real, other = ("a", "b") if place % 2 else ("b", "a")
        # The real one wins eight pairs of ten, with one dissent each; and a tie leaves the test.
        results.append(result(shown, place, "ann", real if place < 8 else other, confidence="5"))
        results.append(result(shown, place, "bob", real if place < 8 else other, confidence="3"))
        results.append(result(shown, place, "eve", other, confidence="1"))
    (found,) = sum_up_study(shown, answers_of_study(shown, results)).pairwise
    assert (found.first, found.second, found.pairs, found.won, found.tied) == ("real", "rome", 10, 8, 0)
    assert (found.answers, found.chosen) == (30, 16)
    # Zar's deer: eight of ten.
    assert found.p_value == pytest.approx(0.109375)
    # Shares of 2/3 in eight pairs and of 0 in two: a mean of .533, against a half.
    assert found.t_test is not None and found.t_test.t == pytest.approx(0.375) and found.t_test.freedom == 9
    assert found.confidence == pytest.approx(3) and found.confidence_when_chosen == pytest.approx(4)


def test_a_tie_is_left_out_of_the_test() -> None:
    shown = study("pairwise", ("real", "rome"), ("real", "rome"))
    results = [result(shown, 0, "ann", "a"), result(shown, 0, "bob", "b"), result(shown, 1, "ann", "a")]
    (found,) = sum_up_study(shown, answers_of_study(shown, results)).pairwise
    assert (found.pairs, found.won, found.tied, found.p_value) == (2, 1, 1, 1.0)


def test_relevance_is_that_of_anamorph_relevance() -> None:
    shown = study("relevance", ("real",), ("real",), labels=("cat", "dog"))
    results = [
        result(shown, 0, "ann", "strong"),
        result(shown, 0, "bob", "weak-blur"),
        result(shown, 1, "ann", "irrelevant"),
        result(shown, 1, "bob", "irrelevant"),
    ]
    answers = answers_of_study(shown, results)
    assert {(each.image, each.relevance, each.reason) for each in judgements(shown, answers)} == {
        ("scene 0", "strong", None),
        ("scene 0", "weak", "blur"),
        ("scene 1", "irrelevant", None),
    }
    record = summary_record(sum_up_study(shown, answers))
    assert record["per_size"][0]["ri"] == 0.5 and record["per_size"][0]["rlc"] == 1.0
    assert record["answers"] == {"ann": 2, "bob": 2}


def test_captions_are_counted() -> None:
    shown = study("caption", ("rome",), ("rome",))
    results = [result(shown, 0, "ann", "", text="a dog on a couch"), result(shown, 1, "ann", "fine")]
    record = summary_record(sum_up_study(shown, answers_of_study(shown, results)))
    assert (record["corrected"], record["fine"]) == (1, 1)
