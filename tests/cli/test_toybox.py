from __future__ import annotations

import json
from pathlib import Path

from anamorph.toybox.scenes import scene_of
from tests.cli.command_line import anamorph


def test_scenes_are_written_as_coco_and_read_back(tmp_path: Path) -> None:
    done = anamorph("toybox", "make", "--scenes", 3, "--seed", 11, "--out", "toys", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 scenes with ")
    assert len(list((tmp_path / "toys" / "images").glob("*.png"))) == 3
    instances = json.loads((tmp_path / "toys" / "instances.json").read_text())
    assert len(instances["annotations"]) == sum(len(scene_of(11, index).things) for index in range(3))
    coco = "coco:toys/instances.json,images=toys/images"
    planned = anamorph("plan", "-m", "deeptest", "-s", coco, "--out", "run", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert "12 cases" in planned.stdout + planned.stderr


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "mine.txt").write_text("x")
    done = anamorph("toybox", "make", "--scenes", 1, "--out", "toys", cwd=tmp_path)
    assert done.returncode == 2 and "toys: the folder is not empty" in done.stderr
    assert [path.name for path in (tmp_path / "toys").iterdir()] == ["mine.txt"]


def test_help_shows_what_the_group_holds(tmp_path: Path) -> None:
    done = anamorph("toybox", "--help", cwd=tmp_path)
    assert done.returncode == 0 and "make" in done.stdout
