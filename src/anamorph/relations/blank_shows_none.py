"""The claim that an image without content shows nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Empty, Link
from anamorph.relations.accounts.account import ClosedClaim


@dataclass(frozen=True, slots=True)
class BlankShowsNone(ClosedClaim):
    """A blank image, and one of noise, shows no object."""

    kind: ClassVar[str] = "blank-shows-none"
    claims: ClassVar[str | None] = "a blank image shows no object"
    name: ClassVar[str] = "blank"

    def _links(self, answers: int) -> tuple[Link, ...]:
        return tuple(Empty(image) for image in range(answers))
