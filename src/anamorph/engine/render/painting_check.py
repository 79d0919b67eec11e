"""Whether a painted picture shows what it should: a recogniser must see every class of the scene on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from anamorph.config import RecognitionSettings
from anamorph.edits.repaint import Repaint
from anamorph.engine.recogniser import Recogniser
from anamorph.model import Edit, Picture

UNCHECKED = (
    "Nothing here can check what painted pictures show, so one that lacks an object may cause a false report. "
    "Get weights that can with `anamorph models get yolox-nano`, or name a segmenter (--segmenter KIND:...)."
)


@dataclass(frozen=True, slots=True)
class PaintingCheck:
    """Looks at every picture that a painter made; safe to use from several threads.

    Without a recogniser, it vouches for no number, so only pictures that claim none are used.
    """

    recogniser: Recogniser | None
    settings: RecognitionSettings

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the picture must not be used, or None where it may, or where nothing was painted."""
        if not isinstance(edit, Repaint):
            return None
        expected = Counter(_name(thing.label) for thing in before.things)
        counted = [name for name in expected if name in {_name(label) for label in edit.counted}]
        known = [name for name in expected if self.recogniser is not None and self.recogniser.knows(name)]
        for name in counted:
            if name not in known:
                return f"The painting check cannot count {name!r}, and the number of them is judged."
        if self.recogniser is None or not known:
            return None
        found = self.recogniser.counts(after.pixels, self.settings.score)
        for name in known:
            if not found[name]:
                return f"The painting check does not find {name!r}."
            if name in counted and found[name] != expected[name]:
                return f"The painting check finds another number of {name!r} than the scene has."
        return None


def _name(label: str) -> str:
    return label.strip().casefold()
