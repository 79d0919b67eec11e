"""`anamorph research label-errors`: reference captions that may be wrong."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.store.run import RunStore
from tests.cli.command_line import anamorph

# What the system sees is told by a photo's colour, so that edits do not change it.
CAPTIONER = """
def caption(images, questions):
    texts = {0: "a zebra and a bench", 1: "a cat on a couch", 2: "two dogs"}
    return [texts[int(image.mean(axis=(0, 1)).argmax())] for image in images]
"""
REFERENCES = {
    "red": ["Two giraffes by a bench", "a zebra stands at a bench", "a bench in the wild"],
    "green": ["a at sleeps on a couch", "there is no image here to provide a caption for", "The couch is brown."],
    "blue": ["a dog and a puppy", "two animals that play: dogs"],
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    (folder / "captioner.py").write_text(CAPTIONER)
    (folder / "photos").mkdir()
    images: list[dict[str, Any]] = []
    captions: list[dict[str, Any]] = []
    things: list[dict[str, Any]] = []
    for number, (name, texts) in enumerate(REFERENCES.items(), start=11):
        pixels = np.full((60, 80, 3), 30, np.uint8)
        pixels[..., number - 11] = 220
        Image.fromarray(pixels).save(folder / "photos" / f"{name}.png")
        images.append({"id": number, "file_name": f"{name}.png", "width": 80, "height": 60})
        captions += [{"id": len(captions) + k, "image_id": number, "caption": text} for k, text in enumerate(texts)]
    # The bench of the red photo is not annotated, and of the blue photo nothing is.
    for number, label in ((11, 1), (12, 3), (12, 4)):
        box = [5, 5, 20, 20]
        corners = [[5, 5, 25, 5, 25, 25, 5, 25]]
        things.append({"id": len(things) + 1, "image_id": number, "category_id": label, "bbox": box, "iscrowd": 0,
                       "area": 400, "segmentation": corners})  # fmt: skip
    names = ("zebra", "bench", "cat", "couch")
    categories = [{"id": id, "name": name, "supercategory": "x"} for id, name in enumerate(names, start=1)]
    instances = {"images": images, "annotations": things, "categories": categories}
    (folder / "instances.json").write_text(json.dumps(instances))
    (folder / "captions.json").write_text(json.dumps({"images": images, "annotations": captions}))
    done = anamorph(
        "run", "-m", "deeptest", "-s", "coco:instances.json,images=photos,captions=captions.json",
        "-y", "callable:captioner.py:caption", "-o", "run", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def suspects(folder: Path, *words: object) -> list[dict[str, Any]]:
    done = anamorph("label-errors", "run", "--json", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["captions"]
    return found


def test_a_class_that_one_reference_names_is_no_error_of_the_photo(ran: Path) -> None:
    found = suspects(ran, "--level", "class")
    assert {(each["scene"], each["reference"]) for each in found} == {("12", 0), ("12", 1), ("12", 2)}
    assert all(each["no_reference_names_it"] for each in found)


def test_each_caption_alone_is_told_apart_by_kind(ran: Path) -> None:
    found = {each["caption"]: each for each in suspects(ran, "--level", "class", "--each-caption")}
    kinds = {caption: (each["kind"], each["instead"]) for caption, each in found.items()}
    assert kinds == {
        "Two giraffes by a bench": ("misclassification", ["giraffe"]),
        "a bench in the wild": ("omission", []),
        "a at sleeps on a couch": ("typo", ["at"]),
        "there is no image here to provide a caption for": ("no-image", []),
        "The couch is brown.": ("omission", []),
    }
    (missing,) = found["a bench in the wild"]["missing"]
    assert (missing["name"], missing["pairs"], missing["annotated"]) == ("zebra", 4, True)
    assert missing["examples"][0]["source"] == "a zebra and a bench"


def test_without_a_flag_the_runs_own_setting_counts(ran: Path, tmp_path: Path) -> None:
    shutil.copytree(ran, tmp_path / "copy")
    with RunStore.open(tmp_path / "copy" / "run") as store, store.transaction():
        store.set_fact("config", {**store.fact("config"), "label_errors": {"each_caption": True}})
    each, none = suspects(ran, "--each-caption"), suspects(ran)
    assert suspects(tmp_path / "copy") == each != none == suspects(tmp_path / "copy", "--any-caption")


def test_super_categories_forgive_the_wrong_animal(ran: Path) -> None:
    found = suspects(ran, "--each-caption")
    assert "Two giraffes by a bench" not in {each["caption"] for each in found}
    assert "a bench in the wild" in {each["caption"] for each in found}


def test_the_evidence_can_be_asked_to_be_strong(ran: Path) -> None:
    assert not suspects(ran, "--each-caption", "--least-pairs", "5")
    annotated = suspects(ran, "--each-caption", "--annotated-only", "--level", "class")
    assert {each["scene"] for each in annotated} == {"11", "12"}
    assert [each["kind"] for each in suspects(ran, "--each-caption", "--kind", "typo")] == ["typo"]


def test_csv_json_and_coco_files_hold_the_same_captions(ran: Path) -> None:
    words = ("--each-caption", "-o", "s.csv", "-o", "s.json", "--coco", "coco.json")
    done = anamorph("label-errors", "run", *words, cwd=ran)
    assert done.returncode == 0 and "4 suspicious captions of 2 photos" in done.stdout, done.stdout
    with (ran / "s.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    records = json.loads((ran / "s.json").read_text())
    coco = json.loads((ran / "coco.json").read_text())
    captions = [record["caption"] for record in records]
    assert captions == [row["caption"] for row in rows] == [each["caption"] for each in coco["annotations"]]
    assert {image["id"] for image in coco["images"]} == {11, 12}
    assert [row["grade"] or None for row in rows] == [
        each["missing"][0]["examples"][0].get("grade") for each in records
    ]


def test_a_file_of_another_kind_is_refused(ran: Path) -> None:
    done = anamorph("label-errors", "run", "-o", "s.xlsx", cwd=ran)
    assert done.returncode == 2 and "the name must end in .csv or .json" in done.stderr


def test_what_people_wrote_instead_is_listed_beside_a_caption(ran: Path) -> None:
    drawn = anamorph("study", "new", "caption", "run", "-o", "study.json", "--of", "references", cwd=ran)
    assert drawn.returncode == 0, drawn.stderr
    items = json.loads((ran / "study.json").read_text())["items"]
    item = next(each for each in items if each["caption"] == "a at sleeps on a couch")
    line = {
        "id": "1" * 32,
        "image": item["pictures"][0]["image"],
        "reviewer": "ann",
        "caption": "a cat sleeps",
        "instead_of": item["caption"],
        "at": "2026-11-17T09:30:00+00:00",
    }
    (ran / "written.jsonl").write_text(json.dumps(line) + "\n")
    words = ("label-errors", "run", "--each-caption", "--marks", "written.jsonl")
    found = json.loads(anamorph(*words, "--json", cwd=ran).stdout)["captions"]
    assert {each["corrected"] for each in found if each["caption"] == item["caption"]} == {"a cat sleeps"}
    assert not any("corrected" in each for each in found if each["scene"] != item["scene"])
    assert "corrected: a cat sleeps" in anamorph(*words, cwd=ran).stdout


def test_an_object_that_is_always_named_and_was_not_annotated_is_listed(ran: Path) -> None:
    found = json.loads(anamorph("label-errors", "run", "--json", cwd=ran).stdout)["objects"]
    (bench,) = found
    assert (bench["scene"], bench["picture"], bench["label"]) == ("11", "red.png", "bench")
    assert bench["named"] == bench["described"] == 5
    assert [each["reference"] for each in bench["references"]] == [0, 1, 2] and bench["of_references"] == 3
    assert bench["asked"] == [] and bench["elsewhere"] is False
    assert bench["description"] == "a zebra and a bench"
    shown = anamorph("label-errors", "run", "--kind", "unannotated", cwd=ran).stdout
    assert "1 unannotated object on 1 photo." in shown and "suspicious captions" not in shown


def test_objects_are_left_out_where_other_kinds_or_only_annotated_classes_are_wanted(ran: Path) -> None:
    for words in (("--kind", "typo", "--each-caption"), ("--annotated-only",)):
        done = anamorph("label-errors", "run", *words, cwd=ran)
        assert "suspicious captions" in done.stdout and "unannotated" not in done.stdout
        assert not json.loads(anamorph("label-errors", "run", "--json", *words, cwd=ran).stdout)["objects"]


def test_objects_are_written_as_a_page_with_the_photo_and_as_tables(ran: Path) -> None:
    files = ("--objects", "o.html", "--objects", "o.csv", "--objects", "o.json")
    assert anamorph("label-errors", "run", *files, cwd=ran).returncode == 0
    page = (ran / "o.html").read_text(encoding="utf-8")
    assert "The data may lack: <bdi>bench</bdi>" in page and "5 of 5 descriptions name it" in page
    (picture,) = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)
    with Image.open(io.BytesIO(base64.b64decode(picture))) as photo:
        assert photo.size == (80, 60)
    with (ran / "o.csv").open(encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    assert (row["class"], row["named"], row["described"], row["references_naming"]) == ("bench", "5", "5", "3")
    (record,) = json.loads((ran / "o.json").read_text())
    assert record["label"] == "bench" and "image" not in record


def test_a_file_of_objects_of_another_kind_is_refused(ran: Path) -> None:
    done = anamorph("label-errors", "run", "--objects", "o.xlsx", cwd=ran)
    assert done.returncode == 2 and "the name must end in .html or .csv or .json" in done.stderr
