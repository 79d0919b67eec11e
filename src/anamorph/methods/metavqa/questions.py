"""Questions about what is in a photo: which classes and properties to ask for, and how to put it in English."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias, TypeVar

from anamorph.model import Scene, setting
from anamorph.reading.nouns import Noun, noun_of

Presence: TypeAlias = Literal["both absent", "one absent", "both present", "not annotated"]
PRESENCES: tuple[Presence, ...] = ("both absent", "one absent", "both present")
NOT_ANNOTATED: Presence = "not annotated"
T = TypeVar("T")

# Actions of which a person does one at a time. Where nobody says what people do, only these are counted together: one
# who sits and reads would be counted twice.
_POSTURES = ("standing", "sitting", "walking", "running", "lying", "jumping")
# After this many draws for each question that is wanted, no further new ones are looked for.
_TRIES_EACH = 4


@dataclass(frozen=True, slots=True)
class Templates:
    """How questions are worded; {Is} and {is} become "are" with words such as scissors, which have no singular."""

    count: str = setting("How many {things} are in the image?", "How many there are of one kind: {things}.")
    count_both: str = setting(
        "How many {first} and {second} are in the image?", "How many there are of two kinds: {first}, {second}."
    )
    any: str = setting("{Is} there any {thing} in the image?", "Whether there is one: {thing}, perhaps {Is} or {is}.")
    none: str = setting("{Is} there no {thing} in the image?", "Whether there is none: {thing}, perhaps {Is} or {is}.")

    def __post_init__(self) -> None:
        checked_template("count", self.count, ("things",))
        checked_template("count_both", self.count_both, ("first", "second"))
        checked_template("any", self.any, ("thing",), ("Is", "is"))
        checked_template("none", self.none, ("thing",), ("Is", "is"))


def checked_template(name: str, template: str, needed: Sequence[str], allowed: Sequence[str] = ()) -> None:
    try:
        slots = [slot for _, slot, _, _ in string.Formatter().parse(template) if slot is not None]
    except ValueError as problem:
        raise ValueError(f"{name} is not a template: {problem}, got {template!r}") from problem
    if any(slots.count(slot) != 1 for slot in needed) or not {*slots} <= {*needed, *allowed}:
        slots_needed = " and ".join(f"{{{slot}}}" for slot in needed)
        raise ValueError(f"{name} must have {slots_needed} once and no other slots, got {template!r}")


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked for: a class, perhaps only those of it with a property."""

    label: str
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """How many there are of two kinds: two classes, or one class with two properties."""

    first: Target
    second: Target
    presence: Presence

    @property
    def about(self) -> Literal["objects", "properties"]:
        return "objects" if self.first.attribute is None else "properties"

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.first.label, self.second.label)


class Phrasing:
    """Puts what is asked for into words."""

    def __init__(self, templates: Templates, names: Mapping[str, str]) -> None:
        self._templates, self._names = templates, names

    def noun(self, label: str) -> Noun:
        return noun_of(label, self._names.get(label))

    def with_templates(self, templates: Templates) -> Phrasing:
        """The same names in other questions."""
        return Phrasing(templates, self._names)

    def count(self, target: Target) -> str:
        return self._templates.count.format(things=self._many(target))

    def count_both(self, first: Target, second: Target) -> str:
        return self._templates.count_both.format(first=self._many(first), second=self._many(second))

    def any(self, target: Target) -> str:
        return self._existence(self._templates.any, target)

    def none(self, target: Target) -> str:
        return self._existence(self._templates.none, target)

    def _many(self, target: Target) -> str:
        noun = self.noun(target.label)
        described = f"{target.attribute} {noun.many}" if target.attribute else noun.many
        return noun.measure + described

    def _existence(self, template: str, target: Target) -> str:
        noun = self.noun(target.label)
        verb = "are" if noun.plural else "is"
        thing = f"{target.attribute} {noun.one}" if target.attribute else noun.one
        return template.format(thing=thing, **{"is": verb, "Is": verb.capitalize()})


@dataclass(frozen=True, slots=True)
class PropertyChoices:
    """The properties that may be asked for: actions of people, colours of everything else."""

    people: tuple[str, ...]
    actions: tuple[str, ...]
    colours: tuple[str, ...]

    def of(self, label: str) -> tuple[str, ...]:
        return self.actions if label in self.people else self.colours

    def within(self, attributes: Collection[str]) -> PropertyChoices:
        """The same choices without what is in no annotation; all actions where no action is in any."""
        actions, colours = (tuple(a for a in each if a in attributes) for each in (self.actions, self.colours))
        return PropertyChoices(self.people, actions or self.actions, colours)


class Inventory:
    """What questions about a scene can be about; crowds are there, but nothing is known of their properties."""

    def __init__(self, scene: Scene, space: Sequence[str], choices: PropertyChoices) -> None:
        self.present = sorted({thing.label for thing in scene.things}.union(scene.labels))
        known = frozenset(self.present)
        self.absent = [label for label in space if label not in known]
        self.choices = choices
        # Class -> which of these properties each of its objects has.
        self._described: dict[str, list[tuple[str, ...]]] = {}
        for thing in scene.things:
            if thing.attributes and not thing.crowd:
                possible = choices.of(thing.label)
                found = tuple(attribute for attribute in thing.attributes if attribute in possible)
                if found:
                    self._described.setdefault(thing.label, []).append(found)
        # Actions are asked about any person, as in the paper, whether or not one is annotated.
        people = (label for label in self.present if label in choices.people and choices.actions)
        self.described = sorted({*self._described, *people})

    def properties(self, label: str) -> list[str]:
        """The properties that objects of a class are said to have."""
        return sorted({each for found in self._described.get(label, ()) for each in found})

    def apart(self, label: str, one: str, other: str) -> bool:
        """Whether no object has both properties; one that has would be counted twice."""
        return not any(one in found and other in found for found in self._described.get(label, ()))


def object_pairs(
    inventory: Inventory, mix: Sequence[float], count: int, fewest: int, rng: Random
) -> list[PairQuestion]:
    """Up to `count` different questions about two classes; `mix` weighs both absent, one absent and both present.

    There are no more questions than pairs of present classes, or the absent ones would outweigh them in poor scenes.
    """
    present, absent = inventory.present, inventory.absent
    if len(present) < fewest:
        return []
    weights = _possible(present, absent, mix)
    count = min(count, max(1, math.comb(len(present), 2)))
    presences = rng.choices(PRESENCES, weights, k=count) if sum(weights) > 0 else []
    questions = []
    for presence in PRESENCES:
        for both in _pairs(present, absent, presence, presences.count(presence), rng):
            rng.shuffle(both)
            questions.append(PairQuestion(Target(both[0]), Target(both[1]), presence))
    return questions


def _pairs(
    present: Sequence[str], absent: Sequence[str], presence: Presence, count: int, rng: Random
) -> list[list[str]]:
    """Different pairs of names, as many as there are up to `count`."""
    if presence == "both present":
        every = list(itertools.combinations(present, 2))
        return [list(pair) for pair in rng.sample(every, min(count, len(every)))]
    if presence == "one absent":
        total = len(present) * len(absent)
        places = rng.sample(range(total), min(count, total))
        return [[present[place // len(absent)], absent[place % len(absent)]] for place in places]
    count = min(count, len(absent) // 2)
    names = rng.sample(absent, 2 * count)
    return [names[place : place + 2] for place in range(0, 2 * count, 2)]


def property_pairs(inventory: Inventory, mix: Sequence[float], count: int, rng: Random) -> list[PairQuestion]:
    """Up to `count` questions about one class of the scene with two properties."""
    if not inventory.described:
        return []

    def draw() -> PairQuestion | None:
        label = rng.choice(inventory.described)
        present = inventory.properties(label)
        if not present:
            postures = [each for each in inventory.choices.of(label) if each in _POSTURES]
            if len(postures) < 2:
                return None
            first, second = rng.sample(postures, 2)
            return PairQuestion(Target(label, first), Target(label, second), NOT_ANNOTATED)
        absent = [each for each in inventory.choices.of(label) if each not in present]
        weights = _possible(present, absent, mix)
        if sum(weights) <= 0:
            return None
        presence = rng.choices(PRESENCES, weights)[0]
        (both,) = _pairs(present, absent, presence, 1, rng)
        rng.shuffle(both)
        if not inventory.apart(label, both[0], both[1]):
            return None
        return PairQuestion(Target(label, both[0]), Target(label, both[1]), presence)

    return _distinct(
        draw, lambda pair: (pair.first.label, frozenset((pair.first.attribute, pair.second.attribute))), count
    )


def existences(inventory: Inventory, absent_share: float, count: int, rng: Random) -> list[Target]:
    """Up to `count` classes to ask the existence of; this share of them is absent where there are both."""

    def draw() -> Target | None:
        label = _either(inventory.present, inventory.absent, absent_share, rng)
        return None if label is None else Target(label)

    return _distinct(draw, lambda target: (target,), count)


def property_existences(inventory: Inventory, absent_share: float, count: int, rng: Random) -> list[Target]:
    """Up to `count` properties of classes of the scene to ask the existence of."""
    if not inventory.described:
        return []

    def draw() -> Target | None:
        label = rng.choice(inventory.described)
        present = inventory.properties(label)
        absent = [each for each in inventory.choices.of(label) if each not in present]
        attribute = _either(present, absent, absent_share, rng)
        return None if attribute is None else Target(label, attribute)

    return _distinct(draw, lambda target: (target,), count)


def _possible(present: Sequence[str], absent: Sequence[str], mix: Sequence[float]) -> list[float]:
    """The weights of the three cases; 0 for those that the scene does not allow."""
    possible = (len(absent) >= 2, bool(present and absent), len(present) >= 2)
    return [weight if can else 0.0 for weight, can in zip(mix, possible, strict=True)]


def _either(present: Sequence[str], absent: Sequence[str], absent_share: float, rng: Random) -> str | None:
    if not present and not absent:
        return None
    wants_absent = rng.random() < absent_share
    return rng.choice(absent if (wants_absent and absent) or not present else present)


def _distinct(draw: Callable[[], T | None], key: Callable[[T], object], count: int) -> list[T]:
    found: dict[object, T] = {}
    for _ in range(_TRIES_EACH * count):
        if len(found) == count:
            break
        drawn = draw()
        if drawn is not None:
            found.setdefault(key(drawn), drawn)
    return list(found.values())
