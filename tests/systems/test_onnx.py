from __future__ import annotations

from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.errors import BadPicture, BadRecord, UnknownName, UsageError
from anamorph.model import Answer, Ask, Failure, Pixels, decode
from anamorph.scenes.coco.source import CocoScenes
from anamorph.systems.onnx import OnnxSystem
from tests.systems.detections import ask, blind, classifier, finder


def test_each_label_has_the_best_score_of_what_was_found(tmp_path: Path) -> None:
    system = OnnxSystem(finder(tmp_path))
    (answer,) = system.ask([ask()], 1)
    assert isinstance(answer, Answer) and answer.labels == pytest.approx({"dog": 0.9, "person": 0.8})


def test_thresholds_decide_which_labels_are_given(tmp_path: Path) -> None:
    path = finder(tmp_path)
    low = OnnxSystem(path, threshold=0.85, thresholds={"bench": 0.2})
    (answer,) = low.ask([ask()], 1)
    assert isinstance(answer, Answer) and answer.labels == pytest.approx({"dog": 0.9, "bench": 0.2})
    (decided,) = OnnxSystem(path, 0.85, {"bench": 0.2}, scores="decided").ask([ask()], 1)
    assert decided == Answer(labels={"dog": 1.0, "bench": 1.0})


def test_nothing_found_is_an_answer_and_a_classifier_is_a_tagger(tmp_path: Path) -> None:
    assert OnnxSystem(blind(tmp_path)).ask([ask()], 1) == [Answer(labels={})]
    (answer,) = OnnxSystem(classifier(tmp_path), threshold=0.3).ask([ask()], 1)
    assert isinstance(answer, Answer) and answer.labels == pytest.approx({"dog": 0.9, "cat": 0.4})


def test_a_picture_that_cannot_be_loaded_fails_alone(tmp_path: Path) -> None:
    def broken() -> Pixels:
        raise BadPicture("photo.jpg: cut off.")

    bad = Ask("bad", None, None, broken)
    first, second = OnnxSystem(finder(tmp_path)).ask([bad, ask()], 1)
    assert first == Failure("photo.jpg: cut off.") and isinstance(second, Answer)


def test_systems_that_could_answer_differently_have_other_fingerprints(tmp_path: Path) -> None:
    path, other = finder(tmp_path), blind(tmp_path)
    systems = [
        OnnxSystem(path),
        OnnxSystem(other),
        OnnxSystem(path, threshold=0.4),
        OnnxSystem(path, thresholds={"dog": 0.5}),
        OnnxSystem(path, layout="yolov5", labels="coco-80"),
        OnnxSystem(path, labels="coco-90"),
        OnnxSystem(path, values="bytes"),
        OnnxSystem(path, nms_iou=0.6),
        OnnxSystem(path, most=10),
        OnnxSystem(path, scores="decided"),
    ]
    prints = [str(system.fingerprint) for system in systems]
    assert len({*prints}) == len(prints)
    assert OnnxSystem(path, parallel=7).fingerprint == systems[0].fingerprint
    # What was told from the shapes is the same as what was chosen.
    chosen = OnnxSystem(path, layout="yolo-rows").fingerprint
    assert {**chosen} == {**systems[0].fingerprint}


def test_a_picture_is_asked_alone_and_as_many_at_once_as_there_are_cores(tmp_path: Path) -> None:
    manner = OnnxSystem(finder(tmp_path)).manner
    assert manner.batch == 1 and manner.parallel >= 1
    assert OnnxSystem(finder(tmp_path), parallel=5).manner.parallel == 5


def test_mistakes_in_settings_are_found_before_anything_is_asked(tmp_path: Path) -> None:
    path = finder(tmp_path)
    with pytest.raises(UsageError, match=r"'onnx' needs weights.*gone\.onnx"):
        OnnxSystem(str(tmp_path / "gone.onnx"))
    with pytest.raises(UnknownName, match=r"Unknown label in thresholds of .*'dogg'\. Did you mean 'dog'\?"):
        OnnxSystem(path, thresholds={"dogg": 0.5})
    with pytest.raises(BadRecord, match=r"thresholds\.dog must be from 0 to 1, got 5"):
        decode(OnnxSystem, {"path": path, "thresholds": {"dog": 5}}, catalog.find)
    with pytest.raises(UnknownName, match="Unknown layout 'yolo99'"):
        OnnxSystem(path, layout="yolo99")


# Of the 105 labels that the first 30 photos have, at a threshold of 0.3: yolox_nano gives 63 (and 9 others),
# efficientdet-lite0 61 (and 7 others).
@pytest.mark.slow
@pytest.mark.parametrize(("name", "floor"), [("yolox_nano.onnx", 0.52), ("efficientdet-lite0.tflite", 0.5)])
def test_real_photos_get_the_labels_that_people_gave_them(shared: Path, name: str, floor: float) -> None:
    source = CocoScenes(str(shared / "photos/instances.json"), str(shared / "photos/images"))
    system = OnnxSystem(str(shared / "models" / name), threshold=0.3)
    right = given = wanted = 0
    for scene in list(source.scan())[:30]:
        (answer,) = system.ask([Ask(scene.id, None, None, lambda scene=scene: source.pixels(scene))], 60)  # type: ignore
        assert isinstance(answer, Answer) and answer.labels is not None
        truth = {*scene.labels}  # type: ignore[union-attr]
        right, given, wanted = right + len(truth & {*answer.labels}), given + len(answer.labels), wanted + len(truth)
    assert right / wanted > floor
    assert right / given > 0.75
