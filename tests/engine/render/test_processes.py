from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamorph.config import Config, resolve
from anamorph.engine.render.processes import ProcessRenderer, WorkerProcess
from anamorph.engine.render.recipe import recipe_of
from anamorph.engine.render.renderer import Renderer, renderer_for
from anamorph.errors import RunError
from anamorph.store.run import RunStore
from tests.conftest import ROOT
from tests.engine.render.test_recipe import orders_of, planned

# Edits of a user's own file: one that waits until a file is there, and one that ends its process.
OWN = """
import os, signal, time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

@dataclass(frozen=True)
class Wait:
    kind: ClassVar[str] = "wait"
    file: str

    def apply(self, picture):
        Path(self.file + ".began").touch()
        print("this must not get between the images")
        while not Path(self.file).exists():
            time.sleep(0.01)
        return picture

@dataclass(frozen=True)
class Crash:
    kind: ClassVar[str] = "crash"
    once: str = ""

    def apply(self, picture):
        if not self.once or not Path(self.once).exists():
            if self.once:
                Path(self.once).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return picture
"""

needs_posix = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and parents are POSIX's")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Callable[..., tuple[RunStore, Renderer, Config]]]:
    """Plans a run whose images are the source, these edits of OWN, and a blur."""
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    opened: list[Any] = []

    def plan(*edits: dict[str, Any], count: int = 1) -> tuple[RunStore, Renderer, Config]:
        only = {"blur": [2.0], "brightness": [], "contrast": [], "shear": [], "also": list(edits)}
        store = planned(
            tmp_path,
            methods=["deeptest"],
            deeptest=only,
            scenes={"kind": "toybox", "count": count},
            load=[str(tmp_path / "own.py")],
        )
        config = resolve(store.fact("config"))
        renderer = renderer_for(store, config)
        opened.extend((store, renderer))
        return store, renderer, config

    yield plan
    for each in opened:
        each.close()


def in_processes(store: RunStore, renderer: Renderer, config: Config, count: int = 1) -> ProcessRenderer:
    recipe = recipe_of(store, config, renderer.maker)
    return ProcessRenderer(renderer.source, renderer.folder, recipe, renderer.maker.format.suffix, count)


def wait_for(state: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not state():
        assert time.monotonic() < until, "it did not happen within a minute"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@needs_posix
def test_processes_make_the_same_images_and_an_image_that_ends_its_process_twice_fails_alone(own: Any) -> None:
    store, renderer, config = own({"kind": "crash"})
    scene, orders = orders_of(store)[0]
    expected = {
        result.image: result for result in renderer.render(scene, [o for o in orders if "crash" not in o.edits])
    }
    with closing(in_processes(store, renderer, config)) as processes:
        made = list(processes.render_each(scene, orders))
        assert [result.image for result in made] == [order.image for order in orders]
        (failed,) = [result for result in made if result.file is None]
        assert failed.problem is not None and "failed twice: it was ended by signal 9" in failed.problem
        assert {result.image: result for result in made if result is not failed} == expected
        # The worker was replaced.
        assert list(processes.render_each(scene, orders[:1])) == [expected[orders[0].image]]


@needs_posix
def test_what_a_killed_process_was_making_is_made_again(own: Any, tmp_path: Path) -> None:
    store, renderer, config = own({"kind": "crash", "once": str(tmp_path / "once")})
    scene, orders = orders_of(store)[0]
    with closing(in_processes(store, renderer, config)) as processes:
        made = list(processes.render_each(scene, orders))
    assert (tmp_path / "once").exists()
    assert [result.problem for result in made] == [None] * len(orders)
    assert made == renderer.render(scene, orders)


@needs_posix
def test_workers_ignore_ctrl_c_and_end_with_their_run(own: Any, tmp_path: Path) -> None:
    go = tmp_path / "go"
    store, renderer, config = own({"kind": "wait", "file": str(go)})
    scene, orders = orders_of(store)[0]
    with closing(in_processes(store, renderer, config)) as processes:
        worker = processes._idle.get()
        assert worker is not None
        processes._idle.put(worker)
        made: list[Any] = []
        thread = threading.Thread(target=lambda: made.extend(list(processes.render_each(scene, orders))))
        thread.start()
        wait_for(Path(f"{go}.began").exists)
        os.kill(worker.pid, signal.SIGINT)
        go.touch()
        thread.join(60)
        assert [result.problem for result in made] == [None] * len(orders)
        assert is_alive(worker.pid)
    assert not is_alive(worker.pid)


PARENT = """
import sys, threading, time
from pathlib import Path
from anamorph.config import resolve
from anamorph.engine.render.renderer import renderer_for
from anamorph.store.run import RunStore
from tests.engine.render.test_processes import in_processes
from tests.engine.render.test_recipe import orders_of

with RunStore.open(Path(sys.argv[1])) as store:
    config = resolve(store.fact("config"))
    processes = in_processes(store, renderer_for(store, config), config)
    print(processes._idle.queue[-1].pid, flush=True)
    list(processes.render_each(*orders_of(store)[0]))
"""


@needs_posix
def test_a_worker_ends_when_its_parent_is_killed_also_in_the_middle_of_an_image(own: Any, tmp_path: Path) -> None:
    never = tmp_path / "never"
    store, renderer, _ = own({"kind": "wait", "file": str(never)})
    folder = store.folder
    renderer.close()
    store.close()
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [sys.executable, "-c", PARENT, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        wait_for(Path(f"{never}.began").exists)
        parent.kill()
    wait_for(lambda: not is_alive(worker))


def test_a_recipe_that_does_not_fit_is_reported_when_the_first_process_starts(own: Any) -> None:
    store, renderer, config = own()
    recipe = replace(recipe_of(store, config, renderer.maker), loaded={"gone.py": "0"})
    with pytest.raises(RunError, match=r"the file gone\.py is not the one that the run has"):
        WorkerProcess(recipe)


@needs_posix
def test_ctrl_c_reaches_the_whole_run_and_only_the_run_answers_it(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    go = tmp_path / "go"
    settings = (
        'methods = ["deeptest"]',
        'load = ["own.py"]',
        'scenes = "toybox:3"',
        'system = "toybox:captioner"',
        "[ask]",
        "render_processes = 2",
        "[deeptest]",
        f'also = [{{kind = "wait", file = "{go}"}}]',
    )
    (tmp_path / "run.toml").write_text("\n".join(settings), encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    anamorph = [sys.executable, "-m", "anamorph.cli.main"]
    begun: dict[str, Any] = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": path}, "text": True}
    command = [*anamorph, "run", "run.toml", "-o", "run"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **begun
    ) as process:
        wait_for(Path(f"{go}.began").exists)
        os.killpg(process.pid, signal.SIGINT)
        go.touch()
        said = "".join(process.communicate(timeout=60))
    assert process.returncode == 130 and "Traceback" not in said and "anamorph resume" in said
    done = subprocess.run([*anamorph, "resume", "run"], capture_output=True, timeout=120, check=False, **begun)
    assert done.returncode in (0, 1), done.stderr
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.connection.execute("SELECT count(*) FROM images WHERE file IS NULL").fetchone() == (0,)
