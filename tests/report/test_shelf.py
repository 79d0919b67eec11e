from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamorph.report.shelf import Shelf
from anamorph.store.images import ImageFolder


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    (tmp_path / "report").mkdir()
    return Shelf(ImageFolder(tmp_path / "run"), tmp_path / "report")


def test_a_picture_is_linked_into_the_report(shelf: Shelf) -> None:
    name = shelf.source.write(b"pixels", ".jpg")
    address = shelf.take(name)
    assert address == f"images/{name[:2]}/{name}"
    assert (shelf.folder / address).samefile(shelf.source.path(name))
    assert shelf.take(name) == address


def test_a_picture_is_copied_where_it_cannot_be_linked(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("another disk")

    monkeypatch.setattr(os, "link", refuse)
    address = shelf.take(shelf.source.write(b"pixels", ".png"))
    assert address is not None
    assert (shelf.folder / address).read_bytes() == b"pixels"


def test_a_picture_that_is_gone_has_no_address(shelf: Shelf) -> None:
    name = shelf.source.write(b"pixels", ".jpg")
    shelf.source.path(name).unlink()
    assert shelf.take(name) is None


@pytest.mark.parametrize("name", ["../../secret.jpg", "/etc/passwd", "", "a" * 32 + ".svg", "a" * 32 + ".jpg\n"])
def test_a_name_that_the_store_never_gave_is_not_followed(shelf: Shelf, name: str) -> None:
    (shelf.folder.parent / "secret.jpg").write_bytes(b"secret")
    assert shelf.take(name) is None
    assert not (shelf.folder / "images").exists()
