"""A whole run, from scenes to verdicts, and the ways to continue one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config, part_from_text, resolve
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.confirm import confirm_stage, confirms, settle
from anamorph.engine.events import Event
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.errors import RunError, UsageError
from anamorph.model import System
from anamorph.model.protocols import MethodOptions, SystemOptions
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.signing import is_own, sign

# Methods of a run whose classes were registered by a Python program, and are in no package or file.
PROGRAM_METHODS = "program_methods"


def start(config: Config, folder: Path) -> RunStore:
    """Make the folder of a new run and keep its configuration there."""
    facts = {"config": config.plain, "directory": str(Path.cwd())}
    own = [method.kind for method in config.methods if catalog.is_registered("methods", method.kind)]
    return RunStore.create(folder, {**facts, PROGRAM_METHODS: own} if own else facts)


def carry_out(store: RunStore, config: Config, *, accept_changed_system: bool = False) -> Iterator[Event]:
    """Do all that is left to do of a run."""
    yield from plan_stage(store, config)
    system = config.system()
    try:
        require_suitable(config, system)
        check_fingerprint(store, system, accept=accept_changed_system)
        yield from ask_stage(store, config, system)
        yield from judge_stage(store, config.readers(), config.settings.ask.repeats, config.unloaded)
        if confirms(config, system):
            yield from confirm_stage(store, config, system)
        else:
            yield from settle(store, config)
    finally:
        system.close()


def require_suitable(config: Config, system: System) -> None:
    """Refuse a system whose answers are not what a method tests, where both say which these are."""
    gives = SystemOptions.answers_with.of(system)
    for method in config.methods:
        wants = MethodOptions.suits.of(method)
        if gives and wants and not set(gives) & set(wants):
            raise UsageError(
                f"The method {method.kind!r} tests systems that answer with {_in_words(wants)}, "
                f"and {system.kind!r} with these settings answers with {_in_words(gives)}."
            )


def _in_words(forms: Sequence[str]) -> str:
    return " or ".join({"caption": "captions", "answer": "answers to questions"}.get(form, form) for form in forms)


def rejudge(store: RunStore, config: Config) -> Iterator[Event]:
    """Judge stored answers again; the system is not asked."""
    if not store.fact("planned"):
        raise RunError(
            f"{store.folder}: the plan of this run is not finished. Use `anamorph resume {store.folder}` first."
        )
    yield from judge_stage(store, config.readers(), config.settings.ask.repeats, config.unloaded)
    yield from settle(store, config)


def config_of(store: RunStore, *, reading: bool = False, trust: bool = False) -> Config:
    """The configuration that a run was started with; for `reading`, without methods that only a Python program has.

    That of a run which somebody else made names what it likes: without `trust`, nothing of it is loaded or started.
    """
    plain = dict(stored_config(store))
    unknown = [name for name in store.fact(PROGRAM_METHODS, []) if name not in catalog.names("methods")]
    if unknown and not reading:
        raise RunError(
            f"{store.folder}: the method {unknown[0]!r} is a class of the Python program that began this run. Continue "
            "there with `Run.resume()`, or register the class first (`anamorph.register`, --load FILE.py)."
        )
    if unknown:
        plain = {key: value for key, value in plain.items() if key not in unknown}
        plain["methods"] = [name for name in plain.get("methods", []) if name not in unknown]
    return resolve(plain, f"{store.folder / RUN_FILE}: config", trusted=trust or is_own(store))


def stored_config(store: RunStore) -> Mapping[str, Any]:
    """The configuration of a run as it stands in its file, unchecked."""
    plain = store.fact("config")
    if plain is None:
        raise RunError(f"{store.folder / RUN_FILE}: facts.config is missing, so nobody knows what this run is.")
    if not isinstance(plain, Mapping):
        raise RunError(f"{store.folder / RUN_FILE}: facts.config is not a table.")
    return plain


def adopt(store: RunStore) -> None:
    """Make a run that somebody else made this user's own, once its configuration was seen and trusted."""
    with store.transaction():
        sign(store)


def change_config(
    store: RunStore, config: Config, *, system: str | None, budget: float | None, price: float | None
) -> Config:
    """Give a run a system, which it must not have had yet, or another budget or price; None changes nothing."""
    if system is not None:
        if store.fact("fingerprint") is not None:
            raise RunError(f"{store.folder}: was begun with a system already; start a new run to test another one.")
        config = resolve({**config.plain, "system": part_from_text("system", system)}, "--system")
    prices = {name: value for name, value in (("budget", budget), ("price", price)) if value is not None}
    if prices:
        config = resolve({**config.plain, "ask": {**config.plain.get("ask", {}), **prices}}, "resume")
    if system is not None or prices:
        with store.transaction():
            store.set_fact("config", config.plain)
            sign(store)
    return config


def check_fingerprint(store: RunStore, system: System, *, accept: bool) -> None:
    """Refuse a system that is not the one that the run began with, unless that is accepted."""
    now = {"kind": system.kind, **system.fingerprint}
    before = store.fact("fingerprint")
    if before is not None and before != now and not accept:
        changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        raise RunError(
            f"{store.folder}: the system changed since this run began ({', '.join(changed)}). Its earlier answers "
            "would be mixed with new ones: start a new run, or add --accept-changed-system if it answers as before."
        )
    with store.transaction():
        store.set_fact("fingerprint", now)
