"""The classes that the words of an answer are sorted into, as plain records."""

from __future__ import annotations

from dataclasses import dataclass, field

from anamorph.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Label:
    """A class, and three kinds of words for it.

    `words` mean it (`is` in a file), words of `may_be` can mean it or something else, and phrases of `is_not` end in a
    word for it and mean something else. `plurals` are plurals that no rule gives. `names` mean it only with a capital
    letter ("Mustang"). `context` has words that mean it only in a text with one of certain others: the board of a
    surfer. `like` takes over the words of a shipped label ("coco/couch"). `senses` are WordNet senses ("kite#3"), from
    which words are proposed; they read nothing.
    """

    name: str
    supercategory: str | None = None
    words: tuple[str, ...] = ()
    may_be: tuple[str, ...] = ()
    is_not: tuple[str, ...] = ()
    plurals: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    context: dict[str, str] = field(default_factory=dict)
    like: str | None = None
    senses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class LabelSpace:
    """Classes by name, in their order; each space is itself only, so that readers can keep what they derive from it."""

    name: str
    labels: tuple[Label, ...]

    def __contains__(self, name: str) -> bool:
        return any(label.name == name for label in self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.labels)

    def label(self, name: str) -> Label:
        """The label of a name; UnknownName, with a suggestion, if there is none."""
        for label in self.labels:
            if label.name == name:
                return label
        raise UnknownName(f"label of {self.name}", name, self.names)

    def supercategory(self, name: str) -> str | None:
        """The super-category of a label."""
        return self.label(name).supercategory
