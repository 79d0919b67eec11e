"""Any callable object as the system under test."""

from __future__ import annotations

import collections.abc
import hashlib
import inspect
import marshal
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from anamorph.config.parts import PYTHON_OBJECT
from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, Failure, Manner, Pixels
from anamorph.systems.callable import ask_function

ADAPTER_VERSION = 1
BATCH = 8

ImageForm: TypeAlias = Literal["array", "pil"]

_BATCH_NAMES = frozenset({"images", "pictures", "photos", "imgs", "arrays", "batch"})
_QUESTION_NAMES = frozenset({"question", "questions", "prompt", "prompts", "query", "queries"})
_LISTS = (list, tuple, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
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

    def __post_init__(self) -> None:
        refuse_class("system", self.call)
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
            found = _taken(self.call, name)
            for field, value in zip(("batch", "questions", "images"), found, strict=True):
                if getattr(self, field) is None:
                    object.__setattr__(self, field, value)

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
            raise UsageError(f"The `fingerprint` of {self.name} must be a text, got a {type(stated).__name__}.")
        return stated

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """One answer for each item; a Python function cannot be stopped, so the time limit is left to the engine."""
        return ask_function(self._answers, batch, self.name)

    def close(self) -> None:
        """The function belongs to whoever made it."""

    def _answers(self, images: list[Pixels], questions: list[str | None]) -> Any:
        shown = [_pil(image) for image in images] if self.images == "pil" else images
        if self.batch:
            return self.call(shown, questions) if self.questions else self.call(shown)
        if self.questions:
            return [self.call(image, question) for image, question in zip(shown, questions, strict=True)]
        return [self.call(image) for image in shown]


def refuse_class(argument: str, value: object) -> None:
    """Refuse a class where an object of it is meant."""
    if isinstance(value, type):
        raise UsageError(
            f"{argument}: {value.__qualname__} is a class. Give an object of it, such as {value.__name__}()."
        )


def name_of(call: object) -> str:
    """What to call a callable object in reports and errors."""
    name = getattr(call, "__qualname__", None) or type(call).__qualname__
    return str(name).replace("<locals>.", "")


def _pil(image: Pixels) -> Any:
    from PIL import Image

    return Image.fromarray(image)


def _taken(call: Callable[..., Any], name: str) -> tuple[bool, bool, ImageForm]:
    """Whether a function takes a list of images, whether questions, and which form of images."""
    try:
        parameters = list(_signature(call).parameters.values())
    except (TypeError, ValueError) as problem:
        raise UsageError(f"The parameters of {name} cannot be seen. {_HOW}") from problem
    needed = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty]
    places = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    needed += [each.name for each in places[2:] if each.default is each.empty]
    if needed:
        raise UsageError(
            f"{name} needs {', '.join(map(repr, needed))}, but a system is given an image and perhaps a question. "
            "Wrap it, such as in a lambda."
        )
    if not places and not any(each.kind is each.VAR_POSITIONAL for each in parameters):
        raise UsageError(f"{name} takes no image. A system is called with an image, or with an image and a question.")
    if not places:
        raise UsageError(f"What {name} takes cannot be seen, because it takes anything (*args). {_HOW}")
    questions = len(places) > 1 and (
        places[1].default is inspect.Parameter.empty or places[1].name.lower() in _QUESTION_NAMES
    )
    first = places[0]
    listed = _is_list(first.annotation)
    batch = first.name.lower() in _BATCH_NAMES if listed is None else listed
    return batch, questions, "pil" if _is_pil(first.annotation) else "array"


def _signature(call: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(call, eval_str=True)
    except (NameError, AttributeError, SyntaxError):
        # An annotation that is only imported while types are checked.
        return inspect.signature(call)


def _is_list(annotation: Any) -> bool | None:
    """Whether an annotation stands for several images; None where it does not say."""
    if annotation is inspect.Parameter.empty or annotation is Any:
        return None
    if isinstance(annotation, str):
        return annotation.lower().startswith(("list", "tuple", "sequence", "iterable", "collection"))
    origin = typing.get_origin(annotation) or annotation
    return isinstance(origin, type) and origin in _LISTS


def _is_pil(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return "Image" in annotation
    if isinstance(annotation, type) and annotation.__module__.startswith("PIL."):
        return True
    return any(_is_pil(each) for each in typing.get_args(annotation) if not isinstance(each, str))


def _code_digest(call: object) -> str | None:
    function = getattr(call, "__func__", call)
    if not hasattr(function, "__code__"):
        function = vars(type(function)).get("__call__")
    code = getattr(function, "__code__", None)
    return None if code is None else hashlib.sha256(marshal.dumps(code)).hexdigest()
