"""The claim that exactly one of a statement and its negation is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.relations.accounts.account import Account, ClosedClaim, Entry


@dataclass(frozen=True, slots=True)
class NegationDiffers(ClosedClaim):
    """Of “there is X” and “there is no X” exactly one is true."""

    kind: ClassVar[str] = "negation-differs"
    claims: ClassVar[str | None] = "a statement and its negation are not both true or both false"
    name: ClassVar[str] = "negation"

    def account(self, answers: int) -> Account:
        return Account((Entry(0, self.label), *(Entry(0, self.label, denied=True) for _ in range(1, answers))))
