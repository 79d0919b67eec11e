"""The partly hidden objects that a method wants completed, and when a completion is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anamorph.model.codec import setting
from anamorph.model.scene import Scene


@dataclass(frozen=True, slots=True)
class CompletionRules:
    """When a mask, found after everything in front was removed, counts as the whole object."""

    min_score: float = setting(0.4, "The segmenter is at least this sure of it.", least=0, most=1)
    min_kept: float = setting(
        0.9, "It has at least this share of what was visible of the object before.", least=0, most=1
    )
    max_stray: float = setting(
        0.1, "At most this share of it is ground that neither the object had nor what stood before it.", least=0, most=1
    )
    max_made_up: float = setting(0.25, "At most this share of the completed object is made up.", least=0, most=1)


@dataclass(frozen=True, slots=True)
class Completion:
    """The objects of a scene that a method wants completed (by id), the inpainter to use, and when to believe it."""

    objects: Callable[[Scene], Sequence[str]]
    inpainter: str
    rules: CompletionRules
