"""`anamorph init`: from photos and a system to a configuration file, a CI workflow and the next commands."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from anamorph import catalog
from anamorph.cli.doctor import EXTRAS
from anamorph.cli.options import FILE, OLD_LOAD_OPTION
from anamorph.cli.terminal import echo
from anamorph.config import Config, part_from_text, resolve
from anamorph.config.starter import starter_toml
from anamorph.config.workflows import BASELINE_FILE, CONFIG_FILE, PLACES, Workflow
from anamorph.engine.default_method import with_method
from anamorph.engine.preflight import system_line
from anamorph.errors import AnamorphError, MissingExtra, UsageError
from anamorph.model import Scene
from anamorph.photos.entries import is_whole_text
from anamorph.store.own_files import refuse_link, write_own

EXAMPLE = {"scenes": "toybox:20", "system": "toybox:answerer"}
# Photos that are looked at, no pixels among them; and how many a first run uses.
_MOST_SCANNED, _FIRST_PHOTOS = 1_000, 20
_NO_CI = "none"
_ASKED = {
    "scenes": ("Photos: a folder, or KIND:... (see `anamorph list scenes`)", "photos"),
    "system": (
        "System: FILE.py:function, openai:MODEL,base_url=http://..., command:'python captioner.py', or KIND:... "
        "(see `anamorph list systems`)",
        None,
    ),
}


@click.command(
    epilog="""\b
Examples:
  anamorph init
  anamorph init --example
  anamorph init --scenes photos --system model.py:caption
  anamorph init --scenes photos --system openai:my-model,base_url=http://localhost:8000/v1 --ci gitlab"""
)
@click.option("--scenes", "-s", metavar="FOLDER|KIND:...", help="Where photos come from; asked for if it is missing.")
@click.option(
    "--system", "-y", metavar="KIND:...", help="What is tested, such as model.py:caption; asked for likewise."
)
@click.option(
    "--example", is_flag=True, help="Drawn scenes and a small network that come with Anamorph; needs nothing."
)
@click.option(
    "--ci",
    type=click.Choice([*PLACES, _NO_CI]),
    default="github",
    show_default=True,
    help="The service to write a workflow for.",
)
@click.option("--out", "-o", type=FILE, default=Path(CONFIG_FILE), show_default=True)
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@OLD_LOAD_OPTION
def init(scenes: str | None, system: str | None, example: bool, ci: str, out: Path, force: bool) -> None:
    """Set up a project: look at photos and system, and write anamorph.toml and a CI workflow."""
    if not str(out).isprintable():
        raise UsageError(f"--out: {str(out)!a} has characters that cannot be printed. Choose another name.")
    if example:
        if scenes or system:
            raise UsageError("--example brings its own scenes and system. Leave --scenes and --system out.")
        scenes, system = EXAMPLE["scenes"], EXAMPLE["system"]
    plain: dict[str, Any] = {
        "scenes": _part("scenes", scenes, _seen_scenes),
        "system": _part("system", system, _seen_system),
    }
    config, chosen = with_method(resolve(plain))
    plain["methods"], plain["limit"] = [method.kind for method in config.methods], _FIRST_PHOTOS
    why = chosen.partition("since ")[2].rstrip(".")
    echo(f"method: {', '.join(plain['methods'])}, since {why}.")
    workflow = None if ci == _NO_CI else Workflow(ci, str(out), _secret(plain["system"]), _extra(plain["system"]))
    text = starter_toml(plain, why, shlex.quote(str(out)))
    kept = workflow is not None and _keeps(workflow, force=force)
    # All files can be written, or none is.
    _require_writable(out, text, force=force)
    if workflow is not None and not kept:
        _require_writable(Path(workflow.path), workflow.text, force=True)
    _write(out, text)
    if workflow is not None and kept:
        echo(f"Kept {workflow.path}, which is there already; --force replaces it.")
    elif workflow is not None:
        _write(Path(workflow.path), workflow.text)
    _tell_next(out, workflow)


def _part(part: str, text: str | None, look: Callable[[Mapping[str, Any]], str]) -> dict[str, Any]:
    """The table of a part that a flag gives or a person is asked for; what cannot be used is said, and asked again."""
    if text is not None:
        table = part_from_text(part, text)
        echo(f"{part}: {look(table)}")
        return table
    if not _can_ask():
        raise UsageError(f"init needs --{part}, or --example; without a terminal it cannot ask.")
    question, default = _ASKED[part]
    while True:
        said = click.prompt(question, default=default)
        try:
            table = part_from_text(part, said)
            echo(f"{part}: {look(table)}")
        except AnamorphError as problem:
            echo(str(problem), err=True)
        else:
            return table


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _seen_scenes(table: Mapping[str, Any]) -> str:
    """How many photos there are, and what is annotated, as far as the first ones tell."""
    usable = skipped = things = captions = 0
    for found in resolve({"scenes": dict(table)}).scenes().scan():
        if isinstance(found, Scene):
            usable += 1
            things += bool(found.things)
            captions += bool(found.captions)
        else:
            skipped += 1
        if usable + skipped >= _MOST_SCANNED:
            break
    if not usable:
        raise UsageError(f"scenes: no photo can be used; {skipped:,} were skipped.")
    more = " or more" if usable + skipped >= _MOST_SCANNED else ""
    parts = [f"{usable:,}{more} photos"]
    parts += [f"{skipped:,} left out"] if skipped else []
    parts.append(
        f"{things:,} with annotated objects"
        if things
        else "no annotated objects, which crosscheck and deeptest do not need"
    )
    parts += [f"{captions:,} with reference captions"] if captions else []
    return ", ".join(parts)


def _seen_system(table: Mapping[str, Any]) -> str:
    """A description of the system; a missing key or library is reported, and can be added later."""
    config: Config = resolve({"system": dict(table)})
    try:
        system = config.system()
    except MissingExtra as problem:
        return f"{table['kind']}. Before the first run: {problem}"
    except UsageError as problem:
        if _secret(table) and _secret(table) in str(problem):
            return f"{table['kind']}. Before the first run: {problem}"
        raise
    try:
        return system_line(system)
    finally:
        system.close()


def _secret(table: Mapping[str, Any]) -> str:
    """The environment variable with the key of a system; empty if it has none."""
    cls = catalog.find("systems", table["kind"])
    default = next((field.default for field in dataclasses.fields(cls) if field.name == "key_variable"), "")
    variable = table.get("key_variable", default)
    # A server of one's own needs no key.
    return "" if not isinstance(variable, str) or "base_url" in table else variable


def _extra(table: Mapping[str, Any]) -> str:
    """The extra whose libraries a system needs."""
    kind = str(table["kind"])
    return {"bedrock": "aws", "rekognition": "aws"}.get(kind, kind if kind in EXTRAS else "")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_own(path, text.encode())
    echo(f"Wrote {path}")


def _require_writable(path: Path, text: str, *, force: bool) -> None:
    if os.path.lexists(path):
        if not force:
            raise UsageError(f"{path}: is there already. Replace it with --force, or write another file with --out.")
        refuse_link(path)
    above = next(parent for parent in path.absolute().parents if os.path.lexists(parent))
    if not above.is_dir():
        raise UsageError(f"{path}: cannot be written, because {above} is not a folder; nothing was written.")
    if not is_whole_text(text):
        raise UsageError(f"{path}: would hold a name that is not UTF-8; rename the file or folder that has it.")


def _keeps(workflow: Workflow, *, force: bool) -> bool:
    """Whether another workflow that is there already stays: it may test another system, or be changed by hand."""
    path = Path(workflow.path)
    if force or not os.path.lexists(path):
        return False
    refuse_link(path)
    return path.read_text(encoding="utf-8", errors="replace") != workflow.text


def _tell_next(out: Path, workflow: Workflow | None) -> None:
    file = shlex.quote(str(out))
    steps = [
        (f"anamorph run {file} --check --ask", "asks about one photo, and shows how the answer is read"),
        (f"anamorph run {file} --out runs/first", "tests, and writes runs/first/report/index.html"),
        (
            f"anamorph baseline runs/first -o {BASELINE_FILE}",
            "accepts what is known, so that CI fails only for what is new",
        ),
    ]
    if workflow is not None:
        steps.append((f"git add {file} {workflow.path} {BASELINE_FILE}", "and commit: CI does the rest"))
    echo("Next:")
    for command, meaning in steps:
        echo(f"  {command}")
        echo(f"    # {meaning}")
