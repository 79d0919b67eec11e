"""One question to a system, how the system prefers to be asked, and the cost of asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anamorph.errors import Refused
from anamorph.model.picture import Pixels


@dataclass(frozen=True, slots=True)
class Ask:
    """An image and perhaps a question; or text alone, for systems that accept it.

    `id` is the probe's digest, `path` the encoded image (None if the system ignores images), `load` loads its
    pixels, and `attempt` counts how often the same probe was asked before. `textual` says that there is no image: then
    `question` is sent word for word.
    """

    id: str
    question: str | None
    path: Path | None
    load: Callable[[], Pixels]
    attempt: int = 0
    textual: bool = False

    @classmethod
    def of_text(cls, id: str, text: str, attempt: int = 0) -> Ask:
        """Text without an image; systems that need one refuse it."""
        return cls(id, text, None, _no_image, attempt, textual=True)


def _no_image() -> Pixels:
    raise Refused("This system needs an image, but was given text alone.")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a system prefers to be asked.

    `batch` images per call, `parallel` calls at a time.
    `looks` is False if it answers without the image, so that none need be made.
    `remembers` is False if answers must not be reused across runs.
    `startup_seconds` extends the timeout of a call while something loads.
    `costs` is False if answers were paid for before, so that asking is free.
    """

    batch: int = 1
    parallel: int = 1
    looks: bool = True
    remembers: bool = True
    startup_seconds: float = 0.0
    costs: bool = True


@dataclass(frozen=True, slots=True)
class BatchLines:
    """A provider's file format for batch requests, and its limits.

    `line` makes the JSON line of a request with a given `custom_id`.
    """

    format: str
    most_lines: int
    most_bytes: int
    line: Callable[[Ask, str], bytes]


@dataclass(frozen=True, slots=True)
class ReaderAccount:
    """The account of a reader that asks.

    `calls` were sent, `answered` texts were read from a reply, `cached` ones without a call, and `unread` ones not at
    all. `spent` is None without a price.
    """

    calls: int = 0
    answered: int = 0
    cached: int = 0
    unread: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    spent: float | None = None
