from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anamorph.errors import UsageError
from anamorph.python_files import load_module


def test_a_file_is_loaded_once_until_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("things = []")
    first = load_module(file)
    assert load_module(file) is first and sys.modules[first.__name__] is first
    file.write_text("things = [1]")
    assert load_module(file).things == [1] and first.things == []


def test_two_files_of_one_name_are_two_modules(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text("x = 1")
    assert load_module(tmp_path / "one" / "mine.py") is not load_module(tmp_path / "two" / "mine.py")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("x = 1\n1 / 0", "cannot be loaded: ZeroDivisionError: division by zero (line 2)."),
        ("import sys\nsys.exit(4)", "cannot be loaded: SystemExit: 4 (line 2)."),
        ("raise ValueError", "cannot be loaded: ValueError (line 1)."),
        ("def f(:", "cannot be loaded: SyntaxError: "),
    ],
)
def test_a_file_that_fails_is_named_with_the_line_and_not_kept(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(content)
    before = set(sys.modules)
    with pytest.raises(UsageError) as caught:
        load_module(file)
    assert str(file) in str(caught.value) and complaint in str(caught.value)
    assert not [name for name in set(sys.modules) - before if "broken" in name]


def test_what_is_no_python_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x = 1")
    with pytest.raises(UsageError, match=r"notes\.txt: not a Python file"):
        load_module(tmp_path / "notes.txt")
    with pytest.raises(UsageError, match=r"gone\.py: no such file to load"):
        load_module(tmp_path / "gone.py")
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(UsageError, match=r"folder\.py: cannot be read"):
        load_module(tmp_path / "folder.py")
