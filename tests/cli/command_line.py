"""A command of the line as tests run it: in this process, since a new one needs a second only to import."""

from __future__ import annotations

import contextlib
import contextvars
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from anamorph import catalog
from anamorph.cli import main as command
from anamorph.engine.judge import relation_from_json
from tests.conftest import ROOT

_COLUMNS = "120"


def anamorph(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a command prints and how it ends; nothing that it imported, loaded or set is left behind.

    What is printed by processes that it starts is not caught, and there is nobody to be killed.
    """
    argv = [str(command.__file__), *map(str, words)]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    code = 0
    with _as_a_new_process(argv, cwd, environment), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            contextvars.Context().run(command.main)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(bool(left.code))
    printed = []
    for stream in (out, err):
        stream.flush()
        printed.append(stream.buffer.getvalue().decode("utf-8"))
    return subprocess.CompletedProcess(argv, code, *printed)


def anamorph_process(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "anamorph.cli.main", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": _COLUMNS, "PYTHONPATH": str(ROOT / "src"), **environment},
    )


@contextlib.contextmanager
def _as_a_new_process(argv: list[str], cwd: Path, environment: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ), sys.argv, list(sys.path), Path.cwd(), sys.modules["__main__"]
    _forget(cwd)
    os.environ.update({"COLUMNS": _COLUMNS, **environment})
    os.chdir(cwd)
    # Where click finds the name of the program.
    sys.argv, sys.modules["__main__"] = argv, command
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before[0])
        sys.argv, sys.path[:] = before[1], before[2]
        os.chdir(before[3])
        sys.modules["__main__"] = before[4]
        _forget(cwd)


def _forget(folder: Path) -> None:
    """Leave out what a new process would make anew: modules of a folder, files that were loaded, options of help."""
    catalog._loaded.clear()
    relation_from_json.cache_clear()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.startswith("anamorph_file_") or (isinstance(file, str) and Path(file).is_relative_to(folder)):
            del sys.modules[name]
        if name.startswith("anamorph.cli"):
            for each in vars(module).values():
                if isinstance(each, click.Command):
                    _forget_help(each)


def _forget_help(command: click.Command) -> None:
    """Undo that click keeps the option --help as the first one who asked for it had it, without -h perhaps."""
    command._help_option = None
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _forget_help(each)
