"""A whole run, from scenes to verdicts, and the ways to continue one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config, part_from_text, resolve
from anamorph.config.readers import DEFAULT_READERS, RunReaders
from anamorph.engine.ask.stage import AskingOrder, ask_stage
from anamorph.engine.budget import Spending, read_spending
from anamorph.engine.causes import causes_stage
from anamorph.engine.events import Event, ProofPlanned
from anamorph.engine.floor import floor_stage
from anamorph.engine.further import Further, wants_rounds
from anamorph.engine.judge import Claims, judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.prove.evidence import EvidenceKind, evidence_of, keep_evidence
from anamorph.engine.prove.stage import plan_proofs, settle_stage
from anamorph.engine.read import read_stage
from anamorph.engine.requests import write_next_requests
from anamorph.engine.stopping import StopRules
from anamorph.engine.systems import make_system, make_witness, require_suitable
from anamorph.errors import RunError, UsageError, did_you_mean
from anamorph.model import Answer, System
from anamorph.model.protocols import MethodOptions, SystemOptions
from anamorph.store.answers import Asked, count_pending
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.signing import is_own, sign

# Methods of a run whose classes were registered by a Python program, and are in no package or file.
PROGRAM_METHODS = "program_methods"
# What neither the plan of a run nor its images depend on. Not the gate: commands take limits for themselves.
CHANGEABLE = ("ask", "cache", "confirm_with", "engine", "labels", "prove", "questions", "ray", "readers", "system")
# Of what is left of a budget, this share is kept for proving suspicions where the system itself proves them; nothing
# once less than the other share of the whole budget is left.
KEPT_FOR_PROVING, LEAST_TO_SHARE = 0.25, 0.1


def start(config: Config, folder: Path) -> RunStore:
    """Make the folder of a new run and keep its configuration there."""
    facts = {"config": config.plain, "directory": str(Path.cwd())}
    own = [method.kind for method in config.methods if catalog.is_registered("methods", method.kind)]
    return RunStore.create(folder, {**facts, PROGRAM_METHODS: own} if own else facts)


def carry_out(store: RunStore, config: Config, *, accept_changed_system: bool = False) -> Iterator[Event]:
    """Do all that is left to do of a run."""
    yield from plan_stage(store, config)
    system = make_system(config)
    # Its word lists take a fifth of a second, for which the system need not wait.
    reading = threading.Thread(target=_read_once, args=(config.readers(),), name="anamorph-readers")
    try:
        require_suitable(config, system)
        check_fingerprint(store, system, accept=accept_changed_system)
        reading.start()
        evidence = evidence_of(store, config, system)
        keep_evidence(store, evidence)
        rules, shares = StopRules.of(config.settings.ask), evidence == "answers"
        while True:
            before = read_spending(store, config.settings.ask)
            kept = kept_for_proving(before) if shares else 0.0
            yield from asked_in_rounds(store, config, system, AskingOrder.of_plan(config, rules, kept))
            yield from judged_and_proved(store, config, system, evidence)
            after = read_spending(store, config.settings.ask)
            if not kept or rules.rule is not None or not after.exhausted:
                break
            # What was kept for proving and not needed pays for more of the plan.
            shares = after.spent != before.spent
    finally:
        if reading.ident is not None:
            reading.join()
        config.readers().close()
        system.close()


def _read_once(readers: RunReaders) -> None:
    """Have the reader of captions load what it needs, if it is ours; what is wrong with it shows when it is needed."""
    if readers.name_of("caption") == DEFAULT_READERS["caption"]:
        with contextlib.suppress(Exception):
            readers.read("caption", Answer("a photo"))


def asked_in_rounds(store: RunStore, config: Config, system: System, order: AskingOrder) -> Iterator[Event]:
    """Ask what is planned, and what methods plan with the answers, until nothing is new or asking stopped."""
    yield from ask_stage(store, config, system, order)
    offline = SystemOptions.offline.of(system) is not None
    further = Further(store, config, together=offline)
    while wants_rounds(config.methods) and order.rules.rule is None:
        if offline and count_pending(store, config.settings.ask.repeats, "planned"):
            # The next round needs answers that are made elsewhere.
            return
        planned = list(further.next_round())
        yield from planned
        if not planned:
            return
        yield from ask_stage(store, config, system, order)
        if read_spending(store, config.settings.ask).exhausted:
            return


def kept_for_proving(spending: Spending) -> float:
    """How much of the budget the plan's own questions leave to those that prove what they raise."""
    if spending.budget is None:
        return 0.0
    left = spending.budget - (spending.spent or 0.0)
    return KEPT_FOR_PROVING * left if left > LEAST_TO_SHARE * spending.budget else 0.0


def judged_and_proved(store: RunStore, config: Config, system: System, evidence: EvidenceKind) -> Iterator[Event]:
    """Judge what was answered, prove what that raises, and find what is behind it."""
    claims = Claims(store, config.unloaded)
    yield from read_stage(store, config, claims)
    yield from judge_stage(store, config.readers(), config.settings.ask.repeats, claims)
    witness = make_witness(config) if evidence == "witness" else None
    try:
        if evidence != "captions":
            yield from proof_rounds(store, config, witness or system, "proving" if witness is None else "witness")
    finally:
        if witness is not None:
            witness.close()
    yield from settle_stage(store, config, claims)
    floor_stage(store, config, claims)
    causes_stage(store)
    yield from write_next_requests(store, config, system)


def proof_rounds(store: RunStore, config: Config, asked: System, which: Asked) -> Iterator[Event]:
    """Plan closed questions and ask them, until no suspicion needs another one."""
    planned = count_pending(store, config.settings.ask.repeats, which) > 0
    while True:
        # What an earlier part of the run planned, and did not get to, comes first.
        if planned:
            yield from ask_stage(store, config, asked, AskingOrder.of_proofs(config, which))
        planned = False
        for event in plan_proofs(store, config):
            planned |= isinstance(event, ProofPlanned)
            yield event
        if not planned:
            return


def rejudge(store: RunStore, config: Config, profile: str | None = None) -> Iterator[Event]:
    """Judge stored answers again, perhaps as a profile that some of the methods have; the system is not asked."""
    known = sorted({each for method in config.methods for each in MethodOptions.profiles.of(method)})
    if profile is not None and profile not in known:
        offer = f"They have {', '.join(known)}." if known else "They have none."
        raise UsageError(f"--profile {profile}: no method of this run has such a profile. {offer}")
    if not store.fact("planned"):
        raise RunError(
            f"{store.folder}: the plan of this run is not finished. Use `anamorph resume {store.folder}` first."
        )
    claims = Claims(store, config.unloaded, config.methods, profile)
    yield from read_stage(store, config, claims)
    yield from judge_stage(store, config.readers(), config.settings.ask.repeats, claims)
    yield from settle_stage(store, config, claims)
    floor_stage(store, config, claims)
    causes_stage(store)


def config_of(store: RunStore, *, reading: bool = False, trust: bool = False) -> Config:
    """The configuration that a run was started with; for `reading`, without methods that only a Python program has.

    Another user's run may name anything: without `trust`, nothing of it is loaded or started.
    """
    plain = dict(stored_config(store))
    unknown = [name for name in store.fact(PROGRAM_METHODS, []) if name not in catalog.names("methods")]
    if unknown and not reading:
        raise RunError(
            f"{store.folder}: the method {unknown[0]!r} is a class of the Python program that began this run. Continue "
            "there with `Run.resume()`, or register the class first (`anamorph.register`, --set load=FILE.py)."
        )
    if unknown:
        plain = {key: value for key, value in plain.items() if key not in unknown}
        plain["methods"] = [name for name in plain.get("methods", []) if name not in unknown]
    return resolve(plain, f"{store.folder / RUN_FILE}: config", trusted=trust or is_own(store))


def stored_config(store: RunStore) -> Mapping[str, Any]:
    """The configuration of a run as it stands in its file, unchecked."""
    plain = store.fact("config")
    if plain is None:
        raise RunError(f"{store.folder / RUN_FILE}: facts.config is missing, so the run has no configuration.")
    if not isinstance(plain, Mapping):
        raise RunError(f"{store.folder / RUN_FILE}: facts.config is not a table.")
    return plain


def adopt(store: RunStore) -> None:
    """Make another user's run this user's own, once its configuration was seen and trusted."""
    with store.transaction():
        sign(store)


def give_system(store: RunStore, config: Config, system: str) -> Config:
    """Give a system, in its short form, to a run that has none yet, or further answers to one of recorded answers."""
    table = part_from_text("system", system)
    begun = store.fact("fingerprint")
    if begun is not None and not (_is_offline(table["kind"]) and _is_offline(begun.get("kind"))):
        raise RunError(f"{store.folder}: was begun with a system already; start a new run to test another one.")
    changed = resolve({**config.plain, "system": table}, "--system", trusted=config.trusted)
    if begun is not None:
        with store.transaction():
            # The files of another round are the same system.
            store.forget_fact("fingerprint")
    return _kept(store, replace(changed, given=config.given))


def _is_offline(kind: Any) -> bool:
    """Whether a system's answers are made elsewhere."""
    known = isinstance(kind, str) and kind in catalog.names("systems")
    return known and SystemOptions.offline.of(catalog.find("systems", kind)) is not None


def change_settings(store: RunStore, config: Config, changes: Mapping[str, Any]) -> Config:
    """Give a run other settings, which it keeps; UsageError, by name, for one that its plan or its images depend on.

    A system that would answer differently is refused later, by its fingerprint.
    """
    for name, value in changes.items():
        if name not in CHANGEABLE or (name == "system" and not (isinstance(value, Mapping) and "kind" not in value)):
            shown = "system.kind" if name == "system" else name
            raise UsageError(
                f"{shown} cannot be changed in a run that was begun: its plan, its images or its answers depend on it."
                f"{did_you_mean(name, CHANGEABLE) if name not in CHANGEABLE else ''} What can: ask.KEY, cache, "
                "confirm_with, engine, gate.KEY, labels, prove.KEY, questions.KEY, ray.KEY, readers.NAME.KEY, "
                "system.KEY. Start a new run for anything else."
            )
    if not changes:
        return config
    names = [".".join(steps) for steps in _steps(changes)]
    changed = resolve(_merged(config.plain, changes), "", names, trusted=config.trusted)
    return _kept(store, replace(changed, given=config.given))


def _kept(store: RunStore, config: Config) -> Config:
    with store.transaction():
        store.set_fact("config", config.plain)
        sign(store)
    return config


def _merged(plain: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(plain)
    for name, value in changes.items():
        below = merged.get(name, {})
        nested = isinstance(value, Mapping) and isinstance(below, Mapping)
        merged[name] = _merged(below, value) if nested else value
    return merged


def _steps(changes: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, value in changes.items():
        if isinstance(value, Mapping):
            yield from ((name, *further) for further in _steps(value))
        else:
            yield (name,)


def check_fingerprint(store: RunStore, system: System, *, accept: bool) -> None:
    """Refuse a system that is not the one that gave the run's answers, unless that is accepted."""
    now = {"kind": system.kind, **system.fingerprint}
    before = store.fact("fingerprint")
    if before is not None and before != now and not accept and store.count("answers"):
        changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        raise RunError(
            f"{store.folder}: the system changed since this run began ({', '.join(changed)}). Its earlier answers "
            "would be mixed with new ones: start a new run, or add --accept-changed-system if it answers as before."
        )
    with store.transaction():
        store.set_fact("fingerprint", now)
