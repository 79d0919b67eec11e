"""The claim that the order of options does not matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import setting
from anamorph.relations.accounts.account import Account, ClosedClaim, Entry


@dataclass(frozen=True, slots=True)
class OptionsInAnyOrder(ClosedClaim):
    """The same option is chosen in any order of the options."""

    kind: ClassVar[str] = "options-in-any-order"
    claims: ClassVar[str | None] = "the order of options does not change the choice"
    name: ClassVar[str] = "options"
    options: tuple[str, ...] = setting((), "The options, as the questions write them.")

    def account(self, answers: int) -> Account:
        scale = tuple((option, number, number) for number, option in enumerate(self.options))
        subject = f"which of {', '.join(self.options)}"
        return Account(tuple(Entry(0, subject, scale=scale) for _ in range(answers)))
