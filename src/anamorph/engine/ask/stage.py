"""The stage that renders images and asks the system: what is under way is bounded, and answers are kept at once."""

from __future__ import annotations

import contextlib
import functools
import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from anamorph import catalog
from anamorph.concurrency.budget import Budget
from anamorph.config import Config
from anamorph.engine.ask.dispatcher import Dispatcher, ProbeAttempt
from anamorph.engine.ask.posing import Posing
from anamorph.engine.ask.worth import ROUND_SIZE, WorthOrder
from anamorph.engine.budget import OUT_OF_BUDGET
from anamorph.engine.events import (
    Advised,
    Answered,
    AskFailed,
    BudgetSpent,
    Event,
    Retrying,
    Stage,
    StageBegan,
    StoppedByRule,
)
from anamorph.engine.further import wants_rounds
from anamorph.engine.lost import note_lost
from anamorph.engine.render.cuttings import made_from_wholes
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageRenderer, ImageResult, event_of, failed, renderer_for
from anamorph.engine.render.workforce import workforce_for
from anamorph.engine.stopping import FACT as STOPPED_BY, StopRules
from anamorph.engine.utilisation import note_utilisation
from anamorph.errors import BadPicture, MachineFailed, SystemDown
from anamorph.model import Ask, Pixels, Scene, System
from anamorph.model.protocols import SystemOptions
from anamorph.store.answers import (
    Asked,
    AttemptResult,
    PendingProbe,
    PlannedProbes,
    record_image,
    scene_of,
)
from anamorph.store.cache import AnswerCache
from anamorph.store.images import ImageFormat
from anamorph.store.plans import PLAN_ROUNDS
from anamorph.store.run import RunStore

GROUP = 512
COMMIT_TOGETHER = 256
# The fact that says how many images may be with the system; where it is still there, the run was killed.
UNDER_WAY = "under_way"
# How often to look for calls that hang, and how long calls under way may take to come in when a run is stopped.
WATCH_SECONDS = 0.5
PATIENCE_SECONDS = 5.0
# Images of a scene that are made within this time are handed over together.
HAND_OVER_SECONDS = 0.05
# Where an image takes this long, a thread that has nothing to do helps with what is left of another one's scene.
SLOW_SECONDS = 0.2
# Answers that arrive this close to each other are committed together. The wait is only a share of the time that a call
# takes, so that calls never run out meanwhile: as many as are under way wait for their turn.
LONGEST_GATHERING_SECONDS = 0.01
SHORTEST_GATHERING_SECONDS = 0.001
GATHERING_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class _Made:
    """The images of some probes are made, or could not be."""

    probes: list[PendingProbe]
    results: list[ImageResult]


@dataclass(slots=True, eq=False)
class _Job:
    """The images to be made of one scene; threads that have nothing else to do may take some of them."""

    scene: Scene
    probes: list[PendingProbe]
    left: deque[ImageOrder]
    # By image, the probes that wait for it.
    wanted: dict[int, list[PendingProbe]]
    seconds_an_image: float = 0.0

    @classmethod
    def of(cls, scene: Scene, probes: list[PendingProbe], missing: Mapping[int, str]) -> _Job:
        wanted: dict[int, list[PendingProbe]] = {image: [] for image in missing}
        for probe in probes:
            if probe.image in wanted:
                wanted[probe.image].append(probe)
        return cls(scene, probes, deque(ImageOrder(image, edits) for image, edits in missing.items()), wanted)

    @property
    def needs_help(self) -> bool:
        """Whether it is worth decoding the photo once more, and seeing it anew, for what is left."""
        return len(self.left) > 1 and self.seconds_an_image >= SLOW_SECONDS

    def made(self, renderer: ImageRenderer, leaving: threading.Event) -> Iterator[ImageResult]:
        """What a renderer makes of the images that are left, until somebody else has taken the last one."""
        taken: set[int] = set()

        def orders() -> Iterator[ImageOrder]:
            while not leaving.is_set():
                try:
                    order = self.left.popleft()
                except IndexError:
                    return
                taken.add(order.image)
                yield order

        while self.left and not leaving.is_set():
            lost: BaseException = BadPicture("The renderer gave nothing for this image.")
            made = renderer.render_each(self.scene, orders())
            while True:
                try:
                    result = next(made, None)
                except BaseException as problem:  # noqa: BLE001  parts of a user's own may raise anything
                    lost = problem
                    if not taken:
                        # Or the same would be tried again for ever.
                        next(orders(), None)
                    break
                if result is None:
                    break
                taken.discard(result.image)
                yield result
            # Without any result, the run would wait for it forever.
            yield from failed((ImageOrder(image, "") for image in sorted(taken)), lost)
            taken.clear()


# What can be asked: probes in their order, or the plan's in the order of worth.
Work: TypeAlias = PlannedProbes | WorthOrder
_Message: TypeAlias = _Made | list[AttemptResult] | Retrying | BaseException


class _Marks:
    """A set of row ids in a bit each, so that a million of them take 125 kB."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, id: int) -> None:
        if id >> 3 >= len(self._bits):
            self._bits.extend(bytes((id >> 3) + 1024 - len(self._bits)))
        self._bits[id >> 3] |= 1 << (id & 7)

    def __contains__(self, id: int) -> bool:
        return id >> 3 < len(self._bits) and bool(self._bits[id >> 3] & 1 << (id & 7))


@dataclass(slots=True, eq=False)
class _WaitingList:
    """What waits for an image, for its turn or for an answer; only the engine's own thread touches it."""

    store: RunStore
    renderer: ImageRenderer
    pool: ThreadPoolExecutor
    cache: AnswerCache | None
    looks: bool
    work: Work
    posing: Posing
    costs: bool = True
    # How crops and collages of images that are there are encoded; None where every image is made from its photo.
    cuts: ImageFormat | None = None
    inbox: queue.SimpleQueue[_Message] = field(default_factory=queue.SimpleQueue)
    ready: deque[ProbeAttempt] = field(default_factory=deque)
    under_way: dict[tuple[int, int], ProbeAttempt] = field(default_factory=dict)
    whole: _Marks = field(default_factory=_Marks)
    awaiting_images: int = 0
    budget: Budget | None = None
    account_kept: Mapping[str, float] | None = None
    gather_seconds: float = 0.0
    # Scenes that wait for a thread, and those that threads make images of.
    unbegun: set[_Job] = field(default_factory=set)
    jobs: dict[_Job, None] = field(default_factory=dict)
    # Calls that were not made because the machine had no memory for their image.
    without_memory: int = 0
    # Set when the run ends: no further image is begun.
    leaving: threading.Event = field(default_factory=threading.Event)

    @property
    def busy(self) -> int:
        """Attempts that were taken in and have no result yet."""
        return self.awaiting_images + len(self.under_way)

    def feed(self, probes: list[PendingProbe]) -> None:
        """Take in probes of one scene; missing images are made first."""
        missing: dict[int, str] = {}
        if self.looks:
            missing = {p.image: p.edits for p in probes if p.file is None or not self._is_whole(p.image, p.file)}
        if missing and self.cuts is not None:
            cut = list(made_from_wholes(self.store, self.cuts, probes[0].scene, missing))
            done = {result.image for result in cut}
            ready = [probe for probe in probes if probe.image in done]
            self.awaiting_images += sum(len(probe.attempts) for probe in ready)
            self.inbox.put(_Made(ready, cut))
            probes = [probe for probe in probes if probe.image not in done]
            missing = {image: edits for image, edits in missing.items() if image not in done}
        if not missing:
            recalled = self.queue(probes, {})
            if recalled:
                self.inbox.put(recalled)
            return
        scene = scene_of(self.store, probes[0].scene, catalog.find)
        self.awaiting_images += sum(len(probe.attempts) for probe in probes)
        job = _Job.of(scene, probes, missing)
        self.unbegun.add(job)
        self.pool.submit(self._make, job).add_done_callback(self._look)

    def _look(self, done: Future[None]) -> None:
        """Have the engine's own thread raise what ended a thread that makes images, or it would wait forever."""
        if not done.cancelled() and (problem := done.exception()) is not None:
            self.inbox.put(problem)

    def _is_whole(self, image: int, file: str) -> bool:
        """Whether an image is what its name says; one that an earlier process made is looked at once."""
        if image not in self.whole and self.store.images.is_sound(file):
            self.whole.add(image)
        return image in self.whole

    def _make(self, job: _Job) -> None:
        """Make the images of a scene, and then help with others, if no further scene waits."""
        self.unbegun.remove(job)
        self.jobs[job] = None
        # Probes whose image is there already need not wait at all.
        self._make_some(job, [probe for probe in job.probes if probe.image not in job.wanted])
        del self.jobs[job]
        self._help()

    def _help(self) -> None:
        while not self.unbegun and not self.leaving.is_set():
            job = next((job for job in list(self.jobs) if job.needs_help), None)
            if job is None:
                return
            self._make_some(job, [])

    def _call_for_help(self) -> None:
        """Have a thread that has nothing to do, if there is one, look for work."""
        with contextlib.suppress(RuntimeError):
            # The pool may have been closed a moment ago.
            self.pool.submit(self._help).add_done_callback(self._look)

    def _make_some(self, job: _Job, ready: list[PendingProbe]) -> None:
        """Make images and hand them over as they come, so that the system need not wait for the last one of a scene."""
        results: list[ImageResult] = []
        began = last = time.monotonic()
        for result in job.made(self.renderer, self.leaving):
            results.append(result)
            ready += job.wanted.pop(result.image)
            now = time.monotonic()
            job.seconds_an_image, began = now - began, now
            if job.needs_help and not self.unbegun:
                self._call_for_help()
            if job.wanted and now - last >= HAND_OVER_SECONDS:
                self.inbox.put(_Made(ready, results))
                ready, results, last = [], [], now
        if ready or results:
            self.inbox.put(_Made(ready, results))

    def queue(self, probes: Iterable[PendingProbe], files: dict[int, str]) -> list[AttemptResult]:
        """Make probes ready to be asked; gives the answers that the cache knew."""
        recalled: list[AttemptResult] = []
        for probe in probes:
            file = files.get(probe.image, probe.file) if self.looks else None
            for attempt in probe.attempts:
                item = ProbeAttempt(probe.id, file, self._ask(probe, file, attempt))
                known = None
                # An answer that could not be read is asked for again, or the cache would repeat it forever.
                if self.cache and file and attempt not in probe.unreadable:
                    known = self.cache.get(file, item.ask.question, attempt)
                if known is not None:
                    recalled.append(AttemptResult(probe.id, attempt, known, "", 0.0, 0, recalled=True))
                else:
                    self.ready.append(item)
                self.under_way[probe.id, attempt] = item
        return recalled

    def _ask(self, probe: PendingProbe, file: str | None, attempt: int) -> Ask:
        question = self.posing.of(probe.question)
        if file is None:
            return Ask(probe.digest, question, None, nothing_to_see, attempt)
        load = functools.partial(self.store.images.pixels, file)
        return Ask(probe.digest, question, self.store.images.path(file).absolute(), load, attempt)

    def take(self, message: _Message) -> tuple[list[AttemptResult], list[Event]]:
        """What a message from another thread means: results to keep, and events to report."""
        if isinstance(message, BaseException):
            raise message
        if isinstance(message, Retrying):
            return [], [message]
        if isinstance(message, list):
            return message, []
        self.awaiting_images -= sum(len(probe.attempts) for probe in message.probes)
        events: list[Event] = []
        files: dict[int, str] = {}
        for result in message.results:
            record_image(self.store, result.image, result.file, result.problem, discarded=result.discarded)
            lost = 0
            if result.usable_file is not None:
                files[result.image] = result.usable_file
                self.whole.add(result.image)
            else:
                lost = sum(len(probe.attempts) for probe in message.probes if probe.image == result.image)
                self.without_memory += 0 if result.fault is None else lost
            events.append(event_of(result, lost))
        failed = {result.image for result in message.results if result.usable_file is None}
        self.work.dropped(probe for probe in message.probes if probe.image in failed)
        return self.queue((probe for probe in message.probes if probe.image not in failed), files), events

    def keep(self, results: list[AttemptResult]) -> list[Event]:
        """Keep results and forget what was under way for them."""
        results = [result for result in results if (result.probe, result.attempt) in self.under_way]
        if not results:
            return []
        if not self.costs:
            self._count_tokens(results)
        self.work.record(results)
        self.gather_seconds = gathering_seconds(min(result.seconds for result in results))
        events: list[Event] = []
        for result in results:
            item = self.under_way.pop((result.probe, result.attempt))
            id, attempt = item.ask.id, result.attempt
            if result.answer is None:
                events.append(AskFailed(id, attempt, result.problem, result.tries))
                continue
            if self.cache and item.image_file and not result.recalled:
                self.cache.put(item.image_file, item.ask.question, attempt, result.answer)
            events.append(Answered(id, attempt, result.seconds, result.tries, result.recalled))
        return events

    def _count_tokens(self, results: list[AttemptResult]) -> None:
        """Count what answers took that were made elsewhere; the same one is given again each time a run goes on."""
        for result in results:
            usage = result.usage if result.answer is None else result.answer.usage
            if usage is not None and self.budget is not None and not self.work.is_known(result):
                self.budget.count(usage)

    def receive(self, wait_seconds: float) -> Iterator[Event]:
        """Wait for a message, take all that are there, and commit them together."""
        if wait_seconds and self.gather_seconds:
            time.sleep(self.gather_seconds)
        try:
            message = self.inbox.get(timeout=wait_seconds) if wait_seconds else self.inbox.get_nowait()
        except queue.Empty:
            with self.store.transaction():
                self.keep_accounts()
            return
        results: list[AttemptResult] = []
        events: list[Event] = []
        with self.store.transaction():
            while True:
                brought, reported = self.take(message)
                results += brought
                events += reported
                if len(results) >= COMMIT_TOGETHER:
                    break
                try:
                    message = self.inbox.get_nowait()
                except queue.Empty:
                    break
            kept = self.keep(results)
            self.keep_accounts()
        yield from itertools.chain(events, kept)

    def keep_accounts(self) -> None:
        """Keep what was sent and spent so far; the caller holds the transaction."""
        if self.budget is None:
            return
        account = self.budget.account()
        if account != self.account_kept:
            self.store.set_fact("spending", account)
            self.account_kept = account


@dataclass(frozen=True, slots=True)
class AskingOrder:
    """What a stage of asking is about: which probes, which rules end it, and what of the run it may spend."""

    stage: Stage
    which: Asked
    rules: StopRules
    by_worth: bool = False
    budget: float | None = None

    @classmethod
    def of_plan(cls, config: Config, rules: StopRules | None = None, kept: float = 0.0) -> AskingOrder:
        """The plan's probes; `kept` of the budget is not spent on them."""
        ask = config.settings.ask
        budget = None if ask.budget is None else ask.budget - kept
        # What is planned in rounds has its order from them.
        by_worth = ask.by_worth and not wants_rounds(config.methods)
        return cls("ask", "planned", rules or StopRules.of(ask), by_worth, budget)

    @classmethod
    def of_proofs(cls, config: Config, which: Asked = "proving") -> AskingOrder:
        """The closed questions that prove suspicions."""
        return cls("prove", which, StopRules(), budget=config.settings.ask.budget)

    def work(self, store: RunStore, config: Config, system: System, at_once: int) -> Work:
        """The probes, in their order; of those that prove, only what a system has whose answers are made elsewhere."""
        later = self.which != "planned" or store.fact(PLAN_ROUNDS) is not None
        has = SystemOptions.offline.of(system) if later else None
        planned = PlannedProbes(store, config.settings.ask.repeats, self.which, has)
        return WorthOrder(planned, config, self.rules, max(ROUND_SIZE, at_once)) if self.by_worth else planned


def ask_stage(store: RunStore, config: Config, system: System, order: AskingOrder | None = None) -> Iterator[Event]:
    """Ask everything that has no answer yet; SystemDown when the system clearly does not work."""
    ask = config.settings.ask
    order = order or AskingOrder.of_plan(config)
    rules = order.rules
    manner = system.manner
    parallel, batch = ask.parallel or manner.parallel, ask.batch or manner.batch
    work = order.work(store, config, system, parallel * batch)
    total = work.count()
    yield StageBegan(order.stage, total)
    if not total:
        _note_stop(store, None)
        if order.which == "planned":
            note_lost(store, order.which, 0)
            _note_budget(store, stopped=False)
        return
    cache = None
    if config.settings.cache.answers is not None and manner.remembers and manner.looks:
        cache = AnswerCache.open(Path(config.settings.cache.answers), system.fingerprint)
    renderer = renderer_for(store, config, looks=manner.looks)
    workforce = workforce_for(store, config, renderer)
    if workforce.advice is not None:
        yield Advised(workforce.advice)
    pool = ThreadPoolExecutor(workforce.threads, thread_name_prefix="anamorph-render")
    posing = Posing.to(system, config)
    waiting = _WaitingList(store, workforce.renderer, pool, cache, manner.looks, work, posing, manner.costs)
    if order.which != "planned" or store.fact(PLAN_ROUNDS) is not None:
        waiting.cuts = config.settings.images
    dispatcher = Dispatcher(
        system,
        replace(ask, budget=order.budget),
        parallel,
        deliver=waiting.inbox.put,
        on_retry=lambda reason, wait: waiting.inbox.put(Retrying(reason, wait)),
        account=store.fact("spending", {}),
    )
    waiting.budget = dispatcher.budget
    if manner.costs:
        _note_under_way(store, dispatcher, total, most_uncommitted(parallel, batch))
    began = time.monotonic()
    try:
        yield from _work_off(waiting, dispatcher, _groups(work.pending()), parallel, batch, rules)
    finally:
        waiting.leaving.set()
        pool.shutdown(wait=True, cancel_futures=True)
        workforce.renderer.close()
        dispatcher.close(PATIENCE_SECONDS, to_the_end=rules.rule is not None)
        # Answers that arrived while we were leaving are kept, too.
        for _ in iter(lambda: list(waiting.receive(0)), []):
            pass
        with store.transaction():
            waiting.keep_accounts()
            if manner.costs:
                _keep_under_way(store, dispatcher.images_under_way)
            note_utilisation(store, time.monotonic() - began, dispatcher.image_seconds / (parallel * batch))
        note_lost(store, order.which, dispatcher.without_memory + waiting.without_memory)
        if cache is not None:
            cache.close()
    if renderer.maker.stock is not None and renderer.maker.stock.stock.problem is not None:
        yield Advised(f"Images are not kept for other runs: {renderer.maker.stock.stock.problem}.")
    if dispatcher.machine_fault is not None:
        raise MachineFailed(f"{dispatcher.machine_fault.rstrip('.')}.")
    if dispatcher.circuit.reason is not None:
        raise SystemDown(dispatcher.circuit.reason)
    missing = work.count()
    stopped = bool(dispatcher.budget.refused and missing)
    # Where what was planned is missing for want of money, it still is when suspicions have been proved.
    _note_budget(store, stopped=stopped or (order.which != "planned" and bool(store.fact(OUT_OF_BUDGET))))
    with store.transaction():
        store.set_fact("system_worked", dispatcher.circuit.worked or bool(store.fact("system_worked", False)))
    rule = rules.rule if missing and not stopped else None
    _note_stop(store, rule)
    if rule is not None:
        yield StoppedByRule(rule, missing)
    if stopped and order.budget == ask.budget:
        yield BudgetSpent(ask.budget or 0.0, dispatcher.budget.spent, dispatcher.budget.sent, missing)


def _work_off(
    waiting: _WaitingList,
    dispatcher: Dispatcher,
    groups: Iterator[list[PendingProbe]],
    parallel: int,
    batch: int,
    rules: StopRules,
) -> Iterator[Event]:
    window = max(64, 4 * parallel * batch)
    exhausted = False
    while not dispatcher.stop.is_set() and not rules.reached():
        while not exhausted and waiting.busy < window:
            group = next(groups, None)
            if group is None:
                exhausted = True
            elif group:
                waiting.feed(group)
            else:
                # What comes next depends on answers that are under way.
                break
        calling = len(waiting.under_way) - len(waiting.ready)
        while waiting.ready:
            size = min(batch, len(waiting.ready))
            if calling + size > most_uncommitted(parallel, batch) or (size < batch and waiting.awaiting_images):
                break
            some = [waiting.ready.popleft() for _ in range(size)]
            dispatcher.put(some)
            calling += len(some)
        if exhausted and not waiting.busy:
            return
        yield from waiting.receive(WATCH_SECONDS)
        dispatcher.abandon_overdue()


def _note_under_way(store: RunStore, dispatcher: Dispatcher, missing: int, most: int) -> None:
    """Count what was with the system when this run was last cut off, since it is asked again."""
    before = min(store.fact(UNDER_WAY, 0), missing)
    with store.transaction():
        if before:
            dispatcher.budget.lose(before)
            store.set_fact("spending", dispatcher.budget.account())
        _keep_under_way(store, most)


def _keep_under_way(store: RunStore, images: int) -> None:
    if images:
        store.set_fact(UNDER_WAY, images)
    else:
        store.forget_fact(UNDER_WAY)


def _note_budget(store: RunStore, *, stopped: bool) -> None:
    if store.fact(OUT_OF_BUDGET) != stopped:
        with store.transaction():
            store.set_fact(OUT_OF_BUDGET, stopped)


def _note_stop(store: RunStore, rule: str | None) -> None:
    if store.fact(STOPPED_BY) != rule:
        with store.transaction():
            store.set_fact(STOPPED_BY, rule)


def _groups(probes: Iterator[PendingProbe] | Iterator[PendingProbe | None]) -> Iterator[list[PendingProbe]]:
    """Neighbouring probes of one scene, so that it is decoded once, but never more than GROUP at a time; an empty group
    where there is nothing to do yet.
    """
    for scene, members in itertools.groupby(probes, key=lambda probe: None if probe is None else probe.scene):
        while group := list(itertools.islice(members, 1 if scene is None else GROUP)):
            yield [probe for probe in group if probe is not None]


def most_uncommitted(parallel: int, batch: int) -> int:
    """How many images may be with the system or answered and not yet committed: what a kill can have asked again.

    As many as are with the system at once may wait for their commit, so that no thread ever waits for the disk.
    """
    return 2 * parallel * batch


def gathering_seconds(call_seconds: float) -> float:
    """How long to wait for further answers when calls take this long; 0 where they come too fast to wait for."""
    seconds = min(LONGEST_GATHERING_SECONDS, GATHERING_SHARE * call_seconds)
    return seconds if seconds >= SHORTEST_GATHERING_SECONDS else 0.0


def nothing_to_see() -> Pixels:
    """What a system gets that looks at an image, although it said that it does not."""
    raise BadPicture("This system said that it does not look at images, so none was made.")
