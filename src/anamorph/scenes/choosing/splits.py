"""The photos of splits: Karpathy's JSON files, lists by name, and folders of lists such as VOC's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anamorph.errors import BadPicture, UsageError
from anamorph.photos.files import read_json, read_text, shown

MOST_BYTES = 1_000_000_000
_ENDING = ".txt"
# Joins the names of several splits.
AND = "+"
# How many valid names an error lists.
_LISTED = 20


def photos_of_split(place: str, split: str) -> set[str]:
    """The names of the photos of a split, or of several joined by +; UsageError, with the valid splits."""
    path = Path(place)
    known = _folder(path) if path.is_dir() else _document(path)
    found: set[str] = set()
    for name in filter(None, (each.strip() for each in split.split(AND))):
        if name not in known:
            raise UsageError(f"split={shown(split)}: {shown(place)} has no split {shown(name)!r}. {_listed(known)}")
        photos = known[name]
        found.update(listed_photos(photos) if isinstance(photos, Path) else photos)
    if not found:
        raise UsageError(f"split={shown(split)}: {shown(place)} lists no photo for it. {_listed(known)}")
    return found


def listed_photos(path: Path) -> list[str]:
    """The photos of a list with one per line; a -1 beside a name excludes the photo."""
    try:
        lines = read_text(path, MOST_BYTES).splitlines()
    except BadPicture as problem:
        raise UsageError(f"The split {shown(repr(path.stem))} cannot be read: {problem}") from problem
    fields = [line.split() for line in lines if line.strip()]
    return [field[0] for field in fields if field[1:] != ["-1"]]


def lists_in(folder: Path) -> list[str]:
    """The names of the lists in a folder, sorted."""
    return sorted(file.stem for file in folder.glob(f"*{_ENDING}")) if folder.is_dir() else []


def _folder(folder: Path) -> dict[str, Path]:
    return {name: folder / f"{name}{_ENDING}" for name in lists_in(folder)}


def _document(path: Path) -> dict[str, set[str]]:
    try:
        document = read_json(path, MOST_BYTES)
    except BadPicture as problem:
        raise UsageError(f"splits={shown(path)}: {problem}") from problem
    if isinstance(document, dict) and isinstance(document.get("images"), list):
        return _karpathy(document["images"], path)
    if isinstance(document, dict) and document and all(isinstance(photos, list) for photos in document.values()):
        return {name: {str(photo) for photo in photos} for name, photos in document.items()}
    raise UsageError(
        f"splits={shown(path)}: expected Karpathy's JSON file, which has a list 'images' with a 'split' each, a JSON "
        'object such as {"test": [ids]}, or a folder with a list NAME.txt for each split.'
    )


def _karpathy(images: Iterable[Any], path: Path) -> dict[str, set[str]]:
    """COCO's photos by id, and all by file name; `imgid` is only a number within the file."""
    known: dict[str, set[str]] = {}
    for place, image in enumerate(images):
        split = image.get("split") if isinstance(image, dict) else None
        names = [image[key] for key in ("cocoid", "filename") if image.get(key)] if isinstance(split, str) else []
        if not isinstance(split, str) or not names:
            raise UsageError(
                f"splits={shown(path)}: images[{place}] should have a 'split', and a 'cocoid' or a 'filename'."
            )
        known.setdefault(split, set()).update(map(str, names))
    return known


def _listed(known: Iterable[str]) -> str:
    names = sorted(known)
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"Valid: {shown(', '.join(names[:_LISTED])) or 'none'}{more}."
