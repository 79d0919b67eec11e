"""From what a Python program has at hand (functions, arrays, paths, names, objects) to a checked configuration."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from anamorph import catalog
from anamorph.api.functions import FunctionSystem, name_of, refuse_class
from anamorph.api.photos import GivenPhotos, PhotoLike
from anamorph.config import Config, resolve, with_preset
from anamorph.config.parts import PYTHON_OBJECT
from anamorph.engine.default_method import DEEPTEST, with_method
from anamorph.engine.systems import BorrowedSystem
from anamorph.errors import BadRecord, UsageError
from anamorph.model import Method, SceneSource, System, encode

if TYPE_CHECKING:
    from anamorph.model import Pixels

SystemLike: TypeAlias = "System | Callable[..., Any] | str | Mapping[str, Any]"
ScenesLike: TypeAlias = "SceneSource | str | os.PathLike[str] | Mapping[str, Any] | Sequence[PhotoLike] | Pixels"
MethodsLike: TypeAlias = "str | Method | Sequence[str | Method]"

# Settings that have an argument of their own, which would otherwise contradict each other.
ARGUMENTS = ("methods", "scenes", "system", "out", "seed", "limit")


@dataclass(frozen=True, slots=True)
class Request:
    """A program's request: the configuration, and the photos that must be written into the run's folder."""

    config: Config
    photos: GivenPhotos | None = None


@dataclass(slots=True)
class _Gathered:
    plain: dict[str, Any]
    given: dict[str, Any] = field(default_factory=dict)
    photos: GivenPhotos | None = None


def request_of(
    system: SystemLike | None,
    scenes: ScenesLike,
    methods: MethodsLike | None,
    *,
    folder: Path,
    seed: int,
    limit: int | None,
    settings: Mapping[str, Any] | None,
) -> Request:
    """Check the arguments of a run; every error is one that the command line would give."""
    plain = plain_settings(settings, ARGUMENTS)
    if isinstance(preset := plain.get("preset"), str):
        plain = with_preset(preset, plain)
    made = _Gathered(plain)
    made.plain |= {"seed": seed, "out": str(folder)} | ({} if limit is None else {"limit": limit})
    if "load" in made.plain:
        # Extensions must be known before an argument can name one.
        resolve({"load": made.plain["load"]}, "settings")
    if methods is not None or system is None:
        _take_methods(made, DEEPTEST if methods is None else methods)
    _take_scenes(made, scenes, folder)
    if system is not None:
        take_system(made.plain, made.given, system)
    config = dataclasses.replace(resolve(made.plain), given=made.given)
    return Request(with_method(config)[0] if methods is None else config, made.photos)


def plain_settings(settings: Mapping[str, Any] | None, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """A copy of a table of settings, as a configuration file would have it."""
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise UsageError(f"settings: expected a table as in a configuration file, got a {type(settings).__name__}.")
    for name in arguments:
        if name in settings:
            raise UsageError(f"settings: {name!r} is an argument of its own. Give {name}=... instead.")
    return {str(key): copy.deepcopy(value) for key, value in settings.items()}


# --- methods --------------------------------------------------------------------------------------------------------


def _take_methods(made: _Gathered, methods: MethodsLike) -> None:
    one = isinstance(methods, str) or hasattr(methods, catalog.VERBS["methods"])
    several: Any = [methods] if one else methods
    if not isinstance(several, Iterable):
        raise UsageError(f"methods: expected names or methods, got {several!r}.")
    names: list[str] = []
    for method in several:
        name = method if isinstance(method, str) else _name_of_method(made, method)
        if name in names:
            raise UsageError(f"methods: {name!r} is there twice.")
        names.append(name)
    made.plain["methods"] = names


def _name_of_method(made: _Gathered, method: Any) -> str:
    refuse_class("methods", method)
    cls = type(method)
    plans = callable(getattr(method, catalog.VERBS["methods"], None))
    if not dataclasses.is_dataclass(cls) or not plans or not hasattr(cls, "kind"):
        raise UsageError(
            f"methods: {method!r} is not a method. Give a name, or a dataclass with `kind`, `plan` and `summarise`."
        )
    if not catalog.is_known("methods", cls):
        catalog.register(cls)
    kind = str(cls.kind)
    if kind in made.plain:
        raise UsageError(f"settings: {kind!r} has settings here, but methods has an object with its own.")
    made.plain[kind] = {name: value for name, value in encode(method).items() if name != "kind"}
    return kind


# --- system ---------------------------------------------------------------------------------------------------------


def take_system(plain: dict[str, Any], given: dict[str, Any], system: Any) -> None:
    """Put a system into a configuration: by its settings where these describe it, and the object itself."""
    if isinstance(system, str | Mapping):
        plain["system"] = system if isinstance(system, str) else dict(system)
        return
    if all(hasattr(system, name) for name in ("kind", "manner", "fingerprint", "ask", "close")):
        refuse_class("system", system)
        given["system"] = BorrowedSystem(system)
        plain["system"] = _table_of("systems", system) or {"kind": PYTHON_OBJECT, "name": _name(system)}
        return
    if not callable(system):
        raise UsageError(
            f"system: {system!r} cannot be called. Give a function, a system, or a text such as 'openai:gpt-4o-mini'."
        )
    function = FunctionSystem(system)
    given["system"] = function
    plain["system"] = {"kind": PYTHON_OBJECT, "name": function.name}


def _name(part: Any) -> str:
    return part.name if isinstance(part, FunctionSystem) else name_of(part)


def _table_of(group: str, part: Any) -> dict[str, Any] | None:
    """The settings from which the catalog makes the same part; None if it cannot."""
    if not dataclasses.is_dataclass(part) or not catalog.is_known(group, type(part)):
        return None
    if catalog.is_registered(group, str(getattr(part, "kind", ""))):
        return None
    try:
        return {**encode(part), "kind": part.kind}  # type: ignore[union-attr]
    except BadRecord:
        return None


# --- scenes ---------------------------------------------------------------------------------------------------------


def _take_scenes(made: _Gathered, scenes: Any, folder: Path) -> None:
    refuse_class("scenes", scenes)
    if isinstance(scenes, Mapping):
        made.plain["scenes"] = dict(scenes)
    elif isinstance(scenes, str):
        made.plain["scenes"] = scenes
    elif isinstance(scenes, os.PathLike):
        made.plain["scenes"] = {"kind": "folder", "path": os.fspath(scenes)}
    elif all(hasattr(scenes, name) for name in ("kind", "scan", "pixels")):
        made.given["scenes"] = scenes
        made.plain["scenes"] = _table_of("scenes", scenes) or {"kind": PYTHON_OBJECT, "name": _name(scenes)}
    else:
        made.photos = GivenPhotos.of(scenes, made.plain.get("limit"))
        made.plain["scenes"], source = made.photos.part(folder)
        if source is not None:
            made.given["scenes"] = source
