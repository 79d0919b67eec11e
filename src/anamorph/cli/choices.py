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


def _split_grades(_context: click.Context, _option: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [grade.strip() for grade in value.split(",") if grade.strip()]


GRADES_OPTION = click.option(
    "--fail-grades",
    "--grades",
    "grades",
    metavar="LIST",
    callback=_split_grades,
    help="Only violations of these grades count for the exit code, such as contradiction,invention.",
)
STOP_OPTIONS = (
    click.option("--time", metavar="T", help="Stop asking after this long, such as 90s, 30m or 2h."),
    click.option(
        "--until", metavar="RULE", help="Stop asking once the rate is known well enough, such as 'interval < 3%'."
    ),
)
ENGINE_OPTION = click.option(
    "--engine",
    metavar="WHERE",
    help="Where the run is made: local, ray, or ray://HOST:PORT, a Ray cluster [default: local].",
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
    click.option("--confirm/--no-confirm", default=None, hidden=True),
    click.option("--confirm-with", metavar="KIND:...", help="A system to ask instead, for one that takes no question."),
    click.option("--out", "-o", metavar="RUN", help="The folder of the run [default: runs/DATE-TIME]."),
    click.option("--seed", type=int, metavar="N", help="The seed of everything random [default: 7]."),
    click.option("--limit", type=int, metavar="N", help="Use at most N scenes."),
    click.option(
        "--shard", metavar="I/N", help="Test part I of N of the scenes; `anamorph research merge` joins the N runs."
    ),
    ENGINE_OPTION,
    click.option("--repeats", type=int, metavar="K", help="Ask every probe K times, to distinguish noise from errors."),
    click.option("--price", type=float, metavar="P", help="The price per image, each time that it is sent."),
    click.option("--price-in", type=float, metavar="P", help="The price per million input tokens."),
    click.option("--price-out", type=float, metavar="P", help="The price per million output tokens."),
    click.option("--budget", type=float, metavar="B", help="Stop asking before the run costs more than this."),
    click.option(
        "--order",
        type=click.Choice(["worth", "plan"]),
        help="What is asked first [default: worth with --budget, --time or --until, else plan].",
    ),
    *STOP_OPTIONS,
    click.option("--cache", metavar="FILE", help="Keep answers across runs in this file."),
    click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Any setting, such as deeptest.blur=2."),
    click.option(
        "--load", "loads", multiple=True, metavar="FILE.py", help="A Python file with extensions of your own."
    ),
    click.option("--fail-over", metavar="PERCENT", help="Exit 1 only if more of the cases are violated, such as 5%."),
    click.option("--fail-on", type=int, metavar="N", help="Exit 1 only at N violations or more."),
    GRADES_OPTION,
)


# Flags that are settings of [ask].
_ASK_FLAGS = ("repeats", "price", "price_in", "price_out", "budget", "order", "time", "until")

_BASELINE_OPTIONS = (
    click.option(
        "--baseline",
        "baseline_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Only what this file does not know counts for the exit code; see `anamorph baseline`.",
    ),
    click.option(
        "--fail-on-new", is_flag=True, help="With --baseline: exit 1 at any new cause, whatever the threshold."
    ),
)


def baseline_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --baseline and --fail-on-new; it gets the checked `baseline` in their place, None without one.

    The file is read before anything else is done.
    """

    @functools.wraps(command)
    def wrapper(*words: Any, baseline_file: Path | None, fail_on_new: bool, **flags: Any) -> Any:
        if baseline_file is None and not fail_on_new:
            return command(*words, baseline=None, **flags)
        from anamorph.report.baseline.file import choose_baseline

        return command(*words, baseline=choose_baseline(baseline_file, fail_on_new=fail_on_new), **flags)

    for option in reversed(_BASELINE_OPTIONS):
        wrapper = option(wrapper)
    return wrapper


_LIMIT_OPTIONS = (
    click.option("--fail-over", metavar="PERCENT", help="Exit 1 only if more of the cases are violated, such as 5%."),
    click.option("--fail-on", type=int, metavar="N", help="Exit 1 only at N violations or more."),
    GRADES_OPTION,
)
_GATE_SET = click.option(
    "--set", "sets", multiple=True, metavar="gate.KEY=VALUE", help="A limit, such as gate.max_same=99%."
)


def stop_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the rules that end asking: --time and --until."""
    for option in reversed(STOP_OPTIONS):
        command = option(command)
    return command


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command on a run the commonest limits of the gate: --fail-over, --fail-on and --grades."""
    for option in reversed(_LIMIT_OPTIONS):
        command = option(command)
    return command


def gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command on a run the limits of the gate: --fail-over, --fail-on, --grades and --set gate.KEY."""
    return limit_options(_GATE_SET(command))


def with_gate(
    config: Config, fail_over: str | None, fail_on: int | None, grades: list[str] | None, sets: tuple[str, ...]
) -> Config:
    """The configuration of a run with other limits; the run keeps its own, and is trusted no more than before."""
    from anamorph.config import resolve, with_override

    plain = copy.deepcopy(dict(config.plain))
    for name, value in (("fail_over", fail_over), ("fail_on", fail_on), ("grades", grades)):
        if value is not None:
            plain.setdefault("gate", {})[name] = value
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
        parts = ("scenes", "system", "segmenter", "confirm_with")
        others = (
            "preset",
            "methods",
            "out",
            "seed",
            "limit",
            "shard",
            "engine",
            "cache",
            "sets",
            "loads",
            "fail_over",
            "fail_on",
            "grades",
        )
        chosen = {name: flags.pop(name) for name in (*parts, *_ASK_FLAGS, *others)}
        chosen["prove"] = _proves(flags.pop("prove"), flags.pop("confirm"))
        return command(config=build_config(file, **chosen), **flags)

    for option in reversed(_OPTIONS):
        wrapper = option(wrapper)
    return wrapper


def _proves(prove: bool | None, confirm: bool | None) -> bool | None:
    """What --prove says, or --confirm, which is its old name."""
    if confirm is None:
        return prove
    old, new = ("--confirm", "--prove") if confirm else ("--no-confirm", "--no-prove")
    if prove is not None and prove != confirm:
        raise UsageError(f"{old}: is the old name of {new}, and the other flag says the opposite.")
    echo(f"{old} is now called {new}.", err=True)
    return confirm


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
    repeats: int | None = None,
    price: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    budget: float | None = None,
    order: str | None = None,
    time: str | None = None,
    until: str | None = None,
    prove: bool | None = None,
    cache: str | None = None,
    fail_over: str | None = None,
    fail_on: int | None = None,
    grades: list[str] | None = None,
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
    asked = zip(_ASK_FLAGS, (repeats, price, price_in, price_out, budget, order, time, until), strict=True)
    gated = (("fail_over", fail_over), ("fail_on", fail_on), ("grades", grades))
    tables = [*(("ask", *pair) for pair in asked), *(("gate", *pair) for pair in gated)]
    if cache is not None:
        with_setting(plain, ["cache", "answers"], cache, "--cache")
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
