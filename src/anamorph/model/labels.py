"""Label spaces: the classes that words of an answer map to."""

from __future__ import annotations

from dataclasses import dataclass, field

from anamorph.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Label:
    """A class and its words.

    `words` mean it (`is` in a file), words of `may_be` can mean it or something else, and phrases of `is_not` end in a
    word for it but mean something else. `plurals` are irregular plurals. `names` mean it only with a capital
    letter ("Mustang"). `context` has words that mean it only in text with certain others: the board of a
    surfer. `like` copies the words of a shipped label ("coco/couch"). `senses` are WordNet senses ("kite#3"), only used
    to propose words.
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
    """Classes by name, in order; compared by identity, so that readers can cache by it."""

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
