"""`anamorph resume`: continue a run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

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
@TRUST_OPTION
@ending_options
def resume(
    run_folder: Path,
    system: str | None,
    budget: float | None,
    price: float | None,
    accept_changed_system: bool,
    trust: bool,
    as_json: bool,
    log: str | None,
    no_report: bool,
) -> None:
    """Continue a run: ask only what has no answer yet, then judge everything.

    Failed calls and answers that could not be read are asked again.
    """
    log = str(Path(log).absolute()) if log else None
    with open_run(run_folder) as store:
        config = config_to_act(store, trust=trust, keep=True)
        config = change_config(store, config, system=system, budget=budget, price=price)
        events = carry_out(store, config, accept_changed_system=accept_changed_system)
        sys.exit(finish(store, config, events, as_json, log, no_report))
