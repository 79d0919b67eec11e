"""`anamorph doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import click
import numpy as np
from rich.table import Table

from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.store.images import ImageFolder, ImageFormat
from anamorph.store.schema import connect, create_tables
from anamorph.weights.files import models_folder, verification_of
from anamorph.weights.known import KNOWN

DEVELOPMENT = {"test", "check", "bench", "docs"}
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*?(?:extra\s*==\s*[\"']([^\"']+)[\"'])?$")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that Anamorph may need, and in which state it is."""

    what: str
    state: Literal["ok", "missing", "broken"]
    note: str


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> None:
    """Show what is installed, what is missing and how to get it, and try out what every run needs."""
    checks = [*_libraries(), *_programs(), *_weights(), *_trials()]
    if as_json:
        echo_json([asdict(check) for check in checks])
    else:
        table = Table("what", "state", "note")
        for check in checks:
            colour = {"ok": "green", "missing": "yellow", "broken": "red"}[check.state]
            table.add_row(as_text(check.what), f"[{colour}]{check.state}[/]", as_text(check.note))
        open_console().print(table)
    sys.exit(3 if any(check.state == "broken" for check in checks) else 0)


def _libraries() -> list[Check]:
    found = [Check("Python", "ok", platform.python_version()), Check("SQLite", "ok", sqlite3.sqlite_version)]
    found.append(_full_text())
    for requirement in importlib.metadata.requires("anamorph") or []:
        match = _REQUIREMENT.match(requirement)
        if match is None or match[2] in DEVELOPMENT:
            continue
        name, extra = match[1], match[2]
        try:
            found.append(Check(name, "ok", importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            how = f"pip install 'anamorph[{extra}]'" if extra else f"pip install {name}"
            found.append(Check(name, "missing" if extra else "broken", how))
    return found


def _full_text() -> Check:
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
        except sqlite3.OperationalError as problem:
            return Check("SQLite full-text search", "missing", f"only the searcher 'local' needs it ({problem})")
    return Check("SQLite full-text search", "ok", "FTS5")


def _programs() -> list[Check]:
    return [
        Check(name, "ok", where) if (where := shutil.which(name)) else Check(name, "missing", note)
        for name, note in (
            ("chromium", "only the tests of the report need it"),
            ("npm", "one of the ways of `anamorph models get`"),
        )
    ]


def _weights() -> list[Check]:
    findings = [verification_of(each) for each in KNOWN.values()]
    here = [each.weights.name for each in findings if each.state in ("verified", "unverifiable")]
    where = f"in {models_folder()}"
    note = f"{', '.join(here)} {where}" if here else f"none {where}; see anamorph models list"
    return [
        Check("weights", "ok" if here else "missing", note),
        *(
            Check(
                f"weights {each.weights.name}",
                "broken",
                f"{each.note}; anamorph models get {each.weights.name} --replace",
            )
            for each in findings
            if each.state == "wrong"
        ),
    ]


def _trials() -> list[Check]:
    with tempfile.TemporaryDirectory(prefix="anamorph-doctor-") as folder:
        return [_trial("writing a run file", _try_store, folder), _trial("writing an image", _try_image, folder)]


def _trial(what: str, attempt: Callable[[Path], str], folder: str) -> Check:
    try:
        return Check(what, "ok", attempt(Path(folder)))
    except Exception as problem:  # noqa: BLE001  whatever is wrong is what doctor reports
        return Check(what, "broken", f"{type(problem).__name__}: {problem}")


def _try_store(folder: Path) -> str:
    connection = connect(folder / "run.sqlite")
    create_tables(connection)
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    connection.close()
    return f"journal mode {mode}"


def _try_image(folder: Path) -> str:
    images, picture = ImageFolder(folder), np.zeros((32, 48, 3), dtype=np.uint8)
    for format in (ImageFormat("jpeg"), ImageFormat("png")):
        back = images.pixels(images.write(format.encode(picture), format.suffix))
        if back.shape != picture.shape:
            raise ValueError(f"{format.format} was read back as {back.shape}")
    return "jpeg and png"
