from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import UsageError
from anamorph.model import Box, Question, Scene, Skip, Thing
from anamorph.scenes.scene_graph import SceneGraphScenes

SavePhoto = Callable[..., Path]

GQA: dict[str, Any] = {
    "2370799": {
        "width": 40,
        "height": 30,
        "location": "park",
        "objects": {
            "11": {
                "name": "man",
                "x": 2,
                "y": 3,
                "w": 10,
                "h": 20,
                "attributes": ["Standing", "tall"],
                "relations": [{"object": "12", "name": "riding"}, {"object": "12", "name": "to the left of"}],
            },
            "12": {"name": "horse", "x": 20, "y": 5, "w": 15, "h": 20, "attributes": ["gray"], "relations": []},
        },
    }
}
VISUAL_GENOME: list[dict[str, Any]] = [
    {
        "image_id": 7,
        "objects": [
            {"object_id": 1, "x": 0, "y": 0, "w": 5, "h": 5, "names": ["dog"], "synsets": [], "attributes": ["brown"]},
            {"object_id": 2, "x": 6, "y": 0, "w": 4, "h": 4, "names": ["frisbee", "disc"]},
        ],
        "relationships": [{"predicate": "CATCHING", "subject_id": 1, "object_id": 2}],
    },
    {
        "image_id": 8,
        "attributes": [{"object_id": 3, "x": 1, "y": 1, "w": 5, "h": 5, "names": ["sky"], "attributes": ["blue"]}],
        "relationships": [{"predicate": "above", "subject": {"object_id": 3}, "object": {"object_id": 99}}],
    },
]


def scan(folder: Path, graphs: Any, **settings: Any) -> tuple[list[Scene], dict[str, str]]:
    """The scenes, and the reasons of the skips by what was skipped."""
    (folder / "graphs.json").write_text(json.dumps(graphs))
    source = SceneGraphScenes(str(folder / "graphs.json"), str(folder / "images"), **settings)
    found = list(source.scan())
    skips = {skip.what.replace(f"{folder}/", ""): skip.reason for skip in found if isinstance(skip, Skip)}
    return [scene for scene in found if isinstance(scene, Scene)], skips


def test_gqa_gives_fine_classes_attributes_boxes_and_relations(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "images" / "2370799.jpg", 40, 30)
    assert scan(tmp_path, GQA) == (
        [
            Scene(
                "2370799",
                "2370799.jpg",
                40,
                30,
                (
                    Thing("11", "man", Box(2, 3, 10, 20), attributes=("standing", "tall", "riding horse")),
                    Thing("12", "horse", Box(20, 5, 15, 20), attributes=("grey",)),
                ),
                labels=("horse", "man"),
            )
        ],
        {},
    )


def test_visual_genome_has_lists_and_its_photos_may_lie_in_folders(tmp_path: Path, save_photo: SavePhoto) -> None:
    path = save_photo(tmp_path / "images" / "VG_100K" / "7.jpg", 12, 10)
    save_photo(tmp_path / "images" / "VG_100K_2" / "8.png", 12, 10)
    (first, second), skips = scan(tmp_path, VISUAL_GENOME)
    assert not skips
    assert [thing.label for thing in first.things] == ["dog", "frisbee"]
    assert first.things[0].attributes == ("brown", "catching frisbee")
    assert second.things == (Thing("3", "sky", Box(1, 1, 5, 5), attributes=("blue",)),)
    source = SceneGraphScenes(str(tmp_path / "graphs.json"), str(tmp_path / "images"))
    assert np.array_equal(source.pixels(first), np.asarray(Image.open(path)))


def test_questions_of_gqa_are_joined_by_the_id_of_the_photo(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "images" / "2370799.jpg", 40, 30)
    asked = {
        "05451384": {
            "imageId": "2370799",
            "question": "Is there a horse?",
            "answer": "yes",
            "fullAnswer": "Yes, there is a horse.",
            "semantic": [{"operation": "select", "argument": "horse"}],
        }
    }
    (tmp_path / "questions.json").write_text(json.dumps(asked))
    (scene,), _ = scan(tmp_path, GQA, questions=str(tmp_path / "questions.json"))
    assert scene.questions == (Question("Is there a horse?", ("yes",), "05451384"),)


def test_a_damaged_object_costs_that_object_and_a_damaged_graph_that_photo(
    tmp_path: Path, save_photo: SavePhoto
) -> None:
    for name in ("1", "2", "3", "sub/3"):
        save_photo(tmp_path / "images" / f"{name}.png", 10, 10)
    good = {"name": "dog", "x": 1, "y": 1, "w": 5, "h": 5, "relations": [{"object": "b", "name": "near"}, 7]}
    graphs = {
        "1": {
            "objects": {
                "a": good,
                "b": {**good, "w": 50},
                "c": {**good, "name": 5},
                "d": {**good, "attributes": "red"},
                "e": "dog",
                "f": {**good, "x": None},
                "g": {**good, "attributes": ["x" * 201]},
            }
        },
        "2": {"objects": 5},
        "3": {"objects": {}},
        "4": {"objects": {}},
    }
    (scene,), skips = scan(tmp_path, graphs)
    assert [thing.id for thing in scene.things] == ["a"]
    # The box of the other dog is damaged, but that there is one is known.
    assert scene.things[0].attributes == ("near dog",)
    assert "sticks out" in skips["graphs.json: photo 1, object b"]
    assert "'name' should be a string" in skips["graphs.json: photo 1, object c"]
    assert "'attributes' should be a list" in skips["graphs.json: photo 1, object d"]
    assert "should be an object" in skips["graphs.json: photo 1, object e"]
    assert "'x' is missing" in skips["graphs.json: photo 1, object f"]
    assert "201 characters" in skips["graphs.json: photo 1, object g"]
    assert "'objects' should be" in skips["graphs.json: photo 2"]
    assert "Several photos have the name 3" in skips["graphs.json: photo 3"]
    assert "Photo 4 (4.jpg, for example) is not in the folder" in skips["graphs.json: photo 4"]


def test_a_list_with_two_of_one_id_or_a_wrong_size_is_named(tmp_path: Path, save_photo: SavePhoto) -> None:
    save_photo(tmp_path / "images" / "1.png", 10, 10)
    save_photo(tmp_path / "images" / "2.png", 10, 10)
    node = {"object_id": 5, "names": ["cat"], "x": 1, "y": 1, "w": 5, "h": 5}
    graphs = [
        {"image_id": 1, "objects": [node, node, {**node, "object_id": None}]},
        {"image_id": 1, "objects": []},
        {"image_id": 2, "width": 9, "height": 10, "objects": []},
        {"objects": []},
    ]
    (scene,), skips = scan(tmp_path, graphs)
    assert [thing.id for thing in scene.things] == ["5"]
    assert "the same id 5" in skips["graphs.json: [0], object at place 1"]
    assert "'object_id' is missing" in skips["graphs.json: [0], object at place 2"]
    assert "about the same photo 1" in skips["graphs.json: [1]"]
    assert "annotation says 9 x 10" in skips["graphs.json: [2]"]
    assert "'image_id' is missing" in skips["graphs.json: [3]"]


@pytest.mark.parametrize("document", [5, "graphs", {"images": [], "annotations": []}])
def test_a_file_of_something_else_is_a_usage_error_that_names_it(tmp_path: Path, document: Any) -> None:
    (tmp_path / "images").mkdir()
    with pytest.raises(UsageError, match=r"graphs\.json is not a file of scene graphs.*GQA.*Visual Genome"):
        scan(tmp_path, document)
