"""Which part of an image carries a word, as far as covering parts of it has shown, with every answer that explaining
asked for, which is never asked for again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.model import Answer, Box
from anamorph.store.case_records import case_records, record_case
from anamorph.store.run import RunStore

# What covering showed: a part of the image carries the word; it takes more than any one part; it is said whatever the
# image shows; nothing is known yet.
Carrier: TypeAlias = Literal["part", "spread", "nothing", "unknown"]


@dataclass(frozen=True, slots=True)
class Patch:
    """A rectangle in pixels, from its top left corner to its bottom right one, which is outside.

    It is covered, or (`alone`) all the rest of the image is.
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
    """The answers to the image of a probe with a patch covered, by attempt; without a patch, to the image as it is."""

    probe: str
    patch: Patch | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class CoveredPatch:
    """A patch, and how much it matters: 1 if the word is gone with it, or there with it alone; 0 if it does nothing."""

    patch: Patch
    effect: float


@dataclass(frozen=True, slots=True)
class SeenBox:
    """Where the system itself says that it sees something, for a system that gives boxes."""

    label: str
    box: Box
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ExplainedCase:
    """The result of explaining a case.

    `position` is the place of the explained probe in its case, `label` the class that its answer names (None: the
    answer as a whole), `width` and `height` the size of its image. With `alone`, the parts on the map are enough for
    the word, each alone; else covering them takes it away. `picture` is the file with the map drawn over the image,
    `peak` where the map is hottest, and `on` the class of the object that is known to be there. `finished` is False
    where the budget ended the search, and `calls` counts the images sent.
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
    """Keep what is known so far; the caller holds the transaction."""
    record_case(store, "explanations", case_digest, explained)


def explanations_of(store: RunStore, case_digests: Sequence[str]) -> Mapping[str, ExplainedCase]:
    """The results of explaining, for cases that were explained; RunError where no run could have written
    it.
    """
    return case_records(store, "explanations", ExplainedCase, _checked, case_digests)


def replies_about(store: RunStore, probe_digest: str) -> list[PatchReply]:
    """The answers that explaining any case has asked for about the image of a probe."""
    cases = [digest for (digest,) in store.connection.execute("SELECT digest FROM explanations ORDER BY digest")]
    found = explanations_of(store, cases).values()
    return [reply for explained in found for reply in explained.replies if reply.probe == probe_digest]


def _checked(explained: ExplainedCase) -> ExplainedCase:
    if explained.position < 0 or min(explained.width, explained.height) < 1:
        raise ValueError("an explained case has a probe and an image")
    if explained.carrier == "part" and (explained.peak is None or explained.picture is None):
        raise ValueError("a part that carries a word has a peak and a picture")
    return explained
