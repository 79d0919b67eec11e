"""Tests of the files that nodes need, which need no Ray."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from anamorph.engine.ray import freight as freights
from anamorph.engine.ray.freight import Freight, FreightItem, freight_of, moved_to, place_piece
from anamorph.errors import RunError
from anamorph.weights.files import FOLDER_VARIABLE, sha256_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # Restored after the test, whatever it becomes.
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "no models"))
    (tmp_path / "weights.onnx").write_bytes(b"weights" * 1000)
    (tmp_path / "model" / "deep").mkdir(parents=True)
    (tmp_path / "model" / "config.json").write_text("{}")
    (tmp_path / "model" / "deep" / "empty.bin").touch()
    (tmp_path / "caption.py").write_text("def caption(images, questions): ...")
    return tmp_path


SETTINGS: dict[str, Any] = {
    "system": {"kind": "callable", "target": "caption.py:caption", "model": "model", "prompt": "model"},
    "inpainters": {"migan": {"path": "weights.onnx"}},
    "scenes": {"kind": "folder", "path": "model"},
}


def elsewhere(freight: Freight, tmp_path: Path) -> Freight:
    """The same files, on a node that does not have them where the driver has them."""
    return Freight(
        tuple(
            FreightItem(item.text, str(tmp_path / "gone" / Path(item.path).name), item.files) for item in freight.items
        )
    )


def test_files_and_folders_that_settings_name_are_found_and_photos_are_not(folder: Path) -> None:
    found = freight_of(SETTINGS)
    assert {item.text: [name for name, _ in item.files] for item in found.items} == {
        "caption.py": [""],
        "model": ["config.json", "deep/empty.bin"],
        "weights.onnx": [""],
    }


def test_a_node_with_the_same_files_is_sent_nothing(folder: Path) -> None:
    found = freight_of(SETTINGS)
    assert [item.lacking() for item in found.items] == [[], [], []]
    assert found.unload() == {}


def test_a_node_without_the_files_gets_them_and_settings_name_their_new_places(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freights, "_PIECE_BYTES", 3000)
    here = freight_of(SETTINGS)
    there = elsewhere(here, folder)
    with pytest.raises(RunError, match=r"caption.py is not here, nor was it sent here"):
        there.unload()
    for local, remote in zip(here.items, there.items, strict=True):
        for name, sha256 in remote.lacking():
            source = Path(local.path) / name
            for offset, piece in freights._pieces(source):
                place_piece(remote, name, sha256, offset, piece, offset + len(piece) == source.stat().st_size)

    moved = there.unload()
    plain = moved_to(SETTINGS, moved)

    assert Path(plain["inpainters"]["migan"]["path"]).read_bytes() == b"weights" * 1000
    target = plain["system"]["target"]
    assert target.endswith("/caption.py:caption")
    assert Path(moved["model"]).name == "model"
    assert (Path(moved["model"]) / "deep" / "empty.bin").read_bytes() == b""
    # A fingerprint that mentions a place is what it would be where the run is driven.
    assert moved_to(plain, {here: text for text, here in moved.items()}) == SETTINGS
    assert all(item.lacking() == [] for item in there.items)


def test_another_content_at_the_same_path_is_not_taken_for_it(folder: Path) -> None:
    found = freight_of({"path": "weights.onnx"})
    (folder / "weights.onnx").write_bytes(b"others")
    assert found.items[0].lacking() == list(found.items[0].files)


def test_what_does_not_arrive_as_it_was_sent_is_refused(folder: Path) -> None:
    (item,) = elsewhere(freight_of({"path": "weights.onnx"}), folder).items
    with pytest.raises(RunError, match=r"weights.onnx did not arrive as it was sent"):
        place_piece(item, "", item.files[0][1], 0, b"damaged", True)
    assert item.found() is None


def test_known_weights_that_were_sent_are_found_beside_those_that_were_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = folder / "models"
    models.mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    (models / "here.onnx").write_bytes(b"here")
    sent = folder / "sent.onnx"
    sent.write_bytes(b"sent")
    freight = Freight(
        (
            FreightItem("", "here.onnx", (("", sha256_of(models / "here.onnx")),)),
            FreightItem("", "sent.onnx", (("", sha256_of(sent)),)),
        )
    )
    place_piece(freight.items[1], "", sha256_of(sent), 0, b"sent", True)

    assert freight.unload() == {}

    now = Path(os.environ[FOLDER_VARIABLE])
    assert now != models
    assert {(now / name).read_bytes() for name in ("here.onnx", "sent.onnx")} == {b"here", b"sent"}


def test_texts_that_are_no_paths_are_left_alone(folder: Path) -> None:
    assert freight_of({"prompt": "x" * 5000, "other": "a\0b", "n": 3, "url": "https://example.com/a"}) == Freight()
