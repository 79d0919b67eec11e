"""Any callable object as the system under test."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.config.parts import PYTHON_OBJECT
from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.python_files import named
from anamorph.systems.callable import WITHOUT_QUESTIONS, Asking, ask_function
from anamorph.systems.functions.calling import Calling, ImageForm, calling_of

ADAPTER_VERSION = 1
BATCH = 8

_HOW = "Say it with anamorph.FunctionSystem(call, batch=..., questions=..., images=...)."


@dataclass(frozen=True, eq=False)
class FunctionSystem:
    """A function, a method or any other callable object as a system; what is None is found by its signature.

    `batch` says whether it takes a list of images, and how many; `questions` whether it takes a question beside each
    image; `images` whether these are RGB arrays ("array") or images of Pillow ("pil"). `own_fingerprint`, a text that
    changes whenever the answers could, lets answers be cached across runs.
    """

    kind: ClassVar[str] = PYTHON_OBJECT
    call: Callable[..., Any]
    batch: bool | int | None = None
    questions: bool | None = None
    images: ImageForm | None = None
    parallel: int = 1
    name: str = ""
    own_fingerprint: str | None = None
    answers_with: tuple[str, ...] = ()
    _asking: Asking = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.call, type):
            object.__setattr__(self, "call", _made(self.call))
        if not callable(self.call):
            raise UsageError(f"{self.call!r} cannot be called. Give a function, or an object with `__call__`.")
        if not isinstance(self.parallel, int) or self.parallel < 1:
            raise UsageError(f"parallel must be at least 1, got {self.parallel!r}.")
        if self.images not in (None, "array", "pil"):
            raise UsageError(f"images must be 'array' or 'pil', got {self.images!r}.")
        if self.batch is not None and (not isinstance(self.batch, int) or self.batch < 0):
            raise UsageError(f"batch must be true, false or a number of images, got {self.batch!r}.")
        name = self.name or name_of(self.call)
        object.__setattr__(self, "name", name)
        if None in (self.batch, self.questions, self.images):
            found = calling_of(self.call, name, _HOW)
            for field_name in ("batch", "questions", "images"):
                if getattr(self, field_name) is None:
                    object.__setattr__(self, field_name, getattr(found, field_name))
        if not self.questions and not self.answers_with:
            object.__setattr__(self, "answers_with", WITHOUT_QUESTIONS)
        calling = Calling(bool(self.batch), bool(self.questions), self.images or "array")
        object.__setattr__(self, "_asking", Asking(name, calling))

    @property
    def signature(self) -> str:
        return self._asking.signature

    @property
    def takes_text(self) -> bool:
        return bool(self.questions)

    @property
    def manner(self) -> Manner:
        several = BATCH if self.batch is True else int(self.batch or 1)
        # What a function closes over, such as the weights of a model, cannot be seen from here.
        return Manner(several, self.parallel, remembers=self._stated_fingerprint is not None)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        marks = {"kind": self.kind, "adapter": ADAPTER_VERSION, "name": self.name, "code": _code_digest(self.call)}
        stated = self._stated_fingerprint
        return marks if stated is None else {**marks, "own": stated}

    @property
    def _stated_fingerprint(self) -> str | None:
        stated = self.own_fingerprint or getattr(self.call, "fingerprint", None)
        if stated is not None and not isinstance(stated, str):
            raise UsageError(f"The `fingerprint` of {self.name} must be a string, got a {type(stated).__name__}.")
        return stated

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """One answer for each item; a Python function cannot be stopped, so the time limit is left to the engine."""
        return ask_function(self.call, batch, self._asking)

    def close(self) -> None:
        """The function belongs to whoever made it; only the loop of an async one ends."""
        self._asking.loop.close()


def _made(cls: type) -> Any:
    """An object of a class, made without arguments."""
    if not any("__call__" in vars(parent) for parent in cls.__mro__):
        raise UsageError(f"system: the class {cls.__qualname__} has no `__call__(self, images, questions)`.")
    try:
        return cls()
    except Exception as problem:
        raise UsageError(
            f"system: {cls.__qualname__} cannot be made without arguments ({named(problem)}). Give an object of it, "
            f"such as {cls.__name__}(...)."
        ) from problem


def refuse_class(argument: str, value: object) -> None:
    """Refuse a class where an object of it is meant."""
    if isinstance(value, type):
        raise UsageError(
            f"{argument}: {value.__qualname__} is a class. Give an object of it, such as {value.__name__}()."
        )


def name_of(call: object) -> str:
    """The name of a callable object in reports and errors."""
    name = getattr(call, "__qualname__", None) or type(call).__qualname__
    return str(name).replace("<locals>.", "")


def _code_digest(call: object) -> str | None:
    function = getattr(call, "__func__", call)
    if not hasattr(function, "__code__"):
        function = vars(type(function)).get("__call__")
    code = getattr(function, "__code__", None)
    return None if code is None else hashlib.sha256(marshal.dumps(code)).hexdigest()
