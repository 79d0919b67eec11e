"""Tests on a Ray cluster of two simulated nodes: the same run as here, whatever dies."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anamorph
from anamorph.config import resolve
from anamorph.engine.events import Answered, Event
from anamorph.engine.ray.cluster import connect
from anamorph.engine.ray.freight import Freight, FreightItem, deliver
from anamorph.engine.run import carry_out, change_settings, config_of, start
from anamorph.engine.systems import make_system
from anamorph.errors import SystemDown, UsageError
from anamorph.store.run import RunStore
from anamorph.weights.files import FOLDER_VARIABLE, sha256_of
from tests.studies.merge.test_merging import ANSWERS, CAPTIONS, LABELS, TABLES, require_same, rows_of

_SPEC = importlib.util.find_spec("ray")
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(
        _SPEC is None or _SPEC.origin is None, reason="needs ray, which is not installed here (make heavy has it)"
    ),
    # Ray's own, of its threads and sockets.
    pytest.mark.filterwarnings("ignore"),
]

# An inpainter and a captioner. Each call of either one kills its process if it can take a file away that says so, and
# a captioner writes down what it was asked before it does.
EXTENSION = '''
"""Extensions that die where a test wants it."""
import hashlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

HERE = Path(__file__).parent


def maybe_die(what):
    for mark in HERE.glob(f"kill-{what}-*"):
        try:
            mark.unlink()
        except FileNotFoundError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Grey:
    """Fills holes with grey."""

    kind: ClassVar[str] = "grey"

    def fill(self, pixels, hole):
        maybe_die("render")
        pixels = pixels.copy()
        pixels[hole] = 128
        return pixels


def caption(images, questions):
    with (HERE / "asked.txt").open("a") as log:
        for image in images:
            log.write(hashlib.sha256(image.tobytes()).hexdigest() + "\\n")
    maybe_die("system")
    time.sleep(float(os.environ.get("ANAMORPH_TEST_PAUSE", "0")))
    return [("a dog and a cat", "two dogs", "a person with a ball")[int(image.mean()) % 3] for image in images]
'''


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of a head and one more node, and this process connected to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_agent_register_timeout_ms", "300000")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache-of-nodes")))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Else some of the servers that Ray forks for its clients die at once; see _CLIENT_TRIES.
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
        from ray.cluster_utils import Cluster

        ours = {"num_cpus": 2, "object_store_memory": 100_000_000}
        # A node that is killed is noticed after a second or two, not after half a minute.
        quick = {"health_check_period_ms": 500, "health_check_failure_threshold": 4}
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        cluster = Cluster(
            initialize_head=True,
            head_node_args={
                **ours,
                "include_dashboard": False,
                "ray_client_server_port": port,
                "_system_config": quick,
            },
        )
        cluster.ours, cluster.client_port = ours, port
        try:
            cluster.add_node(**ours)
            patch.setenv("RAY_ADDRESS", cluster.address)
            wait_for(lambda: listens(port))
            with connect("ray"):
                yield cluster
        finally:
            cluster.shutdown()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ROME that nothing happens to."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("local")
        (folder / "dying.py").write_text(EXTENSION)
        patch.chdir(folder)
        return run(folder / "run", ROME)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the extension."""
    (tmp_path / "dying.py").write_text(EXTENSION)
    monkeypatch.chdir(tmp_path)
    return tmp_path


ROME: dict[str, Any] = {
    "methods": ["rome"],
    "rome": {"max_depth": 1, "inpainter": "grey"},
    "scenes": {"kind": "toybox", "count": 24, "seed": 3},
    "load": ["dying.py"],
    "system": {"kind": "callable", "target": "dying.py:caption", "batch": 4},
    "ask": {"backoff_seconds": 0.05},
}
RAY: dict[str, Any] = {"engine": "ray", "ray": {"replicas": 2}}


def run(folder: Path, plain: dict[str, Any], on_event: Callable[[int, Event], None] | None = None) -> Path:
    config = resolve({**plain, "out": str(folder)})
    with start(config, folder) as store:
        for number, event in enumerate(carry_out(store, config)):
            if on_event is not None:
                on_event(number, event)
    return folder


def resume(folder: Path, **changes: Any) -> None:
    with RunStore.open(folder) as store:
        config = change_settings(store, config_of(store), changes)
        for _ in carry_out(store, config):
            pass


def require_nothing_lost(ran: Path, local: Path, asked: Path) -> None:
    """The run is that of one process, and whatever was asked twice is counted."""
    ours, theirs = rows_of(ran), rows_of(local)
    for select in TABLES[:-1]:
        assert ours[select] == theirs[select], select
    with RunStore.open(ran, read_only=True) as store:
        spending = store.fact("spending")
        assert all(store.images.is_sound(name) for (name,) in store.connection.execute("SELECT file FROM images"))
        distinct = store.connection.execute("SELECT count(DISTINCT file) FROM images").fetchone()[0]
        shared = store.count("answers") - distinct
    times = Counter(asked.read_text().split())
    again = sum(times.values()) - len(times) - shared
    assert len(times) == distinct
    assert 0 <= again <= spending.get("perhaps_twice", 0)


CROSSCHECK: dict[str, Any] = {"methods": ["crosscheck"], "system": "toybox:answerer"}


@pytest.mark.parametrize(
    "plain", [CAPTIONS, ANSWERS, LABELS, CROSSCHECK], ids=["captions", "answers", "labels", "crosscheck"]
)
def test_every_method_makes_the_same_run_on_a_cluster(nodes: Any, tmp_path: Path, plain: dict[str, Any]) -> None:
    plain = {"scenes": {"kind": "toybox", "count": 6, "seed": 3}, **plain}
    run(tmp_path / "local", plain)

    run(tmp_path / "ray", {**plain, **RAY})

    require_same(tmp_path / "ray", tmp_path / "local")


def test_ten_workers_are_killed_and_nothing_is_lost(nodes: Any, folder: Path, local: Path) -> None:
    marks = [folder / f"kill-{what}-{number}" for what in ("system", "render") for number in range(5)]
    for mark in marks:
        mark.touch()

    ran = run(folder / "ray", {**ROME, **RAY, "ask": {**ROME["ask"], "retries": 9}})

    assert not any(mark.exists() for mark in marks)
    require_nothing_lost(ran, local, folder / "asked.txt")


def test_two_nodes_are_killed_and_nothing_is_lost(nodes: Any, folder: Path, local: Path) -> None:
    answered = 0

    def kill_at(number: int, event: Event) -> None:
        nonlocal answered
        answered += isinstance(event, Answered)
        if isinstance(event, Answered) and answered in (8, 40):
            (node,) = nodes.worker_nodes
            nodes.remove_node(node, allow_graceful=False)
            nodes.add_node(**nodes.ours)

    ran = run(folder / "ray", {**ROME, **RAY}, kill_at)

    assert answered > 40
    require_nothing_lost(ran, local, folder / "asked.txt")


def test_the_driver_is_killed_and_the_run_goes_on_anywhere(nodes: Any, folder: Path, local: Path) -> None:
    program = "import sys; from anamorph.cli.main import main; sys.exit(main())"
    flags = ["-m", "rome", "-s", "toybox:24,seed=3", "-y", "callable:dying.py:caption,batch=4", "--load", "dying.py"]
    flags += [
        "--set",
        "rome.max_depth=1",
        "--set",
        "rome.inpainter=grey",
        "--set",
        "ray.environment=['ANAMORPH_TEST_PAUSE']",
    ]
    command = [sys.executable, "-c", program, "run", *flags, "--engine", "ray", "--out", str(folder / "ray")]
    environment = {**os.environ, "ANAMORPH_TEST_PAUSE": "0.2"}
    with (folder / "output.txt").open("wb") as output:
        driver = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        try:
            wait_for(lambda: answers_of(folder / "ray") >= 12 or driver.poll() is not None)
        finally:
            driver.kill()
            driver.wait()
    assert driver.returncode == -signal.SIGKILL, (folder / "output.txt").read_text()
    assert answers_of(folder / "ray") < answers_of(local)
    shutil.copytree(folder / "ray", folder / "again")
    shutil.copy(folder / "asked.txt", folder / "asked-before.txt")

    resume(folder / "ray", engine="ray", ray={"replicas": 2})
    require_nothing_lost(folder / "ray", local, folder / "asked.txt")

    shutil.copy(folder / "asked-before.txt", folder / "asked.txt")
    resume(folder / "again", engine="local")
    require_nothing_lost(folder / "again", local, folder / "asked.txt")


def test_a_run_goes_from_here_to_the_cluster(nodes: Any, folder: Path, local: Path) -> None:
    half = run(folder / "half", {**ROME, "ask": {**ROME["ask"], "price": 1, "budget": 30, "order": "plan"}})
    assert answers_of(half) == 28
    (folder / "asked.txt").unlink()

    resume(half, engine="ray", ask={"budget": 10000})

    assert len((folder / "asked.txt").read_text().split()) == answers_of(local) - 28
    ours, theirs = rows_of(half), rows_of(local)
    assert [ours[select] for select in TABLES[:-1]] == [theirs[select] for select in TABLES[:-1]]


def test_a_client_outside_the_cluster_makes_the_same_run(nodes: Any, folder: Path) -> None:
    plain = {**ROME, "scenes": {"kind": "toybox", "count": 4, "seed": 3}}
    here = run(folder / "here", plain)
    program = "import sys; from anamorph.cli.main import main; sys.exit(main())"
    run_toml = folder / "run.toml"
    run_toml.write_text(
        f'engine = "ray://127.0.0.1:{nodes.client_port}"\n'
        'methods = ["rome"]\nload = ["dying.py"]\nscenes = "toybox:4,seed=3"\n'
        'system = "callable:dying.py:caption,batch=4"\n[rome]\nmax_depth = 1\ninpainter = "grey"\n'
    )
    command = [sys.executable, "-c", program, "run", str(run_toml), "--out", str(folder / "ray")]
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert answers_of(folder / "ray") == answers_of(here), ended.stdout + ended.stderr
    ours, theirs = rows_of(folder / "ray"), rows_of(here)
    assert [ours[select] for select in TABLES[:-1]] == [theirs[select] for select in TABLES[:-1]]


def test_an_object_of_a_program_is_sent_to_the_workers(nodes: Any, tmp_path: Path) -> None:
    seen: list[int] = []

    def caption(image: Any) -> str:
        seen.append(1)
        return "a dog"

    ran = anamorph.run(caption, "toybox:2", "deeptest", out=tmp_path / "run", settings={"engine": "ray"})

    assert ran.spending.images_sent == 10
    # Not here: its copy on a worker was asked.
    assert not seen


def test_weights_that_nodes_lack_are_sent_to_them(nodes: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Only this process knows the folder.
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    (folder / "weights.bin").write_bytes(os.urandom(100_000))
    item = FreightItem("", "weights.bin", (("", sha256_of(folder / "weights.bin")),))
    with connect("ray") as cluster:
        lacking = cluster.ray.remote(FreightItem.lacking)
        everywhere = [
            lacking.options(num_cpus=0, scheduling_strategy=cluster.only_on(node)) for node in cluster.nodes()
        ]
        assert cluster.ray.get([there.remote(item) for there in everywhere]) == [list(item.files)] * 2
        deliver(cluster, Freight((item,)))
        assert cluster.ray.get([there.remote(item) for there in everywhere]) == [[], []]


def test_a_system_that_cannot_start_says_why(nodes: Any, folder: Path) -> None:
    with pytest.raises(UsageError, match=r"On the Ray node .*no_such_name"):
        make_system(resolve({**RAY, "system": "callable:dying.py:no_such_name"}))
    wants = {"engine": "ray", "ray": {"num_gpus": 1, "start_seconds": 2}, "system": "callable:dying.py:caption"}
    with pytest.raises(
        SystemDown, match=r"did not start within 2 s. Each needs 0 CPUs and 1 GPUs, and the cluster has"
    ):
        make_system(resolve(wants))


def answers_of(folder: Path) -> int:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{folder}/run.sqlite?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def wait_for(happened: Callable[[], bool], seconds: float = 240.0) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.02)
