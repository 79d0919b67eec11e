"""FiftyOne datasets: what is exported is read again, and damaged entries are skipped by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image

from anamorph.cli.main import cli
from anamorph.errors import UsageError
from anamorph.model import Box, Scene, Skip
from anamorph.scenes.fiftyone import FiftyOneScenes


def dataset(folder: Path, *samples: Any) -> Path:
    (folder / "data").mkdir(parents=True)
    Image.new("RGB", (200, 100), "green").save(folder / "data" / "a.png")
    (folder / "samples.json").write_text(json.dumps({"samples": samples}))
    return folder


def detections(*found: Any) -> dict[str, Any]:
    return {"_cls": "Detections", "detections": list(found)}


def test_boxes_are_shares_of_the_photo(tmp_path: Path) -> None:
    dog = {"label": "dog", "bounding_box": [0.1, 0.2, 0.5, 0.5], "confidence": 0.75}
    sample = {"filepath": "data/a.png", "tags": ["photo"], "ground_truth": detections(dog)}
    (scene,) = FiftyOneScenes(str(dataset(tmp_path / "d", sample))).scan()
    assert isinstance(scene, Scene) and (scene.id, scene.width, scene.height) == ("data/a.png", 200, 100)
    (thing,) = scene.things
    assert (thing.label, thing.box, thing.score) == ("dog", Box(20, 20, 100, 50), 0.75) and scene.labels == ("dog",)
    assert FiftyOneScenes(str(tmp_path / "d")).pixels(scene).shape == (100, 200, 3)
    assert list(FiftyOneScenes(str(tmp_path / "d"), tag="follow-up").scan()) == []
    (plain,) = FiftyOneScenes(str(tmp_path / "d"), field="").scan()
    assert isinstance(plain, Scene) and plain.things == ()


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (7, "should be an object"),
        ({}, "'filepath' is missing"),
        ({"filepath": "data/none.png"}, "none.png"),
        ({"filepath": "../a.png"}, "a.png"),
        ({"filepath": "data/a.png", "ground_truth": {"_cls": "Classification"}}, "no list 'detections'"),
        (
            {"filepath": "data/a.png", "ground_truth": detections({"label": "dog", "bounding_box": [0.9, 0, 0.5, 1]})},
            "sticks out",
        ),
        ({"filepath": "data/a.png", "ground_truth": detections({"bounding_box": [0, 0, 1, 1]})}, "'label' is missing"),
    ],
)
def test_what_cannot_be_used_is_skipped_by_name(sample: Any, reason: str, tmp_path: Path) -> None:
    skips = [each for each in FiftyOneScenes(str(dataset(tmp_path / "d", sample))).scan() if isinstance(each, Skip)]
    assert len(skips) == 1 and reason in skips[0].reason


def test_a_folder_that_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no samples\.json"):
        list(FiftyOneScenes(str(tmp_path)).scan())


def test_an_export_of_a_run_has_photos_follow_ups_verdicts_and_objects_and_is_read_again(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "exported"
    asked = ["run", "-m", "crosscheck", "-s", "toybox:4", "-y", "toybox:answerer", "-o", str(run), "--no-report"]
    assert CliRunner().invoke(cli, asked).exit_code == 1
    command = ["export", str(run), "--to", "fiftyone", "-o", str(out), "--which", "all"]
    assert CliRunner().invoke(cli, command).exit_code == 0
    samples = json.loads((out / "samples.json").read_text())["samples"]
    metadata = json.loads((out / "metadata.json").read_text())
    fields = {field["db_field"] for field in metadata["sample_fields"]}
    assert metadata["media_type"] == "image"
    for sample in samples:
        assert {*sample} - {"_media_type", "_rand"} <= fields and (out / sample["filepath"]).is_file()
        assert len(sample["_id"]["$oid"]) == 24 and 0 <= sample["_rand"] < 1
        for found in sample["ground_truth"]["detections"]:
            assert all(0 <= number <= 1 for number in found["bounding_box"])
    assert len({sample["_id"]["$oid"] for sample in samples}) == len(samples)
    assert {tag for sample in samples for tag in sample["tags"]} == {"photo", "follow-up"}
    violated = [sample for sample in samples if sample["verdict"]["label"] == "violated"]
    assert violated and all(sample["issues"] for sample in violated) and any(sample["reasons"] for sample in violated)
    scenes = [each for each in FiftyOneScenes(str(out), tag="photo").scan() if isinstance(each, Scene)]
    assert len(scenes) == 4 and all(scene.things for scene in scenes)
