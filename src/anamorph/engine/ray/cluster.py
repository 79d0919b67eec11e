"""The connection to a Ray cluster; the only file that imports Ray."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import signal
import socket
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from anamorph.errors import MissingExtra, UsageError

# Raylets of a slow machine need longer than Ray's 30 s to start their agents; Anamorph contacts nobody unasked; and
# Ray's messages about workers that died would stand in the middle of JSON on the standard output.
_RAY_ENVIRONMENT = {
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
_CONNECT_SECONDS = 10.0
# A cluster forks a server for each client from a process full of gRPC's threads, and some die of a segmentation fault
# there (Ray 2.60 with grpcio 1.85: 2 of 25). Nothing was asked of it yet, so another try is safe.
_CLIENT_TRIES = 4
_SERVER_DIED = re.compile(
    "Starting Ray client server failed|Proxy failed to Connect to backend|ZombieProcess|NoSuchProcess"
)
_LONGEST_MESSAGE = 300
# Of the memory that a cluster has for objects, images that wait to be asked about take at most this share.
_SHARE_OF_OBJECT_STORE = 0.1


class ShippedImages:
    """Where in the cluster images are that were made there; references to the oldest are dropped, and a dropped image
    is simply sent again from its file.
    """

    def __init__(self, most_bytes: float) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._references: dict[str, Any] = {}
        self._parcels: OrderedDict[Any, tuple[tuple[str, ...], int]] = OrderedDict()
        self._bytes = 0

    def add(self, reference: Any, names: tuple[str, ...], size: int) -> None:
        """Remember the object that holds these images."""
        with self._lock:
            self._references.update(dict.fromkeys(names, reference))
            self._parcels[reference] = (names, size)
            self._bytes += size
            while self._bytes > self._most_bytes and len(self._parcels) > 1:
                self._drop(next(iter(self._parcels)))

    def find(self, name: str) -> Any | None:
        """The reference to the object that holds an image."""
        with self._lock:
            return self._references.get(name)

    def forget(self, references: list[Any]) -> None:
        """Drop references that lead nowhere any more."""
        with self._lock:
            for reference in references:
                self._drop(reference)

    def clear(self) -> None:
        with self._lock:
            self._references.clear()
            self._parcels.clear()
            self._bytes = 0

    def _drop(self, reference: Any) -> None:
        names, size = self._parcels.pop(reference, ((), 0))
        self._bytes -= size
        for name in names:
            if self._references.get(name) == reference:
                del self._references[name]


@dataclass(slots=True, eq=False)
class Cluster:
    """A connection that everything on Ray in this process shares; the last one to leave it closes it."""

    ray: Any
    engine: str
    images: ShippedImages
    # Whether this process had a connection of its own before, which is left open.
    borrowed: bool
    _users: int = field(default=0, init=False)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def resource(self, name: str) -> float:
        """How much of a resource all nodes have together."""
        return float(self.ray.cluster_resources().get(name, 0.0))

    def nodes(self) -> list[str]:
        """The nodes that are up and have a CPU, by their ids."""
        return [
            str(node["NodeID"])
            for node in self.ray.nodes()
            if node.get("Alive") and node.get("Resources", {}).get("CPU", 0) > 0
        ]

    def unless_gone(self, under_way: Any) -> Any:
        """What a task on one node gives; None where the node died, which may be noticed only now."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(under_way)
        except errors.RayTaskError:
            raise
        except errors.RayError:
            return None

    def only_on(self, node: str) -> Any:
        """How a task is to be scheduled that may run on this node alone."""
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        return strategies.NodeAffinitySchedulingStrategy(node, soft=False)

    def close(self) -> None:
        """Leave the cluster."""
        global _current
        with _lock:
            self._users -= 1
            if self._users > 0 or _current is not self:
                return
            _current = None
            self.images.clear()
            if not self.borrowed:
                self.ray.shutdown()


_lock = threading.Lock()
_current: Cluster | None = None


def connect(engine: str) -> Cluster:
    """The connection to the cluster that `engine` names, made if there is none; its user closes it."""
    global _current
    with _lock:
        if _current is not None and _current.engine != engine:
            raise UsageError(f"This process is connected to {_current.engine}, and cannot use {engine} as well.")
        if _current is None:
            ray = _library(engine)
            borrowed = bool(ray.is_initialized())
            if not borrowed:
                with _own_signals():
                    _init(ray, engine)
            memory = float(ray.cluster_resources().get("object_store_memory", 0.0))
            _current = Cluster(ray, engine, ShippedImages(_SHARE_OF_OBJECT_STORE * memory), borrowed)
        _current._users += 1
        return _current


def _library(engine: str) -> Any:
    # Ray reads its environment when it is imported.
    for name, value in _RAY_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    spec = importlib.util.find_spec("ray")
    # A folder of this name, such as Ray's own /tmp/ray, has a specification without a file.
    if spec is None or spec.origin is None:
        raise MissingExtra(f"The engine {engine!r}", "ray")
    import ray

    return ray


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep what SIGTERM does here: Ray would have it end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _init(ray: Any, engine: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    address = engine if engine.startswith("ray://") else os.environ.get("RAY_ADDRESS")
    try:
        if address:
            _knock(address, engine)
            _init_at(ray, address, quiet)
            return
        with contextlib.suppress(ConnectionError):
            ray.init(address="auto", **quiet)
            return
        # A Ray of our own, which nobody outside this machine can reach.
        ray.init(address="local", include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
    except (ConnectionError, RuntimeError, ValueError, ImportError, OSError) as problem:
        raise UsageError(f"--engine {engine}: no connection to Ray{_at(address)} ({said_by(problem)}).") from problem


def _init_at(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    for tries_left in reversed(range(_CLIENT_TRIES)):
        try:
            ray.init(address=address, **quiet)
            return
        except (ConnectionError, RuntimeError) as problem:
            if not tries_left or not _SERVER_DIED.search(str(problem)):
                raise
            ray.shutdown()


def said_by(problem: BaseException) -> str:
    """What Ray says about a problem, in one line: the end of a long one, where the cause stands after its trace."""
    said = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(problem)).split())
    return said if len(said) <= _LONGEST_MESSAGE else f"...{said[-_LONGEST_MESSAGE:]}"


def _knock(address: str, engine: str) -> None:
    """UsageError, at once and in plain words, where nobody listens: Ray itself tries for a minute or more."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as problem:
        raise UsageError(
            f"--engine {engine}: no Ray cluster answers{_at(address)} ({problem}). Start one with `ray start --head` "
            "(its clients use port 10001), check the address, or use --engine local."
        ) from problem


def _at(address: str | None) -> str:
    return f" at {address}" if address else ""
