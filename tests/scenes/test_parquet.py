from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PIL import Image

from anamorph.errors import BadPicture, MissingExtra, UsageError
from anamorph.model import Box, Scene, Skip
from anamorph.scenes.parquet import reading, source as module
from anamorph.scenes.parquet.messages import MOST_ROWS
from anamorph.scenes.parquet.source import ParquetScenes
from tests.scenes.samples import found, png

pa = pytest.importorskip("pyarrow", reason="needs pip install 'anamorph[parquet]'")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pip install 'anamorph[parquet]'")

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
FEATURES = {
    "image": {"_type": "Image"},
    "objects": {
        "feature": {"bbox": {}, "category": {"names": ["dog", "cat"], "_type": "ClassLabel"}},
        "_type": "Sequence",
    },
    "label": {"names": ["indoor", "outdoor"], "_type": "ClassLabel"},
}


def write(path: Path, columns: dict[str, Any], features: Any = None, row_group_size: int = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    if features is not None:
        table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    pq.write_table(table, path, row_group_size=row_group_size)
    return path


def images(count: int, names: Sequence[str | None] | None = None) -> Any:
    return pa.array(
        [{"bytes": png(10 * n), "path": None if names is None else names[n]} for n in range(count)], type=IMAGE
    )


def test_rows_are_scenes_with_captions_labels_and_named_objects(tmp_path: Path) -> None:
    objects = [
        {"bbox": [[1.0, 2.0, 10.0, 12.0], [20.0, 2.0, 8.0, 8.0]], "category": [0, 1]},
        {"bbox": [], "category": []},
    ]
    kind = pa.struct([("bbox", pa.list_(pa.list_(pa.float32()))), ("category", pa.list_(pa.int64()))])
    columns = {
        "image": images(2, ["a/one.png", None]),
        "caption": [["a dog", "a cat "], []],
        "label": [1, 0],
        "objects": pa.array(objects, type=kind),
    }
    file = write(tmp_path / "train.parquet", columns, FEATURES)
    (first, second), skips = found(ParquetScenes(str(file)))
    assert not skips
    assert (first.id, first.picture) == ("train.parquet/0", "train.parquet/0/one.png")
    assert (second.id, second.picture) == ("train.parquet/1", "train.parquet/1/image")
    assert (first.width, first.height) == (48, 32) and first.captions == ("a dog", "a cat")
    assert [(thing.label, thing.box) for thing in first.things] == [
        ("dog", Box(1, 2, 10, 12)),
        ("cat", Box(20, 2, 8, 8)),
    ]
    assert first.labels == ("cat", "dog", "outdoor") and second.labels == ("indoor",)


def test_plain_bytes_a_list_of_tables_and_corners_will_do(tmp_path: Path) -> None:
    columns = {
        "photo": [png(9)],
        "text": ["a dog"],
        "things": [
            [{"bbox": [1.0, 2.0, 11.0, 14.0], "label": "dog"}, {"bbox": [1.0, 2.0, 99.0, 14.0], "label": "dog"}]
        ],
    }
    file = write(tmp_path / "x.parquet", columns)
    (scene,), (skip,) = found(ParquetScenes(str(file), objects="things", boxes="xyxy"))
    assert scene.captions == ("a dog",) and [thing.box for thing in scene.things] == [Box(1, 2, 10, 12)]
    assert skip.what == "x.parquet/0/image: object 1" and "sticks out" in skip.reason


def test_shards_are_read_in_order_and_pixels_are_those_of_the_row(tmp_path: Path) -> None:
    for shard in range(2):
        write(tmp_path / "data" / f"train-0000{shard}.parquet", {"image": [png(100 * shard + n) for n in range(5)]})
    source = ParquetScenes(str(tmp_path))
    scenes, skips = found(source)
    assert not skips and [scene.id for scene in scenes] == [
        f"data/train-0000{s}.parquet/{r}" for s in (0, 1) for r in range(5)
    ]
    assert scenes == found(source)[0]
    for scene in [*scenes, *reversed(scenes)]:
        shade = 100 * int(scene.id[15]) + int(scene.id[-1])
        assert np.array_equal(np.unique(source.pixels(scene)), [shade])


def test_reading_ahead_is_bounded(tmp_path: Path) -> None:
    module._windows.clear()
    count = 4 * MOST_ROWS + 3
    file = write(tmp_path / "x.parquet", {"image": [png(n % 250) for n in range(count)]}, row_group_size=count)
    source = ParquetScenes(str(file))
    scenes, _ = found(source)
    assert [int(source.pixels(scene)[0, 0, 0]) for scene in scenes] == [n % 250 for n in range(count)]
    assert 0 < len(module._windows) <= module._MOST_WINDOWS
    assert all(len(window) <= MOST_ROWS for window in module._windows.values())


def test_a_file_that_lies_about_its_sizes_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"image": [bytes(400_000_000)]}), file, compression="zstd", use_dictionary=False)
    true = pq.ParquetFile(file).metadata.row_group(0).total_byte_size
    content = file.read_bytes()
    # As many bytes, with a number that is too small in them.
    assert content.count(varint(2 * true)) >= 1
    file.write_bytes(content.replace(varint(2 * true), varint(2_000_000, len(varint(2 * true)))))
    assert len(content) < 100_000 and pq.ParquetFile(file).metadata.row_group(0).total_byte_size == 1_000_000
    reading.reader.close()
    (skip,) = ParquetScenes(str(file)).scan()
    assert isinstance(skip, Skip) and "damaged (ArrowMemoryError" in skip.reason
    assert peak_of(reading.reader) < 400_000_000
    # Its process goes on with the next file.
    good = write(tmp_path / "good.parquet", {"image": images(2)})
    assert len(found(ParquetScenes(str(good)))[0]) == 2


def varint(number: int, least: int = 0) -> bytes:
    """A number as Thrift writes it, with empty groups behind it up to a length."""
    groups: list[int] = []
    while number or len(groups) < max(1, least):
        groups.append(number & 127)
        number >>= 7
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def peak_of(reader: reading.ParquetReader) -> int:
    assert reader._process is not None
    status = Path(f"/proc/{reader._process.pid}/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def test_a_file_that_ends_the_process_which_reads_it_is_skipped(tmp_path: Path) -> None:
    file = write(tmp_path / "x.parquet", {"image": images(40)}, row_group_size=40)
    scan = ParquetScenes(str(file)).scan()
    assert isinstance(next(scan), Scene)
    process = reading.reader._process
    assert process is not None
    os.kill(process.pid, signal.SIGABRT)
    *scenes, skip = scan
    assert len(scenes) == MOST_ROWS - 1 and isinstance(skip, Skip)
    assert "it ended the process that read it, with -6" in skip.reason
    assert len(found(ParquetScenes(str(file)))[0]) == 40


def test_the_process_that_reads_ends_with_a_program_that_is_killed(tmp_path: Path) -> None:
    file = write(tmp_path / "x.parquet", {"image": images(1)})
    program = (
        "from anamorph.scenes.parquet import reading, source; import os\n"
        f"list(source.ParquetScenes({str(file)!r}).scan())\n"
        "print(reading.reader._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    until = time.monotonic() + 60
    while psutil.pid_exists(int(done.stdout)) and psutil.Process(int(done.stdout)).status() != "zombie":
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_scan_that_is_not_finished_reads_no_more_than_it_needs(tmp_path: Path) -> None:
    file = write(tmp_path / "x.parquet", {"image": [png(n) for n in range(3)]})
    (tmp_path / "z.parquet").write_bytes(b"nonsense")
    scan = ParquetScenes(str(tmp_path)).scan()
    assert isinstance(next(scan), Scene) and file.exists()
    assert [type(item).__name__ for item in scan] == ["Scene", "Scene", "Skip"]


def test_ids_and_questions_join_by_column_and_by_file_name(tmp_path: Path) -> None:
    write(
        tmp_path / "val-00000-of-00002.parquet",
        {"image": images(2, ["COCO_val2014_000000262148.jpg", "x.jpg"]), "image_id": [262148, 2]},
    )
    questions = tmp_path / "questions.jsonl"
    rows = [{"image": "262148", "question": "Is there a dog?"}, {"image": "x.jpg", "question": "How many dogs?"}]
    questions.write_text("\n".join(map(json.dumps, rows)))
    for id_ in (None, "image_id"):
        scenes, skips = found(ParquetScenes(str(tmp_path), id=id_, questions=str(questions)))
        assert not skips and [scene.questions[0].text for scene in scenes] == ["Is there a dog?", "How many dogs?"]
    assert [scene.id for scene in scenes] == ["262148", "2"]


def test_the_number_of_a_shard_is_not_the_number_of_a_photo(tmp_path: Path) -> None:
    write(tmp_path / "val-00000-of-00002.parquet", {"image": images(3)})
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(json.dumps({"image": str(n), "question": "Why?"}) for n in (0, 1, 2)))
    scenes, (skip,) = found(ParquetScenes(str(tmp_path), questions=str(questions)))
    assert not any(scene.questions for scene in scenes) and "3 of its questions" in skip.reason


def test_class_numbers_need_names(tmp_path: Path) -> None:
    kind = pa.struct([("bbox", pa.list_(pa.list_(pa.float32()))), ("category", pa.list_(pa.int64()))])
    objects = pa.array([{"bbox": [[1.0, 2.0, 10.0, 12.0]], "category": [1]}], type=kind)
    file = write(tmp_path / "x.parquet", {"image": images(1), "objects": objects})
    (scene,), (skip,) = found(ParquetScenes(str(file)))
    assert not scene.things and "give them with classes=FILE" in skip.reason
    (tmp_path / "names.txt").write_text("dog\ncat\n")
    (scene,), skips = found(ParquetScenes(str(file), classes=str(tmp_path / "names.txt")))
    assert not skips and scene.labels == ("cat",)
    (tmp_path / "names.txt").write_text("dog\n")
    _, (skip,) = found(ParquetScenes(str(file), classes=str(tmp_path / "names.txt")))
    assert "1 is not among the 1 classes" in skip.reason
    (tmp_path / "names.txt").write_text("\n")
    with pytest.raises(UsageError, match="has no name"):
        found(ParquetScenes(str(file), classes=str(tmp_path / "names.txt")))


def test_a_bad_row_costs_that_row(tmp_path: Path) -> None:
    good = {"bytes": png(1), "path": "good.png"}
    rows = [None, {"bytes": None, "path": "elsewhere.png"}, {"bytes": b"no picture", "path": "../../x.png"}, good]
    file = write(tmp_path / "x.parquet", {"image": pa.array(rows, type=IMAGE), "caption": ["a", "b", "c", "d"]})
    (scene,), skips = found(ParquetScenes(str(file)))
    assert scene.picture == "x.parquet/3/good.png"
    assert (
        "has no image" in skips[0].reason and "only the path" in skips[1].reason and "not an image" in skips[2].reason
    )
    (small,), (large,) = found(
        ParquetScenes(str(write(tmp_path / "y.parquet", {"image": [png(1), png(1, (2000, 1000))]})), most_megapixels=1)
    )
    assert small.id == "y.parquet/0" and "megapixels" in large.reason


def test_a_row_group_that_is_too_large_is_skipped_and_rows_keep_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "PNG")
    file = write(tmp_path / "x.parquet", {"image": [png(1), png(2), buffer.getvalue(), png(4), png(5)]})
    monkeypatch.setattr(module, "MOST_GROUP_BYTES", 50_000)
    scenes, (skip,) = found(ParquetScenes(str(file)))
    assert [scene.id for scene in scenes] == ["x.parquet/0", "x.parquet/1", "x.parquet/4"]
    assert skip.what == "x.parquet: row group 1" and "more than the limit of 50,000 bytes" in skip.reason
    assert int(ParquetScenes(str(file)).pixels(scenes[2])[0, 0, 0]) == 5


def test_the_same_id_twice_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "x.parquet", {"image": images(2), "key": ["a", "a"]})
    (scene,), (skip,) = found(ParquetScenes(str(file), id="key"))
    assert scene.id == "a" and "same id a" in skip.reason


@pytest.mark.parametrize(
    ("columns", "settings", "complaint"),
    [
        ({"pixels": [b"x"]}, {}, "no column of images; name it with image=COLUMN. Its columns are pixels."),
        ({"image": [b"x"]}, {"captions": "said"}, "no column 'said'; its columns are image."),
    ],
)
def test_a_column_that_is_not_there_is_named(
    tmp_path: Path, columns: dict[str, Any], settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        found(ParquetScenes(str(write(tmp_path / "x.parquet", columns)), **settings))


def test_what_is_no_parquet_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No Parquet file"):
        found(ParquetScenes(str(tmp_path / "gone.parquet")))
    with pytest.raises(UsageError, match=r"has no Parquet file; they end in \.parquet"):
        found(ParquetScenes(str(tmp_path)))
    (tmp_path / "x.parquet").write_bytes(b"PAR1 this is not one PAR1")
    scenes, (skip,) = found(ParquetScenes(str(tmp_path)))
    assert not scenes and skip.what == "x.parquet" and "is not a Parquet file, or is damaged" in skip.reason


def test_a_stored_place_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "in" / "x.parquet", {"image": images(1)})
    write(tmp_path / "out.parquet", {"image": images(1)})
    source = ParquetScenes(str(file.parent))
    for picture in (
        "../out.parquet/0/image",
        "/etc/passwd/0/image",
        "x.parquet",
        "x.parquet/-1/image",
        "x.parquet/7/image",
    ):
        with pytest.raises(BadPicture):
            source.pixels(Scene("s", picture, 48, 32))


def test_without_pyarrow_the_install_line_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "x.parquet", {"image": images(1)})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(reading, "reader", reading.ParquetReader())
    monkeypatch.setattr(module, "reader", reading.reader)
    with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[parquet\]'"):
        found(ParquetScenes(str(file)))


def test_a_small_file_that_unpacks_to_a_large_image_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_UNPACKED_BYTES", 1_000_000)
    for name, column in (("flat", [bytes(8_000_000)]), ("nested", [{"bytes": bytes(8_000_000), "path": "a.png"}])):
        file = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"image": column}), file, compression="zstd")
        assert file.stat().st_size < 10_000
        (skip,) = ParquetScenes(str(file)).scan()
        assert isinstance(skip, Skip) and "bytes, more than 100 times as many, so it is not read" in skip.reason
        with pytest.raises(BadPicture, match="so it is not read"):
            ParquetScenes(str(file)).pixels(Scene("x", f"{name}.parquet/0/image", 1, 1))
