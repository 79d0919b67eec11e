"""A streaming writer of COCO's JSON files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from anamorph.model import Thing
from anamorph.pixels.masks import mask_area

# Annotations wait until the images are written: up to this size in memory, beyond it on disk.
_IN_MEMORY_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class CocoCategory:
    """A category of COCO."""

    id: int
    name: str
    supercategory: str = ""


class CocoFile:
    """A file of instances or captions; valid JSON once closed without an error.

    Without `categories`, classes are numbered as they come. Keywords add facts to an image or an annotation; COCO
    readers ignore unknown names.
    """

    def __init__(self, path: Path, description: str, categories: Iterable[CocoCategory] | None = None) -> None:
        self._categories = {each.name: each for each in categories or ()}
        self._annotations = 0
        self._images = 0
        # A lone surrogate occurs only inside a JSON string, where its backslash escape is JSON's own.
        self._stream = path.open("w", encoding="utf-8", errors="backslashreplace")
        self._waiting = tempfile.SpooledTemporaryFile(  # noqa: SIM115
            _IN_MEMORY_BYTES, "w+", encoding="utf-8", errors="backslashreplace"
        )
        self._stream.write(f'{{"info": {_json({"description": description})}, "images": [')

    def add_image(self, id: int, file_name: str, **facts: Any) -> None:
        """List a photo; `width` and `height` are also facts."""
        self._stream.write(f"{',' if self._images else ''}\n{_json({'id': id, 'file_name': file_name, **facts})}")
        self._images += 1

    def add_caption(self, image: int, caption: str, **facts: Any) -> None:
        """Add a caption of the image with this id."""
        self._add({"image_id": image, "caption": caption, **facts})

    def add_thing(self, image: int, thing: Thing, **facts: Any) -> None:
        """Add an object of the image with this id; annotations are numbered unless `id` is among the facts."""
        self._add({"image_id": image, "category_id": self._category(thing.label), **_shape(thing), **facts})

    def __enter__(self) -> CocoFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stream, self._waiting:
            if kind is not None:
                return
            self._stream.write('\n], "annotations": [')
            self._waiting.seek(0)
            self._stream.writelines(self._waiting)
            self._stream.write("\n]")
            if self._categories:
                listed = [
                    {"id": each.id, "name": each.name, "supercategory": each.supercategory}
                    for each in self._categories.values()
                ]
                self._stream.write(f', "categories": {_json(listed)}')
            self._stream.write("}\n")

    def _add(self, record: Mapping[str, Any]) -> None:
        self._annotations += 1
        comma = "," if self._annotations > 1 else ""
        self._waiting.write(f"{comma}\n{_json({'id': self._annotations, **record})}")

    def _category(self, label: str) -> int:
        return self._categories.setdefault(label, CocoCategory(len(self._categories) + 1, label)).id


def _shape(thing: Thing) -> dict[str, Any]:
    record = {"bbox": [thing.box.x, thing.box.y, thing.box.width, thing.box.height], "iscrowd": int(thing.crowd)}
    if thing.mask is None:
        return {**record, "area": thing.box.area, "segmentation": []}
    size = [thing.mask.height, thing.mask.width]
    return {**record, "area": mask_area(thing.mask), "segmentation": {"size": size, "counts": thing.mask.counts}}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
