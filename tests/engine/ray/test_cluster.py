"""Tests of connecting to Ray, as far as they need no Ray."""

from __future__ import annotations

import importlib.util
import os
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from anamorph.cli.main import cli
from anamorph.config import resolve
from anamorph.config.consequences import consequences
from anamorph.engine.ray.cluster import ShippedImages, connect
from anamorph.errors import MissingExtra, UsageError

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
    monkeypatch.setattr("anamorph.engine.ray.cluster._library", lambda engine: ray)
    with socket.create_server(("127.0.0.1", 0)) as head:
        engine = f"ray://127.0.0.1:{head.getsockname()[1]}"
        if refused is None:
            connect(engine).close()
        else:
            with pytest.raises(UsageError, match=rf"--engine {engine}: no connection to Ray .*{refused}"):
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


def test_ray_reports_nothing_to_anybody() -> None:
    if os.environ.get("RAY_USAGE_STATS_ENABLED", "0") != "0":
        pytest.skip("somebody wants Ray to report its usage")
    with pytest.raises(UsageError):
        connect("ray://127.0.0.1:1")
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
