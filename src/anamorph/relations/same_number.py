"""The claim that mirroring or a small change of the whole image changes no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Link, Same
from anamorph.relations.accounts.account import ClosedClaim


@dataclass(frozen=True, slots=True)
class SameNumber(ClosedClaim):
    """Every follow-up, the source mirrored or slightly changed, shows as many objects."""

    kind: ClassVar[str] = "same-number"
    claims: ClassVar[str | None] = "a mirrored or slightly changed photo shows as many"
    name: ClassVar[str] = "same-number"

    def _links(self, answers: int) -> tuple[Link, ...]:
        return tuple(Same(0, other) for other in range(1, answers))
