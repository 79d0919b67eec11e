"""`anamorph review RUN --summary`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.store.marks import MARKS_FILE
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues
from tests.cli.command_line import anamorph
from tests.report.marking import mark

CAPTIONER = """
def caption(images, questions):
    return ["a dog and a <b>cat</b>" if image.mean() > 100 else "a dog" for image in images]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "photos").mkdir()
    for number in range(4):
        colours = np.full((32, 48, 3), 120 + number, dtype=np.uint8)
        Image.fromarray(colours).save(tmp_path / "photos" / f"{number}.png")
    (tmp_path / "captioner.py").write_text(CAPTIONER)
    system = "callable:captioner.py:caption"
    done = anamorph("run", "-m", "deeptest", "-s", "folder:photos", "-y", system, "-o", "run", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    return tmp_path


def test_the_summary_of_two_reviewers_is_printed_and_given_as_json(folder: Path) -> None:
    empty = anamorph("review", "run", "--summary", cwd=folder)
    assert empty.returncode == 2 and "has no marks yet" in empty.stderr
    with RunStore.open(folder / "run", read_only=True) as store:
        found = [case.digest for case, _ in issues(store)]
        assert len(found) >= 4
        for place, case in enumerate(found[:4]):
            mark(store, case, "ann", "right" if place else "wrong", false_alarm="" if place else "edit")
            mark(store, case, "bob", "right", error="omission")
    shown = anamorph("review", "run", "--summary", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "2 reviewers looked at 4 issues. Precision 100.0%" in shown.stdout
    assert "split evenly over 1 issue: it counts as unsure" in shown.stdout
    assert "1 issues that" not in shown.stdout and f"{found[0][:12]} deeptest" in shown.stdout
    assert "ann wrong (edit); bob right (omission)" in shown.stdout
    record = json.loads(anamorph("review", "run", "--summary", "--json", cwd=folder).stdout)
    assert (record["right"], record["wrong"], record["unsure"], record["unreviewed"]) == (3, 0, 1, len(found) - 4)
    assert record["kappa"]["name"] == "Cohen's kappa" and record["disagreements"][0]["decision"] == "unsure"
    # The summary of the run, and a file of marks that lies elsewhere.
    again = json.loads(anamorph("rejudge", "run", "--json", cwd=folder).stdout)
    assert again["reviews"]["precision"] == 1.0
    (folder / "run" / MARKS_FILE).rename(folder / "shared.jsonl")
    moved = anamorph("review", "run", "--summary", "--json", "--marks", "shared.jsonl", cwd=folder)
    assert json.loads(moved.stdout) == record
