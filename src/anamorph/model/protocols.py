"""The extension points: each is a noun with typed fields, a `kind` that names it, one verb, and a few options.

No inheritance is needed. A protocol lists the required members; its options list all optional ones, which may be class
variables, fields or properties. Nothing else of an extension is ever looked up.
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
    """An optional member of an extension, named by the class variable that holds it."""

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

    command_line = Option(False, "Its first setting is a command line: quotes in REST are kept.")


class Method(Protocol):
    """A published test method: plans cases over scenes, and sums up verdicts in tables and figures.

    A skip among the cases says what is omitted and why; the run counts skips by reason and keeps a few by name. A
    probe among them is asked without a case, so that `further` can plan with the answer.
    """

    kind: ClassVar[str]

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Probe | Skip]: ...

    def summarise(self, tallies: Sequence[Tally]) -> Summary: ...


class MethodOptions:
    """Optional members of a method."""

    further: Option[Callable[[Told, Sequence[Told], Random], Iterator[Case | Probe | Skip]] | None] = Option(
        None,
        "A method further(told, first, rng): all its cases for a scene, given the answers about it and about the "
        "first scenes of the run; called again once these are answered, until nothing is new.",
    )
    calls_a_scene = Option[int | None](None, "With `further`: at most this many calls per scene.")
    first_scenes = Option(0, "With `further`: how many of the first scenes it is told about with every scene.")
    refusal: Option[Callable[[Sequence[Told]], str | None] | None] = Option(
        None,
        "A method refusal(first): a sentence, if a system with these answers about the first scenes cannot be tested; "
        "then nothing more is planned, and the run is inconclusive.",
    )

    suits = Option[tuple[str, ...]]((), "The kinds of answers that it tests: caption, answer, labels.")
    needs = Option[tuple[str, ...]](
        (), "It plans only for scenes with one of these: things, captions, labels, questions."
    )
    by_scene = Option(
        False,
        "It plans each scene independently of the others, so that a shard need not load all scenes.",
    )
    pool = Option[str | None](None, "A folder of cut-outs that its edits take objects from.")
    wants_pool = Option(
        False, "Have objects of the run's own scenes cut out, and its setting `pool` replaced by their folder."
    )
    needs_pool = Option(False, "It only inserts, so it is refused without a recognizer for cut-outs of photos.")
    inpainter = Option[str | None](None, "The inpainter that its edits use, so that it is checked before a run starts.")
    wants_painter = Option[str | None](
        None, "The painter that its edits use, so that it is checked before a run starts."
    )
    names_classes = Option(
        False,
        "Its claims are about classes that answers must name; the user is warned of a class that no answer can name.",
    )
    wants_references = Option(
        False, "Have the reference captions of scenes read, as `references`, by the run's reader."
    )
    wants_colours = Option(False, "Have the colors of objects estimated if no annotation has them.")
    wants_ground = Option(False, "Have the ground of scenes that lack it found by a segmenter that can `survey`.")
    wants_counts = Option(False, "Have the classes found whose objects a recognizer counts right.")
    wants_footings = Option(False, "Have the ground under the feet of objects, and the sky, found in the pixels.")
    wants_amodal_masks = Option[Completion | None](None, "Have partly hidden objects completed by the segmenter.")
    recorded: Option[type[RecordedRow] | None] = Option(None, "Its rows for `anamorph judge`, a dataclass with `case`.")
    relation_order = Option[tuple[str, ...]]((), "The kinds of its relations, in the order of its paper's tables.")
    profiles = Option[tuple[str, ...]]((), "The names of other ways to judge its cases, such as exactly as published.")
    judged_as: Option[Callable[[Relation, str], Relation | None] | None] = Option(
        None,
        "A method judged_as(relation, profile): what one of the `profiles` claims in place of the relation of a case; "
        "None if that relation does not hold what it needs.",
    )
    did: Option[Callable[[Sequence[Tally]], str] | None] = Option(
        None,
        "A method did(tallies): its edits in plain words, with {photos} for their number: removed 1 to 3 "
        "objects from {photos}.",
    )
    summarise_reviews: Option[Callable[[Sequence[ReviewedIssue]], Summary] | None] = Option(
        None, "A method summarise_reviews(issues): its paper's tables about reviewed issues."
    )


class System(Protocol):
    """The thing under test.

    `ask` returns one answer or failure for each item, in order, or raises an AskError for the whole batch; it gives up
    after `timeout_seconds` if it can. It may be called from several threads, `manner.parallel` at a time.
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

    answers_with = Option[tuple[str, ...]]((), "Its kinds of answers: caption, answer, labels.")
    environment = Option[tuple[str, ...]](
        (), "Environment variables that it reads besides those in its settings; * if it passes all on."
    )
    contacts = Option[str | None](
        None, "The address that photos and keys are sent to, without secrets; None if nothing is sent."
    )
    signature = Option[str | None](None, "For a function: how it is called, such as caption(images, questions).")
    image_tokens = Option[Callable[[int, int], int] | None](
        None, "A method image_tokens(width, height): roughly the tokens of an image, by its provider's rule."
    )
    counts_tokens = Option(False, "Its answers report their tokens, so that they can be priced.")
    takes_instructions = Option(
        False,
        "It is a chat model: questions are followed by the form of the answer, such as: Answer with a single number.",
    )
    offline = Option[Callable[[str, int], bool] | None](
        None,
        "Its answers are recorded. A method offline(id, attempt): whether it has this one; missing closed questions "
        "are written to a file of requests, for a later round.",
    )
    takes_text = Option(
        False, "It also answers text without an image: `ask.textual`, with the text as its question, verbatim."
    )
    boxes = Option[Callable[[Pixels], Sequence[Thing]] | None](
        None,
        "A method boxes(pixels): the objects that it sees, each with class, box and score, for `anamorph explain`.",
    )
    batch_lines = Option[BatchLines | None](
        None, "Its provider's formats of batch requests, for `anamorph plan --requests FILE --format NAME`."
    )


class SceneSource(Protocol):
    """A source of scenes; `pixels` loads a scene's photo, upright, in RGB."""

    kind: ClassVar[str]

    def scan(self) -> Iterator[Scene | Skip]: ...

    def pixels(self, scene: Scene) -> Pixels: ...


class SceneSourceOptions(PartOptions):
    """Optional members of a scene source."""

    describes = Option(False, "Its scenes describe their objects fully, so no colors are estimated.")
    packed = Option[Callable[[Scene], Callable[[], Pixels]] | None](
        None,
        "A method packed(scene): a picklable function without arguments that returns what `pixels` does, so that the "
        "photo is decoded in the process that makes its images.",
    )


class Searcher(Protocol):
    """Finds photos by words, the best first, at most `most` of them.

    `search` raises Transient or Refused if a query fails, and SystemDown if further queries are pointless.
    """

    kind: ClassVar[str]

    def search(self, query: Query, most: int) -> Iterator[Find]: ...

    def close(self) -> None: ...


class SearcherOptions(PartOptions):
    """Optional members of a searcher."""

    skipped = Option[Sequence[Skip]]((), "The items that it could not use, shown at the end of the collection.")


class Edit(Protocol):
    """An image edit as data, such as `Blur(sigma=2)`."""

    kind: ClassVar[str]

    def __hash__(self) -> int: ...

    def apply(self, picture: Picture) -> Picture: ...


class EditOptions:
    """Optional members of an edit."""

    made_up = Option[Callable[[Picture], MadeUp] | None](
        None, "A method made_up(picture): the area that it generates and the objects that it removes, to be checked."
    )
    inpainter = Option[str | None](None, "The name of the inpainter that generates that area.")
    smaller = Option[Callable[[], Iterable[Sequence[Edit]]] | None](
        None,
        "A method smaller(): ladders of smaller edits, each in ascending order, which are bisected; a ladder of one "
        "edit is an alternative, the boldest first.",
    )
    scale_of = Option[Callable[[str], float] | None](
        None, "A method scale_of(object): the scale factor of an object's sides; by default 1."
    )
    takes_away = Option[Callable[[], Sequence[str]] | None](
        None, "A method takes_away(): the ids of the objects that it removes or covers."
    )
    reach = Option[Literal["all", "place", "cut", "anew"]](
        "all",
        "What it changes: all, the look of the whole image but not its content; place, only around its `outlines`; "
        "cut, it keeps a part of the image; anew, every pixel is generated.",
    )
    does = Option[str | None](None, "Its effect on objects, as a participle: inserted, removed, moved, covered.")
    outlines = Option[Callable[[Mapping[str, Thing]], Iterable[ObjectChange]] | None](
        None, "A method outlines(things): where it changes an image with these objects, for reports."
    )


class Inpainter(Protocol):
    """Generates the pixels of a hole from its surroundings; pixels outside the hole are unchanged.

    It may be called from several threads.
    """

    kind: ClassVar[str]

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels: ...


class InpainterOptions:
    """Optional members of an inpainter."""

    fingerprint = Option[Mapping[str, Any] | None](
        None, "Differs between any two that could fill differently; by default, the settings must."
    )
    fill_from = Option[Callable[[Pixels, Hole, Hole], Pixels] | None](
        None, "A method fill_from(pixels, hole, avoid): like fill, but copies nothing from other objects."
    )
    cpu_heavy = Option(False, "It takes 0.1 CPU seconds or more, so large runs use processes.")


class Painter(Protocol):
    """Generates an image from a map of classes, later regions over earlier ones; deterministic by seed.

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
        None, "The classes that it can find, for checks whether an object looks like its class."
    )
    cpu_heavy = Option(False, "It uses a single core, so large runs use processes.")
    survey = Option[Callable[[Pixels], Segmentation] | None](
        None, "A method survey(pixels): the objects, as `segment` returns them, and the ground, in one pass."
    )


class Relation(Protocol):
    """A claim over the readings of a case's answers, source first; `reads` is the kind of reading that it needs."""

    kind: ClassVar[str]
    reads: ClassVar[ReadingKind]

    def __hash__(self) -> int: ...

    def judge(self, readings: Sequence[Reading]) -> Verdict: ...


class RelationOptions:
    """Optional members of a relation."""

    name = Option[str | None](None, "Its name in its paper, for tables; by default its kind.")
    claims = Option[str | None](
        None, 'Its claim in plain words, to follow "that": the caption loses only what was removed.'
    )
    least_answers = Option(2, "The fewest answers it needs, the source's included.")
    most_answers = Option[int | None](None, "The most answers it can judge; by default any number.")
    class_settings = Option[tuple[str, ...]]((), "Its settings that name classes of the label space.")
    keeps_references = Option(
        False, "Its follow-ups show what the source shows, so the source's reference captions also fit them."
    )
    after_removal = Option[Callable[[Mapping[str, int], Sequence[str]], Relation] | None](
        None,
        "A method after_removal(removed, gone): the same claim for fewer removed objects, as numbers by class, "
        "with none left of the classes `gone`; without it, no edit is shrunk to remove fewer.",
    )
    reads_labels = Option[ReadingKind | None](None, "The kind of reading that it needs of label sets, if different.")
    read_by = Option[str | None](
        None, "The released tool's reader, the only one used by a relation that judges as published."
    )
    grade = Option[Grade | None](
        "contradiction", "The default grade of its violations; None if it judges as published."
    )
    changes = Option[Callable[[], Sequence[tuple[str, int | None]]] | None](
        None,
        "A method changes(): the intended change in the number of each class, None for at least one fewer; unchanged "
        "classes are omitted. With it, suspicions about classes are proved by closed questions.",
    )
    takes_one = Option(
        False, "Its follow-up has one fewer of what the question asks for, so the number should fall by one."
    )
    account = Option[Callable[[int], Any] | None](
        None,
        "A method account(answers): for a claim about closed answers, the number that each of them bounds and how "
        "these numbers are linked (`relations.accounts`); it is proved by asking again, and counts for the floor.",
    )
    known = Option[Sequence[KnownNumber] | None](
        None, "The known number of objects of each class in the source, with `label`, `least` and `most`."
    )
    views = Option[Sequence[Sequence[KnownNumber]] | None](None, "The same for each image, source first.")
    links = Option[Callable[[int], Sequence[Any]] | None](
        None,
        "A method links(answers): for a claim about captions of views of one photo, how the numbers of a class in them "
        "are linked (`anamorph.ledger`), so that closed questions about them settle its suspicions.",
    )


_FORMER_KINDS: Mapping[str, ReadingKind] = {"plain": "wording", "tags": "labels"}


def reading_kind(relation: Relation | type[Relation], *, labels: bool) -> ReadingKind:
    """The kind of reading that a relation needs of text, or of a label set."""
    kind = (RelationOptions.reads_labels.of(relation) if labels else None) or relation.reads
    # A user's own relation may have an unknown kind.
    kind = _FORMER_KINDS.get(kind, kind)
    if kind not in READING_KINDS:
        raise UsageError(
            f"The relation {relation.kind!r} reads {kind!r}, which is not a kind of reading. "
            f"Known: {', '.join(READING_KINDS)}."
        )
    return kind


class Reader(Protocol):
    """Reads answers; the run says which reader makes which kind of reading.

    It is pure and cheap, so that old answers can be read again, or declares that it `asks`.
    """

    kind: ClassVar[str]

    def read(self, answer: Answer, wanted: Wanted) -> Reading: ...


class ReaderOptions:
    """Optional members of a reader."""

    makes = Option[tuple[ReadingKind, ...]](READING_KINDS, "The kinds of readings that it makes; by default all.")
    asks = Option(
        False,
        "It asks another system for readings: once for each text, several at a time, within its budget; they are kept.",
    )
    account = Option[ReaderAccount | None](None, "With `asks`: its calls so far, the texts read, and the cost.")
    close = Option[Callable[[], None] | None](
        None, "A method close(): release resources, such as the system that it asks."
    )
    shipped = Option[Mapping[str, tuple[str, ...]]](
        {}, "The shipped values of settings that may name files, models or packages."
    )


# Every catalog group: its protocol, the verb that identifies it, and its options.
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
