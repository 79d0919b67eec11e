"""The flags that make up a configuration, shared by the commands that need one."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anamorph.cli.terminal import echo, echo_lines
from anamorph.errors import UsageError

if TYPE_CHECKING:
    from anamorph.config import Config
    from anamorph.model import LabelSpace


def _load(_context: click.Context, _option: click.Parameter, paths: tuple[Path, ...]) -> None:
    from anamorph import catalog

    for path in paths:
        catalog.load_file(path)


# For commands without a configuration; in one, extensions are a setting.
LOAD_OPTION = click.option(
    "--load",
    multiple=True,
    metavar="FILE.py",
    type=click.Path(path_type=Path),
    help="A Python file with extensions of your own.",
    callback=_load,
    is_eager=True,
    expose_value=False,
)


TIME_OPTION = click.option("--time", metavar="T", help="Stop asking after this long, such as 90s, 30m or 2h.")
FAIL_OVER_OPTION = click.option(
    "--fail-over", metavar="PERCENT", help="Exit 1 only if more of the cases are violated, such as 5%."
)
_OPTIONS = (
    click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False)),
    click.option("--preset", metavar="NAME", help="Begin with the settings of a paper; see `anamorph list presets`."),
    click.option("--print", "print_preset", is_flag=True, help="With --preset: print its TOML file, and do no more."),
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
    TIME_OPTION,
    click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Any setting, such as deeptest.blur=2."),
    click.option(
        "--load", "loads", multiple=True, metavar="FILE.py", help="A Python file with extensions of your own."
    ),
    FAIL_OVER_OPTION,
)
# Flags that are settings of [ask].
_ASK_FLAGS = ("price", "budget", "time")
_BASELINE_OPTION = click.option(
    "--baseline",
    "baseline_file",
    type=click.Path(path_type=Path, dir_okay=False),
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


_GATE_SET = click.option(
    "--set", "sets", multiple=True, metavar="gate.KEY=VALUE", help="A limit, such as gate.max_same=99%."
)


def gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command on a run the limits of the gate: --fail-over, and --set gate.KEY."""
    return FAIL_OVER_OPTION(_GATE_SET(command))


def with_gate(config: Config, fail_over: str | None, sets: tuple[str, ...]) -> Config:
    """The configuration of a run with other limits; the run keeps its own, and is trusted no more than before."""
    from anamorph.config import resolve, with_override

    plain = copy.deepcopy(dict(config.plain))
    if fail_over is not None:
        plain.setdefault("gate", {})["fail_over"] = fail_over
    for assignment in sets:
        if not assignment.strip().startswith("gate."):
            raise UsageError(f"--set {assignment}: only limits can be set here, such as gate.max_undecided=10%.")
        with_override(plain, assignment)
    overridden = [assignment.partition("=")[0] for assignment in sets]
    return dataclasses.replace(resolve(plain, "", overridden, trusted=config.trusted), given=config.given)


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the configuration flags; it gets the checked `config` in their place."""

    @functools.wraps(command)
    def wrapper(file: Path | None, print_preset: bool, **flags: Any) -> Any:
        if print_preset:
            _print_preset(flags["preset"])
            return None
        parts = ("scenes", "system", "segmenter")
        others = ("preset", "methods", "out", "limit", "prove", "sets", "loads", "fail_over")
        chosen = {name: flags.pop(name) for name in (*parts, *_ASK_FLAGS, *others)}
        return command(config=build_config(file, **chosen), **flags)

    for option in reversed(_OPTIONS):
        wrapper = option(wrapper)
    return wrapper


def _print_preset(name: str | None) -> None:
    from anamorph.config.presets.files import preset as find_preset
    from anamorph.config.presets.files import preset_names

    if name is None:
        raise UsageError(f"--print needs --preset NAME. Known: {', '.join(preset_names())}.")
    echo_lines(find_preset(name).text, nl=False)


def build_config(
    file: Path | None,
    *,
    preset: str | None = None,
    methods: tuple[str, ...] = (),
    sets: tuple[str, ...] = (),
    loads: tuple[str, ...] = (),
    price: float | None = None,
    budget: float | None = None,
    time: str | None = None,
    prove: bool | None = None,
    fail_over: str | None = None,
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
    if loads:
        named = plain.get("load", [])
        plain["load"] = [*(named if isinstance(named, list) else [named]), *loads]
    # Extensions must be known before a flag can name one.
    if plain.get("load"):
        resolve({"load": plain["load"]}, str(file or ""))
    for name, value in single.items():
        if value is not None:
            plain[name] = value
    asked = zip(_ASK_FLAGS, (price, budget, time), strict=True)
    tables = [*(("ask", *pair) for pair in asked), ("gate", "fail_over", fail_over)]
    if prove is not None:
        with_setting(plain, ["prove", "enabled"], prove, "--prove" if prove else "--no-prove")
    for table, name, value in tables:
        if value is not None:
            with_setting(plain, [table, name], value, f"--{name.replace('_', '-')}")
    for assignment in sets:
        with_override(plain, assignment)
    return resolve(plain, str(file or ""), [assignment.partition("=")[0] for assignment in sets])


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
