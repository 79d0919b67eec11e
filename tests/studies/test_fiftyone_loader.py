"""FiftyOne itself, with its database, reads what is exported; and what it exports again is read here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import anamorph
from anamorph.cli.main import cli
from anamorph.model import Scene
from anamorph.scenes.fiftyone import FiftyOneScenes

PYTHON = os.environ.get("ANAMORPH_FIFTYONE", "")
READ = """
import json, sys
import fiftyone

dataset = fiftyone.Dataset.from_dir("exported", dataset_type=fiftyone.types.FiftyOneDataset)
violated = dataset.match(fiftyone.ViewField("verdict.label") == "violated")
dataset.export("again", dataset_type=fiftyone.types.FiftyOneDataset)
found = {
    "samples": len(dataset),
    "tags": dataset.count_values("tags"),
    "violated": violated.count(),
    "issues": violated.distinct("issues"),
    "objects": dataset.count("ground_truth.detections"),
}
print("FOUND", json.dumps(found))
"""


@pytest.mark.skipif(not PYTHON, reason="needs FiftyOne in an environment of its own (make plugs has it)")
def test_fiftyones_own_loader_reads_the_export_and_what_it_writes_is_tested_again(tmp_path: Path) -> None:
    for words in (
        [
            "run",
            "-m",
            "crosscheck",
            "-s",
            "toybox:4",
            "-y",
            "toybox:answerer",
            "-o",
            str(tmp_path / "run"),
            "--no-report",
        ],
        [
            "research",
            "export",
            str(tmp_path / "run"),
            "--to",
            "fiftyone",
            "-o",
            str(tmp_path / "exported"),
            "--which",
            "all",
        ],
    ):
        assert CliRunner().invoke(cli, words).exit_code in (0, 1)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"FIFTYONE_DATABASE_DIR": str(tmp_path / "database"), "FIFTYONE_DO_NOT_TRACK": "true"}
    # The database of the wheel is the oldest that FiftyOne supports, which it says as an error.
    environment |= {"FIFTYONE_DATABASE_VALIDATION": "false", "HOME": str(tmp_path)}
    done = subprocess.run(
        [PYTHON, "-c", READ], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [each for each in done.stdout.splitlines() if each.startswith("FOUND ")]
    found = json.loads(line.removeprefix("FOUND "))
    samples = json.loads((tmp_path / "exported" / "samples.json").read_text())["samples"]
    assert found["samples"] == len(samples) > 20 and found["tags"]["photo"] == 4
    assert found["objects"] == sum(len(each["ground_truth"]["detections"]) for each in samples) > 40
    issues = {issue.digest for issue in anamorph.open_run(tmp_path / "run").examples(1000)}
    assert found["violated"] and set(found["issues"]) <= {id[: len(found["issues"][0])] for id in issues}
    scenes = list(FiftyOneScenes(str(tmp_path / "again"), tag="photo").scan())
    assert len(scenes) == 4 and all(isinstance(each, Scene) and each.things for each in scenes)
