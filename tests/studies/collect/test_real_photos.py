"""Collecting from the real photos and captions of ../shared, with nothing but what their captions say."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from PIL import Image

from anamorph.config import searcher_of
from anamorph.methods.atom.combinations import combinations_in
from anamorph.model import Scene
from anamorph.scenes.coco.source import CocoScenes
from anamorph.scenes.collection.source import CollectionScenes
from anamorph.studies.collect.collector import Collector, CollectSettings
from anamorph.studies.collect.folder import CollectionContents, CollectionFolder, read_collection

LABELS = ("bicycle", "bus", "car", "cat", "dining table", "dog", "laptop", "person", "pizza", "skateboard", "toilet")


@pytest.fixture
def truth(shared: Path) -> dict[str, frozenset[str]]:
    photos = shared / "photos"
    scenes = CocoScenes(str(photos / "instances.json"), str(photos / "images")).scan()
    return {Path(scene.picture).stem: frozenset(scene.labels) for scene in scenes if isinstance(scene, Scene)}


def collect(searcher: str, out: Path) -> CollectionContents:
    engine = searcher_of(searcher)
    with CollectionFolder(out) as folder:
        for _ in Collector(folder, engine, CollectSettings()).collect(combinations_in(LABELS, (1, 2))):
            pass
    engine.close()
    return read_collection(out)


def test_photos_show_what_they_were_collected_for(
    shared: Path, truth: dict[str, frozenset[str]], tmp_path: Path
) -> None:
    photos = shared / "photos"
    found = collect(f"local:{photos / 'captions.json'},images={photos / 'images'}", tmp_path / "out")
    lines = list(itertools.chain.from_iterable(found.entries.values()))
    right = sum(truth[Path(line.origin).stem].issuperset(line.labels) for line in lines)
    assert len(lines) > 40 and right / len(lines) > 0.75
    assert all(line.licence and line.caption in line.captions for line in lines)
    for searches in found.searches.values():
        for search in searches:
            assert search.found == search.added + sum(search.left_out.values())
    scenes = [scene for scene in CollectionScenes(str(tmp_path / "out")).scan() if isinstance(scene, Scene)]
    assert len(scenes) == len({line.sha256 for line in lines})


@pytest.mark.slow
def test_copies_of_the_same_photos_change_nothing_but_the_count_of_duplicates(shared: Path, tmp_path: Path) -> None:
    photos = shared / "photos"
    once, twice = tmp_path / "once", tmp_path / "twice"
    scenes = CocoScenes(str(photos / "captions.json"), str(photos / "images")).scan()
    for scene in scenes:
        assert isinstance(scene, Scene)
        for folder in (once, twice):
            folder.mkdir(exist_ok=True)
            shutil.copyfile(photos / "images" / scene.picture, folder / scene.picture)
            (folder / scene.picture).with_suffix(".txt").write_text("\n".join(scene.captions))
        small = twice / f"{scene.id}-small.jpg"
        with Image.open(photos / "images" / scene.picture) as photo:
            photo.convert("RGB").resize((photo.width // 2, photo.height // 2)).save(small, quality=50)
        small.with_suffix(".txt").write_text("\n".join(scene.captions))
    plain, doubled = collect(f"local:{once}", tmp_path / "a"), collect(f"local:{twice}", tmp_path / "b")
    quota = CollectSettings().per_combination
    for combination, entries in plain.entries.items():
        assert len(doubled.entries[combination]) == len(entries) <= quota
    assert not any("duplicate" in each.left_out for searches in plain.searches.values() for each in searches)
    assert sum(each.left_out.get("duplicate", 0) for found in doubled.searches.values() for each in found) > 40
