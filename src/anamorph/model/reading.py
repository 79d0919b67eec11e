"""Readings of captions and answers, as plain records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

GrammaticalNumber: TypeAlias = Literal["singular", "plural", "unknown"]
# Kinds of questions.
Asks: TypeAlias = Literal["how-many", "is-there", "is-there-no"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing named in text; `text` is `caption[start:end]`.

    `head` is the lemma of the noun, `label` its class in the label space, if any. `count` is the stated number; 0 if
    stated to be absent ("no people"). By this mention, between `least` and `most` are there (`most` None: open).
    `again`: the text refers back to an earlier mention ("The dog ..."). `unclaimed` is the reason if the mention does
    not claim presence: a "toy", a "picture", a "guess" and so on. `may_be` are classes that the word may mean: cup for
    "a mug", which then has no label; motorcycle for "a bike", whose label is bicycle. They can excuse an answer, but
    never accuse it.
    """

    text: str
    start: int
    end: int
    head: str
    label: str | None = None
    number: GrammaticalNumber = "unknown"
    count: int | None = None
    again: bool = False
    least: int = 1
    most: int | None = None
    unclaimed: str = ""
    may_be: tuple[str, ...] = ()

    @property
    def absent(self) -> bool:
        """Whether it is named as absent."""
        return self.count == 0

    @property
    def present(self) -> bool:
        """Whether it is named as present."""
        return self.count != 0 and not self.unclaimed


@dataclass(frozen=True, slots=True)
class CaptionReading:
    """The things that a caption names, in order."""

    text: str
    mentions: tuple[Mention, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels named as present, each once, in order."""
        return tuple(dict.fromkeys(m.label for m in self.mentions if m.label is not None and m.present))

    @property
    def perhaps(self) -> frozenset[str]:
        """The labels that things named as present may have."""
        return frozenset(label for m in self.mentions if m.may_be and m.present for label in m.may_be)

    def names(self, label: str) -> bool:
        """Whether the caption names this label as present."""
        return any(m.label == label and m.present for m in self.mentions)

    def may_name(self, label: str) -> bool:
        """Whether the caption names this label, or something that may be one."""
        return any((m.label == label or label in m.may_be) and m.present for m in self.mentions)

    def mentions_of(self, label: str) -> tuple[Mention, ...]:
        """The mentions of a label that is named as present."""
        return tuple(m for m in self.mentions if m.label == label and m.present)

    def spans_of(self, label: str) -> tuple[tuple[int, int], ...]:
        """The (start, end) of each mention of a label that is named as present."""
        return tuple((m.start, m.end) for m in self.mentions_of(label))

    def number_of(self, label: str) -> GrammaticalNumber | None:
        """Singular or plural over the whole caption; None if the label is not named.

        A label that is named twice in the singular ("a dog and another dog") is plural, unless a later sentence only
        comes back to it. Beside something that may be another one, one is "unknown".
        """
        numbers = ["plural" if m.least > 1 else m.number for m in self.mentions_of(label) if not m.again]
        if not numbers:
            return None
        if "plural" in numbers or len(numbers) > 1:
            return "unknown" if "plural" not in numbers and "unknown" in numbers else "plural"
        return "unknown" if label in self.perhaps else numbers[0]

    def count_of(self, label: str) -> int | None:
        """The exact number stated for a label; None if none was, or only for some mentions that may have it."""
        counts = [m.count for m in self.mentions_of(label) if not m.again]
        if not counts or any(count is None for count in counts) or label in self.perhaps:
            return None
        return sum(count for count in counts if count is not None)

    def classes(self, perhaps: bool = True) -> dict[str, tuple[int, int | None]]:
        """Every named label with its stated number: (least, most), most None if open.

        (0, 0) means named only as absent; a label that is only named as a toy, a
        picture or a guess is left out. What may have a label adds to `most` alone, unless `perhaps` is False.
        """
        found: dict[str, tuple[int, int | None]] = {}
        for mention in self.mentions:
            if mention.unclaimed:
                continue
            new = mention.present and not mention.again
            if mention.label is not None:
                _add(found, mention.label, mention.least if new else 0, mention.most if new else 0)
            if perhaps and new:
                for label in mention.may_be:
                    _add(found, label, 0, mention.most)
        return found


def _add(found: dict[str, tuple[int, int | None]], label: str, least: int, most: int | None) -> None:
    before = found.get(label, (0, 0))
    found[label] = (before[0] + least, None if before[1] is None or most is None else before[1] + most)


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """The number of what was asked for: between `least` and `most` are there (`most` None: open).

    `yes` is the yes or no that the answer begins with. `assumed`: a bare yes or no was read without its question, as if
    it asked whether there is any. `whether`: the question asked whether something is so ("Is the man wearing a hat?");
    then only `there` counts, and says whether it is.
    """

    text: str
    least: int
    most: int | None
    yes: bool | None = None
    assumed: bool = False
    whether: bool = False

    def __post_init__(self) -> None:
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise ValueError(f"{self.least} to {self.most} is not an interval")

    @property
    def number(self) -> int | None:
        """The exact number; None if the answer leaves it open."""
        return self.least if self.least == self.most else None

    @property
    def there(self) -> bool | None:
        """Whether any is there, as far as the answer says."""
        if self.least > 0:
            return True
        return False if self.most == 0 else None

    @property
    def form(self) -> Literal["number", "vague", "yes-no"]:
        """The main form of the answer; "Yes, there are two dogs" is a yes that also has a number."""
        if self.yes is not None:
            return "yes-no"
        return "vague" if self.number is None else "number"

    def to(self, asks: Asks | None) -> AnswerReading:
        """The reading as an answer to this kind of question, if it was read without one."""
        if asks == "is-there-no" and self.assumed:
            least, most = (0, 0) if self.yes else (1, None)
            return replace(self, least=least, most=most, assumed=False)
        return self


@dataclass(frozen=True, slots=True)
class ChoiceReading:
    """The option that an answer chose, spelled as in the question."""

    text: str
    option: str
