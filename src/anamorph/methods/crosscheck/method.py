"""crosscheck: closed questions about any photo, whose answers must fit together.

A method of our own: no annotations, no inpainting, no weights, and no reading of prose. The system names what it sees;
then it is asked, in closed questions, about the photo, its parts, its mirror image and a collage with another photo.
Whatever the photos show, the numbers of one photo and class are linked, and answers without a common solution are a
contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, Literal, TypeAlias, get_args

from anamorph.edits.blank import Blank
from anamorph.edits.brightness import Brightness
from anamorph.edits.collage import Collage
from anamorph.edits.crop import Crop
from anamorph.edits.mirror import Mirror
from anamorph.edits.pad import Pad
from anamorph.edits.reencode import Reencode
from anamorph.methods.crosscheck.naming import chosen, decoys, fallback_classes, is_list, named_classes
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

# Whether it obeys "Answer true or false", and whether it counts.
Form: TypeAlias = Literal["instructed", "counts"]
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
RELATIONS: tuple[RelationName, ...] = get_args(RelationName)
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
    classes: int = setting(4, "Ask about at most this many of the classes that the system names.", least=1, most=50)
    hidden: int = setting(
        2, "Ask about at most this many classes that it names in a part of the photo and not in the whole.", least=0
    )
    decoys: int = setting(1, "Ask about this many classes that it does not name.", least=0, most=3)
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
        for place, each in enumerate(first):
            if each.scene.id == told.scene.id:
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
        if any(is_list(named_classes(first[0], [Answer(each)], annotated=False)) for each in lists):
            return LISTS_ALIKE.format(len(first), lists.pop()[:60]) if len(lists) == 1 else None
        readings = [
            told.read("closed", answer, probe.question)
            for told, probe, answer in said
            if probe.question not in (self.wording.list, self.wording.of_count(OPENING))
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
        if place < FIRST // 2:
            yield Probe(scene.id, WHOLE, self.wording.of_count(OPENING))
        if place == 0:
            yield Probe(scene.id, (Blank(),), self.wording.list)
            yield Probe(scene.id, (Blank(),), self.wording.of_existence(OPENING))

    def _forms(self, first: Sequence[Told]) -> Iterator[Form]:
        """The forms of closed answers that the system was seen to obey."""
        statements = [self.wording.of_statement(OPENING), self.wording.of_denial(OPENING)]
        if _obeys(first, statements):
            yield "instructed"
        if _obeys(first, [self.wording.of_count(OPENING)]):
            yield "counts"


def _obeys(first: Sequence[Told], questions: Sequence[str]) -> bool:
    """Whether most answers to some questions about the first photos can be read."""
    answers = [(told, question, told.answer(WHOLE, question)) for told in first for question in questions]
    readings = [told.read("closed", answer, question) for told, question, answer in answers if answer is not None]
    return sum(isinstance(reading, AnswerReading) for reading in readings) * 2 > len(readings)


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

    def __init__(self, method: Crosscheck, told: Told, forms: frozenset[Form], rng: Random) -> None:
        self._method, self._told, self._scene, self._forms = method, told, told.scene, forms
        self._wording = method.wording
        lists = [told.answer(WHOLE, question) for question in method._list_questions()]
        texts = [answer for answer in lists if answer is not None]
        self._lists_things = is_list(named_classes(told, texts, annotated=False))
        named = named_classes(told, texts if self._lists_things else [])
        # The draws come first, so that they are the same in every round.
        drawn = decoys(told, named, rng)
        self._decoys = rng.sample(drawn, min(len(drawn), method.decoys))
        self._place = (rng.random(), rng.random())
        self._small: Edit = rng.choice((Reencode(), Brightness(0.85), Pad(0.05)))
        self._turn = rng.random()
        self._extras = rng.sample(range(len(EXTRAS)), len(EXTRAS))
        self._zooms = rng.choice((quadrants(self._scene)[::3], quadrants(self._scene)[1:3]))
        self._named = chosen(named, method.classes, rng)
        self._all_named = {each.label for each in named}
        self._scan = [] if named else fallback_classes(told.space)

    def cases(self) -> Iterator[Case | Probe]:
        """Everything, in the order of what it tells for its calls."""
        labels, absent = [each.label for each in self._named], list(dict(self._decoys))
        # What an earlier round asked comes first in the same order, so that the calls are counted alike.
        opening = [self._ask(WHOLE, self._first_question(label)) for label in [*labels, *absent]]
        opening += [self._ask(WHOLE, self._wording.of_existence(label)) for label in self._scan]
        if self._lists_things:
            opening += [self._ask((Crop(box),), self._wording.list) for box in self._zooms]
        yield from opening
        # One of them may be among the very first questions, which were asked before.
        own = [probe for probe in opening if probe not in {*self._method._first_questions(self._scene, 0)}]
        if own and not any(self._told.asked(probe.edits, probe.question) for probe in own):
            return
        there = [label for label in [*labels, *self._scan] if self._is_there(label)][: self._method.classes]
        # Several can be miscounted; of one there is less to get wrong.
        there.sort(key=lambda label: not 1 < (self._said(label) or 0) <= MOST_COUNTED)
        yield from self._hidden([label for label in labels if label not in there])
        for label in there[:2]:
            yield from self._pieces(label)
        yield from self._mirrored(there[:2])
        yield from self._collage(there[:2] or absent[:1])
        for number in self._extras:
            yield from EXTRAS[number](self, there, absent)
        for label in there[2:]:
            yield from self._pieces(label)

    def _hidden(self, denied: Sequence[str]) -> Iterator[Case]:
        """What it names in a part and not in the whole, and what it names in the whole and then denies."""
        found: dict[str, list[Box]] = {label: list(halves(self._scene)) for label in denied}
        for box in self._zooms:
            answer = self._told.answer((Crop(box),), self._wording.list)
            for each in [] if answer is None else named_classes(self._told, [answer], annotated=False):
                if each.label not in self._all_named and each.plain and each.label not in self._told.arguable:
                    found.setdefault(each.label, []).append(box)
        for label, boxes in list(found.items())[: self._method.hidden]:
            exists = self._wording.of_existence(label)
            for box in boxes:
                probes = [self._ask(WHOLE, exists), self._ask((Crop(box),), exists)]
                yield from self._case("crop", CropShowsNoMore(label), probes, label, "in a part")

    def _pieces(self, label: str) -> Iterator[Case]:
        """Two pieces that cover the photo."""
        pieces = [self._number((Crop(box),), label) for box in halves(self._scene)]
        yield from self._case("pieces", PiecesCoverWhole(label), [self._number(WHOLE, label), *pieces], label)

    def _mirrored(self, labels: Sequence[str]) -> Iterator[Case]:
        for label in labels:
            probes = [self._number(WHOLE, label), self._number((Mirror(),), label)]
            yield from self._case("mirror", SameNumber(label), probes, label)

    def _collage(self, labels: Sequence[str]) -> Iterator[Case]:
        partner, wording = self._told.partner, self._wording
        if partner is None:
            return
        below = self._scene.width > self._scene.height
        for label in labels:
            joined = wording.of_collage(label) if self._counts(label) else wording.of_collage_existence(label)
            own = self._number(WHOLE, label)
            probes = [self._ask((Collage(partner.id, below),), joined), own, replace(own, scene=partner.id)]
            yield from self._case("collage", CollageAddsUp(label), probes, label)

    # --- of these, as many as the calls allow, in an order that is drawn for each photo ------------------------------

    def _existence(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        counted = [label for label in [*there, *absent] if self._counts(label)]
        if counted:
            label = counted[int(self._turn * len(counted))]
            asks = (self._wording.of_existence, self._wording.of_count)
            probes = [self._ask(WHOLE, ask(label)) for ask in asks]
            yield from self._case("exists-and-count", NumberFitsExistence(label), probes, label)

    def _crop(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        crop = crop_at(self._scene, *self._place)
        for label in there[:1]:
            probes = [self._number(WHOLE, label), self._number((Crop(crop),), label)]
            yield from self._case("crop", CropShowsNoMore(label), probes, label)

    def _sides(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        single = [label for label in there if self._said(label) == 1]
        if single and "instructed" in self._forms:
            question = self._wording.of_side(single[0])
            probes = [self._ask(WHOLE, question), self._ask((Mirror(),), question)]
            yield from self._case("mirror", MirrorSwapsSides(single[0]), probes, single[0])

    def _negation(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        labels = [*there[:1], *absent[:1]]
        if labels and "instructed" in self._forms:
            label = labels[int(self._turn * len(labels))]
            asks = (self._wording.of_statement, self._wording.of_denial)
            yield from self._case(
                "negation", NegationDiffers(label), [self._ask(WHOLE, ask(label)) for ask in asks], label
            )

    def _sum(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        counted = [label for label in [*there, *absent] if self._counts(label)][:2]
        if len(counted) == 2:
            first, second = counted
            wording = self._wording
            questions = (
                wording.of_both(first, second),
                wording.of_both(second, first),
                wording.of_count(first),
                wording.of_count(second),
            )
            asked = [self._ask(WHOLE, question) for question in questions]
            yield from self._case("order-and-sum", SumInAnyOrder(first, second), asked, first)

    def _options(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        if there and absent and "instructed" in self._forms:
            pair = (there[0], absent[0])
            asked = [self._ask(WHOLE, self._wording.of_choice(*each)) for each in (pair, pair[::-1])]
            yield from self._case("options", OptionsInAnyOrder(there[0], pair), asked, there[0])

    def _small_change(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        for label in there[:1]:
            probes = [self._number(WHOLE, label), self._number((self._small,), label)]
            yield from self._case("small-changes", SameNumber(label), probes, label)

    def _blank(self, there: Sequence[str], absent: Sequence[str]) -> Iterator[Case]:
        for label in [*there, *absent][:1]:
            blank = self._ask((Blank(),), self._wording.of_existence(label))
            yield from self._case("blank", BlankShowsNone(label), [blank], label)

    def _case(
        self, name: RelationName, relation: Relation, probes: Sequence[Probe], label: str, presence: str = "named"
    ) -> Iterator[Case]:
        if name in self._method.relations:
            tags = {"class": label, "relation": name, "presence": dict(self._decoys).get(label, presence)}
            yield Case(self._method.kind, probes[0], tuple(probes[1:]), relation, tags)

    def _ask(self, edits: tuple[Edit, ...], question: str) -> Probe:
        return Probe(self._scene.id, edits, question)

    def _first_question(self, label: str) -> str:
        """What is asked about a class before anything is known of it."""
        return self._wording.of_count(label) if self._is_counted(label) else self._wording.of_existence(label)

    def _number(self, edits: tuple[Edit, ...], label: str) -> Probe:
        """How many there are in an image; of what is not counted, whether there is any."""
        wording = self._wording
        return self._ask(edits, wording.of_count(label) if self._counts(label) else wording.of_existence(label))

    def _counts(self, label: str) -> bool:
        """Whether a class is counted: not what comes in heaps, nor a free noun, nor what is counted above a handful."""
        said = self._said(label)
        return self._is_counted(label) and (said is None or said <= MOST_COUNTED)

    def _is_counted(self, label: str) -> bool:
        return "counts" in self._forms and self._told.counted(label) and label in self._told.space

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


# Larger counts are asked about as existence: people and systems only estimate them.
MOST_COUNTED = 6
# What else is asked about a photo.
EXTRAS: tuple[Callable[[_Planner, Sequence[str], Sequence[str]], Iterator[Case]], ...] = (
    _Planner._existence,
    _Planner._crop,
    _Planner._sides,
    _Planner._negation,
    _Planner._sum,
    _Planner._options,
    _Planner._small_change,
    _Planner._blank,
)


def halves(scene: Scene) -> tuple[Box, Box]:
    """Two boxes that cover a photo along its longer side, and overlap."""
    width, height = float(scene.width), float(scene.height)
    if width >= height:
        part = float(round(width * PIECE))
        return Box(0.0, 0.0, part, height), Box(width - part, 0.0, part, height)
    part = float(round(height * PIECE))
    return Box(0.0, 0.0, width, part), Box(0.0, height - part, width, part)


def quadrants(scene: Scene) -> tuple[Box, ...]:
    """The four quarters of a photo, row by row."""
    width, height = max(1, scene.width // 2), max(1, scene.height // 2)
    return tuple(
        Box(float(left), float(top), float(width), float(height))
        for top in (0, scene.height - height)
        for left in (0, scene.width - width)
    )


def crop_at(scene: Scene, across: float, down: float) -> Box:
    """A box of fixed size whose place two numbers from 0 to 1 say."""
    width, height = max(1, round(scene.width * CROP)), max(1, round(scene.height * CROP))
    left, top = round((scene.width - width) * across), round((scene.height - height) * down)
    return Box(float(left), float(top), float(width), float(height))
