from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.reading.labels import label_space
from tests.cli.command_line import anamorph
from tests.english import caption_reader


def test_a_list_of_classes_becomes_a_label_space_that_captions_are_read_with(tmp_path: Path) -> None:
    (tmp_path / "farm.txt").write_text("# my classes\nhelicopter\n\n sofa\nfrobnicator\n", encoding="utf-8")
    done = anamorph("labels", "propose", "farm.txt", "-o", "farm.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 classes: 1 take over the words of a COCO class, 3 words" in done.stdout
    assert "Not in WordNet: frobnicator." in done.stdout
    space = label_space(str(tmp_path / "farm.toml"))
    assert space.names == ("helicopter", "sofa", "frobnicator")
    reading = caption_reader(labels=str(tmp_path / "farm.toml")).read_text("A whirlybird over a couch.")
    assert reading.labels == ("helicopter", "sofa")  # type: ignore[union-attr]
    again = anamorph("labels", "propose", "farm.txt", "-o", "farm.toml", cwd=tmp_path)
    assert again.returncode == 2 and "is there already" in again.stderr
    shown = anamorph("labels", "propose", "farm.toml", cwd=tmp_path)
    assert shown.stdout == (tmp_path / "farm.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "complaint"), [(b"\n# nothing\n", "names no class"), (b"caf\xe9", "is not UTF-8"), (None, "farm.txt")]
)
def test_a_file_without_classes_is_an_error(tmp_path: Path, content: bytes | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / "farm.txt").write_bytes(content)
    done = anamorph("labels", "propose", "farm.txt", cwd=tmp_path)
    assert done.returncode == 2 and complaint in done.stderr


def test_the_classes_of_annotated_photos_become_a_label_space(tmp_path: Path) -> None:
    done = anamorph("labels", "propose", "--scenes", "toybox:3", "-o", "mine.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = set(label_space(str(tmp_path / "mine.toml")).names)
    assert names and names <= set(label_space("coco").names)
    nothing = anamorph("labels", "propose", cwd=tmp_path)
    assert nothing.returncode == 2 and "Name a FILE with one class a line, or --scenes" in nothing.stderr
