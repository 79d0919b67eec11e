"""MetaIC: insert an object, and the caption gains it and nothing else.

Source: "Automated Testing of Image Captioning Systems" (ISSTA 2022), equations 1 to 8. The places are found exactly
(`overlaps.py`), not by the thousands of random draws of the paper's algorithm 1.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import ClassVar

from anamorph.edits.insert import Insert
from anamorph.errors import UsageError
from anamorph.methods.inserting.overlaps import PlacementRules, overlap_interval, unusable
from anamorph.methods.inserting.standing import Stage, insert_supported, rest_of
from anamorph.methods.metaic.hiding import Alpha8, Hiding, SceneMasks
from anamorph.methods.metaic.placing import place
from anamorph.methods.metaic.recorded import MetaicRow
from anamorph.methods.metaic.released import Profile, can_read, judged_as
from anamorph.methods.objects.known import known_classes, unanimous
from anamorph.model import Box, Case, Probe, RecordedRow, Relation, ReviewedIssue, Scene, Skip, Table, Tally, setting
from anamorph.pixels.blending import Blend
from anamorph.pools.class_traits import fits, settings_of
from anamorph.pools.folder import Pool, PoolEntry
from anamorph.relations.only_gains import OnlyGains
from anamorph.statistics.precision import precision_of
from anamorph.statistics.rates import interval_cell
from anamorph.statistics.tables import kinds_of_error, mr1_and_mr2, per_tag, relations_by_tag

NO_PLACE = "no place for every overlap at any size"
NO_OVERLAP = "no supported place for this overlap"
NO_SUPPORT = "no supported place for any cut-out that was tried"
NOTHING_BESIDE = "nothing in view that an object could stand beside"
NOTHING_FITS = "no cut-out of a class that could rest here"
NO_CUTOUT = "no object of the scenes makes a whole cut-out that is recognised: more photos would"
FOUND = "only a segmenter found its objects, which tell size and ground too roughly (found=true inserts)"
USED_UP = "every cut-out is in as many images as most_uses allows: more photos would give more"
# Cut-outs of a large pool that are considered for a pair.
_DRAWN = 200
# How surely a recogniser should see what is inserted; where too little has a place, less will do, and in a drawing
# nothing looks.
_SEEN, _UNSEEN = (0.6, 0.4), 0.0
# More pairs than asked for, where those have not all overlaps.
_SPARE = 2
# Cut-outs whose outlines are kept while a plan is made.
_IN_MEMORY = 256


@dataclass(frozen=True, slots=True)
class MetaIC:
    """Insert an object: the caption names it, in the right number, and all that it named before, and nothing else."""

    kind: ClassVar[str] = "metaic"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    names_classes: ClassVar[bool] = True
    wants_references: ClassVar[bool] = True
    recorded: ClassVar[type[RecordedRow] | None] = MetaicRow
    profiles: ClassVar[tuple[str, ...]] = ("paper", "released", "released-rerun")
    pool: str | None = setting(None, "The folder of cut-outs to insert, made by `anamorph list pool build`.")
    most_uses: int = setting(
        6, "On photos, a cut-out is inserted into at most this many images of a run; 0 means any number.", least=0
    )
    found: bool = setting(
        False,
        "On photos, also insert where only a segmenter found the objects: size and ground are then a guess, and three "
        "of four such images were broken.",
    )
    pairs_per_scene: int = setting(1, "How many cut-outs are inserted into each scene, one at a time.", least=1)
    tries: int = setting(16, "How many cut-outs are tried for each pair until one has a place.", least=1)
    placement: PlacementRules = setting(
        PlacementRules(),
        'Sizes and places: "supported", "paper", or a table with a mode, intervals, ratio_max, sizes, what is skipped.',
    )
    overlaps: tuple[int, ...] = setting(
        (), "Which overlap intervals to use, 0 (no overlap) being the first; an empty list means all.", least=0
    )
    blend: Blend = setting("paste", "How the object meets the photo: paste (the paper's way), feather or poisson.")
    relight: bool = setting(
        True, "Give a supported object the light of the photo: lightness, contrast, tint, no colour."
    )
    same_sharpness: bool = setting(True, "Blur a supported object where the photo around it is less sharp.")
    soft_edge: float = setting(1.5, "Let the edge of a supported object fade over this many pixels.", least=0, most=10)
    shadow: float = setting(
        0.45, "How dark a shadow is under a supported object that stands or lies, from 0 to 1.", least=0, most=1
    )
    mr2_only_if_mr1_holds: bool = setting(
        False, "Test numbers only where the classes are right, as the released tool does."
    )
    profile: Profile = setting(
        "anamorph",
        "How answers are judged: anamorph (numbers and known objects count, too), paper (as published), released "
        "(as MetaIC's released tool read and judged), or released-rerun (as ROME's authors ran it again).",
    )
    readable: bool = setting(
        False, "Insert only objects of classes that the profile can read: the released tools know those of one word."
    )
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")

    def __post_init__(self) -> None:
        beyond = [index for index in self.overlaps if index >= self.placement.intervals]
        if beyond:
            raise ValueError(
                f"overlaps must be below placement.intervals, which is {self.placement.intervals}, got {beyond[0]}"
            )

    @property
    def wants_pool(self) -> bool:
        """Whether a run is to cut objects out of its own scenes."""
        return self.pool is None

    @property
    def by_scene(self) -> bool:
        """Whether no scene's pairs depend on others: uses of a cut-out are counted over all scenes."""
        return not self._counts_uses

    @property
    def _counts_uses(self) -> bool:
        return self.placement.mode == "supported" and self.most_uses > 0

    @property
    def needs_pool(self) -> bool:
        """Whether cut-outs of photos must be recognised: the paper inserts whatever is annotated."""
        return self.placement.mode == "supported"

    @property
    def wants_footings(self) -> bool:
        """Whether scanning is to look at the ground: it costs a look at every photo."""
        return self.placement.mode == "supported"

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        pool = self._pool()

        @functools.lru_cache(maxsize=_IN_MEMORY)
        def alpha_of(id: str) -> Alpha8:
            return pool.cutout(id).rgba[..., 3].copy()

        base = rng.getrandbits(64)
        supported = self.placement.mode == "supported"
        pairs = self._supported if supported else self._anywhere
        if pool.entries and not any(map(self._may_insert, pool.entries)):
            raise UsageError(f"{self.pool}: no cut-out is of a class that the profile {self.profile!r} can read.")
        uses: Counter[str] = Counter()
        for scene in scenes:
            reason = unusable([thing.box for thing in scene.things], scene.width, scene.height, self.placement)
            if reason is not None:
                yield Skip(scene.id, reason, "scene")
                continue
            entries = tuple(
                filter(self._may_insert, pool.believed if supported and not scene.is_drawn else pool.entries)
            )
            if self._counts_uses and not scene.is_drawn:
                entries = tuple(entry for entry in entries if uses[entry.id] < self.most_uses)
            if not entries:
                yield Skip(scene.id, USED_UP if pool.entries else NO_CUTOUT, "scene")
                continue
            # Each scene has randomness of its own, so that other scenes change its pairs only by using cut-outs up.
            for item in pairs(scene, entries, alpha_of, Random(f"{base}:{scene.id}")):
                uses.update(_inserted(item))
                yield item

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """Reports per overlap interval, as the paper's table 1 has them, crossed with the relations as in its table 2,
        and per kind of error."""
        return (
            per_tag("Per overlap", "overlap", "overlap", tallies),
            mr1_and_mr2(tallies),
            relations_by_tag("Relations by overlap", "overlap", "overlap", tallies),
            per_tag("Per placement", "placement", "placement", tallies),
            *kinds_of_error(tallies),
        )

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        return "inserted an object into {photos}"

    def summarise_reviews(self, issues: Sequence[ReviewedIssue]) -> tuple[Table, ...]:
        """The paper's table 2: precision per overlap, of MR1 alone and of both relations."""
        overlaps = sorted({issue.tags.get("overlap", "") for issue in issues}, key=lambda name: (len(name), name))
        rows = [
            (name or "-", *_ablation([issue for issue in issues if issue.tags.get("overlap", "") == name]))
            for name in overlaps
        ]
        columns = ("overlap", "MR1", "95 % interval", "MR1 + MR2", "95 % interval")
        return (Table("Ablation of the relations", columns, (*rows, ("all", *_ablation(issues)))),)

    def _may_insert(self, entry: PoolEntry) -> bool:
        return not self.readable or can_read(self.profile, entry.label)

    def _pool(self) -> Pool:
        if self.pool is None:
            raise UsageError(
                "metaic inserts cut-outs, and no pool of them is named. Make one with `anamorph list pool build POOL "
                "--scenes ...`, and name it: --set metaic.pool=POOL."
            )
        pool = Pool.open(Path(self.pool))
        if self.needs_pool and pool.entries and not pool.believed:
            raise UsageError(
                f"{self.pool}: nothing recognised the cut-outs of this pool, and nobody reviewed them. Look at them "
                f"with `anamorph list pool review {self.pool}`, strike out the bad ones and add --accept; or get a "
                "detector with `anamorph list models get yolox-nano`, and build the pool again."
            )
        return pool

    def _supported(
        self, scene: Scene, entries: Sequence[PoolEntry], alpha_of: Callable[[str], Alpha8], rng: Random
    ) -> Iterator[Case | Skip]:
        """Pairs in which the object rests on something; those with a place for every overlap come first.

        Cut-outs that may not be recognised at their size are tried last.
        """
        if not self.found and any(thing.score is not None for thing in scene.things):
            yield Skip(scene.id, FOUND, "scene")
            return
        stage, masks = Stage(scene), SceneMasks(scene)
        if not stage.anchors and stage.sky is None:
            yield Skip(scene.id, NOTHING_BESIDE, "scene")
            return
        wanted = self.overlaps or tuple(range(self.placement.intervals))
        found: list[_Pair] = []
        tried: set[tuple[str, float]] = set()
        least = (*_SEEN, _UNSEEN) if scene.is_drawn else _SEEN
        for surely, group in itertools.product(least, self._fitting(scene, stage, entries, rng)):
            sizes = ((entry, entry.seen_from(surely) if surely else 0.0) for entry in group)
            untried = [each for each in sizes if each[1] <= 1 and (each[0].id, each[1]) not in tried]
            for entry, least_side in untried[: self.pairs_per_scene * self.tries]:
                if self._is_enough(found, wanted):
                    break
                tried.add((entry.id, least_side))
                hides = Hiding(masks, functools.partial(alpha_of, entry.id), self.placement.ratio_max)
                boxes = stage.places(
                    entry.label,
                    (entry.width, entry.height),
                    wanted,
                    self.placement,
                    rng,
                    hides if self.placement.spare_masks else None,
                    least_side,
                )
                if boxes:
                    found.append(_Pair(entry, boxes, surely))
        if not found:
            yield Skip(scene.id, NO_SUPPORT if tried else NOTHING_FITS, "scene")
            return
        chosen = self._chosen(found, wanted)
        for pair in chosen:
            rest = rest_of(pair.entry.label)
            yield from self._cases(scene, pair.entry, [(index, box, rest) for index, box in sorted(pair.boxes.items())])
        for index in sorted(set(wanted).difference(*(pair.boxes for pair in chosen))):
            yield Skip(f"{scene.id}: {interval_name(index, self.placement)}", NO_OVERLAP, "overlap")

    def _is_enough(self, found: Sequence[_Pair], wanted: Sequence[int]) -> bool:
        """Whether there are pairs with all overlaps, or else spare ones of different classes."""
        complete = sum(len(pair.boxes) == len(wanted) for pair in found)
        classes = len({pair.entry.label for pair in found})
        return complete >= self.pairs_per_scene or classes >= self.pairs_per_scene + _SPARE

    def _chosen(self, found: Sequence[_Pair], wanted: Sequence[int]) -> list[_Pair]:
        """The surest pairs, with the most overlaps; where some lack, spare ones of other classes, not more pictures."""
        chosen: list[_Pair] = []
        # The sort is stable: among equals, the order of the draw decides.
        for pair in sorted(found, key=lambda pair: (-pair.surely, -len(pair.boxes))):
            left = self.pairs_per_scene * len(wanted) - sum(len(each.boxes) for each in chosen)
            spare = len(chosen) >= self.pairs_per_scene
            if left <= 0 or (spare and any(pair.entry.label == each.entry.label for each in chosen)):
                continue
            chosen.append(replace(pair, boxes=dict(sorted(pair.boxes.items())[:left])))
        return chosen[: self.pairs_per_scene + _SPARE]

    def _fitting(
        self, scene: Scene, stage: Stage, entries: Sequence[PoolEntry], rng: Random
    ) -> tuple[list[PoolEntry], list[PoolEntry]]:
        """Cut-outs in random order that something here could support, in groups of which the first is the best.

        Of a class that the photo has already, one more changes the least. Misfits, such as a boat in a kitchen, are
        never inserted into a photo.
        """
        settings, there = settings_of(thing.label for thing in scene.things), {thing.label for thing in scene.things}
        drawn = rng.sample(entries, min(len(entries), _DRAWN * self.pairs_per_scene))
        # An object beside itself would be a copy, not a second one.
        able = [entry for entry in drawn if entry.scene != scene.id and stage.suits(entry.label)]
        chosen = [entry for entry in able if scene.is_drawn or fits(entry.label, settings)]
        return [entry for entry in chosen if entry.label not in there], [
            entry for entry in chosen if entry.label in there
        ]

    def _anywhere(
        self, scene: Scene, entries: Sequence[PoolEntry], alpha_of: Callable[[str], Alpha8], rng: Random
    ) -> Iterator[Case | Skip]:
        """Pairs as in the paper: any size of equation 1, any place."""
        boxes, rules = [thing.box for thing in scene.things], self._rules()
        masks = SceneMasks(scene)
        failed: list[Skip] = []
        placed = 0
        for entry in rng.sample(entries, min(len(entries), self.pairs_per_scene * self.tries)):
            if placed == self.pairs_per_scene:
                break
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
                failed.append(Skip(f"{scene.id}: {entry.id}", NO_PLACE, "pair"))
                continue
            placed += 1
            lines = ("map" if off_line else "line" for off_line in found.off_line)
            numbered = zip(itertools.count(), found.boxes, lines)
            chosen = [each for each in numbered if not self.overlaps or each[0] in self.overlaps]
            yield from self._cases(scene, entry, chosen)
        if placed:
            yield from failed
        elif failed:
            yield Skip(scene.id, NO_PLACE, "scene")

    def judged_as(self, relation: Relation, profile: str) -> Relation | None:
        """A relation of a case as a profile judges; None where it does not hold what that needs."""
        return judged_as(relation, profile)

    def _rules(self) -> PlacementRules:
        """The rules without the intervals beyond the last one that is used, so that no pair fails because of them."""
        last = max(self.overlaps, default=self.placement.intervals - 1)
        if last == self.placement.intervals - 1:
            return self.placement
        return replace(self.placement, intervals=last + 1, ratio_max=overlap_interval(last, self.placement)[1])

    def _cases(self, scene: Scene, entry: PoolEntry, places: Sequence[tuple[int, Box, str]]) -> Iterator[Case]:
        source = Probe(scene.id, question=self.question)
        known = known_classes(scene)
        # Attributes are complete only where both come from a source that describes every object.
        attributes = entry.attributes if scene.described and entry.attributes else None
        own = OnlyGains(
            entry.label,
            self.mr2_only_if_mr1_holds,
            ledger=True,
            known=known,
            complete=scene.complete,
            required=unanimous(scene, known),
            attributes=attributes,
        )
        relation = judged_as(own, self.profile) or own
        for index, box, where in places:
            follow_up = Probe(scene.id, (self._insert(entry, box),), self.question)
            tags = {"overlap": interval_name(index, self.placement), "placement": where}
            yield Case(self.kind, source, (follow_up,), relation, tags)

    def _insert(self, entry: PoolEntry, box: Box) -> Insert:
        if self.placement.mode == "paper":
            return Insert(entry.id, box, self.blend)
        return insert_supported(
            entry.id,
            entry.label,
            box,
            blend=self.blend,
            relight=self.relight,
            same_sharpness=self.same_sharpness,
            soft_edge=self.soft_edge,
            shadow=self.shadow,
        )


@dataclass(frozen=True, slots=True)
class _Pair:
    """A cut-out with a place for some overlaps, and how surely it is recognised at its size."""

    entry: PoolEntry
    boxes: dict[int, Box]
    surely: float


def _inserted(item: Case | Skip) -> Iterator[str]:
    """The cut-outs of a case, once for each image."""
    for probe in item.follow_ups if isinstance(item, Case) else ():
        yield from (edit.cutout for edit in probe.edits if isinstance(edit, Insert))


def _ablation(issues: Sequence[ReviewedIssue]) -> tuple[str, ...]:
    """The precision of the issues that MR1 reports, and of all, as the paper writes them: 96.7% (844/873)."""
    cells: list[str] = []
    for some in ([issue for issue in issues if "mr1" in issue.parts], issues):
        found = precision_of(some)
        share = "-" if found.share is None else f"{found.share:.1%} ({found.right}/{found.decided})"
        cells += [share, interval_cell(found.interval)]
    return tuple(cells)


def interval_name(index: int, rules: PlacementRules) -> str:
    """An overlap interval in words: 0 %, 0-15 %, 15-30 %, ..."""
    low, high = (round(bound * 100) for bound in overlap_interval(index, rules))
    return f"{low}-{high} %" if index else "0 %"
