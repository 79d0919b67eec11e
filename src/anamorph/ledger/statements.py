"""Statements about the images of one photo: answers, which may be false, and links, which are true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# The images on the left together show at most as many objects as those on the right.
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
    """Both images show the same number of objects."""

    one: int
    other: int

    def inequalities(self) -> Iterator[AtMost]:
        """The link as inequalities between sums of images."""
        yield from _equal((self.one,), (self.other,))


@dataclass(frozen=True, slots=True)
class Within:
    """A part shows at most as many as the whole."""

    part: int
    whole: int

    def inequalities(self) -> Iterator[AtMost]:
        """The link as inequalities between sums of images."""
        yield (self.part,), (self.whole,)


@dataclass(frozen=True, slots=True)
class Covered:
    """The pieces, which may overlap, cover the whole."""

    whole: int
    pieces: tuple[int, ...]

    def inequalities(self) -> Iterator[AtMost]:
        """The link as inequalities between sums of images."""
        yield from _each_within(self.pieces, self.whole)
        yield (self.whole,), self.pieces


@dataclass(frozen=True, slots=True)
class Joined:
    """The whole is a collage: it shows the sum of its parts."""

    whole: int
    parts: tuple[int, ...]

    def inequalities(self) -> Iterator[AtMost]:
        """The link as inequalities between sums of images."""
        yield from _equal((self.whole,), self.parts)


@dataclass(frozen=True, slots=True)
class Changed:
    """An edit changes the whole by as much as the crops around it."""

    before: int
    after: int
    seen_before: tuple[int, ...]
    seen_after: tuple[int, ...]

    def inequalities(self) -> Iterator[AtMost]:
        """The link as inequalities between sums of images."""
        yield from _each_within(self.seen_before, self.before)
        yield from _each_within(self.seen_after, self.after)
        yield from _equal((self.after, *self.seen_before), (self.before, *self.seen_after))


@dataclass(frozen=True, slots=True)
class Empty:
    """The image shows no such object."""

    image: int

    def inequalities(self) -> Iterator[AtMost]:
        """The link as inequalities between sums of images."""
        yield (self.image,), ()


Link = Same | Within | Covered | Joined | Changed | Empty


def _each_within(parts: Iterable[int], whole: int) -> Iterator[AtMost]:
    for part in parts:
        yield (part,), (whole,)


def _equal(left: tuple[int, ...], right: tuple[int, ...]) -> Iterator[AtMost]:
    yield left, right
    yield right, left
