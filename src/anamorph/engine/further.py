"""Planning in rounds: methods plan on with what was answered, through the same stages, until nothing is new."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Event, PlannedFurther
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
from anamorph.reading.labels import label_space
from anamorph.store.plans import PLAN_ROUNDS, PlanWriter, StoredScenes
from anamorph.store.proofs import probes_of_scene
from anamorph.store.run import RunStore

# The fact that keeps why a method refused the system.
REFUSED = "refused"
# More rounds than any method needs; a method that never ends is stopped.
MOST_ROUNDS = 12
# How many photos are asked about in all their rounds before the next ones, with a limit on what is spent and without.
# Even numbers, because photos come in pairs.
FEW_PHOTOS, MANY_PHOTOS = 20, 200


@dataclass(frozen=True, slots=True)
class _Told:
    """The stored answers about a scene."""

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


class Further:
    """Plans on with what was answered: some photos in all their rounds, then the next ones.

    So that a budget or a time leaves few photos half asked. Where answers are made elsewhere, all photos go together.
    """

    def __init__(self, store: RunStore, config: Config, *, together: bool) -> None:
        self._store, self._config = store, config
        ask = config.settings.ask
        limited = ask.budget is not None or ask.time is not None
        self._block = max(2, store.count("scenes")) if together else FEW_PHOTOS if limited else MANY_PHOTOS
        self._after = self._round = 0

    def next_round(self) -> Iterator[Event]:
        """Plan the next round of every method that plans in rounds; nothing is planned where nothing is new."""
        store = self._store
        if store.fact(REFUSED) is not None:
            return
        before = store.count("probes")
        while True:
            last = self._plan_block()
            new = store.count("probes") - before
            self._round += 1
            if new and self._round <= MOST_ROUNDS:
                break
            if last is None:
                return
            self._after, self._round = last, 0
        with store.transaction():
            number = int(store.fact(PLAN_ROUNDS, 0)) + 1
            store.set_fact(PLAN_ROUNDS, number)
        yield PlannedFurther(number, store.count("cases"), new)

    def _plan_block(self) -> int | None:
        """Plan a round of these photos; gives the row of the last of them, None if there are none."""
        store, config = self._store, self._config
        last: int | None = None
        writer = PlanWriter(store, config.settings.ask.repeats)
        for method in config.methods:
            further = MethodOptions.further.of(method)
            if further is None:
                continue
            most = MethodOptions.first_scenes.of(method)
            first = [each for _, each in itertools.islice(_all_told(store, config), most)]
            refusal = MethodOptions.refusal.of(method)
            why = None if refusal is None else refusal(first)
            if why is not None:
                with store.transaction():
                    store.set_fact(REFUSED, {"method": method.kind, "why": why})
                return None
            for row, each in itertools.islice(_all_told(store, config, self._after), self._block):
                last = row
                for planned in further(each, first, _rng(config, method, each.scene)):
                    if isinstance(planned, Probe):
                        writer.add_probe(planned)
                    elif not isinstance(planned, Skip):
                        writer.add(planned)
        writer.flush()
        return last


def _rng(config: Config, method: Method, scene: Scene) -> Random:
    """The same for a scene in every round, so that what was planned is planned again, and only the new is added."""
    return Random(f"{config.settings.seed}:{method.kind}:{scene.id}")


def _all_told(store: RunStore, config: Config, after: int = 0) -> Iterator[tuple[int, Told]]:
    """The answers, scene by scene, each with its row and its partner, after a row."""
    prove, space = config.settings.prove, label_space(config.settings.labels)
    arguable, uncounted = frozenset(prove.arguable), frozenset(prove.existence_only)
    readers = config.readers()

    def read(kind: ReadingKind, answer: Answer, question: str | None) -> Reading:
        return readers.read(kind, answer, question, None)

    def told(row: int, scene: Scene, partner: Scene | None) -> Told:
        return _Told(scene, partner, space, arguable, uncounted, probes_of_scene(store, row), read)

    # In pairs, so that at most two photos are linked.
    scenes = StoredScenes(store, catalog.find).numbered(after)
    for row, scene in scenes:
        following = next(scenes, None)
        yield row, told(row, scene, None if following is None else following[1])
        if following is not None:
            yield following[0], told(*following, scene)


def calls_at_most(store: RunStore, config: Config) -> int:
    """How many calls the plan can have once all of its rounds are planned; what is planned where there are none."""
    planned = store.count("probes", "round = 0")
    limits = [MethodOptions.calls_a_scene.of(method) for method in config.methods]
    later = sum(each for each in limits if each is not None) * store.count("scenes")
    return max(planned, later) * config.settings.ask.repeats


def wants_rounds(methods: Sequence[Method]) -> bool:
    """Whether some method plans in rounds."""
    return any(MethodOptions.further.of(method) is not None for method in methods)
