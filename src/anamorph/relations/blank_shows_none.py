"""The claim that an image without content shows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Empty
from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class BlankShowsNone:
    """A blank image, and one of noise, shows no object."""

    kind: ClassVar[str] = "blank-shows-none"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "a blank image shows no object"
    name: ClassVar[str] = "blank"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        entries = tuple(Entry(position, self.label) for position in range(answers))
        return Account(entries, tuple(Empty(image) for image in range(answers)))
