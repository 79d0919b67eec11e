"""`anamorph resume`: continue a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from anamorph.cli.choices import FAIL_OVER_OPTION, TIME_OPTION, with_gate
from anamorph.cli.finishing import ending_options, finish
from anamorph.cli.moved import LIMITS, SPENDING, command_with
from anamorph.cli.opening import RUN_ARGUMENT, TRUST_OPTION, config_to_act, open_run
from anamorph.config import with_override
from anamorph.engine.run import carry_out, change_settings, give_system


@click.command(
    cls=command_with({**LIMITS, **SPENDING}),
    epilog="""\b
Examples:
  anamorph resume runs/first
  anamorph resume runs/first --set ask.parallel=2 --set ask.rate_per_second=1
  anamorph resume runs/first --set engine=ray
  anamorph resume runs/first --system recorded:answers.jsonl""",
)
@RUN_ARGUMENT
@click.option("--system", metavar="KIND:...", help="What is tested, for a plan that was made without a system.")
@click.option(
    "--budget", type=float, metavar="B", help="A new budget for the whole run, including what is spent already."
)
@click.option("--price", type=float, metavar="P", help="A new price for each image that is sent.")
@TIME_OPTION
@click.option("--accept-changed-system", is_flag=True, help="Continue although the system's fingerprint changed.")
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting that the plan does not depend on, such as ask.parallel=2, which the run keeps; or gate.KEY.",
)
@FAIL_OVER_OPTION
@TRUST_OPTION
@ending_options
def resume(
    run_folder: Path,
    system: str | None,
    budget: float | None,
    price: float | None,
    time: str | None,
    accept_changed_system: bool,
    trust: bool,
    fail_over: str | None,
    sets: tuple[str, ...],
    **ending: Any,
) -> None:
    """Continue a run: ask only what has no answer yet, then judge everything.

    Failed calls and answers that could not be read are asked again. Limits of the gate given here are for this command
    alone; the run keeps its own. Prices, a budget and other settings are kept.
    """
    ending["log"] = str(Path(ending["log"]).absolute()) if ending["log"] else None
    with open_run(run_folder) as store:
        config = config_to_act(store, trust=trust, keep=True)
        if system is not None:
            config = give_system(store, config, system)
        prices = {"budget": budget, "price": price}
        # A rule that ended the run before would end it again at once, or never.
        rules = {"time": time, "until": None}
        chosen: dict[str, Any] = {name: value for name, value in prices.items() if value is not None}
        before = config.settings.ask
        chosen |= {name: rule for name, rule in rules.items() if rule != getattr(before, name)}
        changes: dict[str, Any] = {"ask": chosen} if chosen else {}
        limits = [assignment for assignment in sets if assignment.strip().startswith("gate.")]
        with_gate(config, fail_over, tuple(limits)).settings.gate.require_baseline(ending["baseline"])
        for assignment in sets:
            if assignment not in limits:
                with_override(changes, assignment)
        config = change_settings(store, config, changes)
        config = with_gate(config, fail_over, tuple(limits))
        events = carry_out(store, config, accept_changed_system=accept_changed_system)
        sys.exit(finish(store, config, events, **ending))
