"""The toybox as COCO files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from pycocotools.coco import COCO

from anamorph.model import Scene
from anamorph.scenes.coco.source import CocoScenes
from anamorph.toybox.export import export_coco
from anamorph.toybox.scenes import ToyboxScenes


def test_our_own_reader_reads_the_export_back_identically(tmp_path: Path) -> None:
    source = ToyboxScenes(8, seed=3, offset=5)
    out = export_coco(source, tmp_path / "toys")
    reader = CocoScenes(str(out.instances), str(out.images), str(out.captions))
    read = list(reader.scan())
    drawn = list(source.scan())
    assert len(read) == len(drawn) == out.scenes
    for ours, theirs in zip(drawn, read, strict=True):
        assert isinstance(ours, Scene) and isinstance(theirs, Scene)
        assert theirs.picture == f"{ours.id}.png"
        assert (theirs.width, theirs.height, theirs.captions, theirs.labels) == (
            ours.width,
            ours.height,
            ours.captions,
            ours.labels,
        )
        bare = [(t.id, t.label, t.box, t.mask, t.crowd) for t in ours.things]
        assert [(t.id, t.label, t.box, t.mask, t.crowd) for t in theirs.things] == bare
        assert np.array_equal(reader.pixels(theirs), source.pixels(ours))


def test_the_export_is_valid_for_the_reference_reader_of_coco(tmp_path: Path) -> None:
    out = export_coco(ToyboxScenes(4), tmp_path)
    coco = COCO(str(out.instances))
    assert len(coco.imgs) == 4 and len(coco.anns) == out.things
    for note in coco.loadAnns(coco.getAnnIds()):
        assert int(coco.annToMask(note).sum()) == note["area"]
    assert coco.loadCats([1])[0]["supercategory"] == "person"
    assert len(COCO(str(out.captions)).anns) >= 12


def test_attributes_are_kept_in_the_export(tmp_path: Path) -> None:
    out = export_coco(ToyboxScenes(5), tmp_path)
    notes = json.loads(out.instances.read_text())["annotations"]
    things = [thing for scene in ToyboxScenes(5).scan() if isinstance(scene, Scene) for thing in scene.things]
    assert [tuple(note["attributes"]) for note in notes] == [thing.attributes for thing in things]


def test_progress_is_told_after_each_scene(tmp_path: Path) -> None:
    calls: list[int] = []
    export_coco(ToyboxScenes(3), tmp_path, calls.append)
    assert calls == [1, 2, 3]
