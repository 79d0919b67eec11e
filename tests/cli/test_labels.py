from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.language.labels import label_space
from anamorph.readers.caption import CaptionReader
from tests.cli.command_line import anamorph


def test_a_list_of_classes_becomes_a_label_space_that_captions_are_read_with(tmp_path: Path) -> None:
    (tmp_path / "farm.txt").write_text("# my classes\nhelicopter\n\n sofa\nfrobnicator\n", encoding="utf-8")
    done = anamorph("labels", "propose", "farm.txt", "-o", "farm.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 classes: 1 take over the words of a COCO class, 2 synonyms" in done.stdout
    assert "Not in WordNet: frobnicator." in done.stdout
    space = label_space(str(tmp_path / "farm.toml"))
    assert space.names == ("helicopter", "sofa", "frobnicator")
    reading = CaptionReader(labels=str(tmp_path / "farm.toml")).read_text("A whirlybird over a couch.")
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
