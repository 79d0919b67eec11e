from __future__ import annotations

import importlib.util
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import BadPicture, MissingExtra, UsageError
from anamorph.model import Pixels, Segmenter, Thing
from anamorph.pixels.masks import mask_area, mask_pixels
from anamorph.reading.labels import label_space
from anamorph.segmenters.transformers.models import loaded_model
from anamorph.segmenters.transformers.segmenter import TransformersSegmenter
from anamorph.weights.checkpoints import Checkpoint, Workbench
from anamorph.weights.torch_library import torch
from tests import tiny_models, tiny_segmenters
from tests.tiny_segmenters import LABELS

MASKS = [tiny_segmenters.mask2former, tiny_segmenters.maskformer, tiny_segmenters.detr_segmenter]
BOXES = [tiny_segmenters.detr_detector, tiny_segmenters.owlvit, tiny_segmenters.grounding_dino]

Made = Callable[[tiny_models.Maker], str]


def test_without_the_libraries_the_install_line_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"The segmenter 'transformers' .*pip install 'anamorph\[transformers\]'"):
        TransformersSegmenter("some/model")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folders: dict[str, str] = {}

    def make(maker: tiny_models.Maker) -> str:
        if maker.__name__ not in folders:
            folders[maker.__name__] = str(maker(tmp_path_factory.mktemp(maker.__name__) / "model"))
        return folders[maker.__name__]

    return make


def photo(seed: int = 0) -> Pixels:
    pixels = np.random.default_rng(seed).integers(0, 256, (70, 90, 3), dtype=np.uint8)
    pixels[20:50, 30:60] = 200
    return pixels


def everything(folder: str, **changes: object) -> TransformersSegmenter:
    settings = {"threshold": 0.0, "min_area": 0.0, "labels": LABELS, **changes}
    return TransformersSegmenter(folder, **settings)  # type: ignore[arg-type]


def lies_on_the_photo(thing: Thing) -> bool:
    box = thing.box
    return min(box.x, box.y, 90 - box.right, 70 - box.bottom) >= 0 and box.area > 0


class TestHeavy:
    pytestmark = tiny_models.heavy

    @pytest.mark.parametrize("maker", [*MASKS, *BOXES])
    def test_objects_have_ids_labels_scores_and_places(self, made: Made, maker: tiny_models.Maker) -> None:
        segmenter: Segmenter = everything(made(maker))
        things = segmenter.segment(photo())
        assert things and things == everything(made(maker)).segment(photo())
        assert len({thing.id for thing in things}) == len(things)
        assert [thing.score for thing in things] == sorted((thing.score or 0 for thing in things), reverse=True)
        for thing in things:
            assert thing.label in LABELS and thing.score is not None and 0 <= thing.score <= 1
            assert lies_on_the_photo(thing)
            assert (thing.mask is not None) == (maker in MASKS)
            if thing.mask is not None:
                assert (thing.mask.height, thing.mask.width) == (70, 90) and mask_area(thing.mask) > 0

    @pytest.mark.parametrize("maker", [tiny_segmenters.mask2former, *BOXES])
    def test_the_threshold_keeps_the_surer_objects(self, made: Made, maker: tiny_models.Maker) -> None:
        everyone = everything(made(maker)).segment(photo())
        middle = sorted(thing.score or 0 for thing in everyone)[len(everyone) // 2]
        surer = everything(made(maker), threshold=middle - 1e-3).segment(photo())
        assert 0 < len(surer) <= len(everyone) and all((thing.score or 0) >= middle - 1e-3 for thing in surer)
        assert everything(made(maker), threshold=1.0).segment(photo()) == ()

    @pytest.mark.parametrize("maker", [tiny_segmenters.mask2former, tiny_segmenters.maskformer])
    def test_an_object_that_is_hardly_seen_hides_nothing_of_a_surer_one(
        self, made: Made, maker: tiny_models.Maker
    ) -> None:
        everyone = everything(made(maker), nms_iou=1.0).segment(photo())
        threshold = (everyone[0].score or 0) - 1e-3
        surer = everything(made(maker), nms_iou=1.0, threshold=threshold).segment(photo())
        assert 0 < len(surer) < len(everyone) and surer == everyone[: len(surer)]

    def test_regions_of_a_panoptic_map_do_not_overlap(self, made: Made) -> None:
        things = everything(made(tiny_segmenters.mask2former), style="panoptic").segment(photo())
        assert sum(mask_area(thing.mask) for thing in things if thing.mask) <= 70 * 90

    @pytest.mark.parametrize("maker", [*MASKS, tiny_segmenters.eomt])
    def test_ground_has_one_mask_for_each_class_and_is_no_object(self, made: Made, maker: tiny_models.Maker) -> None:
        folder = made(maker)
        plain = {"style": "panoptic", "labels": (), "nms_iou": 1.0}
        objects = everything(folder, **plain, ground=("none",)).segment(photo())
        label = objects[0].label
        segmenter = everything(folder, **plain, ground=(label,))
        survey = segmenter.survey
        assert survey is not None
        found = survey(photo())
        assert found.things == segmenter.segment(photo()) and label not in {thing.label for thing in found.things}
        (ground,) = found.stuff
        alike = [mask_pixels(thing.mask) for thing in objects if thing.label == label and thing.mask]
        assert ground.label == label and (mask_pixels(ground.mask) == np.logical_or.reduce(alike)).all()
        kept = everything(folder, **{**plain, "labels": (label,)}, ground=(label,)).survey
        assert kept is not None and not kept(photo()).stuff and kept(photo()).things

    def test_ground_of_coco_is_known_by_its_names(self, made: Made, tmp_path: Path) -> None:
        folder = tmp_path / "model"
        shutil.copytree(made(tiny_segmenters.mask2former), folder)
        file = folder / "config.json"
        described = json.loads(file.read_text())
        names = ["person", "sky-other-merged", "grass-merged"]
        described["id2label"] = {str(number): name for number, name in enumerate(names)}
        described["label2id"] = {name: number for number, name in enumerate(names)}
        file.write_text(json.dumps(described))
        survey = everything(str(folder), labels=(), style="panoptic").survey
        assert survey is not None
        found = survey(photo())
        assert {thing.label for thing in found.things} <= {"person"}
        assert {each.label for each in found.stuff} <= {"sky-other-merged", "grass-merged"}
        assert found.things or found.stuff
        single = everything(str(folder), labels=())
        assert single.survey is None and {thing.label for thing in single.segment(photo())} <= {"person"}

    def test_oneformer_says_itself_what_is_ground_and_needs_torchvision(
        self, made: Made, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = made(tiny_segmenters.oneformer)
        bench = Workbench(Checkpoint("", folder, None, True), "cpu", torch().float32)
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[torchvision\]'"):
            loaded_model(bench, "panoptic", (), ())
        monkeypatch.undo()
        monkeypatch.setattr("anamorph.segmenters.transformers.models.require", lambda *names: None)
        assert loaded_model(bench, "panoptic", (), ()).ground == {"cat"}
        assert loaded_model(bench, "panoptic", (), ("dog", "sky")).ground == {"dog"}

    def test_labels_tell_what_to_keep_and_what_to_look_for(self, made: Made) -> None:
        for maker in (tiny_segmenters.detr_detector, tiny_segmenters.grounding_dino, tiny_segmenters.owlvit):
            everyone = everything(made(maker)).segment(photo())
            label = everyone[0].label
            only = everything(made(maker), labels=(label,)).segment(photo())
            assert only and {thing.label for thing in only} == {label}
        nothing = TransformersSegmenter(made(tiny_segmenters.grounding_dino))
        with pytest.raises(UsageError, match=r"needs words as prompts: set segmenter\.labels"):
            _ = nothing.fingerprint
        coco = everything(made(tiny_segmenters.owlvit), labels=("coco",))
        assert tuple(coco.fingerprint["labels"]) == label_space("coco").names
        assert {thing.label for thing in coco.segment(photo())} <= set(label_space("coco").names)

    def test_a_list_of_words_that_is_too_long_is_named(self, made: Made) -> None:
        with pytest.raises(UsageError, match=r"but the model takes at most 32: set segmenter\.labels to fewer"):
            everything(made(tiny_segmenters.grounding_dino), labels=("coco",)).segment(photo())

    def test_whatever_could_change_the_objects_changes_the_fingerprint(self, made: Made) -> None:
        folder = made(tiny_segmenters.mask2former)
        changes: list[dict[str, object]] = [
            {},
            {"threshold": 0.3},
            {"min_area": 0.1},
            {"nms_iou": 0.3},
            {"most": 3},
            {"labels": ("dog",)},
            {"style": "panoptic"},
            {"ground": ("cat",)},
            {"dtype": "float16"},
        ]
        prints = [everything(folder, **change).fingerprint for change in changes]
        assert len({str(each) for each in prints}) == len(changes)
        other = everything(made(tiny_segmenters.maskformer)).fingerprint
        assert other["files_sha256"] != prints[0]["files_sha256"]

    def test_a_photo_on_which_the_network_fails_is_a_bad_picture(self, made: Made) -> None:
        with pytest.raises(BadPicture, match="failed with"):
            everything(made(tiny_segmenters.mask2former)).segment(np.zeros((0, 0, 3), np.uint8))

    def test_a_model_that_finds_no_objects_is_named(self, tmp_path: Path) -> None:
        folder = tiny_models.classifier(tmp_path / "model")
        with pytest.raises(UsageError, match=r"cannot be used as a segmenter: its config\.json says ViTForImageClass"):
            _ = TransformersSegmenter(str(folder)).fingerprint

    def test_several_threads_may_segment_at_once(self, made: Made) -> None:
        segmenter = everything(made(tiny_segmenters.detr_detector))
        expected = [segmenter.segment(photo(seed)) for seed in range(4)]
        found: dict[int, tuple[Thing, ...]] = {}
        threads = [
            threading.Thread(target=lambda n=seed: found.update({n: segmenter.segment(photo(n))})) for seed in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found[seed] for seed in range(4)] == expected
