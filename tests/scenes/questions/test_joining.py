from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.model import Question, Scene, Skip, canonical_json, decode, encode
from anamorph.scenes.folder import FolderScenes
from anamorph.scenes.questions.joining import with_questions


def joined(folder: Path, asked: Sequence[Any], *scenes: Scene | Skip) -> tuple[list[list[str]], list[str]]:
    """The texts of each scene's questions, and the reasons of the skips."""
    path = folder / "asked.json"
    path.write_text(json.dumps([{"image": image, "question": text} for image, text in asked]))
    found = list(with_questions(scenes, str(path), None))
    texts = [[question.text for question in scene.questions] for scene in found if isinstance(scene, Scene)]
    return texts, [skip.reason for skip in found if isinstance(skip, Skip)]


@pytest.mark.parametrize(
    ("image", "id", "picture"),
    [
        (262148, "262148", "000000262148.jpg"),
        (262148, "COCO_val2014_000000262148.jpg", "COCO_val2014_000000262148.jpg"),
        (262148, "val/000000262148.jpg", "val/000000262148.jpg"),
        ("2370799", "2370799.jpg", "2370799.jpg"),
        ("b.jpg", "sub/b.jpg", "sub/b.jpg"),
        ("sub/b.jpg", "sub/b.jpg", "sub/b.jpg"),
        ("./photos/b.jpg", "b.jpg", "b.jpg"),
        ("b", "b.jpg", "b.jpg"),
        ("2007_000033", "2007_000033", "2007_000033.jpg"),
    ],
)
def test_a_scene_is_found_by_its_id_its_file_or_the_number_in_its_name(
    tmp_path: Path, image: Any, id: str, picture: str
) -> None:
    assert joined(tmp_path, [(image, "How many?")], Scene(id, picture, 4, 4)) == ([["How many?"]], [])


def test_a_number_in_the_name_of_a_file_is_no_id_where_the_scene_has_a_numeric_one(tmp_path: Path) -> None:
    scenes = Scene("5", "000000000007.jpg", 4, 4), Scene("7", "000000000005.jpg", 4, 4)
    texts, skips = joined(tmp_path, [(7, "seven?"), (5, "five?")], *scenes)
    assert texts == [["five?"], ["seven?"]] and not skips


def test_questions_about_no_scene_are_counted_and_skips_pass_through(tmp_path: Path) -> None:
    asked = [("a.jpg", "1?"), ("z.jpg", "2?"), ("z.jpg", "3?"), ("y.jpg", "4?")]
    texts, skips = joined(tmp_path, asked, Skip("x", "It is bad."), Scene("a.jpg", "a.jpg", 4, 4))
    assert texts == [["1?"]]
    assert skips == ["It is bad.", "3 of its questions are about 2 photos that are not scenes (first: z.jpg)."]


def test_two_photos_of_one_name_are_reported(tmp_path: Path) -> None:
    scenes = Scene("m/a.jpg", "m/a.jpg", 4, 4), Scene("n/a.jpg", "n/a.jpg", 4, 4)
    texts, skips = joined(tmp_path, [("a.jpg", "1?")], *scenes)
    assert texts == [["1?"], []]
    assert len(skips) == 1 and "went to the scene m/a.jpg" in skips[0]


def test_without_questions_scenes_stay_as_they_are_and_answers_alone_are_refused() -> None:
    scene = Scene("a", "a.jpg", 4, 4)
    assert list(with_questions([scene], None, None)) == [scene]
    assert "questions" not in encode(scene)
    with pytest.raises(UsageError, match="needs questions=FILE"):
        list(with_questions([scene], None, "answers.json"))


def test_a_scene_with_questions_round_trips() -> None:
    scene = Scene("a", "a.jpg", 4, 4, questions=(Question("How many?", ("2",), "7"), Question("Who?")))
    assert decode(Scene, json.loads(canonical_json(encode(scene)))) == scene


def test_a_missing_file_of_questions_ends_the_scan(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.json does not exist"):
        list(FolderScenes(str(tmp_path), questions=str(tmp_path / "gone.json")).scan())
