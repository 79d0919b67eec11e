"""Photos with shapes drawn in LabelMe."""

from __future__ import annotations

import base64
import binascii
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, Mask, Pixels, Scene, Skip, Thing, setting
from anamorph.photos.decoding import (
    check_name,
    inside,
    megabytes_setting,
    megapixels_setting,
    pixels_of,
    same_size,
    size_of,
)
from anamorph.photos.entries import Flaw, agree_on_size, class_names, is_whole_text, numbers, required, table, words
from anamorph.photos.files import existing_folder, read_json, shown
from anamorph.photos.outlines import Size, box_within, circle_mask, polygons_mask
from anamorph.photos.scene_limits import MOST_POINTS, TooMuch, check_object_count
from anamorph.photos.walks import files_under
from anamorph.pixels.masks import mask_box, mask_from_pixels, mask_pixels
from anamorph.scenes.photo_folders.local import LocalFolder
from anamorph.scenes.photo_folders.opening import PhotoFolder, check_place, existing_photo_folder, photo_folder
from anamorph.scenes.photo_folders.source import PhotoSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

_MOST_SHAPES_BYTES = 64_000_000
_SHAPES = ("polygon", "rectangle", "circle")


@dataclass(frozen=True, slots=True)
class LabelMeScenes(PhotoSource):
    """The photos of a folder of LabelMe JSON files, with their polygons, rectangles and circles."""

    kind: ClassVar[str] = "labelme"
    path: str = setting(help="The folder with the JSON files; subfolders are searched.")
    images: str | None = setting(None, "The folder with the photos, or its address; by default the same folder.")
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    def __post_init__(self) -> None:
        check_place(self.images)

    def pixels(self, scene: Scene) -> Pixels:
        if scene.picture.lower().endswith(".json"):
            path = inside(Path(self.path), scene.picture)
            content = _embedded(self._document(path), path)
            return same_size(pixels_of(content, f"The image in {path}", self._limits), scene)
        return self._photos.pixels(scene, self._limits)

    @property
    def _photos(self) -> PhotoFolder:
        return photo_folder(self.path if self.images is None else self.images)

    def _scan(self) -> Iterator[Scene | Skip]:
        root = existing_folder(self.path, "LabelMe files")
        if self.images is not None:
            existing_photo_folder(self.images, "photos")
        files, skips = files_under(root, {".json"}, recursive=True)
        if not files:
            raise UsageError(f"The folder {shown(self.path)} has no LabelMe file; they end in .json.")
        yield from skips
        yield from self._photos.each(lambda file: self._scan_file(root, file), files)

    def _document(self, path: Path) -> Mapping[str, Any]:
        # Base64 turns three bytes into four.
        document = read_json(path, self._limits.file_bytes * 4 // 3 + _MOST_SHAPES_BYTES)
        if not isinstance(document, dict) or not isinstance(document.get("shapes"), list):
            raise BadPicture(f"{shown(path)} is not a LabelMe file: it has no list 'shapes'.")
        return document

    def _scan_file(self, root: Path, file: str) -> Iterator[Scene | Skip]:
        try:
            path = inside(root, file)
            document = self._document(path)
            picture, size = self._find_photo(document, path, file)
            agree_on_size(size, (document.get("imageWidth"), document.get("imageHeight")), picture)
        except (Flaw, BadPicture) as problem:
            yield Skip(shown(file), str(problem))
            return
        things: list[Thing] = []
        try:
            check_object_count(len(document["shapes"]))
            for found in _things(document["shapes"], size, file):
                if isinstance(found, Skip):
                    yield found
                else:
                    things.append(found)
        except TooMuch as excess:
            yield Skip(shown(file), str(excess))
            return
        yield Scene(file, picture, *size, tuple(things), labels=class_names(things))

    def _find_photo(self, document: Mapping[str, Any], path: Path, file: str) -> tuple[str, Size]:
        """The scene's `picture` and its size; the JSON file itself if only it holds the photo."""
        name = words(required(document, "imagePath"), "imagePath")
        picture = self._picture(name, path, file)
        folder = self._photos
        if document.get("imageData") and not folder.has(picture):
            return file, size_of(_embedded(document, path), f"The image in {path}", self._limits)
        return picture, folder.size(picture, self._limits)

    def _picture(self, name: str, path: Path, file: str) -> str:
        """The path of a photo, relative to the folder of photos; names in the file are relative to the file."""
        check_name(name)
        if self.images is None:
            return posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
        folder = self._photos
        if not isinstance(folder, LocalFolder):
            return posixpath.normpath(name)
        try:
            beside, home = (path.parent / name).resolve(), folder.root.resolve()
        except (OSError, RuntimeError, ValueError) as problem:
            raise BadPicture(f"The file name {shown(repr(name))} cannot be followed: {shown(problem)}.") from problem
        return beside.relative_to(home).as_posix() if beside.is_relative_to(home) else posixpath.normpath(name)


def _embedded(document: Mapping[str, Any], path: Path) -> bytes:
    content = document.get("imageData")
    if not isinstance(content, str):
        raise BadPicture(f"{shown(path)} holds no image ('imageData').")
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as problem:
        raise BadPicture(f"The image in {shown(path)} ('imageData') is not valid base64: {problem}.") from problem


@dataclass(frozen=True, slots=True)
class _Part:
    """One shape; a rectangle has no mask, because it does not follow the object's outline."""

    label: str
    box: Box
    mask: Mask | None
    flags: tuple[str, ...]


# Shapes of the same label and group are one thing; a shape without a group is keyed by its position.
_Key = tuple[str, str, int]


def _things(shapes: list[Any], size: Size, file: str) -> Iterator[Thing | Skip]:
    groups: dict[_Key, list[tuple[int, _Part]]] = {}
    broken: set[_Key] = set()
    for position, shape in enumerate(shapes, start=1):
        key = None
        try:
            key = _key(table(shape, "A shape"), position)
            part = _part(shape, key[0], size)
            groups.setdefault(key, []).append((position, part))
        except TooMuch:
            raise
        except Flaw as flaw:
            if key is not None:
                broken.add(key)
            yield Skip(shown(f"{file}: shape {position}"), str(flaw))
    for key, members in groups.items():
        first = members[0][0]
        if key in broken:
            what = f"{file}: shapes {', '.join(str(position) for position, _ in members)}"
            yield Skip(shown(what), f"They are part of group {key[1]} of {key[0]!r}, another shape of which is bad.")
        else:
            yield _merged(str(first), [part for _, part in members])


def _key(shape: Mapping[str, Any], position: int) -> _Key:
    label = words(required(shape, "label"), "label")
    group = shape.get("group_id")
    if group is None:
        return label, "", position
    if isinstance(group, bool) or not isinstance(group, int | str):
        raise Flaw(f"'group_id' should be a whole number or a string, not {shown(repr(group))}.")
    return label, shown(group), 0


def _part(shape: Mapping[str, Any], label: str, size: Size) -> _Part:
    # Old versions of LabelMe, which had only polygons, do not say.
    kind = shape.get("shape_type", "polygon")
    if kind not in _SHAPES:
        raise Flaw(f"The shape type {shown(repr(kind))} is not supported; supported are {', '.join(_SHAPES)}.")
    listed = required(shape, "points")
    if not isinstance(listed, list):
        raise Flaw("'points' should be a list of [x, y].")
    if len(listed) > MOST_POINTS:
        raise TooMuch(f"It has a polygon of more than {MOST_POINTS:,} points.")
    points = [numbers(point, "points", 2) for point in listed]
    stated = shape.get("flags")
    flags = (
        tuple(sorted(name for name, on in stated.items() if on is True and is_whole_text(name)))
        if isinstance(stated, dict)
        else ()
    )
    if kind == "rectangle":
        return _Part(label, _rectangle(points, size), None, flags)
    if kind == "circle":
        if len(points) != 2:
            raise Flaw(f"The circle has {len(points)} points; it needs its center and one point of its line.")
        mask = circle_mask(points[0], points[1], size)
    else:
        mask = polygons_mask([[value for point in points for value in point]], size)
    return _Part(label, mask_box(mask), mask, flags)


def _rectangle(points: list[list[float]], size: Size) -> Box:
    if len(points) not in (2, 4):
        raise Flaw(f"The rectangle has {len(points)} points; it needs two opposite corners, or all four.")
    xs, ys = zip(*points, strict=True)
    return box_within(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys), size)


def _merged(id_: str, parts: list[_Part]) -> Thing:
    left, top = min(part.box.x for part in parts), min(part.box.y for part in parts)
    right, bottom = max(part.box.right for part in parts), max(part.box.bottom for part in parts)
    masks = [part.mask for part in parts if part.mask is not None]
    flags = tuple(sorted({flag for part in parts for flag in part.flags}))
    mask = _union(masks) if len(masks) == len(parts) else None
    return Thing(id_, parts[0].label, Box(left, top, right - left, bottom - top), mask, attributes=flags)


def _union(masks: list[Mask]) -> Mask:
    if len(masks) == 1:
        return masks[0]
    pixels = mask_pixels(masks[0])
    for mask in masks[1:]:
        pixels |= mask_pixels(mask)
    return mask_from_pixels(pixels)
