"""Statements about the images of one photo: answers, which may be false, and links, which are true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# The images on the left show, added up, at most as many objects as the images on the right.
AtMost = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Statement:
    """An answer about one image: it shows at least `least` and at most `most` objects; None is open."""

    key: int
    image: int
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Same:
    """Both images show as many objects."""

    one: int
    other: int

    def inequalities(self) -> Iterator[AtMost]:
        """The link as sums of images that are at most other sums."""
        yield from _equal((self.one,), (self.other,))


@dataclass(frozen=True, slots=True)
class Within:
    """A part shows at most what the whole shows."""

    part: int
    whole: int

    def inequalities(self) -> Iterator[AtMost]:
        """The link as sums of images that are at most other sums."""
        yield (self.part,), (self.whole,)


@dataclass(frozen=True, slots=True)
class Covered:
    """The pieces, which may overlap, leave nothing of the whole out."""

    whole: int
    pieces: tuple[int, ...]

    def inequalities(self) -> Iterator[AtMost]:
        """The link as sums of images that are at most other sums."""
        yield from _each_within(self.pieces, self.whole)
        yield (self.whole,), self.pieces


@dataclass(frozen=True, slots=True)
class Joined:
    """The whole is a collage: it shows what its parts show, added up."""

    whole: int
    parts: tuple[int, ...]

    def inequalities(self) -> Iterator[AtMost]:
        """The link as sums of images that are at most other sums."""
        yield from _equal((self.whole,), self.parts)


@dataclass(frozen=True, slots=True)
class Changed:
    """An edit changes the whole by as much as it changes the crops around the place of the edit."""

    before: int
    after: int
    seen_before: tuple[int, ...]
    seen_after: tuple[int, ...]

    def inequalities(self) -> Iterator[AtMost]:
        """The link as sums of images that are at most other sums."""
        yield from _each_within(self.seen_before, self.before)
        yield from _each_within(self.seen_after, self.after)
        yield from _equal((self.after, *self.seen_before), (self.before, *self.seen_after))


@dataclass(frozen=True, slots=True)
class Empty:
    """The image shows no such object."""

    image: int

    def inequalities(self) -> Iterator[AtMost]:
        """The link as sums of images that are at most other sums."""
        yield (self.image,), ()


Link = Same | Within | Covered | Joined | Changed | Empty


def _each_within(parts: Iterable[int], whole: int) -> Iterator[AtMost]:
    for part in parts:
        yield (part,), (whole,)


def _equal(left: tuple[int, ...], right: tuple[int, ...]) -> Iterator[AtMost]:
    yield left, right
    yield right, left
