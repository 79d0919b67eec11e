"""The claim that exactly one of a statement and its negation is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class NegationDiffers:
    """Of “there is X” and “there is no X” exactly one is true."""

    kind: ClassVar[str] = "negation-differs"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "a statement and its negation are not both true or both false"
    name: ClassVar[str] = "negation"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        return Account((Entry(0, self.label), *(Entry(0, self.label, denied=True) for _ in range(1, answers))))
