"""OAMT: cut a photo in two, and the captions of the pieces must fit the caption of the whole.

Source: the released tool of "Object Action Association based Metamorphic Testing" for image captioning. It matches
triples (object, action, number) by a model of natural language inference. Here the numbers that captions state are
compared, as everywhere; `profile = "paper"` matches triples, without that model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from anamorph.edits.crop import Crop
from anamorph.methods.oamt.cutting import CutRules, two_pieces
from anamorph.methods.oamt.published import Profile, judged_as
from anamorph.methods.oamt.recorded import OamtRow
from anamorph.methods.objects.known import known_classes, known_in_view
from anamorph.model import Case, Probe, RecordedRow, Relation, Scene, Skip, Table, Tally, setting
from anamorph.relations.parts_tell_whole import PartsTellWhole
from anamorph.statistics.tables import kinds_of_error, per_tag

NARROW = "it is too narrow to be cut"


@dataclass(frozen=True, slots=True)
class Oamt:
    """Cut a photo in two: what the whole's caption names, a piece's names, and no piece names more than the whole."""

    kind: ClassVar[str] = "oamt"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    by_scene: ClassVar[bool] = True
    recorded: ClassVar[type[RecordedRow] | None] = OamtRow
    profiles: ClassVar[tuple[str, ...]] = ("paper",)
    cut: CutRules = setting(CutRules(), "Where a photo is cut: min_score, min_area, margin, overlapping.")
    profile: Profile = setting(
        "anamorph",
        "How answers are judged: anamorph (numbers that captions state), or paper (triples of object, action and "
        "number, matched by word).",
    )
    question: str | None = setting(None, "A question to ask with every image, for systems that need one.")

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        for scene in scenes:
            if scene.width < 4:
                yield Skip(scene.id, NARROW, "scene")
                continue
            pieces, clean = two_pieces(scene, self.cut)
            known = None
            if scene.complete is not None:
                known = (known_classes(scene), *(known_in_view(scene, piece) for piece in pieces))
            own = PartsTellWhole(known, scene.complete)
            yield Case(
                self.kind,
                Probe(scene.id, (), self.question),
                tuple(Probe(scene.id, (Crop(piece),), self.question) for piece in pieces),
                judged_as(own, self.profile) or own,
                {"pieces": "cut" if clean else "overlapping"},
            )

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """How often pieces and whole disagree, by how the photo was cut, and in which way."""
        return (per_tag("Per kind of cut", "pieces", "pieces", tallies), *kinds_of_error(tallies))

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        return "cut {photos} in two"

    def judged_as(self, relation: Relation, profile: str) -> Relation | None:
        """A relation of a case as a profile judges."""
        return judged_as(relation, profile)
