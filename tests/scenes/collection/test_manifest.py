from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.model import Skip
from anamorph.scenes.collection.manifest import MANIFEST_FILE, LineFile, read_manifest, write_image
from tests.scenes.collections import entry


def written(folder: Path, *names: str) -> Path:
    file = LineFile(folder / MANIFEST_FILE)
    for name in names:
        file.add(entry(name, ("dog",)))
    file.close()
    return folder / MANIFEST_FILE


def images(folder: Path) -> list[str]:
    return [each.what if isinstance(each, Skip) else each.image for each in read_manifest(folder)]


@pytest.mark.parametrize("cut", [1, 2, 50, 300])
def test_a_line_that_a_kill_cut_off_is_taken_back(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path, "a.png", "b.png")
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    written(tmp_path, "c.png")
    # Without its newline only, the line is whole.
    assert images(tmp_path) == (["a.png", "b.png", "c.png"] if cut == 1 else ["a.png", "c.png"])


def test_entries_come_back_as_they_were(tmp_path: Path) -> None:
    odd = entry("a.png", ("dog", "person"), caption='a "dog"\u2028 and ünïcode', author="")
    file = LineFile(tmp_path / MANIFEST_FILE)
    file.add(odd)
    file.close()
    assert list(read_manifest(tmp_path)) == [odd]


def test_an_image_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    write_image(tmp_path, "images/ab/x.png", b"whole")
    (tmp_path / "images/ab/x.png").write_bytes(b"who")
    write_image(tmp_path, "images/ab/x.png", b"whole")
    assert (tmp_path / "images/ab/x.png").read_bytes() == b"whole"
    assert [path.name for path in (tmp_path / "images/ab").iterdir()] == ["x.png"]


def test_labels_must_be_a_combination(tmp_path: Path) -> None:
    file = LineFile(tmp_path / MANIFEST_FILE)
    file.add(entry("a.png", ("person", "dog")))
    file.close()
    (skip,) = read_manifest(tmp_path)
    assert isinstance(skip, Skip) and "alphabetical order" in skip.reason
