"""A scene: a photo and its annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from anamorph.model.reading import CaptionReading

# Label spaces that come with Anamorph; a file that a stored record names would have to be opened.
LabelSpaceName: TypeAlias = Literal["coco", "coco-all", "coco-stuff", "voc"]

# The origin of a scene that is not a photo.
MEDIUM, DRAWING = "medium", "drawing"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; x and y are its top left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def area(self) -> float:
        return self.width * self.height

    def overlap(self, other: Box) -> float:
        """The area, in pixels, that both boxes cover."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(0.0, width) * max(0.0, height)


@dataclass(frozen=True, slots=True)
class Mask:
    """The pixels of an object in COCO's compressed run-length encoding; `anamorph.pixels.masks` decodes it."""

    height: int
    width: int
    counts: str


@dataclass(frozen=True, slots=True)
class Thing:
    """One object in a scene; `id` is unique within the scene."""

    id: str
    label: str
    box: Box
    mask: Mask | None = None
    score: float | None = None
    crowd: bool = False
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AmodalMask:
    """The full mask of a partly hidden object.

    To show its pixels, the objects that it stands `behind` are inpainted, except for its own visible pixels.
    """

    object: str
    mask: Mask
    behind: tuple[str, ...]
    inpainter: str


@dataclass(frozen=True, slots=True)
class Stuff:
    """Ground of one class, such as sky, grass or road, which is not countable."""

    label: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A segmenter's findings on a photo: objects and, if it can, ground."""

    things: tuple[Thing, ...] = ()
    stuff: tuple[Stuff, ...] = ()


# In place of an object's id, if a footing has none.
SKY = ""


@dataclass(frozen=True, slots=True)
class Footing:
    """The ground that looks like what an object stands on and is connected to it; or the sky."""

    object: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class Question:
    """A data set's question about a photo, with its reference answers and its id, if any."""

    text: str
    answers: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A photo and its annotations; `picture` is where its source finds the pixels.

    `collected_for` are the label combinations whose search found the photo, each in alphabetical order; `wholes` the
    amodal masks of partly hidden objects that a segmenter completed; `questions` those of a data set. `complete` is the
    label space that is annotated exhaustively, if the owner says so: annotations of photos never are by default. A
    `described` scene has all colors and actions of its objects. If known, `stuff` is the ground between and behind
    objects. If a method wants them: `footings` are the ground of objects, `countable` the classes whose objects a
    recognizer counts right, `references` the readable captions as the run's reader reads them (not stored).
    """

    id: str
    picture: str
    width: int
    height: int
    things: tuple[Thing, ...] = ()
    captions: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    origin: Mapping[str, str] = field(default_factory=dict)
    collected_for: tuple[tuple[str, ...], ...] = ()
    wholes: tuple[AmodalMask, ...] = ()
    questions: tuple[Question, ...] = ()
    complete: LabelSpaceName | None = None
    described: bool = False
    footings: tuple[Footing, ...] = ()
    stuff: tuple[Stuff, ...] = ()
    countable: tuple[str, ...] | None = None
    references: tuple[CaptionReading, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether it is a drawing, not a photo."""
        return self.origin.get(MEDIUM) == DRAWING

    def thing(self, id: str) -> Thing:
        """The object with this id; KeyError if there is none."""
        for thing in self.things:
            if thing.id == id:
                return thing
        raise KeyError(id)


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that could not be used, and why, in words for people.

    Skips are counted by reason, so a reason must not name an item or its numbers. `noun` is the kind of item: object,
    scene, pair; empty for an input of the run.
    """

    what: str
    reason: str
    noun: str = ""
