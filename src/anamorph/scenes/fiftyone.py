"""Photos of a FiftyOne dataset on disk, with its detections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Scene, Skip, Thing, setting
from anamorph.photos.decoding import megabytes_setting, megapixels_setting
from anamorph.photos.entries import Flaw, class_names, numbers, required, table, words
from anamorph.photos.files import existing_folder, read_document, shown
from anamorph.photos.outlines import Size, box_within
from anamorph.photos.scene_limits import TooMuch, check_object_count
from anamorph.scenes.photo_folders.local import LocalFolder
from anamorph.scenes.photo_folders.source import PhotoSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

_MOST_BYTES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class FiftyOneScenes(PhotoSource):
    """The photos of a dataset that FiftyOne exported as FiftyOneDataset, with the boxes of one field."""

    kind: ClassVar[str] = "fiftyone"
    path: str = setting(help="The folder with samples.json, metadata.json and data/.")
    field: str = setting("ground_truth", "The samples' field with the detections; empty for none.")
    tag: str = setting("", "Only samples with this tag, such as photo; all if empty.")
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    def pixels(self, scene: Scene) -> Pixels:
        return LocalFolder(Path(self.path)).pixels(scene, self._limits)

    def _scan(self) -> Iterator[Scene | Skip]:
        root = existing_folder(self.path, "a FiftyOne dataset")
        file = root / "samples.json"
        if not file.is_file():
            raise UsageError(f"{shown(self.path)} has no samples.json; export the dataset as FiftyOneDataset.")
        document = read_document(file, _MOST_BYTES)
        samples = document.get("samples") if isinstance(document, dict) else None
        if not isinstance(samples, list):
            raise UsageError(f"{shown(file)} has no list 'samples'.")
        known: set[str] = set()
        for place, sample in enumerate(samples):
            yield from self._scan_sample(root, sample, f"samples[{place}]", known)

    def _scan_sample(self, root: Path, sample: Any, where: str, known: set[str]) -> Iterator[Scene | Skip]:
        try:
            entry = table(sample, where)
            where = name = words(required(entry, "filepath"), "filepath").replace("\\", "/")
            tags = entry.get("tags")
            if self.tag and not (isinstance(tags, list) and self.tag in tags):
                return
            size = LocalFolder(root).size(name, self._limits)
            objects = _detections(entry, self.field)
            check_object_count(len(objects))
        except (Flaw, BadPicture, TooMuch) as problem:
            yield Skip(shown(where), str(problem))
            return
        if name in known:
            yield Skip(shown(name), "Another sample has the same photo.")
            return
        known.add(name)
        things: list[Thing] = []
        for number, found in enumerate(objects, start=1):
            try:
                things.append(_thing(found, str(number), size))
            except Flaw as problem:
                yield Skip(f"{shown(name)}, object {number}", str(problem))
        yield Scene(name, name, *size, tuple(things), labels=class_names(things))


def _detections(entry: Mapping[str, Any], field: str) -> list[Any]:
    held = entry.get(field) if field else None
    if held is None:
        return []
    found = table(held, field).get("detections")
    if not isinstance(found, list):
        raise Flaw(f"The field {field!r} has no list 'detections'; name a field of detections with `field`.")
    return found


def _thing(found: Any, id: str, size: Size) -> Thing:
    entry = table(found, "A detection")
    left, top, width, height = numbers(required(entry, "bounding_box"), "bounding_box", 4)
    box = box_within(left * size[0], top * size[1], width * size[0], height * size[1], size)
    score = entry.get("confidence")
    scored = (
        float(score) if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1 else None
    )
    return Thing(id, words(required(entry, "label"), "label"), box, score=scored)
