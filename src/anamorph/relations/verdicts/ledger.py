"""The ledger: statements of answers and annotations about the number of a class, and their conflicts.

For each class, the source has an unknown number of objects N; an edit changes it by a known amount. Every statement is
an interval for N, shifted back by its edit: a hard one, which was claimed, and a soft one, which holds if the answer
is complete. Intervals without a common number include two that are disjoint (Helly), so the smallest conflicts are
pairs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from anamorph.model import GRADES, CaptionReading, Conflict, ConflictKind, Grade, LabelSpaceName, surest
from anamorph.reading.descriptions import described_as, exclude_each_other
from anamorph.reading.labels import label_space
from anamorph.reading.totals import is_total

# (least, most); most None if open.
Bounds: TypeAlias = tuple[int, int | None]
ANY: Bounds = (0, None)


@dataclass(frozen=True, slots=True)
class KnownClass:
    """How many objects of a class a scene is known to have: between `least` and `most` (None if unknown).

    `plural` says that people would name several, so that an answer with just one of them is wrong in number.
    `attributes` are all colours and deeds that any of them has; None if they are not all known.
    """

    label: str
    least: int
    most: int | None = None
    plural: bool = False
    attributes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """By how much an edit changed the number of a class; None if only the direction is known: at least one fewer.

    `attributes` are the colors and actions of the inserted object, if known.
    """

    label: str
    by: int | None = None
    attributes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about N, the number of a class in the source.

    `probe` is the place of the answer, None for what is known of the scene. A conflict that needs the soft bounds has
    the grade `weakness`. `silent` answers do not name the class; `bare` ones name one of it without a number ("a dog").
    `perhaps` says that they name something that may be of it ("a monitor" and tv), beside what is or alone.
    """

    probe: int | None
    hard: Bounds
    soft: Bounds
    weakness: Grade
    silent: bool = False
    bare: bool = False
    perhaps: bool = False


def disjoint(one: Bounds, other: Bounds) -> bool:
    """Whether two intervals are disjoint."""
    return (one[1] is not None and one[1] < other[0]) or (other[1] is not None and other[1] < one[0])


def grade_of(one: Statement, other: Statement) -> Grade | None:
    """The grade of the contradiction of two statements, by the fewest assumptions; None if there need be none."""
    if disjoint(one.hard, other.hard):
        return "contradiction"
    found: list[Grade] = []
    if disjoint(one.soft, other.hard):
        found.append(one.weakness)
    if disjoint(one.hard, other.soft):
        found.append(other.weakness)
    if not found and disjoint(one.soft, other.soft):
        # Both must be complete, so the weaker assumption counts.
        return max(one.weakness, other.weakness, key=GRADES.index)
    return surest(found)


def stated_by(
    probe: int, caption: CaptionReading, label: str, by: int | None = 0, classes: Mapping[str, Bounds] | None = None
) -> Statement:
    """A caption's statement about N, if the edit of its image changed the number by `by`.

    `classes` are those that the caption surely names, if they are known already. Beside something that
    may be of the class, the most is open, and silence is not a claim.
    """
    said = (caption.classes(perhaps=False) if classes is None else classes).get(label)
    perhaps = label in caption.perhaps
    if said is None:
        soft = ANY if perhaps else (0, 0)
        return Statement(probe, _before(ANY, by), _before(soft, by), "omission", silent=True, perhaps=perhaps)
    least, most = said
    soft = (least, None) if perhaps else said
    if said == (0, 0):
        return Statement(probe, _before(said, by), _before(soft, by), "miscount", perhaps=perhaps)
    mentions = [mention for mention in caption.mentions_of(label) if not mention.again]
    whole = len(mentions) == 1 and mentions[0].count is not None
    claimed = whole and is_total(caption.text, mentions[0].start, mentions[0].end)
    bare = said == (1, 1) and all(mention.count is None for mention in mentions)
    hard = (least, most if claimed else None)
    return Statement(probe, _before(hard, by), _before(soft, by), "miscount", bare=bare, perhaps=perhaps)


def _before(bounds: Bounds, by: int | None) -> Bounds:
    """Bounds of the number in an edited image, as bounds of the source's."""
    least, most = bounds
    if by is None:
        return least + 1, None
    return max(0, least - by), None if most is None else most - by


@dataclass(frozen=True, slots=True)
class Ledger:
    """The statements of one case about every class, source first.

    `changes` are those of the follow-ups against the source, `known` what annotations say of it (None: nothing),
    complete for the classes of the label space `complete` (None: only for the listed classes). `required` classes must
    be named in every follow-up. `postures` says that the edit changes none, as removing a person's chair may.
    """

    captions: Sequence[CaptionReading]
    changes: Sequence[Change] = ()
    known: Sequence[KnownClass] | None = None
    complete: LabelSpaceName | None = None
    required: Sequence[str] = ()
    postures: bool = False
    # The sure numbers of each class in every caption: counted once, and read once for each class.
    said: tuple[Mapping[str, Bounds], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "said", tuple(caption.classes(perhaps=False) for caption in self.captions))

    def conflicts(self) -> tuple[Conflict, ...]:
        """The smallest conflicts, the surest first, at most one for each class, kind and follow-up."""
        found: dict[tuple[str, str, tuple[int, ...]], Conflict] = {}
        for label in self._labels():
            for conflict in self._about(label):
                found.setdefault((conflict.label, conflict.what, conflict.probes), conflict)
        return tuple(sorted(found.values(), key=lambda each: GRADES.index(each.grade)))

    def _labels(self) -> list[str]:
        named = (label for classes in self.said for label in classes)
        return list(dict.fromkeys((*named, *(change.label for change in self.changes), *self.required)))

    def _about(self, label: str) -> Iterator[Conflict]:
        by = next((change.by for change in self.changes if change.label == label), 0)
        source = self._lenient(label, self._stated(0, label, 0), by)
        wrong = self._against_known(label, source, 0)
        if wrong is not None:
            yield wrong
        for probe in range(1, len(self.captions)):
            follow_up = self._lenient(label, self._stated(probe, label, by), by)
            against = self._against_known(label, follow_up, by)
            if against is not None:
                yield against
            missing = self._missing(label, follow_up)
            if missing is not None:
                yield missing
            if missing is not None or (source.silent and follow_up.silent) or self._excused(label, source, follow_up):
                continue
            grade = grade_of(source, follow_up)
            # An answer that contradicts what is known is the whole conflict; another one that differs adds nothing.
            if grade is not None and wrong is None and against is None:
                yield Conflict(label, grade, _kind(source, follow_up), (0, probe))
        yield from self._about_looks(label, by)
        if len(self.captions) == 1:
            missing = self._missing(label, source)
            if missing is not None:
                yield missing

    def _about_looks(self, label: str, by: int | None) -> Iterator[Conflict]:
        """Colors and actions that no object of the class is known to have, and different postures of a single one."""
        wrong = {probe for probe in range(len(self.captions)) if self.misdescribed(label, probe)}
        for probe in sorted(wrong):
            yield Conflict(label, "invention", "described", (probe,), known=True)
        if not self.postures or by != 0 or self.said[0].get(label) != (1, 1):
            return
        for probe in range(1, len(self.captions)):
            if self.said[probe].get(label) != (1, 1) or not wrong.isdisjoint((0, probe)):
                continue
            if any(label in self.captions[each].perhaps for each in (0, probe)):
                continue
            if exclude_each_other(self.described(label, 0), self.described(label, probe)):
                # Another person may be meant, unless one is all there are.
                yield Conflict(label, "miscount", "described", (0, probe))

    def described(self, label: str, probe: int) -> frozenset[str]:
        """The colors and actions that a caption gives to objects of a class."""
        caption = self.captions[probe]
        return frozenset().union(
            *(described_as(caption.text, each.start, each.end) for each in caption.mentions_of(label))
        )

    def misdescribed(self, label: str, probe: int) -> frozenset[str]:
        """Those that no object of the class is known to have."""
        known = self._known(label)
        if known is None or (known.attributes is None and known.most != 0):
            return frozenset()
        having = set(known.attributes or ())
        change = next((change for change in self.changes if probe and change.label == label), None)
        if change is not None and (change.by is None or change.by > 0):
            if change.attributes is None:
                return frozenset()
            having.update(change.attributes)
        elif known.attributes is None:
            # The object itself is invented.
            return frozenset()
        return self.described(label, probe) - having

    def _stated(self, probe: int, label: str, by: int | None) -> Statement:
        return stated_by(probe, self.captions[probe], label, by, self.said[probe])

    def _lenient(self, label: str, statement: Statement, by: int | None) -> Statement:
        """The statement, except that "a dog" leaves the number open if there may be several dogs.

        That is so if several are known and people do not name them all, or if an unknown number was removed.
        """
        if not statement.bare:
            return statement
        known = self._known(label)
        several = known is not None and known.least > 1 and not known.plural
        if not several and not (by is None and known is None):
            return statement
        return replace(statement, soft=(statement.soft[0], None))

    def _excused(self, label: str, *statements: Statement) -> bool:
        """Whether an answer leaves the number open, or agrees with what is known only by a may-be."""
        return any(each.perhaps and (each.silent or self._known(label) is not None) for each in statements)

    def _missing(self, label: str, statement: Statement) -> Conflict | None:
        """The conflict of a class that was inserted or is required, but not named."""
        if statement.probe is None:
            return None
        fewer = [bounds[1] is not None and bounds[1] < 0 for bounds in (statement.hard, statement.soft)]
        if any(fewer) or (label in self.required and statement.silent and not statement.perhaps):
            grade: Grade = "contradiction" if fewer[0] else "omission"
            return Conflict(label, grade, "missing", (statement.probe,), known=True)
        return None

    def _against_known(self, label: str, statement: Statement, by: int | None) -> Conflict | None:
        """The conflict of an answer that names a class with what is known; silence alone never contradicts it."""
        if statement.silent or statement.probe is None:
            return None
        known = self._known(label)
        if known is None:
            return None
        least = known.least if known.plural or not statement.bare else min(known.least, 1 - (by or 0))
        now = None if known.most is None or by is None else known.most + by
        weakness: Grade = "invention" if now == 0 else "miscount"
        truth = Statement(None, (max(0, least), None), (max(0, least), known.most), weakness)
        grade = grade_of(statement, truth)
        if grade is None:
            return None
        kind: ConflictKind = "number" if weakness == "miscount" else "gone" if known.most else "invented"
        return Conflict(label, grade, kind, (statement.probe,), known=True)

    def _known(self, label: str) -> KnownClass | None:
        if self.known is None:
            return None
        for known in self.known:
            if known.label == label:
                return known
        if self.complete and label in _names(self.complete):
            return KnownClass(label, 0, 0)
        return None


def _kind(source: Statement, follow_up: Statement) -> ConflictKind:
    if follow_up.silent and source.hard[0]:
        return "lost"
    return "gained" if source.silent else "number"


@functools.cache
def _names(space: LabelSpaceName) -> frozenset[str]:
    return frozenset(label_space(space).names)


# --- shared settings of relations over the ledger --------------------------------------------------------------------

LEDGER_HELP = "Compare all numbers and what is known of the scene, and grade conflicts; else judge as published."
KNOWN_HELP = "The classes of the source's objects, and their numbers; by default, unknown."
COMPLETE_HELP = "The label space whose objects in the scene are all known; by default, only the listed classes."
