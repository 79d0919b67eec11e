"""A Python function or class as the system under test."""

from __future__ import annotations

import functools
import hashlib
import importlib
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from anamorph.errors import Refused, SystemDown, Transient, UsageError, did_you_mean
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.python_files import is_ctrl_c, load_module, named
from anamorph.systems.functions.calling import Calling, calling_of
from anamorph.systems.functions.event_loop import EventLoop
from anamorph.systems.replies.answers import BadReply, answer_of, show

ADAPTER_VERSION = 1

# The kinds of answers of a function without questions.
WITHOUT_QUESTIONS = ("caption", "labels")
_PILLOW = " An image is a numpy array; annotate the parameter, `image: PIL.Image.Image`, to get images of Pillow."
_FORMS = "module:function or path/to/file.py:function"


@dataclass(frozen=True, slots=True)
class CallableSystem:
    """Ask a Python function or class: RGB arrays and perhaps questions in, strings or {label: score} out."""

    kind: ClassVar[str] = "callable"
    environment: ClassVar[tuple[str, ...]] = ("*",)
    target: str = setting(help="The function or class, as module:function or path/to/file.py:function.")
    batch: int = setting(8, "The batch size of a function that takes a list.", least=1)
    parallel: int = setting(1, "The most concurrent calls, each in its own thread.", least=1)
    _found: _Found = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        place, _, attribute = self.target.rpartition(":")
        if not place or not attribute:
            raise UsageError(f"The callable {self.target!r} does not say what to call. Write it as {_FORMS}.")
        is_file = place.endswith(".py") or "/" in place
        folder = str(Path(place).absolute().parent if is_file else Path.cwd())
        with _import_path(folder, first=True):
            module = load_module(Path(place)) if is_file else _module_of_name(place)
        object.__setattr__(self, "_found", _Found(self.target, module, attribute, folder))

    @property
    def manner(self) -> Manner:
        return Manner(batch=self.batch if self._found.calling.batch else 1, parallel=self.parallel)

    @property
    def signature(self) -> str:
        return self._found.asking.signature

    @property
    def takes_text(self) -> bool:
        return self._found.calling.questions

    @property
    def answers_with(self) -> tuple[str, ...]:
        """Unknown for a function with questions; one of these for a function without."""
        return () if self._found.calling.questions else WITHOUT_QUESTIONS

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        found = self._found
        marks = {"kind": self.kind, "adapter": ADAPTER_VERSION, "target": self.target, "sources": found.sources}
        own = getattr(found.ready(), "fingerprint", None)
        if own is None:
            return marks
        if not isinstance(own, str):
            raise UsageError(f"The `fingerprint` of the callable {self.target!r} must be a string, got {show(own)}.")
        return {**marks, "own": own}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        call = self._found.ready()
        with _import_path(self._found.folder, first=False):
            return ask_function(call, batch, self._found.asking)

    def close(self) -> None:
        self._found.asking.loop.close()


@dataclass(slots=True, eq=False)
class Asking:
    """How to ask a function: its name in errors, its calling form, and whether a call ever returned enough answers."""

    name: str
    calling: Calling
    loop: EventLoop = field(default_factory=EventLoop)
    worked: bool = False

    @property
    def signature(self) -> str:
        return self.calling.shown(self.name.rpartition(":")[2])


def ask_function(call: Callable[..., Any], batch: Sequence[Ask], asking: Asking) -> list[Answer | Failure]:
    """A function's answers, one for each image; SystemDown for a wrong number of answers before any right one."""
    name = asking.name
    try:
        images = [None if ask.textual else ask.load() for ask in batch]
    except OSError as problem:
        raise Refused(f"An image for {name} cannot be loaded: {named(problem)}.") from problem
    try:
        result = asking.loop.settled(asking.calling.call(call, images, [ask.question for ask in batch]))
        # A generator runs the user's code here.
        values = list(result) if _is_listlike(result) else None
    except (TimeoutError, ConnectionError) as problem:
        raise Transient(_blame(name, problem)) from problem
    except BaseException as problem:
        # SystemExit, CancelledError or pytest's Skipped would silently end the engine's thread.
        if is_ctrl_c(problem):
            raise
        raise Refused(_blame(name, problem)) from problem
    if values is None or len(values) != len(batch):
        came = f"returned {show(result)}" if values is None else f"returned {_counted(len(values), 'answer')}"
        message = (
            f"{name} was given {_counted(len(batch), 'image')} and {came}. Called as {asking.signature}, it "
            "must return a list with one answer for each image; a function of one image has a parameter `image`."
        )
        # On the first call, all would fail; later, one bad image may be the reason.
        raise Refused(message) if asking.worked else SystemDown(message)
    asking.worked = True
    return [_reply(value, asking) for value in values]


def _counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _reply(value: object, asking: Asking) -> Answer | Failure:
    try:
        return answer_of(value)
    except BadReply as problem:
        listed = isinstance(value, list) and not asking.calling.batch
        hint = " A function that takes several images has a parameter `images`." if listed else ""
        return Failure(f"{asking.name}: {problem}.{hint}")


def _blame(name: str, problem: BaseException) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    array = isinstance(problem, AttributeError) and isinstance(problem.obj, np.ndarray)
    return f"{name} raised {named(problem)}{where}.{_PILLOW if array else ''}"


def _is_listlike(result: object) -> bool:
    return isinstance(result, Iterable) and not isinstance(result, str | bytes | Mapping | Set)


# --- finding the function -------------------------------------------------------------------------------------------

_path_lock = threading.Lock()
_path_uses: dict[tuple[str, bool], int] = {}


@contextmanager
def _import_path(folder: str, first: bool) -> Iterator[None]:
    """Put a folder on the import path: first while a module loads, last while it runs."""
    key = (folder, first)
    with _path_lock:
        _path_uses[key] = _path_uses.get(key, 0) + 1
        if _path_uses[key] == 1:
            sys.path.insert(0 if first else len(sys.path), folder)
    try:
        yield
    finally:
        with _path_lock:
            _path_uses[key] -= 1
            if not _path_uses[key]:
                del _path_uses[key]
                _drop(folder, first)


def _drop(folder: str, first: bool) -> None:
    positions = [i for i, entry in enumerate(sys.path) if entry == folder]
    if positions:
        del sys.path[positions[0 if first else -1]]


def _module_of_name(name: str) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name is not None and (name == problem.name or name.startswith(f"{problem.name}.")):
            raise UsageError(
                f"The module {problem.name!r} of the callable {name!r} is neither in {Path.cwd()} nor installed."
                f" Write it as {_FORMS}."
            ) from problem
        raise UsageError(f"The module {name!r} cannot be imported: {named(problem)}.") from problem
    except BaseException as problem:
        if is_ctrl_c(problem):
            raise
        raise UsageError(f"The module {name!r} cannot be imported: {named(problem)}.") from problem


class _Found:
    """The target of a callable; a class is instantiated on first use, because it may load a model."""

    def __init__(self, target: str, module: ModuleType, attribute: str, folder: str) -> None:
        self.folder = folder
        self._target = target
        self._lock = threading.Lock()
        self._thing = _attribute(module, attribute, target)
        self._ready: Callable[..., Any] | None = None if isinstance(self._thing, type) else self._thing
        if not callable(self._thing):
            raise UsageError(
                f"{target!r} names {show(self._thing)}, which cannot be called. Name a function or a class."
            )
        # Not `callable`: a class can always be called, to instantiate it.
        if isinstance(self._thing, type) and not any("__call__" in vars(parent) for parent in self._thing.__mro__):
            raise UsageError(f"The class of {target!r} needs a method `__call__(self, images, questions)`.")
        self.sources = _sources(module, self._thing)
        self.calling = calling_of(self._thing, target)
        self.asking = Asking(target, self.calling)

    def ready(self) -> Callable[..., Any]:
        """The function, or the instance of the class."""
        with self._lock:
            if self._ready is None:
                try:
                    with _import_path(self.folder, first=True):
                        self._ready = self._thing()
                except BaseException as problem:
                    if is_ctrl_c(problem):
                        raise
                    raise UsageError(
                        f"The class of {self._target!r} cannot be instantiated without arguments: {named(problem)}."
                    ) from problem
            return self._ready


def _attribute(module: ModuleType, attribute: str, target: str) -> Any:
    try:
        return functools.reduce(getattr, attribute.split("."), module)
    except AttributeError:
        known = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        raise UsageError(
            f"The callable {target!r} does not exist: {module.__file__ or module.__name__} has no {attribute!r}."
            f"{did_you_mean(attribute, known)}"
        ) from None


def _sources(module: ModuleType, found: Any) -> list[str]:
    """The sha256 of the named module's file, and of the file that defines the function if different."""
    defining = sys.modules.get(getattr(found, "__module__", None) or "")
    files = dict.fromkeys(getattr(part, "__file__", None) for part in (module, defining))
    return [_sha256(Path(name)) for name in files if name and Path(name).is_file()]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
