from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, strategies as st

from anamorph import catalog
from anamorph.errors import BadRecord
from anamorph.methods.metavqa.questions import (
    Inventory,
    PairQuestion,
    Phrasing,
    PropertyChoices,
    Target,
    Templates,
    existences,
    object_pairs,
    property_existences,
    property_pairs,
)
from anamorph.model import Box, Scene, Thing, decode
from anamorph.reading.labels import label_space
from anamorph.reading.nouns import noun_of

COCO = label_space("coco").names
POOLS = PropertyChoices(("person",), ("standing", "sitting", "walking"), ("red", "blue", "green"))
MIX = (0.1, 0.2, 0.7)
PHRASING = Phrasing(Templates(), {})

# Written by hand, for all 80 classes: what a careful person writes after "How many", class by class.
MANY = """
people, bicycles, cars, motorcycles, airplanes, buses, trains, trucks, boats, traffic lights, fire hydrants, stop signs,
parking meters, benches, birds, cats, dogs, horses, sheep, cows, elephants, bears, zebras, giraffes, backpacks,
umbrellas, handbags, ties, suitcases, frisbees, pairs of skis, snowboards, sports balls, kites, baseball bats,
baseball gloves, skateboards, surfboards, tennis rackets, bottles, wine glasses, cups, forks, knives, spoons, bowls,
bananas, apples, sandwiches, oranges, pieces of broccoli, carrots, hot dogs, pizzas, donuts, cakes, chairs, couches,
potted plants, beds, dining tables, toilets, TVs, laptops, mice, remotes, keyboards, cell phones, microwaves, ovens,
toasters, sinks, refrigerators, books, clocks, vases, pairs of scissors, teddy bears, hair driers, toothbrushes
"""


def scene(*things: tuple[str, tuple[str, ...]], crowds: tuple[str, ...] = ()) -> Scene:
    objects = [Thing(str(k), label, Box(k, 0, 1, 1), attributes=found) for k, (label, found) in enumerate(things)]
    objects += [Thing(f"c{k}", label, Box(k, 2, 1, 1), crowd=True) for k, label in enumerate(crowds)]
    return Scene("s", "s.jpg", 100, 100, tuple(objects))


def plain_scene(*labels: str) -> Scene:
    return scene(*((label, ()) for label in labels))


# --- wording --------------------------------------------------------------------------------------------------------


def test_every_class_of_coco_is_counted_in_correct_english() -> None:
    words = [word.strip() for word in MANY.replace("\n", " ").split(",")]
    assert len(words) == len(COCO) == 80
    asked = [PHRASING.count(Target(label)) for label in COCO]
    assert asked == [f"How many {word} are in the image?" for word in words]


def test_existence_is_asked_of_every_class_of_coco_in_correct_english() -> None:
    for label in COCO:
        verb = "Are" if label in ("skis", "scissors") else "Is"
        word = "TV" if label == "tv" else label
        assert PHRASING.any(Target(label)) == f"{verb} there any {word} in the image?"
        assert PHRASING.none(Target(label)) == f"{verb} there no {word} in the image?"


@pytest.mark.parametrize(
    ("label", "attribute", "question"),
    [
        ("person", "standing", "How many standing people are in the image?"),
        ("scissors", "red", "How many pairs of red scissors are in the image?"),
        ("broccoli", "green", "How many pieces of green broccoli are in the image?"),
        ("knife", "black", "How many black knives are in the image?"),
        ("glasses", None, "How many pairs of glasses are in the image?"),
        ("cattle", None, "How many cattle are in the image?"),
        ("cup of tea", None, "How many cups of tea are in the image?"),
        ("diningtable", None, "How many dining tables are in the image?"),
        ("clothes", None, "How many pieces of clothing are in the image?"),
        ("policeman", None, "How many policemen are in the image?"),
    ],
)
def test_properties_and_measures_stand_where_english_has_them(label: str, attribute: str, question: str) -> None:
    assert PHRASING.count(Target(label, attribute)) == question


def test_two_kinds_are_counted_together_and_properties_stand_before_both_nouns() -> None:
    assert PHRASING.count_both(Target("person"), Target("sheep")) == "How many people and sheep are in the image?"
    both = PHRASING.count_both(Target("car", "red"), Target("car", "blue"))
    assert both == "How many red cars and blue cars are in the image?"


def test_a_class_can_be_called_otherwise() -> None:
    phrasing = Phrasing(
        Templates(), {"tv": "telly / tellies", "person": "human being", "grass": "grass / blades of grass"}
    )
    assert phrasing.count(Target("tv")) == "How many tellies are in the image?"
    assert phrasing.any(Target("tv")) == "Is there any telly in the image?"
    assert phrasing.count(Target("person")) == "How many human beings are in the image?"
    assert phrasing.count(Target("grass", "green")) == "How many blades of green grass are in the image?"
    assert phrasing.count(Target("dog")) == "How many dogs are in the image?"


def test_templates_can_be_replaced_and_the_verb_agrees_in_either_case() -> None:
    templates = Templates(any="Tell me, {is} there any {thing} here?", count="Number of {things}?")
    phrasing = Phrasing(templates, {})
    assert phrasing.any(Target("scissors")) == "Tell me, are there any scissors here?"
    assert phrasing.any(Target("dog", "red")) == "Tell me, is there any red dog here?"
    assert phrasing.count(Target("mouse")) == "Number of mice?"


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ({"count": "How many?"}, "count must have {things} once and no other slots, got 'How many?'"),
        ({"count": "How many {things} and {colour}?"}, "count must have {things} once"),
        ({"count_both": "How many {first}?"}, "count_both must have {first} and {second} once"),
        ({"any": "Is there {thing"}, "any is not a template"),
        ({"none": "No {}?"}, "none must have {thing} once"),
        ({"none": "No {thing} {thing.x}?"}, "none must have {thing} once"),
    ],
)
def test_a_template_that_lacks_its_slots_is_refused(plain: dict[str, str], complaint: str) -> None:
    with pytest.raises(BadRecord) as caught:
        decode(Templates, plain, catalog.find, "metavqa.templates")
    assert complaint in str(caught.value)
    assert "metavqa.templates" in str(caught.value)


@given(st.text(min_size=1), st.none() | st.text())
def test_any_name_has_a_noun(label: str, name: str | None) -> None:
    noun = noun_of(label, name)
    assert isinstance(noun.one, str) and isinstance(noun.many, str)


# --- what is asked for ----------------------------------------------------------------------------------------------


def mixed(pairs: list[PairQuestion]) -> dict[str, float]:
    counts = Counter(pair.presence for pair in pairs)
    return {presence: counts[presence] / len(pairs) for presence in ("both absent", "one absent", "both present")}


@pytest.mark.parametrize("present", [("cat", "dog"), ("cat", "dog", "car"), COCO[:7]])
def test_the_mix_of_absent_classes_is_kept_in_scenes_with_few_and_with_many_classes(present: tuple[str, ...]) -> None:
    rng = Random(5)
    inventory = Inventory(plain_scene(*present), COCO, POOLS)
    pairs = [pair for _ in range(2000) for pair in object_pairs(inventory, MIX, 3, 2, rng)]
    shares = mixed(pairs)
    assert shares["both absent"] == pytest.approx(0.1, abs=0.03)
    assert shares["one absent"] == pytest.approx(0.2, abs=0.03)
    assert shares["both present"] == pytest.approx(0.7, abs=0.03)


labels = st.lists(st.sampled_from(COCO), max_size=8)


@given(labels, labels, labels, st.integers(0, 6), st.integers(0, 3), st.integers(0, 99))
def test_pairs_of_classes_are_different_and_as_present_as_they_say(
    present: list[str], crowds: list[str], space: list[str], count: int, fewest: int, seed: int
) -> None:
    photo = scene(*((label, ()) for label in present), crowds=tuple(crowds))
    inventory = Inventory(photo, sorted(set(space)), POOLS)
    pairs = object_pairs(inventory, MIX, count, fewest, Random(seed))
    assert pairs == object_pairs(inventory, MIX, count, fewest, Random(seed))
    assert len({frozenset(pair.labels) for pair in pairs}) == len(pairs) <= count
    here = {*present, *crowds}
    assert not pairs or len(here) >= fewest
    for pair in pairs:
        assert pair.first != pair.second and pair.about == "objects"
        found = sum(label in here for label in pair.labels)
        assert pair.presence == ("both absent", "one absent", "both present")[found]
        assert all(label in here or label in space for label in pair.labels)


attributes = st.lists(st.sampled_from(("red", "blue", "standing", "sitting", "truncated")), max_size=3, unique=True)
described = st.lists(st.tuples(st.sampled_from(("person", "car", "cup")), attributes.map(tuple)), max_size=6)


@given(described, st.integers(0, 5), st.integers(0, 99))
def test_pairs_of_properties_come_from_annotations_and_never_count_an_object_twice(
    things: list[tuple[str, tuple[str, ...]]], count: int, seed: int
) -> None:
    inventory = Inventory(scene(*things), ("dog",), POOLS)
    pairs = property_pairs(inventory, MIX, count, Random(seed))
    assert len({frozenset((pair.first, pair.second)) for pair in pairs}) == len(pairs) <= count
    for pair in pairs:
        label = pair.first.label
        assert label == pair.second.label and pair.about == "properties"
        both = (pair.first.attribute, pair.second.attribute)
        assert both[0] != both[1] and set(both) <= set(POOLS.of(label))
        own = [found for other, found in things if other == label]
        assert not any(set(both) <= set(found) for found in own)
        if not any(each in POOLS.of(label) for found in own for each in found):
            assert label == "person" and pair.presence == "not annotated"
            continue
        known = sum(any(each in found for found in own) for each in both)
        assert pair.presence == ("both absent", "one absent", "both present")[known]


def test_actions_are_asked_about_any_person_but_only_those_that_exclude_each_other_are_counted_together() -> None:
    actions = ("standing", "sitting", "reading", "waving")
    choices = PropertyChoices(("person", "man"), actions, ("red",))
    inventory = Inventory(scene(("man", ()), ("dog", ()), crowds=("person",)), (), choices)
    pairs = property_pairs(inventory, MIX, 9, Random(0))
    assert {pair.first.label for pair in pairs} == {"man", "person"}
    assert {frozenset((pair.first.attribute, pair.second.attribute)) for pair in pairs} == {
        frozenset(("standing", "sitting"))
    }
    assert {pair.presence for pair in pairs} == {"not annotated"}
    kinds = property_existences(inventory, 0.3, 20, Random(0))
    assert {kind.attribute for kind in kinds} == set(actions)


def test_actions_that_no_scene_has_are_left_out_only_where_some_are_annotated() -> None:
    assert POOLS.within({"sitting", "red"}) == PropertyChoices(("person",), ("sitting",), ("red",))
    assert POOLS.within({"red"}) == PropertyChoices(("person",), POOLS.actions, ("red",))


def test_flags_such_as_truncated_are_no_properties() -> None:
    inventory = Inventory(scene(("car", ("truncated", "difficult"))), (), POOLS)
    assert property_pairs(inventory, MIX, 3, Random(0)) == []
    assert property_existences(inventory, 0.5, 3, Random(0)) == []


def test_existence_is_asked_of_present_and_absent_kinds_in_the_share_that_was_set() -> None:
    inventory = Inventory(scene(("car", ("red",)), ("cat", ())), COCO, POOLS)
    rng = Random(2)
    asked = [target for _ in range(2000) for target in existences(inventory, 0.3, 1, rng)]
    assert sum(target.label not in ("car", "cat") for target in asked) / len(asked) == pytest.approx(0.3, abs=0.04)
    properties = [target for _ in range(500) for target in property_existences(inventory, 0.3, 1, rng)]
    assert {target.label for target in properties} == {"car"}
    assert sum(target.attribute != "red" for target in properties) / len(properties) == pytest.approx(0.3, abs=0.08)


def test_nothing_is_asked_where_there_is_nothing_to_ask_for() -> None:
    inventory = Inventory(plain_scene(), (), POOLS)
    assert object_pairs(inventory, MIX, 3, 0, Random(0)) == []
    assert existences(inventory, 0.3, 3, Random(0)) == []
