from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, Scene
from anamorph.scenes.webdataset import WebDatasetScenes
from tests.scenes.samples import found, png


def write(path: Path, members: list[tuple[str, bytes]], format: int = tarfile.PAX_FORMAT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w", format=format) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_members_with_the_same_key_are_one_scene(tmp_path: Path, format: int) -> None:
    notes = {"caption": "a dog outside", "objects": [{"bbox": [1, 2, 10, 12], "label": "dog"}], "width": 48}
    members = [
        ("a/0001.png", png(5)),
        ("a/0001.txt", b"a dog\n\nan animal\n"),
        ("a/0001.json", json.dumps(notes).encode()),
        ("a/0001.cls", b"3"),
        ("a/0002.left.png", png(6)),
        ("a/0002.cls", b"lawn"),
        ("README", b"hello"),
    ]
    file = write(tmp_path / "shard-000.tar", members, format)
    (tmp_path / "names.txt").write_text("a\nb\nc\nstreet\n")
    source = WebDatasetScenes(str(file), classes=str(tmp_path / "names.txt"))
    (first, second), skips = found(source)
    assert not skips
    assert first.id == "shard-000.tar/a/0001" and first.picture.endswith("/0001.png")
    assert first.captions == ("a dog", "an animal", "a dog outside")
    assert [(thing.label, thing.box) for thing in first.things] == [("dog", Box(1, 2, 10, 12))]
    assert first.labels == ("dog", "street") and second.labels == ("lawn",)
    assert [np.unique(source.pixels(scene)).tolist() for scene in (first, second)] == [[5], [6]]


def test_shards_are_read_in_order_and_questions_are_joined(tmp_path: Path) -> None:
    for shard in range(2):
        members = [(f"COCO_00000000{shard}{n}.png", png(50 * shard + n)) for n in range(3)]
        write(tmp_path / "data" / f"{shard:05}.tar", members)
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"image": "12", "question": "Is there a dog?"}))
    source = WebDatasetScenes(str(tmp_path), questions=str(questions))
    scenes, skips = found(source)
    assert not skips and [scene.id for scene in scenes] == [
        f"data/{shard:05}.tar/COCO_00000000{shard}{n}" for shard in range(2) for n in range(3)
    ]
    assert [len(scene.questions) for scene in scenes] == [0, 0, 0, 0, 0, 1]
    assert scenes == found(source)[0]
    assert [int(source.pixels(scene)[0, 0, 0]) for scene in reversed(scenes)] == [52, 51, 50, 2, 1, 0]


def test_a_scan_that_is_not_finished_reads_no_more_than_it_needs(tmp_path: Path) -> None:
    write(tmp_path / "a.tar", [("1.png", png(1)), ("2.png", png(2))])
    (tmp_path / "b.tar").write_bytes(b"nonsense" * 100)
    scan = WebDatasetScenes(str(tmp_path)).scan()
    assert isinstance(next(scan), Scene)
    assert [type(item).__name__ for item in scan] == ["Scene", "Skip"]


def special(name: str, type: bytes, **fields: Any) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = type
    for field, value in fields.items():
        setattr(member, field, value)
    return member


def test_hostile_members_are_skipped_by_name_and_the_others_are_not(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    with tarfile.open(file, "w") as archive:
        archive.addfile(special("1.png", tarfile.SYMTYPE, linkname="/etc/passwd"))
        archive.addfile(special("2.png", tarfile.LNKTYPE, linkname="1.png"))
        archive.addfile(special("3.png", tarfile.FIFOTYPE))
        archive.addfile(special("folder", tarfile.DIRTYPE))
        for name in ("../4.png", "/5.png", "a/../../6.png", "b\\7.png"):
            member = tarfile.TarInfo(name)
            member.size = len(png(1))
            archive.addfile(member, io.BytesIO(png(1)))
        for name in ("8.png", "9.png"):
            member = tarfile.TarInfo(name)
            member.size = len(png(1))
            archive.addfile(member, io.BytesIO(png(1)))
    scenes, skips = found(WebDatasetScenes(str(file)))
    assert [scene.id for scene in scenes] == ["x.tar/8", "x.tar/9"]
    names = ("1.png", "2.png", "3.png", "../4.png", "/5.png", "a/../../6.png", "b\\7.png")
    assert [skip.what for skip in skips] == [f"x.tar/{name}" for name in names]
    assert not list(tmp_path.parent.glob("4.png"))


def test_a_header_that_claims_to_be_huge_is_not_read(tmp_path: Path) -> None:
    file = write(tmp_path / "x.tar", [("1.png", png(1))])
    header = special("pax", tarfile.XHDTYPE, size=8_000_000_000).tobuf(tarfile.GNU_FORMAT)
    content = file.read_bytes()[: 512 + 512 * -(-len(png(1)) // 512)]
    file.write_bytes(content + header + b"0" * 5_000_000)
    (scene,), (skip,) = found(WebDatasetScenes(str(file)))
    # Python 3.14 reads it by the megabyte.
    assert scene.id == "x.tar/1" and re.search("damaged from here on .*(8,000,000,000|1,048,576) bytes", skip.reason)


def test_a_long_chain_of_headers_is_damage(tmp_path: Path) -> None:
    file = write(tmp_path / "x.tar", [("1.png", png(1))])
    record = b"12 path=a/b\n"
    header = special("pax", tarfile.XHDTYPE, size=len(record)).tobuf(tarfile.GNU_FORMAT) + record.ljust(512, b"\0")
    file.write_bytes(header * 5000)
    scenes, (skip,) = found(WebDatasetScenes(str(file)))
    assert not scenes and "damaged from here on" in skip.reason


def test_a_file_that_is_cut_short_keeps_what_is_whole(tmp_path: Path) -> None:
    file = write(tmp_path / "x.tar", [("1.png", png(1)), ("2.png", png(2)), ("3.png", png(3))])
    whole = 512 + 512 * -(-len(png(1)) // 512)
    file.write_bytes(file.read_bytes()[: 2 * whole + 512 + 40])
    scenes, (skip,) = found(WebDatasetScenes(str(file)))
    assert [scene.id for scene in scenes] == ["x.tar/1", "x.tar/2"]
    assert skip.what == "x.tar/3.png" and "ends before" in skip.reason


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ([("1.png", b"no picture")], "is not an image"),
        ([("1.txt", b"a dog")], "The sample has no photo."),
        ([("1.png", png(1)), ("1.json", b"{")], "Its json cannot be read"),
        ([("1.png", png(1)), ("1.json", b"[" * 100_000)], "Its json cannot be read"),
        ([("1.png", png(1)), ("1.json", b"[]")], "should be an object with keys"),
        ([("1.png", png(1)), ("1.txt", b"\xff\xfe")], "Its txt cannot be read"),
        ([("1.png", png(1)), ("1.txt", b"a" * 4_000_001)], "more than the limit of 4,000,000"),
        ([("1.png", png(1, (2000, 1000)))], "megapixels"),
    ],
)
def test_a_bad_sample_costs_that_sample(tmp_path: Path, members: list[tuple[str, bytes]], reason: str) -> None:
    file = write(tmp_path / "x.tar", [*members, ("2.png", png(2))])
    (scene,), (skip,) = found(WebDatasetScenes(str(file), most_megapixels=1))
    assert scene.id == "x.tar/2" and reason in skip.reason and skip.what.startswith("x.tar/1")


def test_a_second_photo_and_a_second_sample_of_one_key_are_named(tmp_path: Path) -> None:
    file = write(tmp_path / "x.tar", [("1.png", png(1)), ("1.jpg", png(1)), ("2.png", png(1)), ("1.png", png(1))])
    scenes, (second, again) = found(WebDatasetScenes(str(file)))
    assert len(scenes) == 2
    assert "of the same kind" in second.reason and "the same key" in again.reason


def test_a_class_number_needs_names_and_bad_captions_cost_themselves(tmp_path: Path) -> None:
    file = write(tmp_path / "x.tar", [("1.png", png(1)), ("1.cls", b"7"), ("1.json", b'{"caption": 5}')])
    (scene,), (captions, labels) = found(WebDatasetScenes(str(file)))
    assert not scene.captions and not scene.labels
    assert "It has no captions" in captions.reason and "classes=FILE" in labels.reason


def test_what_is_no_tar_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no tar file; they end in \.tar"):
        found(WebDatasetScenes(str(tmp_path)))
    with pytest.raises(UsageError, match="No tar file"):
        found(WebDatasetScenes(str(tmp_path / "gone.tar")))


def test_a_stored_place_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "out.tar", [("1.png", png(1))])
    file = write(tmp_path / "in" / "x.tar", [("1.png", png(1))])
    source = WebDatasetScenes(str(file.parent))
    places = ("../out.tar/512+90/1.png", "x.tar", "x.tar/512/1.png", "x.tar/512+-1/1.png", "x.tar/9000000+90/1.png")
    for picture in (*places, "x.tar/512+999999999999/1.png"):
        with pytest.raises(BadPicture):
            source.pixels(Scene("s", picture, 48, 32))
