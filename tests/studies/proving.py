"""Issues for studies of single cases, which captions alone would leave as leads."""

from __future__ import annotations

from dataclasses import replace

from anamorph.engine.causes import causes_stage
from anamorph.store.causes import forget_causes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues, record_verdicts


def prove_leads(store: RunStore) -> None:
    """Make every lead of a run an issue, as if closed answers had proved it."""
    leads = list(issues(store, ("lead",)))
    with store.transaction():
        for case, verdict in leads:
            conflicts = tuple(replace(each, state="proved", why="Asked, it says so.") for each in verdict.conflicts)
            record_verdicts(store, [(case.id, replace(verdict, outcome="violated", conflicts=conflicts))])
        forget_causes(store)
    causes_stage(store)
