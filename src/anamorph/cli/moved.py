"""Flags that became settings: they still work for a release, and say what to write now."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from anamorph.cli.terminal import echo

# By old flag, the option that has it now and what it says there: `{}` is the flag's value, `{items}` its list.
Moved = Mapping[str, tuple[str, str]]


def _sets(*names: str, table: str = "", says: str = "{}") -> Moved:
    """Flags that are settings of the same name."""
    return {f"--{name}": ("--set", f"{table}{name.replace('-', '_')}={says}") for name in names}


def _filters(*names: str) -> Moved:
    return {f"--{name}": ("--only", f"{name}={{}}") for name in names} | {"-m": ("--only", "method={}")}


_NO_BROWSER, _SEED = ("--port", "0"), ("--sample", "seed={}")
_LIMITS = {
    **_sets("fail-on", table="gate."),
    **_sets("fail-on-new", table="gate.", says="true"),
    **dict.fromkeys(("--fail-grades", "--grades"), ("--set", "gate.grades={items}")),
}
LIMITS = {**_LIMITS, **_sets("fail-over", table="gate.")}
_SPENDING = {**_sets("price-in", "price-out", "until", table="ask."), **_sets("engine")}
_LOGS = {"--log-to": ("--log", "{}"), "--github": ("--log", "github")}
# Of commands that end with a report, and of resume.
ENDED = {**LIMITS, **_LOGS}
RESUMED = {**ENDED, **_SPENDING, **_sets("price", "time", table="ask.")}
_CONFIGURED = {
    **_LIMITS,
    **_SPENDING,
    **_sets("seed", "shard", "load", "confirm-with"),
    **_sets("repeats", "order", table="ask."),
    "--cache": ("--set", "cache.answers={}"),
    "--confirm": ("--prove", ""),
    "--no-confirm": ("--no-prove", ""),
}
SETTINGS = {**_CONFIGURED, **_LOGS}
PLANNED = {**_CONFIGURED, **LIMITS, **_sets("time", table="ask.")}
ISSUES = {
    **_filters("method", "relation", "grade"),
    "--only-unmarked": ("--only", "unmarked"),
    "--leads": ("--only", "leads"),
    "--seed": _SEED,
    "--no-browser": _NO_BROWSER,
}
SAMPLED, SERVED = {"--seed": _SEED}, {"--no-browser": _NO_BROWSER}
SHEETS = {**_filters("method"), "--discarded": ("--only", "discarded")}
CALIBRATED = {
    **_sets("seed", "rate"),
    **_sets("floors", "keep-runs", says="true"),
    "--no-floors": ("--set", "floors=false"),
}
COLLECTED = {
    **_sets("space", "least-score", "limit"),
    **_sets("refill", says="true"),
    "--most": ("--set", "per_combination={}"),
}
LABEL_ERRORS = {
    **_sets("level", "least-pairs"),
    **_sets("each-caption", "annotated-only", says="true"),
    "--any-caption": ("--set", "each_caption=false"),
    "--objects": ("--out", "objects={}"),
    "--coco": ("--out", "coco={}"),
}
POOLS = {**_sets("most-per-class", "limit"), "--no-sheet": ("--set", "sheet=false")}
MAPPED = _sets("values", "most", "seed")
RECORDED = {**LIMITS, **_sets("load")}
LICENSED = {"--accept-licence": ("--accept-license", "")}
CALLS = {"--most-calls": ("--calls", "{}")}


def command_with(moved: Moved) -> type[click.Command]:
    """The class of a command that takes these old flags."""

    class WithMovedFlags(click.Command):
        """Puts what an old flag says into the option that has it now."""

        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            return super().parse_args(ctx, list(_moved(args, moved)))

    WithMovedFlags.moved = moved  # type: ignore[attr-defined]
    return WithMovedFlags


def _moved(args: Sequence[str], moved: Moved) -> Iterator[str]:
    rest: Any = iter(args)
    for word in rest:
        if word == "--":
            yield word
            yield from rest
            return
        flag, equals, value = word.partition("=")
        if flag not in moved:
            yield word
            continue
        option, says = moved[flag]
        if "{" in says and not equals:
            value = next(rest, None)
            if value is None:
                raise click.UsageError(f"Option {flag!r} requires an argument.")
        items = json.dumps([each.strip() for each in value.split(",") if each.strip()])
        new = [option, says.format(value, items=items)] if says else [option]
        echo(f"{flag} is now {shlex.join(new)}", err=True)
        yield from new
