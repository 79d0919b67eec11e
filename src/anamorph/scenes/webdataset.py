"""Photos from the tar files of a WebDataset: members with the same key are one sample."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO, ClassVar

from anamorph.errors import BadPicture
from anamorph.model import Pixels, Scene, Skip, Thing, setting
from anamorph.photos.decoding import (
    PHOTO_SUFFIXES,
    check_name,
    inside,
    megabytes_setting,
    megapixels_setting,
    pixels_of,
    same_size,
    size_of,
)
from anamorph.photos.entries import Flaw, class_names, is_whole_text, table
from anamorph.photos.files import open_regular, shown
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

_PHOTOS = frozenset(suffix[1:] for suffix in PHOTO_SUFFIXES)
_TEXTS = ("txt", "caption", "json", "cls")
# Of a text, JSON or cls member, and of a member's extended headers.
_MOST_TEXT_BYTES = 4_000_000
_MOST_HEADER_BYTES = 1_000_000
_MOST_KEY = 1_000
# Raised by `tarfile` for damaged headers, besides its own errors; it follows chains of headers recursively.
_ODD_ERRORS = (ArithmeticError, LookupError, TypeError, RecursionError)


@dataclass(frozen=True, slots=True)
class WebDatasetScenes(PhotoSource):
    """The samples of tar shards: a photo with captions (txt, json), a class (cls) and objects (json) beside it."""

    kind: ClassVar[str] = "webdataset"
    path: str = setting(help="A tar file, or a folder of them; subfolders are searched.")
    boxes: BoxForm = boxes_setting()
    classes: str | None = classes_setting()
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    def pixels(self, scene: Scene) -> Pixels:
        shard, offset, size = _place(scene.picture)
        if size > self._limits.file_bytes:
            raise BadPicture(f"{shown(scene.picture)} has more than the limit of {self._limits.file_bytes:,} bytes.")
        with open_regular(inside(root_of(self.path), shard)) as file:
            content = _read(file, offset, size)
        return same_size(pixels_of(content, scene.picture, self._limits), scene)

    def _scan(self) -> Iterator[Scene | Skip]:
        names = class_list(self.classes)
        shards, skips = find_shards(self.path, ".tar", "tar file")
        yield from skips
        for shard in shards:
            try:
                with open_regular(inside(root_of(self.path), shard)) as file:
                    yield from self._scan_shard(file, shard, names)
            except BadPicture as problem:
                yield Skip(shown(shard), str(problem))

    def _scan_shard(self, file: BinaryIO, shard: str, names: Sequence[str]) -> Iterator[Scene | Skip]:
        seen: set[str] = set()
        sample = _Sample("")
        for member in _members(file, shard):
            if isinstance(member, Skip):
                yield member
                continue
            if member.key != sample.key:
                yield from self._scene(file, shard, sample, seen, names)
                sample = _Sample(member.key)
            yield from sample.take(member, shard)
        yield from self._scene(file, shard, sample, seen, names)

    def _scene(
        self, file: BinaryIO, shard: str, sample: _Sample, seen: set[str], names: Sequence[str]
    ) -> Iterator[Scene | Skip]:
        photo = sample.photo
        if photo is None:
            if sample.key:
                yield Skip(shown(f"{shard}/{sample.key}"), "The sample has no photo.")
            return
        picture = f"{shard}/{photo.offset}+{photo.size}/{PurePosixPath(photo.name).name}"
        id_ = f"{shard}/{sample.key}"
        try:
            if sample.key in seen:
                raise Flaw("Another sample before it has the same key.")
            if photo.size > self._limits.file_bytes:
                raise BadPicture(f"It has {photo.size:,} bytes, more than the limit of {self._limits.file_bytes:,}.")
            size = size_of(_read(file, photo.offset, photo.size), picture, self._limits)
            notes = _notes(file, sample)
            objects = _first(notes, OBJECT_KEYS)
            found = list(things_in(objects, size, self.boxes, names, id_))
        except (Flaw, BadPicture) as problem:
            yield Skip(shown(f"{shard}/{photo.name}"), str(problem))
            return
        seen.add(sample.key)
        yield from (item for item in found if isinstance(item, Skip))
        things = tuple(item for item in found if isinstance(item, Thing))
        captions: tuple[str, ...] = ()
        labels: tuple[str, ...] = ()
        try:
            captions = tuple(dict.fromkeys((*notes["lines"], *captions_in(_first(notes, CAPTION_KEYS)))))
        except Flaw as flaw:
            yield Skip(shown(id_), f"It has no captions: {flaw}")
        try:
            labels = labels_in(_first(notes, LABEL_KEYS), names)
        except Flaw as flaw:
            yield Skip(shown(id_), f"It has no labels of its own: {flaw}")
        yield Scene(id_, picture, *size, things, captions, tuple(sorted({*labels, *class_names(things)})))


@dataclass(frozen=True, slots=True)
class _Member:
    """A regular file in a tar file: its name and the position of its bytes."""

    name: str
    key: str
    suffix: str
    offset: int
    size: int


class _Sample:
    """Consecutive members with one key."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.photo: _Member | None = None
        self.texts: dict[str, _Member] = {}

    def take(self, member: _Member, shard: str) -> Iterator[Skip]:
        """Keep a useful member; a second photo or text of the same kind is a Skip."""
        if member.suffix in _PHOTOS and self.photo is None:
            self.photo = member
        elif member.suffix in _TEXTS and member.suffix not in self.texts:
            self.texts[member.suffix] = member
        elif member.suffix in _PHOTOS or member.suffix in _TEXTS:
            yield Skip(shown(f"{shard}/{member.name}"), "Another member of the same sample is of the same kind.")


class _Headers:
    """The file for `tarfile` to read headers from, with bounded reads."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _MOST_HEADER_BYTES:
            raise tarfile.ReadError(f"a header says that it has {size:,} bytes")
        return self._file.read(size)


def _members(file: BinaryIO, shard: str) -> Iterator[_Member | Skip]:
    """The regular files of a tar file, in order; nothing is written to disk."""
    end = file.seek(0, 2)
    file.seek(0)
    headers: Any = _Headers(file)
    archive: Any = None
    while True:
        try:
            archive = tarfile.TarFile(fileobj=headers) if archive is None else archive
            found = archive.next()
            # `tarfile` would keep every header in memory.
            archive.members = []
        except (tarfile.TarError, OSError, EOFError, ValueError, *_ODD_ERRORS) as problem:
            yield _damaged(shard, problem)
            return
        if found is None:
            return
        name, what = found.name, shown(f"{shard}/{found.name}")
        if found.isdir():
            continue
        if not found.isreg() or found.issparse():
            yield Skip(what, "It is a link, a device or a sparse file; only regular files are read.")
        elif not 0 <= found.size <= end - found.offset_data:
            yield Skip(what, "The tar file ends before it does.")
            return
        elif (problem_with := _name_problem(name)) is not None:
            yield Skip(what, problem_with)
        else:
            folder, _, last = name.rpartition("/")
            stem, _, suffix = last.partition(".")
            if stem and suffix:
                # Only the last part of the suffix counts: 0001.left.jpg is a photo.
                key = f"{folder}/{stem}" if folder else stem
                yield _Member(name, key, suffix.lower().rpartition(".")[2], found.offset_data, found.size)


def _damaged(shard: str, problem: BaseException) -> Skip:
    reason = " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(".")
    return Skip(shown(shard), f"It is not a tar file, or is damaged from here on ({shown(reason)}).")


def _name_problem(name: str) -> str | None:
    try:
        check_name(name)
    except BadPicture as problem:
        return str(problem)
    if ".." in name.split("/"):
        return "Its name leads out of the tar file."
    if not is_whole_text(name) or len(name) > _MOST_KEY:
        return "Its name is not valid UTF-8, or longer than 1,000 characters."
    return None


def _notes(file: BinaryIO, sample: _Sample) -> Mapping[str, Any]:
    """The annotations in the text files beside a photo; `lines` are the captions of txt and caption."""
    notes: dict[str, Any] = {"lines": ()}
    for suffix, member in sample.texts.items():
        if member.size > _MOST_TEXT_BYTES:
            raise Flaw(f"Its {suffix} has {member.size:,} bytes, more than the limit of {_MOST_TEXT_BYTES:,}.")
        try:
            text = _read(file, member.offset, member.size).decode("utf-8-sig")
            if suffix == "json":
                said = table(json.loads(text), "The JSON")
                notes = {**said, **notes}
            elif suffix == "cls":
                value = text.strip()
                notes["cls"] = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value
            else:
                lines = [line.strip() for line in text.splitlines() if line.strip()]
                notes["lines"] = (*notes["lines"], *captions_in(lines))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as problem:
            raise Flaw(f"Its {suffix} cannot be read: {shown(problem)}.") from problem
    return notes


def _first(notes: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((notes[key] for key in keys if notes.get(key) is not None), None)


def _place(picture: str) -> tuple[str, int, int]:
    """The shard, the photo's offset and its size, from SHARD/OFFSET+SIZE/NAME."""
    parts = picture.rsplit("/", 2)
    offset, _, size = parts[1].partition("+") if len(parts) == 3 else ("", "", "")
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (offset, size)):
        raise BadPicture(f"{shown(picture)} does not say where its photo is; it should be SHARD/OFFSET+SIZE/NAME.")
    return parts[0], int(offset), int(size)


def _read(file: BinaryIO, offset: int, size: int) -> bytes:
    """Bytes of the tar file, whose position is kept for `tarfile`."""
    before = file.tell()
    try:
        file.seek(offset)
        content = file.read(size)
    except (OSError, OverflowError) as problem:
        raise BadPicture(f"The tar file cannot be read at {offset:,}: {shown(problem)}.") from problem
    finally:
        file.seek(before)
    if len(content) != size:
        raise BadPicture("The tar file ends before the photo does.")
    return content
