from __future__ import annotations

from anamorph.methods.atom.scores import LabelTally
from anamorph.methods.atom.tables import label_summary, photos_of
from anamorph.model import HeatMap, LabelSet, Table, Tally
from anamorph.relations.stable_labels import StableLabels, image_group


def tally(
    combination: str,
    confident: int = 0,
    errors: int = 0,
    unspecific: int = 0,
    missing: int = 0,
    left: int = 0,
    score: float = 0,
) -> Tally:
    groups = {"confident": confident, "label-error": errors, "unspecific": unspecific, "incomplete": missing}
    tags = {"k": str(combination.count("+") + 1), "combination": combination}
    counts = (confident + missing, errors + unspecific, left)
    return Tally("atom", "stable-labels", tags, *counts, categories=groups, graded=confident + errors, score=score)


TALLIES = [
    tally("cat", 5, score=5),
    tally("dog", 2, 1, 1, missing=1, score=2.5),
    tally("car + cat", 0, 4, 1, score=1.0),
    tally("cat + dog", 4, 0, 1, score=4),
    tally("car + dog", left=5),
]


def tables(tallies: list[Tally]) -> list[Table]:
    return [each for each in label_summary(tallies) if isinstance(each, Table)]


def test_photos_are_counted_by_group_and_stable_ones_that_miss_a_label_apart() -> None:
    photos = tables(TALLIES)[0]
    assert photos.columns == (
        *("k", "photos", "confident", "label errors", "unspecific", "incomplete", "undecided"),
        *("error rate", "95 % interval"),
    )
    assert [row[:8] for row in photos.rows] == [(1, 10, 7, 1, 1, 1, 0, "20.0%"), (2, 15, 4, 4, 2, 0, 5, "60.0%")]


def test_a_combination_is_confident_or_vulnerable_with_one_such_photo() -> None:
    combinations = tables(TALLIES)[1]
    assert combinations.rows == (
        (1, 2, "2 (100.0%)", "1 (50.0%)", 2, "0.92"),
        (2, 3, "1 (33.3%)", "1 (33.3%)", 2, "0.62"),
    )


def test_the_worst_combination_comes_first_and_those_without_a_score_apart() -> None:
    *_, scored, unscored = tables(TALLIES)
    assert [(row[0], row[-1]) for row in scored.rows] == [
        *(("car + cat", "0.25"), ("dog", "0.83"), ("cat", "1.00"), ("cat + dog", "1.00")),
    ]
    assert unscored.rows == (("car + dog", 5, 0, 0, 0, 0, 5),)


def test_a_label_has_its_score_alone_and_the_mean_over_its_combinations() -> None:
    labels = tables(TALLIES)[2]
    assert [(row[0], row[1], row[-2], row[-1]) for row in labels.rows] == [
        ("car", 2, "-", "0.25"),
        ("cat", 3, "1.00", "0.75"),
        ("dog", 3, "0.83", "0.92"),
    ]


def test_people_see_both_ends_of_a_long_list_and_files_all_of_it() -> None:
    scored = tables([tally(f"label{number:02}", 1, 1, score=1 + number / 100) for number in range(50)])[3]
    assert len(scored.rows) == 50 and scored.hidden == 30
    shown = scored.shown()
    assert len(shown) == 21 and shown[0][0] == "label00" and shown[10][0] == "…" and shown[-1][0] == "label49"


def test_the_triangle_has_each_pair_once_and_single_labels_on_its_diagonal() -> None:
    (triangle,) = (each for each in label_summary(TALLIES) if isinstance(each, HeatMap))
    assert triangle.names == ("car", "cat", "dog")
    assert list(triangle.cells) == [
        ("car", "cat", 0.25),
        ("car", "dog", None),
        ("cat", "cat", 1.0),
        ("cat", "dog", 1.0),
        ("dog", "dog", 2.5 / 3),
    ]


def test_without_pairs_there_is_no_triangle() -> None:
    assert not any(isinstance(each, HeatMap) for each in label_summary([tally("cat", 5, score=5)]))


def test_an_empty_run_has_empty_tables() -> None:
    assert [table.rows for table in tables([])] == [()] * 5


def test_the_papers_example_of_equation_1_comes_out_of_verdicts() -> None:
    # Section III-B3: one confident photo, and one of whose eight outputs two have both labels: 10 / 16.
    both, cat = LabelSet(frozenset({"cat", "dog"})), LabelSet(frozenset({"cat"}))
    relation = StableLabels(("cat", "dog"))
    verdicts = [relation.judge([both] * 8), relation.judge([both] * 2 + [cat] * 6)]
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    assert [verdict.categories for verdict in verdicts] == [("confident",), ("label-error",)]
    (photos,) = photos_of([tally("cat + dog", 1, 1, score=sum(scores))]).values()
    assert photos.mean_score == 10 / 16
    counted = LabelTally()
    for outputs in ([both.labels] * 8, [both.labels] * 2 + [cat.labels] * 6):
        counted.add(("cat", "dog"), outputs, image_group(("cat", "dog"), outputs))
    assert counted.summary().combinations[0].score == photos.mean_score
