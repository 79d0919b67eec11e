"""Where the edits of an image changed it, for reports to outline, and what they did in a few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anamorph import catalog
from anamorph.errors import AnamorphError
from anamorph.model import Box, Edit, ObjectChange, Thing, decode
from anamorph.model.protocols import EditOptions
from anamorph.reading.nouns import counted
from anamorph.report.wording import in_words
from anamorph.store.scene_labels import LabelsOfScene

MOST_OUTLINES = 20
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class ShownOutline:
    """A box on a picture, in shares of its width and height, and what the edit did to the object in it."""

    x: float
    y: float
    width: float
    height: float
    does: str


@dataclass(frozen=True, slots=True)
class ImageChanges:
    """The changes to an image: in words, in a few words, and where, before the edits and after them."""

    words: tuple[str, ...] = ()
    brief: tuple[str, ...] = ()
    before: tuple[ShownOutline, ...] = ()
    after: tuple[ShownOutline, ...] = ()


def image_changes(
    edits: Sequence[Mapping[str, Any]], scene: LabelsOfScene, inserted: Sequence[str] = ()
) -> ImageChanges:
    """The changes that edits, as JSON, made to the photo of a scene; `inserted` names the classes of new objects.

    Boxes are given only where every edit says where it changes the photo: others may move all of its pixels.
    """
    words = tuple(in_words(edit, scene.by_id) for edit in edits)
    brief: list[str] = []
    before: list[ShownOutline] = []
    after: list[ShownOutline] = []
    whole = False
    for plain, said in zip(edits, words, strict=True):
        placed = placed_changes(plain, scene.things)
        if placed is None:
            whole = True
            brief.append(said)
            continue
        does, found = placed
        brief.append(_in_brief(found, does, inserted if does == "inserted" else ()) or said)
        before += _shares((each.before for each in found), scene.size, does or "changed")
        after += _shares((each.after for each in found), scene.size, does or "changed")
    if whole:
        before, after = [], []
    return ImageChanges(words, tuple(brief), tuple(before[:MOST_OUTLINES]), tuple(after[:MOST_OUTLINES]))


def placed_changes(
    plain: Mapping[str, Any], things: Mapping[str, Thing]
) -> tuple[str | None, list[ObjectChange]] | None:
    """The effect of an edit, from its JSON, and its objects; None if it does not say where it changes a photo."""
    edit = _edit(plain)
    outlines = None if edit is None else EditOptions.outlines.of(edit)
    if edit is None or outlines is None:
        return None
    does = EditOptions.does.of(edit)
    try:
        return does, list(outlines(things))
    except Exception:  # noqa: BLE001  an edit may come from a user's own file
        return does, []


def _edit(plain: Mapping[str, Any]) -> Edit | None:
    """The edit itself; None for one from a user's file that is not loaded."""
    try:
        edit: Edit = decode(catalog.find("edits", str(plain.get("kind", ""))), dict(plain), catalog.find)
    except (AnamorphError, ValueError):
        return None
    return edit


def _in_brief(found: Iterable[ObjectChange], does: str | None, classes: Iterable[str]) -> str:
    """ "a dog and two cups removed"; empty where the edit does not say what it does."""
    if does is None:
        return ""
    labels = Counter(each.label for each in found if each.label) or Counter(classes) or Counter(("object",))
    named = [counted(label, number) for label, number in labels.most_common(_MOST_NAMED)]
    if len(labels) > _MOST_NAMED:
        named.append("more")
    *others, last = named
    return f"{', '.join(others)} and {last} {does}" if others else f"{last} {does}"


def _shares(boxes: Iterable[Box | None], size: tuple[int, int], does: str) -> Iterable[ShownOutline]:
    width, height = size
    if width <= 0 or height <= 0:
        return
    for box in boxes:
        if box is None:
            continue
        left, top = max(0.0, box.x / width), max(0.0, box.y / height)
        right, bottom = min(1.0, box.right / width), min(1.0, box.bottom / height)
        if right > left and bottom > top:
            yield ShownOutline(round(left, 4), round(top, 4), round(right - left, 4), round(bottom - top, 4), does)
