"""`anamorph research readers`: readers scored on marked texts."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from anamorph.cli.readers import readers

ROWS = [
    {"question": "How many dogs are there?", "answer": "Two dogs and a cat.", "least": 2, "most": 2, "there": True},
    {"question": "How many dogs are there?", "answer": "Three dogs.", "least": 2, "most": 2, "there": True},
    {"question": "How many dogs are there?", "answer": "I don't know.", "least": 1, "most": 1, "there": True},
    {"question": "How many dogs are there?", "answer": "Several dogs.", "least": 4, "most": 4, "there": True},
]
CAPTIONS = [{"caption": "Two dogs and no cat.", "classes": {"dog": [2, 2], "cat": [0, 0]}}]


def test_outcomes_are_counted(tmp_path: Path) -> None:
    answers, captions = tmp_path / "answers.jsonl", tmp_path / "captions.jsonl"
    answers.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    captions.write_text("".join(json.dumps(row) + "\n" for row in CAPTIONS), "utf-8")
    result = CliRunner().invoke(readers, [str(answers), str(captions), "--json"])
    first, second = json.loads(result.output)["files"]
    assert first["outcomes"] == {"right": 1, "wrong": 1, "unread": 1, "wide": 1}
    assert second["rates"]["F1"] == 1


def test_wrong_texts_can_be_shown(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps(ROWS[1]) + "\n", "utf-8")
    result = CliRunner().invoke(readers, [str(answers), "--show", "wrong"])
    assert "wrong: 3 to 3" in result.output and "Three dogs." in result.output


def test_a_row_without_what_it_needs_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"answer": "2"}\n', "utf-8")
    result = CliRunner().invoke(readers, [str(file)])
    assert result.exit_code != 0 and result.exception is not None
    assert "line 1" in f"{result.output}{result.exception}"
