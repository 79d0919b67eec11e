"""A scene: a photo and its annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from anamorph.model.reading import CaptionReading

# Label spaces that come with Anamorph; a file that a stored record names would have to be opened.
LabelSpaceName: TypeAlias = Literal["coco", "coco-all", "coco-stuff", "voc"]

# What the origin of a scene says of a picture that is not a photo.
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
    """The mask that a partly hidden object would have if nothing stood in front of it.

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


# What stands in place of an object's id where a footing is of none.
SKY = ""


@dataclass(frozen=True, slots=True)
class Footing:
    """The ground that looks like what an object stands on and is connected to it; or the sky."""

    object: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a data set asks about a photo, with its reference answers and its id, where it has them."""

    text: str
    answers: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A photo and what is known of it; `picture` is where its source finds the pixels.

    `collected_for` are the label combinations whose search found the photo, each in alphabetical order; `wholes` are
    the amodal masks of the partly hidden objects that a segmenter could complete; `questions` are those of a data set.
    `complete` names the label space of which every object is annotated, only where the owner of the annotations
    declares them exhaustive: those of photos never are by themselves. A `described` scene has all colours and deeds of
    its objects; `footings` say what they stand on, where a method wants to know; `stuff` is the ground between and
    behind them, where a data set or a segmenter says what it is; `countable` are the classes of which a recogniser
    finds as many objects as there are, where a method wants to know; `references` are its captions as the run's reader
    reads them, those that it can read, where a method wants them; they are not stored.
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
        """Whether its picture is a drawing and no photo."""
        return self.origin.get(MEDIUM) == DRAWING

    def thing(self, id: str) -> Thing:
        """The object with this id; KeyError if there is none."""
        for thing in self.things:
            if thing.id == id:
                return thing
        raise KeyError(id)


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that could not be used, and why, in words for a person.

    Skips are counted by reason, so a reason names no single item and none of its numbers. `noun` says what one of them
    is: object, scene, pair; an input of the run where it is empty.
    """

    what: str
    reason: str
    noun: str = ""
