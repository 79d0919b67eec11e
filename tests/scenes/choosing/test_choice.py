from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import jsonschema
import numpy as np
import pytest

from anamorph.config import config_schema, part_from_text, resolve
from anamorph.errors import UsageError
from anamorph.model import Pixels, Scene, SceneSource, Skip
from anamorph.scenes.choosing.choice import PhotoChoice, chosen


@dataclass(frozen=True)
class Album:
    """Photos by their paths, and one that cannot be used."""

    kind: ClassVar[str] = "album"
    describes: ClassVar[bool] = True
    names: tuple[str, ...]

    def scan(self) -> Iterator[Scene | Skip]:
        yield Skip("album: broken.jpg", "It is no picture.")
        yield from (Scene(name.rpartition(".")[0], name, 8, 8) for name in self.names)

    def pixels(self, scene: Scene) -> Pixels:
        return np.zeros((8, 8, 3), np.uint8)


ALBUM = Album(tuple(f"COCO_{number:012}.jpg" for number in range(1, 41)))


def scanned(choice: PhotoChoice, album: Album = ALBUM, seed: int = 7) -> list[str]:
    source = chosen(cast(SceneSource, album), choice, seed)
    return [item.picture for item in source.scan() if isinstance(item, Scene)]


def numbers(choice: PhotoChoice, seed: int = 7) -> list[int]:
    return [int(name[5:-4]) for name in scanned(choice, seed=seed)]


def written(path: Path, content: Any) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_ids_are_those_of_scenes_or_names_or_numbers_of_files_and_the_order_is_the_sources(tmp_path: Path) -> None:
    file = written(tmp_path / "ids.txt", "# mine\n 7 \nCOCO_000000000003.jpg\n\nCOCO_000000000005\n7\n")
    assert numbers(PhotoChoice(ids=file)) == [3, 5, 7]


def test_an_id_that_is_not_there_is_named_and_one_that_the_source_skipped_is_not_missing(tmp_path: Path) -> None:
    file = written(tmp_path / "ids.txt", "7\nbroken.jpg\n77\n78\n")
    with pytest.raises(UsageError) as caught:
        scanned(PhotoChoice(ids=file))
    assert f"ids={file}: 2 of 4 name no photo of album: '77', '78'." in str(caught.value)
    with pytest.raises(UsageError, match=r"fits 'a/1' and 'b/1'\. Write the id of the intended one\."):
        scanned(PhotoChoice(ids=written(tmp_path / "one.txt", "1.jpg")), Album(("a/1.jpg", "b/1.jpg")))
    with pytest.raises(UsageError, match="the file names no photo"):
        scanned(PhotoChoice(ids=written(tmp_path / "none.txt", "# nothing\n")))
    with pytest.raises(UsageError, match=r"ids=.*lost.txt: .*does not exist"):
        scanned(PhotoChoice(ids=str(tmp_path / "lost.txt")))


KARPATHY = {
    "dataset": "coco",
    "images": [
        {"split": "train", "cocoid": 1, "filename": "COCO_train2014_000000000001.jpg", "imgid": 9},
        {"split": "restval", "cocoid": 2, "filename": "other.jpg", "imgid": 8},
        {"split": "test", "filename": "COCO_000000000004.jpg", "imgid": 0},
        {"split": "test", "cocoid": 500, "filename": "elsewhere.jpg", "imgid": 1},
    ],
}


def test_splits_of_karpathys_file_are_found_by_cocos_id_or_by_file_name(tmp_path: Path) -> None:
    file = written(tmp_path / "dataset_coco.json", KARPATHY)
    assert numbers(PhotoChoice(splits=file, split="test")) == [4]
    assert numbers(PhotoChoice(splits=file, split="train+restval")) == [1, 2]
    with pytest.raises(UsageError, match=r"has no split 'val'\. Valid: restval, test, train\."):
        scanned(PhotoChoice(splits=file, split="val"))


def test_splits_of_a_folder_of_lists_and_of_lists_by_name(tmp_path: Path) -> None:
    written(tmp_path / "val.txt", "COCO_000000000003\nCOCO_000000000009 1\nCOCO_000000000010 -1\n")
    written(tmp_path / "train.txt", "")
    assert numbers(PhotoChoice(splits=str(tmp_path), split="val")) == [3, 9]
    with pytest.raises(UsageError, match=r"has no split 'test'\. Valid: train, val\."):
        scanned(PhotoChoice(splits=str(tmp_path), split="test"))
    with pytest.raises(UsageError, match="lists no photo for it"):
        scanned(PhotoChoice(splits=str(tmp_path), split="train"))
    lists = written(tmp_path / "lists.json", {"dev": [5, "6"], "away": ["x"]})
    assert numbers(PhotoChoice(splits=lists, split="dev")) == [5, 6]
    with pytest.raises(UsageError, match="none of its 1 photos is among those of album"):
        scanned(PhotoChoice(splits=lists, split="away"))
    with pytest.raises(UsageError, match="expected Karpathy's JSON file"):
        scanned(PhotoChoice(splits=written(tmp_path / "odd.json", [1]), split="dev"))


def test_a_sample_follows_the_seed_and_does_not_depend_on_the_order_or_on_skips() -> None:
    sample = numbers(PhotoChoice(sample=10))
    assert sample == sorted(sample) and len(set(sample)) == 10
    assert numbers(PhotoChoice(sample=10)) == sample != numbers(PhotoChoice(sample=10), seed=8)
    backwards = Album(tuple(reversed(ALBUM.names)))
    assert sorted(scanned(PhotoChoice(sample=10), backwards)) == [f"COCO_{number:012}.jpg" for number in sample]
    # Every photo is chosen as often as any other.
    often = [number for seed in range(400) for number in numbers(PhotoChoice(sample=4), seed)]
    assert min(map(often.count, range(1, 41))) > 15 and max(map(often.count, range(1, 41))) < 70


def test_photos_are_left_out_at_the_beginning_of_what_is_chosen(tmp_path: Path) -> None:
    file = written(tmp_path / "ids.txt", "3\n5\n7\n9\n")
    assert numbers(PhotoChoice(ids=file, skip=1)) == [5, 7, 9]
    assert numbers(PhotoChoice(ids=file, skip=1, sample=3)) == [5, 7, 9]
    with pytest.raises(UsageError, match=r"sample=4: there are only 3 photos\."):
        scanned(PhotoChoice(ids=file, skip=1, sample=4))
    with pytest.raises(UsageError, match=r"skip=5: there are only 4 photos\."):
        scanned(PhotoChoice(ids=file, skip=5))


def test_without_a_choice_the_source_is_itself_and_with_one_it_keeps_what_it_declares() -> None:
    source = cast(SceneSource, ALBUM)
    assert chosen(source, PhotoChoice(), 7) is source
    other = chosen(source, PhotoChoice(skip=1), 7)
    assert (other.kind, other.describes) == ("album", True)  # type: ignore[attr-defined]
    assert isinstance(next(other.scan()), Skip)


def test_every_source_takes_the_choice_in_its_short_form_and_in_a_table() -> None:
    table = part_from_text("scenes", "toybox:12,skip=2,sample=3")
    assert table == {"kind": "toybox", "count": 12, "skip": 2, "sample": 3}
    config = resolve({"scenes": "toybox:12,skip=2,sample=3"})
    assert config.plain["scenes"] == table
    ids = [scene.id for scene in config.scenes().scan() if isinstance(scene, Scene)]
    whole = [scene.id for scene in resolve({"scenes": "toybox:12"}).scenes().scan() if isinstance(scene, Scene)]
    assert len(ids) == 3 and set(ids) < set(whole[2:])
    assert [s.id for s in resolve({"scenes": table, "seed": 8}).scenes().scan() if isinstance(s, Scene)] != ids
    jsonschema.validate({"scenes": table}, config_schema())


def test_a_wrong_choice_is_refused_with_its_key() -> None:
    with pytest.raises(UsageError, match=r"scenes\.sample: must be at least 1, got 0"):
        resolve({"scenes": "toybox:3,sample=0"}).scenes()
    with pytest.raises(UsageError, match=r"split needs splits as well, such as splits=dataset_coco\.json"):
        resolve({"scenes": "toybox:3,split=test"}).scenes()


def test_vocs_own_split_stays_its_own_unless_splits_are_named() -> None:
    own = resolve({"scenes": "voc:VOC2012,split=val"}).scenes()
    assert own.split == "val"  # type: ignore[attr-defined]
    other = resolve({"scenes": "voc:VOC2012,split=val,splits=lists"}).scenes()
    assert other.source.split is None  # type: ignore[attr-defined]
    assert other.choice == PhotoChoice(split="val", splits="lists")  # type: ignore[attr-defined]
