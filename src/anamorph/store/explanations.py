"""Which part of an image causes a word, as found by covering parts, with all answers that explaining asked for: none is
asked for twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.model import Answer, Box
from anamorph.store.case_records import case_records, record_case
from anamorph.store.run import RunStore

# The finding: a part of the image causes the word; no single part does; the word comes whatever the image shows;
# nothing yet.
Carrier: TypeAlias = Literal["part", "spread", "nothing", "unknown"]


@dataclass(frozen=True, slots=True)
class Patch:
    """A rectangle in pixels, from its top left corner to its bottom right one (exclusive).

    It is covered, or (`alone`) the rest of the image is.
    """

    left: int
    top: int
    right: int
    bottom: int
    alone: bool = False

    @property
    def area(self) -> int:
        return (self.right - self.left) * (self.bottom - self.top)


@dataclass(frozen=True, slots=True)
class PatchReply:
    """The answers to a probe's image with a patch covered (or none), by attempt."""

    probe: str
    patch: Patch | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class CoveredPatch:
    """A patch and its weight: 1 if the word vanishes with it, or appears with it alone; 0 if it has no effect."""

    patch: Patch
    effect: float


@dataclass(frozen=True, slots=True)
class SeenBox:
    """An object that the system itself detects, for a system that returns boxes."""

    label: str
    box: Box
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ExplainedCase:
    """The result of explaining a case.

    `position` is the place of the explained probe in its case, `label` the class that its answer names (None: the
    answer as a whole), `width` and `height` the size of its image. With `alone`, each part on the map suffices for
    the word; else covering them removes it. `picture` is the file with the map drawn over the image, `peak` the
    hottest point of the map, and `on` the class of the object known to be there. `finished` is False if the budget
    ended the search, and `calls` counts the images sent.
    """

    position: int
    label: str | None
    carrier: Carrier
    alone: bool
    width: int
    height: int
    patches: tuple[CoveredPatch, ...]
    picture: str | None
    peak: tuple[int, int] | None
    on: str | None
    boxes: tuple[SeenBox, ...]
    finished: bool
    calls: int
    replies: tuple[PatchReply, ...] = ()


def record_explanation(store: RunStore, case_digest: str, explained: ExplainedCase) -> None:
    """Keep the findings so far; the caller holds the transaction."""
    record_case(store, "explanations", case_digest, explained)


def explanations_of(store: RunStore, case_digests: Sequence[str]) -> Mapping[str, ExplainedCase]:
    """The results of explaining, for cases that were explained; RunError where no run could have written
    it.
    """
    return case_records(store, "explanations", ExplainedCase, _checked, case_digests)


def replies_about(store: RunStore, probe_digest: str) -> list[PatchReply]:
    """The answers about a probe's image that explaining any case asked for."""
    found = explanations_of(store, store.column("SELECT digest FROM explanations ORDER BY digest")).values()
    return [reply for explained in found for reply in explained.replies if reply.probe == probe_digest]


def _checked(explained: ExplainedCase) -> ExplainedCase:
    if explained.position < 0 or min(explained.width, explained.height) < 1:
        raise ValueError("an explained case has a probe and an image")
    if explained.carrier == "part" and (explained.peak is None or explained.picture is None):
        raise ValueError("a part that causes a word has a peak and a picture")
    return explained
