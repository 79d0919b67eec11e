"""Edited images and what is on them as a data set: COCO files, JSON lines, or a Hugging Face image folder."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

from anamorph import __version__
from anamorph.errors import UsageError
from anamorph.model import Skip, Thing
from anamorph.report.folders import new_folder
from anamorph.report.images import link_or_copy
from anamorph.scenes.coco.writer import CocoFile
from anamorph.store.images import ImageFolder
from anamorph.studies.export import fiftyone
from anamorph.studies.export.reports import ReportedImage

ExportFormat: TypeAlias = Literal["coco-captions", "fiftyone", "jsonl", "huggingface"]

_CARD = """---
pretty_name: Photos edited by Anamorph
task_categories:
- image-to-text
- visual-question-answering
- object-detection
tags:
- metamorphic-testing
- anamorph
size_categories:
- {size}
configs:
- config_name: default
  data_files:
  - split: train
    path: train/*
---

# Photos edited by Anamorph

{images} images of {scenes} photos, {issues} of them with a proved issue, made by Anamorph {version}
with the methods {methods}.

| column | what it is |
|---|---|
| `file_name` | the image |
| `objects` | what is on it after the edit: boxes (x, y, width, height in pixels) and classes |
| `caption` | the caption that a reviewer wrote for the edited photo, if any |
| `system_caption` | what the tested system said; it may be wrong, so do not train with it |
| `scene`, `edits` | the photo, and what was done to it (JSON) |
| `asked` | the questions with the system's answers (JSON) |
| `reports` | what had to hold between answers and did not (JSON) |
| `issues`, `grade`, `labels` | the issues, the grade of the surest, the labels that the photo was chosen for |

No answer is known to be right: a report says that the answers in it cannot all be. The photos keep the licenses of the
data set that they come from; add `license` and `source_datasets` above before you publish this.
"""


@dataclass(frozen=True, slots=True)
class ExportCounts:
    """How much was written."""

    images: int
    captions: int
    missing: int
    skipped: int = 0


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
        except (ValueError, RecursionError) as problem:
            raise UsageError(f"{path}, line {number}: not JSON ({problem}).") from problem
        image = record.get("image") if isinstance(record, dict) else None
        caption = record.get("caption") if isinstance(record, dict) else None
        if not isinstance(image, str) or not isinstance(caption, str | None):
            raise UsageError(f'{path}, line {number}: expected {{"image": "...", "caption": "..." or null}}.')
        if caption and caption.strip():
            found[Path(image).stem] = caption.strip()
    return found


def write_training(
    images: Iterable[ReportedImage | Skip],
    pictures: ImageFolder,
    captions: Mapping[str, str],
    out: Path,
    format: ExportFormat,
) -> ExportCounts:
    """Write the images and what belongs to them into an empty or new folder."""
    written = captioned = missing = skipped = 0
    with new_folder(out) as draft, ExitStack() as stack:
        folder = draft / _FOLDERS.get(format, "images")
        folder.mkdir()
        add = _WRITERS[format](draft, stack)
        for image in images:
            if isinstance(image, Skip):
                skipped += 1
                continue
            origin = pictures.find(image.edited.file)
            if origin is None:
                missing += 1
                continue
            name = f"{image.edited.image}{origin.suffix}"
            link_or_copy(origin, folder / name)
            caption = captions.get(image.edited.image)
            add(image, name, caption)
            written += 1
            captioned += caption is not None
    return ExportCounts(written, captioned, missing, skipped)


_Add: TypeAlias = Callable[[ReportedImage, str, str | None], None]


def _jsonl(out: Path, stack: ExitStack) -> _Add:
    lines = stack.enter_context((out / "twins.jsonl").open("w", encoding="utf-8"))

    def add(image: ReportedImage, name: str, caption: str | None) -> None:
        objects = [{"label": thing.label, "box": _box(thing), "id": thing.id} for thing in image.edited.things]
        _line(lines, {"image": f"images/{name}", "caption": caption, "objects": objects, **_all_facts(image)})

    return add


def _huggingface(out: Path, stack: ExitStack) -> _Add:
    scenes: set[str] = set()
    methods: set[str] = set()
    numbers = Counter[str]()

    def write_card() -> None:
        size = next(name for most, name in _SIZES if numbers["images"] < most)
        made = {"images": numbers["images"], "issues": numbers["issues"], "scenes": len(scenes), "size": size}
        used = ", ".join(sorted(methods)) or "that no report names"
        (out / "README.md").write_text(_CARD.format(**made, version=__version__, methods=used), encoding="utf-8")

    # The last to be called: the card says how much there is.
    stack.callback(write_card)
    lines = stack.enter_context((out / "train" / "metadata.jsonl").open("w", encoding="utf-8"))

    def add(image: ReportedImage, name: str, caption: str | None) -> None:
        objects = {
            "bbox": [_box(thing) for thing in image.edited.things],
            "category": [thing.label for thing in image.edited.things],
        }
        facts = _all_facts(image)
        scenes.add(image.edited.scene.id)
        methods.update(report.method for report in image.reports)
        numbers.update(images=1, issues=bool(image.edited.issues))
        # Columns of one type each: the loader reads what has many shapes only as text.
        for column in ("edits", "asked", "reports"):
            facts[column] = json.dumps(facts[column], ensure_ascii=False)
        _line(lines, {"file_name": name, "caption": caption, "objects": objects, **facts})

    return add


def _coco(out: Path, stack: ExitStack) -> _Add:
    about = "Photos edited by Anamorph"
    captions = stack.enter_context(CocoFile(out / "captions.json", about))
    instances = stack.enter_context(CocoFile(out / "instances.json", about))
    numbers = itertools.count(1)

    def add(image: ReportedImage, name: str, caption: str | None) -> None:
        id = next(numbers)
        for file in (captions, instances):
            file.add_image(id, name, width=image.edited.width, height=image.edited.height, **_all_facts(image))
        if caption is not None:
            captions.add_caption(id, caption)
        for thing in image.edited.things:
            instances.add_thing(id, thing)

    return add


# How the hub names sizes.
_SIZES = ((1e3, "n<1K"), (1e4, "1K<n<10K"), (1e5, "10K<n<100K"), (1e6, "100K<n<1M"), (math.inf, "n>1M"))
_FOLDERS: dict[ExportFormat, str] = {"huggingface": "train", "fiftyone": "data"}
_WRITERS: dict[ExportFormat, Callable[[Path, ExitStack], _Add]] = {
    "coco-captions": _coco,
    "fiftyone": fiftyone.writer,
    "jsonl": _jsonl,
    "huggingface": _huggingface,
}


def _line(stream: TextIO, record: Mapping[str, Any]) -> None:
    stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _all_facts(image: ReportedImage) -> dict[str, Any]:
    edited = image.edited
    return {
        "scene": edited.scene.id,
        "edits": list(edited.edits),
        "system_caption": next((answer.text for answer in edited.answers if answer.question is None), None),
        "issues": list(edited.issues),
        "grade": edited.grade,
        "labels": list(image.labels),
        "asked": [each.record() for each in image.asked],
        "reports": [each.record() for each in image.reports],
    }


def _box(thing: Thing) -> list[float]:
    return [thing.box.x, thing.box.y, thing.box.width, thing.box.height]
