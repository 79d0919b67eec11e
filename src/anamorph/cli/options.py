"""Options that several commands share, each defined once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from anamorph.errors import BadRecord, UsageError

Settings = TypeVar("Settings")

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
EXISTING_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
POSITIVE = click.IntRange(min=1)


def _load(_context: click.Context, _option: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in paths:
        from anamorph import catalog

        catalog.load_file(path)
    return paths


def _load_option(**how: Any) -> Callable[[Any], Any]:
    said = "A Python file with extensions of your own."
    return click.option("--load", multiple=True, metavar="FILE.py", type=PATH, help=said, callback=_load, **how)


# Of the whole command; after a command it is the old spelling.
LOAD_OPTION = _load_option()
OLD_LOAD_OPTION = _load_option(hidden=True, expose_value=False)


def loaded_files() -> tuple[Path, ...]:
    """The files that --load named before the command, which a run loads when it is resumed."""
    context = click.get_current_context(silent=True)
    return () if context is None else context.find_root().params.get("load", ())


JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
PORT_OPTION = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="Open no browser, only print the address; N is the port, and 0 takes any that is free.",
)
REVIEWER_OPTION = click.option("--reviewer", metavar="NAME", help="Who marks; by default your login name.")
CHANGED_SYSTEM_OPTION = click.option(
    "--accept-changed-system", is_flag=True, help="Ask although the system's fingerprint changed."
)
VOTES_OPTION = click.option("--votes", type=FILE, metavar="FILE", help="Write each photo's vote to this file.")


def calls_option(default: int) -> Callable[[Any], Any]:
    """How much a command may ask about a case."""
    said = "Send at most N images for a case; the run's own budget also counts."
    return click.option("--calls", type=click.IntRange(0), default=default, show_default=True, metavar="N", help=said)


def set_option(help: str, metavar: str = "KEY=VALUE") -> Callable[[Any], Any]:
    """`--set`, with an example of its own."""
    return click.option("--set", "sets", multiple=True, metavar=metavar, help=help)


def out_option(what: click.ParamType[Any], metavar: str, help: str, **more: Any) -> Callable[[Any], Any]:
    """`--out`, the file or folder that a command writes."""
    return click.option("--out", "-o", type=what, metavar=metavar, help=help, **more)


def sample_option(help: str) -> Callable[[Any], Any]:
    """`--sample N[,seed=S]`; the command gets both numbers."""
    return click.option("--sample", multiple=True, callback=_sample, metavar="N[,seed=S]", help=help)


def _sample(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[int | None, int]:
    given = ",".join(values)
    found = re.fullmatch(r"(?:([1-9]\d*),?)?(?:seed=(\d+))?", given)
    if found is None:
        raise click.BadParameter(f"{given!r} is not a number of items. Examples: 100, and 100,seed=3.", context, option)
    return None if found[1] is None else int(found[1]), int(found[2] or 0)


def settings_from(kind: type[Settings], sets: Sequence[str], **given: Any) -> Settings:
    """A record of settings from `--set KEY=VALUE` and from options of their own."""
    from anamorph.config import with_override
    from anamorph.model import decode

    plain: dict[str, Any] = {}
    for assignment in sets:
        with_override(plain, assignment)
    try:
        return decode(kind, plain | {name: value for name, value in given.items() if value is not None})
    except BadRecord as problem:
        raise UsageError(f"--set {problem.path}: {problem.problem}") from problem
