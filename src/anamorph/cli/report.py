"""`anamorph report`: the report of a run, written again."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from anamorph.cli.choices import baseline_option, gate_options, with_gate
from anamorph.cli.moved import LIMITS, command_with
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.printing import print_against_baseline, print_gate
from anamorph.cli.terminal import echo, open_console
from anamorph.report import Report, write_report
from anamorph.report.baseline.file import ChosenBaseline
from anamorph.report.images import MOST_BYTES
from anamorph.report.single_file import MOST_FILE_BYTES, SingleFile, write_single_file


def _size(context: click.Context, option: click.Parameter, value: str | None) -> int | None:
    """A number of bytes, such as 20MB."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", value.strip().lower())
    size = 0 if found is None else int(float(found[1]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[found[2]])
    if size <= 0:
        raise click.BadParameter(f"{value!r} is not a size. Examples: 500KB, 20MB, 1GB.", context, option)
    return size


@click.command(cls=command_with(LIMITS))
@RUN_ARGUMENT
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The folder, or the file with --single-file. [default: RUN/report, or RUN/report.html]",
)
@click.option("--single-file", is_flag=True, help="Write one HTML file with everything in it, pictures included.")
@click.option(
    "--max-size",
    callback=_size,
    metavar="SIZE",
    help="How much the pictures of a folder, or a single file, may take at most, such as 5MB. "
    "[default: 300MB, or 20MB]",
)
@gate_options
@baseline_option
def report(
    run_folder: Path,
    out: Path | None,
    single_file: bool,
    max_size: int | None,
    fail_over: str | None,
    sets: tuple[str, ...],
    baseline: ChosenBaseline | None,
) -> None:
    """Write the report of a run: a folder of HTML that opens from disk, with JSON, CSV and JUnit XML beside it.

    With --single-file it is one HTML file to attach or send, with pictures scaled to fit.

    Limits and a baseline given here are for this report, and with any of them the exit code is that of the gate; the
    run keeps its own limits.
    """
    out = out.absolute() if out is not None else None
    with open_run(run_folder, read_only=True) as store:
        config = with_gate(config_for_reading(store), fail_over, sets)
        if fail_over is not None or sets:
            config.settings.gate.require_baseline(baseline)
        written: Report | SingleFile
        if single_file:
            path = out or store.folder / "report.html"
            written = write_single_file(store, config, path, max_size or MOST_FILE_BYTES, baseline)
            echo(f"Report: {written.path} ({written.bytes / 1e6:.1f} MB). {written.sentence}")
        else:
            folder = out or store.folder / "report"
            written = write_report(store, config, folder, None, baseline, max_size or MOST_BYTES)
            echo(f"Report: {written.index_html}")
            if left := written.left_out_sentence:
                echo(left)
    print_against_baseline(open_console(), written.numbers.baseline, written.numbers.new_causes)
    print_gate(open_console(), written.gate)
    if baseline is not None or fail_over is not None or sets:
        sys.exit(written.gate.exit_code)
