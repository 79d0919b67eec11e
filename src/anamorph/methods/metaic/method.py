"""MetaIC: insert an object, and the caption gains it and nothing else.

Source: "Automated Testing of Image Captioning Systems" (ISSTA 2022), equations 1 to 8. The places are found exactly
(`overlaps.py`), not by the thousands of random draws of the paper's algorithm 1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import ClassVar

from anamorph.edits.insert import Insert
from anamorph.errors import UsageError
from anamorph.methods.metaic.hiding import Alpha8, Hiding, SceneMasks
from anamorph.methods.metaic.overlaps import PlacementRules, overlap_interval, unusable
from anamorph.methods.metaic.placing import Placement, place
from anamorph.methods.metaic.recorded import MetaicRow
from anamorph.methods.objects.known import Profile, known_classes, read_references
from anamorph.model import Case, Probe, RecordedRow, Scene, Skip, Table, Tally, setting
from anamorph.pixels.blending import Blend
from anamorph.pools.folder import Pool, PoolEntry
from anamorph.readers.caption import CaptionReader
from anamorph.relations.only_gains import OnlyGains
from anamorph.statistics.tables import kinds_of_error, mr1_and_mr2, per_tag

NO_PLACE = "no place for every overlap at any size"
# Cut-outs whose outlines are kept while a plan is made.
_IN_MEMORY = 256


@dataclass(frozen=True, slots=True)
class MetaIC:
    """Insert an object: the caption names it, in the right number, and all that it named before, and nothing else."""

    kind: ClassVar[str] = "metaic"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    recorded: ClassVar[type[RecordedRow] | None] = MetaicRow
    pool: str | None = setting(None, "The folder of cut-outs to insert, made by `anamorph pool build`.")
    pairs_per_scene: int = setting(1, "How many cut-outs are inserted into each scene, one at a time.", least=1)
    tries: int = setting(10, "How many cut-outs are tried for each pair until one has a place.", least=1)
    placement: PlacementRules = setting(
        PlacementRules(),
        "Sizes and places: intervals, ratio_max, sizes, sizes_of_large, large, spare_masks, what is skipped.",
    )
    overlaps: tuple[int, ...] = setting(
        (), "Which overlap intervals to use, 0 (no overlap) being the first; an empty list means all.", least=0
    )
    blend: Blend = setting("paste", "How the object meets the photo: paste (the paper's way), feather or poisson.")
    mr2_only_if_mr1_holds: bool = setting(
        False, "Test numbers only where the classes are right, as the released tool does."
    )
    profile: Profile = setting(
        "anamorph", "How answers are judged: anamorph (numbers and known objects count, too), or paper (as published)."
    )
    labels: str = setting("coco", "The label space that reference captions are read in; as for the caption reader.")
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")

    def __post_init__(self) -> None:
        beyond = [index for index in self.overlaps if index >= self.placement.intervals]
        if beyond:
            raise ValueError(
                f"overlaps must be below placement.intervals, which is {self.placement.intervals}, got {beyond[0]}"
            )

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        pool = self._pool()

        @functools.lru_cache(maxsize=_IN_MEMORY)
        def alpha_of(id: str) -> Alpha8:
            return pool.cutout(id).rgba[..., 3].copy()

        base = rng.getrandbits(64)
        for scene in scenes:
            reason = unusable([thing.box for thing in scene.things], scene.width, scene.height, self.placement)
            if reason is not None:
                yield Skip(scene.id, reason, "scene")
                continue
            # Each scene has randomness of its own, so that other scenes do not change its pairs.
            yield from self._pairs(scene, pool.entries, alpha_of, Random(f"{base}:{scene.id}"))

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """Reports per overlap interval, as the paper's table 1 has them, per relation, and per kind of error."""
        return (
            per_tag("Per overlap", "overlap", "overlap", tallies),
            mr1_and_mr2(tallies),
            per_tag("Per placement", "placement", "placement", tallies),
            *kinds_of_error(tallies),
        )

    def _pool(self) -> Pool:
        if self.pool is None:
            raise UsageError(
                "metaic inserts cut-outs, and no pool of them is named. Make one with `anamorph pool build POOL "
                "--scenes ...`, and name it: --set metaic.pool=POOL."
            )
        pool = Pool.open(Path(self.pool))
        if not pool.entries:
            raise UsageError(f"{self.pool}: this pool has no cut-out. Build one from more scenes, or with other rules.")
        return pool

    def _pairs(
        self, scene: Scene, entries: Sequence[PoolEntry], alpha_of: Callable[[str], Alpha8], rng: Random
    ) -> Iterator[Case | Skip]:
        boxes, rules = [thing.box for thing in scene.things], self._rules()
        masks = SceneMasks(scene)
        placed = 0
        for entry in rng.sample(entries, min(len(entries), self.pairs_per_scene * self.tries)):
            if placed == self.pairs_per_scene:
                return
            # An object beside itself would be a copy, not a second one.
            if entry.scene == scene.id:
                continue
            hides = Hiding(masks, functools.partial(alpha_of, entry.id), self.placement.ratio_max)
            found = place(
                boxes,
                (entry.width, entry.height),
                scene.width,
                scene.height,
                rules,
                rng,
                hides if rules.spare_masks else None,
            )
            if found is None:
                yield Skip(f"{scene.id}: {entry.id}", NO_PLACE, "pair")
                continue
            placed += 1
            yield from self._cases(scene, entry, found)

    def _rules(self) -> PlacementRules:
        """The rules without the intervals beyond the last one that is used, so that no pair fails because of them."""
        last = max(self.overlaps, default=self.placement.intervals - 1)
        if last == self.placement.intervals - 1:
            return self.placement
        return replace(self.placement, intervals=last + 1, ratio_max=overlap_interval(last, self.placement)[1])

    def _cases(self, scene: Scene, entry: PoolEntry, found: Placement) -> Iterator[Case]:
        source = Probe(scene.id, question=self.question)
        relation = OnlyGains(entry.label, self.mr2_only_if_mr1_holds)
        if self.profile == "anamorph":
            known = known_classes(scene, read_references(scene, CaptionReader(labels=self.labels)))
            relation = replace(relation, ledger=True, known=known, complete=scene.complete)
        for index, (box, off_line) in enumerate(zip(found.boxes, found.off_line, strict=True)):
            if self.overlaps and index not in self.overlaps:
                continue
            follow_up = Probe(scene.id, (Insert(entry.id, box, self.blend),), self.question)
            tags = {"overlap": interval_name(index, self.placement), "placement": "map" if off_line else "line"}
            yield Case(self.kind, source, (follow_up,), relation, tags)


def interval_name(index: int, rules: PlacementRules) -> str:
    """An overlap interval in words: 0 %, 0-15 %, 15-30 %, ..."""
    low, high = (round(bound * 100) for bound in overlap_interval(index, rules))
    return f"{low}-{high} %" if index else "0 %"
