"""Making images in processes: for networks and numerics that keep a processor busy and threads get in the way of.

A worker is a fresh interpreter and never a fork, because a fork of a process with threads can hang. Nothing of the
user's own program is imported there, as multiprocessing would do, because importing it may begin another run.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from anamorph.concurrency.calm import calm_libraries
from anamorph.engine.render.maker import ImageOrder, MadeImage, sentence
from anamorph.engine.render.recipe import RenderRecipe, RenderWorker
from anamorph.engine.render.renderer import ImageResult, failed, kept
from anamorph.errors import RunError, machine_fault
from anamorph.model import Pixels, Scene, SceneSource
from anamorph.store.images import ImageFolder

_BEGIN = (
    "import sys; sys.path[:] = __import__('json').loads(sys.argv[1]); "
    "from anamorph.engine.render.processes import serve; serve()"
)
# How long a worker that was told to end may take, and how often it looks whether its parent is still there.
_LEAVE_SECONDS = 5.0
_WATCH_SECONDS = 2.0


class WorkerDied(Exception):
    """A worker ended before its work was done."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a worker cannot make images."""

    reason: str


class WorkerProcess:
    """A process that makes images, as its parent sees it; one thread at a time uses it."""

    def __init__(self, recipe: RenderRecipe) -> None:
        """Start it and wait until it is ready; RunError where it cannot make the run's images."""
        if getattr(sys, "frozen", False):
            raise RunError("Processes that make images need a Python interpreter, and this program brings none.")
        with _interrupts_held_back():
            self._process = subprocess.Popen(
                # Without -P, a file in the working directory could stand in for one of the standard library.
                [sys.executable, "-P", "-c", _BEGIN, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        try:
            self._send(recipe)
            answer = self._receive()
        except WorkerDied as problem:
            raise RunError(f"A process that makes images could not be started: {problem}") from problem
        if isinstance(answer, _Refusal):
            self.end()
            raise RunError(answer.reason)

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self, scene: Scene, photo: Pixels) -> None:
        """Give it the scene that the next images are of."""
        self._send((scene, photo))

    def make(self, order: ImageOrder) -> MadeImage:
        """Make one image; WorkerDied if the process ends meanwhile."""
        self._send(order)
        made: MadeImage = self._receive()
        return made

    def finish(self) -> None:
        """Let it forget the scene."""
        self._send(None)

    def end(self, patience_seconds: float = 0.0) -> None:
        """End the process, at the latest after this long; what it was making is lost."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _send(self, message: Any) -> None:
        try:
            pickle.dump(message, self._stdin, pickle.HIGHEST_PROTOCOL)
            self._stdin.flush()
        except (OSError, ValueError) as problem:
            raise self._died() from problem

    def _receive(self) -> Any:
        try:
            return pickle.load(self._stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as problem:
            raise self._died() from problem

    def _died(self) -> WorkerDied:
        self.end(_LEAVE_SECONDS)
        code = self._process.returncode
        how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
        return WorkerDied(f"it was ended {how}, perhaps for lack of memory.")


@dataclass(slots=True, eq=False)
class ProcessRenderer:
    """Makes the images of scenes in processes and keeps them; as many threads as there are processes may use it.

    A worker that dies is replaced, and its image is made again; an image that ends two workers fails.
    """

    source: SceneSource
    folder: ImageFolder
    recipe: RenderRecipe
    suffix: str
    processes: int
    # Workers that have nothing to do; None where there may be one more.
    _idle: queue.LifoQueue[WorkerProcess | None] = field(default_factory=queue.LifoQueue, init=False)

    def __post_init__(self) -> None:
        """Start the first worker, so that a recipe that does not work is reported at once."""
        for _ in range(self.processes - 1):
            self._idle.put(None)
        self._idle.put(WorkerProcess(self.recipe))

    def render_each(self, scene: Scene, orders: Iterable[ImageOrder]) -> Generator[ImageResult, None, None]:
        """Make images of one scene as they are ordered, one after the other: an order is taken when its turn comes."""
        try:
            photo = self.source.pixels(scene)
        except Exception as problem:  # noqa: BLE001  a source may come from a user's own file
            yield from failed(orders, problem)
            return
        with self._worker(scene, photo) as hand:
            for order in orders:
                yield kept(hand.made(order), self.folder, self.suffix)

    def close(self) -> None:
        """End all workers; nobody may be using them any more."""
        while True:
            try:
                worker = self._idle.get_nowait()
            except queue.Empty:
                return
            if worker is not None:
                worker.end(_LEAVE_SECONDS)

    @contextlib.contextmanager
    def _worker(self, scene: Scene, photo: Pixels) -> Iterator[_Hand]:
        hand = _Hand(self.recipe, scene, photo, self._idle.get())
        try:
            yield hand
        finally:
            self._idle.put(hand.released())


@dataclass(slots=True, eq=False)
class _Hand:
    """Whoever makes the images of one scene: a worker, or the next one if it dies."""

    recipe: RenderRecipe
    scene: Scene
    photo: Pixels
    worker: WorkerProcess | None
    # Whether the worker has the scene, and owes no answer.
    _begun: bool = False
    _even: bool = True

    def made(self, order: ImageOrder) -> MadeImage:
        """The image; where its process dies, a second one shows whether the image is to blame."""
        for last in (False, True):
            try:
                return self._tried(order)
            except (WorkerDied, RunError, OSError) as problem:
                self.worker = None
                if last:
                    said = f"The process that made it failed twice: {problem}"
                    return MadeImage(order.image, None, said, fault=machine_fault(problem))
        raise AssertionError

    def _tried(self, order: ImageOrder) -> MadeImage:
        if self.worker is None:
            self.worker, self._begun, self._even = WorkerProcess(self.recipe), False, True
        self._even = False
        if not self._begun:
            self.worker.begin(self.scene, self.photo)
            self._begun = True
        made = self.worker.make(order)
        self._even = True
        return made

    def released(self) -> WorkerProcess | None:
        """The worker, ready for another scene; None where there is none any more."""
        if self.worker is not None and not self._even:
            self.worker.end()
            return None
        if self.worker is None or not self._begun:
            return self.worker
        try:
            self.worker.finish()
        except WorkerDied:
            return None
        return self.worker


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """What is started meanwhile begins deaf to Ctrl-C, which the terminal sends to all processes of a run."""
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve() -> None:
    """What a worker does: take a recipe and then scenes from its standard input until that ends, and give images."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    # What an extension prints must not get between the images.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # There is a process for each core already.
    calm_libraries()
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, messages), daemon=True).start()
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    try:
        worker = RenderWorker(messages.get())
    except Exception as problem:  # noqa: BLE001  a recipe may load a user's own file
        _answer(answers, _Refusal(sentence(problem)))
        return
    _answer(answers, "ready")
    while True:
        scene, photo = messages.get()
        # Orders come one at a time, so that what is left of a scene can still be given to others.
        for made in worker.make(scene, photo, iter(messages.get, None)):
            _answer(answers, made)


def _answer(answers: IO[bytes], message: Any) -> None:
    try:
        pickle.dump(message, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
    except OSError:
        _leave()


def _listen(stream: IO[bytes], messages: queue.SimpleQueue[Any]) -> None:
    """Pass on what the parent sends; when it is gone, nobody wants what is being made, however long that would take."""
    while True:
        try:
            messages.put(pickle.load(stream))
        except (OSError, EOFError, pickle.UnpicklingError):
            _leave()


def _watch_parent(parent: int) -> None:
    """Leave when the parent is gone, also where another process that it started holds its end of the pipe open."""
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(_WATCH_SECONDS)
    _leave()


def _leave() -> None:
    # Without cleaning up: the main thread may be in a network for minutes.
    os._exit(0)
