"""`anamorph resume`: continue a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from anamorph.cli.choices import gate_options, with_gate
from anamorph.cli.finishing import ending_options, finish
from anamorph.cli.opening import RUN_ARGUMENT, TRUST_OPTION, config_to_act, open_run
from anamorph.engine.run import carry_out, change_config


@click.command()
@RUN_ARGUMENT
@click.option("--system", metavar="KIND:...", help="What is tested, for a plan that was made without a system.")
@click.option(
    "--budget", type=float, metavar="B", help="A new budget for the whole run, including what is spent already."
)
@click.option("--price", type=float, metavar="P", help="A new price for each image that is sent.")
@click.option("--accept-changed-system", is_flag=True, help="Continue although the system's fingerprint changed.")
@gate_options
@TRUST_OPTION
@ending_options
def resume(
    run_folder: Path,
    system: str | None,
    budget: float | None,
    price: float | None,
    accept_changed_system: bool,
    trust: bool,
    fail_over: str | None,
    fail_on: int | None,
    grades: list[str] | None,
    sets: tuple[str, ...],
    **ending: Any,
) -> None:
    """Continue a run: ask only what has no answer yet, then judge everything.

    Failed calls and answers that could not be read are asked again. Limits given here are for this command; the run
    keeps its own.
    """
    ending["log"] = str(Path(ending["log"]).absolute()) if ending["log"] else None
    with open_run(run_folder) as store:
        config = config_to_act(store, trust=trust, keep=True)
        config = change_config(store, config, system=system, budget=budget, price=price)
        config = with_gate(config, fail_over, fail_on, grades, sets)
        events = carry_out(store, config, accept_changed_system=accept_changed_system)
        sys.exit(finish(store, config, events, **ending))
