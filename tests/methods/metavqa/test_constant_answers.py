"""The paper's lesson, section 6.1: a system that does not look may meet many relations, but not all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from anamorph.config import Config, resolve
from anamorph.engine.run import carry_out, start
from anamorph.report.numbers import read_numbers
from anamorph.statistics.rates import Rate, rate_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_cases, tallies

EXAMPLE = Path(__file__).parents[3] / "examples" / "constant_answers.py"


def carried_out(function: str, out: Path, *, prove: bool, scenes: int = 8) -> tuple[RunStore, Config]:
    """A whole run on the toybox; as published where nothing is proved."""
    system = f"callable:{EXAMPLE}:{function}"
    plain = {"methods": ["metavqa"], "scenes": f"toybox:{scenes}", "system": system, "prove": {"enabled": prove}}
    config = resolve(plain)
    store = start(config, out)
    for _ in carry_out(store, config):
        pass
    return store, config


def rates(function: str, out: Path, *, prove: bool) -> dict[str, Rate]:
    """The rate of each relation."""
    store, _ = carried_out(function, out, prove=prove)
    with store:
        counted = tallies(store)
    kinds = dict.fromkeys(tally.relation for tally in counted)
    return {kind: rate_of(tally for tally in counted if tally.relation == kind) for kind in kinds}


def test_the_always_0_answerer_passes_partition_and_fails_removal_plus(tmp_path: Path) -> None:
    found = rates("always_zero", tmp_path / "run", prove=False)
    assert found["objects-add-up"].share == found["properties-add-up"].share == 0.0
    assert found["unaffected-by-removal"].share == found["opposites-differ"].share == 0.0
    assert found["removal-takes-one"].share == 1.0 and found["removal-takes-one"].decided > 5


def test_who_says_0_of_the_removed_object_too_is_unfairly_tested_and_stopped_by_the_gate(tmp_path: Path) -> None:
    store, config = carried_out("always_zero", tmp_path / "run", prove=True, scenes=12)
    with store:
        states = Counter(verdict.state for _, verdict in judged_cases(store) if verdict and verdict.conflicts)
        # Where the edit takes up most of the picture, its place cannot be looked at.
        assert states["unfair"] > 5 and states.keys() <= {"unfair", "lead"}
        assert rate_of(tallies(store)).violated == 0
        gate = read_numbers(store, config).gate
    assert gate.outcome == "inconclusive" and "same-answers" in [reason.kind for reason in gate.reasons]


@pytest.mark.parametrize("prove", [False, True])
def test_the_always_yes_answerer_fails_reversion(tmp_path: Path, prove: bool) -> None:
    found = rates("always_yes", tmp_path / "run", prove=prove)
    assert found["opposites-differ"].share == 1.0 and found["opposites-differ"].decided > 5
    assert found["unaffected-by-removal"].share == 0.0


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("function", ["always_zero", "always_yes"])
def test_nothing_that_they_say_is_unreadable(function: str, tmp_path: Path, prove: bool) -> None:
    assert sum(rate.undecided for rate in rates(function, tmp_path / "run", prove=prove).values()) == 0
