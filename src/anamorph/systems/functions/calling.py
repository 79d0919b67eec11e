"""The calling form of a function, by signature: one image or several, with or without questions."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from anamorph.errors import UsageError
from anamorph.model import Pixels

ImageForm: TypeAlias = Literal["array", "pil"]

FORMS = "f(image), f(image, question), f(images) or f(images, questions)"
_SEVERAL = frozenset({"images", "pictures", "photos", "imgs", "arrays", "frames", "batch", "xs"})
_ONE = frozenset({"image", "picture", "photo", "img", "array", "frame", "pixels"})
_QUESTION = frozenset({"question", "prompt", "query"})
_QUESTIONS = frozenset({"questions", "prompts", "queries"})
_LISTS = (list, tuple, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)


@dataclass(frozen=True, slots=True)
class Calling:
    """Whether a function takes a list of images, whether questions, and which form of images."""

    batch: bool
    questions: bool
    images: ImageForm = "array"

    def call(
        self, function: Callable[..., Any], images: Sequence[Pixels | None], questions: Sequence[str | None]
    ) -> Any:
        """The function's answers for some images: its own list, or one of single answers."""
        shown = list(images) if self.images == "array" else [_pil(image) for image in images]
        if self.batch:
            return function(shown, list(questions)) if self.questions else function(shown)
        if self.questions:
            return [function(image, question) for image, question in zip(shown, questions, strict=True)]
        return [function(image) for image in shown]

    def shown(self, name: str) -> str:
        """The call in words, such as caption(images, questions)."""
        image = "images" if self.batch else "image"
        pillow = ": PIL" if self.images == "pil" else ""
        question = "" if not self.questions else ", questions" if self.batch else ", question"
        return f"{name}({image}{pillow}{question})"


def calling_of(function: Callable[..., Any], name: str, how: str = "") -> Calling:
    """The calling form of a function, an object or a class's instances; UsageError if the signature does not tell.

    `how` is another way to state it, for the error.
    """
    try:
        parameters = _parameters(function)
    except (TypeError, ValueError) as problem:
        raise UsageError(f"The parameters of {name} cannot be seen. {how or _wrap(name)}") from problem
    needed = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty]
    places = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    needed += [each.name for each in places[2:] if each.default is each.empty]
    if needed:
        raise UsageError(
            f"{name} needs {', '.join(map(repr, needed))}, but a system is given an image and perhaps a question. "
            "Wrap it, such as in a lambda."
        )
    if not places and not any(each.kind is each.VAR_POSITIONAL for each in parameters):
        raise UsageError(f"{name} takes no image. A system is called as {FORMS}.")
    if not places:
        raise UsageError(f"{name} takes anything (*args), so how to call it cannot be seen. {how or _wrap(name)}")
    first, second = places[0], places[1] if len(places) > 1 else None
    questions = second is not None and (
        second.default is inspect.Parameter.empty or second.name.lower() in _QUESTION | _QUESTIONS
    )
    batch = _takes_several(first, second if questions else None, name)
    return Calling(batch, questions, "pil" if _is_pil(first.annotation) else "array")


def _wrap(name: str) -> str:
    return f"Wrap {name} in a function with named parameters: {FORMS}."


def _takes_several(first: inspect.Parameter, second: inspect.Parameter | None, name: str) -> bool:
    """Whether it takes lists, by annotation or else by the names, which must agree."""
    image, listed = first.name.lower(), _is_list(first.annotation)
    says = listed if listed is not None else True if image in _SEVERAL else False if image in _ONE else None
    other = None if second is None else second.name.lower()
    of_question = True if other in _QUESTIONS else False if other in _QUESTION else None
    if says is not None and of_question is not None and says != of_question:
        raise UsageError(
            f"{name}({first.name}, {other}) names one image and several questions, or the other way round. Use "
            "(image, question) or (images, questions)."
        )
    return bool(of_question if says is None else says)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    if isinstance(function, type):
        # An instance of the class is called: its first parameter is the instance.
        return list(_signature(function.__call__).parameters.values())[1:]
    return list(_signature(function).parameters.values())


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function, eval_str=True)
    except (NameError, AttributeError, SyntaxError):
        # An annotation imported only for type checking.
        return inspect.signature(function)


def _is_list(annotation: Any) -> bool | None:
    """Whether an annotation means several images; None if unknown."""
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


def _pil(image: Pixels | None) -> Any:
    from PIL import Image

    return None if image is None else Image.fromarray(image)
