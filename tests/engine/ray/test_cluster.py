"""Tests of connecting to Ray, as far as they need no Ray."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from anamorph.cli.main import cli
from anamorph.config import resolve
from anamorph.config.consequences import consequences
from anamorph.engine.ray.cluster import LEAST_VERSION, ShippedImages, _started_here, connect, require_version
from anamorph.engine.ray.reaper import _about, descendants
from anamorph.errors import MissingExtra, UsageError
from tests.conftest import ROOT

RUN = ["run", "-m", "deeptest", "-s", "toybox:2", "-y", "toybox:captioner"]


@pytest.mark.parametrize("there", [False, True], ids=["no ray", "a folder named ray"])
def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    # Ray keeps its files in /tmp/ray, which looks like a package to a program that is started in /tmp.
    folder = importlib.util.spec_from_loader("ray", None, is_package=True) if there else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: folder)
    with pytest.raises(MissingExtra, match=r"The engine 'ray' needs .* pip install 'anamorph\[ray\]'"):
        connect("ray")


def test_a_run_without_ray_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = CliRunner().invoke(cli, [*RUN, "--engine", "ray", "--out", str(tmp_path / "run")])
    assert isinstance(result.exception, MissingExtra)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("engine", ["slurm", "ray://", "ray://host", "http://host:1", "ray://user@host:1"])
def test_an_unknown_engine_is_refused(engine: str) -> None:
    with pytest.raises(UsageError, match=r"engine must be local, ray or ray://HOST:PORT"):
        resolve({"engine": engine})


def test_the_engine_of_a_run_can_be_changed_and_is_kept(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    made = CliRunner().invoke(cli, ["plan", *RUN[1:], "--engine", "ray://127.0.0.1:1", "--out", run])
    assert made.exit_code == 0, made.output
    assert CliRunner().invoke(cli, ["resume", run, "--engine", "local"]).exit_code == 0


class Flaky:
    """Plays a Ray whose cluster loses the servers of its first clients."""

    def __init__(self, said: list[str]) -> None:
        self.said = said
        self.tries = 0

    def is_initialized(self) -> bool:
        return False

    def init(self, **settings: object) -> None:
        self.tries += 1
        if self.said:
            raise ConnectionAbortedError(f"Initialization failure from server: RuntimeError: {self.said.pop(0)}")

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def shutdown(self) -> None: ...


DIED = "Starting Ray client server failed. See ray_client_server_23000.err for detailed logs."
ZOMBIE = "psutil.ZombieProcess: PID still exists but it's a zombie (pid=17446)"


@pytest.mark.parametrize(
    ("said", "tries", "refused"),
    [
        ([], 1, None),
        ([DIED, ZOMBIE, DIED], 4, None),
        ([DIED] * 9, 4, "Starting Ray client server failed"),
        (["no"], 1, "no"),
    ],
    ids=["at once", "at the fourth try", "never", "another problem"],
)
def test_a_cluster_that_loses_a_clients_server_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, said: list[str], tries: int, refused: str | None
) -> None:
    ray = Flaky(said.copy())
    monkeypatch.setattr("anamorph.engine.ray.cluster._library", lambda engine, own: ray)
    with socket.create_server(("127.0.0.1", 0)) as head:
        engine = f"ray://127.0.0.1:{head.getsockname()[1]}"
        if refused is None:
            connect(engine).close()
        else:
            with pytest.raises(UsageError, match=rf"engine = {engine}: no connection to Ray .*{refused}"):
                connect(engine)
    assert ray.tries == tries


def test_somebody_elses_run_says_which_cluster_it_would_use() -> None:
    lines = consequences({"engine": "ray://far.example:10001", "ray": {"environment": ["TOKEN"]}}, None)
    assert lines == [
        'send photos, settings and variables to the Ray cluster "ray://far.example:10001"',
        "take ${TOKEN} from the environment",
    ]


def test_references_to_images_are_bounded_by_bytes_and_the_oldest_are_dropped() -> None:
    shipped = ShippedImages(most_bytes=250)
    for number in range(4):
        shipped.add(f"parcel {number}", (f"{number}a", f"{number}b"), 100)
    assert [shipped.find(f"{number}a") for number in range(4)] == [None, None, "parcel 2", "parcel 3"]
    shipped.forget(["parcel 3", "parcel 0"])
    assert shipped.find("3b") is None
    assert shipped.find("2b") == "parcel 2"


@pytest.mark.parametrize(
    ("version", "fits"), [("2.40.0", False), ("2.51.2", False), ("2.52.0", True), ("2.60.0rc1", True), ("3.0", True)]
)
def test_a_ray_without_tokens_is_refused(version: str, fits: bool) -> None:
    if fits:
        require_version(version)
    else:
        with pytest.raises(UsageError, match=f"Ray {version} is installed, .* token. Install ray 2.52 or later"):
            require_version(version)


def test_the_declared_version_of_ray_is_the_least_one() -> None:
    assert f"ray[client]>={'.'.join(map(str, LEAST_VERSION))}" in (ROOT / "pyproject.toml").read_text()


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file in which `ray start` notes its cluster."""
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    (tmp_path / "ray").mkdir()
    return tmp_path / "ray" / "ray_current_cluster"


def test_a_cluster_that_was_started_here_is_used_and_announced(noted: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        noted.write_text(address)
        assert _started_here() == (address, f"Using the Ray cluster at {address}, which was started on this machine.")


def test_a_stale_note_of_a_cluster_is_not_followed(noted: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
    noted.write_text(address)
    found, said = _started_here()
    assert found is None and said is not None and f"names a Ray cluster at {address}, which does not answer" in said


def test_a_note_of_a_cluster_that_is_a_link_is_not_followed(noted: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("127.0.0.1:1")
    noted.symlink_to(tmp_path / "other")
    assert _started_here() == (
        None,
        f"{noted} is not a file of yours, so the Ray cluster that it names is not used.",
    )


def test_what_a_killed_process_leaves_behind_is_ended(tmp_path: Path) -> None:
    """A real process that started others of its own is killed, and they end."""
    program = (
        "import os, subprocess, sys, time\n"
        "from anamorph.engine.ray.reaper import descendants, reap_with\n"
        "started = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "reaper = reap_with(descendants(os.getpid()))\n"
        "print(started.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        left = int(parent.stdout.readline())
        assert left in descendants(parent.pid)
        began = descendants(parent.pid)[left]
        parent.kill()
    until = time.monotonic() + 60
    while (about := _about(left)) is not None and about[1] == began and not _is_zombie(left):
        assert time.monotonic() < until
        time.sleep(0.05)


def _is_zombie(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_ray_reports_nothing_to_anybody() -> None:
    if os.environ.get("RAY_USAGE_STATS_ENABLED", "0") != "0":
        pytest.skip("somebody wants Ray to report its usage")
    with pytest.raises(UsageError):
        connect("ray://127.0.0.1:1")
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
