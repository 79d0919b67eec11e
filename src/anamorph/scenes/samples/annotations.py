"""Captions, labels and objects of one sample, in the formats of data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Skip, Thing, setting
from anamorph.photos.entries import Flaw, brief, identity, numbers, required, words
from anamorph.photos.files import read_text, shown
from anamorph.photos.outlines import Size, box_within
from anamorph.photos.scene_limits import check_object_count

BoxForm = Literal["xywh", "xyxy"]

CAPTION_KEYS = ("caption", "captions", "text", "sentences")
LABEL_KEYS = ("label", "labels", "cls")
OBJECT_KEYS = ("objects",)
_CATEGORY_KEYS = ("category", "categories", "label", "labels", "class", "name")
_BOX_KEYS = ("bbox", "bboxes", "box", "boxes")
_MOST_CAPTIONS = 100
_MOST_CHARACTERS = 10_000
_MOST_NAMES_BYTES = 1_000_000


def boxes_setting() -> Any:
    """The setting for the box format."""
    return setting(
        "xywh", "Box format: xywh (left, top, width, height, as in COCO) or xyxy (left, top, right, bottom)."
    )


def classes_setting() -> Any:
    """The setting for the names of class numbers."""
    return setting(None, "A text file with the names of the classes, one per line, if objects have class numbers.")


def class_list(path: str | None) -> tuple[str, ...]:
    """The names in a file of classes; none without a file."""
    if path is None:
        return ()
    try:
        names = tuple(line.strip() for line in read_text(Path(path), _MOST_NAMES_BYTES).splitlines() if line.strip())
    except BadPicture as problem:
        raise UsageError(f"The names of the classes cannot be read: {problem}") from problem
    if not names:
        raise UsageError(f"The file of classes {shown(path)} has no name; write one on each line.")
    return names


def captions_in(value: Any) -> tuple[str, ...]:
    """Captions: a string, or a list of strings; blank ones are dropped."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    found = [words(each, "caption") for each in listed[:_MOST_CAPTIONS] if each is not None and each != ""]
    return tuple(caption[:_MOST_CHARACTERS] for caption in found)


def labels_in(value: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Labels: a name, a class number, or a list of them; sorted, each once."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    check_object_count(len(listed))
    return tuple(sorted({_class_name(each, names, "label") for each in listed}))


def things_in(value: Any, size: Size, form: BoxForm, names: Sequence[str], what: str) -> Iterator[Thing | Skip]:
    """Objects: a list of tables, or a table of lists, as Hugging Face stores them; a Skip for each bad one."""
    entries = _entries(value)
    check_object_count(len(entries))
    seen: set[str] = set()
    for place, entry in enumerate(entries):
        try:
            thing = _thing(place, entry, size, form, names)
            if thing.id in seen:
                raise Flaw(f"Another object of the same photo has the same id {shown(thing.id)}.")
        except Flaw as flaw:
            yield Skip(shown(f"{what}: object {place}"), str(flaw))
            continue
        seen.add(thing.id)
        yield thing


def _entries(value: Any) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if isinstance(value, list):
        if not all(isinstance(entry, dict) for entry in value):
            raise Flaw("'objects' should be a list of tables, or a table of lists.")
        return value
    if not isinstance(value, dict):
        raise Flaw(f"'objects' should be a list of tables, or a table of lists, not {brief(value)}.")
    columns = {key: items for key, items in value.items() if isinstance(items, list)}
    counts = {len(items) for items in columns.values()}
    if len(counts) > 1:
        told = ", ".join(f"{key} {len(items)}" for key, items in columns.items())
        raise Flaw(f"The lists of 'objects' have different lengths: {shown(told)}.")
    return [{key: items[place] for key, items in columns.items()} for place in range(*counts)] if counts else []


def _thing(place: int, entry: Mapping[str, Any], size: Size, form: BoxForm, names: Sequence[str]) -> Thing:
    id_ = identity(entry) if entry.get("id") is not None else str(place)
    category = next((entry[key] for key in _CATEGORY_KEYS if entry.get(key) is not None), None)
    if category is None:
        raise Flaw(f"It has no class; the key should be one of {', '.join(_CATEGORY_KEYS)}.")
    key = next((key for key in _BOX_KEYS if key in entry), _BOX_KEYS[0])
    left, top, across, down = numbers(required(entry, key), key, 4)
    if form == "xyxy":
        across, down = across - left, down - top
    crowd = entry.get("iscrowd", 0) in (1, True)
    return Thing(id_, _class_name(category, names, "class"), box_within(left, top, across, down, size), crowd=crowd)


def _class_name(value: Any, names: Sequence[str], what: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value < len(names):
            return names[value]
        if not names:
            raise Flaw(f"The {what} is a number without known names; give them with classes=FILE.")
        raise Flaw(f"The {what} {brief(value)} is not among the {len(names)} classes.")
    return words(value, what)
