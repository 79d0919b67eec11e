"""One case again: the system is asked, its answers are judged, and nothing is stored."""

from __future__ import annotations

import functools
from contextlib import closing
from dataclasses import dataclass

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.ask.posing import Posing
from anamorph.engine.judge import JUDGED_AS, Claims, Judge
from anamorph.engine.render.cuttings import made_from_wholes
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import renderer_for
from anamorph.errors import AskError, BadPicture, RunError
from anamorph.model import Answer, Ask, Verdict
from anamorph.store.answers import PendingProbe, answers_of, probes_by_id, scene_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, find_cases, verdict_of


@dataclass(frozen=True, slots=True)
class Replayed:
    """A probe of the case: its picture, the answer that the run has, and what the system says now."""

    probe: PendingProbe
    picture: str
    before: Answer | None
    now: Answer | None
    problem: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A case that was asked again."""

    case: StoredCase
    probes: tuple[Replayed, ...]
    before: Verdict | None
    now: Verdict


def case_named(store: RunStore, prefix: str) -> StoredCase:
    """The case whose digest begins with these digits; RunError if there is none, or more than one."""
    text = prefix.lower()
    if not text or len(text) > 32 or not set(text) <= set("0123456789abcdef"):
        raise RunError(f"{prefix!r}: a case is named by the first digits of its digest, such as 3fa81c0d22b7.")
    found = find_cases(store, text)
    if len(found) != 1:
        count = "no case" if not found else "more than one case"
        raise RunError(f"{prefix}: {count} in {store.folder} has a digest that begins with this.")
    return found[0]


def replay(store: RunStore, config: Config, prefix: str) -> Replay:
    """Ask the system about one case again and judge what it says now."""
    case = case_named(store, prefix)
    stored = answers_of(store, case.probes)
    done: list[Replayed] = []
    with closing(renderer_for(store, config)) as renderer, closing(config.system()) as system:
        for probe in probes_by_id(store, case.probes):
            scene = scene_of(store, probe.scene, catalog.find)
            # Parts and collages are made of the very images that the run asked about.
            cut = made_from_wholes(store, config.settings.images, probe.scene, {probe.image: probe.edits})
            made = next(cut, None) or renderer.render(scene, [ImageOrder(probe.image, probe.edits)])[0]
            file = made.usable_file
            if file is None:
                raise BadPicture(made.problem or "The picture could not be made.")
            path = store.images.path(file).absolute()
            ask = Ask(
                probe.digest,
                Posing.to(system, config).of(probe.question),
                path,
                functools.partial(store.images.pixels, file),
            )
            try:
                result = system.ask([ask], config.settings.ask.timeout_seconds)[0]
            except AskError as failed:
                now, problem = None, str(failed)
            else:
                now, problem = (result, "") if isinstance(result, Answer) else (None, result.message)
            done.append(Replayed(probe, str(path), stored[probe.id].get(0), now, problem))
    judge = Judge(config.readers(), repeats=1)
    answers = [{0: each.now} if each.now is not None else {} for each in done]
    questions = [each.probe.question for each in done]
    relation = Claims(store, (), config.methods, store.fact(JUDGED_AS)).of(case)
    verdict = judge.verdict(relation, answers, questions, [each.problem for each in done])
    return Replay(case, tuple(done), verdict_of(store, case.id), verdict)
