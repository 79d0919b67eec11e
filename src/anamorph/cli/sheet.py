"""`anamorph case sheet`: sources and follow-ups of a run side by side."""

from __future__ import annotations

from pathlib import Path

import click

from anamorph.cli.moved import SHEETS, command_with
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import FILE, JSON_OPTION, out_option
from anamorph.cli.terminal import echo, echo_json
from anamorph.errors import RunError, UsageError
from anamorph.store.run import RUN_FILE
from anamorph.store.signing import is_own
from anamorph.studies.sheet.cases import SheetCounts, sheet_cases, sheet_discards
from anamorph.studies.sheet.files import check_sheet, write_sheet

CASES_ON_SHEET = 48
_DISCARDED = "discarded"


@click.command(
    cls=command_with(SHEETS),
    epilog="""\b
Examples:
  anamorph case sheet runs/first
  anamorph case sheet runs/first --cases 12 -o look.jpg
  anamorph case sheet runs/first --only discarded""",
)
@RUN_ARGUMENT
@out_option(FILE, "FILE.jpg", "Where the sheet goes; by default RUN/sheet.jpg, or RUN/discarded.jpg.")
@click.option(
    "--cases",
    type=click.IntRange(min=1, max=400),
    default=CASES_ON_SHEET,
    show_default=True,
    metavar="N",
    help="At most N cases, each photo once before any comes twice.",
)
@click.option("--only", metavar="WHICH", help="method=NAME; or discarded: images that checks discarded, and why.")
@JSON_OPTION
def sheet(run_folder: Path, out: Path | None, cases: int, only: str | None, as_json: bool) -> None:
    """Show sources and follow-ups of a run side by side on one picture, with what was done in words.

    Images that are missing are made, if the run is yours: a plan can be looked at before anything is asked.
    """
    discarded, method = only == _DISCARDED, None
    if only is not None and not discarded:
        word, _, method = only.partition("=")
        if word != "method" or not method:
            raise UsageError(f"--only {only}: expected method=NAME or {_DISCARDED}.")
    out = (out or run_folder / ("discarded.jpg" if discarded else "sheet.jpg")).absolute()
    check_sheet(out)
    run_folder, counts = run_folder.absolute(), SheetCounts()
    with open_run(run_folder, read_only=True) as store:
        makes = is_own(store) and not discarded
    with open_run(run_folder, read_only=not makes) as store:
        config = config_for_reading(store)
        if not store.fact("planned"):
            raise RunError(f"{store.folder / RUN_FILE}: the plan of this run is not finished, so it has no cases yet.")
        if discarded:
            found = sheet_discards(store, config, cases, counts)
        else:
            found = sheet_cases(store, config, cases, counts, method=method)
        shown = write_sheet(found, out)
    tell_sheet(out, shown, counts, as_json=as_json, discarded=discarded)


def tell_sheet(out: Path, shown: int, counts: SheetCounts, *, as_json: bool = False, discarded: bool = False) -> None:
    """Say what is on a sheet, and how many cases are not."""
    if as_json:
        echo_json({"sheet": str(out), "shown": shown, "discarded": counts.discarded, "missing": counts.missing})
        return
    nouns = ("discarded image", "discarded images") if discarded else ("case", "cases")
    if not shown:
        echo(f"There is no {nouns[0]} to show, so no sheet was written.")
    else:
        echo(f"Sheet: {out} ({shown} {nouns[shown != 1]})")
    if counts.discarded:
        echo(f"Passed over, because a check discarded an image of it: {counts.discarded}.")
    if counts.missing:
        echo(f"Passed over, because an image of it is missing or could not be made: {counts.missing}.")
