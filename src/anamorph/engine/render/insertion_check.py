"""Whether an insertion worked: a recogniser must see the new object where it was put."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anamorph.config import RecognitionSettings
from anamorph.edits.insert import Insert
from anamorph.engine.kept import is_ours
from anamorph.engine.recogniser import Recogniser
from anamorph.model import Edit, Picture, encode


@dataclass(frozen=True, slots=True)
class InsertionCheck:
    """Looks at every picture that an object was put into; safe to use from several threads."""

    recogniser: Recogniser
    settings: RecognitionSettings

    def concerns(self, edit: Edit) -> bool:
        return isinstance(edit, Insert)

    @property
    def key(self) -> Mapping[str, Any] | None:
        if not is_ours(self.recogniser.segmenter):
            return None
        return {"insertion": encode(self.settings), "by": dict(self.recogniser.identity)}

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the image must not be used; None if it may, or if nothing was inserted."""
        if not isinstance(edit, Insert):
            return None
        new = after.things[-1]
        score = self.recogniser.on_picture(after.pixels, new.label, new.box)
        if score is None or score >= self.settings.score:
            return None
        return f"The insertion check does not find the inserted {new.label.strip().casefold()!r}."
