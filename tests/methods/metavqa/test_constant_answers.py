"""The paper's lesson, section 6.1: a system that does not look may meet many relations, but not all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.config import resolve
from anamorph.engine.run import carry_out, start
from anamorph.statistics.rates import Rate, rate_of
from anamorph.store.verdicts import tallies

EXAMPLE = Path(__file__).parents[3] / "examples" / "constant_answers.py"


def rates(function: str, out: Path) -> dict[str, Rate]:
    """A whole run on the toybox; the rate of each relation."""
    config = resolve({"methods": ["metavqa"], "scenes": "toybox:8", "system": f"callable:{EXAMPLE}:{function}"})
    with start(config, out) as store:
        for _ in carry_out(store, config):
            pass
        counted = tallies(store)
    kinds = dict.fromkeys(tally.relation for tally in counted)
    return {kind: rate_of(tally for tally in counted if tally.relation == kind) for kind in kinds}


def test_the_always_0_answerer_passes_partition_and_fails_removal_plus(tmp_path: Path) -> None:
    found = rates("always_zero", tmp_path / "run")
    assert found["objects-add-up"].share == found["properties-add-up"].share == 0.0
    assert found["unaffected-by-removal"].share == found["opposites-differ"].share == 0.0
    assert found["removal-takes-one"].share == 1.0 and found["removal-takes-one"].decided > 5


def test_the_always_yes_answerer_fails_reversion(tmp_path: Path) -> None:
    found = rates("always_yes", tmp_path / "run")
    assert found["opposites-differ"].share == 1.0 and found["opposites-differ"].decided > 5
    assert found["unaffected-by-removal"].share == 0.0


@pytest.mark.parametrize("function", ["always_zero", "always_yes"])
def test_nothing_that_they_say_is_unreadable(function: str, tmp_path: Path) -> None:
    assert sum(rate.undecided for rate in rates(function, tmp_path / "run").values()) == 0
