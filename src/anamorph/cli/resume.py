"""`anamorph resume`: continue a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from anamorph.cli.choices import with_gate
from anamorph.cli.finishing import ending_options, finish
from anamorph.cli.moved import RESUMED, command_with
from anamorph.cli.opening import RUN_ARGUMENT, TRUST_OPTION, config_to_act, open_run
from anamorph.cli.options import CHANGED_SYSTEM_OPTION, set_option
from anamorph.config import with_override
from anamorph.engine.run import carry_out, change_settings, give_system


@click.command(
    cls=command_with(RESUMED),
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
@CHANGED_SYSTEM_OPTION
@set_option("A setting that the plan does not depend on, such as ask.parallel=2, which the run keeps; or gate.KEY.")
@TRUST_OPTION
@ending_options
def resume(
    run_folder: Path,
    system: str | None,
    budget: float | None,
    accept_changed_system: bool,
    trust: bool,
    sets: tuple[str, ...],
    **ending: Any,
) -> None:
    """Continue a run: ask only what has no answer yet, then judge everything.

    Failed calls and answers that could not be read are asked again. Limits of the gate given here are for this command
    alone; the run keeps its own. Prices, a budget and other settings are kept.
    """
    with open_run(run_folder) as store:
        config = config_to_act(store, trust=trust, keep=True)
        if system is not None:
            config = give_system(store, config, system)
        # A rule that ended the run before would end it again at once, or never.
        before = config.settings.ask
        chosen: dict[str, Any] = {name: None for name in ("time", "until") if getattr(before, name) is not None}
        if budget is not None:
            chosen["budget"] = budget
        changes: dict[str, Any] = {"ask": chosen} if chosen else {}
        limits = [assignment for assignment in sets if assignment.strip().startswith("gate.")]
        with_gate(config, limits).settings.gate.require_baseline(ending["baseline"])
        for assignment in sets:
            if assignment not in limits:
                with_override(changes, assignment)
        config = change_settings(store, config, changes)
        config = with_gate(config, limits)
        events = carry_out(store, config, accept_changed_system=accept_changed_system)
        sys.exit(finish(store, config, events, **ending))
