"""What a caption names and what an answer says, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

GrammaticalNumber: TypeAlias = Literal["singular", "plural", "unknown"]
# What a question wants to know of something.
Asks: TypeAlias = Literal["how-many", "is-there", "is-there-no"]


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a text names; `text` is `caption[start:end]`.

    `head` is the dictionary form of the noun, `label` its class in the label space, if it has one. `count` is the exact
    number that was said; 0 for what is said to be absent ("no people"). `again` says that a later sentence comes back
    to what was named before ("The dog ...").
    """

    text: str
    start: int
    end: int
    head: str
    label: str | None = None
    number: GrammaticalNumber = "unknown"
    count: int | None = None
    again: bool = False

    @property
    def absent(self) -> bool:
        """Named only to say that it is not there."""
        return self.count == 0


@dataclass(frozen=True, slots=True)
class CaptionReading:
    """The things that a caption names, in the order of the text."""

    text: str
    mentions: tuple[Mention, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of what is named as present, each once, in the order of the text."""
        return tuple(dict.fromkeys(m.label for m in self.mentions if m.label is not None and not m.absent))

    def names(self, label: str) -> bool:
        """Whether the caption says that there is something of this label."""
        return any(m.label == label and not m.absent for m in self.mentions)

    def mentions_of(self, label: str) -> tuple[Mention, ...]:
        """Where a label is named as present."""
        return tuple(m for m in self.mentions if m.label == label and not m.absent)

    def spans_of(self, label: str) -> tuple[tuple[int, int], ...]:
        """Where a label is named as present, as (start, end) in the text."""
        return tuple((m.start, m.end) for m in self.mentions_of(label))

    def number_of(self, label: str) -> GrammaticalNumber | None:
        """One or many over the whole caption; None if the label is not named.

        A label that is named twice in the singular ("a dog and another dog") is plural, unless a later sentence only
        comes back to it.
        """
        numbers = [m.number for m in self.mentions_of(label) if not m.again]
        if not numbers:
            return None
        if "plural" in numbers or len(numbers) > 1:
            return "unknown" if "plural" not in numbers and "unknown" in numbers else "plural"
        return numbers[0]

    def count_of(self, label: str) -> int | None:
        """The exact number that was said of a label; None if none was said, or only for some of its mentions."""
        counts = [m.count for m in self.mentions_of(label) if not m.again]
        if not counts or any(count is None for count in counts):
            return None
        return sum(count for count in counts if count is not None)


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """What an answer to a question says: how many, yes or no, or both.

    `number` is the exact count; 0 where something is said to be absent. `vague` is the wording of a number that is not
    exact ("many", "a few", "about ten"). `yes` is a plain yes or no, whatever it was the answer to.
    """

    text: str
    number: int | None = None
    vague: str | None = None
    yes: bool | None = None

    def __post_init__(self) -> None:
        if self.number is None and self.vague is None and self.yes is None:
            raise ValueError("an answer that says nothing is unreadable")

    @property
    def form(self) -> Literal["number", "vague", "yes-no"]:
        """What the answer mainly is; "Yes, there are two dogs" is a yes that also has a number."""
        if self.yes is not None:
            return "yes-no"
        return "vague" if self.number is None else "number"

    def affirms(self, negated: bool = False) -> bool | None:
        """The answer to "is there any?" as yes or no; `negated` if the question was "is there no?".

        A plain yes or no stands for itself. "There are two dogs" says yes to the one question and no to the other.
        """
        if self.yes is not None:
            return self.yes
        if self.number is None and self.vague is None:
            return None
        return (self.number != 0) != negated
