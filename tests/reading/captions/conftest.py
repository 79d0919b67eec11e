"""What captions surely say of classes, in short: "3" for exactly three, "2+" for at least two, "0" for none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anamorph.model.reading import CaptionReading
from tests.english import caption_reader

Classes = Callable[[str], dict[str, str]]


@pytest.fixture(scope="session")
def classes() -> Classes:
    reader = caption_reader()

    def read(text: str) -> dict[str, str]:
        reading = reader.read_text(text)
        assert isinstance(reading, CaptionReading), reading
        return {label: short(*interval) for label, interval in reading.classes(perhaps=False).items()}

    return read


def short(least: int, most: int | None) -> str:
    if most is None:
        return f"{least}+"
    return str(least) if least == most else f"{least}-{most}"
