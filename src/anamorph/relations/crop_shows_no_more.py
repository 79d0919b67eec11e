"""The claim that a part of an image shows no more than the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Link, Within
from anamorph.relations.accounts.account import ClosedClaim


@dataclass(frozen=True, slots=True)
class CropShowsNoMore(ClosedClaim):
    """A crop shows at most as many objects as its image."""

    kind: ClassVar[str] = "crop-shows-no-more"
    claims: ClassVar[str | None] = "a crop shows no more than the whole"
    name: ClassVar[str] = "crop"

    def _links(self, answers: int) -> tuple[Link, ...]:
        return tuple(Within(part, 0) for part in range(1, answers))
