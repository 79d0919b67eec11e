"""The label space that is annotated exhaustively, if the owner of the annotations says so."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from anamorph.errors import UsageError
from anamorph.model import LabelSpaceName, setting
from anamorph.photos.files import shown
from anamorph.reading.labels import label_space

# Spaces of objects; of ground, not every piece is annotated.
_SPACES: tuple[LabelSpaceName, ...] = ("coco", "voc")
_SHOWN = 3


def exhaustive_setting() -> Any:
    """The setting by which the owner declares annotations exhaustive."""
    return setting(
        False,
        "You declare that every object of every class is annotated, so that naming one that is not annotated counts "
        "as an error of the system.",
    )


def vouched_space(categories: Collection[str], file: str) -> LabelSpaceName:
    """The label space that a file annotates exhaustively; UsageError unless it has all classes of one."""
    lacking = {name: [each for each in label_space(name).names if each not in categories] for name in _SPACES}
    for name in _SPACES:
        if not lacking[name]:
            return name
    spaces = " or ".join(
        f"{name} ({len(label_space(name).names)}; it lacks {_some(lacking[name])})" for name in _SPACES
    )
    raise UsageError(
        f"{shown(file)}: exhaustive = true needs a file whose categories are all classes of a label space: {spaces}. "
        "Without it, annotations only say where to edit."
    )


def check_vouched(label: str, space: LabelSpaceName, file: str) -> None:
    """UsageError for an object of a class outside the label space."""
    names = label_space(space).names
    if label not in names:
        raise UsageError(
            f"{shown(file)}: exhaustive = true is for annotations with the {len(names)} classes of {space}, and it has "
            f"{shown(repr(label))}. Valid: {', '.join(names)}."
        )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
