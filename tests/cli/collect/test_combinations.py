from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.cli.collect.combinations import chosen_combinations
from anamorph.errors import UsageError

LABELS = ("cat", "dog", "bus")


def test_all_combinations_of_one_and_two_labels_are_meant_unless_told_otherwise() -> None:
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
        ("", "no combination in it"),
        ("[[1]]", "entry 0 is no list of labels"),
        ("[", "not valid JSON"),
        ("[{}]", "entry 0 is no list of labels"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        chosen_combinations(LABELS, (), file, None, 0)
