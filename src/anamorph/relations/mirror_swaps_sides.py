"""The claim that a mirrored image has its left and right swapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Same
from anamorph.model import setting
from anamorph.relations.accounts.account import Account, ClosedClaim, Entry

# Positions from the left edge to the right one; near the middle, either side may be named.
SIDES = (("left", 0, 1), ("middle", 1, 2), ("right", 2, 3))
_MIRRORED = (("right", 0, 1), ("middle", 1, 2), ("left", 2, 3))


@dataclass(frozen=True, slots=True)
class MirrorSwapsSides(ClosedClaim):
    """An object on the left of an image is not on the left of its mirror image, and the same on the right.

    The source is the image, every follow-up is its mirror image.
    """

    kind: ClassVar[str] = "mirror-swaps-sides"
    claims: ClassVar[str | None] = "left and right swap in a mirrored photo"
    name: ClassVar[str] = "mirror"
    label: str = setting("", "The class asked about, with a single object.")

    def account(self, answers: int) -> Account:
        subject = f"the side of {self.label}"
        mirrored = (Entry(position, subject, scale=_MIRRORED) for position in range(1, answers))
        links = tuple(Same(0, position) for position in range(1, answers))
        return Account((Entry(0, subject, scale=SIDES), *mirrored), links)
