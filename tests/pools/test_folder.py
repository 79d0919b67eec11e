from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels
from anamorph.pools.folder import (
    LIST_FILE,
    JoinedPools,
    Pool,
    PoolEntry,
    SketchStudio,
    cutout_id,
    write_cutout,
    write_list,
)


def dot(level: int = 200) -> Pixels:
    rgba = np.zeros((6, 5, 4), np.uint8)
    rgba[1:5, 1:4] = level
    rgba[..., 3] = 255
    return rgba


def pool_with(folder: Path, *labels: str) -> Pool:
    folder.mkdir(exist_ok=True)
    entries = []
    for number, label in enumerate(labels):
        id, file, sha256 = write_cutout(folder, dot(100 + number), label)
        entries.append(PoolEntry(id, label, file, sha256, 5, 6, "scene", str(number), "CC BY", ("red",)))
    write_list(folder, entries, {"tiny": 3})
    return Pool.open(folder)


def test_a_pool_comes_back_as_it_was_written(tmp_path: Path) -> None:
    pool = pool_with(tmp_path, "hot dog", "cat", "cat")
    assert pool.labels() == {"cat": 2, "hot dog": 1} and pool.rejected == {"tiny": 3}
    entry = next(each for each in pool.entries if each.label == "hot dog")
    assert entry.id.startswith("hot-dog-") and (entry.licence, entry.attributes) == ("CC BY", ("red",))
    cutout = pool.cutout(entry.id)
    assert (cutout.rgba == dot(100)).all()
    assert (cutout.thing.label, cutout.thing.attributes) == ("hot dog", ("red",))


def test_an_empty_pool_is_still_a_pool(tmp_path: Path) -> None:
    write_list(tmp_path, [], {})
    assert Pool.open(tmp_path).entries == ()


def test_an_id_says_class_and_content_and_nothing_else() -> None:
    assert cutout_id("dog", "00") == cutout_id("dog", "00")
    assert len({cutout_id("dog", "00"), cutout_id("cat", "00"), cutout_id("dog", "01"), cutout_id("Dog", "00")}) == 4


def test_a_cutout_that_changed_on_disk_is_refused(tmp_path: Path) -> None:
    pool = pool_with(tmp_path, "dog")
    (entry,) = pool.entries
    write_cutout(tmp_path, dot(1), "dog")[1]
    (tmp_path / entry.file).write_bytes((tmp_path / write_cutout(tmp_path, dot(2), "dog")[1]).read_bytes())
    with pytest.raises(UsageError, match="changed since the pool was built"):
        pool.cutout(entry.id)


def test_a_relabelled_cutout_is_refused(tmp_path: Path) -> None:
    (entry,) = pool_with(tmp_path, "dog").entries
    text = (tmp_path / LIST_FILE).read_text().replace('"label": "dog"', '"label": "cat"')
    (tmp_path / LIST_FILE).write_text(text)
    with pytest.raises(UsageError, match="changed since"):
        Pool.open(tmp_path).cutout(entry.id)


def test_a_file_outside_the_pool_is_never_read(tmp_path: Path) -> None:
    pool_with(tmp_path / "pool", "dog")
    plain = json.loads((tmp_path / "pool" / LIST_FILE).read_text())
    plain["cutouts"][0]["file"] = "../secret.png"
    (tmp_path / "pool" / LIST_FILE).write_text(json.dumps(plain))
    pool = Pool.open(tmp_path / "pool")
    with pytest.raises(UsageError, match="not in the pool's own folder"):
        pool.cutout(pool.entries[0].id)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "no pool of cut-outs here"),
        ("{", "not valid JSON"),
        ('{"format": 1}', "cutouts: is missing"),
        ('{"format": 9, "cutouts": [], "rejected": {}}', "is of format 9"),
    ],
)
def test_a_folder_that_is_no_pool_is_named(tmp_path: Path, content: str | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / LIST_FILE).write_text(content)
    with pytest.raises(UsageError) as caught:
        Pool.open(tmp_path)
    assert str(tmp_path) in str(caught.value) and complaint in str(caught.value)


def test_several_pools_serve_as_one(tmp_path: Path) -> None:
    first, second = pool_with(tmp_path / "a", "dog"), pool_with(tmp_path / "b", "cat")
    pools = JoinedPools((first, second))
    assert pools.cutout(second.entries[0].id).thing.label == "cat"
    assert pools.cutout(first.entries[0].id) is pools.cutout(first.entries[0].id)
    with pytest.raises(BadPicture, match=r"no cut-out 'x-1' in the pools of this run: .*a, .*b\."):
        pools.cutout("x-1")
    with pytest.raises(BadPicture, match="none is configured"):
        JoinedPools().cutout("x-1")


def test_a_sketch_makes_nothing_up(tmp_path: Path) -> None:
    pool = pool_with(tmp_path, "dog")
    studio = SketchStudio(JoinedPools((pool,)))
    pixels = np.zeros((3, 3, 3), np.uint8)
    assert studio.inpaint("migan", pixels, np.ones((3, 3), np.bool_)) is pixels
    assert studio.cutout(pool.entries[0].id).thing.label == "dog"


def test_a_cutout_that_is_struck_out_stays_for_old_runs_and_can_be_restored(tmp_path: Path) -> None:
    rgba = np.full((9, 8, 4), 200, np.uint8)
    id, file, sha256 = write_cutout(tmp_path, rgba, "cup")
    write_list(tmp_path, [PoolEntry(id, "cup", file, sha256, 8, 9, "s", "1")], {"tiny": 3})
    struck = Pool.open(tmp_path).with_struck([id])
    assert struck.entries == () and [entry.id for entry in struck.struck] == [id] and struck.rejected == {"tiny": 3}
    assert struck.labels() == {} and struck.cutout(id).rgba.shape == (9, 8, 4)
    assert [entry.id for entry in struck.with_struck([], [id]).entries] == [id]
    with pytest.raises(KeyError):
        struck.with_struck(["cup-none"])
