"""The claim that the order of options does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class OptionsInAnyOrder:
    """The same option is chosen in any order of the options."""

    kind: ClassVar[str] = "options-in-any-order"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "the order of options does not change the choice"
    name: ClassVar[str] = "options"
    label: str = setting("", "The class that is asked about.")
    options: tuple[str, ...] = setting((), "The options, as the questions write them.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        scale = tuple((option, number, number) for number, option in enumerate(self.options))
        subject = f"which of {', '.join(self.options)}"
        return Account(tuple(Entry(0, subject, scale=scale) for _ in range(answers)))
