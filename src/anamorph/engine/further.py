"""Planning in rounds: methods plan on with what was answered, through the same stages, until nothing is new."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Event, PlannedFurther
from anamorph.language.labels import label_space
from anamorph.model import (
    Answer,
    Edit,
    LabelSpace,
    Method,
    Probe,
    Reading,
    ReadingKind,
    Scene,
    Skip,
    canonical_json,
    encode,
)
from anamorph.model.protocols import MethodOptions
from anamorph.model.told import Told
from anamorph.store.plans import PLAN_ROUNDS, PlanWriter, StoredScenes
from anamorph.store.proofs import probes_of_scene
from anamorph.store.run import RunStore

# The fact that keeps why a method refused the system.
REFUSED = "refused"
# More rounds than any method needs; a method that never ends is stopped.
MOST_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class _Told:
    """What the store has of a scene."""

    scene: Scene
    partner: Scene | None
    space: LabelSpace
    arguable: frozenset[str]
    uncounted: frozenset[str]
    answers: Mapping[tuple[str, str | None], Answer | None]
    reads: Callable[[ReadingKind, Answer, str | None], Reading]

    def counted(self, label: str) -> bool:
        return label not in self.uncounted

    def answer(self, edits: tuple[Edit, ...], question: str | None) -> Answer | None:
        return self.answers.get((canonical_json(encode(edits)), question))

    def asked(self, edits: tuple[Edit, ...], question: str | None) -> bool:
        return (canonical_json(encode(edits)), question) in self.answers

    def read(self, kind: ReadingKind, answer: Answer, question: str | None = None) -> Reading:
        return self.reads(kind, answer, question)


def plan_further(store: RunStore, config: Config) -> Iterator[Event]:
    """Plan the next round of every method that plans in rounds; nothing is planned where nothing is new."""
    if store.fact(REFUSED) is not None:
        return
    number = int(store.fact(PLAN_ROUNDS, 0)) + 1
    before = store.count("probes")
    writer = PlanWriter(store, config.settings.ask.repeats)
    for method in config.methods:
        further = MethodOptions.further.of(method)
        if further is None or number > MOST_ROUNDS:
            continue
        told = _all_told(store, config)
        first = [each for _, each in zip(range(MethodOptions.first_scenes.of(method)), told, strict=False)]
        refusal = MethodOptions.refusal.of(method)
        why = None if refusal is None else refusal(first)
        if why is not None:
            with store.transaction():
                store.set_fact(REFUSED, {"method": method.kind, "why": why})
            return
        for each in _all_told(store, config):
            for planned in further(each, first, _rng(config, method, each.scene)):
                if isinstance(planned, Probe):
                    writer.add_probe(planned)
                elif not isinstance(planned, Skip):
                    writer.add(planned)
    writer.flush()
    new = store.count("probes") - before
    if new:
        with store.transaction():
            store.set_fact(PLAN_ROUNDS, number)
        yield PlannedFurther(number, store.count("cases"), new)


def _rng(config: Config, method: Method, scene: Scene) -> Random:
    """The same for a scene in every round, so that what was planned is planned again, and only the new is added."""
    return Random(f"{config.settings.seed}:{method.kind}:{scene.id}")


def _all_told(store: RunStore, config: Config) -> Iterator[Told]:
    """What was said, scene by scene, each with its partner."""
    prove, space = config.settings.prove, label_space(config.settings.labels)
    arguable, uncounted = frozenset(prove.arguable), frozenset(prove.existence_only)
    readers = config.readers()

    def read(kind: ReadingKind, answer: Answer, question: str | None) -> Reading:
        return readers.read(kind, answer, question, None)

    def told(row: int, scene: Scene, partner: Scene | None) -> Told:
        return _Told(scene, partner, space, arguable, uncounted, probes_of_scene(store, row), read)

    # In pairs, so that at most two photos are linked.
    scenes = StoredScenes(store, catalog.find).numbered()
    for row, scene in scenes:
        following = next(scenes, None)
        yield told(row, scene, None if following is None else following[1])
        if following is not None:
            yield told(*following, scene)


def calls_at_most(store: RunStore, config: Config) -> int:
    """How many calls the plan can have once all of its rounds are planned; what is planned where there are none."""
    planned = store.count("probes", "round = 0")
    limits = [MethodOptions.calls_a_scene.of(method) for method in config.methods]
    later = sum(each for each in limits if each is not None) * store.count("scenes")
    return max(planned, later) * config.settings.ask.repeats


def wants_rounds(methods: Sequence[Method]) -> bool:
    """Whether some method plans in rounds."""
    return any(MethodOptions.further.of(method) is not None for method in methods)
