"""Answers, raw as the system gave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from anamorph.model.reading import AnswerReading, Asks, CaptionReading, ChoiceReading

# For any system, remote or local; a number with its name has about 24 bytes more.
MOST_ANSWER_BYTES = 16 * 1024 * 1024
TOO_LONG = f"The answer has more than {MOST_ANSWER_BYTES // 2**20} MB, so it is not kept"
_SCORE_BYTES = 24


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens a call took, as the service counts them; what was thought and not said is among `tokens_out`.

    `cost` is what the call cost in dollars, where a library that knows prices says so.
    """

    tokens_in: int
    tokens_out: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer: a string, or labels with scores, and the tokens used, if the service reports them.

    It is never altered, except that our own secrets, if the system repeats them, become "[redacted]".
    """

    text: str | None = None
    labels: Mapping[str, float] | None = None
    usage: Usage | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if (self.text is None) == (self.labels is None):
            raise ValueError("an answer is either text or labels with scores")

    @property
    def empty(self) -> bool:
        """Whether the text is blank. An empty label set is not empty: it says that nothing was seen."""
        return self.text is not None and not self.text.strip()

    @property
    def too_long(self) -> bool:
        """Whether it exceeds MOST_ANSWER_BYTES."""
        if self.text is not None:
            return _bytes_of(self.text) > MOST_ANSWER_BYTES
        return sum(_bytes_of(label) + _SCORE_BYTES for label in self.labels or ()) > MOST_ANSWER_BYTES


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed call; `retryable` if another try could help.

    `declined` if the system works but refuses this call, such as by a content filter. It may have used tokens.
    """

    message: str
    retryable: bool = False
    retry_after_seconds: float | None = None
    declined: bool = False
    usage: Usage | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Wording:
    """Text verbatim, and its normal form for comparison.

    `asked`: it answers a question. `asks`: the kind of question, if how many or whether; then `said` is the text's
    answer to it.
    """

    text: str
    normal: str
    asked: bool = False
    asks: Asks | None = None
    said: AnswerReading | Unreadable | None = None


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels that reached the system's threshold."""

    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer that cannot be given a meaning, and why."""

    text: str
    reason: str


Reading: TypeAlias = Wording | LabelSet | CaptionReading | AnswerReading | ChoiceReading | Unreadable
