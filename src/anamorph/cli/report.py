"""`anamorph report`: the report of a run, written again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from anamorph.cli.choices import baseline_options, gate_options, with_gate
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.printing import print_against_baseline, print_gate
from anamorph.cli.terminal import echo, open_console
from anamorph.report import write_report
from anamorph.report.baseline.file import ChosenBaseline


@click.command()
@RUN_ARGUMENT
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="[default: RUN/report]"
)
@gate_options
@baseline_options
def report(
    run_folder: Path,
    out: Path | None,
    fail_over: str | None,
    fail_on: int | None,
    grades: list[str] | None,
    sets: tuple[str, ...],
    baseline: ChosenBaseline | None,
) -> None:
    """Write the report of a run: a folder of HTML that opens from disk, with JSON, CSV and JUnit XML beside it.

    Limits and a baseline given here are for this report, and with any of them the exit code is that of the gate; the
    run keeps its own limits.
    """
    out = out.absolute() if out is not None else None
    with open_run(run_folder, read_only=True) as store:
        config = with_gate(config_for_reading(store), fail_over, fail_on, grades, sets)
        written = write_report(store, config, out or store.folder / "report", baseline=baseline)
    echo(f"Report: {written.index_html}")
    print_against_baseline(open_console(), written.numbers.baseline, written.numbers.new_causes)
    print_gate(open_console(), written.gate)
    if baseline is not None or fail_over is not None or fail_on is not None or grades is not None or sets:
        sys.exit(written.gate.exit_code)
