"""The connection to a Ray cluster; the only file that imports Ray."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import secrets
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from anamorph.engine.ray.reaper import descendants, reap_with
from anamorph.errors import MissingExtra, UsageError

# Raylets of a slow machine need longer than Ray's 30 s to start their agents; Anamorph contacts nobody unasked; and
# Ray's messages about workers that died would stand in the middle of JSON on the standard output.
_RAY_ENVIRONMENT = {
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
# A Ray of our own: by this switch it takes 127.0.0.1 as it is said, which it else replaces by an address that others
# can reach (Ray 2.60), and whoever else is on this machine needs a token.
_LOOPBACK_ENVIRONMENT = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
_TOKEN_VARIABLES = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
# Before this one, everybody who reaches a cluster may run what he likes on it: there are no tokens.
LEAST_VERSION = (2, 52)
# Where `ray start` says which cluster was started here last; it stays when that is gone.
_CURRENT_CLUSTER = "ray_current_cluster"
_MOST_ADDRESS_BYTES = 300
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
    # A line about the cluster, if none was named.
    advice: str | None = None
    reaper: subprocess.Popen[bytes] | None = None
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
        """The result of a task on one node; None if the node died, which may be noticed only now."""
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
            if self.reaper is not None and self.reaper.stdin is not None:
                self.reaper.stdin.close()
                self.reaper.wait()


_lock = threading.Lock()
_current: Cluster | None = None


def connect(engine: str) -> Cluster:
    """The connection to the cluster that `engine` names, made if there is none; its user closes it."""
    global _current
    with _lock:
        if _current is not None and _current.engine != engine:
            raise UsageError(f"This process is connected to {_current.engine}, and cannot use {engine} as well.")
        if _current is None:
            _current = _connected(engine)
        _current._users += 1
        return _current


def _connected(engine: str) -> Cluster:
    address = engine if engine.startswith("ray://") else os.environ.get("RAY_ADDRESS")
    advice, reaper = None, None
    if not address and "ray" not in sys.modules:
        address, advice = _started_here()
    ray = _library(engine, own=not address)
    borrowed = bool(ray.is_initialized())
    if not borrowed:
        before = descendants(os.getpid())
        with _own_signals():
            _init(ray, engine, address)
        if not address:
            reaper = reap_with({id: at for id, at in descendants(os.getpid()).items() if id not in before})
    memory = float(ray.cluster_resources().get("object_store_memory", 0.0))
    images = ShippedImages(_SHARE_OF_OBJECT_STORE * memory)
    return Cluster(ray, engine, images, borrowed, None if borrowed else advice, reaper)


def _started_here() -> tuple[str | None, str | None]:
    """The address of a cluster that `ray start` began on this machine and that answers, and a line about it."""
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    path = Path(folder) / "ray" / _CURRENT_CLUSTER
    try:
        status = path.lstat()
        # Everybody can write to /tmp, and a cluster gets photos, functions and secrets.
        trusted = stat.S_ISREG(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid in (0, os.getuid()))
        if not trusted or status.st_size > _MOST_ADDRESS_BYTES:
            return None, f"{path} is not a file of yours, so the Ray cluster that it names is not used."
        address = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None, None
    if not address.isprintable() or not address:
        return None, None
    if not _answers(address):
        return None, f"{path} names a Ray cluster at {address}, which does not answer: a Ray of this run's own is used."
    return address, f"Using the Ray cluster at {address}, which was started on this machine."


def _library(engine: str, *, own: bool = False) -> Any:
    # Ray reads its environment when it is imported.
    for name, value in _RAY_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if own and "ray" not in sys.modules:
        os.environ.update(_LOOPBACK_ENVIRONMENT)
        if not any(os.environ.get(name) for name in _TOKEN_VARIABLES):
            os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    spec = importlib.util.find_spec("ray")
    # A folder of this name, such as Ray's own /tmp/ray, has a specification without a file.
    if spec is None or spec.origin is None:
        raise MissingExtra(f"The engine {engine!r}", "ray")
    require_version(importlib.metadata.version("ray"))
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


def require_version(version: str) -> None:
    """UsageError for a Ray whose clusters are open to everybody who reaches them."""
    numbers = tuple(int(part) for part in re.findall(r"[0-9]+", version)[:2])
    if numbers < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        raise UsageError(
            f"Ray {version} is installed, and its clusters require no token. Install ray {least} or later: "
            "pip install --upgrade 'anamorph[ray]'"
        )


def _init(ray: Any, engine: str, address: str | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address:
            _knock(address, engine)
            _init_at(ray, address, quiet)
            return
        # A Ray of our own, which cannot be reached from outside this machine.
        ray.init(address="local", include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        own = str(ray.get_runtime_context().gcs_address)
        if not own.startswith("127.0.0.1:"):
            ray.shutdown()
            raise UsageError(
                f"engine = {engine}: Ray would listen at {own}, where others can reach it. It was imported before "
                "Anamorph could say otherwise: set RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0, or start a cluster and name it."
            )
    except (ConnectionError, RuntimeError, ValueError, ImportError, OSError) as problem:
        raise UsageError(f"engine = {engine}: no connection to Ray{_at(address)} ({said_by(problem)}).") from problem


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
    """Ray's message about a problem, in one line: the end of a long one, where the cause stands after its trace."""
    said = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(problem)).split())
    return said if len(said) <= _LONGEST_MESSAGE else f"...{said[-_LONGEST_MESSAGE:]}"


def _answers(address: str) -> bool:
    try:
        _connect_once(address)
    except (OSError, OverflowError):
        return False
    return True


def _connect_once(address: str) -> None:
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()


def _knock(address: str, engine: str) -> None:
    """UsageError, at once and in plain words, if nothing listens: Ray itself tries for a minute or more."""
    try:
        _connect_once(address)
    except (OSError, OverflowError) as problem:
        raise UsageError(
            f"engine = {engine}: no Ray cluster answers{_at(address)} ({problem}). Start one with `ray start --head` "
            "(its clients use port 10001), check the address, or use --set engine=local."
        ) from problem


def _at(address: str | None) -> str:
    return f" at {address}" if address else ""
