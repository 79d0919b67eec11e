"""The extension points: each is a noun with typed fields, a `kind` that names it, one verb, and a few options.

Nothing has to be inherited. A protocol lists what a class must have; the options beside it list all that a class may
also declare, as a class variable, a field or a property. Nothing else of an extension is ever looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar

from anamorph.errors import UsageError
from anamorph.model.answer import Answer, Failure, Reading
from anamorph.model.ask import Ask, BatchLines, Manner, ReaderAccount
from anamorph.model.completion import Completion
from anamorph.model.picture import Hole, MadeUp, ObjectChange, Picture, Pixels, Region
from anamorph.model.scene import Scene, Segmentation, Skip, Thing
from anamorph.model.search import Find, Query
from anamorph.model.summary import ReviewedIssue, Summary, Tally
from anamorph.model.told import Told
from anamorph.model.verdict import Grade, KnownNumber, Verdict
from anamorph.model.wanted import READING_KINDS, ReadingKind, Wanted

if TYPE_CHECKING:
    from anamorph.model.case import Case, Probe
    from anamorph.model.recorded import RecordedRow

T = TypeVar("T")


class Option(Generic[T]):
    """A member that an extension may have; its name is that of the class variable that holds it."""

    def __init__(self, default: T, meaning: str) -> None:
        self.name, self.default, self.meaning = "", default, meaning

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def of(self, extension: object) -> T:
        """The value that an extension, or its class, declares; the default if it declares none."""
        found: T = getattr(extension, self.name, self.default)
        return found


class PartOptions:
    """Optional members of parts with a short form KIND:REST: systems, scene sources, segmenters, searchers."""

    command_line = Option(False, "Its first setting is a command line: quotes in REST belong to it, and stay.")


class Method(Protocol):
    """A published way to test: plans cases over scenes, and sums up their verdicts in tables and figures.

    A skip among the cases says what is left out and why; the run counts skips by reason and keeps a few by name. A
    probe among them is asked about although no case needs it, so that `further` can plan with the answer.
    """

    kind: ClassVar[str]

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Probe | Skip]: ...

    def summarise(self, tallies: Sequence[Tally]) -> Summary: ...


class MethodOptions:
    """Optional members of a method."""

    further: Option[Callable[[Told, Sequence[Told], Random], Iterator[Case | Probe | Skip]] | None] = Option(
        None,
        "A method further(told, first, rng): all that it plans with a scene, given what was said about it and about "
        "the first scenes of the run; called again once that is answered, until nothing is new.",
    )
    calls_a_scene = Option[int | None](None, "For one with `further`: at most this many calls for each scene.")
    first_scenes = Option(0, "For one with `further`: how many of the first scenes it is told about with every scene.")
    refusal: Option[Callable[[Sequence[Told]], str | None] | None] = Option(
        None,
        "A method refusal(first): why a system that said this of the first scenes cannot be tested by it, as a "
        "sentence; then nothing more is planned, and the run is inconclusive.",
    )

    suits = Option[tuple[str, ...]]((), "What the systems that it tests answer with: caption, answer, labels.")
    needs = Option[tuple[str, ...]](
        (), "What scenes must have, one of these, for it to plan anything: things, captions, labels, questions."
    )
    by_scene = Option(
        False,
        "It takes one scene after the other, and what it plans with a scene depends on no other one, so that a shard "
        "need not look at all scenes.",
    )
    pool = Option[str | None](None, "A folder of cut-outs that its edits take objects from.")
    wants_pool = Option(
        False, "Have objects of the run's own scenes cut out, and its setting `pool` replaced by their folder."
    )
    needs_pool = Option(
        False, "It does nothing but insert, so that without a recogniser for cut-outs of photos it is refused."
    )
    inpainter = Option[str | None](None, "The inpainter that its edits use, so that it is checked before a run starts.")
    wants_painter = Option[str | None](
        None, "The painter that its edits use, so that it is checked before a run starts."
    )
    names_classes = Option(
        False, "Its claims are about classes that answers must name, so one that no answer can name is told in advance."
    )
    wants_references = Option(
        False, "Have the reference captions of scenes read, as `references`, by the run's reader."
    )
    wants_colours = Option(False, "Have the colours of objects estimated where no annotation gives any.")
    wants_ground = Option(False, "Have scenes without ground get it from a segmenter that can `survey`.")
    wants_counts = Option(False, "Have the classes found of which a recogniser sees as many objects as there are.")
    wants_footings = Option(False, "Have the ground under the feet of objects, and the sky, found in the pixels.")
    wants_amodal_masks = Option[Completion | None](None, "Have partly hidden objects completed by the segmenter.")
    recorded: Option[type[RecordedRow] | None] = Option(None, "Its rows for `anamorph judge`, a dataclass with `case`.")
    relation_order = Option[tuple[str, ...]]((), "The kinds of its relations, in the order of its paper's tables.")
    profiles = Option[tuple[str, ...]]((), "By name, other ways to judge its cases, such as exactly as published.")
    judged_as: Option[Callable[[Relation, str], Relation | None] | None] = Option(
        None,
        "A method judged_as(relation, profile): what one of the `profiles` claims in place of the relation of a case; "
        "None if that relation does not hold what it needs.",
    )
    did: Option[Callable[[Sequence[Tally]], str] | None] = Option(
        None,
        "A method did(tallies): what it did in plain words, with {photos} in place of their number: removed 1 to 3 "
        "objects from {photos}.",
    )
    summarise_reviews: Option[Callable[[Sequence[ReviewedIssue]], Summary] | None] = Option(
        None, "A method summarise_reviews(issues): the tables of its paper about issues that people looked at."
    )


class System(Protocol):
    """The thing under test.

    `ask` gives one answer or failure for each item, in order, or raises an AskError for the whole batch; it gives up
    after `timeout_seconds` where it can. It may be called from several threads, `manner.parallel` at a time.
    Retries, rate limits, caching and concurrency are the engine's. `fingerprint` differs between any two systems
    that could answer differently.
    """

    kind: ClassVar[str]

    @property
    def manner(self) -> Manner: ...

    @property
    def fingerprint(self) -> Mapping[str, Any]: ...

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]: ...

    def close(self) -> None: ...


class SystemOptions(PartOptions):
    """Optional members of a system."""

    answers_with = Option[tuple[str, ...]]((), "What it answers with: caption, answer, labels.")
    environment = Option[tuple[str, ...]](
        (), "Environment variables that it reads besides those that its settings name; * where it passes all on."
    )
    contacts = Option[str | None](
        None, "The address that photos and keys are sent to, without secrets; None if nothing is sent."
    )
    signature = Option[str | None](None, "For a function: how it is called, such as caption(images, questions).")
    image_tokens = Option[Callable[[int, int], int] | None](
        None, "A method image_tokens(width, height): about how many tokens an image takes, by its provider's rule."
    )
    counts_tokens = Option(False, "Its answers say how many tokens they took, so that they can be priced by them.")
    takes_instructions = Option(
        False,
        "It is a chat model, which is told the form of its answer after a question: Answer with a single number.",
    )
    offline = Option[Callable[[str, int], bool] | None](
        None,
        "Its answers are made elsewhere. A method offline(id, attempt): whether it has this one; closed questions that "
        "it lacks are written to a file of requests, for a later round.",
    )
    takes_text = Option(
        False, "It also answers a text without an image: `ask.textual`, with the text as its question, word for word."
    )
    boxes = Option[Callable[[Pixels], Sequence[Thing]] | None](
        None,
        "A method boxes(pixels): what it sees in a picture, each with its class, box and score, which `anamorph "
        "explain` draws.",
    )
    batch_lines = Option[BatchLines | None](
        None, "The files in which its provider takes requests, for `anamorph plan --requests FILE --format NAME`."
    )


class SceneSource(Protocol):
    """Where scenes come from; `pixels` loads a scene's picture, upright and in RGB."""

    kind: ClassVar[str]

    def scan(self) -> Iterator[Scene | Skip]: ...

    def pixels(self, scene: Scene) -> Pixels: ...


class SceneSourceOptions(PartOptions):
    """Optional members of a scene source."""

    describes = Option(False, "Its scenes say all that is known of their objects, so no colours are estimated.")
    packed = Option[Callable[[Scene], Callable[[], Pixels]] | None](
        None,
        "A method packed(scene): a function without arguments that gives what `pixels` does, and can be pickled, so "
        "that the photo is decoded where its images are made.",
    )


class Searcher(Protocol):
    """Finds pictures by words, the best first, at most `most` of them.

    `search` raises Transient or Refused where a query fails, and SystemDown where asking on is pointless.
    """

    kind: ClassVar[str]

    def search(self, query: Query, most: int) -> Iterator[Find]: ...

    def close(self) -> None: ...


class SearcherOptions(PartOptions):
    """Optional members of a searcher."""

    skipped = Option[Sequence[Skip]]((), "What it could not use, to be shown once the collection is done.")


class Edit(Protocol):
    """An order that changes a picture, such as `Blur(sigma=2)`."""

    kind: ClassVar[str]

    def __hash__(self) -> int: ...

    def apply(self, picture: Picture) -> Picture: ...


class EditOptions:
    """Optional members of an edit."""

    made_up = Option[Callable[[Picture], MadeUp] | None](
        None, "A method made_up(picture): the ground that it makes up and the objects that it removes, to be checked."
    )
    smaller = Option[Callable[[], Iterable[Sequence[Edit]]] | None](
        None,
        "A method smaller(): ladders of smaller edits, each from the smallest to the largest, which are bisected; a "
        "ladder of one edit is one alternative, the boldest first.",
    )
    scale_of = Option[Callable[[str], float] | None](
        None, "A method scale_of(object): how many times as long the sides of an object become; by default 1."
    )
    takes_away = Option[Callable[[], Sequence[str]] | None](
        None, "A method takes_away(): the ids of the objects that it removes or covers."
    )
    reach = Option[Literal["all", "place", "cut", "anew"]](
        "all",
        "What it changes: all, how the whole picture looks and nothing that it shows; place, only around its "
        "`outlines`; cut, it keeps a part of the picture; anew, every pixel is made up.",
    )
    does = Option[str | None](None, "What it does to objects, as a participle: inserted, removed, moved, covered.")
    outlines = Option[Callable[[Mapping[str, Thing]], Iterable[ObjectChange]] | None](
        None, "A method outlines(things): where it changes a picture with these objects, which reports outline."
    )


class Inpainter(Protocol):
    """Makes up the pixels of a hole from what is around it; everything outside the hole comes back unchanged.

    It may be called from several threads.
    """

    kind: ClassVar[str]

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels: ...


class InpainterOptions:
    """Optional members of an inpainter."""

    fingerprint = Option[Mapping[str, Any] | None](
        None, "Differs between any two that could fill differently; without it, the settings must tell them apart."
    )
    fill_from = Option[Callable[[Pixels, Hole, Hole], Pixels] | None](
        None, "A method fill_from(pixels, hole, avoid): like fill, and takes nothing from where other objects are."
    )
    cpu_heavy = Option(
        False, "It keeps a processor core busy for a tenth of a second or more, so that large runs use processes."
    )


class Painter(Protocol):
    """Makes a picture from a map of classes, later regions over earlier ones; the same one for the same seed.

    It may be called from several threads. `fingerprint` differs between any two that could paint differently.
    """

    kind: ClassVar[str]

    @property
    def fingerprint(self) -> Mapping[str, Any]: ...

    def paint(self, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels: ...


class Segmenter(Protocol):
    """Finds the unannotated objects of a photo, each with its box and, if it can, its mask.

    It may be called from several threads. `fingerprint` differs between any two that could find different things.
    """

    kind: ClassVar[str]

    @property
    def fingerprint(self) -> Mapping[str, Any]: ...

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]: ...


class SegmenterOptions(PartOptions):
    """Optional members of a segmenter."""

    classes = Option[tuple[str, ...] | None](
        None, "The classes that it can find, so that it can be asked whether an object looks like its class."
    )
    cpu_heavy = Option(
        False, "It keeps a single processor core busy, so where it checks many images, they are made in processes."
    )
    survey = Option[Callable[[Pixels], Segmentation] | None](
        None, "A method survey(pixels): the objects, as `segment` gives them, and the ground, in one look."
    )


class Relation(Protocol):
    """A claim over the readings of a case's answers, source first; `reads` is the kind of reading that it needs."""

    kind: ClassVar[str]
    reads: ClassVar[ReadingKind]

    def __hash__(self) -> int: ...

    def judge(self, readings: Sequence[Reading]) -> Verdict: ...


class RelationOptions:
    """Optional members of a relation."""

    name = Option[str | None](None, "What its paper calls it, for tables; by default its kind.")
    claims = Option[str | None](
        None, 'What it claims in plain words, to be read after "that": the caption loses only what was removed.'
    )
    least_answers = Option(2, "How many answers it needs, the source's included.")
    most_answers = Option[int | None](None, "How many answers it can judge; by default any number.")
    class_settings = Option[tuple[str, ...]]((), "Its settings that name classes of the label space.")
    keeps_references = Option(
        False, "Its follow-ups show what the source shows, so the source's reference captions also fit them."
    )
    after_removal = Option[Callable[[Mapping[str, int], Sequence[str]], Relation] | None](
        None,
        "A method after_removal(removed, gone): the same claim where fewer objects are removed, in numbers by "
        "class, and none is left of the classes `gone`; without it, no edit is shrunk to remove fewer.",
    )
    reads_labels = Option[ReadingKind | None](
        None, "The kind of reading that it needs of answers that are label sets, where that is another one."
    )
    read_by = Option[str | None](
        None, "The reader of the released tool, which alone reads for a relation that judges as published."
    )
    grade = Option[Grade | None](
        "contradiction", "The grade of its violations that say none themselves; None for one that judges as published."
    )
    changes = Option[Callable[[], Sequence[tuple[str, int | None]]] | None](
        None,
        "A method changes(): by how much the edit is meant to change the number of each class, None for at least one "
        "fewer; classes that it leaves alone are left out. Suspicions about classes are proved by closed questions "
        "where it has one.",
    )
    takes_one = Option(
        False, "Its follow-up lacks one of what the question asks for, so that the number is meant to fall by one."
    )
    account = Option[Callable[[int], Any] | None](
        None,
        "A method account(answers): for a claim about closed answers, the number that each of them bounds and how "
        "these numbers are linked (`relations.accounts`); it is proved by asking again, and counts for the floor.",
    )
    known = Option[Sequence[KnownNumber] | None](
        None, "How many objects of each class the source is known to have, with `label`, `least` and `most`."
    )
    views = Option[Sequence[Sequence[KnownNumber]] | None](None, "The same for each of its images, source first.")
    links = Option[Callable[[int], Sequence[Any]] | None](
        None,
        "A method links(answers): for a claim about captions of views of one photo, how the numbers of a class in them "
        "are linked (`anamorph.ledger`), so that closed questions about them settle its suspicions.",
    )


_FORMER_KINDS: Mapping[str, ReadingKind] = {"plain": "wording", "tags": "labels"}


def reading_kind(relation: Relation | type[Relation], *, labels: bool) -> ReadingKind:
    """The kind of reading that a relation needs of a text, or of a label set."""
    kind = (RelationOptions.reads_labels.of(relation) if labels else None) or relation.reads
    # What a relation of the user's own may still say.
    kind = _FORMER_KINDS.get(kind, kind)
    if kind not in READING_KINDS:
        raise UsageError(
            f"The relation {relation.kind!r} reads {kind!r}, which is not a kind of reading. "
            f"Known: {', '.join(READING_KINDS)}."
        )
    return kind


class Reader(Protocol):
    """Finds the meaning of an answer; the run says which reader makes which kind of reading.

    It is pure and cheap, so that old answers can be read anew, or declares that it `asks`.
    """

    kind: ClassVar[str]

    def read(self, answer: Answer, wanted: Wanted) -> Reading: ...


class ReaderOptions:
    """Optional members of a reader."""

    makes = Option[tuple[ReadingKind, ...]](READING_KINDS, "The kinds of reading that it makes; by default all.")
    asks = Option(
        False,
        "It asks another system what a text means, so that what it reads is asked for once, several at a time, within "
        "its budget, and kept.",
    )
    account = Option[ReaderAccount | None](
        None, "For one that `asks`: how many calls it made so far, what it read with them, and what they cost."
    )
    close = Option[Callable[[], None] | None](
        None, "A method close(): let go of what it holds open, such as the system that it asks."
    )
    shipped = Option[Mapping[str, tuple[str, ...]]](
        {}, "For settings that may name files, models or packages: the values that come with Anamorph."
    )


# Every catalogue group: what its classes must have, the verb that tells them apart, and what they may declare.
EXTENSION_POINTS: Mapping[str, tuple[type, str, type | None]] = {
    "methods": (Method, "plan", MethodOptions),
    "systems": (System, "ask", SystemOptions),
    "scenes": (SceneSource, "scan", SceneSourceOptions),
    "searchers": (Searcher, "search", SearcherOptions),
    "edits": (Edit, "apply", EditOptions),
    "inpainters": (Inpainter, "fill", InpainterOptions),
    "painters": (Painter, "paint", None),
    "segmenters": (Segmenter, "segment", SegmenterOptions),
    "relations": (Relation, "judge", RelationOptions),
    "readers": (Reader, "read", ReaderOptions),
}
