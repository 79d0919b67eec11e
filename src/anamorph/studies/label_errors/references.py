"""Wrong reference captions: those that do not name what the system names in both pictures of a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anamorph.model import CaptionReading, Reading


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """The classes that both captions name, those that no reference names, and those that each reference lacks.

    A reference that cannot be read lacks them all.
    """

    invariant: tuple[str, ...]
    unnamed: tuple[str, ...]
    unnamed_by: tuple[tuple[str, ...], ...]


def check_references(
    source: CaptionReading,
    follow_up: CaptionReading,
    references: Sequence[Reading],
    general: Callable[[str], str] = str,
) -> ReferenceCheck:
    """MetaIC's equations 10 and 11, and ROME's label errors; `general` may lift a class to its super-category."""
    after = {general(label) for label in follow_up.labels}
    invariant = tuple(dict.fromkeys(name for name in map(general, source.labels) if name in after))
    named = [{general(c) for c in r.labels} if isinstance(r, CaptionReading) else set() for r in references]
    unnamed_by = tuple(tuple(name for name in invariant if name not in each) for each in named)
    unnamed = tuple(name for name in invariant if all(name not in each for each in named)) if named else ()
    return ReferenceCheck(invariant, unnamed, unnamed_by)
