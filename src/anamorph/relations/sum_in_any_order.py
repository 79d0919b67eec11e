"""The claim that two classes in one question add up, in either order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Joined
from anamorph.model import setting
from anamorph.relations.accounts.account import Account, ClosedClaim, Entry


@dataclass(frozen=True, slots=True)
class SumInAnyOrder(ClosedClaim):
    """The number of X and Y, and of Y and X, is the number of X plus the number of Y.

    Of the four answers, the first two are about both classes, in either order, the others about one each.
    """

    kind: ClassVar[str] = "sum-in-any-order"
    claims: ClassVar[str | None] = "two classes in one question add up, in either order"
    name: ClassVar[str] = "order-and-sum"
    most_answers: ClassVar[int | None] = 4
    label: str = setting("", "The first class that is asked about.")
    other: str = setting("", "The second one.")

    def account(self, answers: int) -> Account:
        both = " + ".join(sorted((self.label, self.other)))
        entries = (Entry(0, both), Entry(0, both), Entry(0, self.label), Entry(0, self.other))[:answers]
        return Account(entries, (Joined(0, (1, 2)),) if answers == 4 else ())
