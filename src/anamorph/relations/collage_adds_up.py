"""The claim that a collage shows what its photos show, added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Joined
from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class CollageAddsUp:
    """The source, a collage, shows as many objects as its photos together."""

    kind: ClassVar[str] = "collage-adds-up"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "a collage shows what its photos show, added up"
    name: ClassVar[str] = "collage"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        entries = tuple(Entry(position, self.label) for position in range(answers))
        return Account(entries, (Joined(0, tuple(range(1, answers))),))
