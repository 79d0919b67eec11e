"""Everything about a run that can be checked without asking: its parts, weights, pools, extras and output folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from anamorph.config import Config
from anamorph.engine.default_method import SOURCES_OF, hint_of, require_methods
from anamorph.engine.systems import BorrowedSystem, make_system, make_witness, require_suitable
from anamorph.errors import AnamorphError, RunError, UsageError
from anamorph.model import READING_KINDS, Scene, Skip, System
from anamorph.model.protocols import InpainterOptions, MethodOptions, SystemOptions

if TYPE_CHECKING:
    from anamorph.engine.trial import Trial
    from anamorph.store.run import RunStore

# Scenes that are looked at for the classes of their objects, no pixels among them.
_MOST_SCANNED = 1_000


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """One thing that a run needs: what was found, or the problem with it."""

    what: str
    note: str = ""
    problem: AnamorphError | None = None


class Preflight:
    """Checks a run part by part, and holds the system that it made for that until it is closed."""

    def __init__(self, config: Config, folder: Path) -> None:
        self._config, self._folder = config, folder
        self._made: System | None = None
        self._classes: dict[str, None] = {}

    def __enter__(self) -> Preflight:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._made is not None:
            self._made.close()

    def results(self, *, look: bool) -> Iterator[PreflightResult]:
        """Check one thing after another; with `look`, scenes are scanned, as far as their classes need it."""
        checks: list[tuple[str, Callable[[], str]]] = [
            ("methods", self._methods),
            ("scenes", self._first_scene if look else self._scenes),
            ("system", self._system),
            ("readers", self._readers),
        ]
        if "segmenter" in self._config.plain:
            checks.append(("segmenter", self._segmenter))
        if "confirm_with" in self._config.plain:
            checks.append(("witness", self._witness))
        checks += [(f"pool {pool}", partial(self._pool, pool)) for pool in self._config.pools()]
        checks += [(f"inpainter {name}", partial(self._inpainter, name)) for name in self._inpainters()]
        checks += [(f"painter {name}", partial(self._painter, name)) for name in self._painters()]
        checks.append(("output folder", self._output))
        for what, check in checks:
            try:
                yield PreflightResult(what, check())
            except AnamorphError as problem:
                yield PreflightResult(what, problem=problem)

    def trial(self) -> Trial:
        """The system's answer about one real photo; `results` must have found no problem."""
        from anamorph.engine.trial import try_one

        assert self._made is not None
        return try_one(self._config, self._made, self._classes)

    def checked(self) -> Config:
        """The configuration with the system already made, so that no model is loaded twice; or the first problem."""
        for result in self.results(look=False):
            if result.problem is not None:
                raise result.problem
        assert self._made is not None
        return replace(self._config, given={**self._config.given, "system": BorrowedSystem(self._made)})

    def _methods(self) -> str:
        require_methods(self._config)
        return ", ".join(method.kind for method in self._config.methods)

    def _scenes(self) -> str:
        return self._config.scenes().kind

    def _first_scene(self) -> str:
        source, skipped, first = self._config.scenes(), 0, ""
        methods, limit = self._config.methods, self._config.settings.limit or _MOST_SCANNED
        looks = any(MethodOptions.names_classes.of(each) or MethodOptions.needs.of(each) for each in methods)
        most, whole, there = min(limit, _MOST_SCANNED) if looks else 1, True, set[str]()
        for place, found in enumerate(source.scan()):
            if first and place >= most:
                whole = place >= limit
                break
            if isinstance(found, Scene):
                first = first or found.id
                self._classes.update(dict.fromkeys(thing.label for thing in found.things))
                there |= {need for need in SOURCES_OF if getattr(found, need)}
            skipped += isinstance(found, Skip)
        if first:
            there |= {"things"} if "segmenter" in self._config.plain else set()
            for method in methods if whole and looks else ():
                needs = MethodOptions.needs.of(method)
                if needs and not there.intersection(needs):
                    raise UsageError(f"{method.kind} has nothing to test here: {hint_of(needs)}.")
            return f"{source.kind}, the first is {first}"
        raise UsageError(f"The scene source has no usable photo: every one of {skipped} was skipped.")

    def _system(self) -> str:
        self._made = make_system(self._config)
        require_suitable(self._config, self._made)
        # Makes the object of a class, and finds the weights of a model.
        _ = self._made.fingerprint
        return system_line(self._made)

    def _readers(self) -> str:
        """Who reads; with a class that no answer can name, the run could not pass."""
        from anamorph.engine.vocabulary import naming_advice, reading_line, unnameable_classes

        for kind in READING_KINDS:
            self._config.readers().reader(self._config.readers().name_of(kind))
        silent = unnameable_classes(self._config, self._classes)
        if silent:
            raise UsageError(naming_advice(silent, self._config.settings.labels))
        return reading_line(self._config)

    def _segmenter(self) -> str:
        segmenter = self._config.segmenter()
        assert segmenter is not None
        _ = segmenter.fingerprint
        return segmenter.kind

    def _witness(self) -> str:
        system = make_witness(self._config)
        assert system is not None
        try:
            gives = SystemOptions.answers_with.of(system)
            if gives and "answer" not in gives:
                raise UsageError(
                    f"confirm_with: {system.kind!r} answers with {' or '.join(gives)}, and must answer questions."
                )
            _ = system.fingerprint
            return system_line(system)
        finally:
            system.close()

    def _pool(self, folder: str) -> str:
        from anamorph.pools.folder import Pool

        count = len(Pool.open(Path(folder)).entries)
        return "1 cut-out" if count == 1 else f"{count} cut-outs"

    def _inpainters(self) -> list[str]:
        chosen = {MethodOptions.inpainter.of(method) for method in self._config.methods}
        return sorted({*self._config.plain.get("inpainters", {}), *(name for name in chosen if isinstance(name, str))})

    def _inpainter(self, name: str) -> str:
        _ = InpainterOptions.fingerprint.of(self._config.inpainters()[name])
        return "ready"

    def _painters(self) -> list[str]:
        # A painter with a table that no method uses needs no library and no weights.
        wanted = {MethodOptions.wants_painter.of(method) for method in self._config.methods}
        return sorted(name for name in wanted if name is not None)

    def _painter(self, name: str) -> str:
        _ = self._config.painters()[name].fingerprint
        return "ready"

    def _output(self) -> str:
        check_output(self._folder)
        return str(self._folder)


def system_line(system: System) -> str:
    """The kind of a system, where photos are sent, and how it is called."""
    manner, address = system.manner, SystemOptions.contacts.of(system)
    where = "" if address is None else f", contacts {address}"
    called = SystemOptions.signature.of(system)
    how = f", called as {called}" if called else ""
    batch = f", {manner.batch} images a call" if manner.batch > 1 else ""
    return f"{system.kind}{where}{how}{batch}"


def check_output(folder: Path) -> None:
    """Refuse a folder that holds a run or cannot be made; nothing is made."""
    from anamorph.store.run import RUN_FILE

    if (folder / RUN_FILE).exists():
        raise RunError(
            f"{folder}: holds a run already. Continue it with `anamorph resume {folder}`, or choose another --out."
        )
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise RunError(f"{folder}: cannot be made ({there} is not a folder).")
    if not os.access(there, os.W_OK | os.X_OK):
        raise RunError(f"{folder}: cannot be made (no permission to write to {there}).")


def is_untouched(store: RunStore) -> bool:
    """Whether nothing was rendered or asked yet: such a run only blocks the next attempt where it failed to start."""
    return not store.count("answers") and not store.images.root.exists()
