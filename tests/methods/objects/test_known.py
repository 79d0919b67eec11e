from __future__ import annotations

from dataclasses import replace

from anamorph.methods.objects.known import known_classes, unanimous
from anamorph.model import Box, Scene, Thing
from anamorph.relations.verdicts.ledger import KnownClass
from tests.english import with_references


def thing(id: str, label: str, side: int = 30, crowd: bool = False, score: float | None = None) -> Thing:
    return Thing(id, label, Box(5, 5, side, side), crowd=crowd, score=score)


def known(*things: Thing, captions: tuple[str, ...] = (), without: frozenset[str] = frozenset()) -> list[KnownClass]:
    (scene,) = with_references([Scene("s", "s.png", 200, 100, things, captions)])
    return list(known_classes(scene, without))


def test_every_class_is_known_with_its_number() -> None:
    assert known(thing("1", "dog"), thing("2", "dog"), thing("3", "cat")) == [
        KnownClass("dog", 2, 2),
        KnownClass("cat", 1, 1),
    ]


def test_a_class_whose_objects_are_all_gone_is_known_to_have_none() -> None:
    assert known(thing("1", "dog"), without=frozenset("1")) == [KnownClass("dog", 0, 0)]


def test_what_may_be_overlooked_need_not_be_counted_and_crowds_and_guesses_leave_the_number_open() -> None:
    assert known(thing("1", "dog"), thing("2", "dog", side=4)) == [KnownClass("dog", 1, 2)]
    assert known(thing("1", "dog"), thing("2", "dog", crowd=True)) == [KnownClass("dog", 1, None)]
    assert known(thing("1", "dog", score=0.8)) == [KnownClass("dog", 1, None)]


def test_references_show_whether_people_name_several() -> None:
    two = (thing("1", "dog"), thing("2", "dog"))
    assert known(*two, captions=("Two dogs.", "Dogs on grass.")) == [KnownClass("dog", 2, 2, plural=True)]
    # One of two names a single dog, so a caption that does so is not wrong.
    assert known(*two, captions=("A dog.", "Two dogs.")) == [KnownClass("dog", 1, 2)]
    # Most of them do not name any.
    assert known(*two, captions=("Grass.", "A tree.", "Two dogs.")) == [KnownClass("dog", 2, 2)]


def test_references_that_count_more_show_that_not_all_are_annotated() -> None:
    assert known(thing("1", "dog"), captions=("Three dogs.",)) == [KnownClass("dog", 1, None, plural=True)]


def test_people_are_unanimous_where_there_are_two_at_least_and_all_can_be_read() -> None:
    dog, cat = Thing("1", "dog", Box(0, 0, 50, 50)), Thing("2", "cat", Box(0, 0, 50, 50))

    def agreed(*captions: str) -> tuple[str, ...]:
        (scene,) = with_references([Scene("s", "s.jpg", 100, 100, (dog, cat), captions)])
        return unanimous(scene, known_classes(scene))

    assert agreed("A dog and a cat.", "A dog.", "A dog on a bus.") == ("dog",)
    assert agreed("A dog and a cat.") == ()
    assert agreed() == ()
    assert agreed("A dog.", "A dog.", "") == ()


def test_looks_are_known_where_the_source_describes_every_object() -> None:
    things = (Thing("1", "dog", Box(0, 0, 50, 50), attributes=("brown",)), Thing("2", "cat", Box(0, 0, 50, 50)))
    scene = Scene("s", "s.jpg", 100, 100, things)
    assert [each.attributes for each in known_classes(scene)] == [None, None]
    described = replace(scene, described=True)
    assert [each.attributes for each in known_classes(described)] == [("brown",), ()]
    assert [each.attributes for each in known_classes(described, frozenset("1"))] == [(), ()]
