"""The flags that make up a configuration, shared by the commands that need one."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anamorph.cli.options import FILE, loaded_files, set_option
from anamorph.cli.terminal import echo, echo_lines
from anamorph.errors import UsageError

if TYPE_CHECKING:
    from anamorph.config import Config
    from anamorph.model import LabelSpace


_OPTIONS = (
    click.argument("file", required=False, type=FILE),
    click.option("--preset", metavar="NAME", help="Begin with the settings of a paper; see `anamorph list presets`."),
    click.option("--print", "print_preset", is_flag=True, hidden=True),
    click.option("--method", "-m", "methods", multiple=True, metavar="NAME", help="A method; repeat for several."),
    click.option("--scenes", "-s", metavar="KIND:...", help="Where photos come from: a folder, or KIND:..."),
    click.option("--system", "-y", metavar="KIND:...", help="What is tested: KIND:..., or FILE.py:function."),
    click.option("--segmenter", metavar="KIND:...", help="What finds the objects of photos that have none annotated."),
    click.option(
        "--prove/--no-prove",
        default=None,
        help="Ask closed questions before anything is reported [default: if the system takes questions].",
    ),
    click.option("--out", "-o", metavar="RUN", help="The folder of the run [default: runs/DATE-TIME]."),
    click.option("--limit", type=int, metavar="N", help="Use at most N scenes."),
    click.option("--price", type=float, metavar="P", help="The price per image, each time that it is sent."),
    click.option("--budget", type=float, metavar="B", help="Stop asking before the run costs more than this."),
    set_option("Any setting, such as deeptest.blur=2."),
)
_RUN_OPTIONS = (
    click.option("--time", metavar="T", help="Stop asking after this long, such as 90s, 30m or 2h."),
    click.option("--fail-over", metavar="PERCENT", help="Exit 1 only if more of the cases are violated, such as 5%."),
)
# Flags that are settings of a table.
_TABLES = {"price": "ask", "budget": "ask", "time": "ask", "fail_over": "gate"}
_BASELINE_OPTION = click.option(
    "--baseline",
    "baseline_file",
    type=FILE,
    metavar="FILE",
    help="Only what this file does not know counts for the exit code; see `anamorph baseline`.",
)


def baseline_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --baseline; it gets the checked `baseline` in its place, None without one.

    The file is read before anything else is done.
    """

    @_BASELINE_OPTION
    @functools.wraps(command)
    def wrapper(*words: Any, baseline_file: Path | None, **flags: Any) -> Any:
        if baseline_file is None:
            return command(*words, baseline=None, **flags)
        from anamorph.report.baseline.file import choose_baseline

        return command(*words, baseline=choose_baseline(baseline_file), **flags)

    return wrapper


# The limits of the gate, for a command on a run.
GATE_OPTION = set_option("A limit, such as gate.fail_over=5%.", "gate.KEY=VALUE")


def with_gate(config: Config, sets: Sequence[str]) -> Config:
    """The configuration of a run with other limits; the run keeps its own, and is trusted no more than before."""
    from anamorph.config import resolve, with_override

    plain = copy.deepcopy(dict(config.plain))
    for assignment in sets:
        if not assignment.strip().startswith("gate."):
            raise UsageError(f"--set {assignment}: only limits can be set here, such as gate.max_undecided=10%.")
        with_override(plain, assignment)
    overridden = [assignment.partition("=")[0] for assignment in sets]
    return dataclasses.replace(resolve(plain, "", overridden, trusted=config.trusted), given=config.given)


def configured(command: Callable[..., Any], *more: Callable[[Any], Any]) -> Callable[..., Any]:
    """Give a command the configuration flags; it gets the checked `config` in their place."""

    @functools.wraps(command)
    def wrapper(file: Path | None, print_preset: bool, **flags: Any) -> Any:
        if print_preset:
            _print_preset(flags["preset"])
            return None
        names = ("scenes", "system", "segmenter", *_TABLES, "preset", "methods", "out", "limit", "prove", "sets")
        chosen = {name: flags.pop(name) for name in names if name in flags}
        return command(config=build_config(file, **chosen), **flags)

    for option in reversed((*_OPTIONS, *more)):
        wrapper = option(wrapper)
    return wrapper


def configured_to_run(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the configuration flags, and those that end or judge a run."""
    return configured(command, *_RUN_OPTIONS)


def _print_preset(name: str | None) -> None:
    """--print, which is `list presets NAME` now."""
    from anamorph.config.presets.files import preset as find_preset, preset_names

    if name is None:
        raise UsageError(f"--print needs --preset NAME. Known: {', '.join(preset_names())}.")
    echo_lines(find_preset(name).text, nl=False)


def build_config(
    file: Path | None,
    *,
    preset: str | None = None,
    methods: tuple[str, ...] = (),
    sets: tuple[str, ...] = (),
    prove: bool | None = None,
    **single: Any,
) -> Config:
    """The file's settings over those of a preset, and the flags over both, checked."""
    from anamorph.config import read_toml, resolve, with_override, with_preset, with_setting

    plain = read_toml(file) if file is not None else {}
    preset = preset or plain.get("preset")
    if isinstance(preset, str):
        plain = with_preset(preset, plain)
    if isinstance(plain.get("cache"), str):
        plain["cache"] = {"answers": plain["cache"]}
    if methods:
        plain["methods"] = list(methods)
    sets = _with_loads(plain, sets)
    # Extensions must be known before a flag can name one.
    if plain.get("load"):
        resolve({"load": plain["load"]}, str(file or ""))
    for name, value in single.items():
        if value is not None and name not in _TABLES:
            plain[name] = value
    if prove is not None:
        with_setting(plain, ["prove", "enabled"], prove, "--prove" if prove else "--no-prove")
    for name, table in _TABLES.items():
        if single.get(name) is not None:
            with_setting(plain, [table, name], single[name], f"--{name.replace('_', '-')}")
    for assignment in sets:
        with_override(plain, assignment)
    return resolve(plain, str(file or ""), [assignment.partition("=")[0] for assignment in sets])


def _with_loads(plain: dict[str, Any], sets: tuple[str, ...]) -> tuple[str, ...]:
    """The assignments without `load=FILE`, whose files join those that the configuration loads."""
    from anamorph.config import with_override

    loads = [each for each in sets if each.partition("=")[0].strip() == "load"]
    more: list[Any] = [str(path) for path in loaded_files()]
    for assignment in loads:
        one: dict[str, Any] = {}
        with_override(one, assignment)
        more.append(one["load"])
    if more:
        named = [plain.get("load", []), *more]
        plain["load"] = [file for each in named for file in (each if isinstance(each, list) else [each])]
    return tuple(each for each in sets if each not in loads)


def space_labels(space: LabelSpace, text: str | None) -> tuple[str, ...]:
    """The labels of a space, or those that --labels names."""
    if text is None:
        return space.names
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UsageError("--labels: names no label. Write, for example, --labels person,dog.")
    return tuple(space.label(name).name for name in names)


def label_sets(scenes: str, flag: str) -> list[tuple[str, ...]]:
    """The labels of each of some scenes; what cannot be used is shown and left out."""
    from anamorph.config import resolve
    from anamorph.model import Skip

    found: list[tuple[str, ...]] = []
    for scene in resolve({"scenes": scenes}, flag).scenes().scan():
        if isinstance(scene, Skip):
            echo(f"skipped {scene.what}: {scene.reason}", err=True)
        else:
            labels = {*scene.labels, *(thing.label for thing in scene.things if not thing.crowd)}
            found.append(tuple(sorted(labels)))
    return found
