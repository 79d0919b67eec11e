"""`anamorph rejudge`: new verdicts on stored answers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from anamorph.cli.finishing import ending_options, finish
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.engine.run import rejudge as rejudge_events


@click.command()
@RUN_ARGUMENT
@ending_options
def rejudge(run_folder: Path, as_json: bool, log: str | None, no_report: bool) -> None:
    """Judge the stored answers again, with no call to the system.

    Use it after an update of Anamorph, or of a relation or reader of your own.
    """
    log = str(Path(log).absolute()) if log else None
    with open_run(run_folder) as store:
        config = config_for_reading(store)
        sys.exit(finish(store, config, rejudge_events(store, config), as_json, log, no_report))
