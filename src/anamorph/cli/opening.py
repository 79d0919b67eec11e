"""Opening the run that a command is about; nothing that another user's run names is loaded, started or contacted."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import click

from anamorph.cli.crashes import note_run
from anamorph.cli.options import EXISTING_FILE, FOLDER
from anamorph.cli.terminal import echo, echo_lines
from anamorph.config import Config
from anamorph.config.consequences import consequences
from anamorph.engine.run import adopt, config_of, stored_config
from anamorph.errors import NotTrusted
from anamorph.store.marks import MARKS_FILE
from anamorph.store.run import RunStore
from anamorph.store.signing import is_own, key_file

RUN_ARGUMENT = click.argument("run_folder", metavar="RUN", type=FOLDER)
TRUST_OPTION = click.option(
    "--trust", is_flag=True, help="Carry out what a run names that you did not make on this machine; it is shown first."
)
MARKS_OPTION = click.option(
    "--marks",
    "mark_files",
    multiple=True,
    type=EXISTING_FILE,
    metavar="FILE",
    help=f"More marks of `anamorph review` and `anamorph research study`, besides RUN/{MARKS_FILE}; may be repeated.",
)


@contextlib.contextmanager
def open_run(folder: Path, *, read_only: bool = False) -> Iterator[RunStore]:
    """Open a run; one's own in the directory where it was started, so that relative paths mean what they meant."""
    note_run(folder)
    with RunStore.open(folder.absolute(), read_only=read_only) as store:
        if is_own(store):
            _enter_directory(store)
        yield store


def config_for_reading(store: RunStore) -> Config:
    """The configuration of a run that is only read; nothing that another user's run names is used."""
    config = config_of(store, reading=True)
    if config.unloaded:
        files = ", ".join(config.unloaded)
        echo(
            f"{store.folder}: you did not make this run on this machine, so {files} was not loaded; what needs it is "
            "left out.",
            err=True,
        )
    return config


def config_to_act(store: RunStore, *, trust: bool, keep: bool = False) -> Config:
    """The configuration of a run that is carried out; that of another user's run is shown, and needs `trust`.

    With `keep`, a run that was trusted once is this user's own from then on.
    """
    if not is_own(store):
        lines = consequences(stored_config(store), store.fact("directory"))
        shown = "\n".join(f"  {line}" for line in lines)
        reason = (
            f"{store.folder}: you did not make this run on this machine (it is not signed with {key_file()}). It would:"
        )
        if not trust:
            raise NotTrusted(f"{reason}\n{shown}\nIf you want that, add --trust.")
        echo_lines(f"{reason}\n{shown}", err=True)
        _enter_directory(store)
    config = config_of(store, trust=trust)
    if keep and trust:
        adopt(store)
    return config


def _enter_directory(store: RunStore) -> None:
    directory = store.fact("directory")
    if directory and Path(directory).is_dir():
        os.chdir(directory)
