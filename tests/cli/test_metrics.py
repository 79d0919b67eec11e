"""`anamorph research metrics` over real runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.cli.command_line import anamorph, anamorph_process
from tests.conftest import ROOT

# With what this process imports from, which may be more than what is installed.
PATHS = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
NEEDS = "BLEU needs sacrebleu: pip install 'anamorph[metrics]'"
# Where the photo is untouched it is captioned in the words of its reference, and after an edit in others.
CAPTIONER = """
def caption(images, questions):
    def said(image):
        flat = image.std(axis=(0, 1)).max() < 2 and abs(float(image.max()) - 220) < 4
        dog = image[..., 0].mean() > image[..., 1].mean()
        right = "a brown dog is running" if dog else "some cats sleep quietly here"
        return right if flat else ("dog" if dog else "cats sleep")
    return [said(image) for image in images]
"""
REFERENCES = {"red": "A brown dog is running.", "green": "Some cats sleep quietly here!"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("metrics")
    words = ("run", "-m", "deeptest", "-m", "rome", "-s", "toybox:6", "-y", "toybox:captioner", "-o", "toybox")
    assert anamorph(*words, "--no-report", "--set", "rome.pairs_per_scene=3", cwd=folder).returncode in (0, 1)
    (folder / "captioner.py").write_text(CAPTIONER)
    (folder / "photos").mkdir()
    for channel, (name, text) in enumerate(REFERENCES.items()):
        pixels = np.full((48, 64, 3), 30, np.uint8)
        pixels[..., channel] = 220
        Image.fromarray(pixels).save(folder / "photos" / f"{name}.png")
        (folder / "photos" / f"{name}.txt").write_text(text)
    own = ("run", "-m", "deeptest", "-s", "folder:photos", "-y", "callable:captioner.py:caption", "--no-report")
    done = anamorph(*own, "-o", "known", cwd=folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    for file in (folder / "photos").glob("*.txt"):
        file.unlink()
    assert anamorph(*own, "-o", "bare", cwd=folder).returncode in (0, 1)
    return folder


def scored(folder: Path, run: str) -> dict[str, dict[str, Any]]:
    done = anamorph("metrics", run, "--json", "--no-java", cwd=folder, PYTHONPATH=PATHS)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["runs"]
    return {method["method"]: method for method in record["methods"]}


def test_photos_are_scored_once_and_follow_ups_only_where_references_fit_them(ran: Path) -> None:
    pytest.importorskip("sacrebleu", reason=NEEDS)
    methods = scored(ran, "toybox")
    assert list(methods) == ["deeptest", "rome"]
    deeptest, rome = methods["deeptest"], methods["rome"]
    assert (deeptest["photos"]["captions"], deeptest["before"]["captions"], deeptest["after"]["captions"]) == (
        6,
        24,
        24,
    )
    # ROME removes objects, which the references still name.
    assert "after" not in rome and "before" not in rome and rome["photos"]["captions"] <= 6
    for part in ("photos", "before", "after"):
        assert 0 < deeptest[part]["BLEU-1"] <= 1 and 0 < deeptest[part]["ROUGE-L"] <= 1 and deeptest[part]["CIDEr"] > 0
    # Every photo has as many follow-ups, so it makes no difference how often it counts.
    assert deeptest["before"]["CIDEr"] == pytest.approx(deeptest["photos"]["CIDEr"])
    assert deeptest["error_rate"] is not None and deeptest["cases"] == 24


def test_scores_fall_where_captions_get_worse_after_edits(ran: Path) -> None:
    pytest.importorskip("sacrebleu", reason=NEEDS)
    (found,) = scored(ran, "known").values()
    for part in ("photos", "before"):
        assert found[part]["BLEU-4"] == pytest.approx(1) and found[part]["ROUGE-L"] == pytest.approx(1)
        assert found[part]["CIDEr"] == pytest.approx(10)
    assert 0 < found["after"]["ROUGE-L"] < 1 and 0 < found["after"]["CIDEr"] < 10 and found["after"]["BLEU-4"] < 1


def test_the_terminal_shows_the_error_rate_below_the_scores_of_each_run(ran: Path) -> None:
    pytest.importorskip("sacrebleu", reason=NEEDS)
    done = anamorph("metrics", "toybox", "known", "--no-java", cwd=ran, COLUMNS="150", PYTHONPATH=PATHS)
    assert done.returncode == 0, done.stderr
    for words in ("known before", "known after", "CIDEr", "error rate", "so only photos are scored"):
        assert words in done.stdout
    compared = anamorph("compare", "toybox", "known", "--metrics", "--json", cwd=ran, PYTHONPATH=PATHS)
    assert compared.returncode == 0, compared.stderr
    assert [run["run"] for run in json.loads(compared.stdout)["caption_metrics"]] == ["toybox", "known"]
    assert "--json" in anamorph("compare", "toybox", "known", "--metrics", "--csv", cwd=ran).stderr


def test_a_run_without_references_says_how_to_have_some(ran: Path) -> None:
    done = anamorph("metrics", "bare", cwd=ran)
    assert done.returncode == 2
    assert "no reference captions" in done.stderr and "captions=FILE" in done.stderr


def test_without_the_library_the_line_that_installs_it_is_shown(ran: Path) -> None:
    (ran / "blocked" / "sacrebleu").mkdir(parents=True)
    (ran / "blocked" / "sacrebleu" / "__init__.py").write_text("raise ImportError('blocked')")
    path = os.pathsep.join((str(ran / "blocked"), PATHS))
    done = anamorph_process("metrics", "known", cwd=ran, PYTHONPATH=path)
    assert done.returncode == 2 and "pip install 'anamorph[metrics]'" in done.stderr
