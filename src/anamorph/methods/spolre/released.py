"""How SPOLRE's answers are judged as published, and what its released code claimed of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from anamorph.model import CaptionReading, Grade, Reading, ReadingKind, Relation, Verdict, setting
from anamorph.relations.keeps_all import KeepsAll

# How answers are judged: with the ledger, exactly as the paper says, or as its released code did, which takes "a dog"
# for exactly one; guarded, it does so only of classes that people name in the plural.
Profile: TypeAlias = Literal["anamorph", "paper", "released", "released-guarded"]


@dataclass(frozen=True, slots=True)
class ReleasedKeepsAll:
    """Every follow-up's caption names the scene's objects, where "a dog" says one, as in SPOLRE's released code."""

    kind: ClassVar[str] = "released-keeps-all"
    reads: ClassVar[ReadingKind] = KeepsAll.reads
    claims: ClassVar[str | None] = "every object is still named"
    least_answers: ClassVar[int] = KeepsAll.least_answers
    class_settings: ClassVar[tuple[str, ...]] = ("objects", "named", "uncounted", "ones")
    grade: ClassVar[Grade | None] = None
    objects: tuple[tuple[str, int], ...] = setting(help="The classes that are in the scene, and how many of each.")
    named: tuple[str, ...] | None = setting(None, "The classes that reference captions name; without it, all.")
    ground_truth: Literal["references", "self"] = setting(
        "references", "What must be named: what references name, or what the source's own caption names."
    )
    uncounted: tuple[str, ...] = setting(
        (), "Classes of objects whose number is not certain: they must be named, but in any number."
    )
    ones: tuple[str, ...] | None = setting(
        None, "Classes of which a bare singular says that there is exactly one; without it, all."
    )

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        published = KeepsAll(self.objects, self.named, self.ground_truth, self.uncounted)
        return published.judge([self._counted(each) if isinstance(each, CaptionReading) else each for each in readings])

    def _counted(self, caption: CaptionReading) -> CaptionReading:
        """The caption with one as the number of what is named in the singular."""
        mentions = tuple(
            replace(mention, count=1)
            if mention.count is None
            and mention.number == "singular"
            and (self.ones is None or mention.label in self.ones)
            else mention
            for mention in caption.mentions
        )
        return replace(caption, mentions=mentions)


def judged_as(relation: Relation, profile: str) -> Relation | None:
    """A relation of SPOLRE as a profile judges; None where it does not hold what that needs."""
    if isinstance(relation, ReleasedKeepsAll):
        return relation if profile == ("released" if relation.ones is None else "released-guarded") else None
    if not isinstance(relation, KeepsAll):
        return None
    if profile == "paper":
        return replace(relation, ledger=False, known=None, complete=None)
    if profile not in ("released", "released-guarded"):
        return relation
    ones = None
    if profile == "released-guarded":
        if relation.known is None:
            return None
        # `plural`: at least half of the references name it in the plural, and none in the singular.
        ones = tuple(known.label for known in relation.known if known.plural)
    return ReleasedKeepsAll(relation.objects, relation.named, relation.ground_truth, relation.uncounted, ones)
