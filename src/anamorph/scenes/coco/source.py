"""Photos with the objects and captions of COCO's JSON files."""

from __future__ import annotations

import posixpath
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, LabelSpaceName, Mask, Scene, Skip, Stuff, Thing, setting
from anamorph.photos.decoding import megabytes_setting, megapixels_setting
from anamorph.photos.entries import (
    Flaw,
    agree_on_size,
    class_names,
    identity,
    is_whole_text,
    numbers,
    required,
    table,
    words,
)
from anamorph.photos.files import read_document, shown
from anamorph.photos.outlines import Size, box_within, polygons_mask, runs_mask
from anamorph.photos.scene_limits import TooMuch, check_object_count
from anamorph.pixels.masks import mask_box
from anamorph.scenes.coco.panoptic import PanopticMaps
from anamorph.scenes.coco.stuff import StuffMaps
from anamorph.scenes.exhaustive.declaring import exhaustive_setting, vouched_space
from anamorph.scenes.photo_folders.opening import PhotoFolder, existing_photo_folder
from anamorph.scenes.photo_folders.source import FolderSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

_ANNOTATION_KEYS = ("id", "image_id", "category_id", "bbox", "segmentation", "iscrowd", "caption")
_ORIGIN_KEYS = ("flickr_url", "coco_url")

_Entry = Mapping[str, Any]
# Annotations by image id, in file order.
_ByImage = dict[str, list[_Entry]]


@dataclass(frozen=True, slots=True)
class CocoScenes(FolderSource):
    """The photos of a COCO instances file (or captions file), with boxes, masks and captions."""

    kind: ClassVar[str] = "coco"
    instances: str = setting(help="The JSON file with the photos and their objects; one with only captions is fine.")
    images: str = setting(help="The folder with the photos, or its address.")
    captions: str | None = setting(None, "A JSON file with captions for the same photos.")
    panoptic: str | None = setting(None, "A panoptic JSON file for the same photos, with the ground.")
    panoptic_maps: str | None = setting(
        None, "The folder with the panoptic PNGs; by default the one beside the panoptic file with its name."
    )
    stuff: str | None = setting(None, "A folder with COCO-Stuff's pixel maps of the same photos, with the ground.")
    exhaustive: bool = exhaustive_setting()
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    @property
    def _photos(self) -> str:
        return self.images

    def _scan(self) -> Iterator[Scene | Skip]:
        folder = existing_photo_folder(self.images, "photos")
        document = _document(self.instances, "images")
        objects, object_skips = _grouped(document.pop("annotations", []), self.instances)
        captions: _ByImage = {}
        caption_skips: list[Skip] = []
        if self.captions is not None:
            captions, caption_skips = _grouped(_document(self.captions, "annotations")["annotations"], self.captions)
        maps, map_skips = self._maps()
        categories, category_skips = _categories(document.get("categories", []), self.instances)
        licences = _licences(document.get("licenses", []))
        complete = vouched_space(set(categories.values()), self.instances) if self.exhaustive else None
        yield from (*category_skips, *object_skips, *caption_skips, *map_skips)

        def scenes_of(photo: _Photo | Skip) -> Iterable[Scene | Skip]:
            if isinstance(photo, Skip):
                return (photo,)
            return self._scan_photo(folder, photo, categories, licences, complete, maps)

        yield from folder.each(scenes_of, self._listed(document["images"], objects, captions))
        yield from _orphans(objects, self.instances, self.instances)
        yield from _orphans(captions, self.captions or "", self.instances)

    def _listed(self, images: Sequence[Any], objects: _ByImage, captions: _ByImage) -> Iterator[_Photo | Skip]:
        seen: set[str] = set()
        for position, entry in enumerate(images):
            try:
                id_ = identity(table(entry, "An image"))
            except Flaw as flaw:
                yield Skip(shown(f"{self.instances}: images[{position}]"), str(flaw))
                continue
            if id_ in seen:
                yield Skip(shown(f"{self.instances}: image {id_}"), "Another image before it has the same id.")
                continue
            seen.add(id_)
            # Popped, so that memory is freed as the scan proceeds.
            yield _Photo(id_, entry, objects.pop(id_, []), captions.pop(id_, []))

    def _maps(self) -> tuple[PanopticMaps | StuffMaps | None, list[Skip]]:
        """The source of ground annotations, and the unusable part of it."""
        if self.panoptic is None and self.panoptic_maps is not None:
            raise UsageError("'panoptic_maps' needs 'panoptic', the JSON file of the maps.")
        if self.panoptic is not None and self.stuff is not None:
            raise UsageError("'panoptic' and 'stuff' both define the ground: set only one of them.")
        if self.panoptic is not None:
            return PanopticMaps.open(self.panoptic, self.panoptic_maps, self._limits)
        return (None if self.stuff is None else StuffMaps.open(self.stuff, self._limits)), []

    def _scan_photo(
        self,
        folder: PhotoFolder,
        photo: _Photo,
        categories: Mapping[str, str],
        licences: Mapping[str, Mapping[str, str]],
        complete: LabelSpaceName | None,
        maps: PanopticMaps | StuffMaps | None,
    ) -> Iterator[Scene | Skip]:
        try:
            name = posixpath.normpath(words(required(photo.entry, "file_name"), "file_name"))
            size = folder.size(name, self._limits)
            agree_on_size(size, (photo.entry.get("width"), photo.entry.get("height")), folder.called(name))
            check_object_count(len(photo.objects))
        except (Flaw, BadPicture) as problem:
            count = len(photo.objects) + len(photo.captions)
            lost = f" Its annotations ({count}) go with it." if count else ""
            yield Skip(shown(f"{self.instances}: image {photo.id}"), f"{problem}{lost}")
            return
        things: dict[str, Thing] = {}
        captions: list[str] = []
        for file, entry, is_caption in photo.annotations(self.instances, self.captions):
            try:
                if is_caption:
                    captions.append(words(required(entry, "caption"), "caption"))
                    continue
                thing = _thing(entry, size, categories)
                if thing.id in things:
                    raise Flaw("Another annotation of the same image has the same id.")
                things[thing.id] = thing
            except TooMuch as excess:
                yield Skip(shown(f"{self.instances}: image {photo.id}"), str(excess))
                return
            except Flaw as flaw:
                # An unusable annotation still means that the object is there.
                complete = complete if is_caption else None
                what = f"{file}: annotation {entry.get('id', 'without an id')}"
                yield Skip(shown(what), f"Image {shown(photo.id)}: {flaw}")
        found = tuple(things.values())
        origin = _origin(photo.entry, licences)
        stuff: tuple[Stuff, ...] = ()
        if maps is not None:
            try:
                stuff = maps.stuff(photo.id if isinstance(maps, PanopticMaps) else name, size)
            except (Flaw, BadPicture) as problem:
                yield Skip(shown(f"{maps.file}: image {photo.id}"), f"The scene has no ground from it: {problem}")
        yield Scene(
            photo.id, name, *size, found, tuple(captions), class_names(found), origin, complete=complete, stuff=stuff
        )


@dataclass(frozen=True, slots=True)
class _Photo:
    """One image of the file with its annotations; those of the captions file are kept separately."""

    id: str
    entry: _Entry
    objects: list[_Entry]
    captions: list[_Entry]

    def annotations(self, instances: str, captions: str | None) -> Iterator[tuple[str, _Entry, bool]]:
        """Each annotation with its file, and whether it is a caption; the instances file may have captions as well."""
        # With a category, a caption is about that object, not the photo.
        yield from ((instances, entry, "caption" in entry and "category_id" not in entry) for entry in self.objects)
        yield from ((captions or "", entry, True) for entry in self.captions)


def _thing(note: _Entry, size: Size, categories: Mapping[str, str]) -> Thing:
    id_ = identity(note)
    category = identity(note, "category_id")
    if category not in categories:
        raise Flaw(f"The category {shown(category)} is not among the file's categories.")
    crowd = note.get("iscrowd", 0)
    if crowd not in (0, 1):
        raise Flaw(f"'iscrowd' should be 0 or 1, not {shown(repr(crowd))}.")
    mask = _mask(note.get("segmentation"), size)
    return Thing(id_, categories[category], _box(note.get("bbox"), mask, size), mask, crowd=bool(crowd))


def _mask(segmentation: Any, size: Size) -> Mask | None:
    if not segmentation:
        return None
    if isinstance(segmentation, dict):
        return runs_mask(segmentation, size)
    if isinstance(segmentation, list):
        return polygons_mask(segmentation, size)
    raise Flaw("'segmentation' should be a list of polygons or run lengths.")


def _box(bbox: Any, mask: Mask | None, size: Size) -> Box:
    if not bbox:
        if mask is None:
            raise Flaw("It has neither a 'bbox' nor a 'segmentation'.")
        return mask_box(mask)
    x, y, width, height = numbers(bbox, "bbox", 4)
    # COCO itself has a few boxes without area whose masks are valid.
    if mask is not None and (width <= 0 or height <= 0):
        return mask_box(mask)
    return box_within(x, y, width, height, size)


def _document(path: str, wanted: str) -> dict[str, Any]:
    document = read_document(Path(path), hook=_compact)
    if not isinstance(document, dict) or not isinstance(document.get(wanted), list):
        raise UsageError(f"{shown(path)} is not a COCO file: it has no list {wanted!r}.")
    return document


def _compact(entry: dict[str, Any]) -> dict[str, Any]:
    """Shrink annotations during parsing: COCO's training set has some fifty million coordinates."""
    if "image_id" not in entry:
        return entry
    entry = {key: entry[key] for key in _ANNOTATION_KEYS if key in entry}
    if isinstance(entry.get("segmentation"), list):
        entry["segmentation"] = [_compact_polygon(polygon) for polygon in entry["segmentation"]]
    return entry


def _compact_polygon(polygon: Any) -> Any:
    try:
        return array("d", polygon) if isinstance(polygon, list) else polygon
    except (TypeError, OverflowError):
        return polygon


def _grouped(notes: Any, file: str) -> tuple[_ByImage, list[Skip]]:
    if not isinstance(notes, list):
        raise UsageError(f"{shown(file)} is not a COCO file: its 'annotations' are not a list.")
    groups: _ByImage = {}
    skips: list[Skip] = []
    for position, note in enumerate(notes):
        try:
            groups.setdefault(identity(table(note, "An annotation"), "image_id"), []).append(note)
        except Flaw as flaw:
            id_ = note.get("id") if isinstance(note, dict) else None
            name = f"annotations[{position}]" if id_ is None else f"annotation {id_}"
            skips.append(Skip(shown(f"{file}: {name}"), str(flaw)))
    return groups, skips


def _categories(entries: Any, file: str) -> tuple[dict[str, str], list[Skip]]:
    if not isinstance(entries, list):
        raise UsageError(f"{shown(file)} is not a COCO file: its 'categories' are not a list.")
    names: dict[str, str] = {}
    skips: list[Skip] = []
    for position, entry in enumerate(entries):
        try:
            id_ = identity(table(entry, "A category"))
            if id_ in names:
                raise Flaw(f"Another category before it has the same id {shown(id_)}.")
            names[id_] = words(required(entry, "name"), "name")
        except Flaw as flaw:
            skips.append(Skip(shown(f"{file}: categories[{position}]"), str(flaw)))
    return names, skips


def _licences(entries: Any) -> dict[str, dict[str, str]]:
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return {
        str(entry.get("id")): {
            ours: entry[theirs]
            for ours, theirs in (("licence", "name"), ("licence_url", "url"))
            if is_whole_text(entry.get(theirs))
        }
        for entry in listed
    }


def _origin(entry: _Entry, licences: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    urls = {key: entry[key] for key in _ORIGIN_KEYS if is_whole_text(entry.get(key))}
    return {**licences.get(str(entry.get("license")), {}), **urls}


def _orphans(groups: _ByImage, file: str, lister: str) -> Iterator[Skip]:
    if groups:
        count, first = sum(map(len, groups.values())), shown(next(iter(groups)))
        about = f"{len(groups)} images that {shown(lister)} does not list (first: {first})"
        yield Skip(shown(file), f"{count} of its annotations are about {about}.")
