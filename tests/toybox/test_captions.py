"""Reference captions say what is there, nothing else, nothing less, in the right number; and they can be read back."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from anamorph.reading.nouns import OTHER_WORDS
from anamorph.toybox.captions import NUMBER_WORDS, captions_of, said_by, write_caption
from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.recipes import Recipe

PLURALS = {one.plural for one in CLASSES.values()} | {many for _, many in OTHER_WORDS.values()}
SINGULARS = (
    {one.name for one in CLASSES.values()} | {one for one, _ in OTHER_WORDS.values()} | {"man", "woman", "child"}
)


def truth_of(recipe: Recipe) -> dict[str, int]:
    return dict(Counter(item.label for item in recipe.items))


def test_every_caption_counts_every_class_right() -> None:
    for index in range(500):
        recipe = compose(13, index)
        for caption in captions_of(recipe):
            assert said_by(caption).numbers == truth_of(recipe), (caption, recipe.items)


def test_attributes_in_captions_are_those_of_all_of_the_class() -> None:
    for index in range(300):
        recipe = compose(17, index)
        for caption in captions_of(recipe):
            for label, attribute in said_by(caption).attributes:
                assert all(attribute in item.attributes for item in recipe.items if item.label == label), caption


def test_a_scene_has_three_to_five_different_captions() -> None:
    for index in range(300):
        captions = captions_of(compose(7, index))
        assert 2 < len(captions) < 6
        assert len(set(captions)) == len(captions)


def test_captions_are_sentences_with_a_capital_and_a_full_stop() -> None:
    for index in range(200):
        for caption in captions_of(compose(7, index)):
            assert re.fullmatch(r"[A-Z][a-z, ]+\.", caption), caption
            assert not re.search(r"\ba (apple|orange|elephant|umbrella|airplane)", caption), caption
            assert "persons" not in caption and "sheeps" not in caption


def test_nouns_agree_with_their_numbers() -> None:
    colours = "|".join(INKS)
    nouns = "|".join(sorted(map(re.escape, PLURALS | SINGULARS), key=len, reverse=True))
    several = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS[2:])}|couple of) (?:(?:{colours}) )?({nouns})\b")
    single = re.compile(rf"\ban? (?:(?:{colours}) )?({nouns})\b")
    for index in range(300):
        for caption in captions_of(compose(19, index)):
            assert all(noun in PLURALS for noun in several.findall(caption.lower())), caption
            assert all(noun in SINGULARS for noun in single.findall(caption.lower())), caption


def test_wording_varies() -> None:
    recipe = next(r for r in (compose(7, index) for index in range(100)) if len({i.label for i in r.items}) >= 3)
    assert len({write_caption(recipe, Random(k)) for k in range(60)}) > 20


def test_captions_follow_from_the_recipe_alone() -> None:
    assert captions_of(compose(7, 5)) == captions_of(compose(7, 5))


@pytest.mark.parametrize(
    ("caption", "numbers", "attributes"),
    [
        ("A dog and two cats next to a red chair.", {"dog": 1, "cat": 2, "chair": 1}, {("chair", "red")}),
        ("An orange.", {"orange": 1}, set()),
        ("An orange cat near three oranges.", {"cat": 1, "orange": 3}, {("cat", "orange")}),
        ("Two people reading books on a bench.", {"person": 2, "book": 2, "bench": 1}, {("person", "reading")}),
        ("A woman reading a book.", {"person": 1, "book": 1}, {("person", "reading")}),
        ("A couple of sheep in a meadow.", {"sheep": 2}, set()),
        ("There is a photo of a potted plant on a dining table.", {"potted plant": 1, "dining table": 1}, set()),
        ("A picture of four sports balls, a bike and a sofa.", {"sports ball": 4, "bicycle": 1, "couch": 1}, set()),
        ("In the park there is nothing.", {}, set()),
    ],
)
def test_numbers_and_attributes_are_read(
    caption: str, numbers: dict[str, int], attributes: set[tuple[str, str]]
) -> None:
    assert said_by(caption).numbers == numbers
    assert set(said_by(caption).attributes) == attributes
