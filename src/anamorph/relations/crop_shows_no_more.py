"""The claim that a part of an image shows no more than the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Within
from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.accounts.account import Account, Entry, judged


@dataclass(frozen=True, slots=True)
class CropShowsNoMore:
    """A crop shows at most as many objects as its image."""

    kind: ClassVar[str] = "crop-shows-no-more"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "a crop shows no more than the whole"
    name: ClassVar[str] = "crop"
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers."""
        entries = tuple(Entry(position, self.label) for position in range(answers))
        return Account(entries, tuple(Within(part, 0) for part in range(1, answers)))
