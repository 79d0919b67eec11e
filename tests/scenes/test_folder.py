from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Scene, Skip, decode
from anamorph.scenes.folder import FolderScenes

SavePhoto = Callable[..., Path]


def scan(source: FolderScenes) -> tuple[dict[str, Scene], dict[str, str]]:
    """The scenes by id and the reasons of the skips by what was skipped."""
    found = list(source.scan())
    scenes = {scene.id: scene for scene in found if isinstance(scene, Scene)}
    skips = {skip.what: skip.reason for skip in found if isinstance(skip, Skip)}
    assert len(scenes) + len(skips) == len(found)
    return scenes, skips


def test_every_photo_is_a_scene_in_the_order_of_its_path(tmp_path: Path, save_photo: SavePhoto) -> None:
    for name in ("b.PNG", "a.jpg", "sub/c.webp", "sub-x/d.gif", "sub/deep/e.bmp", "z.tif", "y.TIFF", "x.jpeg"):
        save_photo(tmp_path / name)
    (tmp_path / "notes.md").write_text("no photo")
    scenes, skips = scan(FolderScenes(str(tmp_path)))
    assert list(scenes) == [
        "a.jpg",
        "b.PNG",
        "sub-x/d.gif",
        "sub/c.webp",
        "sub/deep/e.bmp",
        "x.jpeg",
        "y.TIFF",
        "z.tif",
    ]
    assert not skips
    assert scenes["a.jpg"] == Scene("a.jpg", "a.jpg", 8, 6)


def test_the_pixels_of_a_scene_are_those_of_its_photo(tmp_path: Path, save_photo: SavePhoto) -> None:
    path = save_photo(tmp_path / "sub" / "a.png", 5, 4)
    source = FolderScenes(str(tmp_path))
    (scene,) = source.scan()
    assert isinstance(scene, Scene)
    assert np.array_equal(source.pixels(scene), np.asarray(Image.open(path)))


def test_folders_inside_are_left_alone_when_not_asked_for(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "a.png")
    save_photo(tmp_path / "sub" / "b.png")
    assert list(scan(FolderScenes(str(tmp_path), recursive=False))[0]) == ["a.png"]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path, save_photo: SavePhoto) -> None:
    for name in ("a.png", ".b.png", ".cache/c.png"):
        save_photo(tmp_path / name)
    assert list(scan(FolderScenes(str(tmp_path)))[0]) == ["a.png"]


def test_a_text_file_beside_a_photo_holds_its_captions(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "sub" / "a.b.jpg")
    (tmp_path / "sub" / "a.b.txt").write_bytes("\ufeffA cat.\r\n\r\n  Une chatte é. \n".encode())
    save_photo(tmp_path / "c.png")
    (tmp_path / "c.TXT").write_text("A dog.")
    save_photo(tmp_path / "d.png")
    (tmp_path / "d.txt").touch()
    scenes, skips = scan(FolderScenes(str(tmp_path)))
    assert scenes["sub/a.b.jpg"].captions == ("A cat.", "Une chatte é.")
    assert scenes["c.png"].captions == ("A dog.",)
    assert scenes["d.png"].captions == ()
    assert not skips


def test_bad_captions_are_skipped_by_name_and_the_photo_is_kept(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "a.jpg")
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe")
    save_photo(tmp_path / "b.jpg")
    os.mkfifo(tmp_path / "b.txt")
    scenes, skips = scan(FolderScenes(str(tmp_path)))
    assert list(scenes) == ["a.jpg", "b.jpg"]
    assert "not UTF-8" in skips["a.txt"] and "a.jpg has no captions" in skips["a.txt"]
    assert "is a pipe" in skips["b.txt"]


def test_bad_photos_are_skipped_by_name_and_the_rest_goes_on(
    tmp_path: Path, save_photo: SavePhoto, huge_png: bytes
) -> None:
    save_photo(tmp_path / "good.png")
    (tmp_path / "bomb.png").write_bytes(huge_png)
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "text.jpg").write_text("no photo")
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "dangling.jpg").symlink_to(tmp_path / "gone.jpg")
    (tmp_path / "cut.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    scenes, skips = scan(FolderScenes(str(tmp_path)))
    assert list(scenes) == ["good.png"]
    assert set(skips) == {"bomb.png", "empty.jpg", "text.jpg", "pipe.jpg", "dangling.jpg", "cut.jpg"}
    assert "megapixels" in skips["bomb.png"]
    assert "does not exist" in skips["dangling.jpg"]
    assert "pipe" in skips["pipe.jpg"]


def test_a_photo_broken_behind_its_header_fails_when_its_pixels_are_asked_for(
    tmp_path: Path, save_photo: SavePhoto
) -> None:
    path = save_photo(tmp_path / "a.jpg", 64, 64)
    path.write_bytes(path.read_bytes()[:-200])
    source = FolderScenes(str(tmp_path))
    (scene,) = source.scan()
    assert isinstance(scene, Scene)
    with pytest.raises(BadPicture, match=r"a\.jpg is damaged or cut short"):
        source.pixels(scene)


def test_links_out_of_the_folder_are_skipped_by_name(tmp_path: Path, save_photo: SavePhoto) -> None:
    outside = save_photo(tmp_path / "outside" / "a.png")
    root = tmp_path / "root"
    save_photo(root / "b.png")
    (root / "a.png").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    scenes, skips = scan(FolderScenes(str(root)))
    assert list(scenes) == ["b.png"]
    assert "does not lead to a file inside" in skips["a.png"]
    assert "link to a folder" in skips["folder"]


def test_a_name_that_is_not_utf8_is_skipped(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "a.png")
    try:
        os.link(tmp_path / "a.png", os.fsencode(tmp_path) + b"/\xff.png")
    except OSError:
        pytest.skip("the file system refuses names that are not UTF-8")
    scenes, skips = scan(FolderScenes(str(tmp_path)))
    assert list(scenes) == ["a.png"]
    assert list(skips.values()) == ["Its name is not valid UTF-8; rename it."]


def test_limits_are_settings(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "a.png", 1200, 900)
    source = decode(FolderScenes, {"path": str(tmp_path), "most_megapixels": 1})
    assert "more than the limit of 1 megapixels" in scan(source)[1]["a.png"]


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_that_is_missing_or_has_no_photo_is_a_usage_error(tmp_path: Path, made: bool) -> None:
    path = tmp_path / "photos"
    if made:
        path.mkdir()
        (path / "only.txt").write_text("text")
    with pytest.raises(UsageError, match="has no photo" if made else "does not exist"):
        next(FolderScenes(str(path)).scan())


def test_the_error_says_so_when_photos_may_be_in_folders_that_were_not_asked_for(
    tmp_path: Path, save_photo: SavePhoto
) -> None:
    save_photo(tmp_path / "sub" / "a.png")
    with pytest.raises(UsageError, match="recursive is false"):
        next(FolderScenes(str(tmp_path), recursive=False).scan())


def test_the_real_photos_are_all_scenes(real_photos: Path) -> None:
    source = FolderScenes(str(real_photos / "images"))
    scenes, skips = scan(source)
    assert len(scenes) == 62
    assert not skips
    first = next(iter(scenes.values()))
    assert source.pixels(first).shape == (first.height, first.width, 3)
