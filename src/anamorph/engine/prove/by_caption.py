"""Suspicions about a system that takes no questions: a witness decides what the images show, or the captions must do.

Without a witness, a change in what is named counts only where it can be neither chance nor taste: the class is salient
for this very system, or large and named by people; a number only where both captions commit to one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.engine.prove.by_class import ClosedProof
from anamorph.engine.prove.findings import Finding, line, waiting_for
from anamorph.engine.prove.hearing import Heard
from anamorph.engine.prove.places import change_between, removed_by
from anamorph.engine.prove.subjects import Subject
from anamorph.model import CaptionReading, Conflict, Edit, LabelSet, Reading, Scene
from anamorph.pixels.masks import mask_area
from anamorph.reading.tokens import tokenize
from anamorph.relations.verdicts.ledger import disjoint, stated_by

# A class is salient for a system that would leave it out of at most this share of the photo's images, as estimated
# from the others (Jeffreys): of nine, or of thirty of which one does not name it. Fewer, but not fewer than four that
# all name it, tell as much where they have nearly the same words, so that none of it is taste: `ALIKE` is the share of
# words that two of them have in common, on average.
MOST_LEFT_OUT, FEWEST_ALIKE, ALIKE = 0.05, 4, 0.6
# Where a witness says that it is there, only taste is to be excluded: most of the other images.
SEEN_SHARE, FEWEST_OTHERS_SEEN = 0.51, 2
# An object this large, in shares of the picture, that every reference names, of which there are so many, is no matter
# of taste.
LARGE, FEWEST_REFERENCES = 0.1, 3
# A caption that names fewer classes may well have been replaced by another view of the same things.
FEWEST_NAMED = 2

TASTE = "The class is neither salient for this system nor large and named by people: perhaps another detail this time."
SAME_WORD = "A word that names it in another caption also stands in this one."
INSTEAD = "It names {!r} in its place, which is annotated: perhaps another detail this time."
ARGUABLE = "People call it by many names (`prove.arguable`), so leaving it out is not an error by itself."
BARE_NUMBER = "Not both captions commit to a number."
DESCRIBED = "The captions describe it differently, as people also do."
WITNESS_NOISE = "Asked again, the witness answers differently."
EXHAUSTIVE = "The annotations, which are declared exhaustive, say otherwise."
NOT_EXHAUSTIVE = (
    "It is named and not annotated; annotations of photos are not complete (`anamorph research label-errors`)."
)
PERHAPS_STILL_THERE = "No system that could be asked says that it is gone from the edited image."
SUBJECT_CHANGED = "Nothing that the source's caption names is named in {}, although the edit takes nothing away."
SALIENT = "{} names it in {} of {} other images of this photo, and not in this one."
LARGE_AND_NAMED = "It fills {:.0%} of the picture, all {} reference captions name it, and this one does not."
BOTH_COMMIT = "Both captions commit to a number, {} and {}, and the edit changes none of them."
ALL_COMMIT = "Every caption commits to a number ({}), and these do not fit together."


@dataclass(frozen=True, slots=True)
class CaptionedCase:
    """A case over captions or label sets: edits and readings, source first."""

    edits: Sequence[tuple[Edit, ...]]
    readings: Sequence[Reading]
    changes: Sequence[tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class CaptionProof:
    """Settles suspicions by what a system says of the images of one photo.

    `others` reads its descriptions of all images of the photo, by the image's edits; `exhaustive` says that the owner
    of the annotations declares them so.
    """

    scene: Scene
    others: Callable[[], Mapping[tuple[Edit, ...], Reading]]
    exhaustive: bool
    arguable: Sequence[str] = ()
    # What people say of the photo; a reader may have to ask for it, so it is read only where it counts.
    references: Callable[[], Sequence[CaptionReading]] = tuple
    # Whether answers to these images are alike.
    _alike: dict[tuple[tuple[Edit, ...], ...], bool] = field(default_factory=dict, repr=False, compare=False)

    def settled(self, case: CaptionedCase, conflict: Conflict) -> Finding:
        """The outcome of a suspicion, by captions and annotations alone."""
        if conflict.known and conflict.what in ("invented", "gone", "number", "described"):
            if self.exhaustive:
                return Finding("proved", EXHAUSTIVE)
            return Finding("lead", PERHAPS_STILL_THERE if conflict.what == "gone" else NOT_EXHAUSTIVE)
        if conflict.what in ("lost", "gained", "missing"):
            return self.left_out(case, conflict)
        if conflict.what == "number":
            return self._number(case, conflict)
        return Finding("lead", DESCRIBED if conflict.what == "described" else NOT_EXHAUSTIVE)

    def left_out(self, case: CaptionedCase, conflict: Conflict, *, seen: bool = False) -> Finding:
        """A class that one answer leaves out: proved where that is neither chance nor taste; `seen` by a witness."""
        silent = 0 if conflict.what == "gained" else conflict.probes[-1]
        changed = self._subject_changed(case, conflict)
        if changed is not None:
            return changed
        by = next((by for label, by in case.changes if label == conflict.label), 0)
        others = {
            edits: reading
            for edits, reading in self.others().items()
            if edits != case.edits[silent] and self._could_name(edits, conflict.label, case, by)
        }
        if conflict.label in self.arguable and not seen:
            return Finding("lead", ARGUABLE)
        if self._same_word(case.readings[silent], others.values(), conflict.label):
            return Finding("lead", SAME_WORD)
        instead = self._named_instead(case.readings[silent], list(others.values()))
        if instead is not None:
            return Finding("lead", INSTEAD.format(instead))
        naming = sum(_names(reading, conflict.label) for reading in others.values())
        of_witness = seen and len(others) >= FEWEST_OTHERS_SEEN and naming >= SEEN_SHARE * len(others)
        if of_witness or self._is_salient(naming, others):
            return Finding("proved", SALIENT.format("The system", naming, len(others)))
        area, people = self._size(conflict.label), len(self.scene.captions)
        matters = by == 0 and area >= LARGE and people >= FEWEST_REFERENCES
        if matters and all(reference.names(conflict.label) for reference in self.references()):
            return Finding("proved", LARGE_AND_NAMED.format(area, people))
        return Finding("lead", TASTE)

    def _is_salient(self, naming: int, others: Mapping[tuple[Edit, ...], Reading]) -> bool:
        """Whether a system that names a class in so many of the other images of a photo leaves it out by mistake."""
        silent = len(others) - naming
        if (silent + 0.5) / (len(others) + 1) <= MOST_LEFT_OUT:
            return True
        if silent or len(others) < FEWEST_ALIKE:
            return False
        # Once for the same images: there may be as many suspicions as labels.
        images = tuple(others)
        if images not in self._alike:
            self._alike[images] = _alikeness(list(others.values())) >= ALIKE
        return self._alike[images]

    def _same_word(self, silent: Reading, others: Iterable[Reading], label: str) -> bool:
        """Whether a word that names the class elsewhere also stands in the silent caption, and was read otherwise."""
        if not isinstance(silent, CaptionReading):
            return False
        named = (reading.mentions_of(label) for reading in others if isinstance(reading, CaptionReading))
        heads = {word for mentions in named for mention in mentions for word in (mention.head, mention.text.lower())}
        return any(head in silent.text.lower() for head in heads)

    def _named_instead(self, silent: Reading, others: Sequence[Reading]) -> str | None:
        """An annotated class that an answer names and few others do, where it may well name only so many classes."""
        if not others or len(_labels(silent)) > max(len(_labels(each)) for each in others):
            return None
        annotated = dict.fromkeys(thing.label for thing in self.scene.things)
        own = (label for label in annotated if _names(silent, label))
        return next((label for label in own if 2 * sum(_names(each, label) for each in others) < len(others)), None)

    def _could_name(self, edits: tuple[Edit, ...], label: str, case: CaptionedCase, by: int | None) -> bool:
        """Whether an image of the photo should show the class: what was inserted is in the follow-ups alone, and what
        was removed in none of them.
        """
        own = {thing.id for thing in self.scene.things if thing.label == label}
        if own and own <= {id for edit in edits for id in removed_by(edit)}:
            return False
        return by is None or by <= 0 or (edits != case.edits[0] and bool(edits))

    def _subject_changed(self, case: CaptionedCase, conflict: Conflict) -> Finding | None:
        """The proof that a caption is about something else altogether, under an edit that takes nothing away."""
        place = conflict.probes[-1]
        source, follow_up = case.readings[0], case.readings[place]
        if not place or not (isinstance(source, CaptionReading) and isinstance(follow_up, CaptionReading)):
            return None
        if change_between(case.edits[0], case.edits[place], self.scene).reach != "same":
            return None
        if (
            len(source.labels) < FEWEST_NAMED
            or not follow_up.labels
            or any(follow_up.may_name(label) for label in source.labels)
        ):
            return None
        if _nouns(source) & _words(follow_up) or _nouns(follow_up) & _words(source):
            return None
        # What is annotated is another detail of the same picture.
        if any(thing.label in follow_up.labels for thing in self.scene.things):
            return None
        return Finding("proved", SUBJECT_CHANGED.format("the follow-up"))

    def _number(self, case: CaptionedCase, conflict: Conflict) -> Finding:
        """Numbers count where both captions commit to exact ones, and the class is none that the edit touches."""
        numbers = []
        for place in conflict.probes:
            reading = case.readings[place]
            mentions = reading.mentions_of(conflict.label) if isinstance(reading, CaptionReading) else ()
            said = [mention.count for mention in mentions if not mention.again]
            if len(said) != 1 or said[0] is None or (isinstance(reading, CaptionReading) and reading.perhaps):
                return Finding("lead", BARE_NUMBER)
            numbers.append(said[0])
        if len(numbers) < 2 or any(label == conflict.label for label, _ in case.changes):
            return Finding("lead", BARE_NUMBER)
        places = conflict.probes
        if len(places) == 2 and change_between(case.edits[0], case.edits[places[1]], self.scene).reach != "part":
            return Finding("proved", BOTH_COMMIT.format(*numbers))
        return Finding("proved", ALL_COMMIT.format(", ".join(map(str, numbers))))

    def _size(self, label: str) -> float:
        """The share of the picture that the largest object of a class fills."""
        things = [thing for thing in self.scene.things if thing.label == label and not thing.crowd]
        areas = [float(mask_area(thing.mask)) if thing.mask is not None else thing.box.area for thing in things]
        return max(areas, default=0.0) / (self.scene.width * self.scene.height)


def settled_by_witness(
    witness: ClosedProof, captions: CaptionProof, case: CaptionedCase, conflict: Conflict, subject: Subject
) -> Finding:
    """The outcome of a suspicion, by a witness.

    A caption that claims what the witness denies is wrong. One that leaves out what the witness sees is only terse,
    unless that is neither chance nor taste.
    """
    if conflict.what == "described" or (conflict.known and captions.exhaustive and conflict.what != "missing"):
        return captions.settled(case, conflict)
    first = _by_testimony(witness, captions, case, conflict, subject, 1)
    if first.state != "proved" or witness.settings.again == 1:
        return first
    again = _by_testimony(witness, captions, case, conflict, subject, witness.settings.again)
    return again if again.state in ("proved", "open", "undecided") else Finding("lead", WITNESS_NOISE, again.proof)


def _by_testimony(
    witness: ClosedProof,
    captions: CaptionProof,
    case: CaptionedCase,
    conflict: Conflict,
    subject: Subject,
    attempts: int,
) -> Finding:
    places = sorted(set(conflict.probes))
    said = [witness.hearing.hear(case.edits[place], subject, attempts) for place in places]
    waiting = waiting_for(*said)
    if waiting is not None:
        return waiting
    names = {place: "the source" if place == 0 else "the follow-up" for place in places}
    heard = {place: each for place, each in zip(places, said, strict=True) if isinstance(each, Heard)}
    lines = tuple(line(f"{names[place]}, by the witness", each) for place, each in heard.items())
    for place, each in heard.items():
        reading = case.readings[place]
        claim = _claimed(reading, conflict, place)
        if claim is not None and disjoint(claim, witness.bounds(each)):
            why = f"The witness says {each.words} of {names[place]}, and the answer claims {_number_words(claim)}."
            return Finding("proved", why, lines)
    if conflict.what in ("lost", "gained", "missing"):
        silent = _silent(case, conflict, heard)
        if heard[silent].least == 0:
            return Finding("refuted", f"The witness sees none in {names[silent]}, either.", lines)
        found = captions.left_out(case, conflict, seen=True)
        return Finding(found.state, f"The witness sees it in {names[silent]}. {found.why}", lines)
    if conflict.what == "gone":
        return Finding("unfair", "The witness still sees it in the edited image.", lines)
    return Finding("refuted", "The witness agrees with every claim of the answers.", lines)


def _silent(case: CaptionedCase, conflict: Conflict, heard: Mapping[int, Heard]) -> int:
    """The answer that leaves the class out; of several that do, one of an image in which the witness sees it."""
    if conflict.what == "gained":
        return 0
    silent = (place for place in heard if not _names(case.readings[place], conflict.label))
    return next((place for place in silent if heard[place].least > 0), conflict.probes[-1])


def _claimed(reading: Reading, conflict: Conflict, place: int) -> tuple[int, int | None] | None:
    """An answer's claim about a class; a number of two captions that disagree about it is meant to be all."""
    if isinstance(reading, LabelSet):
        return (1, None) if conflict.label in reading.labels else None
    if not isinstance(reading, CaptionReading) or conflict.label in reading.perhaps:
        return None
    stated = stated_by(place, reading, conflict.label)
    if stated.silent:
        return None
    exact = conflict.what == "number" and not stated.bare
    return stated.soft if exact else stated.hard


def _number_words(bounds: tuple[int, int | None]) -> str:
    least, most = bounds
    return f"at least {least}" if most is None else "none" if most == 0 else str(least)


def _alikeness(readings: Sequence[Reading]) -> float:
    """The share of their words, or labels, that two answers have in common, on average."""
    words = [reading.labels if isinstance(reading, LabelSet) else _words_said(reading) for reading in readings]
    shares = [len(one & two) / max(1, len(one | two)) for one, two in itertools.combinations(words, 2)]
    return sum(shares) / len(shares)


def _words_said(reading: Reading) -> frozenset[str]:
    text = reading.text if isinstance(reading, CaptionReading) else ""
    return frozenset(word for word in tokenize(text).lowers if word[:1].isalnum())


def _labels(reading: Reading) -> Collection[str]:
    return reading.labels if isinstance(reading, LabelSet | CaptionReading) else ()


def _names(reading: Reading, label: str) -> bool:
    if isinstance(reading, LabelSet):
        return label in reading.labels
    return isinstance(reading, CaptionReading) and reading.names(label)


def _nouns(reading: CaptionReading) -> set[str]:
    return {mention.head for mention in reading.mentions}


def _words(reading: CaptionReading) -> set[str]:
    return {mention.head for mention in reading.mentions} | set(tokenize(reading.text).lowers)
