from __future__ import annotations

import functools
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from anamorph.edits.crop import Crop
from anamorph.edits.melt import Melt
from anamorph.model import Answer, Box, Edit, Scene
from anamorph.studies.calibrate.styles import (
    SPEAKS,
    STYLES,
    Style,
    largest,
    styled_answer,
    styled_caption,
    styled_labels,
)
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.scenes import scene_of
from anamorph.toybox.truth import Seen, Truth, truth
from anamorph.toybox.wrongness import assess

SEED = 11
TERSE: tuple[Style, ...] = ("terse-1", "terse-2", "terse-3")
styles = st.sampled_from(STYLES)


@functools.cache
def scene(index: int) -> Scene:
    return scene_of(SEED, index)


@st.composite
def sights(draw: st.DrawFn) -> Truth:
    """What is visible of a drawn scene, often after an edit: something melted, or a piece cut out, parts of things."""
    one = scene(draw(st.integers(0, 60)))
    edits: list[Edit] = []
    if draw(st.booleans()):
        edits.append(Melt((draw(st.sampled_from(one.things)).id,)))
    if draw(st.booleans()):
        left, top = draw(st.integers(0, 200)), draw(st.integers(0, 150))
        edits.append(Crop(Box(left, top, draw(st.integers(60, 320 - left)), draw(st.integers(60, 240 - top)))))
    return truth(one, edits)


@st.composite
def questions(draw: st.DrawFn) -> str:
    label = draw(st.sampled_from(sorted(CLASSES)))
    # Nobody asks for dogs and dogs.
    other = draw(st.sampled_from(sorted(name for name in CLASSES if name != label)))
    one, many, more = label, CLASSES[label].plural, CLASSES[other].plural
    return draw(
        st.sampled_from(
            [
                f"How many {many} are in the image?",
                f"How many {many} and {more} are in the image?",
                f"Is there any {one} in the image?",
                f"Is there no {one} in the image?",
                f"Is there any {one} or {other} in the image?",
                "How many people standing are there in the image?",
                "How many people sitting and people reading are in the image?",
                f"How many red {many} and blue {many} are in the image?",
                f"How many red {many} are in the image?",
                "How many dogs are in the image?",
            ]
        )
    )


places = st.sampled_from([place for background in BACKGROUNDS.values() for place in background.places])


@settings(max_examples=150, deadline=None)
@given(styles, sights(), places, st.integers())
def test_no_style_ever_says_anything_false_in_a_caption(style: Style, seen: Truth, place: str, seed: int) -> None:
    text = styled_caption(style, seen, place, Random(seed))
    got = assess(Answer(text), None, seen)
    assert got.outcome != "untold", text
    assert set(got.categories) <= {"omission"}, (text, got.reason)
    if style in ("chatty", "paraphrasing"):
        assert got.outcome == "right", (text, got.reason)


@settings(max_examples=150, deadline=None)
@given(styles, sights(), questions(), st.integers())
def test_every_style_answers_questions_and_never_falsely(style: Style, seen: Truth, question: str, seed: int) -> None:
    text = styled_answer(style, seen, question, Random(seed))
    assert text is not None
    got = assess(Answer(text), question, seen)
    assert got.outcome != "wrong", (question, text, got.reason)


@given(styles, sights())
@settings(max_examples=50, deadline=None)
def test_labels_of_a_style_are_only_ever_incomplete(style: Style, seen: Truth) -> None:
    if "labels" in SPEAKS[style]:
        got = assess(Answer(labels=styled_labels(style, seen)), None, seen)
        assert set(got.categories) <= {"missing"}


def test_a_terse_system_names_the_largest_classes_in_true_numbers() -> None:
    dog, cat, car = (
        Seen("1", "dog", (), 1.0, 0.02),
        Seen("2", "cat", (), 1.0, 0.03),
        Seen("3", "car", (), 1.0, 0.2),
    )
    seen = Truth((dog, dog, cat, car, Seen("4", "bus", (), 0.2, 0.5)))
    assert largest(seen, 9) == ["car", "dog", "cat"]
    said = [styled_caption(style, seen, "in a park", Random(0)) for style in TERSE]
    assert said == ["A car.", "A car and two dogs.", "A car, two dogs and a cat."]
    assert [{name for name, score in styled_labels(style, seen).items() if score} for style in TERSE[:2]] == [
        {"car"},
        {"car", "dog"},
    ]
    assert styled_answer("terse-1", seen, "How many cats are in the image?", Random(0)) == "1"
    assert styled_caption("terse-1", Truth(()), "in a park", Random(0)) == "An empty place."


def test_a_paraphrase_differs_from_probe_to_probe_and_is_the_same_for_the_same() -> None:
    seen = truth(scene(0))
    said = [styled_caption("paraphrasing", seen, "in a park", Random(str(k))) for k in range(20)]
    assert len(set(said)) > 10
    assert said[3] == styled_caption("paraphrasing", seen, "in a park", Random("3"))


def test_a_vague_system_gives_no_number_above_one() -> None:
    dogs = Truth(tuple(Seen(str(k), "dog", (), 1.0, 0.02) for k in range(5)))
    for k in range(30):
        said = styled_caption("vague", dogs, "in a park", Random(k))
        assert "five" not in said and "5" not in said
        answer = styled_answer("vague", dogs, "How many dogs are in the image?", Random(k))
        assert answer in ("Several.", "There are several.", "More than two.")


@pytest.mark.parametrize("style", STYLES)
def test_a_question_that_is_not_understood_has_no_answer(style: Style) -> None:
    assert styled_answer(style, Truth(()), "Why?", Random(0)) is None
