from __future__ import annotations

import pytest

from anamorph.model.reading import CaptionReading
from tests.english import caption_reader
from tests.reading.captions.conftest import Classes


@pytest.mark.parametrize(
    "depicted",
    [
        "a poster of a dog",
        "a framed photo of a dog",
        "a statue of a dog",
        "a mural of two dogs and a horse",
        "a toy dog",
        "a stuffed dog",
        "a ceramic dog",
        "a dog made of balloons",
        "a sweater with dogs on it",
        "a mug with a cartoon dog printed on its side",
        "a dog costume",
        "someone else dressed as a dog",
        "a cloud shaped like a dog",
        "a TV showing a dog",
        "a drawing that resembles a dog",
        "an advertisement for pet food, featuring a dog",
    ],
)
def test_a_depicted_thing_is_not_there(classes: Classes, depicted: str) -> None:
    assert "dog" not in classes(f"There is a bench next to {depicted}.")


@pytest.mark.parametrize(
    "text",
    [
        "a photo of a dog",
        "This is a black and white photograph of a dog.",
        "The image shows a dog.",
        "A tourist takes a picture of a dog.",
        "A poster hangs above a dog.",
        "A dog sleeps under a painting of a horse.",
        "A toy lies next to a real dog.",
        "It looks like a dog is asleep.",
        "A magazine advertisement shows a dog.",
        "A black and white photo shows a dog.",
        "The painting depicts a dog on a beach.",
        "An old poster features a dog.",
        "A store display features a dog.",
    ],
)
def test_what_is_in_the_image_itself_is_there(classes: Classes, text: str) -> None:
    assert classes(text)["dog"] == "1"


@pytest.mark.parametrize(
    "text",
    [
        "A poster on the wall shows a dog.",
        "A framed painting shows a dog.",
        "A woman reads a magazine. Its cover shows a dog.",
        "A man stands beside a painting. The painting depicts a dog.",
        "On a shelf, a poster shows a dog.",
    ],
)
def test_a_picture_in_the_scene_depicts(classes: Classes, text: str) -> None:
    assert "dog" not in classes(text)


def test_a_teddy_bear_is_one(classes: Classes) -> None:
    assert classes("a stuffed teddy bear and a stuffed bear") == {"teddy bear": "2"}


def test_which_depictions_count_is_a_setting() -> None:
    text = "a toy truck, a statue of a man and a poster of a dog"
    for depicted, expected in (((), set()), (("toy",), {"truck"}), (("sculpture", "picture"), {"person", "dog"})):
        reading = caption_reader(depicted=depicted).read_text(text)  # type: ignore[arg-type]
        assert isinstance(reading, CaptionReading)
        assert set(reading.labels) == expected


def test_a_depicted_thing_is_still_a_mention_with_its_class() -> None:
    reading = caption_reader().read_text("a poster of a dog on the wall")
    assert isinstance(reading, CaptionReading)
    assert [(m.text, m.label, m.unclaimed) for m in reading.mentions] == [
        ("poster", None, ""),
        ("dog", "dog", "picture"),
        ("wall", None, ""),
    ]
