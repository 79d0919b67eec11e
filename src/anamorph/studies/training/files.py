"""Edited images and their expected objects as a data set: COCO captions, JSON lines, or a Hugging Face image folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

from anamorph.errors import UsageError
from anamorph.model import Thing
from anamorph.pixels.masks import mask_area
from anamorph.report.images import link_or_copy
from anamorph.store.images import ImageFolder
from anamorph.studies.training.expected import Twin

Layout: TypeAlias = Literal["coco-captions", "jsonl", "huggingface"]

_CARD = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: train/*
---

Photos edited by Anamorph, with the objects that are on them after the edit. `caption` is what a person wrote for the
edited photo, where somebody did; `system_caption` is what the tested system said, and may be wrong.
"""


@dataclass(frozen=True, slots=True)
class Exported:
    """How much was written."""

    images: int
    captions: int
    missing: int


def read_captions(path: Path) -> dict[str, str]:
    """Corrected captions from JSON lines: {"image", "caption"}; a line whose caption is null or missing is skipped."""
    found: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{path}: the captions cannot be read ({problem}).") from problem
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as problem:
            raise UsageError(f"{path}, line {number}: not JSON ({problem}).") from problem
        image = record.get("image") if isinstance(record, dict) else None
        caption = record.get("caption") if isinstance(record, dict) else None
        if not isinstance(image, str) or not isinstance(caption, str | None):
            raise UsageError(f'{path}, line {number}: expected {{"image": "...", "caption": "..." or null}}.')
        if caption and caption.strip():
            found[Path(image).stem] = caption.strip()
    return found


def write_training(
    twins: Iterable[Twin], pictures: ImageFolder, captions: Mapping[str, str], out: Path, layout: Layout
) -> Exported:
    """Write the images and what belongs to them into an empty or new folder."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: there is something already. Choose a new folder.")
    folder = out / ("train" if layout == "huggingface" else "images")
    folder.mkdir(parents=True)
    written = captioned = missing = 0
    with ExitStack() as stack:
        add = _WRITERS[layout](out, stack)
        for twin in twins:
            name = f"{twin.image}{Path(twin.file).suffix}"
            if not link_or_copy(pictures.path(twin.file), folder / name):
                missing += 1
                continue
            caption = captions.get(twin.image)
            add(twin, name, caption)
            written += 1
            captioned += caption is not None
    return Exported(written, captioned, missing)


_Add: TypeAlias = Callable[[Twin, str, str | None], None]


def _jsonl(out: Path, stack: ExitStack) -> _Add:
    lines = stack.enter_context((out / "twins.jsonl").open("w", encoding="utf-8"))

    def add(twin: Twin, name: str, caption: str | None) -> None:
        objects = [{"label": thing.label, "box": _box(thing), "id": thing.id} for thing in twin.things]
        _line(lines, {"image": f"images/{name}", "caption": caption, "objects": objects, **_facts(twin)})

    return add


def _huggingface(out: Path, stack: ExitStack) -> _Add:
    (out / "README.md").write_text(_CARD, encoding="utf-8")
    lines = stack.enter_context((out / "train" / "metadata.jsonl").open("w", encoding="utf-8"))

    def add(twin: Twin, name: str, caption: str | None) -> None:
        objects = {
            "bbox": [_box(thing) for thing in twin.things],
            "category": [thing.label for thing in twin.things],
        }
        facts = _facts(twin)
        # Columns of one type each: the loader reads edits of many shapes only as text.
        facts["edits"] = json.dumps(facts["edits"], ensure_ascii=False)
        _line(lines, {"file_name": name, "caption": caption, "objects": objects, **facts})

    return add


def _coco(out: Path, stack: ExitStack) -> _Add:
    categories: dict[str, int] = {}
    images, texts, instances = (stack.enter_context(_Spool(out / f".{name}")) for name in ("i", "c", "o"))

    def add(twin: Twin, name: str, caption: str | None) -> None:
        id = images.count + 1
        size = {"width": twin.width, "height": twin.height}
        images.add({"id": id, "file_name": name, **size, **_facts(twin)})
        if caption is not None:
            texts.add({"id": texts.count + 1, "image_id": id, "caption": caption})
        for thing in twin.things:
            category = categories.setdefault(thing.label, len(categories) + 1)
            instances.add(_instance(thing, instances.count + 1, id, category))

    def finish() -> None:
        info: dict[str, Any] = {"info": {"description": "Photos edited by Anamorph"}}
        _join(out / "captions.json", info, {"images": images, "annotations": texts})
        known = [{"id": id, "name": name, "supercategory": ""} for name, id in categories.items()]
        _join(out / "instances.json", {**info, "categories": known}, {"images": images, "annotations": instances})

    stack.callback(finish)
    return add


_WRITERS: dict[Layout, Callable[[Path, ExitStack], _Add]] = {
    "coco-captions": _coco,
    "jsonl": _jsonl,
    "huggingface": _huggingface,
}


class _Spool:
    """Records that wait on disk until the file that lists them can be written."""

    def __init__(self, path: Path) -> None:
        self._path, self.count = path, 0

    def __enter__(self) -> _Spool:
        self._stream = self._path.open("w+", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._path.unlink()

    def add(self, record: Mapping[str, Any]) -> None:
        _line(self._stream, record)
        self.count += 1

    def __iter__(self) -> Iterator[str]:
        self._stream.seek(0)
        yield from (line.rstrip("\n") for line in self._stream)


def _join(path: Path, head: Mapping[str, Any], lists: Mapping[str, Iterable[str]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head, ensure_ascii=False)[:-1])
        for name, records in lists.items():
            file.write(f', "{name}": [\n')
            for place, record in enumerate(records):
                file.write((",\n" if place else "") + record)
            file.write("\n]")
        file.write("}\n")


def _line(stream: TextIO, record: Mapping[str, Any]) -> None:
    stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _facts(twin: Twin) -> dict[str, Any]:
    captions = [said.text for said in twin.said if said.question is None]
    return {
        "scene": twin.scene.id,
        "edits": list(twin.edits),
        "system_caption": captions[0] if captions else None,
        "issues": list(twin.issues),
    }


def _box(thing: Thing) -> list[float]:
    return [thing.box.x, thing.box.y, thing.box.width, thing.box.height]


def _instance(thing: Thing, id: int, image: int, category: int) -> dict[str, Any]:
    record = {"id": id, "image_id": image, "category_id": category, "bbox": _box(thing), "iscrowd": int(thing.crowd)}
    if thing.mask is not None:
        size = [thing.mask.height, thing.mask.width]
        return {**record, "area": mask_area(thing.mask), "segmentation": {"size": size, "counts": thing.mask.counts}}
    return {**record, "area": thing.box.area, "segmentation": []}
