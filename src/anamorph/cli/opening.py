"""Opening the run that a command is about."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import click

from anamorph.cli.crashes import note_run
from anamorph.store.run import RunStore

RUN_ARGUMENT = click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path, file_okay=False))


@contextlib.contextmanager
def open_run(folder: Path, *, read_only: bool = False) -> Iterator[RunStore]:
    """Open a run in the directory that it was started from, where its relative paths mean what they meant."""
    note_run(folder)
    with RunStore.open(folder.absolute(), read_only=read_only) as store:
        directory = store.fact("directory")
        if directory and Path(directory).is_dir():
            os.chdir(directory)
        yield store
