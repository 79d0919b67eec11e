"""The method of a run that names none, chosen by what its system answers with."""

from __future__ import annotations

from dataclasses import replace

from anamorph.config import Config, resolve
from anamorph.engine.prove.evidence import given_by
from anamorph.errors import AnamorphError
from anamorph.model.protocols import SystemOptions

CROSSCHECK, DEEPTEST = "crosscheck", "deeptest"


def with_method(config: Config) -> tuple[Config, str]:
    """The configuration with a method, and why it has that one; empty if it named one, or has no system."""
    table = config.plain.get("system")
    if config.methods or config.unknown or table is None:
        return config, ""
    kind, (gives, signature) = table["kind"], _given_by(config)
    if signature and not gives:
        method, why = (
            CROSSCHECK,
            f"{signature} takes questions; for a function that leaves them aside, use -m {DEEPTEST}",
        )
    elif signature:
        method, why = DEEPTEST, f"{signature} takes no questions; other methods need photos with objects"
    elif "answer" in gives:
        method, why = CROSSCHECK, f"{kind} takes questions, so its answers can be checked against each other"
    elif gives:
        method, why = DEEPTEST, f"{kind} takes no questions; other methods need photos with objects"
    else:
        method, why = DEEPTEST, f"nothing says whether {kind} takes questions; if it does, use -m {CROSSCHECK}"
    changed = resolve({**config.plain, "methods": [method]}, "", trusted=config.trusted)
    return replace(changed, given=config.given), f"No method was given: {method}, since {why}."


def _given_by(config: Config) -> tuple[tuple[str, ...], str | None]:
    """What the system answers with, by its class or, if that depends on settings, by an object of it; and how it is
    called, if it is a function.

    Nothing if it cannot be made, which the run says at its start.
    """
    gives = () if "system" in config.given else given_by(config.plain.get("system"))
    if gives:
        return gives, None
    try:
        system = config.system()
    except AnamorphError:
        return (), None
    try:
        return SystemOptions.answers_with.of(system), SystemOptions.signature.of(system)
    finally:
        if "system" not in config.given:
            system.close()
