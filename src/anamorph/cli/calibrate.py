"""`anamorph research calibrate`: precision and recall of every method, on scenes whose truth is known."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress

from anamorph.cli.moved import CALIBRATED, command_with
from anamorph.cli.options import FOLDER, JSON_OPTION, POSITIVE, out_option, set_option, settings_from
from anamorph.cli.printing import table_of
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.config import with_override
from anamorph.errors import UsageError
from anamorph.methods.crosscheck.method import Crosscheck
from anamorph.model import setting
from anamorph.model.visible import one_line
from anamorph.store.run import RUN_FILE
from anamorph.studies.calibrate.calibrator import NETWORKS, CalibrationSettings, Calibrator, Trial, trials
from anamorph.studies.calibrate.files import (
    SYSTEM_COLUMNS,
    as_plain,
    floors_sentence,
    left_out_text,
    system_cells,
    write_files,
)
from anamorph.studies.calibrate.floors import FLOOR_TRIALS, Falsehood, FloorTrial, floor_trial
from anamorph.studies.calibrate.records import Calibration, LeftOut, Measurement
from anamorph.studies.calibrate.styles import STYLES
from anamorph.toybox.faults.system import FAULTS


@dataclass(frozen=True, slots=True)
class _Draw:
    """The settings of a calibration itself."""

    seed: int = setting(7, "The seed of scenes and faults.")
    rate: float = setting(0.2, "The share of the answers that a fault changes.", least=0, most=1)
    floors: bool = setting(True, "Measure the error floor, if crosscheck is among the methods.")
    keep_runs: bool = setting(False, "Keep the runs on systems in DIR/runs, for `anamorph report`.")


_OWN = ("seed", "rate", "floors", "keep_runs")
_RUNS = "runs"


@click.command(
    cls=command_with(CALIBRATED),
    epilog="""\b
Examples:
  anamorph research calibrate
  anamorph research calibrate --scenes 1000 --method deeptest --faults none
  anamorph research calibrate --system faulty:omission,inner=toybox:captioner,rate=0.3 --faults none""",
)
@click.option("--scenes", type=POSITIVE, default=200, show_default=True, metavar="N", help="Scenes to draw.")
@click.option("--method", "-m", "methods", multiple=True, metavar="NAME", help="A method; all, if none is given.")
@click.option(
    "--system",
    "-y",
    "systems",
    multiple=True,
    metavar="KIND:...",
    help="A system to measure on [default: the three networks of the toybox].",
)
@click.option(
    "--faults",
    multiple=True,
    type=click.Choice(("all", "none", *FAULTS)),
    default=("all",),
    metavar="NAME",
    help="A fault to inject into a system that always tells the truth; repeat for several, or all, or none.",
)
@click.option(
    "--truthful",
    "styles",
    multiple=True,
    type=click.Choice(("all", "none", *STYLES)),
    default=("all",),
    metavar="NAME",
    help="A way to tell the truth that must not be reported; repeat for several, or all, or none.",
)
@out_option(FOLDER, "DIR", "Where the JSON, the SVG and the table go.", default="calibration", show_default=True)
@set_option("seed=7, rate=0.2 (the share that a fault changes), floors=false, keep_runs=true; or of a method.")
@JSON_OPTION
def calibrate(
    scenes: int,
    methods: tuple[str, ...],
    systems: tuple[str, ...],
    faults: tuple[str, ...],
    styles: tuple[str, ...],
    out: Path,
    sets: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure how far reports can be trusted, on drawn scenes whose truth is known, even after every edit.

    A report is right if at least one answer of its case is wrong about what is visible. Precision is the share of
    the reports that are right; recall is the share of the cases with a wrong answer that are reported. Systems that say
    nothing false, each in a style of its own, must not be reported at all.
    """
    chosen = () if "none" in faults else tuple(fault for fault in FAULTS if fault in faults or "all" in faults)
    spoken = () if "none" in styles else tuple(style for style in STYLES if style in styles or "all" in styles)
    own = [each for each in sets if each.partition("=")[0].strip() in _OWN]
    sets = tuple(each for each in sets if each not in own)
    draw = settings_from(_Draw, own)
    settings = CalibrationSettings(scenes, draw.seed, methods, systems or NETWORKS, chosen, draw.rate, sets, spoken)
    began = time.monotonic()
    runs = _prepare_runs_folder(out) if draw.keep_runs else None
    with tempfile.TemporaryDirectory(prefix="anamorph-calibrate-") as scratch:
        calibrator = Calibrator(settings, runs or Path(scratch, "runs"), Path(scratch, "plans"), keep=draw.keep_runs)
        found = _measured(calibrator, trials(settings))
        wanted = FLOOR_TRIALS if draw.floors and Crosscheck.kind in (methods or (Crosscheck.kind,)) else ()
        certified = _floors(Path(scratch, "floors"), settings, wanted)
    rows = tuple(each for each in found if isinstance(each, Measurement))
    left_out = tuple(each for each in found if isinstance(each, LeftOut))
    calibration = Calibration(scenes, draw.seed, draw.rate, rows, left_out, certified)
    files = write_files(calibration, out)
    if as_json:
        echo_json(as_plain(calibration))
        return
    console = open_console()
    print_calibration(console, calibration)
    console.print(
        f"Took {time.monotonic() - began:.0f} s. Written: {as_text(', '.join(map(str, files)))}", highlight=False
    )


def print_calibration(console: Console, calibration: Calibration) -> None:
    """A table of each system, and what was left out; results.md has the rest."""
    for system in dict.fromkeys(row.system for row in calibration.of_systems):
        cells = [system_cells(row) for row in calibration.of_systems if row.system == system]
        rows = [(f"{method} {relation}", *more) for _, method, relation, *more in cells]
        console.print(table_of(f"{system} on {calibration.scenes} scenes", SYSTEM_COLUMNS[2:], rows, box=SIMPLE_HEAD))
    if calibration.floors:
        console.print(floors_sentence(calibration.floors), highlight=False)
    for each in calibration.left_out:
        console.print(f"Left out: {as_text(left_out_text(each))}", highlight=False, soft_wrap=True)


def _measured(calibrator: Calibrator, planned: Sequence[Trial]) -> list[Measurement | LeftOut]:
    console = open_console(stderr=True)
    found: list[Measurement | LeftOut] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Calibrating", total=len(planned))
        for number, trial in enumerate(planned, start=1):
            progress.update(task, description=as_text(trial.name))
            if not console.is_terminal:
                sys.stderr.write(one_line(f"{number} of {len(planned)}: {trial.name}") + "\n")
                sys.stderr.flush()
            found += calibrator.measure(trial)
            progress.advance(task)
    return found


def _floors(
    scratch: Path, settings: CalibrationSettings, wanted: Sequence[tuple[Falsehood, float]]
) -> tuple[FloorTrial, ...]:
    """The floor of systems of which every false answer is known; settings of crosscheck count here as well."""
    plain: dict[str, Any] = {}
    for assignment in settings.sets:
        with_override(plain, assignment)
    found = []
    for number, (how, rate) in enumerate(wanted):
        folder = scratch / str(number)
        found.append(floor_trial(folder, settings.scenes, settings.seed, how, rate, plain))
        shutil.rmtree(folder)
    return tuple(found)


def _prepare_runs_folder(out: Path) -> Path:
    """The folder for runs, without those of an earlier calibration; anything else in it is left alone."""
    runs = out / _RUNS
    for path in runs.iterdir() if runs.is_dir() else ():
        if not (path / RUN_FILE).is_file():
            raise UsageError(f"{path}: is not a run of an earlier calibration and would be lost. Choose another --out.")
        shutil.rmtree(path)
    runs.mkdir(parents=True, exist_ok=True)
    return runs
