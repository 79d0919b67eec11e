"""Calls that were not answered because the machine had no memory left, as a fact of the run: the gate counts them."""

from __future__ import annotations

from anamorph.store.answers import Asked
from anamorph.store.run import RunStore

FACT = "lost_to_machine"


def note_lost(store: RunStore, which: Asked, count: int) -> None:
    """Note how many calls this part of a run lost; the plan comes first, and is asked again for what is missing."""
    before = store.fact(FACT, {})
    now = {} if which == "planned" else dict(before)
    now[which] = count
    now = {part: number for part, number in now.items() if number}
    if now != before:
        with store.transaction():
            store.set_fact(FACT, now)


def calls_lost(store: RunStore) -> int:
    """How many calls the last part of a run lost."""
    return sum(store.fact(FACT, {}).values())
