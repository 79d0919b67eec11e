"""The outcome of one suspicion, or the questions to ask first."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.engine.prove.hearing import Heard, Missing
from anamorph.model import SuspicionState
from anamorph.store.proofs import ProbeOrder, ProofLine

NO_ANSWER = "A closed question about it has no answer yet."


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of a suspicion and why, with the answers that show it; an open one has orders for further questions."""

    state: SuspicionState
    why: str
    proof: tuple[ProofLine, ...] = ()
    orders: tuple[ProbeOrder, ...] = ()


def waiting_for(*said: Heard | Missing) -> Finding | None:
    """The missing answers, or why the suspicion can never be settled; None if nothing is missing."""
    lacking = [each for each in said if isinstance(each, Missing)]
    if not lacking:
        return None
    final = next((each.why for each in lacking if each.order is None), None)
    if final is not None:
        return Finding("undecided", f"{final[0].upper()}{final[1:].rstrip('.')}.")
    return Finding("open", NO_ANSWER, orders=tuple(each.order for each in lacking if each.order is not None))


def line(part: str, heard: Heard) -> ProofLine:
    """One answer as a line of a proof."""
    return ProofLine(heard.probe, part, heard.words)
