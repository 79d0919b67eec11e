"""The closed questions of crosscheck, in words."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.model import setting
from anamorph.reading.nouns import counted, noun_of


@dataclass(frozen=True, slots=True)
class Wording:
    """How questions are worded; chat models get the form of the answer from `[questions]` where there is none."""

    list: str = setting(
        "Which kinds of objects are in the image? List up to ten, the most prominent first, small ones as well, as "
        "singular nouns separated by commas, and nothing else.",
        "What is asked first, to learn what to ask about.",
    )
    count: str = setting("How many {classes} are in the image?", "How many there are of a class: {classes}.")
    exists: str = setting("Is there {a_class} in the image?", "Whether there is any: {a_class}.")
    both: str = setting(
        "How many {classes} and {others} are in the image, both kinds together?",
        "How many of two kinds: {classes}, {others}.",
    )
    states: str = setting("There is {a_class} in the image. Answer true or false.", "A statement: {a_class}.")
    denies: str = setting("There is no {class} in the image. Answer true or false.", "Its negation: {class}.")
    collage_count: str = setting(
        "How many {classes} are in the whole image, in all its parts together?", "How many in a collage: {classes}."
    )
    collage_exists: str = setting("Is there {a_class} anywhere in the image?", "Whether a collage has any: {a_class}.")
    side: str = setting(
        "In which part of the image is the {class}? Answer with one of: left, middle, right.", "Where it is: {class}."
    )
    which: str = setting(
        "Which of the two is in the image? Answer with one of: {first}, {second}.", "Which of two: {first}, {second}."
    )

    def of_count(self, label: str) -> str:
        """How many there are."""
        return self.count.replace("{classes}", _many(label))

    def of_existence(self, label: str) -> str:
        """Whether there is any."""
        return self.exists.replace("{a_class}", counted(label, 1))

    def of_both(self, label: str, other: str) -> str:
        """How many there are of two classes together."""
        return self.both.replace("{classes}", _many(label)).replace("{others}", _many(other))

    def of_statement(self, label: str) -> str:
        """The statement that there is one."""
        return self.states.replace("{a_class}", counted(label, 1))

    def of_denial(self, label: str) -> str:
        """The statement that there is none."""
        return self.denies.replace("{class}", noun_of(label).one)

    def of_collage(self, label: str) -> str:
        """How many there are in a collage."""
        return self.collage_count.replace("{classes}", _many(label))

    def of_collage_existence(self, label: str) -> str:
        """Whether there is any in a collage."""
        return self.collage_exists.replace("{a_class}", counted(label, 1))

    def of_side(self, label: str) -> str:
        """Where the only one is."""
        return self.side.replace("{class}", noun_of(label).one)

    def of_choice(self, first: str, second: str) -> str:
        """Which of two classes is there."""
        return self.which.replace("{first}", first).replace("{second}", second)


def _many(label: str) -> str:
    noun = noun_of(label)
    return noun.measure + noun.many
