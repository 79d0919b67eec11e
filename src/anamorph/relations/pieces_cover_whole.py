"""The claim that pieces that cover an image together show what the whole shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Covered, Link
from anamorph.relations.accounts.account import ClosedClaim


@dataclass(frozen=True, slots=True)
class PiecesCoverWhole(ClosedClaim):
    """Each piece shows at most as many as the whole, and all together at least as many; they may overlap."""

    kind: ClassVar[str] = "pieces-cover-whole"
    claims: ClassVar[str | None] = "pieces that cover a photo show together what the whole shows"
    name: ClassVar[str] = "pieces"

    def _links(self, answers: int) -> tuple[Link, ...]:
        return (Covered(0, tuple(range(1, answers))),)
