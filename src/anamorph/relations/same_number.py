"""The claim that mirroring or a small change of the whole image changes no number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Same
from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class SameNumber:
    """Every follow-up, the source mirrored or slightly changed, shows as many objects."""

    kind: ClassVar[str] = "same-number"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "a mirrored or slightly changed photo shows as many"
    name: ClassVar[str] = "same-number"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        entries = tuple(Entry(position, self.label) for position in range(answers))
        return Account(entries, tuple(Same(0, other) for other in range(1, answers)))
