"""Whether made-up ground can be believable: by what is around the hole before it is filled, and by its pixels after.

The limits follow from graded images; see docs/melt-check.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anamorph.config import MeltCheckSettings
from anamorph.edits.insert import Insert
from anamorph.edits.relayout import Relayout
from anamorph.model import Edit, MadeUp, Picture, encode
from anamorph.model.protocols import EditOptions
from anamorph.pixels.fills import ground_marks, roughness, seam
from anamorph.pixels.layouts import Move
from anamorph.pixels.shadows import foot_contrast
from anamorph.pixels.shapes import thing_shape, touched, union_shape

LARGE, ROUGH, BEHIND, STEPS, FOOT, SEAM = (
    "The fill check sees too large a hole, with its shadow, to fill it.",
    "The fill check sees too many strong edges around the hole to fill it.",
    "The fill check sees too many strong edges behind an inserted object.",
    "The fill check sees too many different areas around the hole to copy from.",
    "The fill check sees a shadow or a reflection at the foot of a moved object.",
    "The fill check sees the rim of the hole.",
)
# The inpainters that show what they are, and that copy pieces of the ground.
_FLAT, _COPIES = "patch", "exemplar"


@dataclass(frozen=True, slots=True)
class FillCheck:
    """Looks at all ground that is made up on a photo; safe to use from several threads."""

    settings: MeltCheckSettings

    def concerns(self, edit: Edit) -> bool:
        return EditOptions.made_up.of(edit) is not None or _is_fitted(edit)

    @property
    def key(self) -> Mapping[str, Any] | None:
        return {"fill": encode(self.settings)}

    def refusal(self, edit: Edit, before: Picture) -> str | None:
        """Why an edit should not be made at all, such as a hole that is hard to fill; None if it may be."""
        if isinstance(edit, Insert):
            left, top, right, bottom = touched(edit.box, *before.pixels.shape[:2])
            busy = _is_fitted(edit) and roughness(before.pixels[top:bottom, left:right]) > self.settings.rough
            # Busy ground has poles and signs that nobody annotated, and that may be nearer.
            return BEHIND if busy else None
        made_up = _made_up(edit, before)
        if made_up is None:
            return None
        size, moves = before.pixels.shape[:2], edit.moves if isinstance(edit, Relayout) else ()
        if not moves and made_up.ground.mean() > self.settings.largest:
            return LARGE
        marks = ground_marks(before.pixels, made_up.ground, union_shape(made_up.gone, *size))
        if marks.rough > self.settings.rough:
            return ROUGH
        if not moves:
            return STEPS if _copies(edit) and marks.steps > self.settings.steps else None
        moved = {move.object for move in moves if move != Move(move.object)}
        for thing in (thing for thing in before.things if thing.id in moved):
            others = union_shape((other for other in before.things if other.id != thing.id), *size)
            if foot_contrast(before.pixels, thing_shape(thing, *size), others) > self.settings.foot:
                return FOOT
        return None

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the image must not be used; None if it may, or if the edit copies nothing beside what it moved."""
        made_up = _made_up(edit, before) if isinstance(edit, Relayout) and _copies(edit) else None
        if made_up is None:
            return None
        ids = {thing.id for thing in made_up.gone}
        laid = union_shape((thing for thing in after.things if thing.id in ids), *after.pixels.shape[:2])
        found = seam(after.pixels, made_up.ground, laid)
        return SEAM if found is not None and found > self.settings.seam else None


def fill_check(settings: MeltCheckSettings) -> FillCheck | None:
    """The check of a run, unless its settings switch it off."""
    return FillCheck(settings) if settings.enabled and settings.fills else None


def _is_fitted(edit: Edit) -> bool:
    """Whether an edit inserts an object so that it looks as if it belonged there, and not as in the paper."""
    return isinstance(edit, Insert) and edit.relight


def _copies(edit: Edit) -> bool:
    """Whether an edit fills its hole with pieces of the ground around it."""
    return EditOptions.inpainter.of(edit) == _COPIES


def _made_up(edit: Edit, before: Picture) -> MadeUp | None:
    declared = EditOptions.made_up.of(edit)
    # A flat patch is not meant to be believed.
    if declared is None or EditOptions.inpainter.of(edit) == _FLAT:
        return None
    made_up = declared(before)
    return made_up if made_up.ground.any() else None
