"""`anamorph list pool` as people use it: real processes, real files, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.pools.folder import Pool
from tests.cli.command_line import anamorph


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    done = anamorph("pool", "build", "pool", "-s", "toybox:12", "--set", "min_side=16", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["cutouts"] == sum(record["classes"].values()) > 10 and sum(record["left_out"].values()) > 0
    return folder


def test_a_pool_is_built_with_a_sheet_to_look_at(built: Path) -> None:
    pool = Pool.open(built / "pool")
    for entry in pool.entries:
        assert pool.cutout(entry.id).rgba.shape == (entry.height, entry.width, 4)
    with Image.open(built / "pool" / "sheet.png") as sheet:
        assert sheet.width == 8 * 152


def test_list_shows_classes_and_what_was_left_out(built: Path) -> None:
    done = anamorph("pool", "list", "pool", cwd=built)
    assert done.returncode == 0 and "together" in done.stdout and "left out because" in done.stdout


def test_review_writes_a_page_and_strikes_out_what_it_is_told(built: Path) -> None:
    entry = Pool.open(built / "pool").entries[0]
    done = anamorph("pool", "review", "pool", "--strike", entry.id, cwd=built)
    assert done.returncode == 0 and "struck out" in done.stdout and "pool/review.html" in done.stdout
    assert [each.id for each in Pool.open(built / "pool").struck] == [entry.id]
    done = anamorph("pool", "review", "pool", "--restore", entry.id, "--json", cwd=built)
    record = json.loads(done.stdout)
    assert record["struck_out"] == [] and entry.id in Path(built, record["page"]).read_text()
    done = anamorph("pool", "review", "pool", "--strike", "cup-none", cwd=built)
    assert done.returncode == 2 and "Unknown cut-out 'cup-none'" in done.stderr


def test_show_writes_a_sheet_or_tells_of_one_cutout(built: Path) -> None:
    entry = Pool.open(built / "pool").entries[0]
    done = anamorph("pool", "show", "pool", entry.id, cwd=built)
    assert done.returncode == 0 and entry.sha256 in done.stdout and f"pool/{entry.file}" in done.stdout
    done = anamorph("pool", "show", "pool", "--class", entry.label, "--out", "one.png", "--json", cwd=built)
    record = json.loads(done.stdout)
    assert record["sheet"] == "one.png" and {each["label"] for each in record["cutouts"]} == {entry.label}
    assert (built / "one.png").is_file()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("build", "pool", "-s", "toybox:2"), "holds a pool already"),
        (("build", "new", "-s", "toybo:2"), "Unknown scene source 'toybo'. Did you mean 'toybox'?"),
        (("build", "new", "-s", "toybox:2", "--set", "min_sid=3"), "min_sid: unknown key. Did you mean 'min_side'"),
        (
            ("build", "new", "-s", "toybox:2", "--set", "min_side=big"),
            "min_side: expected a whole number",
        ),
        (("build", "new", "-s", "toybox:2", "--set", "most_hidden=2"), "--set most_hidden: must be at most 1"),
        (("list", "gone"), "no pool of cut-outs here"),
        (("show", "pool", "unicorn-1"), "Unknown cut-out 'unicorn-1'."),
        (("show", "pool", "--class", "unicorn"), "Unknown class 'unicorn'."),
    ],
)
def test_what_is_wrong_is_shown_and_ends_with_2(built: Path, words: tuple[str, ...], complaint: str) -> None:
    done = anamorph("pool", *words, cwd=built)
    assert done.returncode == 2 and complaint in done.stderr
    assert not (built / "new").exists()


@pytest.mark.parametrize("name", ["x" * 800, "\u72ac" * 800, "a " * 400], ids=["letters", "another script", "words"])
def test_a_class_with_a_name_of_800_characters_is_a_class(name: str, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    (tmp_path / "photos").mkdir()
    Image.fromarray(noise).save(tmp_path / "photos" / "1.jpg")
    outline = [50, 50, 150, 50, 150, 150, 50, 150]
    thing = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [50, 50, 100, 100], "area": 10_000, "iscrowd": 0}
    annotations = {
        "images": [{"id": 1, "file_name": "1.jpg", "width": 200, "height": 200}],
        "categories": [{"id": 1, "name": name}],
        "annotations": [{**thing, "segmentation": [outline]}],
    }
    (tmp_path / "instances.json").write_text(json.dumps(annotations))
    done = anamorph("pool", "build", "pool", "-s", "coco:instances.json,images=photos", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pool = Pool.open(tmp_path / "pool")
    (entry,) = pool.entries
    assert entry.label == name.strip() or entry.label == name
    assert pool.cutout(entry.id).rgba.shape[2] == 4
