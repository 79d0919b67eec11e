"""How many objects of each class a scene is known to have, as far as people would agree on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anamorph.model import Box, CaptionReading, Scene, Thing
from anamorph.relations.verdicts.ledger import KnownClass

# A smaller share of the picture's area may be overlooked, so that such an object need not be counted.
CLEAR_AREA = 0.002


def known_classes(scene: Scene, without: frozenset[str] = frozenset()) -> tuple[KnownClass, ...]:
    """The classes of a scene and how many objects of each there are, apart from those `without`.

    A class whose objects are all gone is known to have none. Crowds and the objects that a segmenter found leave the
    number open at its upper end; references that say another number show that people would differ.
    """
    things: dict[str, list[Thing]] = {}
    for thing in scene.things:
        things.setdefault(thing.label, []).append(thing)
    return tuple(_known(label, some, scene, without) for label, some in things.items())


def known_in_view(scene: Scene, view: Box) -> tuple[KnownClass, ...]:
    """As `known_classes`, of a part of the scene: what is wholly in it is there, and what it cuts may be."""
    things: dict[str, list[Thing]] = {}
    for thing in scene.things:
        things.setdefault(thing.label, []).append(thing)
    found = []
    for label, some in things.items():
        touching = [thing for thing in some if thing.box.overlap(view) > 0]
        sure = not any(thing.crowd or thing.score is not None for thing in touching)
        whole = sum(_is_clear(thing, scene) and is_inside(thing.box, view) for thing in touching)
        attributes = None
        if scene.described:
            attributes = tuple(dict.fromkeys(word for thing in touching for word in thing.attributes))
        found.append(KnownClass(label, whole, len(touching) if sure else None, attributes=attributes))
    return tuple(found)


def is_inside(box: Box, view: Box) -> bool:
    """Whether a box lies wholly in another."""
    return box.x >= view.x and box.y >= view.y and box.right <= view.right and box.bottom <= view.bottom


def unanimous(scene: Scene, known: Sequence[KnownClass]) -> tuple[str, ...]:
    """The classes of a scene that no person left out: all references name them, and there are two at least."""
    if len(scene.references) < max(2, len(scene.captions)):
        return ()
    there = (each.label for each in known if each.least > 0)
    return tuple(label for label in there if all(reference.names(label) for reference in scene.references))


def counted_classes(
    counts: Mapping[str, int], references: Sequence[CaptionReading], without: Mapping[str, int] | None = None
) -> tuple[KnownClass, ...]:
    """As `known_classes`, from the numbers alone."""
    gone = without or {}
    return tuple(
        _agreed(label, count - gone.get(label, 0), count - gone.get(label, 0), gone.get(label, 0), references)
        for label, count in counts.items()
    )


def _known(label: str, things: Sequence[Thing], scene: Scene, without: frozenset[str]) -> KnownClass:
    gone = sum(thing.id in without for thing in things)
    clear = sum(_is_clear(thing, scene) for thing in things if thing.id not in without)
    sure = not any(thing.crowd or thing.score is not None for thing in things)
    known = _agreed(label, clear, len(things) - gone if sure else None, gone, scene.references)
    if not scene.described:
        return known
    words = dict.fromkeys(word for thing in things if thing.id not in without for word in thing.attributes)
    return replace(known, attributes=tuple(words))


def _agreed(label: str, least: int, most: int | None, gone: int, references: Sequence[CaptionReading]) -> KnownClass:
    """What is known of a class as far as references agree; these are about the whole scene, before any was `gone`."""
    said = [bounds for bounds in (reference.classes().get(label) for reference in references) if bounds is not None]
    for fewest, at_most in said:
        if at_most is not None:
            least = min(least, max(0, at_most - gone))
        if most is not None and fewest - gone > most:
            most = None
    plural = 2 * sum(fewest > 1 for fewest, _ in said) >= max(1, len(references)) and all(f > 1 for f, _ in said)
    return KnownClass(label, least, most, plural)


def _is_clear(thing: Thing, scene: Scene) -> bool:
    """Whether nobody would overlook an object; a crowd region is of an unknown number."""
    return not thing.crowd and thing.box.area >= CLEAR_AREA * scene.width * scene.height
