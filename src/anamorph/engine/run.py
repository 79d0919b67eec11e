"""A whole run, from scenes to verdicts, and the ways to continue one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from anamorph.config import Config, part_from_text, resolve
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.events import Event
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.errors import RunError, UsageError
from anamorph.model import System
from anamorph.model.protocols import MethodOptions, SystemOptions
from anamorph.store.run import RUN_FILE, RunStore


def start(config: Config, folder: Path) -> RunStore:
    """Make the folder of a new run and keep its configuration there."""
    return RunStore.create(folder, {"config": config.plain, "directory": str(Path.cwd())})


def carry_out(store: RunStore, config: Config, *, accept_changed_system: bool = False) -> Iterator[Event]:
    """Do all that is left to do of a run."""
    yield from plan_stage(store, config)
    system = config.system()
    try:
        require_suitable(config, system)
        _check_fingerprint(store, system, accept=accept_changed_system)
        yield from ask_stage(store, config, system)
    finally:
        system.close()
    yield from judge_stage(store, config.readers(), config.settings.ask.repeats)


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
    yield from judge_stage(store, config.readers(), config.settings.ask.repeats)


def config_of(store: RunStore) -> Config:
    """The configuration that a run was started with."""
    plain = store.fact("config")
    if plain is None:
        raise RunError(f"{store.folder / RUN_FILE}: facts.config is missing, so nobody knows what this run is.")
    return resolve(plain, f"{store.folder / RUN_FILE}: config")


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
    return config


def _check_fingerprint(store: RunStore, system: System, *, accept: bool) -> None:
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
