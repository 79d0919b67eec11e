"""`anamorph report`: the report of a run, written again."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from anamorph.cli.choices import GATE_OPTION, baseline_option, with_gate
from anamorph.cli.moved import LIMITS, command_with
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import PATH, out_option
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
@out_option(PATH, "DIR|FILE.html", "A folder, or one HTML file with everything in it. [default: RUN/report]")
@click.option("--single-file", is_flag=True, hidden=True)
@click.option(
    "--max-size",
    callback=_size,
    metavar="SIZE",
    help="How much the pictures of a folder, or a single file, may take at most, such as 5MB. "
    "[default: 300MB, or 20MB]",
)
@GATE_OPTION
@baseline_option
def report(
    run_folder: Path,
    out: Path | None,
    single_file: bool,
    max_size: int | None,
    sets: tuple[str, ...],
    baseline: ChosenBaseline | None,
) -> None:
    """Write the report of a run: a folder of HTML that opens from disk, with JSON, CSV and JUnit XML beside it.

    With --out FILE.html it is one HTML file to attach or send, with pictures scaled to fit.

    Limits and a baseline given here are for this report, and with any of them the exit code is that of the gate; the
    run keeps its own limits.
    """
    out = out.absolute() if out is not None else None
    with open_run(run_folder, read_only=True) as store:
        config = with_gate(config_for_reading(store), sets)
        if sets:
            config.settings.gate.require_baseline(baseline)
        written: Report | SingleFile
        if single_file or (out is not None and out.suffix.lower() == ".html"):
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
    if baseline is not None or sets:
        sys.exit(written.gate.exit_code)
