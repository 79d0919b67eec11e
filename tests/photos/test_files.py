from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamorph.errors import BadPicture, UsageError
from anamorph.photos.files import existing_folder, open_regular, read_json, read_text, shown


def test_malformed_json_is_refused_with_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{\n "a": 1,\n "b" 2}')
    with pytest.raises(BadPicture, match=r"a\.json is not valid JSON at line 3, column 6: Expecting ':' delimiter"):
        read_json(tmp_path / "a.json")


@pytest.mark.parametrize("content", ["[" * 100_000, "[" + "1" * 5000 + "]", ""])
def test_json_that_overwhelms_the_parser_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(BadPicture, match=r"a\.json"):
        read_json(tmp_path / "a.json")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfh\xc3\xa9")
    assert read_text(tmp_path / "a.txt") == "hé"


def test_text_that_is_not_utf8_is_refused_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ab\xff")
    with pytest.raises(BadPicture, match=r"a\.txt is not UTF-8 text \(byte 2\)"):
        read_text(tmp_path / "a.txt")


def test_a_file_that_turns_into_a_pipe_after_the_check_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    honest = (tmp_path / "file").stat()
    monkeypatch.setattr(Path, "stat", lambda *_, **__: honest)
    with pytest.raises(BadPicture, match="is a pipe"):
        open_regular(tmp_path / "pipe")


def test_a_name_too_long_for_the_file_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPicture, match="cannot be opened: File name too long"):
        open_regular(tmp_path / ("x" * 5000))


def test_a_folder_that_is_missing_or_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert existing_folder(str(tmp_path), "photos") == tmp_path
    with pytest.raises(UsageError, match=r"The folder of photos, .*gone, does not exist\."):
        existing_folder(str(tmp_path / "gone"), "photos")
    with pytest.raises(UsageError, match=r"is not a folder\."):
        existing_folder(str(tmp_path / "file"), "photos")
    with pytest.raises(UsageError, match="empty string"):
        existing_folder("", "photos")
    with pytest.raises(UsageError, match="does not exist"):
        existing_folder("a\0b", "photos")


def test_shown_names_are_printable_and_short() -> None:
    assert shown("plain/name é.jpg") == "plain/name é.jpg"
    assert shown("a\nb\udcff").isprintable()
    assert len(shown("x" * 10_000)) == 300
