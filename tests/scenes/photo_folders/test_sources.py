"""Every source of scenes finds the same with its photos elsewhere as with its photos here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph.config import resolve
from anamorph.errors import UsageError
from anamorph.model import Scene, Skip
from anamorph.scenes.photo_folders.local import LocalFolder
from anamorph.scenes.photo_folders.opening import photo_folder
from tests.hostile.conftest import Command, anamorph as anamorph
from tests.scenes.collections import entry, make_collection
from tests.scenes.photo_folders.elsewhere import Site, bucket_of

NAMES = (
    "a.png",
    "turned.jpg",
    "preview.jpg",
    "turned.webp",
    "in side/b#1?.png",
    "late.png",
    "late.tif",
    "map.gif",
    "damaged.jpg",
    "text.png",
    "empty.png",
    "missing.png",
    "../secret.png",
)


def folder(place: str, notes: Path) -> str:
    (notes / "index.txt").write_text("# photos\n" + "\n".join((*NAMES[:-2], "a.txt")))
    return f"folder:{place}" + (f",index={notes / 'index.txt'}" if place.startswith("http") else "")


def coco(place: str, notes: Path) -> str:
    images = [{"id": number, "file_name": name} for number, name in enumerate(NAMES)]
    images.append({"id": 90, "file_name": "a.png", "width": 99, "height": 99})
    boxes = [{"id": 1, "image_id": 0, "category_id": 1, "bbox": [1, 1, 3, 3]}]
    document = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "dog"}]}
    (notes / "instances.json").write_text(json.dumps(document))
    return f"coco:{notes / 'instances.json'},images={place}"


def voc(place: str, notes: Path) -> str:
    (notes / "Annotations").mkdir(exist_ok=True)
    for number, name in enumerate(NAMES):
        body = f"<annotation><filename>{name}</filename></annotation>"
        (notes / "Annotations" / f"{number}.xml").write_text(body)
    return f"voc:{notes},images={place}"


def labelme(place: str, notes: Path) -> str:
    (notes / "shapes").mkdir(exist_ok=True)
    for number, name in enumerate(NAMES):
        document: dict[str, Any] = {"imagePath": name, "shapes": [], "imageData": "" if number else None}
        (notes / "shapes" / f"{number}.json").write_text(json.dumps(document))
    return f"labelme:{notes / 'shapes'},images={place}"


def scene_graph(place: str, notes: Path) -> str:
    folder(place, notes)
    graphs: dict[str, Any] = {Path(name).stem: {"objects": {}} for name in NAMES}
    (notes / "graphs.json").write_text(json.dumps(graphs))
    index = f",index={notes / 'index.txt'}" if place.startswith("http") else ""
    return f"scene-graph:{notes / 'graphs.json'},images={place}{index}"


def collection(place: str, notes: Path) -> str:
    make_collection(notes / "collection", *(entry(name, ("dog",)) for name in NAMES[:-1]))
    return f"collection:{notes / 'collection'},images={place}"


SOURCES: dict[str, Callable[[str, Path], str]] = {
    "folder": folder,
    "coco": coco,
    "voc": voc,
    "labelme": labelme,
    "scene-graph": scene_graph,
    "collection": collection,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_photos_give_the_same_scenes_wherever_they_are(
    kind: str, album: Path, site: Site, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    found = {}
    for place in (str(album), album.as_uri(), site.address, bucket_of(album)):
        source = resolve({"scenes": SOURCES[kind](place, notes)}).scenes()
        items = list(source.scan())
        scenes = [item for item in items if isinstance(item, Scene)]
        skips = [item.what for item in items if isinstance(item, Skip)]
        found[place] = scenes, skips, [source.pixels(scene) for scene in scenes]
    here, skipped, pictures = found.pop(str(album))
    assert len(here) == (4 if kind == "scene-graph" else 8)
    assert skipped
    sizes = {scene.picture: (scene.width, scene.height) for scene in here}
    assert sizes.get("turned.jpg", (300, 400)) == (300, 400) and sizes.get("late.png", (300, 400)) == (300, 400)
    for scenes, skips, pixels in found.values():
        assert scenes == here
        assert skips == skipped
        assert all(np.array_equal(one, other) for one, other in zip(pictures, pixels, strict=True))


def test_the_images_of_a_run_do_not_depend_on_where_its_photos_are(
    album: Path, site: Site, tmp_path: Path, anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.py").write_text("def caption(images, questions):\n    return ['a dog'] * len(images)\n")
    images = []
    for number, place in enumerate((str(album), site.address, bucket_of(album))):
        words = ("run", "-m", "deeptest", "-s", folder(place, tmp_path), "-y", "callable:system.py:caption")
        done = anamorph(*words, "--limit", 3, "-o", f"run{number}")
        assert done.code == 0, done.err
        images.append(sorted(path.name for path in (tmp_path / f"run{number}" / "images").rglob("*.*")))
    assert images[0] and images[1] == images[0] == images[2]
    # The head while the folder was scanned, and the photo once for all of its follow-ups; no other file.
    assert site.asked.count("/photos/a.png") == 2


def test_annotations_stay_on_this_machine(site: Site) -> None:
    for text in (f"voc:{site.address}", f"labelme:{site.address}", f"collection:{site.address}"):
        with pytest.raises(UsageError, match="must be on this machine, not an address"):
            list(resolve({"scenes": text}).scenes().scan())
    assert not site.asked


def test_a_path_and_a_file_address_are_folders_of_this_machine(album: Path) -> None:
    assert photo_folder(str(album)) == photo_folder(album.as_uri()) == LocalFolder(album)
    with pytest.raises(UsageError, match="names another machine"):
        photo_folder("file://host/photos")
