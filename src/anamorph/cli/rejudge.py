"""`anamorph judge run`: new verdicts on stored answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from anamorph.cli.choices import gate_options, with_gate
from anamorph.cli.finishing import ending_options, finish
from anamorph.cli.moved import LIMITS, command_with
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.engine.run import rejudge as rejudge_events


@click.command(cls=command_with(LIMITS))
@RUN_ARGUMENT
@click.option(
    "--profile",
    metavar="NAME",
    help="Judge as published (paper), or as the released tools of the methods did (released); methods that do not have "
    "that profile are judged as ever.",
)
@gate_options
@ending_options
def rejudge(
    run_folder: Path,
    profile: str | None,
    fail_over: str | None,
    sets: tuple[str, ...],
    **ending: Any,
) -> None:
    """Judge the stored answers again, with no call to the system.

    Use it after an update of Anamorph, or of a relation or reader of your own. Limits given here are for this command;
    the run keeps its own. With --profile, the run also keeps its claims: without it, `judge run` brings its own
    verdicts back.
    """
    ending["log"] = str(Path(ending["log"]).absolute()) if ending["log"] else None
    with open_run(run_folder) as store:
        config = with_gate(config_for_reading(store), fail_over, sets)
        config.settings.gate.require_baseline(ending["baseline"])
        sys.exit(finish(store, config, rejudge_events(store, config, profile), **ending))
