"""Photos from the Parquet files of a Hugging Face image data set on disk."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Scene, Skip, Thing, setting
from anamorph.photos.decoding import (
    check_name,
    inside,
    megabytes_setting,
    megapixels_setting,
    pixels_of,
    same_size,
    size_of,
)
from anamorph.photos.entries import Flaw, class_names, identity, is_whole_text
from anamorph.photos.files import shown
from anamorph.scenes.parquet.messages import Description, RowsOrder
from anamorph.scenes.parquet.reading import reader
from anamorph.scenes.photo_folders.source import PhotoSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting
from anamorph.scenes.samples.annotations import (
    CAPTION_KEYS,
    LABEL_KEYS,
    OBJECT_KEYS,
    BoxForm,
    boxes_setting,
    captions_in,
    class_list,
    classes_setting,
    labels_in,
    things_in,
)
from anamorph.scenes.samples.shards import find_shards, root_of

_IMAGE_KEYS = ("image", "img", "picture", "photo", "jpg")
# Of a row group, which may be in memory twice, compressed and decompressed.
MOST_GROUP_BYTES = 2_000_000_000
# Photos are compressed already, and text compresses less than a hundredfold: data beyond both this size and this ratio
# is a decompression bomb.
MOST_UNPACKED_BYTES = 64_000_000
MOST_UNPACKED_TIMES = 100


@dataclass(frozen=True, slots=True)
class ParquetScenes(PhotoSource):
    """The rows of Parquet files with a column of images, and optional columns of captions, labels and objects."""

    kind: ClassVar[str] = "parquet"
    path: str = setting(help="A Parquet file, or a folder of them; subfolders are searched.")
    image: str | None = setting(None, "The column of images; by default image, img, picture, photo or jpg.")
    captions: str | None = setting(None, "The column of captions; by default caption, captions, text or sentences.")
    labels: str | None = setting(None, "The column of labels; by default label or labels.")
    objects: str | None = setting(None, "The column of objects; by default objects.")
    id: str | None = setting(None, "The column of scene ids; by default FILE/ROW.")
    boxes: BoxForm = boxes_setting()
    classes: str | None = classes_setting()
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    def pixels(self, scene: Scene) -> Pixels:
        shard, row = _place(scene.picture)
        content = _content(inside(root_of(self.path), shard), shard, row, self.image)
        return same_size(pixels_of(content, scene.picture, self._limits), scene)

    def _scan(self) -> Iterator[Scene | Skip]:
        given = class_list(self.classes)
        shards, skips = find_shards(self.path, ".parquet", "Parquet file")
        yield from skips
        seen: set[str] = set()
        for shard in shards:
            try:
                file = _described(inside(root_of(self.path), shard), shard)
                yield from self._scan_file(file, given, seen)
            except BadPicture as problem:
                yield Skip(shown(shard), str(problem))

    def _scan_file(self, file: _File, given: Sequence[str], seen: set[str]) -> Iterator[Scene | Skip]:
        known, shard = file.description.columns, file.shard
        columns = {
            "image": _image_column(known, self.image, shard),
            "captions": _column(known, self.captions, CAPTION_KEYS, shard),
            "labels": _column(known, self.labels, LABEL_KEYS, shard),
            "objects": _column(known, self.objects, OBJECT_KEYS, shard),
            "id": _column(known, self.id, (), shard),
        }
        features = _features(file.description)
        names = {role: given or _names(features.get(columns[role] or "")) for role in ("labels", "objects")}
        wanted = {role: column for role, column in columns.items() if column is not None}
        first = 0
        for number, group in enumerate(file.description.groups):
            if group.bytes > MOST_GROUP_BYTES:
                reason = f"It has more than the limit of {MOST_GROUP_BYTES:,} bytes; write the file with smaller ones."
                yield Skip(shown(f"{shard}: row group {number}"), reason)
            else:
                rows = reader.rows(file.path, shard, file.order(number, list(wanted.values())))
                for row, values in enumerate(rows, start=first):
                    sample = {role: values[column] for role, column in wanted.items()}
                    yield from self._scan_row(sample, f"{shard}/{row}", names, seen)
            first += group.rows

    def _scan_row(
        self, sample: Mapping[str, Any], place: str, names: Mapping[str, Sequence[str]], seen: set[str]
    ) -> Iterator[Scene | Skip]:
        try:
            content, name = _image_of(sample["image"], place)
            picture = f"{place}/{name}"
            size = size_of(content, picture, self._limits)
            id_ = place if self.id is None else identity(sample)
            if id_ in seen:
                raise Flaw(f"Another row before it has the same id {shown(id_)}.")
            found = list(things_in(sample.get("objects"), size, self.boxes, names["objects"], picture))
        except (Flaw, BadPicture) as problem:
            yield Skip(shown(f"{place}{_own_name(sample)}"), str(problem))
            return
        seen.add(id_)
        yield from (item for item in found if isinstance(item, Skip))
        things = tuple(item for item in found if isinstance(item, Thing))
        captions: tuple[str, ...] = ()
        labels: tuple[str, ...] = ()
        try:
            captions = captions_in(sample.get("captions"))
        except Flaw as flaw:
            yield Skip(shown(place), f"It has no captions: {flaw}")
        try:
            labels = labels_in(sample.get("labels"), names["labels"])
        except Flaw as flaw:
            yield Skip(shown(place), f"It has no labels of its own: {flaw}")
        yield Scene(id_, picture, *size, things, captions, tuple(sorted({*labels, *class_names(things)})))


def _own_name(sample: Mapping[str, Any]) -> str:
    """The data set's name of a photo's file, for messages."""
    image = sample.get("image")
    name = image.get("path") if isinstance(image, dict) else None
    return f" ({name})" if isinstance(name, str) and name else ""


def _image_of(value: Any, place: str) -> tuple[bytes, str]:
    """The bytes of an image, and its file name if the data set has it."""
    name = None
    if isinstance(value, dict):
        name, value = value.get("path"), value.get("bytes")
        if value is None and name:
            raise BadPicture(f"{shown(place)} has only the path of its image, {shown(name)}, and not its bytes.")
    if not isinstance(value, bytes):
        raise BadPicture(f"{shown(place)} has no image.")
    return value, _file_name(name)


def _file_name(name: Any) -> str:
    """The last part of a path, by which questions may refer to the photo; never opened."""
    last = PurePosixPath(name).name if isinstance(name, str) and is_whole_text(name) else ""
    try:
        check_name(last)
    except BadPicture:
        return "image"
    return last if last not in (".", "..") and len(last) <= 255 else "image"


def _place(picture: str) -> tuple[str, int]:
    """The shard and the row in SHARD/ROW/NAME."""
    parts = picture.rsplit("/", 2)
    if len(parts) != 3 or not (parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 19):
        raise BadPicture(f"{shown(picture)} does not say where its image is; it should be SHARD/ROW/NAME.")
    return parts[0], int(parts[1])


# --- the files ------------------------------------------------------------------------------------------------------


def _described(path: Path, shard: str) -> _File:
    return _File(path, shard, reader.describe(path, shard), _size_on_disk(path, shard))


@dataclass(frozen=True, slots=True)
class _File:
    """A Parquet file's own description, and its real size."""

    path: Path
    shard: str
    description: Description
    packed: int

    def order(self, group: int, columns: Sequence[str], first: int = 0) -> RowsOrder:
        """The order for rows of a group; BadPicture for a decompression bomb, by its stated size."""
        unpacked = self.description.groups[group].bytes
        if unpacked > max(MOST_UNPACKED_BYTES, MOST_UNPACKED_TIMES * self.packed):
            raise BadPicture(
                f"{shown(self.shard)}: row group {group} of a file of {self.packed:,} bytes unpacks to {unpacked:,} "
                f"bytes, more than {MOST_UNPACKED_TIMES} times as many, so it is not read."
            )
        return RowsOrder(group, tuple(columns), first)


def _size_on_disk(path: Path, shard: str) -> int:
    try:
        return path.stat().st_size
    except OSError as problem:
        raise BadPicture(f"{shown(shard)} cannot be opened: {shown(problem.strerror or problem)}.") from problem


def _column(names: Sequence[str], wanted: str | None, usual: Sequence[str], shard: str) -> str | None:
    if wanted is None:
        return next((name for name in usual if name in names), None)
    if names.count(wanted) != 1:
        known = shown(", ".join(names))
        raise UsageError(f"{shown(shard)} has no column {shown(repr(wanted))}; its columns are {known}.")
    return wanted


def _image_column(names: Sequence[str], wanted: str | None, shard: str) -> str:
    column = _column(names, wanted, _IMAGE_KEYS, shard)
    if column is None:
        known = shown(", ".join(names))
        raise UsageError(f"{shown(shard)} has no column of images; name it with image=COLUMN. Its columns are {known}.")
    return column


def _features(description: Description) -> Mapping[str, Any]:
    """Hugging Face's metadata of the columns; empty if there is none."""
    try:
        features = json.loads(description.features or "")["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}
    return features if isinstance(features, dict) else {}


def _names(feature: Any, depth: int = 0) -> tuple[str, ...]:
    """The names of a ClassLabel, at any depth of a column's description."""
    if depth > 6 or not isinstance(feature, dict | list):
        return ()
    if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
        names = feature.get("names")
        if isinstance(names, dict):
            # Data set cards write them as a table by number.
            names = list(names.values())
        good = isinstance(names, list) and all(is_whole_text(name) and name.strip() for name in names)
        return tuple(names) if good and names else ()
    inner = feature.values() if isinstance(feature, dict) else feature
    return next((names for each in inner if (names := _names(each, depth + 1))), ())


# Images read ahead, by file, column and first row: the last few windows of any source in this process.
_Key = tuple[str, int, int, str | None]
_windows: OrderedDict[tuple[_Key, int], list[tuple[int, Any]]] = OrderedDict()
_MOST_WINDOWS = 3
_lock = threading.Lock()


def _content(path: Path, shard: str, row: int, column: str | None) -> bytes:
    """The bytes of the image in one row; the following ones are cached, since they will be requested next."""
    try:
        status = path.stat()
    except OSError as problem:
        raise BadPicture(f"{shown(shard)} cannot be opened: {shown(problem.strerror or problem)}.") from problem
    key = (str(path), status.st_mtime_ns, status.st_size, column)
    with _lock:
        for (known, _), window in _windows.items():
            if known == key and window[0][0] <= row <= window[-1][0]:
                return _image_of(window[row - window[0][0]][1], f"{shard}/{row}")[0]
        window = _read_ahead(path, shard, row, column)
        _windows[key, row] = window
        while len(_windows) > _MOST_WINDOWS:
            _windows.popitem(last=False)
    return _image_of(window[0][1], f"{shard}/{row}")[0]


def _read_ahead(path: Path, shard: str, row: int, column: str | None) -> list[tuple[int, Any]]:
    file = _described(path, shard)
    column = _image_column(file.description.columns, column, shard)
    first = 0
    for number, group in enumerate(file.description.groups):
        if first <= row < first + group.rows:
            rows = reader.some_rows(path, shard, file.order(number, [column], row - first))
            if rows:
                return [(row + place, values[column]) for place, values in enumerate(rows)]
            break
        first += group.rows
    raise BadPicture(f"{shown(shard)} no longer has a row {row}.")
