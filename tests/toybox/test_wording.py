"""Captions in the toybox's wording, read back."""

from __future__ import annotations

import pytest

from anamorph.toybox.wording import said_by


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
