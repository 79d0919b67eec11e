"""The claim that the answers to "how many" and to "is there any" agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.relations.accounts.account import Account, ClosedClaim, Entry


@dataclass(frozen=True, slots=True)
class NumberFitsExistence(ClosedClaim):
    """Yes to "is there any" goes with a number of at least one, and no with zero."""

    kind: ClassVar[str] = "number-fits-existence"
    claims: ClassVar[str | None] = "how many there are fits whether there is any"
    name: ClassVar[str] = "exists-and-count"

    def account(self, answers: int) -> Account:
        return Account(tuple(Entry(0, self.label) for _ in range(answers)))
