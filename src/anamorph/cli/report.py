"""`anamorph report`: the report of a run, written again."""

from __future__ import annotations

from pathlib import Path

import click

from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.terminal import echo
from anamorph.report import write_report


@click.command()
@RUN_ARGUMENT
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="[default: RUN/report]"
)
def report(run_folder: Path, out: Path | None) -> None:
    """Write the report of a run: a folder of HTML that opens from disk, with JSON, CSV and JUnit XML beside it."""
    out = out.absolute() if out is not None else None
    with open_run(run_folder, read_only=True) as store:
        written = write_report(store, config_for_reading(store), out or store.folder / "report")
    echo(f"Report: {written.index_html}")
