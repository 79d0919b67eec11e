from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from anamorph.errors import UsageError
from anamorph.report.folders import REPORT, new_folder


def fill(folder: Path, text: str = "new") -> None:
    (folder / "report.json").write_text('{"format":"anamorph-report"}')
    (folder / "index.html").write_text(text)


def test_nothing_is_seen_before_the_folder_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "report"
    with new_folder(out, REPORT) as folder:
        fill(folder)
        assert not out.exists()
    assert (out / "index.html").read_text() == "new"
    assert [path.name for path in out.parent.iterdir()] == ["report"]


def test_a_failure_leaves_the_earlier_report_and_no_litter(tmp_path: Path) -> None:
    out = tmp_path / "report"
    with new_folder(out, REPORT) as folder:
        fill(folder, "old")
    with pytest.raises(RuntimeError), new_folder(out, REPORT) as folder:
        fill(folder)
        raise RuntimeError
    assert (out / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_swap_that_fails_puts_the_earlier_report_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "report"
    with new_folder(out, REPORT) as folder:
        fill(folder, "old")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.suffix == ".partial":
            raise PermissionError("a scanner holds it open")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(PermissionError), new_folder(out, REPORT) as folder:
        fill(folder)
    assert (out / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_an_earlier_report_is_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "report"
    with new_folder(out, REPORT) as folder:
        fill(folder, "old")
        (folder / "data").mkdir()
    (out / ".DS_Store").touch()
    with new_folder(out, REPORT) as folder:
        fill(folder)
    assert sorted(path.name for path in out.iterdir()) == ["index.html", "report.json"]
    assert (out / "index.html").read_text() == "new"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["thesis.docx"], "holds no report"),
        (["report.json"], "holds no report"),
        (["index.html", "images"], "holds no report"),
    ],
)
def test_a_folder_with_other_things_is_never_replaced(tmp_path: Path, names: list[str], message: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in names:
        (out / name).write_text("mine")
    with pytest.raises(UsageError, match=message), new_folder(out, REPORT):
        pass
    assert sorted(path.name for path in out.iterdir()) == sorted(names)


def test_a_stray_file_in_a_report_is_named_and_not_lost(tmp_path: Path) -> None:
    out = tmp_path / "report"
    with new_folder(out, REPORT) as folder:
        fill(folder)
    (out / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"notes\.txt"), new_folder(out, REPORT):
        pass
    assert (out / "notes.txt").read_text() == "mine"


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("mine")
    with (
        pytest.raises(UsageError, match="is a file, and a folder is to be written"),
        new_folder(tmp_path / "report", REPORT),
    ):
        pass


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written there"), new_folder(tmp_path / "file" / "report", REPORT):
        pass


def test_what_a_killed_writer_left_is_swept_a_day_later(tmp_path: Path) -> None:
    old, young = tmp_path / ".report.01234567.partial", tmp_path / ".report.89abcdef.partial"
    other = tmp_path / ".reports.01234567.partial"
    for folder in (old, young, other):
        folder.mkdir()
        (folder / "index.html").touch()
    long_ago = time.time() - 48 * 3600
    for folder in (old, other):
        os.utime(folder, (long_ago, long_ago))
    with new_folder(tmp_path / "report", REPORT) as folder:
        fill(folder)
    assert not old.exists()
    assert young.exists() and other.exists()


def test_a_folder_of_no_kind_replaces_nothing(tmp_path: Path) -> None:
    out = tmp_path / "data-set"
    out.mkdir()
    with new_folder(out) as folder:
        fill(folder)
    with pytest.raises(UsageError, match="the folder is not empty"), new_folder(out):
        pass
    assert (out / "index.html").read_text() == "new"
