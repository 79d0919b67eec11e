"""A segmenter on the command line, from a file of the user's own: a folder of photos is all that a method needs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli import command_line

MINE = '''
from dataclasses import dataclass
from typing import ClassVar
from anamorph.pixels.masks import mask_box, mask_from_pixels
from anamorph.model import Thing

@dataclass(frozen=True)
class Colours:
    """Finds what is quite red or quite green."""
    kind: ClassVar[str] = "colours"

    @property
    def fingerprint(self):
        return {"version": 1}

    def segment(self, pixels):
        with open("looks.txt", "a") as looks:
            looks.write("x")
        found = []
        for channel, label in enumerate(("dog", "horse")):
            shape = pixels[..., channel] > 180
            if shape.sum() > 20:
                mask = mask_from_pixels(shape)
                found.append(Thing(label, label, mask_box(mask), mask, 0.9))
        return tuple(found)

@dataclass(frozen=True)
class Lazy:
    """Fills nothing."""
    kind: ClassVar[str] = "lazy"

    def fill(self, pixels, hole):
        return pixels.copy()

@dataclass(frozen=True)
class Grey:
    """Fills with grey."""
    kind: ClassVar[str] = "grey"

    def fill(self, pixels, hole):
        filled = pixels.copy()
        filled[hole] = 90
        return filled

def caption(images, questions):
    return ["a horse" + (" and a dog" if (image[..., 0] > 180).any() else "") for image in images]
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "photos").mkdir()
    for number in range(3):
        pixels = np.full((80, 80, 3), 90, np.uint8)
        pixels[2:70, 2:35, 1] = 200
        pixels[20:34, 50:64, 0] = 200
        pixels[0, 0] = number
        Image.fromarray(pixels).save(tmp_path / "photos" / f"{number}.png")
    return tmp_path


def anamorph(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # The photos are small, so their objects are large.
    large = ["--set", "rome.melt.max_at_once=0.1"]
    chosen = ["-m", "rome", "-s", "folder:photos", "--segmenter", "colours", "--load", "mine.py", *large]
    return command_line.anamorph(*words, *chosen, cwd=folder)


def run(folder: Path, out: str, inpainter: str, *words: str) -> subprocess.CompletedProcess[str]:
    chosen = ("-y", "callable:mine.py:caption", "--set", f"rome.inpainter={inpainter}", "-o", out)
    return anamorph(folder, "run", *chosen, *words)


def test_a_folder_and_a_segmenter_are_enough_and_each_photo_is_segmented_once(folder: Path) -> None:
    first = run(folder, "one", "grey", "--set", "melt_check.enabled=false")
    assert first.returncode == 0, first.stderr
    assert "segmented 3 photos and recalled 0: 6 objects" in first.stderr
    again = run(folder, "two", "grey", "--set", "melt_check.enabled=false", "--json")
    assert "segmented 0 photos and recalled 3: 6 objects" in again.stderr
    assert (folder / "looks.txt").read_text() == "xxx"
    record = json.loads(again.stdout)
    assert (record["cases"], record["holds"], record["discarded_images"]) == (3, 3, 0)


def test_bad_melts_are_told_apart_from_failures_and_from_verdicts(folder: Path) -> None:
    done = run(folder, "run", "lazy", "--set", "melt_check.fills=false")
    assert "discarded an image: The melt check still finds 'dog' in the hole." in done.stderr
    assert "3 images were discarded by checks of images, which leaves 3 cases out:" in done.stdout
    assert "3 \u00d7 The melt check still finds 'dog' in the hole." in done.stdout
    assert done.returncode == 4, "nothing could be decided"
    assert "errors" not in done.stderr
    record = json.loads(run(folder, "again", "lazy", "--json").stdout)
    assert (record["discarded_images"], record["discarded_cases"], record["failures"]) == (3, 3, 0)
    assert record["answers"] == 3


def test_a_plan_says_what_would_be_asked(folder: Path) -> None:
    counts = json.loads(anamorph(folder, "plan", "--json").stdout)
    assert (counts["scenes"], counts["cases"], counts["images"]) == (3, 3, 6)


def test_requests_are_written_for_good_images_only(folder: Path) -> None:
    words = ("plan", "-o", "run", "--requests", "asks.jsonl", "--set", "rome.inpainter=lazy")
    done = anamorph(folder, *words)
    assert done.returncode == 0, done.stderr
    assert len((folder / "asks.jsonl").read_text().splitlines()) == 3


def test_an_unknown_segmenter_is_shown_with_the_known_ones(folder: Path) -> None:
    words = ("plan", "-m", "rome", "-s", "folder:photos", "--segmenter", "onx:a.onnx")
    done = command_line.anamorph(*words, cwd=folder)
    assert done.returncode == 2
    assert "Unknown segmenter 'onx'. Did you mean 'onnx'? Known: " in done.stderr
