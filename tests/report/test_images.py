from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamorph.report.images import ReportImages
from anamorph.store.images import ImageFolder


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


@pytest.mark.parametrize("name", ["../../secret.jpg", "/etc/passwd", "", "a" * 32 + ".svg", "a" * 32 + ".jpg\n"])
def test_a_name_that_the_store_never_gave_is_not_followed(images: ReportImages, name: str) -> None:
    (images.folder.parent / "secret.jpg").write_bytes(b"secret")
    assert images.take(name) is None
    assert not (images.folder / "images").exists()
