"""Photos with the objects of a Pascal VOC folder."""

from __future__ import annotations

import posixpath
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import ClassVar, NoReturn
from xml.etree.ElementTree import Element

import numpy as np

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, LabelSpaceName, Pixels, Scene, Skip, Thing, setting
from anamorph.photos.decoding import inside, megabytes_setting, megapixels_setting, read_indices
from anamorph.photos.entries import Flaw, agree_on_size, class_names, number, words
from anamorph.photos.files import existing_folder, is_there, open_regular, shown
from anamorph.photos.outlines import Size, box_within
from anamorph.photos.scene_limits import check_object_count
from anamorph.photos.walks import files_under
from anamorph.pixels.masks import mask_from_pixels
from anamorph.scenes.choosing.splits import listed_photos, lists_in
from anamorph.scenes.exhaustive.declaring import check_vouched, exhaustive_setting
from anamorph.scenes.photo_folders.opening import PhotoFolder, existing_photo_folder
from anamorph.scenes.photo_folders.source import FolderSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

_MOST_XML_BYTES = 16_000_000
_FLAGS = ("difficult", "truncated", "occluded")
_UNKNOWN_POSE = "unspecified"
_VOID = 255


@dataclass(frozen=True, slots=True)
class VocScenes(FolderSource):
    """The annotated photos of a Pascal VOC folder, with boxes, and masks if VOC has them."""

    kind: ClassVar[str] = "voc"
    path: str = setting(help="The folder that holds Annotations and JPEGImages.")
    split: str | None = setting(None, "Only the photos that ImageSets/Main/NAME.txt lists, such as trainval.")
    images: str | None = setting(None, "The folder with the photos, or its address; by default JPEGImages.")
    exhaustive: bool = exhaustive_setting()
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    @property
    def _photos(self) -> str:
        return str(Path(self.path) / "JPEGImages") if self.images is None else self.images

    def _scan(self) -> Iterator[Scene | Skip]:
        root = existing_folder(self.path, "VOC's Annotations and JPEGImages")
        notes = existing_folder(str(root / "Annotations"), "VOC's annotations")
        folder = existing_photo_folder(self._photos, "VOC's photos")
        if self.split is None:
            files, skips = files_under(notes, {".xml"}, recursive=False)
            if not files:
                raise UsageError(f"The folder {shown(notes)} has no annotation; annotations end in .xml.")
            yield from skips
        else:
            files = [f"{name}.xml" for name in _split(root, self.split)]
        seen: set[str] = set()
        again: list[Skip] = []
        for file in files:
            if file in seen:
                what = f"ImageSets/Main/{self.split}.txt: {file[:-4]}"
                again.append(Skip(shown(what), "The split lists it more than once."))
            seen.add(file)
        yield from again
        yield from folder.each(lambda file: self._scan_file(root, notes, folder, file), dict.fromkeys(files))

    def _scan_file(self, root: Path, notes: Path, folder: PhotoFolder, file: str) -> Iterator[Scene | Skip]:
        where = f"Annotations/{file}"
        try:
            tree = _parse(inside(notes, file))
            name = posixpath.normpath(words(_text(tree, "filename"), "filename"))
            size = folder.size(name, self._limits)
            agree_on_size(size, _stated_size(tree), folder.called(name))
            check_object_count(len(tree.findall("object")))
        except (Flaw, BadPicture) as problem:
            yield Skip(shown(where), str(problem))
            return
        id_ = str(PurePosixPath(file).with_suffix(""))
        things: list[Thing] = []
        objects = tree.findall("object")
        numbers: Pixels | None = None
        try:
            numbers = self._object_numbers(root, id_, size, len(objects))
        except BadPicture as problem:
            yield Skip(shown(f"SegmentationObject/{id_}.png"), f"The objects have no masks from it: {problem}")
        for position, entry in enumerate(objects, start=1):
            try:
                thing = _thing(str(position), entry, size)
            except Flaw as flaw:
                yield Skip(shown(f"{where}: object {position}"), str(flaw))
                continue
            if self.exhaustive:
                check_vouched(thing.label, "voc", str(notes / file))
            if numbers is not None:
                drawn = numbers == position
                if position < _VOID and drawn.any():
                    thing = replace(thing, mask=mask_from_pixels(drawn))
                else:
                    what = f"SegmentationObject/{id_}.png: object {position}"
                    yield Skip(shown(what), f"No pixel has the value {position}, so the object has a box but no mask.")
            things.append(thing)
        origin = {"database": database} if (database := _text(tree, "source/database")) else {}
        # An unusable object is still there.
        complete: LabelSpaceName | None = "voc" if self.exhaustive and len(things) == len(objects) else None
        yield Scene(id_, name, *size, tuple(things), labels=class_names(things), origin=origin, complete=complete)

    def _object_numbers(self, root: Path, id_: str, size: Size, count: int) -> Pixels | None:
        """VOC's object map: pixel value n is the n-th object of the annotation, 0 is background, 255 is void."""
        folder = root / "SegmentationObject"
        path = inside(folder, f"{id_}.png")
        if not is_there(path):
            return None
        numbers = read_indices(path, self._limits)
        if numbers.shape != (size[1], size[0]):
            stated = f"{numbers.shape[1]} x {numbers.shape[0]}"
            raise BadPicture(f"{shown(path)} is {stated}, but the photo is {size[0]} x {size[1]} when upright.")
        largest = int(np.max(numbers, where=numbers != _VOID, initial=0))
        if largest > count:
            raise BadPicture(f"{shown(path)} draws object {largest}, but the annotation lists {count} objects.")
        return numbers


class _Builder(ElementTree.TreeBuilder):
    """Refuses a DOCTYPE, the only way to define entities that expand endlessly."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> NoReturn:
        raise Flaw("It has a DOCTYPE, which VOC annotations never need.")


def _parse(path: Path) -> Element:
    with open_regular(path, _MOST_XML_BYTES) as file:
        content = file.read()
    parser = ElementTree.XMLParser(target=_Builder())
    try:
        parser.feed(content)
        tree = parser.close()
    except Flaw:
        raise
    except (ElementTree.ParseError, ValueError, LookupError) as problem:
        raise Flaw(f"{shown(path)} is not valid XML: {problem}.") from problem
    if not isinstance(tree, Element) or tree.tag != "annotation":
        raise Flaw(f"{shown(path)} is not a VOC annotation: its root is not <annotation>.")
    return tree


def _split(root: Path, name: str) -> list[str]:
    lists = root / "ImageSets" / "Main"
    try:
        listed = inside(lists, f"{name}.txt")
    except BadPicture as problem:
        raise UsageError(f"The split {shown(repr(name))} cannot be read: {problem}") from problem
    if not is_there(listed) and (known := lists_in(lists)):
        raise UsageError(f"The split {shown(repr(name))} is not in {shown(lists)}. Valid: {shown(', '.join(known))}.")
    names = listed_photos(listed)
    if not names:
        raise UsageError(f"The split {shown(repr(name))} of {shown(root)} lists no photo.")
    return names


def _thing(id_: str, entry: Element, size: Size) -> Thing:
    label = words(_text(entry, "name"), "name")
    flags = [flag for flag in _FLAGS if _text(entry, flag) == "1"]
    pose = _text(entry, "pose") or _UNKNOWN_POSE
    if pose.lower() != _UNKNOWN_POSE:
        flags.append(f"pose={pose}")
    return Thing(id_, label, _box(entry, size), attributes=tuple(flags))


def _box(entry: Element, size: Size) -> Box:
    if entry.find("bndbox") is None:
        raise Flaw("It has no <bndbox>.")
    left, top, right, bottom = (_coordinate(entry, side) for side in ("xmin", "ymin", "xmax", "ymax"))
    # VOC counts pixels from 1 and includes the last one.
    return box_within(left - 1, top - 1, right - left + 1, bottom - top + 1, size)


def _coordinate(entry: Element, side: str) -> float:
    text = _text(entry, f"bndbox/{side}")
    try:
        return number(float(text or ""), side)
    except ValueError:
        raise Flaw(f"<{side}> should be a finite number, not {shown(repr(text))}.") from None


def _stated_size(tree: Element) -> tuple[int | str | None, int | str | None]:
    width, height = (_text(tree, f"size/{side}") for side in ("width", "height"))
    return _whole(width), _whole(height)


def _whole(text: str | None) -> int | str | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else text


def _text(entry: Element, path: str) -> str | None:
    """The text of a child; None if missing or blank."""
    return (entry.findtext(path) or "").strip() or None
