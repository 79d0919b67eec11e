"""A method's rows for `anamorph judge`, and how a row becomes a relation over readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from anamorph.model.answer import Reading
from anamorph.model.protocols import Option, Relation
from anamorph.model.summary import Table
from anamorph.model.verdict import Verdict

# A system's labels, with or without scores; those without reached its own threshold.
Labels: TypeAlias = tuple[str, ...] | Mapping[str, float]
# What a system said, as a row has it; None if it did not answer.
Output: TypeAlias = str | bool | int | float | Labels | None
# Formats of CSV or TSV cells: "dog;cat", "a dog|a cat", "dog;cat|dog", "dog=2; cat=1", "how-many".
Cell: TypeAlias = Literal["labels", "texts", "label-sets", "counts", "word"]


class RecordedOutputs(Protocol):
    """Reads the outputs of rows with the configured readers.

    `profile` is one of the method's `profiles` that the row is to be judged as; else "default".
    """

    profile: str

    def read(self, relation: Relation | type[Relation], output: Output, question: str | None = None) -> Reading:
        """The reading of an output, perhaps of an answer to a question, for a relation."""
        ...

    def classes(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """The names as the label space spells them; BadRecord, naming the key, for one that is not a class."""
        ...

    def supercategory(self, label: str) -> str:
        """The super-category of a class, or the class itself if it has none."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """The claim of a row: a relation, and the readings that it is about, source first.

    `references` are readings of reference captions; they are checked for what both captions of the pair name, where
    classes are compared by the name that `general` gives them.
    """

    relation: Relation
    readings: tuple[Reading, ...]
    references: tuple[Reading, ...] = ()
    general: Callable[[str], str] = str


class RecordedTally(Protocol):
    """Running totals over the rows of one method, beyond outcomes."""

    def add(self, row: Any, case: RecordedCase, verdict: Verdict) -> None: ...

    def record(self) -> Mapping[str, Any]:
        """The totals as plain JSON data; empty if there are none."""
        ...

    def shown(self) -> Sequence[str | Table]:
        """The totals for people, as lines and tables."""
        ...


class RecordedRow(Protocol):
    """A row of outputs that were recorded elsewhere: a frozen dataclass whose fields are the keys of the row."""

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        """The claim of the row; BadRecord, naming the key, if it makes none."""
        ...


class RecordedRowOptions:
    """Optional members of a class of rows."""

    cells = Option[Mapping[str, Cell]]({}, "The cell formats of its columns in a table; by default text.")
    tally = Option[Callable[[], RecordedTally] | None](None, "Makes the tally of its rows.")
    notes = Option[Callable[[Verdict], Mapping[str, str]] | None](
        None, "A method notes(verdict): extra output beside the verdict."
    )
    from_keys = Option[Callable[[Mapping[str, Any]], RecordedRow | None] | None](
        None, "A class method from_keys(keys): makes the row; None for the general decoder."
    )
