"""One question to a system, how the system prefers to be asked, and what asking took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anamorph.errors import Refused
from anamorph.model.picture import Pixels


@dataclass(frozen=True, slots=True)
class Ask:
    """One image and perhaps a question, put to a system; or a text alone, for a system that takes one.

    `id` is the probe's digest, `path` the encoded image (None for a system that does not look), `load` loads its
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
        """A text without an image, which a system that needs one refuses."""
        return cls(id, text, None, _no_image, attempt, textual=True)


def _no_image() -> Pixels:
    raise Refused("This system needs an image, but was asked without one.")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a system prefers to be asked.

    `batch` images per call, `parallel` calls at a time.
    `looks` is False for a system that answers without seeing the image, so that none has to be made.
    `remembers` is False where the answers of one run must not be reused in another.
    `startup_seconds` is how much longer than its time-out a call may take because something must load first.
    `costs` is False where answers were made and paid for before, so that asking for them costs nothing.
    """

    batch: int = 1
    parallel: int = 1
    looks: bool = True
    remembers: bool = True
    startup_seconds: float = 0.0
    costs: bool = True


@dataclass(frozen=True, slots=True)
class BatchLines:
    """How the provider of a system takes requests in files, to be answered later: the format's name and its limits.

    `line` makes the JSON line of a request, whose `custom_id` is given.
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
