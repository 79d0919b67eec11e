from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from anamorph.cli.main import cli
from anamorph.config import resolve
from anamorph.engine.run import carry_out, start
from anamorph.errors import RunError
from anamorph.studies.combinations.precision import KnownPhoto, average_precision
from anamorph.studies.combinations.reading import PhotoOutputs
from anamorph.studies.combinations.summary import TrainedCombination, summarise_outputs

OPERATIONS = ("blur 1",)


def photo(number: int, labels: str, *outputs: str, **tags: str) -> PhotoOutputs:
    return PhotoOutputs(number, tuple(labels), tags, OPERATIONS, tuple(map(frozenset, outputs)))


PHOTOS = [
    photo(1, "ab", "ab", "ab", k="2"),
    photo(2, "ac", "ac", "a", k="2"),
    photo(3, "", "ab", "ab", k="2", approach="random", repeats="1+2"),
    photo(4, "", "cd", "c", k="2", approach="random", repeats="2"),
]


def test_photos_at_random_are_summed_up_by_repeat_beside_atoms() -> None:
    summary = summarise_outputs(PHOTOS, "abcd")
    (own,), (drawn,) = summary.coverage, summary.random
    assert (own.photos, own.covered, own.covered_by_revealing) == (2, 2, 1)
    assert [each.photos for each in drawn.repeats] == [1, 2]
    assert (drawn.covered, drawn.covered_by_revealing, drawn.revealing_photos) == (1.5, 0.5, 0.5)
    table = summary.tables()[0]
    assert table.rows[0] == (2, "ATOM", 2, 1, "2 (33.3%)", "1 (16.7%)")
    assert table.rows[1] == (2, "random, mean of 2", 1, "0.5", "1.5 (25.0%)", "0.5 (8.3%)")
    # Only ATOM's photos say what each operation does.
    assert [(each.operation, each.photos, each.changed) for each in summary.operations] == [("blur 1", 2, 1)]


def test_scores_stand_beside_the_number_of_training_photos_that_show_the_combination() -> None:
    training = [("a", "b"), ("a", "b", "c"), ("c",)]
    summary = summarise_outputs(PHOTOS, "abcd", training)
    assert summary.trained == (TrainedCombination(("a", "b"), 1.0, 2), TrainedCombination(("a", "c"), 0.5, 1))
    assert summary.correlation(2) == 1.0
    assert summary.tables()[-1].rows == (
        (2, "to 0.5", 1, "1.0"),
        (2, "1", 1, "2.0"),
        (2, "all", 2, "rank correlation +1.00"),
    )
    assert summary.record()["training"]["correlation"] == {"2": 1.0}


def test_average_precision_is_that_of_scikit_learn() -> None:
    # sklearn.metrics.average_precision_score([1, 0, 1, 0, 1], [.9, .8, .8, .3, 0]) and of all tied.
    pairs = list(zip((0.9, 0.8, 0.8, 0.3, 0.0), (True, False, True, False, True), strict=True))
    assert average_precision(pairs) == pytest.approx(1 / 3 + 2 / 9 + 1 / 5)
    assert average_precision([(1.0, True), (1.0, False)]) == 0.5


def test_the_mean_over_labels_stands_beside_the_scores() -> None:
    known = [
        KnownPhoto(frozenset("ab"), {"a": 0.9, "c": 0.5}),
        KnownPhoto(frozenset("a"), {"b": 0.8}),
        KnownPhoto(frozenset("c"), {"a": 0.1, "c": 0.2}),
    ]
    summary = summarise_outputs([photo(1, "a", "a", "a", k="1")], "abc", known=known)
    assert summary.precision is not None
    found = {each.label: each.precision for each in summary.precision.labels}
    assert found == {"a": pytest.approx(0.5 + 0.5 * 2 / 3), "b": pytest.approx(1 / 3), "c": pytest.approx(0.5)}
    assert summary.precision.mean == pytest.approx(sum(found.values()) / 3)
    table = summary.tables()[-1]
    assert table.title == "Average precision on 3 photos with known labels, mean 0.556"
    assert table.rows[0] == ("b", 1, "0.333", "-") and table.rows[-1] == ("a", 2, "0.833", "1.000")
    assert summary.record()["map"]["photos"] == 3
    assert summarise_outputs(PHOTOS, "abcd").precision is None


def test_a_run_with_photos_at_random_is_read_and_one_of_another_method_is_refused(tmp_path: Path) -> None:
    settings = {"scenes": "toybox:12", "system": "toybox:tagger"}
    atom = {"k": 2, "per_combination": 1, "random_repeats": 2, "scale": [], "rotation": [2]}
    for name, plain in (("atom", {"methods": ["atom"], "atom": atom}), ("deeptest", {"methods": ["deeptest"]})):
        config = resolve({**settings, **plain, "limit": 12 if name == "atom" else 1})
        with start(config, tmp_path / name) as store:
            for _ in carry_out(store, config):
                pass
    runner = CliRunner()
    done = runner.invoke(cli, ["research", "combinations", str(tmp_path / "atom"), "--training", "toybox:12", "--json"])
    record = json.loads(done.output)
    (own,), (drawn,) = record["coverage"], record["random"]
    assert len(drawn["repeats"]) == 2 and all(each["photos"] == own["photos"] for each in drawn["repeats"])
    assert [each["operation"] for each in record["operations"]][1] == "contrast 0.8"
    assert record["training"]["combinations"]
    shown = runner.invoke(cli, ["research", "combinations", str(tmp_path / "atom")]).output
    assert "random" in shown and "Per operation" in shown
    with pytest.raises(RunError, match="has no case of the method 'atom'"):
        runner.invoke(
            cli, ["research", "combinations", str(tmp_path / "deeptest")], catch_exceptions=False, standalone_mode=False
        )
