"""Whether a finished run passes, as an exit code and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.config import GateSettings, parse_share
from anamorph.engine.budget import money
from anamorph.engine.events import BudgetSpent, Finished


@dataclass(frozen=True, slots=True)
class GateResult:
    """0 passes, 1 fails because of violations, 3 means that the run says nothing about the system."""

    exit_code: int
    sentence: str


def gate(finished: Finished, settings: GateSettings) -> GateResult:
    """Compare a run with its thresholds; a broken system never looks like a pass or like a bug."""
    decided = finished.holds + finished.violated
    cases = decided + finished.undecided
    rate = finished.violated / decided if decided else 0.0
    if not cases:
        return GateResult(3, "The methods planned no case for these scenes, so nothing was tested.")
    if not decided:
        return GateResult(3, "No case could be decided, so the run says nothing about the system.")
    found = f"{finished.violated} of {decided} decided cases are violated ({rate:.1%})"
    if settings.fail_on is not None and finished.violated >= settings.fail_on:
        return GateResult(1, f"Failed: {found}, and {settings.fail_on} or more fail the gate.")
    # With a number as the threshold and no share given, the number alone decides.
    share = parse_share(settings.fail_over, "fail_over")
    if rate > share and not (settings.fail_on is not None and share == 0):
        return GateResult(1, f"Failed: {found}, more than the {settings.fail_over} that the gate allows.")
    undecided = finished.undecided / cases
    if undecided > parse_share(settings.max_undecided, "max_undecided"):
        return GateResult(
            3,
            f"{finished.undecided} of {cases} cases are undecided ({undecided:.0%}), "
            f"more than the {settings.max_undecided} that the gate allows.",
        )
    if finished.violated:
        return GateResult(0, f"Passed: {found}, within the threshold.")
    return GateResult(0, f"Passed: all {decided} decided cases hold.")


def out_of_budget(stopped: BudgetSpent, finished: Finished) -> GateResult:
    """A run that was stopped by its budget says too little, whatever it has found."""
    cases = finished.holds + finished.violated + finished.undecided
    images = "1 image" if stopped.images_sent == 1 else f"{stopped.images_sent:,} images"
    return GateResult(
        3,
        f"Stopped before the budget of {stopped.budget:g} was exceeded: {money(stopped.spent)} spent on {images} sent, "
        f"{stopped.lacking:,} answers are missing, {finished.undecided:,} of {cases:,} cases are undecided.",
    )
