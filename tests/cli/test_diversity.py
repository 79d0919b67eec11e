"""`anamorph research diversity` over a real run, with a network that sees pixels and nothing else."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.cli.command_line import anamorph
from tests.detectors.tiny_networks import write_flattening


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diversity")
    words = ("run", "-m", "deeptest", "-m", "rome", "-s", "toybox:5", "-y", "toybox:captioner", "-o", "run")
    assert anamorph(*words, "--no-report", "--set", "rome.pairs_per_scene=3", cwd=folder).returncode in (0, 1)
    write_flattening(folder / "flat.onnx")
    return folder


def test_every_image_is_on_the_map_and_every_method_in_the_table(ran: Path) -> None:
    pytest.importorskip("sklearn", reason="the map needs scikit-learn: pip install 'anamorph[diversity]'")
    words = ("diversity", "run", "--weights", "flat.onnx", "--values", "unit", "-o", "map", "--json")
    done = anamorph(*words, cwd=ran)
    assert done.returncode == 0, done.stderr
    groups = {group["group"]: group for group in json.loads(done.stdout)["groups"]}
    (cost,) = json.loads(done.stdout)["cost"]
    assert cost["photos"] == 5 and cost["images"] == groups["deeptest"]["images"] + groups["rome"]["images"]
    assert cost["calls"] == cost["images"] + 5 and cost["cases"] > 20
    assert groups["deeptest"]["of_one_photo"] < groups["deeptest"]["apart"] and "of_one_photo" not in groups["photo"]
    assert list(groups) == ["photo", "deeptest", "rome"]
    assert (groups["photo"]["images"], groups["deeptest"]["images"]) == (5, 20)
    # Melting changes a part of the picture, the distance between two photos is that of whole pictures.
    assert 0 < groups["rome"]["from_photo"] < groups["photo"]["apart"]
    assert groups["photo"]["from_photo"] == 0
    with (ran / "map" / "map.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(group["images"] for group in groups.values())
    drawing = ElementTree.parse(ran / "map" / "map.svg").getroot()
    assert len(drawing.findall(".//{*}circle")) == len(rows) + len(groups)
    again = anamorph(*words[:-3], "-o", "again", cwd=ran)
    assert again.returncode == 0 and "rome" in again.stdout
    assert (ran / "again" / "map.csv").read_text() == (ran / "map" / "map.csv").read_text()


def test_missing_weights_are_named(ran: Path) -> None:
    done = anamorph("diversity", "run", cwd=ran, ANAMORPH_MODELS=str(ran / "none"))
    assert done.returncode == 2 and "anamorph list models get efficientnet-lite3" in done.stderr
