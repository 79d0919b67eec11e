"""The system under test as actors of a Ray cluster."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import anamorph
from anamorph.config import AskSettings, Config, RaySettings
from anamorph.config.consequences import environment_of
from anamorph.engine.ray.cluster import Cluster, connect, said_by
from anamorph.engine.ray.freight import Freight, deliver, freight_of
from anamorph.engine.ray.replica import CallResult, SentAsk, SystemFacts, SystemOrder, SystemPart, SystemReplica
from anamorph.errors import Lost, Refused, SystemDown, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Manner, System

# A message costs about 1.5 ms whatever is in it, so systems that take one image at a time get this many in one.
MESSAGE_SIZE = 16
# Calls that may hang in a copy of the system before it is started again, as if it had died.
_MOST_HANGING = 16
_CLOSE_SECONDS = 5.0
_GRACE_SECONDS = 1.0


@dataclass(slots=True, eq=False)
class _Replica:
    """A copy of the system as it is seen from here; `life` counts how often it was started."""

    number: int
    actor: Any
    life: int = 0
    up: bool = False
    busy: int = 0
    hanging: int = 0
    gone: str = ""


class RaySystem:
    """A system whose copies are asked on a cluster; what was under way with a copy that died is Lost."""

    def __init__(self, cluster: Cluster, order: SystemOrder, ray: RaySettings, ask: AskSettings) -> None:
        self._cluster, self._order, self._settings, self._ask = cluster, order, ray, ask
        self._changed = threading.Condition()
        self._closed = False
        calls = math.ceil((ask.parallel or 0) / ray.replicas)
        remote = cluster.ray.remote(SystemReplica).options(
            num_cpus=ray.num_cpus,
            num_gpus=ray.num_gpus,
            max_restarts=ray.max_restarts,
            max_concurrency=max(2 * MESSAGE_SIZE, calls + 1) + _MOST_HANGING,
            scheduling_strategy="SPREAD",
        )
        try:
            # An object may be large, and is kept, because a copy that is started again needs it again.
            self._sent = order if order.given is None else cluster.ray.put(order)
        except (TypeError, AttributeError, OSError) as problem:
            raise UsageError(
                f"The system is an object of this program that cannot be sent to Ray workers ({problem}). Give a "
                "function or a class of a module, or use --set engine=local."
            ) from problem
        self._replicas = [_Replica(number, remote.remote(self._sent)) for number in range(1, ray.replicas + 1)]
        try:
            self._facts = self._started()
        except BaseException:
            self._kill()
            raise
        self.kind = self._facts.kind
        self.fingerprint: Mapping[str, Any] = self._facts.fingerprint
        self.answers_with = self._facts.answers_with
        self.takes_instructions = self._facts.takes_instructions
        self.counts_tokens = self._facts.counts_tokens
        own = self._facts.manner
        # How many calls are under way, and what they may cost, is to be known call by call where that is limited.
        limited = ask.rate_per_second is not None or (ask.budget is not None and ask.price is None)
        self._singly = own.batch == 1 and ask.batch is None and not limited
        self._at_once = own.parallel if ask.parallel is None else math.ceil(ask.parallel / ray.replicas)
        if self._singly and ask.parallel is not None:
            self._at_once = max(1, ask.parallel // ray.replicas)
        self.manner = self._manner(own)

    @classmethod
    def of(cls, config: Config, part: SystemPart = "system", given: object = None) -> System:
        """The system of a run, or an object of a Python program, started on a cluster; the caller closes it."""
        config.require_trust(part)
        names = set(environment_of(config.plain))
        environment = {name: os.environ[name] for name in sorted(names) if name in os.environ}
        cluster = connect(config.settings.engine)
        try:
            needed = {name: config.plain[name] for name in (part, "load") if name in config.plain}
            freight = freight_of(needed) if given is None else Freight()
            deliver(cluster, freight)
            order = SystemOrder(config.plain, part, str(Path.cwd()), environment, given, freight)
            made: Any = cls(cluster, order, config.settings.ray, config.settings.ask)
            return made  # type: ignore[no-any-return]
        except BaseException:
            cluster.close()
            raise

    @property
    def processes(self) -> tuple[int, ...]:
        """The processes of all copies that are up, each on its node."""
        facts = [self._describe(replica, _CLOSE_SECONDS) for replica in self._replicas if replica.up]
        return tuple(each.process for each in facts)

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """Ask one of the copies, in one message; Lost where it died."""
        replica, life = self._take()
        try:
            return self._call(replica, life, batch, timeout_seconds)
        finally:
            with self._changed:
                replica.busy -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Close and end all copies, and leave the cluster."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify_all()
        with contextlib.suppress(Exception):
            closing = [replica.actor.close.remote() for replica in self._replicas if replica.up]
            self._cluster.ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_SECONDS)
        self._kill()
        self._cluster.close()

    def _kill(self) -> None:
        for replica in self._replicas:
            with contextlib.suppress(Exception):
                self._cluster.ray.kill(replica.actor, no_restart=True)

    def _manner(self, own: Manner) -> Manner:
        """A message more than each copy works on, so that it never waits for the next."""
        batch = MESSAGE_SIZE if self._singly else own.batch
        each = math.ceil(own.parallel * own.batch / batch) + 1
        startup = own.startup_seconds + self._settings.start_seconds
        return replace(own, batch=batch, parallel=each * len(self._replicas), startup_seconds=startup)

    # --- calling ----------------------------------------------------------------------------------------------------

    def _call(
        self, replica: _Replica, life: int, batch: Sequence[Ask], timeout_seconds: float
    ) -> Sequence[Answer | Failure]:
        ray, errors = self._cluster.ray, self._cluster.ray.exceptions
        asks, images, parcels = self._packed(batch)
        # A message may wait for the one before it.
        patience = 2 * timeout_seconds * len(batch) + self._facts.manner.startup_seconds + _GRACE_SECONDS
        try:
            sent = replica.actor.ask.remote(asks, timeout_seconds, self._at_once, self._singly, images, *parcels)
            result: CallResult = ray.get(sent, timeout=patience)
        except errors.GetTimeoutError:
            self._hangs(replica, life)
            return [Failure(f"No answer within {timeout_seconds:g} s; the call was given up")] * len(batch)
        except (errors.RayActorError, errors.NodeDiedError, errors.WorkerCrashedError, errors.OutOfMemoryError) as lost:
            self._died(replica, life)
            raise Lost(f"Copy {replica.number} of the system died while it was asked") from lost
        except errors.RayError as problem:
            # Nothing was asked yet: the images were on a node that is gone. They are sent from their files next time.
            self._cluster.images.forget(parcels)
            raise Transient(f"The images of a call were lost on their way ({said_by(problem)})") from problem
        if result.kind == "transient":
            raise Transient(result.problem, result.retry_after_seconds)
        if result.kind == "broken":
            raise SystemDown(result.problem)
        if result.kind == "refused":
            raise Refused(result.problem)
        return result.results

    def _packed(self, batch: Sequence[Ask]) -> tuple[list[SentAsk], dict[str, bytes], list[Any]]:
        """The asks, the images that are only here, and references to the others."""
        images: dict[str, bytes] = {}
        parcels: dict[Any, None] = {}
        asks = []
        for ask in batch:
            name = None if ask.path is None else ask.path.name
            asks.append(SentAsk(ask.id, ask.question, name, ask.attempt))
            if name is None or ask.path is None or name in images:
                continue
            reference = self._cluster.images.find(name)
            if reference is not None:
                parcels[reference] = None
                continue
            try:
                images[name] = ask.path.read_bytes()
            except OSError as problem:
                raise Refused(f"The image {ask.path} cannot be read: {problem}.") from problem
        return asks, images, list(parcels)

    def _take(self) -> tuple[_Replica, int]:
        """The copy that has least to do; SystemDown where all are gone for good."""
        until = time.monotonic() + self._settings.start_seconds
        with self._changed:
            while True:
                if self._closed:
                    raise Refused("The run is being stopped")
                up = [replica for replica in self._replicas if replica.up]
                if up:
                    found = min(up, key=lambda replica: replica.busy)
                    found.busy += 1
                    return found, found.life
                gone = [replica.gone for replica in self._replicas if replica.gone]
                if len(gone) == len(self._replicas):
                    raise SystemDown(f"No copy of the system is left: {gone[-1]}")
                if not self._changed.wait(max(0.0, until - time.monotonic())) and time.monotonic() >= until:
                    raise SystemDown(
                        f"No copy of the system was started again within {self._settings.start_seconds:g} s"
                    )

    # --- copies that start, hang and die ----------------------------------------------------------------------------

    def _started(self) -> SystemFacts:
        """Wait for all copies; they must be one and the same system."""
        first: SystemFacts | None = None
        for replica in self._replicas:
            facts = self._describe(replica, self._settings.start_seconds)
            self._check(facts, first)
            first = first or facts
            replica.up = True
        assert first is not None
        return first

    def _describe(self, replica: _Replica, patience_seconds: float) -> SystemFacts:
        ray, errors = self._cluster.ray, self._cluster.ray.exceptions
        try:
            asked = replica.actor.describe.options(max_task_retries=-1).remote()
            facts: SystemFacts = ray.get(asked, timeout=patience_seconds)
        except errors.GetTimeoutError:
            self._refuse_start(replica, patience_seconds)
        except errors.RayError as problem:
            raise SystemDown(
                f"Copy {replica.number} of the system cannot be started on Ray: {said_by(problem)}"
            ) from problem
        return facts

    def _refuse_start(self, replica: _Replica, patience_seconds: float) -> NoReturn:
        wants = self._settings
        raise SystemDown(
            f"Copy {replica.number} of {wants.replicas} of the system did not start within {patience_seconds:g} s. "
            f"Each needs {wants.num_cpus:g} CPUs and {wants.num_gpus:g} GPUs, and the cluster has "
            f"{self._cluster.resource('CPU'):g} CPUs and {self._cluster.resource('GPU'):g} GPUs in all (ray.replicas, "
            "ray.num_cpus, ray.num_gpus, ray.start_seconds)"
        )

    def _check(self, facts: SystemFacts, first: SystemFacts | None) -> None:
        where = f"On the Ray node {facts.node}"
        if facts.version != anamorph.__version__:
            raise UsageError(
                f"{where}, Anamorph is {facts.version}, and here {anamorph.__version__}. Install the same."
            )
        if facts.problem:
            raise (UsageError if facts.usage_error else SystemDown)(f"{where}: {facts.problem}")
        if first is not None and (facts.kind, facts.fingerprint) != (first.kind, first.fingerprint):
            changed = sorted(
                key
                for key in {*first.fingerprint, *facts.fingerprint}
                if first.fingerprint.get(key) != facts.fingerprint.get(key)
            )
            raise UsageError(f"{where}, the system is another one than elsewhere ({', '.join(changed)}).")

    def _hangs(self, replica: _Replica, life: int) -> None:
        with self._changed:
            replica.hanging += replica.life == life
            stuck = replica.life == life and replica.hanging >= min(self._at_once, _MOST_HANGING)
        if stuck:
            with contextlib.suppress(Exception):
                self._cluster.ray.kill(replica.actor, no_restart=False)
            self._died(replica, life)

    def _died(self, replica: _Replica, life: int) -> None:
        """Ask a copy for nothing until Ray has started it again; several calls may find out at once."""
        with self._changed:
            if replica.life != life or not replica.up:
                return
            replica.up, replica.hanging = False, 0
            replica.life += 1
        threading.Thread(target=self._revive, args=(replica,), name="anamorph-ray", daemon=True).start()

    def _revive(self, replica: _Replica) -> None:
        gone = ""
        try:
            self._check(self._describe(replica, self._settings.start_seconds), self._facts)
        except Exception as problem:  # noqa: BLE001  whatever it is, this copy is not asked any more
            gone = str(problem)
        with self._changed:
            replica.up, replica.gone = not gone, gone
            self._changed.notify_all()
