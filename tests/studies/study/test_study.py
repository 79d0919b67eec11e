from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.studies.study.study import StudyItem, StudyPicture, new_study, read_study, write_study

PICTURE = StudyPicture("ab" * 16 + ".jpg", "real", "cd" * 16)
STUDY = new_study("naturalness", "runs/\u202efirst", 7, (StudyItem("0" * 12, "a scene", (PICTURE,)),))


def test_what_is_written_is_read_again_and_nothing_is_hidden_in_it(tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    write_study(file, STUDY)
    assert read_study(file) == STUDY and read_study(file).digest == STUDY.digest
    assert "\u202e" not in file.read_text()
    with pytest.raises(UsageError, match="is there already"):
        write_study(file, STUDY)


def test_another_item_makes_another_digest() -> None:
    other = new_study("naturalness", "runs/first", 7, (StudyItem("1" * 12, "a scene", (PICTURE,)),))
    assert other.digest != STUDY.digest


def changed(path: Path, **changes: Any) -> dict[str, Any]:
    write_study(path, STUDY)
    plain: dict[str, Any] = json.loads(path.read_text())
    plain["items"][0] |= changes.pop("first", {})
    return plain | changes


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"format": "anamorph-report"}, "is not a study of Anamorph"),
        ({"version": 2}, "has the format 2"),
        ({"kind": "taste"}, "expected one of 'naturalness'"),
        ({"scale": []}, "expected 1 to 9 choices"),
        ({"scale": [{"value": "good", "words": "good"}]}, "expected whole numbers"),
        ({"scale": [{"value": "1", "words": "one"}] * 2}, "has a value twice"),
        ({"first": {"id": "../etc"}}, "expected 12 hexadecimal digits"),
        ({"first": {"pictures": []}}, "expected 1 for this kind, got 0"),
        ({"extra": 1}, "unknown key"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, changes: Any, complaint: str) -> None:
    file = tmp_path / "study.json"
    plain = changed(file, **changes)
    file.write_text(json.dumps(plain))
    with pytest.raises(UsageError, match=r"study\.json: ") as caught:
        read_study(file)
    assert complaint in str(caught.value)


def test_a_missing_file_and_one_that_is_no_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read_study(tmp_path / "none.json")
    (tmp_path / "torn.json").write_text('{"format": ')
    with pytest.raises(UsageError, match="is not JSON"):
        read_study(tmp_path / "torn.json")
