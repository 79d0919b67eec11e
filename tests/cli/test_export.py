"""`anamorph research export`: edited images with the objects that are on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from anamorph.model import GRADES, Mask
from anamorph.pixels.masks import mask_pixels
from anamorph.store.answers import answers_of
from anamorph.store.marks import MARKS_FILE, Mark, answers_digest, append_mark, new_id, now_text
from anamorph.store.run import RunStore
from anamorph.store.verdicts import find_cases, issues
from tests.cli.command_line import anamorph
from tests.report.marking import mark


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    words = ("run", "-m", "rome", "-s", "toybox:6", "-y", "toybox:captioner", "-o", "run", "--no-report")
    assert anamorph(*words, "--set", "rome.pairs_per_scene=8", cwd=folder).returncode in (0, 1)
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_json_lines_show_what_is_left_after_the_edit(ran: Path) -> None:
    done = anamorph("export", "run", "--to", "jsonl", "-o", "all", "--which", "all", "--json", cwd=ran)
    assert done.returncode == 0, done.stderr
    twins = lines(ran / "all" / "twins.jsonl")
    assert len(twins) == json.loads(done.stdout)["images"] > 5
    for twin in twins:
        (edit,) = twin["edits"]
        left = {each["id"] for each in twin["objects"]}
        assert not left & set(edit["objects"])
        assert isinstance(twin["system_caption"], str) and twin["caption"] is None
        with Image.open(ran / "all" / str(twin["image"])) as image:
            assert image.width > 0


def test_by_default_only_the_images_of_issues_come(ran: Path) -> None:
    assert anamorph("export", "run", "--to", "jsonl", "-o", "some", cwd=ran).returncode == 0
    some = lines(ran / "some" / "twins.jsonl")
    assert some and all(twin["issues"] for twin in some)
    assert {twin["grade"] for twin in some} <= set(GRADES)
    issue = str(some[0]["issues"][0])
    assert anamorph("replay", "run", issue, cwd=ran).returncode in (0, 1)


def test_corrected_captions_come_along_and_the_rest_has_none(ran: Path) -> None:
    anamorph("export", "run", "--to", "jsonl", "-o", "base", "--which", "all", cwd=ran)
    rows = lines(ran / "base" / "twins.jsonl")
    rows[0]["caption"] = "a corrected caption"
    (ran / "corrected.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("export", "run", "--to", "coco-captions", "-o", "coco", "--which", "all", "--captions", "corrected.jsonl")
    done = anamorph(*words, cwd=ran)
    assert done.returncode == 0 and f"{len(rows)} images, 1 with a corrected caption" in done.stdout, done.stderr
    captions = json.loads((ran / "coco" / "captions.json").read_text())
    (annotation,) = captions["annotations"]
    images = {image["id"]: image for image in captions["images"]}
    assert annotation["caption"] == "a corrected caption"
    assert Path(str(rows[0]["image"])).name == images[annotation["image_id"]]["file_name"]
    instances = json.loads((ran / "coco" / "instances.json").read_text())
    assert sum(len(row["objects"]) for row in rows) == len(instances["annotations"])
    for thing in instances["annotations"]:
        image, shape = images[thing["image_id"]], thing["segmentation"]
        assert shape["size"] == [image["height"], image["width"]]
        assert mask_pixels(Mask(shape["size"][0], shape["size"][1], shape["counts"])).sum() == thing["area"]
    assert not list((ran / "coco").glob(".*"))


def test_the_export_can_be_tested_again_as_scenes(ran: Path) -> None:
    anamorph("export", "run", "--to", "coco-captions", "-o", "again", "--which", "all", cwd=ran)
    scenes = "coco:again/instances.json,images=again/images,captions=again/captions.json"
    done = anamorph("plan", "-m", "rome", "-s", scenes, "--json", cwd=ran)
    assert done.returncode == 0 and json.loads(done.stdout)["skipped"] == 0, done.stderr


def test_an_image_folder_for_hugging_face_has_one_type_per_column(ran: Path) -> None:
    assert anamorph("export", "run", "--to", "huggingface", "-o", "hf", "--which", "all", cwd=ran).returncode == 0
    rows = lines(ran / "hf" / "train" / "metadata.jsonl")
    assert "configs:" in (ran / "hf" / "README.md").read_text()
    for row in rows:
        assert (ran / "hf" / "train" / str(row["file_name"])).is_file()
        assert isinstance(row["edits"], str) and json.loads(row["edits"])
        objects: dict[str, list[object]] = row["objects"]
        assert len(objects["bbox"]) == len(objects["category"])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"image": "x", "caption": 3}', 'line 1: expected {"image": "...", "caption": "..." or null}'),
        ('\n{"image"', "line 2: not JSON"),
    ],
)
def test_captions_that_cannot_be_read_are_refused_by_line(ran: Path, text: str, complaint: str) -> None:
    (ran / "bad.jsonl").write_text(text)
    done = anamorph("export", "run", "--to", "jsonl", "-o", "never", "--captions", "bad.jsonl", cwd=ran)
    assert done.returncode == 2 and complaint in done.stderr and not (ran / "never").exists()


def test_a_folder_that_holds_something_is_left_alone(ran: Path) -> None:
    (ran / "full").mkdir()
    (ran / "full" / "mine.txt").write_text("mine")
    done = anamorph("export", "run", "--to", "jsonl", "-o", "full", cwd=ran)
    assert done.returncode == 2 and "the folder is not empty" in done.stderr


def exported(folder: Path, *words: str) -> list[dict[str, Any]]:
    assert anamorph("run", *words, "-o", "run", "--no-report", cwd=folder).returncode in (0, 1)
    assert anamorph("export", "run", "--to", "jsonl", "-o", "out", cwd=folder).returncode == 0
    return lines(folder / "out" / "twins.jsonl")


def test_issues_of_an_answerer_come_with_questions_answers_and_what_had_to_hold(tmp_path: Path) -> None:
    rows = exported(tmp_path, "-m", "metavqa", "-s", "toybox:4", "-y", "toybox:answerer")
    reports = [(row, report) for row in rows for report in row["reports"]]
    assert {report["relation"]["kind"] for _, report in reports} >= {"pieces-add-up", "properties-add-up"}
    for row, report in reports:
        assert report["issue"] in row["issues"] and report["method"] == "metavqa" and report["reason"]
        assert report["places"] and max(report["places"]) < len(report["said"]) >= 2
        mine = report["said"][report["places"][-1]]
        assert mine in row["asked"] and mine["question"].endswith("?") and isinstance(mine["answer"], str)
    # Only the question changed: the photo itself is exported.
    assert any(not row["edits"] for row in rows)


def test_issues_of_a_tagger_come_with_the_combination_and_the_labels_that_were_given(tmp_path: Path) -> None:
    words = ("-m", "atom", "-s", "toybox:8", "-y", "toybox:tagger", "--set", "atom.k=2", "--set", "atom.rotation=[9]")
    rows = exported(tmp_path, *words)
    assert rows and all(row["labels"] == sorted({*row["labels"]}) and len(row["labels"]) >= 2 for row in rows)
    for row in rows:
        assert row["system_caption"] is None and row["edits"]
        (asked,) = row["asked"]
        assert asked["answer"] is None and isinstance(asked["labels"], dict)
        report = row["reports"][0]
        assert report["relation"]["kind"] == "stable-labels" and set(report["relation"]["labels"]) <= set(row["labels"])
        assert len(report["said"]) == 8


def test_what_people_said_about_a_report_comes_along(ran: Path) -> None:
    assert anamorph("export", "run", "--to", "jsonl", "-o", "unmarked", cwd=ran).returncode == 0
    row = lines(ran / "unmarked" / "twins.jsonl")[0]
    issue = row["reports"][0]["issue"]
    assert row["reports"][0]["marks"] == []
    with RunStore.open(ran / "run", read_only=True) as store:
        (case,) = find_cases(store, issue)
        answers = answers_of(store, case.probes)
        said = answers_digest([answers[probe] for probe in case.probes])
    mark = Mark(new_id(), case.digest, said, "ann", "right", now_text(), "omission", 1, caption="a dog")
    for line in (mark, Mark(new_id(), case.digest, new_id(), "bob", "wrong", now_text())):
        append_mark(ran / "marks.jsonl", line)
    words = ("export", "run", "--to", "jsonl", "-o", "marked", "--marks", "marks.jsonl")
    assert anamorph(*words, cwd=ran).returncode == 0
    marked = [report["marks"] for row in lines(ran / "marked" / "twins.jsonl") for report in row["reports"]]
    expected = {"reviewer": "ann", "verdict": "right", "error": "omission", "caption": "a dog", "wrong_answer": 1}
    # Bob marked other answers to the same case, which do not count for these.
    assert next(each for each in marked if each) == [expected]


def test_captions_of_reviews_and_studies_come_along(ran: Path) -> None:
    with RunStore.open(ran / "run", read_only=True) as store:
        (case, *_) = [case.digest for case, _ in issues(store)]
        (ran / "run" / MARKS_FILE).unlink(missing_ok=True)
        mark(store, case, "ann", "right", wrong_answer=1, caption=" what a reviewer\nwrote ")
    done = anamorph("export", "run", "--to", "jsonl", "-o", "reviewed", "--json", cwd=ran)
    (ran / "run" / MARKS_FILE).unlink()
    assert json.loads(done.stdout)["captions"] == 1
    (row,) = [row for row in lines(ran / "reviewed" / "twins.jsonl") if row["caption"]]
    assert row["caption"] == "what a reviewer wrote" and case[:12] in row["issues"]
