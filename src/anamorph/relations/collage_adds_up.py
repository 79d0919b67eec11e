"""The claim that a collage shows what its photos show, added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Joined, Link
from anamorph.relations.accounts.account import ClosedClaim


@dataclass(frozen=True, slots=True)
class CollageAddsUp(ClosedClaim):
    """The source, a collage, shows as many objects as its photos together."""

    kind: ClassVar[str] = "collage-adds-up"
    claims: ClassVar[str | None] = "a collage shows what its photos show, added up"
    name: ClassVar[str] = "collage"

    def _links(self, answers: int) -> tuple[Link, ...]:
        return (Joined(0, tuple(range(1, answers))),)
