from __future__ import annotations

import pytest

from anamorph.model import Answer
from anamorph.toybox.scenes import scene_of
from anamorph.toybox.truth import Seen, Truth, truth
from anamorph.toybox.wrongness import Assessment, assess


def seen(label: str, *attributes: str, fraction: float = 1.0, area: float = 0.05) -> Seen:
    return Seen(f"{label}{fraction}", label, attributes, fraction, area)


# Two dogs, of which one is in doubt, a red car, and a cat of which next to nothing is left.
HERE = Truth((seen("dog", "brown"), seen("dog", "black", fraction=0.3), seen("car", "red"), seen("cat", fraction=0.05)))


def said(text: str, question: str | None = None, truth: Truth = HERE) -> Assessment:
    return assess(Answer(text), question, truth)


@pytest.mark.parametrize(
    "text",
    [
        "A dog and a car.",
        "Two dogs next to a red car.",
        "A brown dog near a car in the park",
        "There are some dogs and one automobile",
    ],
)
def test_a_caption_within_the_doubt_is_right(text: str) -> None:
    assert said(text) == Assessment("right")


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("A dog.", ("omission",)),
        ("A dog and a bus.", ("misclassification",)),
        ("A bus.", ("misclassification", "omission")),
        ("A dog, a car and a bus.", ("hallucination",)),
        ("A dog, a car and a cat.", ("hallucination",)),
        ("Three dogs and a car.", ("quantity",)),
        ("A dog and two cars.", ("quantity",)),
        ("A dog and cars.", ("quantity",)),
        ("A dog and a blue car.", ("attribute",)),
        ("A dog and a keyboard near a car.", ("hallucination",)),
        ("Something.", ("omission",)),
        ("Three dogs and a blue bus.", ("misclassification", "quantity")),
    ],
)
def test_a_wrong_caption_has_its_categories(text: str, categories: tuple[str, ...]) -> None:
    got = said(text)
    assert (got.outcome, got.categories) == ("wrong", categories)
    assert got.reason


def test_one_where_two_are_clearly_visible_is_a_wrong_number() -> None:
    two = Truth((seen("dog"), seen("dog")))
    assert said("A dog.", truth=two).categories == ("quantity",)
    assert said("A dog and another dog.", truth=two).outcome == "right"
    assert said("Dogs in a park.", truth=two).outcome == "right"
    assert said("Some sheep.", truth=Truth((seen("sheep"),))).outcome != "untold"


def test_a_caption_that_cannot_be_read_is_neither_right_nor_wrong() -> None:
    assert said("I'm sorry, I cannot help with that.").outcome == "untold"


def test_nobody_is_overlooked_because_the_caption_reader_takes_a_child_for_an_animals() -> None:
    assert said("A child and a dog.", truth=Truth((seen("person"), seen("dog")))).outcome == "right"


def test_the_toyboxs_own_captions_are_never_wrong() -> None:
    for index in range(60):
        scene = scene_of(31, index)
        now = truth(scene)
        for caption in scene.captions:
            assert said(caption, truth=now).outcome == "right", (scene.id, caption)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How many dogs are in the image?", ("1", "two", "There are two dogs.", "many"), ("0", "3", "no")),
        ("How many cars are in the image?", ("1", "a", "at least one"), ("0", "2", "several")),
        ("How many cats are in the image?", ("0", "none"), ("1", "a few")),
        ("How many dogs and cars are in the image?", ("2", "3"), ("1", "4")),
        ("How many brown dogs and red cars are in the image?", ("2",), ("1", "3")),
        ("How many blue cars are in the image?", ("0",), ("1",)),
        ("How many keyboards are in the image?", ("0",), ("1",)),
        ("Is there any car in the image?", ("yes", "Yes, there is."), ("no",)),
        ("Is there any cat in the image?", ("no",), ("yes",)),
        ("Is there any black dog in the image?", ("yes", "no"), ()),
        ("Is there no car in the image?", ("no",), ("yes",)),
        ("Is there no cat in the image?", ("yes",), ("no",)),
    ],
)
def test_answers_are_held_against_what_is_asked(question: str, right: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    assert [said(text, question).outcome for text in right] == ["right"] * len(right)
    category = "number" if question.startswith("How") else "yes-no"
    assert [said(text, question).categories for text in wrong] == [(category,)] * len(wrong)


@pytest.mark.parametrize(
    ("text", "question"),
    [("2", "How many men are there?"), ("a dog", "What is this?"), ("I don't know", "How many dogs are in the image?")],
)
def test_what_cannot_be_known_is_untold(text: str, question: str) -> None:
    assert said(text, question).outcome == "untold"


def tagged(threshold: float = 0.5, **labels: float) -> Assessment:
    return assess(Answer(labels=labels), None, HERE, threshold)


def test_labels_may_be_missing_or_extra() -> None:
    assert tagged(dog=0.9, car=0.5).outcome == "right"
    assert tagged(dog=0.9, car=0.5, grass=0.9).outcome == "right"
    assert tagged(dog=0.9, car=0.4).categories == ("missing",)
    assert tagged(dog=0.9, car=0.4, threshold=0.3).outcome == "right"
    assert tagged(dog=0.9, car=0.9, cat=0.9).categories == ("extra",)
    assert tagged(bus=0.9).categories == ("missing", "extra")
    doubtful = Truth((seen("dog", fraction=0.3),))
    assert assess(Answer(labels={"dog": 1.0}), None, doubtful).outcome == "right"
    assert assess(Answer(labels={}), None, doubtful).outcome == "right"
