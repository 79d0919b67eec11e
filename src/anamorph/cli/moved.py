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

_LIMITS: Moved = {
    "--fail-on": ("--set", "gate.fail_on={}"),
    "--fail-grades": ("--set", "gate.grades={items}"),
    "--grades": ("--set", "gate.grades={items}"),
    "--fail-on-new": ("--set", "gate.fail_on_new=true"),
}
LIMITS: Moved = {**_LIMITS, "--fail-over": ("--set", "gate.fail_over={}")}
SPENDING: Moved = {
    "--price-in": ("--set", "ask.price_in={}"),
    "--price-out": ("--set", "ask.price_out={}"),
    "--until": ("--set", "ask.until={}"),
    "--engine": ("--set", "engine={}"),
}
LOGS: Moved = {"--log-to": ("--log", "{}"), "--github": ("--log", "github")}
# Of commands that end with a report, and of resume.
ENDED: Moved = {**LIMITS, **LOGS}
RESUMED: Moved = {
    **ENDED,
    **SPENDING,
    "--price": ("--set", "ask.price={}"),
    "--time": ("--set", "ask.time={}"),
}
_CONFIGURED: Moved = {
    **_LIMITS,
    **SPENDING,
    "--load": ("--set", "load={}"),
    "--seed": ("--set", "seed={}"),
    "--shard": ("--set", "shard={}"),
    "--repeats": ("--set", "ask.repeats={}"),
    "--order": ("--set", "ask.order={}"),
    "--cache": ("--set", "cache.answers={}"),
    "--confirm-with": ("--set", "confirm_with={}"),
    "--confirm": ("--prove", ""),
    "--no-confirm": ("--no-prove", ""),
}
SETTINGS: Moved = {**_CONFIGURED, **LOGS}
PLANNED: Moved = {**_CONFIGURED, **LIMITS, "--time": ("--set", "ask.time={}")}
ISSUES: Moved = {
    "--only-unmarked": ("--only", "unmarked"),
    "--method": ("--only", "method={}"),
    "-m": ("--only", "method={}"),
    "--relation": ("--only", "relation={}"),
    "--grade": ("--only", "grade={}"),
    "--leads": ("--only", "leads"),
    "--seed": ("--sample", "seed={}"),
    "--no-browser": ("--port", "0"),
}
SAMPLED: Moved = {"--seed": ("--sample", "seed={}")}
SERVED: Moved = {"--no-browser": ("--port", "0")}
SHEETS: Moved = {
    "--method": ("--only", "method={}"),
    "-m": ("--only", "method={}"),
    "--discarded": ("--only", "discarded"),
}
CALIBRATED: Moved = {
    "--seed": ("--set", "seed={}"),
    "--rate": ("--set", "rate={}"),
    "--no-floors": ("--set", "floors=false"),
    "--keep-runs": ("--set", "keep_runs=true"),
    "--floors": ("--set", "floors=true"),
}
COLLECTED: Moved = {
    "--most": ("--set", "per_combination={}"),
    "--space": ("--set", "space={}"),
    "--least-score": ("--set", "least_score={}"),
    "--limit": ("--set", "limit={}"),
    "--refill": ("--set", "refill=true"),
}
LABEL_ERRORS: Moved = {
    "--level": ("--set", "level={}"),
    "--each-caption": ("--set", "each_caption=true"),
    "--any-caption": ("--set", "each_caption=false"),
    "--annotated-only": ("--set", "annotated_only=true"),
    "--least-pairs": ("--set", "least_pairs={}"),
    "--objects": ("--out", "objects={}"),
    "--coco": ("--out", "coco={}"),
}
POOLS: Moved = {
    "--most-per-class": ("--set", "most_per_class={}"),
    "--no-sheet": ("--set", "sheet=false"),
    "--limit": ("--set", "limit={}"),
}
MAPPED: Moved = {f"--{name}": ("--set", f"{name}={{}}") for name in ("values", "most", "seed")}
RECORDED: Moved = {**LIMITS, "--load": ("--set", "load={}")}
CALLS: Moved = {"--most-calls": ("--calls", "{}")}


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
