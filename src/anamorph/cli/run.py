"""`anamorph run`: the whole way from photos to a report."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from anamorph.cli.choices import configured
from anamorph.cli.crashes import note_run
from anamorph.cli.finishing import ending_options, finish
from anamorph.config import Config
from anamorph.engine.plan import require_methods
from anamorph.engine.run import carry_out, require_suitable, start
from anamorph.errors import UsageError


@click.command(
    epilog="""\b
Examples:
  anamorph run anamorph.toml
  anamorph run -m deeptest -s folder:photos -y command:'python captioner.py' --out runs/first --limit 50
  anamorph run -m deeptest -s coco:instances.json,images=val2017 -y callable:my_model:caption --fail-over 5%
  anamorph run anamorph.toml --set deeptest.blur=2 --set ask.rate_per_second=5
  anamorph run -m deeptest -s folder:photos -y openai:gpt-4o-mini --price 0.001 --budget 5"""
)
@configured
@ending_options
def run(config: Config, as_json: bool, log: str | None, no_report: bool) -> None:
    """Plan, render, ask, judge and report, from a TOML file, flags, or both (flags win).

    A run that was stopped in any way can be continued with `anamorph resume RUN`.
    """
    folder = Path(config.settings.out or time.strftime("runs/%Y%m%d-%H%M%S"))
    require_methods(config)
    config.scenes()
    system = config.system()
    system.close()
    require_suitable(config, system)
    with start(config, folder) as store:
        note_run(store.folder)
        try:
            sys.exit(finish(store, config, carry_out(store, config), as_json, log, no_report))
        except UsageError:
            # A run that never got a plan is not worth resuming, and its folder would block the next attempt.
            if not store.fact("planned"):
                store.discard()
            raise
