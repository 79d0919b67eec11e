"""Whose word proves a suspicion: the system's own closed answers, those of a witness, or captions alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from anamorph import catalog
from anamorph.config import Config
from anamorph.errors import AnamorphError
from anamorph.model import System
from anamorph.model.protocols import SystemOptions

if TYPE_CHECKING:
    from anamorph.store.run import RunStore

EvidenceKind: TypeAlias = Literal["answers", "witness", "captions"]
# The fact that keeps it, so that a run can be judged again without its system.
FACT = "evidence"
# The fact that keeps the system that requests were written for.
REQUESTS_FORM = "requests"

EVIDENCE_WORDS: Mapping[EvidenceKind, str] = {
    "answers": "Evidence: the system's own answers to closed questions.",
    "witness": "Evidence: what a witness ({}) says of the images, asked closed questions.",
    "captions": "Evidence: captions or labels alone, since the system was asked no closed question.",
}


def evidence_of(store: RunStore, config: Config, system: System) -> EvidenceKind:
    """Whose word counts in a run with this system."""
    from anamorph.store.probes import plan_asks

    wanted = config.settings.prove.enabled
    if wanted is False:
        return "captions"
    gives = SystemOptions.answers_with.of(system)
    if SystemOptions.offline.of(system) is not None:
        gives = gives or given_by(store.fact(REQUESTS_FORM, {}).get("system"))
    if "answer" in gives or (not gives and (wanted or plan_asks(store))):
        return "answers"
    return "witness" if "confirm_with" in config.plain else "captions"


def expected_evidence(store: RunStore, config: Config) -> EvidenceKind:
    """The same before a system is made, as far as its kind tells."""
    from anamorph.store.probes import plan_asks

    wanted, table = config.settings.prove.enabled, config.plain.get("system")
    if wanted is False:
        return "captions"
    gives = () if "system" in config.given else given_by(table)
    if "answer" in gives or (not gives and (wanted or plan_asks(store))):
        return "answers"
    return "witness" if "confirm_with" in config.plain else "captions"


def kept_evidence(store: RunStore) -> EvidenceKind:
    """Whose word counts in a run that was begun."""
    kept = store.fact(FACT)
    return kept if kept in EVIDENCE_WORDS else "captions"


def keep_evidence(store: RunStore, evidence: EvidenceKind) -> None:
    """Keep whose word counts."""
    if store.fact(FACT) != evidence:
        with store.transaction():
            store.set_fact(FACT, evidence)


def evidence_sentence(store: RunStore, config: Config) -> str:
    """Which evidence a run has, in words."""
    table = config.plain.get("confirm_with")
    name = str(table.get("kind", "")) if isinstance(table, Mapping) else ""
    return EVIDENCE_WORDS[kept_evidence(store)].format(name)


def given_by(table: object) -> tuple[str, ...]:
    """The kinds of a system's answers, as far as its class tells."""
    if not isinstance(table, Mapping):
        return ()
    try:
        gives: object = SystemOptions.answers_with.of(catalog.find("systems", str(table.get("kind"))))
    except AnamorphError:
        return ()
    return gives if isinstance(gives, tuple) else ()
