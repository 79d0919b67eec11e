"""Every row of a pack has an example, which is its test: "question | answer | reading" or "caption | classes"."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from anamorph.model import AnswerReading, CaptionReading, Unreadable
from tests.english import answer_reader, caption_reader

PACK = resources.files("anamorph.reading").joinpath("packs", "english")


def rows() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in PACK.iterdir():
        if file.name.endswith(".toml"):
            for table, entries in tomllib.loads(file.read_text("utf-8")).items():
                for row in entries:
                    yield f"{file.name} {table}", row


def said(reading: AnswerReading | Unreadable) -> str:
    """A reading as examples write it: 2, 2+, 2-3, yes, no, unread."""
    if isinstance(reading, Unreadable):
        return "unread"
    if reading.whether:
        return {True: "yes", False: "no", None: "open"}[reading.there]
    if reading.most is None:
        return f"{reading.least}+"
    return str(reading.least) if reading.least == reading.most else f"{reading.least}-{reading.most}"


@pytest.mark.parametrize(("where", "row"), list(rows()), ids=lambda value: value if isinstance(value, str) else "")
def test_the_example_of_a_row_is_read_as_it_says(where: str, row: dict[str, Any]) -> None:
    text, *rest = (part.strip() for part in row["example"].split("|"))
    if len(rest) == 1:
        reading = caption_reader().read_text(text)
        assert isinstance(reading, CaptionReading)
        named = (part.strip().rpartition(" ") for part in rest[0].split(",") if part)
        assert classes(reading) == {label: number for label, _, number in named}
        return
    answer, wanted = rest
    assert said(answer_reader().read_text(answer, text)) == wanted, row["example"]


def classes(reading: CaptionReading) -> dict[str, str]:
    """What a caption surely says of classes, as examples write it."""
    found = reading.classes(perhaps=False)
    return {
        label: f"{least}+" if most is None else str(least) if least == most else f"{least}-{most}"
        for label, (least, most) in found.items()
    }
