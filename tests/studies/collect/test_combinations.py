from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from anamorph.config import resolve
from anamorph.engine.run import carry_out, start
from anamorph.errors import RunError, UsageError
from anamorph.model import Answer, Ask
from anamorph.studies.collect.combinations import chosen_combinations, confident_combinations, extended
from tests.engine import fakes
from tests.engine.fakes import Script
from tests.scenes.collections import entry, make_collection
from tests.studies.collect.searching import patchwork

LABELS = ("cat", "dog", "bus")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tagger that always says cat and dog, and says bus only of some of the images."""
    entries = [
        entry(f"images/{number}.png", labels) for number, labels in enumerate([("cat",), ("dog",), ("bus",), ("car",)])
    ]
    make_collection(tmp_path / "photos", *entries)
    for number in range(4):
        patchwork(number, (48, 32)).save(tmp_path / "photos" / "images" / f"{number}.png")
    asked: list[str] = []

    def tag(batch: Sequence[Ask]) -> list[Answer]:
        answers = []
        for ask in batch:
            asked.append(ask.id)
            sometimes = {"bus": 1.0} if len(asked) % 2 else {}
            answers.append(Answer(labels={"cat": 1.0, "dog": 1.0, **sometimes}))
        return answers

    monkeypatch.setattr(fakes, "script", Script(tag))
    return tmp_path


def carried_out(folder: Path, script_labels: Answer | None = None) -> Path:
    fakes_known()
    if script_labels is not None:
        fakes.script.behaviour = lambda batch: [script_labels] * len(batch)
    plain = {"methods": ["atom"], "scenes": f"collection:{folder / 'photos'}", "system": "fake"}
    with start(resolve(plain), folder / "run") as store:
        for _ in carry_out(store, resolve(plain)):
            pass
    return folder / "run"


def fakes_known() -> None:
    from anamorph import catalog

    catalog._loaded.setdefault("systems", {})["fake"] = fakes.FakeSystem


def test_only_what_was_recognised_with_confidence_is_extended(run: Path) -> None:
    steady = Answer(labels={"cat": 1.0, "dog": 1.0})
    assert confident_combinations(carried_out(run, steady)) == [("cat",), ("dog",)]


def test_labels_that_come_and_go_are_not_recognised_with_confidence(run: Path) -> None:
    assert confident_combinations(carried_out(run)) == []


def test_an_unfinished_run_cannot_be_extended(run: Path) -> None:
    fakes_known()
    plain = {"methods": ["atom"], "scenes": f"collection:{run / 'photos'}", "system": "fake"}
    with start(resolve(plain), run / "run"):
        pass
    with pytest.raises(RunError, match="this run is not finished"):
        confident_combinations(run / "run")


def test_every_confident_combination_gets_each_other_label_once() -> None:
    assert extended([("cat",), ("dog",)], ("dog", "cat", "bus")) == [("bus", "cat"), ("bus", "dog"), ("cat", "dog")]
    assert extended([("a", "b")], ("a", "b")) == []


def test_all_combinations_of_one_and_two_labels_are_meant_by_default() -> None:
    assert len(chosen_combinations(LABELS, (), None, None, 0)) == 6
    assert chosen_combinations(LABELS, (3,), None, None, 0) == [("bus", "cat", "dog")]


@pytest.mark.parametrize("text", ['[["dog", "cat"], "bus", ["cat", "dog"]]', "# mine\ndog, cat\n\nbus\ncat,dog\n"])
def test_a_file_names_combinations_as_json_or_line_by_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text(text)
    assert chosen_combinations(LABELS, (), file, None, 0) == [("bus",), ("cat", "dog")]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("cat, dgo", r"line 1: Unknown label 'dgo'\. Did you mean 'dog'"),
        ("cat, cat", "line 1: a combination has at least one label and none twice"),
        ("", "has no combination"),
        ("[[1]]", "entry 0 is not a list of labels"),
        ("[", "not valid JSON"),
        ("[{}]", "entry 0 is not a list of labels"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        chosen_combinations(LABELS, (), file, None, 0)
