"""`anamorph research merge`: the runs of all shards become one run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from anamorph.cli.choices import GATE_OPTION, with_gate
from anamorph.cli.finishing import finish
from anamorph.cli.moved import LIMITS, command_with
from anamorph.cli.opening import config_for_reading, open_run
from anamorph.cli.options import FOLDER, JSON_OPTION
from anamorph.studies.merge.merging import merge_runs


@click.command(
    cls=command_with(LIMITS),
    epilog="""\b
Examples:
  anamorph run anamorph.toml --set shard=1/3 --out runs/1   (on one machine)
  anamorph run anamorph.toml --set shard=2/3 --out runs/2   (on another)
  anamorph run anamorph.toml --set shard=3/3 --out runs/3
  anamorph research merge runs/1 runs/2 runs/3 --out runs/all""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, type=FOLDER)
@click.option(
    "--out",
    "-o",
    required=True,
    metavar="RUN",
    type=FOLDER,
    help="The folder of the run that they make up; it must be new.",
)
@GATE_OPTION
@JSON_OPTION
def merge(run_folders: tuple[Path, ...], out: Path, sets: tuple[str, ...], as_json: bool) -> None:
    """Put the runs of all shards together: the same run as one over all scenes, with its report and exit code.

    Runs that do not belong together are refused: other settings, another system, other weights, a shard that is missing
    or there twice. Images are linked where the file system can do that, so they take no room twice.
    """
    merge_runs(run_folders, out.absolute())
    with open_run(out) as store:
        config = with_gate(config_for_reading(store), sets)
        config.settings.gate.require_baseline(None)
        sys.exit(finish(store, config, iter(()), as_json))
