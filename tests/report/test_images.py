from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import simplejpeg

from anamorph.report.images import ReportImages, scaled_jpeg
from anamorph.store.images import ImageFolder, ImageFormat


@pytest.fixture
def images(tmp_path: Path) -> ReportImages:
    (tmp_path / "report").mkdir()
    return ReportImages(ImageFolder(tmp_path / "run"), tmp_path / "report")


def test_a_picture_is_linked_into_the_report(images: ReportImages) -> None:
    name = images.source.write(b"pixels", ".jpg")
    address = images.take(name)
    assert address == f"images/{name[:2]}/{name}"
    assert (images.folder / address).samefile(images.source.path(name))
    assert images.take(name) == address


def test_a_picture_is_copied_where_it_cannot_be_linked(images: ReportImages, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("another disk")

    monkeypatch.setattr(os, "link", refuse)
    address = images.take(images.source.write(b"pixels", ".png"))
    assert address is not None
    assert (images.folder / address).read_bytes() == b"pixels"


def test_a_picture_that_is_gone_has_no_address(images: ReportImages) -> None:
    name = images.source.write(b"pixels", ".jpg")
    images.source.path(name).unlink()
    assert images.take(name) is None


def photograph(seed: int) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 255, (300, 400, 3), dtype=np.uint8)
    return ImageFormat().encode(noise)


def test_after_whole_pictures_come_thumbnails_and_then_those_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    source = ImageFolder(tmp_path / "run" / "images")
    names = [source.write(photograph(seed), ".jpg") for seed in range(9)]
    whole = source.path(names[0]).stat().st_size
    (tmp_path / "run" / "report").mkdir()
    # Two thirds are for whole pictures, so there is room for one of these, and for a few thumbnails.
    limit = int(1.6 * whole)
    images = ReportImages(source, tmp_path / "run" / "report", most_bytes=limit)
    addresses = [images.take(name) for name in names]
    kinds = [str(address).split("/")[0] for address in addresses]
    assert kinds == sorted(kinds, key=("images", "thumbnails", "..").index) and kinds[0] == "images"
    assert (kinds.count("thumbnails"), kinds.count("..")) == (images.thumbnails, images.left_out)
    assert images.thumbnails and images.left_out
    assert [images.take(name) for name in names] == addresses, "what was taken is not counted again"
    for address in addresses:
        file = images.folder / str(address)
        assert file.resolve().is_file()
    total = sum(file.stat().st_size for file in images.folder.rglob("*.jpg"))
    assert total <= limit


def test_outside_the_run_what_does_not_fit_has_no_address(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    source = ImageFolder(tmp_path / "run" / "images")
    name = source.write(photograph(0), ".jpg")
    images = ReportImages(source, tmp_path / "elsewhere", most_bytes=10)
    assert images.take(name) is None and images.left_out == 1


@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_a_picture_is_scaled_to_a_side_and_never_enlarged(tmp_path: Path, suffix: str) -> None:
    source = ImageFolder(tmp_path / "images")
    pixels = np.zeros((300, 400, 3), np.uint8)
    path = source.path(source.write(ImageFormat("jpeg" if suffix == ".jpg" else "png").encode(pixels), suffix))
    for side, size in ((200, (150, 200)), (1000, (300, 400))):
        content = scaled_jpeg(path, side)
        assert content is not None
        assert simplejpeg.decode_jpeg(content).shape[:2] == size


def test_a_damaged_picture_has_no_thumbnail(tmp_path: Path) -> None:
    source = ImageFolder(tmp_path / "images")
    assert scaled_jpeg(source.path(source.write(b"no picture", ".jpg")), 100) is None
    assert scaled_jpeg(source.path(source.write(b"no picture", ".png")), 100) is None


@pytest.mark.parametrize("name", ["../../secret.jpg", "/etc/passwd", "", "a" * 32 + ".svg", "a" * 32 + ".jpg\n"])
def test_a_name_that_the_store_never_gave_is_not_followed(images: ReportImages, name: str) -> None:
    (images.folder.parent / "secret.jpg").write_bytes(b"secret")
    assert images.take(name) is None
    assert not (images.folder / "images").exists()
