"""The order of worth: what is asked first spreads over everything, and then follows what was found.

Cases are asked in rounds. Half of a round is drawn evenly: the next cases of one random order of all cases, so that at
any moment they are a simple random sample, and rates estimated from them are not biased. The other half is chosen by a
bandit over (method, relation, class): Thompson's sampling (Biometrika 25, 1933) with a reward for violations, larger
for those unlike earlier ones; every fourth pick goes to whatever was asked least, so nothing is ever starved.

A round is decided from the verdicts on all rounds but the last one, which is still under way, and is stored before it
is asked: the order follows from the seed, the plan and the answers, never from timing, and is the same after a kill.
"""

from __future__ import annotations

import functools
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from anamorph.config import Config
from anamorph.engine.judge import Claims, Judge, judge_cases, relation_from_json
from anamorph.engine.stopping import StopRules
from anamorph.errors import AnamorphError
from anamorph.model import Verdict, digest_of_text
from anamorph.model.protocols import RelationOptions
from anamorph.statistics.intervals import Interval, clustered
from anamorph.store.answers import AttemptResult, PendingProbe, PlannedProbes, pending_among
from anamorph.store.orders import AskedRound, record_round, stored_rounds
from anamorph.store.plans import scene_classes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import PHOTO_GROUPS, StoredCase, cases_by_id
from anamorph.store.worth import ShuffledCase, WorthTables

# The fewest cases in a round, half of which are drawn evenly; more, where more are with the system at once.
ROUND_SIZE = 32
# Of the chosen cases, one in this many goes to the arm that was asked least.
FORCED = 4
# How many cases of an arm are looked at to find one of a scene that was asked about least.
CANDIDATES = 4
# A violation like an earlier one is worth this much, and the first of its kind 1.
AGAIN = 0.3
# An arm's chance falls by this factor for each of its cases in the same round.
FADING = 0.6


@dataclass(slots=True)
class _Arm:
    """A method, a relation and a class, and what its cases brought so far; `size` cases are not taken yet."""

    size: int = 0
    asked: int = 0
    judged: int = 0
    reward: float = 0.0
    # Every case before this place is taken.
    place: int = 0

    def draw(self, rng: Random) -> float:
        """A chance that its next case finds something, drawn from what is known about it."""
        return rng.betavariate(0.5 + self.reward, 1.0 + self.judged - self.reward)


@dataclass(slots=True, eq=False)
class WorthOrder:
    """What is still to be asked of a plan, for the stage that asks, in the order of worth."""

    planned: PlannedProbes
    config: Config
    rules: StopRules
    round_size: int = ROUND_SIZE
    _arms: list[_Arm] = field(default_factory=list)
    _place: int = 0
    _rounds: deque[AskedRound] = field(default_factory=deque)
    _decided: int = 0
    _scenes: Counter[int] = field(default_factory=Counter)
    _kinds: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _photos: dict[int, tuple[int, int]] = field(default_factory=dict)
    # Attempts that were handed out and have no result yet, by probe: the number of the round, and how many.
    _open: dict[int, list[int]] = field(default_factory=dict)
    _open_in_round: Counter[int] = field(default_factory=Counter)
    _judge: Judge | None = None
    _claims: Claims | None = None
    _tables: WorthTables | None = None

    @property
    def tables(self) -> WorthTables:
        """The cases in their random order, once they were surveyed."""
        assert self._tables is not None
        return self._tables

    @property
    def store(self) -> RunStore:
        return self.planned.store

    def count(self) -> int:
        """How many answers are missing."""
        return self.planned.count()

    def is_known(self, result: AttemptResult) -> bool:
        """Whether this attempt had such a result before."""
        return self.planned.is_known(result)

    def record(self, results: Iterable[AttemptResult]) -> None:
        """Keep what came back; the caller holds the transaction."""
        results = list(results)
        self.planned.record(results)
        for result in results:
            self._close(result.probe, 1)

    def dropped(self, probes: Iterable[PendingProbe]) -> None:
        """Note that probes are not asked, because they have no image."""
        for probe in probes:
            self._close(probe.id, len(probe.attempts))

    def pending(self) -> Iterator[PendingProbe | None]:
        """Every probe that lacks an answer; None where the next round waits for answers that are under way."""
        self._judge = Judge(self.config.readers(), self.planned.repeats)
        self._claims = Claims(self.store, self.config.unloaded)
        self._survey()
        for decided in stored_rounds(self.store):
            self._take(decided)
            yield from self._hand_out(decided)
        while True:
            while any(number < self._decided and count for number, count in self._open_in_round.items()):
                yield None
            self._learn()
            if self.rules.reached(self.interval):
                return
            decided = self._decide()
            if not decided.cases:
                return
            with self.store.transaction():
                record_round(self.store, self._decided + 1, decided)
            self._take(decided)
            yield from self._hand_out(decided)

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the rate of violations, from the evenly drawn cases that are judged."""
        return clustered(self._photos.values())

    def _survey(self) -> None:
        """Put all cases into their random order and into arms."""
        start = bytes.fromhex(digest_of_text(f"{self.config.settings.seed}:worth"))
        arms: dict[tuple[str, str, str], int] = {}
        in_question = _class_finder(self.store)

        def arm_of(case: ShuffledCase) -> int:
            about = _class_of_claim(case.claim) or (in_question(case.question) if case.question else case.first_class)
            arm = arms.setdefault((case.method, case.relation, about or ""), len(arms))
            if arm == len(self._arms):
                self._arms.append(_Arm())
            self._arms[arm].size += 1
            return arm

        self._tables = WorthTables(self.store, start, arm_of)

    def _take(self, decided: AskedRound) -> None:
        """Note that a round is asked."""
        self._decided += 1
        self._rounds.append(decided)
        for case in decided.cases:
            if self.tables.take(case):
                where = self.tables.place_of(case)
                self._arms[where.arm].size -= 1
                self._arms[where.arm].asked += 1
                self._scenes[where.scene] += 1
        if decided.even:
            self._place = max(self._place, self.tables.place_of(decided.even[-1]).place)

    def _hand_out(self, decided: AskedRound) -> Iterator[PendingProbe]:
        """The probes of a round that lack an answer, those of a scene together."""
        wanted = dict.fromkeys(
            probe for case in cases_by_id(self.store, decided.cases) for probe in case.probes if probe not in self._open
        )
        found = list(pending_among(self.store, self.planned.repeats, list(wanted)))
        number = self._decided
        for probe in found:
            self._open[probe.id] = [number, len(probe.attempts)]
            self._open_in_round[number] += len(probe.attempts)
        yield from sorted(found, key=lambda probe: (probe.scene, probe.id))

    def _close(self, probe: int, attempts: int) -> None:
        entry = self._open.get(probe)
        if entry is None:
            return
        self._open_in_round[entry[0]] -= attempts
        if not self._open_in_round[entry[0]]:
            del self._open_in_round[entry[0]]
        entry[1] -= attempts
        if entry[1] <= 0:
            del self._open[probe]

    def _learn(self) -> None:
        """Judge every round but the last, which may be under way."""
        assert self._judge is not None
        assert self._claims is not None
        while len(self._rounds) > 1:
            decided = self._rounds.popleft()
            even = set(decided.even)
            cases = cases_by_id(self.store, decided.cases)
            for case, verdict in judge_cases(self.store, self._judge, cases, self._claims):
                _, arm, scene = self.tables.place_of(case.id)
                if case.id in even and verdict.outcome != "undecided":
                    count, violated = self._photos.get(scene % PHOTO_GROUPS, (0, 0))
                    self._photos[scene % PHOTO_GROUPS] = (count + 1, violated + (verdict.outcome == "violated"))
                self._arms[arm].judged += 1
                self._arms[arm].reward += self._worth(case, verdict)

    def _worth(self, case: StoredCase, verdict: Verdict) -> float:
        if verdict.outcome != "violated":
            return 0.0
        kinds = {(case.relation, str(verdict.grade), conflict.label) for conflict in verdict.conflicts}
        kinds = kinds or {(case.relation, str(verdict.grade), "")}
        seen = min(self._kinds[kind] for kind in kinds)
        self._kinds.update(kinds)
        return AGAIN + (1 - AGAIN) / (1 + seen)

    def _decide(self) -> AskedRound:
        rng = Random(f"{self.config.settings.seed}:worth:{self._decided}")
        even = self.tables.after(self._place, self.round_size // 2)
        # What is drawn evenly need not be chosen as well.
        scenes, taken = Counter[int](), set(even)
        chances = [arm.draw(rng) if arm.size > 0 else -1.0 for arm in self._arms]
        picks = [arm.asked for arm in self._arms]
        chosen: list[int] = []
        for turn in range(self.round_size - len(even)):
            fewest = min((count for arm, count in enumerate(picks) if chances[arm] >= 0), default=None)
            if fewest is None:
                break
            # Until every arm was tried once, the least asked one is next; later, every fourth time.
            if fewest == 0 or turn % FORCED == 0:
                arm = rng.choice([arm for arm, count in enumerate(picks) if count == fewest and chances[arm] >= 0])
            else:
                arm = max(range(len(chances)), key=chances.__getitem__)
            case = self._next_of(arm, taken, scenes)
            if case is None:
                chances[arm] = -1.0
                continue
            chosen.append(case)
            taken.add(case)
            picks[arm] += 1
            chances[arm] *= FADING
        return AskedRound(tuple(even), tuple(chosen))

    def _next_of(self, arm: int, taken: set[int], scenes: Counter[int]) -> int | None:
        """A case of an arm, of a scene that was asked about least among the next ones."""
        free: list[tuple[int, int, int]] = []
        for number, (place, case, scene) in enumerate(self.tables.free(arm, self._arms[arm].place)):
            if number == 0:
                self._arms[arm].place = place
            if case not in taken:
                free.append((self._scenes[scene] + scenes[scene], case, scene))
            if len(free) == CANDIDATES:
                break
        if not free:
            return None
        _, case, scene = min(free, key=lambda each: each[0])
        scenes[scene] += 1
        return int(case)


@functools.lru_cache(maxsize=4096)
def _class_of_claim(claim: str) -> str | None:
    """The first class that a relation names."""
    try:
        relation = relation_from_json(claim)
    except (AnamorphError, ValueError, LookupError, TypeError):
        return None
    for name in RelationOptions.class_settings.of(relation):
        value = getattr(relation, name, None)
        while isinstance(value, tuple) and value:
            value = value[0]
        if isinstance(value, str):
            return value
    return None


def _class_finder(store: RunStore) -> functools._lru_cache_wrapper[str | None]:
    """What finds the first class of the run's scenes in a question."""
    labels = sorted(map(str, scene_classes(store)), key=lambda label: (-len(label), label))
    pattern = re.compile("|".join(map(re.escape, labels)), re.IGNORECASE) if labels else None

    @functools.lru_cache(maxsize=4096)
    def found(question: str) -> str | None:
        match = None if pattern is None else pattern.search(question)
        return None if match is None else match[0].lower()

    return found
