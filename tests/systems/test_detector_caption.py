from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from anamorph import catalog
from anamorph.detectors.class_names import names_of_list
from anamorph.errors import BadRecord
from anamorph.model import Answer, CaptionReading, decode
from anamorph.systems.detector_caption import NOTHING, DetectorCaptionSystem, caption_of
from anamorph.systems.onnx import OnnxSystem
from tests.english import caption_reader
from tests.systems.detections import ask, blind, classifier, finder, found

READER = caption_reader()


def test_what_fills_most_of_the_picture_comes_first(tmp_path: Path) -> None:
    assert DetectorCaptionSystem(finder(tmp_path)).ask([ask()], 1) == [Answer(text="A person and two dogs.")]
    seen = [found("dog", 5), found("dog", 4), found("person", 8), found("bench", 1)]
    assert caption_of(seen) == "Two dogs, a person and a bench."


@pytest.mark.parametrize(
    ("seen", "caption"),
    [
        (["umbrella"], "An umbrella."),
        (["scissors", "tv"], "A pair of scissors and a TV."),
        (["skis", "skis", "person"], "Two pairs of skis and a person."),
        (["broccoli", "broccoli"], "Two pieces of broccoli."),
        (["sheep"] * 12, "Twelve sheep."),
        (["bird"] * 13, "13 birds."),
        (["knife"] * 2 + ["mouse"] * 2, "Two knives and two computer mice."),
    ],
)
def test_captions_are_plain_english(seen: list[str], caption: str) -> None:
    assert caption_of([found(label) for label in seen]) == caption


@given(st.dictionaries(st.sampled_from(names_of_list("coco-80")), st.integers(1, 20), min_size=1, max_size=6))
def test_the_caption_reader_finds_every_class_and_number_again(counts: dict[str, int]) -> None:
    text = caption_of([found(label) for label, count in counts.items() for _ in range(count)])
    reading = READER.read_text(text)
    assert isinstance(reading, CaptionReading)
    said = {mention.label: mention.count or 1 for mention in reading.mentions if mention.label}
    # The reader does not take "two pieces of broccoli" for two.
    assert {**said, "broccoli": 1} == {**counts, "broccoli": 1}, text
    assert ("broccoli" in said) == ("broccoli" in counts)


def test_nothing_found_is_a_caption_that_names_nothing(tmp_path: Path) -> None:
    (answer,) = DetectorCaptionSystem(blind(tmp_path)).ask([ask()], 1)
    assert answer == Answer(text=NOTHING)
    reading = READER.read_text(NOTHING)
    assert isinstance(reading, CaptionReading) and reading.mentions == ()


def test_a_classifier_is_refused_because_it_cannot_count(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=r"c\.onnx is a classifier, which cannot count"):
        decode(DetectorCaptionSystem, {"path": classifier(tmp_path)}, catalog.find)


def test_it_shares_no_fingerprint_with_a_tagger_of_the_same_weights(tmp_path: Path) -> None:
    path = finder(tmp_path)
    assert DetectorCaptionSystem(path, 0.5).fingerprint != OnnxSystem(path, 0.5).fingerprint
    assert DetectorCaptionSystem(path, 0.5).fingerprint != DetectorCaptionSystem(path, 0.4).fingerprint
