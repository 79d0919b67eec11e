"""Photos with far too much on them: skipped by name, and never at the cost of the machine."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.enrich.stage import within_limits
from anamorph.model import Box, Scene, Skip, Thing
from anamorph.photos.scene_limits import (
    MOST_OBJECTS,
    MOST_PAIRS,
    MOST_POINTS,
    TOO_MANY_OBJECTS,
    TOO_MANY_PAIRS,
    TOO_MANY_PIXELS,
    beyond_limits,
)

WIDTH, HEIGHT = 640, 480


def zigzag(points: int) -> list[list[float]]:
    """A polygon of many points and a short outline."""
    return [[100 + i % 2, 100 + 300 * i / points] for i in range(points - 1)] + [[400.0, 250.0]]


def coco(folder: Path, boxes: int, points: int) -> str:
    polygon = [value for point in zigzag(points) for value in point]
    notes = [
        {"id": i, "image_id": 1, "category_id": 1, "bbox": [i % 600, i % 440, 20, 20], "iscrowd": 0}
        for i in range(boxes)
    ]
    notes.append({"id": boxes, "image_id": 1, "category_id": 1, "segmentation": [polygon], "iscrowd": 0})
    document = {
        "images": [
            {"id": 1, "file_name": "much.png", "width": WIDTH, "height": HEIGHT},
            {"id": 2, "file_name": "good.png", "width": WIDTH, "height": HEIGHT},
        ],
        "annotations": notes,
        "categories": [{"id": 1, "name": "dog"}],
    }
    (folder / "instances.json").write_text(json.dumps(document))
    return f"coco:{folder}/instances.json,images={folder}"


def labelme(folder: Path, boxes: int, points: int) -> str:
    shapes = [
        {"label": "dog", "shape_type": "rectangle", "points": [[i % 600, i % 440], [i % 600 + 20, i % 440 + 20]]}
        for i in range(boxes)
    ]
    shapes.append({"label": "dog", "shape_type": "polygon", "points": zigzag(points)})
    for name, some in (("much", shapes), ("good", shapes[:1])):
        document = {"imagePath": f"{name}.png", "shapes": some, "imageWidth": WIDTH, "imageHeight": HEIGHT}
        (folder / f"{name}.json").write_text(json.dumps(document))
    return f"labelme:{folder}"


def voc(folder: Path, boxes: int, points: int) -> str:
    (folder / "Annotations").mkdir()
    (folder / "JPEGImages").symlink_to(folder)
    one = "<object><name>dog</name><bndbox><xmin>9</xmin><ymin>9</ymin><xmax>40</xmax><ymax>40</ymax></bndbox></object>"
    for name, count in (("much", boxes), ("good", 1)):
        body = f"<annotation><filename>{name}.png</filename>{one * count}</annotation>"
        (folder / "Annotations" / f"{name}.xml").write_text(body)
    return f"voc:{folder}"


def scene_graph(folder: Path, boxes: int, points: int) -> str:
    one = {"name": "dog", "x": 9, "y": 9, "w": 30, "h": 30}
    graphs = {
        name: {"width": WIDTH, "height": HEIGHT, "objects": {str(place): one for place in range(count)}}
        for name, count in (("much", boxes), ("good", 1))
    }
    (folder / "graphs.json").write_text(json.dumps(graphs))
    return f"scene-graph:{folder}/graphs.json,images={folder}"


def _samples(folder: Path, boxes: int) -> list[tuple[str, bytes, list[dict[str, Any]]]]:
    one = {"bbox": [9.0, 9.0, 30.0, 30.0], "label": "dog"}
    return [
        (name, (folder / f"{name}.png").read_bytes(), [one] * count) for name, count in (("much", boxes), ("good", 1))
    ]


def parquet(folder: Path, boxes: int, points: int) -> str:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pip install 'anamorph[parquet]'")
    files = importlib.import_module("pyarrow.parquet")
    rows = [
        {"image": {"bytes": content, "path": f"{name}.png"}, "objects": objects}
        for name, content, objects in _samples(folder, boxes)
    ]
    files.write_table(pyarrow.Table.from_pylist(rows), folder / "x.parquet")
    return f"parquet:{folder}/x.parquet"


def webdataset(folder: Path, boxes: int, points: int) -> str:
    with tarfile.open(folder / "x.tar", "w") as archive:
        for name, content, objects in _samples(folder, boxes):
            for suffix, some in (("png", content), ("json", json.dumps({"objects": objects}).encode())):
                member = tarfile.TarInfo(f"{name}.{suffix}")
                member.size = len(some)
                archive.addfile(member, io.BytesIO(some))
    return f"webdataset:{folder}/x.tar"


def fiftyone(folder: Path, boxes: int, points: int) -> str:
    def sample(name: str, number: int) -> dict[str, Any]:
        found = [{"label": "dog", "bounding_box": [i % 90 / 100, i % 80 / 100, 0.05, 0.05]} for i in range(number)]
        return {"filepath": f"{name}.png", "ground_truth": {"_cls": "Detections", "detections": found}}

    (folder / "samples.json").write_text(json.dumps({"samples": [sample("much", boxes), sample("good", 1)]}))
    return f"fiftyone:{folder}"


MAKERS: dict[str, Callable[[Path, int, int], str]] = {
    "coco": coco,
    "fiftyone": fiftyone,
    "labelme": labelme,
    "parquet": parquet,
    "scene-graph": scene_graph,
    "voc": voc,
    "webdataset": webdataset,
}
# Sources whose objects have boxes alone.
WITHOUT_POLYGONS = {"fiftyone", "parquet", "scene-graph", "voc", "webdataset"}
# Sources whose files list no objects with outlines.
WITHOUT_OBJECTS = {"folder", "collection", "toybox"}


def test_every_source_of_annotated_scenes_is_here() -> None:
    assert set(catalog.CATALOG["scenes"]) == {*MAKERS, *WITHOUT_OBJECTS}


POLYGON = f"It has a polygon of more than {MOST_POINTS:,} points."


@pytest.mark.parametrize(
    ("kind", "boxes", "points", "reason"),
    # VOC has no polygons.
    [(kind, 5000, 10, TOO_MANY_OBJECTS) for kind in MAKERS]
    + [(kind, 3, MOST_POINTS + 10, POLYGON) for kind in MAKERS if kind not in WITHOUT_POLYGONS],
)
def test_a_scene_past_a_limit_is_skipped_by_name_and_the_others_are_not(
    tmp_path: Path, kind: str, boxes: int, points: int, reason: str
) -> None:
    for name in ("much", "good"):
        Image.new("RGB", (WIDTH, HEIGHT)).save(tmp_path / f"{name}.png")
    found = list(resolve({"scenes": MAKERS[kind](tmp_path, boxes, points)}).scenes().scan())
    (good,) = [item for item in found if isinstance(item, Scene)]
    assert good.picture.endswith("good.png")
    (skip,) = [item for item in found if isinstance(item, Skip)]
    assert reason in skip.reason and ("much" in skip.what or "image 1" in skip.what)


def grid(count: int, size: float) -> Scene:
    things = [Thing(str(i), "dog", Box(i % 600, i * 7 % 440, size, size)) for i in range(count)]
    return Scene("crowded", "crowded.jpg", WIDTH, HEIGHT, tuple(things))


def test_the_limits_count_objects_pairs_and_pixels_whoever_found_them() -> None:
    assert beyond_limits(grid(MOST_OBJECTS, 1)) is None
    assert beyond_limits(grid(MOST_OBJECTS + 1, 1)) == TOO_MANY_OBJECTS
    most = next(n for n in range(1000) if n * (n - 1) // 2 > MOST_PAIRS) - 1
    same = tuple(Thing(str(i), "dog", Box(9, 9, 99, 99)) for i in range(most + 1))
    assert beyond_limits(Scene("s", "s.jpg", WIDTH, HEIGHT, same[:-1])) is None
    assert beyond_limits(Scene("s", "s.jpg", WIDTH, HEIGHT, same)) == TOO_MANY_PAIRS
    large = tuple(Thing(str(i), "dog", Box(0, 0, 9000, 9000)) for i in range(7))
    assert beyond_limits(Scene("s", "s.jpg", 9000, 9000, large)) == TOO_MANY_PIXELS
    assert beyond_limits(Scene("s", "s.jpg", 9000, 9000, large[:6])) is None
    assert within_limits(grid(5000, 9)) == Skip("crowded", TOO_MANY_OBJECTS)


# What was tried to break it, each with too little memory for the way it was done before.
ATTEMPTS = {
    "a polygon of a million points": """
from anamorph.photos.entries import Flaw
from anamorph.photos.outlines import polygons_mask
points = [random.uniform(0, side) for _ in range(1_000_000) for side in (640, 480)]
try:
    polygons_mask([points], (640, 480))
except Flaw as flaw:
    print(flaw)
""",
    "a short polygon with an endless outline": """
from anamorph.photos.entries import Flaw
from anamorph.photos.outlines import polygons_mask
points = [random.uniform(0, 20_000) for _ in range(2 * 40_000)]
try:
    polygons_mask([points], (20_000, 20_000))
except Flaw as flaw:
    print(flaw)
""",
    "objects that all overlap": """
from anamorph.methods.melting.eligibility import MeltRules, eligible
from anamorph.model import Scene, Thing
from anamorph.photos.outlines import polygons_mask
from anamorph.photos.scene_limits import beyond_limits
from anamorph.pixels.masks import mask_box
def thing(i):
    x, y = random.uniform(180, 440), random.uniform(180, 300)
    mask = polygons_mask([[x - 150, y - 150, x + 150, y - 140, x + 140, y + 150]], (640, 480))
    return Thing(str(i), "dog", mask_box(mask), mask)
things = tuple(thing(i) for i in range(500))
print(beyond_limits(Scene("s", "s.jpg", 640, 480, things)))
found = eligible(Scene("s", "s.jpg", 640, 480, things[:220]), MeltRules())
assert len(found.left_out) == 220
""",
    "a thousand boxes": """
from anamorph.methods.melting.eligibility import MeltRules, eligible
from anamorph.methods.inserting.overlaps import has_free_place
from anamorph.model import Box, Mask, Scene, Thing
from anamorph.pixels.masks import mask_from_pixels
from anamorph.pixels.shapes import covered
boxes = [Box(random.uniform(0, 1800), random.uniform(0, 1000), random.uniform(5, 60), 40) for _ in range(1000)]
things = tuple(Thing(str(i), "dog", box) for i, box in enumerate(boxes))
eligible(Scene("s", "s.jpg", 1920, 1080, things), MeltRules())
has_free_place(boxes, (30, 30), 1920, 1080)
assert len(covered(things, np.ones((1080, 1920), np.bool_))) == 0
""",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set as Linux has them")
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_scene_takes_the_machine(attempt: str) -> None:
    start = """
import random, resource
import numpy as np
random.seed(15)
import cv2, pycocotools.mask, anamorph.photos.outlines, anamorph.methods.melting.eligibility
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 600_000_000,) * 2)
"""
    program = start + ATTEMPTS[attempt] + '\nprint("done")\n'
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stderr[-2000:]
    if "polygon" in attempt:
        assert "It has a polygon" in done.stdout
