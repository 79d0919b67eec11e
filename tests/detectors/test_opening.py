from __future__ import annotations

import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph.detectors import open_detector
from anamorph.errors import MissingExtra, UsageError
from tests.detectors.tiny_networks import picture, write_network

WIDE = picture(128, 64)
ROWS = [[(24, 24, 40, 40, 0.9, 1), (0, 14, 8, 22, 0.6, 2), (0, 16, 64, 48, 0.3, 0)]]
NAMES = "{0: 'cat', 1: 'dog', 2: 'bird'}"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_network(tmp_path / "rows.onnx", (1, 3, 64, 64), {"output0": ROWS}, names=NAMES)


def test_each_label_may_have_a_threshold_of_its_own(rows: Path) -> None:
    detector = open_detector(rows)
    assert [d.label for d in detector.find(WIDE, 0.5)] == ["dog", "bird"]
    assert [d.label for d in detector.find(WIDE, 0.5, {"cat": 0.3, "bird": 0.7})] == ["dog", "cat"]
    assert [d.label for d in detector.find(WIDE, 0.0)] == ["dog", "bird", "cat"]
    assert open_detector(rows, most=1).find(WIDE, 0.0)[0].label == "dog"


def test_places_of_a_list_that_name_no_class_are_never_found(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("kitty\n???\ntit")
    assert [d.label for d in open_detector(rows, labels=str(tmp_path / "own.txt")).find(WIDE, 0.1)] == ["tit", "kitty"]


def test_too_short_a_list_of_labels_is_told(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("kitty")
    with pytest.raises(UsageError, match="found a thing of class 1, but there are only 1 labels"):
        open_detector(rows, labels=str(tmp_path / "own.txt")).find(WIDE, 0.1)
    file = write_network(tmp_path / "c.onnx", (1, 3, 8, 8), {"out": [[0.1, 0.2, 0.3]]})
    with pytest.raises(UsageError, match="has 3 classes, but there are only 1 labels"):
        open_detector(file, labels=str(tmp_path / "own.txt"))
    with pytest.raises(UsageError, match=r"has 3 classes and no names for them\. Give labels: one of coco-80, "):
        open_detector(file)


def test_the_fingerprint_tells_apart_what_could_find_other_things(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("a\nb\nc")
    other = write_network(tmp_path / "other.onnx", (1, 3, 64, 64), {"output0": [ROWS[0][:2]]}, names=NAMES)
    same = tmp_path / "same.onnx"
    same.write_bytes(rows.read_bytes())
    opened: list[Callable[[], Any]] = [
        lambda: open_detector(rows),
        lambda: open_detector(other),
        lambda: open_detector(rows, "yolov5", labels="coco-80"),
        lambda: open_detector(rows, labels=str(tmp_path / "own.txt")),
        lambda: open_detector(rows, values="bytes"),
        lambda: open_detector(rows, nms_iou=0.7),
        lambda: open_detector(rows, most=5),
    ]
    prints = [str(each().fingerprint) for each in opened]
    assert len({*prints}) == len(prints)
    assert str(open_detector(same).fingerprint) == prints[0]
    (tmp_path / "same.onnx.data").write_bytes(b"more weights")
    assert str(open_detector(same).fingerprint) != prints[0]


def test_files_that_are_no_networks_are_named(tmp_path: Path) -> None:
    for name, complaint in (
        ("a.onnx", "cannot be loaded as ONNX weights"),
        ("a.tflite", "cannot be loaded as TFLite weights"),
        ("a.pb", r"needs its text graph a\.pbtxt beside it"),
        ("a.pt", r"must end in \.onnx, \.tflite or \.pb"),
    ):
        (tmp_path / name).write_bytes(b"not a network")
        with pytest.raises(UsageError, match=rf"{name}: .*{complaint}"):
            open_detector(tmp_path / name)


def test_a_network_without_a_picture_is_told(tmp_path: Path) -> None:
    file = write_network(tmp_path / "n.onnx", (1, 7), {"out": [[0.1]]})
    with pytest.raises(
        UsageError, match=r"expected one input with four sides for the picture, got images float32 \[1, 7\]"
    ):
        open_detector(file)


def test_without_the_extra_the_install_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def absent(name: str, package: str | None = None) -> Any:
        if name.startswith("ai_edge_litert"):
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", absent)
    (tmp_path / "n.tflite").write_bytes(b"whatever")
    with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[tflite\]'"):
        open_detector(tmp_path / "n.tflite")


@pytest.mark.parametrize("size", [(1, 1), (2000, 1), (1, 2000)])
def test_odd_pictures_are_looked_at_like_any_other(rows: Path, size: tuple[int, int]) -> None:
    for found in open_detector(rows).find(picture(*size), 0.1):
        assert 0 <= found.box.x <= found.box.right <= size[0]
        assert 0 <= found.box.y <= found.box.bottom <= size[1]


def test_masks_are_mixed_from_prototypes_and_end_at_the_box(tmp_path: Path) -> None:
    """One prototype is on in the left half of the view, the other in the lower half."""
    prototypes = np.full((1, 2, 16, 16), -1, np.float32)
    prototypes[0, 0, :, :8] = 1
    prototypes[0, 1, 8:] = 1
    rows = [[(16, 24, 48, 40, 0.9, 1, 1, 0), (16, 24, 48, 40, 0.8, 0, 0, 1), (50, 24, 60, 30, 0.7, 2, 0, 1)]]
    finished = write_network(
        tmp_path / "rows.onnx", (1, 3, 64, 64), {"output0": rows, "output1": prototypes}, names=NAMES
    )
    raw = np.zeros((84, 4 + 3 + 2), np.float32)
    raw[0] = (32, 32, 32, 16, 0, 0.9, 0, 1, 0)
    raw[1] = (32, 32, 32, 16, 0.8, 0, 0, 0, 1)
    raw[2] = (55, 27, 10, 6, 0, 0, 0.7, 0, 1)
    own = write_network(
        tmp_path / "raw.onnx", (1, 3, 64, 64), {"output0": raw.T[None], "output1": prototypes}, names=NAMES
    )
    for file, layout in ((finished, "yolo-rows"), (own, "yolo")):
        detector = open_detector(file)
        assert (detector.layout, detector.has_masks) == (layout, True)
        dog, cat, bird = detector.find(WIDE, 0.1)
        assert dog.mask is not None and cat.mask is not None and bird.mask is not None
        # The view's box 16..48 x 24..40 is 32..96 x 16..48 in the picture, whose middle is at 64, 32.
        left, lower = np.zeros((64, 128), np.bool_), np.zeros((64, 128), np.bool_)
        left[16:48, 32:64] = True
        lower[32:48, 32:96] = True
        assert (dog.mask == left).all()
        assert (cat.mask == lower).all()
        assert not bird.mask.any(), "what the prototypes do not show has an empty mask"
        assert all(each.mask is None for each in detector.find(WIDE, 0.1, masks=False))


@pytest.mark.parametrize("name", ["yolox_nano.onnx", "efficientdet-lite0.tflite"])
def test_several_threads_may_share_a_detector(shared: Path, name: str) -> None:
    detector, photo = open_detector(shared / "models" / name), picture(320, 240)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: [(d.label, d.score, d.box) for d in detector.find(photo, 0.01)], range(6)))
    assert found[0] and all(each == found[0] for each in found)
