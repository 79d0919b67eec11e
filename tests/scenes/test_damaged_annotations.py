"""Whatever one entry of an annotation says, a scan ends, and all that it gives can be stored."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

from anamorph.errors import UsageError
from anamorph.model import Mask, Scene, Skip, canonical_json, encode
from anamorph.scenes.coco.source import CocoScenes
from anamorph.scenes.labelme import LabelMeScenes
from anamorph.scenes.scene_graph import SceneGraphScenes

COCO: dict[str, Any] = {
    "images": [
        {"id": 1, "file_name": "a.png", "width": 8, "height": 6, "license": 1, "flickr_url": "http://a"},
        {"id": 2, "file_name": "a.png", "width": 8, "height": 6},
    ],
    "annotations": [
        {
            "id": 1,
            "image_id": 1,
            "category_id": 1,
            "bbox": [1, 1, 3, 3],
            "segmentation": [[1, 1, 4, 1, 4, 4]],
            "iscrowd": 0,
        },
        {
            "id": 2,
            "image_id": 1,
            "category_id": 1,
            "segmentation": {"size": [6, 8], "counts": [12, 12, 24]},
            "iscrowd": 1,
        },
        {"id": 3, "image_id": 1, "category_id": 1, "segmentation": {"size": [6, 8], "counts": "<<h0"}, "iscrowd": 0},
        {"id": 4, "image_id": 2, "caption": "A cat."},
    ],
    "categories": [{"id": 1, "name": "cat"}],
    "licenses": [{"id": 1, "name": "free", "url": "http://free"}],
}
LABELME: dict[str, Any] = {
    "shapes": [
        {
            "label": "cat",
            "points": [[1, 1], [4, 1], [4, 4]],
            "group_id": 1,
            "shape_type": "polygon",
            "flags": {"wet": True},
        },
        {"label": "cat", "points": [[5, 1], [7, 4]], "group_id": 1, "shape_type": "rectangle"},
        {"label": "dog", "points": [[4, 3], [6, 3]], "shape_type": "circle"},
    ],
    "imagePath": "a.png",
    "imageWidth": 8,
    "imageHeight": 6,
    "imageData": None,
}

GQA: dict[str, Any] = {
    "a": {
        "width": 8,
        "height": 6,
        "objects": {
            "1": {
                "name": "man",
                "x": 1,
                "y": 1,
                "w": 3,
                "h": 3,
                "attributes": ["red"],
                "relations": [{"object": "2", "name": "on"}],
            },
            "2": {"name": "horse", "x": 5, "y": 1, "w": 3, "h": 3},
        },
    }
}
VISUAL_GENOME: dict[str, Any] = {
    "graphs": [
        {
            "image_id": "a",
            "objects": [
                {"object_id": 1, "names": ["man"], "x": 1, "y": 1, "w": 3, "h": 3, "attributes": ["red"]},
                {"object_id": 2, "names": ["horse"], "x": 5, "y": 1, "w": 3, "h": 3},
            ],
            "relationships": [{"predicate": "on", "subject_id": 1, "object_id": 2}],
        }
    ]
}
VQA: dict[str, Any] = {
    "questions": {"questions": [{"image_id": "a", "question": "How many?", "question_id": 1}]},
    "answers": {"annotations": [{"question_id": 1, "answers": [{"answer": "two"}]}]},
}

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["\ud800", "..", "/", "a.png", 10**300, 2**63, -1, 0, 1, 2, "circle", "<<h0"]),
    lambda inner: (
        st.lists(inner, max_size=7)
        | st.dictionaries(st.text(max_size=3) | st.sampled_from(["size", "counts"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value inside a document."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in entries:
        yield (*path, key)
        yield from paths_in(below, (*path, key))


def damaged(document: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    def replaced(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
        result = copy.deepcopy(document)
        place: Any = result
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return result

    return st.builds(replaced, st.sampled_from(list(paths_in(document))), VALUES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("damaged")
    Image.new("RGB", (8, 6)).save(path / "a.png")
    return path


def insist_storable(found: list[Scene | Skip]) -> None:
    for item in found:
        canonical_json(encode(item)).encode()
        if isinstance(item, Skip):
            assert item.what.isprintable() and item.reason.isprintable() and item.reason.endswith(".")
            continue
        assert (item.width, item.height) == (8, 6)
        for thing in item.things:
            assert thing.box.x >= 0 and thing.box.y >= 0 and thing.box.right <= 8 and thing.box.bottom <= 6
            assert thing.box.area > 0
            assert thing.mask is None or isinstance(thing.mask, Mask)


def test_the_sound_documents_give_no_skip(folder: Path) -> None:
    (folder / "coco.json").write_text(json.dumps(COCO))
    found = list(CocoScenes(str(folder / "coco.json"), str(folder)).scan())
    assert [len(scene.things) for scene in found if isinstance(scene, Scene)] == [3, 0]
    assert len(found) == 2


@settings(max_examples=150)
@given(damaged(COCO))
def test_a_damaged_coco_file_gives_scenes_and_skips_or_a_usage_error(folder: Path, document: dict[str, Any]) -> None:
    path = folder / "coco.json"
    path.write_text(json.dumps(document))
    try:
        insist_storable(list(CocoScenes(str(path), str(folder), str(path)).scan()))
    except UsageError as problem:
        assert "coco.json" in str(problem)


@settings(max_examples=150)
@given(damaged(LABELME))
def test_a_damaged_labelme_file_gives_a_scene_or_skips(folder: Path, document: dict[str, Any]) -> None:
    labels = folder / "labels"
    labels.mkdir(exist_ok=True)
    (labels / "a.json").write_text(json.dumps(document))
    found = list(LabelMeScenes(str(labels), str(folder)).scan())
    assert found
    insist_storable(found)


@settings(max_examples=100)
@given(damaged(GQA) | damaged(VISUAL_GENOME).map(lambda document: document["graphs"]))
def test_a_damaged_scene_graph_gives_scenes_and_skips_or_a_usage_error(folder: Path, document: Any) -> None:
    path = folder / "graphs.json"
    path.write_text(json.dumps(document))
    try:
        insist_storable(list(SceneGraphScenes(str(path), str(folder)).scan()))
    except UsageError as problem:
        assert "graphs.json" in str(problem)


@settings(max_examples=100)
@given(damaged(VQA))
def test_damaged_questions_give_scenes_and_skips_or_a_usage_error(folder: Path, documents: dict[str, Any]) -> None:
    (folder / "graphs.json").write_text(json.dumps(GQA))
    for name in ("questions", "answers"):
        (folder / f"{name}.json").write_text(json.dumps(documents[name]))
    graphs, asked, answered = (str(folder / f"{name}.json") for name in ("graphs", "questions", "answers"))
    try:
        insist_storable(list(SceneGraphScenes(graphs, str(folder), questions=asked, answers=answered).scan()))
    except UsageError as problem:
        assert ".json" in str(problem)
