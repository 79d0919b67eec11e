"""The claim that pieces that cover an image together show what the whole shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Covered
from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class PiecesCoverWhole:
    """Each piece shows at most as many as the whole, and all together at least as many; they may overlap."""

    kind: ClassVar[str] = "pieces-cover-whole"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "pieces that cover a photo show together what the whole shows"
    name: ClassVar[str] = "pieces"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        entries = tuple(Entry(position, self.label) for position in range(answers))
        return Account(entries, (Covered(0, tuple(range(1, answers))),))
