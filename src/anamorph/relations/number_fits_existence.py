"""The claim that the answers to "how many" and to "is there any" agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class NumberFitsExistence:
    """Yes to "is there any" goes with a number of at least one, and no with zero."""

    kind: ClassVar[str] = "number-fits-existence"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "how many there are fits whether there is any"
    name: ClassVar[str] = "exists-and-count"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        return Account(tuple(Entry(0, self.label) for _ in range(answers)))
