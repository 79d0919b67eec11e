"""The smallest edit of a case that still breaks its relation: delta debugging over objects, bisection over numbers."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.ask.inquiry import AskedImage, Inquiry, NoMoreCalls
from anamorph.engine.ask.stage import nothing_to_see
from anamorph.engine.judge import Judge, relation_of
from anamorph.engine.render.maker import ImageOrder, edits_from_json
from anamorph.engine.render.renderer import Renderer, renderer_for
from anamorph.engine.replay import case_named
from anamorph.engine.run import check_fingerprint
from anamorph.engine.studio import pools_of
from anamorph.errors import BadPicture, RunError, SystemDown
from anamorph.model import Edit, Probe, Relation, System, Verdict, encode, surest
from anamorph.model.digests import canonical_json
from anamorph.model.protocols import EditOptions, RelationOptions
from anamorph.pixels.masks import mask_area
from anamorph.pools.folder import SketchStudio
from anamorph.report.suspicions import told_conflicts
from anamorph.report.wording import outcome_words
from anamorph.store.answers import answers_of, find_probe, probes_by_id, scene_of
from anamorph.store.run import RunStore
from anamorph.store.shrinks import ShrunkCase, ShrunkProbe, StoredReply, record_shrink, shrinks_of
from anamorph.store.verdicts import StoredCase, verdict_of

MOST_CALLS = 20
# An object of which a smaller edit hides more than the rest, although the whole edit does not, would be missed rightly.
_STILL_VISIBLE = 0.9


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """A case, its verdict, and what shrinking it found; `labels` are the classes of its objects by id."""

    case: StoredCase
    before: Verdict
    probes: tuple[Probe, ...]
    shrunk: ShrunkCase
    sent: int
    labels: Mapping[str, str]


def shrink(
    store: RunStore, config: Config, prefix: str, most_calls: int = MOST_CALLS, *, accept_changed_system: bool = False
) -> Shrinkage:
    """Find the smallest edit of a violated case that still breaks its relation; what was asked is kept at once.

    At most `most_calls` images are sent, and never more than the run's own budget allows. Done again, it goes on where
    it stopped.
    """
    case = case_named(store, prefix)
    before = verdict_of(store, case.id)
    if before is None or before.outcome != "violated":
        raise RunError(f"{prefix}: this case {outcome_words(before)}, and only a violated one can be shrunk.")
    with closing(config.system()) as system:
        check_fingerprint(store, system, accept=accept_changed_system)
        with closing(renderer_for(store, config, looks=system.manner.looks)) as renderer:
            return _Shrinker(store, config, system, renderer, case, before).found(most_calls)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A case with other edits of its follow-ups, and the claim that fits them."""

    edits: tuple[tuple[Edit, ...], ...]
    relation: Relation


@dataclass(frozen=True, slots=True)
class _Extent:
    """The class of an object, and the share of the picture that shows it."""

    label: str
    area: float


class _Shrinker:
    """The search for one case."""

    def __init__(
        self, store: RunStore, config: Config, system: System, renderer: Renderer, case: StoredCase, before: Verdict
    ) -> None:
        self.store, self.config, self.system, self.renderer = store, config, system, renderer
        self.case, self.before = case, before
        self.verdict: Verdict | None = None
        self.calls = 0
        self.replies: dict[str, StoredReply] = {}
        self._tried: set[tuple[tuple[Edit, ...], ...]] = set()
        self._extents: dict[tuple[str, tuple[Edit, ...]], Mapping[str, _Extent]] = {}
        rows = probes_by_id(self.store, self.case.probes)
        self.scenes = tuple(scene_of(self.store, row.scene, catalog.find) for row in rows)
        self.probes = tuple(
            Probe(scene.id, edits_from_json(row.edits, catalog.find), row.question)
            for row, scene in zip(rows, self.scenes, strict=True)
        )
        self.judge = Judge(self.config.readers(), self.config.settings.ask.repeats)
        self.relation = relation_of(self.store, self.case)
        self.best = _Candidate(tuple(probe.edits for probe in self.probes[1:]), self.relation)
        for probe, given in answers_of(self.store, self.case.probes).items():
            row = rows[self.case.probes.index(probe)]
            self.replies[row.digest] = StoredReply(row.digest, row.file, tuple(given[k] for k in sorted(given)))
        earlier = shrinks_of(self.store, [self.case.digest]).get(self.case.digest)
        if earlier is not None:
            self.calls = earlier.calls
            self.replies |= {reply.digest: reply for reply in earlier.replies}
        self.planned = frozenset(row.digest for row in rows)

    def found(self, most_calls: int) -> Shrinkage:
        """Search until nothing smaller breaks the relation, or nothing more may be asked."""
        with Inquiry(self.store, self.config, self.system, most_calls) as inquiry:
            finished = self._search(inquiry)
            sent = inquiry.sent
        self._keep(inquiry, finished=finished)
        if inquiry.down is not None:
            raise SystemDown(inquiry.down)
        labels = {thing.id: thing.label for scene in self.scenes for thing in scene.things}
        return Shrinkage(self.case, self.before, self.probes, self._record(finished=finished), sent, labels)

    def _search(self, inquiry: Inquiry) -> bool:
        """True once there is nothing left to try; False where no more may be asked."""
        places = [(f, e) for f, edits in enumerate(self.best.edits) for e in range(len(edits))]
        try:
            # Objects first, until no part of them will do; then numbers, each once.
            while any(
                self._breaks(ladder[0], place, inquiry) for place in places for ladder in self._ladders(place, 1)
            ):
                pass
            for place in places:
                for ladder in self._ladders(place, 2):
                    self._bisect(ladder, place, inquiry)
        except NoMoreCalls:
            return False
        return True

    def _ladders(self, place: tuple[int, int], least: int) -> Iterator[Sequence[Edit]]:
        smaller = EditOptions.smaller.of(self.best.edits[place[0]][place[1]])
        for ladder in smaller() if smaller is not None else ():
            if (len(ladder) > 1) == (least > 1) and ladder:
                yield ladder

    def _bisect(self, ladder: Sequence[Edit], place: tuple[int, int], inquiry: Inquiry) -> None:
        """Keep the smallest edit of a ladder that breaks the relation, assuming that larger ones also break it."""
        holds, breaks = -1, len(ladder)
        while breaks - holds > 1:
            middle = (holds + breaks) // 2
            if self._breaks(ladder[middle], place, inquiry):
                breaks = middle
            else:
                holds = middle

    def _breaks(self, edit: Edit, place: tuple[int, int], inquiry: Inquiry) -> bool:
        """Whether the relation is still broken, in a way that it was before, with this edit; then it is kept."""
        follow_up, position = place
        edits = list(self.best.edits)
        edits[follow_up] = (*edits[follow_up][:position], edit, *edits[follow_up][position + 1 :])
        key = tuple(edits)
        candidate = None if key in self._tried else self._candidate(key)
        verdict = None if candidate is None else self._verdict(candidate, inquiry)
        if candidate is None or verdict is None or not self._as_before(verdict, key):
            self._tried.add(key)
            return False
        self.best, self.verdict = candidate, verdict
        self._keep(inquiry, finished=False)
        return True

    def _as_before(self, verdict: Verdict, edits: tuple[tuple[Edit, ...], ...]) -> bool:
        """Whether a verdict reports what the issue reports, as surely, and not only that something became too small."""
        if verdict.outcome != "violated":
            return False
        if self.before.violated and not set(verdict.violated) & set(self.before.violated):
            return False
        if self.before.grade is not None and surest(filter(None, (verdict.grade, self.before.grade))) != verdict.grade:
            return False
        told = {conflict.label for conflict in told_conflicts(self.before)}
        if told and told.isdisjoint(conflict.label for conflict in verdict.conflicts):
            return False
        smaller = self._smaller_things(edits)
        return not smaller or any(conflict.label not in smaller for conflict in verdict.conflicts)

    def _smaller_things(self, edits: tuple[tuple[Edit, ...], ...]) -> set[str]:
        """The classes of objects that the edits bring in at a smaller size than those of the issue do."""
        found: set[str] = set()
        for position, new in enumerate(edits, 1):
            now, then = (self._things(position, each) for each in (new, self.probes[position].edits))
            added = now.keys() - self._things(0, self.probes[0].edits).keys()
            found |= {now[id].label for id in added if now[id].area < then[id].area}
        return found

    # --- what a smaller edit means ----------------------------------------------------------------------------------

    def _candidate(self, edits: tuple[tuple[Edit, ...], ...]) -> _Candidate | None:
        """The case with these edits; None if its relation need not hold, or could not be fitted to them."""
        relation = self.relation
        source = self._things(0, self.probes[0].edits)
        for position, (new, old) in enumerate(zip(edits, (probe.edits for probe in self.probes[1:]), strict=True), 1):
            if new == old:
                continue
            try:
                now, then = self._things(position, new), self._things(position, old)
            except BadPicture:
                return None
            removed, removed_before = source.keys() - now.keys(), source.keys() - then.keys()
            if not removed <= removed_before or now.keys() - source.keys() != then.keys() - source.keys():
                return None
            if new == self.probes[0].edits or (removed_before and not removed):
                return None
            for id in source.keys() & now.keys():
                if now[id].area < _STILL_VISIBLE * min(source[id].area, then.get(id, source[id]).area):
                    return None
            if removed != removed_before:
                fit = RelationOptions.after_removal.of(relation)
                if fit is None:
                    return None
                counts = Counter(source[id].label for id in sorted(removed))
                left = {thing.label for thing in now.values()}
                relation = fit(counts, [label for label in counts if label not in left])
        return _Candidate(edits, relation)

    def _things(self, position: int, edits: tuple[Edit, ...]) -> Mapping[str, _Extent]:
        """The objects that are there after edits, whatever their pixels look like."""
        scene = self.scenes[position]
        key = (scene.id, edits)
        if key not in self._extents:
            picture = SketchStudio(pools_of(self.config, self.store)).sketch(scene, edits)
            size = picture.pixels.shape[0] * picture.pixels.shape[1]
            areas = [thing.box.area if thing.mask is None else float(mask_area(thing.mask)) for thing in picture.things]
            self._extents[key] = {
                thing.id: _Extent(thing.label, area / size)
                for thing, area in zip(picture.things, areas, strict=True)
                if area > 0
            }
        return self._extents[key]

    # --- asking -----------------------------------------------------------------------------------------------------

    def _verdict(self, candidate: _Candidate, inquiry: Inquiry) -> Verdict | None:
        """The verdict on a candidate; None if a picture of it cannot be made."""
        probes = self._probes_of(candidate)
        for position, probe in enumerate(probes):
            if probe.digest not in self.replies and not self._recall(probe):
                file = self._render(position, probe)
                if file is None and self.system.manner.looks:
                    return None
                answers = inquiry.ask(self._image(probe, file))
                if not answers:
                    return None
                self.replies[probe.digest] = StoredReply(probe.digest, file, answers)
                self._keep(inquiry, finished=False)
        given = [dict(enumerate(self.replies[probe.digest].answers)) for probe in probes]
        return self.judge.verdict(candidate.relation, given, [probe.question for probe in probes], [""] * len(probes))

    def _recall(self, probe: Probe) -> bool:
        """Whether the run itself has answers to a probe."""
        row = find_probe(self.store, probe.digest)
        given = {} if row is None else answers_of(self.store, [row.id])[row.id]
        if row is None or not given:
            return False
        self.replies[probe.digest] = StoredReply(probe.digest, row.file, tuple(given[k] for k in sorted(given)))
        return True

    def _render(self, position: int, probe: Probe) -> str | None:
        if not self.system.manner.looks:
            return None
        order = ImageOrder(0, canonical_json(encode(probe.edits)))
        return self.renderer.render(self.scenes[position], [order])[0].file

    def _image(self, probe: Probe, file: str | None) -> AskedImage:
        if file is None:
            return AskedImage(probe.digest, probe.question, None, nothing_to_see)
        path = self.store.images.path(file).absolute()
        return AskedImage(probe.digest, probe.question, path, lambda: self.store.images.pixels(file))

    def _probes_of(self, candidate: _Candidate) -> tuple[Probe, ...]:
        changed = zip(self.probes[1:], candidate.edits, strict=True)
        return (self.probes[0], *(dataclasses.replace(probe, edits=edits) for probe, edits in changed))

    # --- keeping ----------------------------------------------------------------------------------------------------

    def _keep(self, inquiry: Inquiry, *, finished: bool) -> None:
        self.calls += inquiry.take_count()
        with self.store.transaction():
            inquiry.keep_accounts()
            record_shrink(self.store, self.case.digest, self._record(finished=finished))

    def _record(self, *, finished: bool) -> ShrunkCase:
        shown = () if self.verdict is None else self._probes_of(self.best)
        given = [self.replies[probe.digest] for probe in shown]
        probes = tuple(
            ShrunkProbe(probe.digest, canonical_json(encode(probe.edits)), probe.question, reply.file, reply.answers)
            for probe, reply in zip(shown, given, strict=True)
        )
        claim = canonical_json(encode(self.best.relation))
        replies = tuple(reply for digest, reply in self.replies.items() if digest not in self.planned)
        return ShrunkCase(claim, probes, self.verdict, finished, self.calls, replies)
