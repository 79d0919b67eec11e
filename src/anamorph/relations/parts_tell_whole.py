"""The claim that the captions of pieces that cover a photo agree with the caption of the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Covered, Link
from anamorph.model import CaptionReading, Conflict, ConflictKind, Grade, LabelSpaceName, setting, the_probe
from anamorph.reading.descriptions import described_as, exclude_each_other
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, Statement
from anamorph.relations.verdicts.views import VIEWS_HELP, KnownViews, ViewsClaim, against_known_in_words, most_of

# COCO's animals: one that is named in a piece should be named in the whole.
ANIMALS = ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe")


@dataclass(frozen=True, slots=True)
class PartsTellWhole(ViewsClaim):
    """Objects in the whole's caption are in a piece's, in no smaller number, and no piece names more than the whole."""

    kind: ClassVar[str] = "parts-tell-whole"
    claims: ClassVar[str | None] = "the captions of the pieces of a photo fit the caption of the whole"
    name: ClassVar[str] = "parts"
    least_answers: ClassVar[int] = 3
    views: KnownViews | None = setting(None, VIEWS_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)
    conspicuous: tuple[str, ...] = setting(
        ANIMALS, "Classes that the whole's caption must name if a piece's does; others may be omitted as details."
    )

    def links(self, answers: int) -> Sequence[Link]:
        """Each piece shows at most as many as the whole, and all of them together at least as many."""
        return (Covered(0, tuple(range(1, answers))),)

    def _between(self, label: str, captions: Sequence[CaptionReading], said: Sequence[Statement]) -> Iterator[Conflict]:
        whole, *pieces = said
        if whole.silent or whole.soft[1] == 0:
            # A piece's caption may name a detail that the whole's caption omits.
            for position, piece in enumerate(pieces if label in self.conspicuous else (), start=1):
                if not piece.silent and piece.hard[0]:
                    yield Conflict(label, "omission" if whole.silent else "contradiction", "gained", (0, position))
            return
        everyone = tuple(range(len(captions)))
        if all(piece.silent for piece in pieces):
            yield Conflict(label, "omission", "lost", everyone)
            return
        together = most_of(piece.soft for piece in pieces)
        if together is not None and whole.soft[0] > together:
            grade: Grade = "omission" if any(piece.silent for piece in pieces) else "miscount"
            yield Conflict(label, grade, "number", everyone)
        for position, piece in enumerate(pieces, start=1):
            found = _more(whole, piece)
            if found is not None:
                yield Conflict(label, found, "number", (0, position))
        looks = _described(captions[0], label)
        for position, caption in enumerate(captions[1:], start=1):
            if exclude_each_other(looks, _described(caption, label)):
                # Another person may be meant, unless those are all there are.
                yield Conflict(label, "miscount", "described", (0, position))

    def _besides(self, captions: Sequence[CaptionReading]) -> Iterator[Conflict]:
        """The first thing in the whole's caption, if it has no class and is not in the pieces' captions."""
        whole, *pieces = captions
        first = next((mention for mention in whole.mentions if mention.present), None)
        if first is None or first.label is not None or first.may_be:
            return
        said = {word for piece in pieces for word in re.findall(r"\w+", piece.text.lower())}
        said |= {word for piece in pieces for mention in piece.mentions for word in mention.head.split()}
        if said.isdisjoint((*first.head.split(), *first.text.lower().split())):
            yield Conflict(first.head, "omission", "lost", tuple(range(len(captions))))

    def _clause(self, kind: ConflictKind, probes: tuple[int, ...], names: str, count: int) -> str:
        where = the_probe(probes[-1], count)
        match kind:
            case "lost":
                return f"{names} is named in the whole and in none of its pieces"
            case "gained":
                return f"{names} is named in {where}, which is a piece of the source, and not in the whole"
            case "number" if len(probes) == count:
                return f"more of {names} are named in the whole than in its pieces together"
            case "number" if len(probes) > 1:
                return f"more of {names} are named in {where}, which is a piece of the source, than in the whole"
            case "described" if len(probes) > 1:
                return f"{names} is described otherwise in {where} than in the whole"
            case _:
                return against_known_in_words(kind, names, where)


def _more(whole: Statement, piece: Statement) -> Grade | None:
    """The grade of the claim that a piece has more than the whole; None if it need not."""
    if whole.hard[1] is not None and piece.hard[0] > whole.hard[1]:
        return "contradiction"
    return "miscount" if whole.soft[1] is not None and piece.hard[0] > whole.soft[1] else None


def _described(caption: CaptionReading, label: str) -> frozenset[str]:
    looks = (described_as(caption.text, each.start, each.end) for each in caption.mentions_of(label))
    return frozenset[str]().union(*looks)
