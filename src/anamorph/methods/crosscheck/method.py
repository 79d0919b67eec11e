"""crosscheck: closed questions about any photo, whose answers must fit together.

A method of our own: no annotations, no inpainting, no weights, and no reading of prose. The system names what it sees;
then it is asked, in closed questions, about the photo, its parts, its mirror image and a collage with another photo.
Whatever the photos show, the numbers of one photo and class are linked, and answers without a common solution are a
contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal, TypeAlias

from anamorph.edits.blank import Blank
from anamorph.edits.brightness import Brightness
from anamorph.edits.collage import Collage
from anamorph.edits.crop import Crop
from anamorph.edits.mirror import Mirror
from anamorph.edits.pad import Pad
from anamorph.edits.reencode import Reencode
from anamorph.methods.crosscheck.naming import decoys, fallback_classes, named_classes
from anamorph.methods.crosscheck.tables import crosscheck_summary
from anamorph.methods.crosscheck.wording import Wording
from anamorph.model import (
    Answer,
    AnswerReading,
    Box,
    Case,
    Edit,
    Probe,
    Relation,
    Scene,
    Skip,
    Summary,
    Tally,
    Unreadable,
    setting,
)
from anamorph.model.told import Told
from anamorph.relations.blank_shows_none import BlankShowsNone
from anamorph.relations.collage_adds_up import CollageAddsUp
from anamorph.relations.crop_shows_no_more import CropShowsNoMore
from anamorph.relations.mirror_swaps_sides import MirrorSwapsSides
from anamorph.relations.negation_differs import NegationDiffers
from anamorph.relations.number_fits_existence import NumberFitsExistence
from anamorph.relations.options_in_any_order import OptionsInAnyOrder
from anamorph.relations.pieces_cover_whole import PiecesCoverWhole
from anamorph.relations.same_number import SameNumber
from anamorph.relations.sum_in_any_order import SumInAnyOrder

RelationName: TypeAlias = Literal[
    "exists-and-count",
    "pieces",
    "crop",
    "mirror",
    "collage",
    "negation",
    "order-and-sum",
    "options",
    "small-changes",
    "blank",
]
# In the order of the tables; the first are the most telling for their calls.
RELATIONS: tuple[RelationName, ...] = (
    "exists-and-count",
    "pieces",
    "crop",
    "mirror",
    "collage",
    "negation",
    "order-and-sum",
    "options",
    "small-changes",
    "blank",
)
# How many of the first photos are asked about before all others, so that a blind system is found at once.
FIRST = 4
# The two pieces overlap, so that what the middle cuts is whole in one of them.
PIECE = 0.6
# A crop has this share of each side, at a place that is drawn.
CROP = 0.62
WHOLE: tuple[Edit, ...] = ()
# What the first closed questions are about, whatever the photos show.
OPENING = "person"
ALL_ALIKE = "every question about {} photos and a blank image got the same answer, {!r}"
LISTS_ALIKE = (
    "the answers do not depend on the image: {} photos and a blank image all got {!r} as the list of what they show"
)
CONSTANT = (
    "a constant answers no question: whether {} photos and a blank image show a person, and a statement and its "
    "negation about it, all got the answer {!r}"
)


@dataclass(frozen=True, slots=True)
class Crosscheck:
    """Ask closed questions about a photo, its parts, its mirror image and a collage: the answers must fit together."""

    kind: ClassVar[str] = "crosscheck"
    suits: ClassVar[tuple[str, ...]] = ("answer",)
    first_scenes: ClassVar[int] = FIRST
    relation_order: ClassVar[tuple[str, ...]] = tuple(
        relation.kind
        for relation in (
            NumberFitsExistence,
            PiecesCoverWhole,
            CropShowsNoMore,
            SameNumber,
            MirrorSwapsSides,
            CollageAddsUp,
            NegationDiffers,
            SumInAnyOrder,
            OptionsInAnyOrder,
            BlankShowsNone,
        )
    )
    calls: int = setting(25, "At most this many calls for each photo; proving comes on top.", least=4, most=1000)
    relations: tuple[RelationName, ...] = setting(RELATIONS, "Which relations are tested.")
    classes: int = setting(3, "Ask about at most this many of the classes that the system names.", least=1, most=50)
    decoys: int = setting(2, "Ask about this many classes that it does not name.", least=0, most=3)
    caption: bool = setting(False, "Take classes from a caption as well as from a list of objects.")
    wording: Wording = setting(Wording(), "How the questions are worded.")

    @property
    def calls_a_scene(self) -> int:
        return self.calls

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Probe | Skip]:
        """The first questions, about a few photos only; all else is planned with their answers."""
        for place, scene in enumerate(scenes):
            if place == FIRST:
                return
            yield from self._first_questions(scene, place)

    def further(self, told: Told, first: Sequence[Told], rng: Random) -> Iterator[Case | Probe | Skip]:
        """All that is asked about a photo, as far as what was said allows."""
        budget = _Budget(self.calls)
        if any(each.scene.id == told.scene.id for each in first):
            place = [each.scene.id for each in first].index(told.scene.id)
            budget.take(list(self._first_questions(told.scene, place)))
        yield from budget.probes([Probe(told.scene.id, WHOLE, question) for question in self._list_questions()])
        if any(not told.asked(WHOLE, question) for question in self._list_questions()):
            return
        planner = _Planner(self, told, frozenset(self._forms(first)), rng)
        for planned in planner.cases():
            if isinstance(planned, Probe):
                yield from budget.probes([planned])
            elif budget.take(planned.probes):
                yield planned

    def refusal(self, first: Sequence[Told]) -> str | None:
        """Why a system cannot be tested: its answers do not depend on the image, or on the question."""
        if len(first) < FIRST:
            return None
        asked = [
            (told, probe, told.answer(probe.edits, probe.question))
            for place, told in enumerate(first)
            for probe in self._first_questions(told.scene, place)
        ]
        said = [(told, probe, answer) for told, probe, answer in asked if answer is not None]
        if len(said) < len(asked):
            return None
        texts = {answer.text or "" for _, _, answer in said}
        if len(texts) == 1:
            return ALL_ALIKE.format(len(first), texts.pop()[:60])
        # A question answerer that knows no lists may say "0" to them, and yet see.
        lists = {answer.text or "" for _, probe, answer in said if probe.question == self.wording.list}
        if len(lists) == 1 and named_classes(first[0], [Answer(each) for each in lists], annotated=False):
            return LISTS_ALIKE.format(len(first), lists.pop()[:60])
        readings = [
            told.read("closed", answer, probe.question)
            for told, probe, answer in said
            if probe.question != self.wording.list
        ]
        yes = {reading.yes if isinstance(reading, AnswerReading) else None for reading in readings}
        if len(yes) == 1 and None not in yes:
            return CONSTANT.format(len(first), "yes" if True in yes else "no")
        return None

    def summarise(self, tallies: Sequence[Tally]) -> Summary:
        """Error rates by relation, and by what the class is to the photo."""
        return crosscheck_summary(tallies)

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        return "asked closed questions about {photos}, their parts and their mirror images"

    def _list_questions(self) -> list[str | None]:
        return [self.wording.list, *([None] if self.caption else [])]

    def _first_questions(self, scene: Scene, place: int) -> Iterator[Probe]:
        """Few calls that tell whether the system looks and which forms of answer it knows."""
        closed = (self.wording.of_existence, self.wording.of_statement, self.wording.of_denial)
        yield Probe(scene.id, WHOLE, self.wording.list)
        for ask in closed:
            yield Probe(scene.id, WHOLE, ask(OPENING))
        if place == 0:
            yield Probe(scene.id, (Blank(),), self.wording.list)
            yield Probe(scene.id, (Blank(),), self.wording.of_existence(OPENING))

    def _forms(self, first: Sequence[Told]) -> Iterator[str]:
        """The forms of closed answers that the system was seen to obey."""
        questions = (self.wording.of_statement(OPENING), self.wording.of_denial(OPENING))
        answers = [(told, question, told.answer(WHOLE, question)) for told in first for question in questions]
        read = [
            not isinstance(told.read("closed", answer, question), Unreadable)
            for told, question, answer in answers
            if answer is not None
        ]
        if read and sum(read) * 2 > len(read):
            yield "instructed"


class _Budget:
    """Counts the distinct calls of a photo, and refuses cases that do not fit in any more."""

    def __init__(self, calls: int) -> None:
        self._left = calls
        self._known: set[Probe] = set()

    def take(self, probes: Sequence[Probe]) -> bool:
        """Whether these fit in; then they are taken."""
        new = {*probes} - self._known
        if len(new) > self._left:
            return False
        self._left -= len(new)
        self._known |= new
        return True

    def probes(self, probes: Sequence[Probe]) -> Iterator[Probe]:
        """Those that fit in."""
        for probe in probes:
            if self.take([probe]):
                yield probe


class _Planner:
    """Plans the cases of one photo, the most telling first."""

    def __init__(self, method: Crosscheck, told: Told, forms: frozenset[str], rng: Random) -> None:
        self._method, self._told, self._scene, self._forms = method, told, told.scene, forms
        self._wording = method.wording
        lists = [told.answer(WHOLE, question) for question in method._list_questions()]
        named = named_classes(told, [answer for answer in lists if answer is not None])
        # The draws come first, so that they are the same in every round.
        self._decoys = decoys(told, named, rng)[: method.decoys]
        self._places = [(rng.random(), rng.random()) for _ in range(method.classes)]
        self._small: Edit = rng.choice((Reencode(), Brightness(0.85), Pad(0.05)))
        self._named = named[: method.classes]
        self._scan = [] if named else fallback_classes(told.space)

    def cases(self) -> Iterator[Case | Probe]:
        """Everything, in the order of what it tells for its calls."""
        labels, absent = [each.label for each in self._named], list(dict(self._decoys))
        # What an earlier round asked comes first in the same order, so that the calls are counted alike.
        yield from self._existence(labels)
        for label in self._scan:
            yield self._ask(WHOLE, self._wording.of_existence(label))
        yield from self._existence(absent)
        there = [label for label in labels if self._is_there(label)]
        found = [label for label in self._scan if self._is_there(label)][: self._method.classes]
        yield from self._existence(found)
        there += found
        if not self._answered([*labels, *self._scan, *absent]):
            return
        for place, label in enumerate(there[:2]):
            yield from self._parts(label, place)
            yield from self._mirrored(label)
        yield from self._collage(there[:1] or absent[:1])
        yield from self._whole(there, absent)
        for label in there[2:]:
            yield from self._parts(label, 2)

    def _existence(self, labels: Sequence[str]) -> Iterator[Case | Probe]:
        """Whether there is any, and how many: what the other questions follow from."""
        wording = self._wording
        for label in labels:
            exists, count = (self._ask(WHOLE, ask(label)) for ask in (wording.of_existence, wording.of_count))
            if not self._told.counted(label):
                yield exists
            elif "exists-and-count" in self._method.relations:
                yield from self._case("exists-and-count", NumberFitsExistence(label), [exists, count], label)
            else:
                yield count

    def _parts(self, label: str, place: int) -> Iterator[Case]:
        """Two pieces that cover the photo, and a crop somewhere."""
        whole = self._number(WHOLE, label)
        pieces = [self._number((Crop(box),), label) for box in halves(self._scene)]
        yield from self._case("pieces", PiecesCoverWhole(label), [whole, *pieces], label)
        crop = crop_at(self._scene, *self._places[place % len(self._places)])
        yield from self._case("crop", CropShowsNoMore(label), [whole, self._number((Crop(crop),), label)], label)

    def _mirrored(self, label: str) -> Iterator[Case]:
        probes = [self._number(WHOLE, label), self._number((Mirror(),), label)]
        yield from self._case("mirror", SameNumber(label), probes, label)
        if self._said(label) == 1 and "instructed" in self._forms:
            question = self._wording.of_side(label)
            sides = [self._ask(WHOLE, question), self._ask((Mirror(),), question)]
            yield from self._case("mirror", MirrorSwapsSides(label), sides, label)

    def _collage(self, labels: Sequence[str]) -> Iterator[Case]:
        partner = self._told.partner
        for label in labels:
            if partner is None or not self._counts(label):
                continue
            below = self._scene.width > self._scene.height
            collage = self._ask((Collage(partner.id, below),), self._wording.of_collage(label))
            apart = [
                self._number(WHOLE, label),
                Probe(partner.id, WHOLE, self._wording.of_count(label)),
            ]
            yield from self._case("collage", CollageAddsUp(label), [collage, *apart], label)

    def _whole(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        """Relations between questions about the photo itself, or about images that show as much or nothing."""
        wording = self._wording
        for label in [*there[:1], *absent[:1]]:
            if "instructed" in self._forms:
                probes = [self._ask(WHOLE, ask(label)) for ask in (wording.of_statement, wording.of_denial)]
                yield from self._case("negation", NegationDiffers(label), probes, label)
        counted = [label for label in [*there, *absent] if self._counts(label)][:2]
        if len(counted) == 2:
            first, second = counted
            questions = (
                wording.of_both(first, second),
                wording.of_both(second, first),
                wording.of_count(first),
                wording.of_count(second),
            )
            asked = [self._ask(WHOLE, question) for question in questions]
            yield from self._case("order-and-sum", SumInAnyOrder(first, second), asked, first)
        for label in there[:1]:
            yield from self._case(
                "small-changes",
                SameNumber(label),
                [self._number(WHOLE, label), self._number((self._small,), label)],
                label,
            )
            if absent and "instructed" in self._forms:
                pair = (label, absent[0])
                asked = [self._ask(WHOLE, wording.of_choice(*each)) for each in (pair, pair[::-1])]
                yield from self._case("options", OptionsInAnyOrder(label, pair), asked, label)
        for label in [*there[:1], *absent[:1]][:1]:
            blank = self._ask((Blank(),), wording.of_existence(label))
            yield from self._case("blank", BlankShowsNone(label), [blank], label)

    def _case(self, name: RelationName, relation: Relation, probes: Sequence[Probe], label: str) -> Iterator[Case]:
        if name in self._method.relations:
            ways = dict(self._decoys)
            tags = {"class": label, "relation": name, "presence": ways.get(label, "named")}
            yield Case(self._method.kind, probes[0], tuple(probes[1:]), relation, tags)

    def _ask(self, edits: tuple[Edit, ...], question: str) -> Probe:
        return Probe(self._scene.id, edits, question)

    def _number(self, edits: tuple[Edit, ...], label: str) -> Probe:
        """How many there are in an image; of what is not counted, whether there is any."""
        wording = self._wording
        return self._ask(edits, wording.of_count(label) if self._counts(label) else wording.of_existence(label))

    def _counts(self, label: str) -> bool:
        """Whether a class is counted: not what comes in heaps, nor what the system counts above a handful."""
        said = self._said(label)
        return self._told.counted(label) and (said is None or said <= MOST_COUNTED)

    def _said(self, label: str) -> int | None:
        question = self._wording.of_count(label)
        answer = self._told.answer(WHOLE, question)
        reading = None if answer is None else self._told.read("closed", answer, question)
        return reading.number if isinstance(reading, AnswerReading) else None

    def _is_there(self, label: str) -> bool:
        said = self._said(label)
        if said is not None:
            return said > 0
        question = self._wording.of_existence(label)
        answer = self._told.answer(WHOLE, question)
        reading = None if answer is None else self._told.read("closed", answer, question)
        return isinstance(reading, AnswerReading) and bool(reading.there)

    def _answered(self, labels: Sequence[str]) -> bool:
        """Whether the round that asks what is there was planned."""
        asked = self._wording.of_existence, self._wording.of_count
        return not labels or any(self._told.asked(WHOLE, ask(label)) for label in labels[:1] for ask in asked)


# Larger counts are asked about as existence: people and systems only estimate them.
MOST_COUNTED = 6


def halves(scene: Scene) -> tuple[Box, Box]:
    """Two boxes that cover a photo along its longer side, and overlap."""
    width, height = float(scene.width), float(scene.height)
    if width >= height:
        part = float(round(width * PIECE))
        return Box(0.0, 0.0, part, height), Box(width - part, 0.0, part, height)
    part = float(round(height * PIECE))
    return Box(0.0, 0.0, width, part), Box(0.0, height - part, width, part)


def crop_at(scene: Scene, across: float, down: float) -> Box:
    """A box of fixed size whose place two numbers from 0 to 1 say."""
    width, height = max(1, round(scene.width * CROP)), max(1, round(scene.height * CROP))
    left, top = round((scene.width - width) * across), round((scene.height - height) * down)
    return Box(float(left), float(top), float(width), float(height))
