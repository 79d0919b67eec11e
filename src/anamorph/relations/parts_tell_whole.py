"""The claim that the captions of pieces that cover a photo agree with the caption of the whole."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Covered, Link
from anamorph.model import (
    CaptionReading,
    Conflict,
    ConflictKind,
    Grade,
    LabelSpaceName,
    Reading,
    ReadingKind,
    Verdict,
    setting,
    the_probe,
)
from anamorph.reading.descriptions import described_as, exclude_each_other
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, Statement
from anamorph.relations.verdicts.phrases import all_of
from anamorph.relations.verdicts.views import (
    VIEWS_HELP,
    KnownViews,
    against_known,
    most_of,
    named_labels,
    statements,
    verdict_on_views,
)

# COCO's animals: one that is named in a piece should be named in the whole.
ANIMALS = ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe")


@dataclass(frozen=True, slots=True)
class PartsTellWhole:
    """Objects in the whole's caption are in a piece's, in no smaller number, and no piece names more than the whole."""

    kind: ClassVar[str] = "parts-tell-whole"
    reads: ClassVar[ReadingKind] = "caption"
    claims: ClassVar[str | None] = "the captions of the pieces of a photo fit the caption of the whole"
    name: ClassVar[str] = "parts"
    grade: ClassVar[Grade | None] = None
    least_answers: ClassVar[int] = 3
    views: KnownViews | None = setting(None, VIEWS_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)
    conspicuous: tuple[str, ...] = setting(
        ANIMALS, "Classes that the whole's caption must name if a piece's does; others may be omitted as details."
    )

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        conflicts = against_known(captions, self.views, self.complete)
        wrong = {each.label for each in conflicts}
        for label in named_labels(captions):
            if label not in wrong:
                conflicts += _between(captions, label, conspicuous=label in self.conspicuous)
        conflicts += _subject_lost(captions)
        return verdict_on_views(self.name, conflicts, captions, functools.partial(_clause, len(captions)))

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number except by the cut."""
        return ()

    def links(self, answers: int) -> Sequence[Link]:
        """Each piece shows at most as many as the whole, and all of them together at least as many."""
        return (Covered(0, tuple(range(1, answers))),)


def _between(captions: Sequence[CaptionReading], label: str, *, conspicuous: bool) -> Iterator[Conflict]:
    """The conflicts of the captions among themselves about one class."""
    if any(label in caption.perhaps for caption in captions):
        return
    whole, *pieces = statements(captions, label)
    if whole.silent or whole.soft[1] == 0:
        # A piece's caption may name a detail that the whole's caption omits.
        for piece in pieces if conspicuous else ():
            if not piece.silent and piece.hard[0]:
                yield Conflict(label, "omission" if whole.silent else "contradiction", "gained", (0, piece.probe or 0))
        return
    everyone = tuple(range(len(captions)))
    if all(piece.silent for piece in pieces):
        yield Conflict(label, "omission", "lost", everyone)
        return
    together = most_of(piece.soft for piece in pieces)
    if together is not None and whole.soft[0] > together:
        yield Conflict(label, "omission" if any(piece.silent for piece in pieces) else "miscount", "number", everyone)
    for piece in pieces:
        found = _more(whole, piece)
        if found is not None:
            yield Conflict(label, found, "number", (0, piece.probe or 0))
    looks = _described(captions[0], label)
    for position, caption in enumerate(captions[1:], start=1):
        if exclude_each_other(looks, _described(caption, label)):
            # Another person may be meant, unless those are all there are.
            yield Conflict(label, "miscount", "described", (0, position))


def _more(whole: Statement, piece: Statement) -> Grade | None:
    """The grade of the claim that a piece has more than the whole; None if it need not."""
    if whole.hard[1] is not None and piece.hard[0] > whole.hard[1]:
        return "contradiction"
    return "miscount" if whole.soft[1] is not None and piece.hard[0] > whole.soft[1] else None


def _described(caption: CaptionReading, label: str) -> frozenset[str]:
    looks = (described_as(caption.text, each.start, each.end) for each in caption.mentions_of(label))
    return frozenset[str]().union(*looks)


def _subject_lost(captions: Sequence[CaptionReading]) -> Iterator[Conflict]:
    """The first thing in the whole's caption, if it has no class and is not in the pieces' captions."""
    whole, *pieces = captions
    first = next((mention for mention in whole.mentions if mention.present), None)
    if first is None or first.label is not None or first.may_be:
        return
    said = {word for piece in pieces for word in re.findall(r"\w+", piece.text.lower())}
    said |= {word for piece in pieces for mention in piece.mentions for word in mention.head.split()}
    if said.isdisjoint((*first.head.split(), *first.text.lower().split())):
        yield Conflict(first.head, "omission", "lost", tuple(range(len(captions))))


def _clause(count: int, kind: ConflictKind, probes: tuple[int, ...], names: str) -> str:
    """One kind of conflict in words."""
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
        case "number":
            return f"another number of {names} is named in {where} than is known to be there"
        case "described" if len(probes) > 1:
            return f"{names} is described otherwise in {where} than in the whole"
        case "described":
            return f"{names} is described in {where} as none is known to be"
        case _:
            return f"{names} is named in {where}, and no such object is known to be there"
