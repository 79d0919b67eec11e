"""The extension points: every one is a noun with typed fields, a `kind` that names it, and one verb."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from anamorph.errors import BadPicture
from anamorph.model.answer import Answer, Failure, Reading
from anamorph.model.scene import Scene, Skip, Thing
from anamorph.model.search import Find, Query
from anamorph.model.summary import Summary, Tally
from anamorph.model.verdict import Verdict

if TYPE_CHECKING:
    from anamorph.model.case import Case
    from anamorph.model.recorded import RecordedRow

T = TypeVar("T")


class Option(Generic[T]):
    """A member that an extension may have; its name is that of the class variable that holds it."""

    def __init__(self, default: T, meaning: str) -> None:
        self.name, self.default, self.meaning = "", default, meaning

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def of(self, extension: object) -> T:
        """What an extension, or its class, declares; the default where it declares nothing."""
        found: T = getattr(extension, self.name, self.default)
        return found


# Height x width x 3, RGB, uint8.
Pixels: TypeAlias = npt.NDArray[np.uint8]
# Height x width, True where pixels are to be made up.
Hole: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Cutout:
    """An object without its photo: RGBA pixels that its mask fills to all four sides, and what it is."""

    rgba: Pixels
    thing: Thing


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The ground that is to show something of a class."""

    label: str
    shape: Hole


class Studio(Protocol):
    """What edits need beyond the picture itself: inpainters and painters by name, and cut-outs by id."""

    def inpaint(self, name: str, pixels: Pixels, hole: Hole) -> Pixels: ...

    def cutout(self, id: str) -> Cutout: ...

    def paint(
        self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int
    ) -> Pixels: ...


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels and the objects that are on them; what an edit takes and gives."""

    pixels: Pixels
    things: tuple[Thing, ...] = ()
    studio: Studio | None = None

    def with_pixels(self, pixels: Pixels) -> Picture:
        """The same objects over other pixels."""
        return replace(self, pixels=pixels)

    def tools(self) -> Studio:
        """The studio, for an edit that cannot do without; BadPicture where there is none."""
        if self.studio is None:
            raise BadPicture("This edit needs inpainters or cut-outs, and the picture came without a studio.")
        return self.studio


@dataclass(frozen=True, slots=True, eq=False)
class MadeUp:
    """The ground that an edit makes up, and the objects that it takes from there."""

    ground: Hole
    gone: tuple[Thing, ...]


class Edit(Protocol):
    """An order that changes a picture, such as `Blur(sigma=2)`.

    An edit that takes objects from their place and makes up what was behind them has a method
    `made_up(picture) -> MadeUp`, which tells the melt check where to look.
    """

    kind: ClassVar[str]

    def __hash__(self) -> int: ...

    def apply(self, picture: Picture) -> Picture: ...


class Inpainter(Protocol):
    """Makes up the pixels of a hole from what is around it; everything outside the hole comes back unchanged.

    It may be called from several threads. An inpainter whose settings do not say all that it is, such as one with
    weights in a file, has a property `fingerprint` that does.
    """

    kind: ClassVar[str]

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels: ...


class Painter(Protocol):
    """Makes a whole picture of a map of classes, later regions over earlier ones; the same one for the same seed.

    It may be called from several threads. `fingerprint` differs between any two that could paint differently.
    """

    kind: ClassVar[str]

    @property
    def fingerprint(self) -> Mapping[str, Any]: ...

    def paint(self, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels: ...


class Segmenter(Protocol):
    """Finds the objects of a photo that nobody annotated, each with its box and, where it can, its mask.

    It may be called from several threads. `fingerprint` differs between any two that could find different things.
    """

    kind: ClassVar[str]

    @property
    def fingerprint(self) -> Mapping[str, Any]: ...

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]: ...


class Relation(Protocol):
    """A claim over the readings of a case's answers, source first; `reads` names the reader that it needs."""

    kind: ClassVar[str]
    reads: ClassVar[str]

    def __hash__(self) -> int: ...

    def judge(self, readings: Sequence[Reading]) -> Verdict: ...


class RelationOptions:
    """What a relation may declare."""

    name = Option[str | None](None, "What its paper calls it, for tables; by default its kind.")
    least_answers = Option(2, "How many answers it needs, the source's included.")
    most_answers = Option[int | None](None, "How many answers it can judge; by default any number.")
    class_settings = Option[tuple[str, ...]]((), "Its settings that name classes of the label space.")


class Reader(Protocol):
    """Finds the meaning of an answer; pure and cheap, so that old answers can be read anew."""

    kind: ClassVar[str]

    def read(self, answer: Answer) -> Reading: ...


class SceneSource(Protocol):
    """Where scenes come from; `pixels` brings a scene's picture, upright and in RGB."""

    kind: ClassVar[str]

    def scan(self) -> Iterator[Scene | Skip]: ...

    def pixels(self, scene: Scene) -> Pixels: ...


class Searcher(Protocol):
    """Finds pictures by words, the best first, `most` at the most.

    `search` raises Transient or Refused for a query that came to nothing, and SystemDown where asking on is pointless.
    """

    kind: ClassVar[str]

    def search(self, query: Query, most: int) -> Iterator[Find]: ...

    def close(self) -> None: ...


class Method(Protocol):
    """A published way to test: plans cases over scenes, and sums up what came of them in tables and figures.

    A skip among the cases tells what is left out and why: the run counts them by reason and keeps a few by name.
    A class variable `suits` may say what the systems that it tests answer with: caption, answer, labels. A property
    `wants_colours` that is True has the colours of undescribed objects estimated while scenes are scanned; a property
    `wants_wholes` that is a `Completion` (anamorph.pixels.amodal) has objects behind others completed by the segmenter.
    """

    kind: ClassVar[str]

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]: ...

    def summarise(self, tallies: Sequence[Tally]) -> Summary: ...


class MethodOptions:
    """What a method may declare."""

    recorded: Option[type[RecordedRow] | None] = Option(None, "Its rows for `anamorph judge`, a dataclass with `case`.")
    relations = Option[tuple[str, ...]]((), "The kinds of its relations, in the order of its paper's tables.")


@dataclass(frozen=True, slots=True)
class Ask:
    """One image and perhaps a question, put to a system.

    `id` is the probe's digest, `path` the encoded image (None for a system that does not look), `load` brings its
    pixels, and `attempt` counts how often the same probe was asked before.
    """

    id: str
    question: str | None
    path: Path | None
    load: Callable[[], Pixels]
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Manner:
    """How a system likes to be asked.

    `looks` is False for a system that answers without seeing the image, so that none need be made.
    `remembers` is False where the answers of one run must not be reused in another.
    `startup_seconds` is how much longer than its time-out a call may take because something must load first.
    """

    batch: int = 1
    parallel: int = 1
    looks: bool = True
    remembers: bool = True
    startup_seconds: float = 0.0


class System(Protocol):
    """The thing under test.

    `ask` gives one answer or failure for each item, in order, or raises an AskError for the whole batch; it gives up
    after `timeout_seconds` where it can. It may be called from several threads, `manner.parallel` at a time.
    Retries, rate limits, caching and concurrency are the engine's. `fingerprint` differs between any two systems
    that could answer differently. `answers_with` may say what it answers with: caption, answer, labels.
    """

    kind: ClassVar[str]

    @property
    def manner(self) -> Manner: ...

    @property
    def fingerprint(self) -> Mapping[str, Any]: ...

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]: ...

    def close(self) -> None: ...
