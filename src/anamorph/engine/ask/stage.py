"""The stage that renders images and asks the system: what is under way is bounded, and every answer is kept at once."""

from __future__ import annotations

import functools
import itertools
import queue
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.ask.dispatcher import CallDesk, Item
from anamorph.engine.budget import Purse
from anamorph.engine.events import (
    Answered,
    AskFailed,
    BudgetSpent,
    Event,
    Retrying,
    StageBegan,
)
from anamorph.engine.render.renderer import ImageOrder, ImageResult, Renderer, event_of, renderer_for
from anamorph.errors import BadPicture, SystemDown
from anamorph.model import Ask, Pixels, Scene, System
from anamorph.store.answers import (
    Outcome,
    PendingProbe,
    count_pending,
    pending_probes,
    record_image,
    record_outcomes,
    scene_of,
)
from anamorph.store.cache import AnswerCache
from anamorph.store.run import RunStore

GROUP = 512
COMMIT_TOGETHER = 256
# How often to look for calls that hang, and how long calls under way may take to come in when a run is stopped.
WATCH_SECONDS = 0.5
PATIENCE_SECONDS = 5.0
# Answers that come within so long of each other are committed together, but never so long that calls would run out:
# as many as are under way wait their turn, so a part of the time of one call is always there.
LONGEST_GATHERING_SECONDS = 0.01
SHORTEST_GATHERING_SECONDS = 0.001
GATHERING_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class _Made:
    """The images of some probes are made, or could not be."""

    probes: list[PendingProbe]
    results: list[ImageResult]


_Message: TypeAlias = _Made | list[Outcome] | Retrying


@dataclass(slots=True, eq=False)
class _Floor:
    """Everything that is under way between the store and the system; only the engine's own thread touches it."""

    store: RunStore
    renderer: Renderer
    cache: AnswerCache | None
    looks: bool
    inbox: queue.SimpleQueue[_Message] = field(default_factory=queue.SimpleQueue)
    ready: deque[Item] = field(default_factory=deque)
    under_way: dict[tuple[int, int], Item] = field(default_factory=dict)
    awaiting_images: int = 0
    purse: Purse | None = None
    sent_kept: int = 0
    gather_seconds: float = 0.0

    @property
    def busy(self) -> int:
        """Attempts that are fed and have no outcome yet."""
        return self.awaiting_images + len(self.under_way)

    def feed(self, probes: list[PendingProbe], pool: ThreadPoolExecutor) -> None:
        """Take in probes of one scene; images that are lacking are made first."""
        if not self.looks:
            self.queue(probes, {})
            return
        lacking = {p.image: p.edits for p in probes if p.file is None or not self.store.images.path(p.file).exists()}
        if not lacking:
            self.queue(probes, {})
            return
        scene = scene_of(self.store, probes[0].scene, catalog.find)
        orders = [ImageOrder(image, edits) for image, edits in lacking.items()]
        self.awaiting_images += sum(len(probe.attempts) for probe in probes)
        pool.submit(self._make, scene, orders, probes)

    def _make(self, scene: Scene, orders: list[ImageOrder], probes: list[PendingProbe]) -> None:
        self.inbox.put(_Made(probes, self.renderer.render(scene, orders)))

    def queue(self, probes: Iterable[PendingProbe], files: dict[int, str]) -> list[Outcome]:
        """Make probes ready to be asked; the outcomes are those that the cache knew."""
        recalled: list[Outcome] = []
        for probe in probes:
            file = files.get(probe.image, probe.file) if self.looks else None
            for attempt in probe.attempts:
                item = Item(probe.id, file, self._ask(probe, file, attempt))
                known = None
                # An answer that could not be read is asked for anew, or the cache would repeat it for ever.
                if self.cache and file and attempt not in probe.unreadable:
                    known = self.cache.get(file, probe.question, attempt)
                if known is not None:
                    recalled.append(Outcome(probe.id, attempt, known, "", 0.0, 0, recalled=True))
                else:
                    self.ready.append(item)
                self.under_way[probe.id, attempt] = item
        return recalled

    def _ask(self, probe: PendingProbe, file: str | None, attempt: int) -> Ask:
        if file is None:
            return Ask(probe.digest, probe.question, None, _nothing_to_see, attempt)
        load = functools.partial(self.store.images.pixels, file)
        return Ask(probe.digest, probe.question, self.store.images.path(file).absolute(), load, attempt)

    def take(self, message: _Message) -> tuple[list[Outcome], list[Event]]:
        """What a message from another thread brings: outcomes to keep, and events to tell."""
        if isinstance(message, Retrying):
            return [], [message]
        if isinstance(message, list):
            return message, []
        self.awaiting_images -= sum(len(probe.attempts) for probe in message.probes)
        events: list[Event] = []
        files: dict[int, str] = {}
        for result in message.results:
            record_image(self.store, result.image, result.file, result.problem, discarded=result.discarded)
            if result.file is not None:
                files[result.image] = result.file
            lost = sum(len(probe.attempts) for probe in message.probes if probe.image == result.image)
            events.append(event_of(result, lost))
        failed = {result.image for result in message.results if result.file is None}
        return self.queue((probe for probe in message.probes if probe.image not in failed), files), events

    def keep(self, outcomes: list[Outcome]) -> list[Event]:
        """Keep outcomes and forget what was under way for them."""
        outcomes = [outcome for outcome in outcomes if (outcome.probe, outcome.attempt) in self.under_way]
        if not outcomes:
            return []
        record_outcomes(self.store, outcomes)
        self.gather_seconds = gathering_seconds(min(outcome.seconds for outcome in outcomes))
        events: list[Event] = []
        for outcome in outcomes:
            item = self.under_way.pop((outcome.probe, outcome.attempt))
            id, attempt = item.ask.id, outcome.attempt
            if outcome.answer is None:
                events.append(AskFailed(id, attempt, outcome.problem, outcome.tries))
                continue
            if self.cache and item.image_file and not outcome.recalled:
                self.cache.put(item.image_file, item.ask.question, attempt, outcome.answer)
            events.append(Answered(id, attempt, outcome.seconds, outcome.tries, outcome.recalled))
        return events

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
        outcomes: list[Outcome] = []
        events: list[Event] = []
        with self.store.transaction():
            while True:
                brought, told = self.take(message)
                outcomes += brought
                events += told
                if len(outcomes) >= COMMIT_TOGETHER:
                    break
                try:
                    message = self.inbox.get_nowait()
                except queue.Empty:
                    break
            kept = self.keep(outcomes)
            self.keep_accounts()
        yield from itertools.chain(events, kept)

    def keep_accounts(self) -> None:
        """Keep what was sent and spent so far; the caller holds the transaction."""
        if self.purse is not None and self.purse.sent != self.sent_kept:
            told = self.purse.told()
            self.store.set_fact("spending", told)
            self.sent_kept = int(told["images_sent"])


def ask_stage(store: RunStore, config: Config, system: System) -> Iterator[Event]:
    """Ask everything that has no answer yet; raises SystemDown when the system plainly does not work."""
    ask = config.settings.ask
    total = count_pending(store, ask.repeats)
    yield StageBegan("ask", total)
    if not total:
        return
    manner = system.manner
    parallel, batch = ask.parallel or manner.parallel, ask.batch or manner.batch
    cache = None
    if config.settings.cache is not None and manner.remembers and manner.looks:
        cache = AnswerCache.open(Path(config.settings.cache), system.fingerprint)
    renderer = renderer_for(store, config, looks=manner.looks)
    floor = _Floor(store, renderer, cache, manner.looks)
    before = store.fact("spending", {})
    desk = CallDesk(
        system,
        ask,
        parallel,
        deliver=floor.inbox.put,
        on_retry=lambda reason, wait: floor.inbox.put(Retrying(reason, wait)),
        sent_before=before.get("images_sent", 0),
        spent_before=before.get("spent", 0.0),
    )
    floor.purse = desk.purse
    pool = ThreadPoolExecutor(ask.render_threads, thread_name_prefix="anamorph-render")
    try:
        yield from _work_off(floor, desk, pool, _groups(pending_probes(store, ask.repeats)), parallel, batch)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        renderer.close()
        desk.close(PATIENCE_SECONDS)
        # Answers that came in while we were leaving are kept, too.
        for _ in iter(lambda: list(floor.receive(0)), []):
            pass
        with store.transaction():
            floor.keep_accounts()
        if cache is not None:
            cache.close()
    if desk.circuit.reason is not None:
        raise SystemDown(desk.circuit.reason)
    lacking = count_pending(store, ask.repeats)
    if desk.purse.refused and lacking:
        yield BudgetSpent(ask.budget or 0.0, desk.purse.spent, desk.purse.sent, lacking)


def _work_off(
    floor: _Floor,
    desk: CallDesk,
    pool: ThreadPoolExecutor,
    groups: Iterator[list[PendingProbe]],
    parallel: int,
    batch: int,
) -> Iterator[Event]:
    window = max(64, 4 * parallel * batch)
    exhausted = False
    while not desk.stop.is_set():
        while not exhausted and floor.busy < window:
            group = next(groups, None)
            if group is None:
                exhausted = True
            else:
                floor.feed(group, pool)
        calling = len(floor.under_way) - len(floor.ready)
        while floor.ready and calling < 2 * parallel * batch:
            if len(floor.ready) < batch and floor.awaiting_images:
                break
            some = [floor.ready.popleft() for _ in range(min(batch, len(floor.ready)))]
            desk.put(some)
            calling += len(some)
        if exhausted and not floor.busy:
            return
        yield from floor.receive(WATCH_SECONDS)
        desk.abandon_overdue()


def _groups(probes: Iterator[PendingProbe]) -> Iterator[list[PendingProbe]]:
    """Neighbouring probes of one scene, so that it is decoded once, but never too many at a time."""
    for _, members in itertools.groupby(probes, key=lambda probe: probe.scene):
        while group := list(itertools.islice(members, GROUP)):
            yield group


def gathering_seconds(call_seconds: float) -> float:
    """How long to wait for further answers when calls take so long; 0 where they come too fast to wait for."""
    seconds = min(LONGEST_GATHERING_SECONDS, GATHERING_SHARE * call_seconds)
    return seconds if seconds >= SHORTEST_GATHERING_SECONDS else 0.0


def _nothing_to_see() -> Pixels:
    raise BadPicture("This system said that it does not look at images, so none was made.")
