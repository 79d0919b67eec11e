from __future__ import annotations

import pytest

from anamorph.methods.atom.combinations import Combination, caption_names
from anamorph.model import CaptionReading
from anamorph.studies.collect.caption_filter import CaptionFilter

CAKE = ("cake", "orange")


@pytest.fixture(scope="module")
def coco() -> CaptionFilter:
    return CaptionFilter("coco")


@pytest.mark.parametrize(
    ("caption", "combination", "flaw"),
    [
        # The three that figure 1 of the paper removes.
        ("A cakemaker with an orange", CAKE, "label missing"),
        ("An orange cake on a plate", CAKE, "labels adjacent"),
        ("A cake in an orange box", CAKE, "label not a noun"),
        ("Cakes and oranges", CAKE, None),
        ("a man walking two dogs", ("dog", "person"), None),
        ("a cat, dog", ("cat", "dog"), None),
        ("Cat and dog photo", ("cat", "dog"), None),
        ("a photo of a cat bed", ("cat",), "label not a noun"),
        ("a hot dog for a man", ("dog", "person"), "label missing"),
        ("a dog bed and a cat", ("cat", "dog"), "label not a noun"),
        ("a dog owner", ("dog", "person"), "labels adjacent"),
        ("a street with no cars", ("car",), "label not a noun"),
        ("", ("dog",), "unreadable caption"),
        ("I cannot describe this image.", ("dog",), "unreadable caption"),
    ],
)
def test_captions_are_left_out_for_the_papers_reasons(
    coco: CaptionFilter, caption: str, combination: Combination, flaw: str | None
) -> None:
    assert coco.flaw(caption, combination) == flaw


def test_one_good_caption_is_enough(coco: CaptionFilter) -> None:
    assert coco.choose(["an orange cake", "a cake and an orange"], CAKE) == ("a cake and an orange", None)


def test_of_several_flaws_the_nearest_miss_is_shown(coco: CaptionFilter) -> None:
    assert coco.choose(["a zebra", "a cake in an orange box", "an orange cake"], CAKE) == ("", "label not a noun")
    assert coco.choose([], CAKE) == ("", "no caption")


def test_what_passes_is_what_the_method_takes_from_captions_too(coco: CaptionFilter) -> None:
    for caption in ("a cake and an orange", "two oranges near a small cake"):
        reading = coco._reader.read_text(caption)
        assert isinstance(reading, CaptionReading)
        assert coco.flaw(caption, CAKE) is None and caption_names(reading, CAKE)


def test_a_very_long_description_is_read_in_good_time(coco: CaptionFilter) -> None:
    assert coco.flaw("a dog on a boat. " * 500, ("boat", "dog")) is None
