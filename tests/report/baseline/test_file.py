from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.report.baseline.file import (
    Baseline,
    BaselineCause,
    CauseMark,
    baseline_text,
    choose_baseline,
    marked,
    read_baseline,
    write_baseline,
)
from anamorph.statistics.blame import CauseKind
from anamorph.store.causes import cause_digest


def cause(scene: str, label: str = "dog", mark: CauseMark | None = None, what: CauseKind = "lost") -> BaselineCause:
    blamed = "a" * 32
    return BaselineCause(cause_digest(scene, what, label, blamed), scene, what, label, blamed, ("b" * 12,), mark)


KNOWN = Baseline(7, ("rome",), "0" * 32, (cause("b.png"), cause("a.png", "\u202eevil\n\x1b[31m", "false-alarm")))


def test_what_is_written_is_read_again_sorted_and_with_nothing_hidden(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    write_baseline(file, KNOWN)
    again = read_baseline(file)
    assert [each.scene for each in again.causes] == ["a.png", "b.png"] and set(again.causes) == set(KNOWN.causes)
    assert baseline_text(again) == file.read_text()
    assert "\u202e" not in file.read_text() and "\x1b" not in file.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["known.json"]


def test_an_empty_baseline_knows_nothing(tmp_path: Path) -> None:
    write_baseline(tmp_path / "none.json", Baseline(7, (), "0" * 32))
    assert read_baseline(tmp_path / "none.json").causes == ()


def changed(**changes: Any) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(baseline_text(KNOWN))
    plain["causes"][0] |= changes.pop("first", {})
    return plain | changes


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ([], "is not a baseline of Anamorph"),
        ({"format": "anamorph-report"}, "is not a baseline of Anamorph"),
        (changed(version=3), "was written by a later version of Anamorph"),
        (changed(version="1"), "has no version"),
        (changed(version=True), "has no version"),
        (changed(plan="x"), "plan: expected 32 hexadecimal digits"),
        (changed(seed="7"), "seed: expected a whole number"),
        (changed(first={"label": "cat"}), "is not the digest of its scene, what, label and blamed probe"),
        (changed(first={"scene": "c.png"}), "is not the digest of its scene, what, label and blamed probe"),
        (changed(first={"what": "eaten"}), "expected one of 'lost'"),
        (changed(first={"mark": "fine"}), "mark"),
        (changed(first={"cases": []}), "cases: expected the first 12 hexadecimal digits"),
        (changed(first={"cases": ["../etc"]}), "cases: expected the first 12 hexadecimal digits"),
        (changed(first={"extra": 1}), "unknown key"),
        (changed(causes=changed()["causes"] * 2), "is there twice"),
        (changed(floor={"fewest": 3, "answers": 2}), "floor: fewest must be from 0 to answers"),
    ],
)
def test_a_damaged_forged_or_later_file_is_refused_by_name(tmp_path: Path, plain: Any, complaint: str) -> None:
    file = tmp_path / "known.json"
    file.write_text(json.dumps(plain))
    with pytest.raises(UsageError, match=r"known\.json: ") as caught:
        read_baseline(file)
    assert complaint in str(caught.value) and caught.value.exit_code == 2


@pytest.mark.parametrize("content", [b"", b"\xff", b"[" * 100_000, b'{"format": "anamorph-baseline"', b"9" * 10_000])
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "known.json").write_bytes(content)
    with pytest.raises(UsageError):
        read_baseline(tmp_path / "known.json")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="does not exist"):
        read_baseline(tmp_path / "pipe")


def test_marks_are_set_and_taken_away_by_the_first_digits() -> None:
    first = KNOWN.causes[0].digest
    accepted = marked(KNOWN, {first[:8]: "accepted"})
    assert [each.mark for each in accepted.causes] == ["accepted", "false-alarm"]
    assert marked(accepted, {first: None}).causes[0].mark is None
    with pytest.raises(UsageError, match="no such cause"):
        marked(KNOWN, {"0" * 32: "accepted"})


def test_new_needs_a_baseline() -> None:
    assert choose_baseline(None) is None
    with pytest.raises(UsageError, match="--baseline FILE"):
        choose_baseline(None, fail_on_new=True)
