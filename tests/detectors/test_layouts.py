from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from anamorph.detectors import Detection, open_detector
from anamorph.errors import UsageError
from tests.detectors.tiny_networks import picture, write_network

# A view of 64 x 64 has 64 + 16 + 4 cells.
SIDE, CELLS = 64, 84
NAMES = "{0: 'cat', 1: 'dog', 2: 'bird'}"
# A picture of 128 x 64 is halved in it: 64 x 32, with 16 rows of grey above and below.
WIDE = picture(128, 64)


def rows_of(found: Sequence[Detection]) -> list[tuple[str, float, tuple[float, ...]]]:
    return [
        (d.label, round(d.score, 4), tuple(round(v, 3) for v in (d.box.x, d.box.y, d.box.width, d.box.height)))
        for d in found
    ]


def yolo_rows() -> npt.NDArray[np.float32]:
    """Two boxes of a dog that cover each other, one of a cat in the same place, and one of a bird at a corner."""
    rows = np.zeros((CELLS, 7), np.float32)
    rows[0] = (32, 32, 16, 16, 0, 0.9, 0)
    rows[1] = (33, 32, 16, 16, 0, 0.8, 0)
    rows[2] = (32, 32, 16, 16, 0.7, 0, 0)
    rows[3] = (4, 18, 8, 8, 0, 0, 0.6)
    return rows


WANTED = [
    ("dog", 0.9, (48.0, 16.0, 32.0, 32.0)),
    ("cat", 0.7, (48.0, 16.0, 32.0, 32.0)),
    ("bird", 0.6, (0.0, 0.0, 16.0, 12.0)),
]


def test_yolov8_has_a_column_for_each_cell(tmp_path: Path) -> None:
    file = write_network(tmp_path / "n.onnx", (1, 3, SIDE, SIDE), {"output0": yolo_rows().T[None]}, names=NAMES)
    detector = open_detector(file)
    assert (detector.layout, detector.labels) == ("yolo", ("cat", "dog", "bird"))
    assert rows_of(detector.find(WIDE)) == WANTED


def test_yolov8_may_give_shares_of_the_view_and_have_its_channels_last(tmp_path: Path) -> None:
    rows = yolo_rows()
    rows[:, :4] /= SIDE
    file = write_network(tmp_path / "n.onnx", (1, SIDE, SIDE, 3), {"output0": rows.T[None]}, names=NAMES)
    assert rows_of(open_detector(file).find(WIDE)) == WANTED


def test_yolov5_multiplies_its_scores_with_the_objectness(tmp_path: Path) -> None:
    rows = np.zeros((3 * CELLS, 8), np.float32)
    rows[:CELLS, :4], rows[:CELLS, 4], rows[:CELLS, 5:] = yolo_rows()[:, :4], 0.5, yolo_rows()[:, 4:]
    file = write_network(tmp_path / "n.onnx", (1, 3, SIDE, SIDE), {"output": rows[None]}, names=NAMES)
    detector = open_detector(file)
    assert detector.layout == "yolov5"
    assert rows_of(detector.find(WIDE)) == [(label, round(score / 2, 4), box) for label, score, box in WANTED]


def test_rows_of_a_network_that_suppresses_are_taken_as_they_are(tmp_path: Path) -> None:
    rows = [(24, 24, 40, 40, 0.9, 1), (25, 24, 41, 40, 0.8, 1), (0, 14, 8, 22, 0.6, 2), (0, 0, 0, 0, 0, 0)]
    for number, content in enumerate((np.array([rows]), np.array(rows))):
        file = write_network(tmp_path / f"{number}.onnx", (1, 3, SIDE, SIDE), {"output0": content}, names=NAMES)
        detector = open_detector(file)
        assert detector.layout == "yolo-rows"
        assert rows_of(detector.find(WIDE)) == [WANTED[0], ("dog", 0.8, (50.0, 16.0, 32.0, 32.0)), WANTED[2]]


def test_yolox_completes_its_head_by_grid_and_stride(tmp_path: Path) -> None:
    head = np.zeros((CELLS, 8), np.float32)
    # Cell (2, 3) of the second grid, with stride 16: the centre is ((2 + 0.25) * 16, (3 + 0.5) * 16).
    head[64 + 3 * 4 + 2] = (0.25, 0.5, np.log(2), np.log(0.5), 0.8, 0.1, 0.5, 0)
    file = write_network(tmp_path / "n.onnx", (1, 3, SIDE, SIDE), {"output": head[None]}, names=NAMES)
    detector = open_detector(file)
    assert (detector.layout, detector.values) == ("yolox", "bytes")
    # Twice as large, and from the top left corner: x 20..52 -> 40..104, y 52..60 -> 104..120.
    tall = picture(128, 128)
    assert rows_of(detector.find(tall)) == [("dog", 0.4, (40.0, 104.0, 64.0, 16.0))]
    decoded = np.zeros((CELLS, 8), np.float32)
    decoded[0] = (36, 56, 32, 8, 0.8, 0.1, 0.5, 0)
    file = write_network(tmp_path / "d.onnx", (1, 3, SIDE, SIDE), {"output": decoded[None]}, names=NAMES)
    assert rows_of(open_detector(file, "yolox-decoded").find(tall)) == [("dog", 0.4, (40.0, 104.0, 64.0, 16.0))]


def test_a_yolox_of_one_class_is_not_taken_for_finished_rows(tmp_path: Path) -> None:
    head = np.zeros((1, CELLS, 6), np.float32)
    file = write_network(tmp_path / "n.onnx", (1, 3, SIDE, SIDE), {"output": head}, names="['cat']")
    assert open_detector(file).layout == "yolox"


def test_detr_has_softmax_and_a_last_class_for_nothing(tmp_path: Path) -> None:
    logits = np.log([[[0.1, 0.7, 0.1, 0.1], [0.05, 0.03, 0.02, 0.9], [0.5, 0.2, 0.2, 0.1]]])
    boxes = [[[0.5, 0.5, 0.25, 0.5], [0.1, 0.1, 0.1, 0.1], [0.0, 1.0, 0.5, 0.5]]]
    file = write_network(
        tmp_path / "n.onnx", (1, 3, "h", "w"), {"logits": logits, "pred_boxes": boxes}, names=NAMES, mask=(1, 64, 64)
    )
    detector = open_detector(file)
    assert (detector.layout, detector.values) == ("detr", "imagenet")
    assert rows_of(detector.find(WIDE)) == [
        ("dog", 0.7, (48.0, 16.0, 32.0, 32.0)),
        ("cat", 0.5, (0.0, 48.0, 32.0, 16.0)),
    ]


def test_deformable_detr_has_a_sigmoid_for_each_class_by_cocos_ids(tmp_path: Path) -> None:
    logits = np.full((1, 2, 91), -9, np.float32)
    logits[0, 0, 18] = np.log(0.8 / 0.2)
    boxes = np.array([[[0.5, 0.5, 0.25, 0.5], [0.5, 0.5, 1, 1]]])
    file = write_network(tmp_path / "n.onnx", (1, 3, 32, 32), {"pred_boxes": boxes, "logits": logits})
    detector = open_detector(file)
    assert detector.layout == "deformable-detr"
    assert rows_of(detector.find(WIDE)) == [("dog", 0.8, (48.0, 16.0, 32.0, 32.0))]
    file = write_network(tmp_path / "rt.onnx", (1, 3, 32, 32), {"pred_boxes": boxes, "logits": logits[:, :, :80]})
    detector = open_detector(file)
    assert (detector.layout, detector.values, detector.labels[18]) == ("rt-detr", "unit", "sheep")


@pytest.mark.parametrize(("first", "second"), [("classes", "scores"), ("scores", "classes"), ("a", "b"), ("b", "a")])
def test_post_processed_outputs_are_told_apart_by_name_or_by_content(tmp_path: Path, first: str, second: str) -> None:
    by_name: dict[str, npt.ArrayLike] = {
        "classes": [[17, 0, 0]],
        "scores": [[0.75, 0.5, 0.9]],
        "a": [[17, 0, 0]],
        "b": [[0.75, 0.5, 0.9]],
    }
    boxes = np.array([[[0.25, 0.375, 0.75, 0.625], [-0.1, 0.5, 0.5, 1.2], [0, 0, 1, 1]]])
    outputs: dict[str, npt.ArrayLike] = {
        "boxes": boxes,
        first: by_name[first],
        second: by_name[second],
        "num_detections": [2],
    }
    file = write_network(tmp_path / "n.onnx", (1, 32, 32, 3), outputs, type_="uint8")
    detector = open_detector(file, labels="coco-90")
    assert detector.layout == "ssd"
    assert rows_of(detector.find(WIDE)) == [
        ("dog", 0.75, (48.0, 16.0, 32.0, 32.0)),
        ("person", 0.5, (64.0, 0.0, 64.0, 32.0)),
    ]
    assert open_detector(file).labels[18] == "dog", "from ONNX, TensorFlow's classes begin at 1"


def test_a_classifier_gives_probabilities_or_logits_of_the_whole_picture(tmp_path: Path) -> None:
    sure = write_network(tmp_path / "p.onnx", (1, 3, 32, 32), {"out": [[0.9, 0.2, 0.6]]}, names=NAMES)
    detector = open_detector(sure)
    assert (detector.layout, detector.locates, detector.values) == ("classifier", False, "imagenet")
    assert rows_of(detector.find(WIDE)) == [("cat", 0.9, (0, 0, 128, 64)), ("bird", 0.6, (0, 0, 128, 64))]
    logits = write_network(tmp_path / "l.onnx", (1, 32, 32, 3), {"out": [[0, np.log(4), -5]]}, names=NAMES)
    detector = open_detector(logits)
    assert detector.values == "signed"
    assert [(d.label, round(d.score, 4)) for d in detector.find(WIDE)] == [("dog", 0.8), ("cat", 0.5)]
    one_of_all = open_detector(logits, "classifier-softmax").find(WIDE, 0.1)
    assert [(d.label, round(d.score, 3)) for d in one_of_all] == [("dog", 0.799), ("cat", 0.2)]


def test_an_unknown_layout_is_told_with_its_shapes_and_the_known_ones(tmp_path: Path) -> None:
    file = write_network(tmp_path / "n.onnx", (1, 3, 32, 32), {"odd": np.zeros((1, 2, 3, 4, 5))})
    with pytest.raises(UsageError) as caught:
        open_detector(file)
    message = str(caught.value)
    assert "Inputs: images float32 [1, 3, 32, 32]. Outputs: odd float32 [1, 2, 3, 4, 5]." in message
    for known in ("yolo (", "yolov5 (", "yolox (", "yolo-rows (", "detr (", "ssd (", "classifier ("):
        assert known in message


def test_a_layout_that_was_chosen_wrongly_is_told(tmp_path: Path) -> None:
    file = write_network(tmp_path / "n.onnx", (1, 3, 32, 32), {"out": [[0.9, 0.2, 0.6]]}, names=NAMES)
    for layout in ("yolo", "yolov5", "yolox", "yolo-rows", "detr", "ssd"):
        with pytest.raises(UsageError, match=rf"n\.onnx: .*layout {layout}.*out float32 \[1, 3\]"):
            open_detector(file, layout).find(WIDE)
    with pytest.raises(UsageError, match=r"Unknown layout 'yolo9'\. Did you mean 'yolo'\?"):
        open_detector(file, "yolo9")
