"""A Ray that Anamorph starts itself: who can reach it, and what is left of it."""

from __future__ import annotations

import contextlib
import importlib.util
import ipaddress
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

_SPEC = importlib.util.find_spec("ray")
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(
        _SPEC is None or _SPEC.origin is None, reason="needs ray, which is not installed here (make heavy has it)"
    ),
]

# Connects as `--engine ray` does, has a worker do something, and waits.
PROGRAM = """
import sys
from anamorph.engine.ray.cluster import connect
with connect("ray") as cluster:
    cluster.ray.get(cluster.ray.remote(lambda: 1).remote())
    print(cluster.ray.get_runtime_context().gcs_address, flush=True)
    sys.stdin.read()
"""
# Asks the store of a cluster for its nodes, with or without its token.
STRANGER = """
import sys
import ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False)
except Exception as problem:
    print(type(problem).__name__)
else:
    print("let in")
"""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder for Ray, whose sockets must have short paths."""
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def driver(short_folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    environment = {**os.environ, "RAY_TMPDIR": str(short_folder), "RAY_agent_register_timeout_ms": "300000"}
    begun = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert begun.stdin is not None and begun.stdout is not None
    try:
        yield begun, begun.stdout.readline().strip()
    finally:
        with contextlib.suppress(OSError):
            begun.stdin.close()
        begun.stdout.close()
        begun.wait(60)


def descendants_of(process: int) -> list[psutil.Process]:
    return [each for each in psutil.Process(process).children(recursive=True) if each.is_running()]


def test_it_listens_on_loopback_alone_and_lets_nobody_in_without_its_token(
    driver: tuple[subprocess.Popen[str], str], short_folder: Path
) -> None:
    begun, address = driver
    own = {begun.pid, *(each.pid for each in descendants_of(begun.pid))}
    listening = [each for each in psutil.net_connections("tcp") if each.status == "LISTEN" and each.pid in own]
    hosts = {ipaddress.ip_address(each.laddr.ip) for each in listening}
    assert len(listening) >= 4
    assert all((getattr(host, "ipv4_mapped", None) or host).is_loopback for host in hosts), hosts
    stranger = [sys.executable, "-c", STRANGER, address]
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    environment |= {"RAY_TMPDIR": str(short_folder), "RAY_gcs_rpc_server_connect_timeout_s": "5"}
    with contextlib.suppress(subprocess.TimeoutExpired):
        ended = subprocess.run(stranger, capture_output=True, text=True, env=environment, timeout=45, check=False)
        assert "let in" not in ended.stdout


def test_nothing_of_it_is_left_when_its_driver_is_killed(driver: tuple[subprocess.Popen[str], str]) -> None:
    begun, _ = driver
    own = descendants_of(begun.pid)
    assert len(own) >= 4
    begun.kill()
    begun.wait()
    until = time.monotonic() + 60
    while left := [each for each in own if each.is_running() and each.status() != "zombie"]:
        assert time.monotonic() < until, left
        time.sleep(0.2)
