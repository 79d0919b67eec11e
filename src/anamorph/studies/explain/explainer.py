"""Which part of an image carries a wrong word: parts of it are covered, the system is asked, and readings compared."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.ask.inquiry import AskedImage, Inquiry, NoMoreCalls, Replies
from anamorph.engine.judge import Judge, relation_of
from anamorph.engine.render.maker import ImageOrder, edits_from_json
from anamorph.engine.render.renderer import renderer_for
from anamorph.engine.replay import case_named
from anamorph.engine.run import check_fingerprint
from anamorph.engine.studio import pools_of
from anamorph.errors import BadPicture, RunError, SystemDown
from anamorph.model import (
    Answer,
    Reading,
    System,
    Verdict,
    digest_of_text,
    encode,
    the_probe,
)
from anamorph.model.digests import canonical_json
from anamorph.model.protocols import SystemOptions
from anamorph.pixels.shapes import thing_shape
from anamorph.pools.folder import SketchStudio
from anamorph.reading.morphology import plural_of
from anamorph.report.cause_words import read_causes
from anamorph.report.wording import outcome_words
from anamorph.store.answers import answers_of, probes_by_id, scene_of
from anamorph.store.explanations import (
    Carrier,
    CoveredPatch,
    ExplainedCase,
    Patch,
    PatchReply,
    SeenBox,
    explanations_of,
    record_explanation,
    replies_about,
)
from anamorph.store.images import ImageFormat
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, verdict_of
from anamorph.studies.explain.pictures import covered, heat_picture
from anamorph.studies.explain.search import PatchSearch
from anamorph.studies.explain.words import effect, word_of

MOST_CALLS = 60
# Covered images are sent without loss, so that nothing but the patch differs from what the system saw.
_LOSSLESS = ImageFormat("png")
_DRAWN = ImageFormat("jpeg", quality=90)
# Where only patches with sides from this share on hide a word, it is tried which parts are enough for it.
_COARSE = 1 / 4
# A patch; None is the image as it is.
P = TypeVar("P", bound=Patch | None)


@dataclass(frozen=True, slots=True)
class Explanation:
    """An issue, and what explaining it found; `said` is the answer that was explained, `sent` the images sent now."""

    case: StoredCase
    verdict: Verdict
    probes: int
    question: str | None
    said: Answer
    explained: ExplainedCase
    sent: int


def clearest_cases(store: RunStore, most: int) -> list[str]:
    """The clearest examples of different causes, the surest cause first."""
    distinct = dict.fromkeys(cause.example for cause in read_causes(store))
    return list(itertools.islice(distinct, most))


def explain(
    store: RunStore, config: Config, prefix: str, most_calls: int = MOST_CALLS, *, accept_changed_system: bool = False
) -> Explanation:
    """Find the part of an image that carries the wrong word of a violated case; what was asked is kept at once.

    At most `most_calls` images are sent, and never more than the run's own budget allows. Done again, it goes on where
    it stopped.
    """
    case = case_named(store, prefix)
    verdict = verdict_of(store, case.id)
    if verdict is None or verdict.outcome != "violated":
        raise RunError(f"{prefix}: this case {outcome_words(verdict)}, and only a violated one can be explained.")
    with closing(config.system()) as system:
        if not system.manner.looks:
            raise RunError(
                f"{prefix}: the system {system.kind!r} does not look at images, so covering parts of one shows nothing."
            )
        check_fingerprint(store, system, accept=accept_changed_system)
        return _Explainer(store, config, system, case, verdict).found(most_calls)


class _Explainer:
    """The search for one case."""

    def __init__(self, store: RunStore, config: Config, system: System, case: StoredCase, verdict: Verdict) -> None:
        self.store, self.config, self.system, self.case, self.verdict = store, config, system, case, verdict
        self.searches: list[PatchSearch] = []
        self.judge = Judge(self.config.readers(), self.config.settings.ask.repeats)
        self.relation = relation_of(self.store, self.case)
        rows = probes_by_id(self.store, self.case.probes)
        given = [answers_of(self.store, [row.id])[row.id] for row in rows]
        first = [each[min(each)] for each in given if each]
        if len(first) < len(rows):
            raise RunError(f"{self.case.digest}: not all of its images have an answer. Use `anamorph resume` first.")
        readings = [self._reading(answer, row.question) for answer, row in zip(first, rows, strict=True)]
        word = word_of(self.verdict, readings)
        if word is None:
            raise RunError(
                f"{self.case.digest[:12]}: it has no word to explain, because none of its answers names what its "
                f"verdict is about: {self.verdict.reason}"
            )
        self.word, self.probe, self.said = word, rows[word.position], first[word.position]
        self.pixels = self.store.images.pixels(self._file())
        earlier = explanations_of(self.store, [self.case.digest]).get(self.case.digest)
        self.calls = 0 if earlier is None else earlier.calls
        # Another issue may be about the same image.
        self.replies: dict[Patch | None, PatchReply] = {
            reply.patch: reply for reply in replies_about(self.store, self.probe.digest)
        }

    def found(self, most_calls: int) -> Explanation:
        """Cover patches until nothing more can be learnt, or nothing more may be asked."""
        manner = self.system.manner
        parallel = self.config.settings.ask.parallel or manner.parallel
        with (
            tempfile.TemporaryDirectory(prefix="anamorph-explain-") as folder,
            Inquiry(self.store, self.config, self.system, most_calls, parallel) as inquiry,
        ):
            carrier, finished = self._search(inquiry, Path(folder))
            sent = inquiry.sent
        if inquiry.down is not None:
            self._keep(inquiry, "unknown", finished=False)
            raise SystemDown(inquiry.down)
        explained = self._keep(inquiry, carrier, finished=finished)
        probes, question = len(self.case.probes), self.probe.question
        return Explanation(self.case, self.verdict, probes, question, self.said, explained, sent)

    def _search(self, inquiry: Inquiry, folder: Path) -> tuple[Carrier, bool]:
        """The regions that carry the word, and whether nothing is left to try."""
        height, width = self.pixels.shape[:2]
        everything = Patch(0, 0, width, height)
        try:
            same = self._effects(inquiry, folder, [None])
            if same.get(None):
                # It is asked again once the system answers alike.
                reply = self.replies.pop(None)
                self._keep(inquiry, "unknown", finished=False, draw=False)
                said = " ".join((reply.answers[0].text or "other labels").split())[:200]
                raise RunError(
                    f"{self.case.digest[:12]}: the system is random here: asked again about the same image, it says "
                    f"{said!r}. What covering a part changes cannot be told from chance; make the system deterministic "
                    "(temperature 0, a fixed seed), if it can be."
                )
            if self._effects(inquiry, folder, [everything]).get(everything) == 0:
                return "nothing", True
            self._cover(inquiry, folder, PatchSearch(width, height))
            if self.word.label is not None and self.word.about == "presence" and (self._side() or 1) >= _COARSE:
                # Several objects may carry the word, each of them enough: then no small patch hides them all.
                self._cover(inquiry, folder, PatchSearch(width, height, alone=True))
        except NoMoreCalls:
            # Answers from before the budget ended also count.
            for search in self.searches:
                search.learn(self._known(search.proposed))
            return ("unknown" if self._side() is None else "part"), False
        return ("spread" if self._side() is None else "part"), True

    def _cover(self, inquiry: Inquiry, folder: Path, search: PatchSearch) -> None:
        self.searches.append(search)
        while patches := search.next_round():
            search.learn(self._effects(inquiry, folder, patches))

    def _side(self) -> float | None:
        best = self._best()
        return None if best is None else best.smallest_side

    def _best(self) -> PatchSearch | None:
        """The search that came down to the smallest patches; None before there is any."""
        return min(self.searches, key=lambda search: search.smallest_side or 1, default=None)

    # --- asking -----------------------------------------------------------------------------------------------------

    def _effects(self, inquiry: Inquiry, folder: Path, patches: Sequence[P]) -> Mapping[P, float]:
        """How much patches matter, those left out whose answers failed or cannot be read."""
        unknown = [patch for patch in patches if patch not in self.replies]
        images = {self._digest(patch): patch for patch in unknown}
        asked = [self._image(folder, patch) for patch in unknown]
        for replies in inquiry.ask_all(asked):
            self._take(inquiry, images[replies.image.digest], replies)
        return self._known(patches)

    def _take(self, inquiry: Inquiry, patch: Patch | None, replies: Replies) -> None:
        if replies.answers:
            self.replies[patch] = PatchReply(self.probe.digest, patch, replies.answers)
            self._keep(inquiry, "unknown", finished=False, draw=False)
        elif patch is None:
            raise SystemDown(
                f"{self.case.digest[:12]}: the system did not answer about the image as it is, so nothing can be "
                f"compared: {replies.problem}"
            )
        if replies.image.path is not None:
            replies.image.path.unlink(missing_ok=True)

    def _image(self, folder: Path, patch: Patch | None) -> AskedImage:
        pixels = self.pixels
        if patch is not None:
            whole = patch.area == pixels.shape[0] * pixels.shape[1]
            pixels = covered(pixels, None if whole else patch)
        path = folder / f"{self._digest(patch)}{_LOSSLESS.suffix}"
        path.write_bytes(_LOSSLESS.encode(pixels))
        return AskedImage(self._digest(patch), self.probe.question, path, lambda: pixels)

    def _digest(self, patch: Patch | None) -> str:
        return digest_of_text(canonical_json([self.probe.digest, "covered", encode(patch)]))

    # --- reading ----------------------------------------------------------------------------------------------------

    def _effect(self, patch: Patch | None) -> float | None:
        """The mean over the repeated answers; None if none is readable."""
        reply = self.replies.get(patch)
        if reply is None:
            return None
        before, *now = ((answer, self._reading(answer, self.probe.question)) for answer in (self.said, *reply.answers))
        readable = [each for one in now if (each := effect(self.word, before, one)) is not None]
        if not readable:
            return None
        gone = sum(readable) / len(readable)
        return 1 - gone if patch is not None and patch.alone else gone

    def _known(self, patches: Iterable[P]) -> Mapping[P, float]:
        return {patch: each for patch in patches if (each := self._effect(patch)) is not None}

    def _reading(self, answer: Answer, question: str | None) -> Reading:
        return self.judge.reading_for(self.relation, answer, question)

    # --- keeping ----------------------------------------------------------------------------------------------------

    def _keep(self, inquiry: Inquiry, carrier: Carrier, *, finished: bool, draw: bool = True) -> ExplainedCase:
        self.calls += inquiry.take_count()
        explained = self._record(carrier, finished=finished, draw=draw)
        with self.store.transaction():
            inquiry.keep_accounts()
            record_explanation(self.store, self.case.digest, explained)
        return explained

    def _record(self, carrier: Carrier, *, finished: bool, draw: bool) -> ExplainedCase:
        boxes = self._boxes() if draw else ()
        picture, peak, on = None, None, None
        height, width = self.pixels.shape[:2]
        best = self._best()
        if draw and (carrier == "part" or boxes):
            heat = np.zeros((height, width), np.float32) if best is None else best.heat()
            drawn = _DRAWN.encode(heat_picture(self.pixels, heat, [each.box for each in boxes]))
            picture = self.store.images.write(drawn, _DRAWN.suffix)
            if carrier == "part":
                row, column = np.unravel_index(int(heat.argmax()), heat.shape)
                peak = (int(column), int(row))
                on = self._object_at(peak)
        return ExplainedCase(
            self.word.position,
            self.word.label,
            carrier,
            best is not None and best.alone and carrier == "part",
            width,
            height,
            tuple(CoveredPatch(patch, round(each, 4)) for one in self.searches for patch, each in one.effects.items()),
            picture,
            peak,
            on,
            boxes,
            finished,
            self.calls,
            tuple(self.replies.values()),
        )

    def _boxes(self) -> tuple[SeenBox, ...]:
        """Where a detector itself says that it sees the class, or what was asked about."""
        look = SystemOptions.boxes.of(self.system)
        if look is None:
            return ()
        asked = f" {(self.probe.question or '').lower()} "
        return tuple(
            SeenBox(thing.label, thing.box, thing.score)
            for thing in look(self.pixels)
            if thing.label == self.word.label
            or (self.word.label is None and any(name in asked for name in (thing.label, plural_of(thing.label))))
        )

    def _object_at(self, peak: tuple[int, int]) -> str | None:
        """The class of the smallest object that is known to be at a place of the explained image."""
        x, y = peak
        height, width = self.pixels.shape[:2]
        scene = scene_of(self.store, self.probe.scene, catalog.find)
        studio = SketchStudio(pools_of(self.config, self.store))
        try:
            picture = studio.sketch(scene, edits_from_json(self.probe.edits, catalog.find))
        except BadPicture:
            return None
        if picture.pixels.shape != self.pixels.shape:
            return None
        shapes = [(thing_shape(thing, height, width), thing.label) for thing in picture.things]
        return min(((float(shape.sum()), label) for shape, label in shapes if shape[y, x]), default=(0, None))[1]

    def _file(self) -> str:
        """The image that the system saw, made again where it is not there any more."""
        file = self.probe.file
        if file is not None and self.store.images.is_sound(file):
            return file
        scene = scene_of(self.store, self.probe.scene, catalog.find)
        with closing(renderer_for(self.store, self.config)) as renderer:
            made = renderer.render(scene, [ImageOrder(self.probe.image, self.probe.edits)])[0]
        if made.usable_file is None:
            where = the_probe(self.word.position, len(self.case.probes))
            raise RunError(f"{self.case.digest[:12]}: the image of {where} cannot be made again: {made.problem}")
        return made.usable_file
