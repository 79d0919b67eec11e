from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamorph.errors import UsageError
from anamorph.model import Scene, Skip, decode, encode
from anamorph.scenes.collection.manifest import MANIFEST_FILE
from anamorph.scenes.collection.source import CollectionScenes
from tests.scenes.collections import entry, make_collection


def scan(folder: Path) -> tuple[list[Scene], list[Skip]]:
    found = list(CollectionScenes(str(folder)).scan())
    return [each for each in found if isinstance(each, Scene)], [each for each in found if isinstance(each, Skip)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_collection(
        tmp_path / "collection",
        entry("images/aa.png", ("cat", "dog")),
        entry("images/bb.png", ("dog",)),
        entry("images/aa.png", ("dog",), captions=("a dog", "another")),
    )


def test_a_photo_is_one_scene_with_all_that_it_was_collected_for(folder: Path) -> None:
    (first, second), skips = scan(folder)
    assert not skips
    assert first.id == "aa" and first.labels == ("cat", "dog")
    assert first.collected_for == (("dog",), ("cat", "dog"))
    assert first.captions == ("a cat and a dog", "a dog", "a photo", "another")
    assert first.origin["licence"] == "CC BY 4.0" and first.origin["author"] == "A. Author"
    assert second.collected_for == (("dog",),)
    assert CollectionScenes(str(folder)).pixels(first).shape == (32, 48, 3)


def test_a_line_that_is_removed_is_reviewed_away(folder: Path) -> None:
    file = folder / MANIFEST_FILE
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[1:]))
    scenes, _ = scan(folder)
    assert {scene.id: scene.collected_for for scene in scenes} == {"aa": (("dog",),), "bb": (("dog",),)}


def test_an_image_that_is_deleted_is_reviewed_away_and_counted(folder: Path) -> None:
    (folder / "images" / "aa.png").unlink()
    (scene,), (skip,) = scan(folder)
    assert scene.id == "bb"
    assert skip.reason == "1 of its 2 photos are gone; they count as removed by a reviewer."


def test_bad_lines_and_bad_photos_are_skipped_by_name(folder: Path) -> None:
    (folder / "images" / "bb.png").write_bytes(b"no picture")
    with (folder / MANIFEST_FILE).open("a") as file:
        file.write('{"image": 3}\n\nnonsense\n')
    (scene,), skips = scan(folder)
    assert scene.id == "aa"
    assert [skip.what.rpartition(" ")[2] for skip in skips[:2]] == ["4", "6"]
    assert "not an image" in skips[2].reason


@pytest.mark.parametrize("image", ["../outside.png", "/etc/passwd", "images/../../x.png"])
def test_an_image_outside_the_folder_is_refused(tmp_path: Path, image: str) -> None:
    folder = make_collection(tmp_path / "a" / "collection")
    (folder / MANIFEST_FILE).write_text(json.dumps(encode(entry(image, ("dog",)))) + "\n", encoding="utf-8")
    scenes, (skip,) = scan(folder)
    assert not scenes and ("does not lead to a file inside" in skip.reason or "absolute path" in skip.reason)


def test_a_folder_without_a_manifest_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a collection"):
        scan(tmp_path)


def test_what_a_photo_was_collected_for_survives_the_store_and_costs_other_scenes_nothing(folder: Path) -> None:
    scene = scan(folder)[0][0]
    assert decode(Scene, encode(scene)) == scene
    assert "collected_for" not in encode(Scene("a", "a.png", 1, 1))
