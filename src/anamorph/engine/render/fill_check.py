"""Whether made-up ground is believable, by its pixels alone: a seam, or more going on in it than around it.

Graded by eye on 220 follow-ups of 31 photos, before any of this was measured; see docs/melt-check.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anamorph.config import MeltCheckSettings
from anamorph.model import Edit, Picture, encode
from anamorph.model.protocols import EditOptions
from anamorph.pixels.fills import FillMarks, fill_marks
from anamorph.pixels.shapes import union_shape

SEAM, BUSY, VARIED, APART = (
    "The fill check sees the rim of the hole.",
    "The fill check sees more in the hole than around it.",
    "The fill check sees too varied ground around the hole to copy from.",
    "The fill check sees other colours beside a moved object than around it.",
)
# The inpainters that show what they are, and that copy pieces of the ground.
_FLAT, _COPIES = "patch", "exemplar"


@dataclass(frozen=True, slots=True)
class FillCheck:
    """Looks at all ground that was made up on a photo; safe to use from several threads."""

    settings: MeltCheckSettings

    def concerns(self, edit: Edit) -> bool:
        return EditOptions.made_up.of(edit) is not None

    @property
    def key(self) -> Mapping[str, Any] | None:
        return {"fill": encode(self.settings)}

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the image must not be used; None if it may, or if the edit generates nothing."""
        declared, inpainter = EditOptions.made_up.of(edit), EditOptions.inpainter.of(edit)
        # A flat patch is not meant to be believed.
        if declared is None or inpainter == _FLAT:
            return None
        made_up = declared(before)
        ids = {thing.id for thing in made_up.gone}
        moved = [thing for thing in after.things if thing.id in ids]
        laid = union_shape(moved, *after.pixels.shape[:2]) if moved else None
        marks = fill_marks(after.pixels, made_up.ground, laid)
        if marks is None:
            return None
        if moved:
            return unbelievable_beside(marks, self.settings)
        return unbelievable(marks, self.settings, copies=inpainter == _COPIES)


def fill_check(settings: MeltCheckSettings) -> FillCheck | None:
    """The check of a run, unless its settings switch it off."""
    return FillCheck(settings) if settings.enabled and settings.fills else None


def unbelievable(marks: FillMarks, settings: MeltCheckSettings, *, copies: bool) -> str | None:
    """The sign that a hole was filled, if any; one that `copies` finds nothing to copy in varied surroundings."""
    if marks.seam > settings.seam:
        return SEAM
    if marks.edges > settings.busy and marks.shapes > 1:
        return BUSY
    return VARIED if copies and marks.variety > settings.variety else None


def unbelievable_beside(marks: FillMarks, settings: MeltCheckSettings) -> str | None:
    """The sign that a strip beside moved objects was filled; the objects explain detail in it."""
    if marks.seam > settings.seam:
        return SEAM
    return APART if marks.apart > settings.apart else None
