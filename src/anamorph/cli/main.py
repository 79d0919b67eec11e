"""The `anamorph` command: its subcommands, and its exit codes."""

from __future__ import annotations

import ast
import atexit
import gc
import importlib
import importlib.util
import io
import sqlite3
import sys
import warnings
from collections.abc import Mapping
from importlib.abc import InspectLoader
from pathlib import Path
from typing import Any, TextIO

import click

from anamorph import __version__
from anamorph.cli.groups import WholeSummaryGroup, paragraph, with_short_examples
from anamorph.cli.options import LOAD_OPTION
from anamorph.cli.signals import exit_code_of, heeded_signals, stopped_by
from anamorph.errors import AnamorphError, did_you_mean, machine_fault

# The product.
COMMANDS = {
    "demo": "anamorph.cli.demo:demo",
    "init": "anamorph.cli.init:init",
    "run": "anamorph.cli.run:run",
    "resume": "anamorph.cli.resume:resume",
    "plan": "anamorph.cli.plan:plan",
    "report": "anamorph.cli.report:report",
    "compare": "anamorph.cli.compare:compare_command",
    "review": "anamorph.cli.review:review",
    "baseline": "anamorph.cli.baseline:baseline",
}
# The rest, in groups: the summary of a group, and its commands.
GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "case": (
        "One case of a run: ask again, shrink its edit, explain it, see it.",
        {
            "replay": "anamorph.cli.replay:replay",
            "shrink": "anamorph.cli.shrink:shrink",
            "explain": "anamorph.cli.explain:explain",
            "sheet": "anamorph.cli.sheet:sheet",
        },
    ),
    "judge": (
        "Judge without asking: outputs recorded elsewhere (judge FILE.jsonl), or a run again.",
        {
            "run": "anamorph.cli.rejudge:rejudge",
            "read": "anamorph.cli.read:read",
            "outputs": "anamorph.cli.judge:judge",
        },
    ),
    "research": (
        "Studies of methods, systems and people: calibration, metrics, collections, exports.",
        {
            "calibrate": "anamorph.cli.calibrate:calibrate",
            "readers": "anamorph.cli.readers:readers",
            "study": "anamorph.cli.study:study",
            "relevance": "anamorph.cli.relevance:relevance",
            "collect": "anamorph.cli.collect:collect",
            "combinations": "anamorph.cli.combinations:combinations",
            "diversity": "anamorph.cli.diversity:diversity_command",
            "metrics": "anamorph.cli.metrics:metrics",
            "label-errors": "anamorph.cli.label_errors:label_errors",
            "export": "anamorph.cli.export:export",
            "merge": "anamorph.cli.merge:merge",
            "toybox": "anamorph.cli.toybox:toybox",
        },
    ),
    "list": (
        "List what can be chosen (list systems openai), what is installed, and what is at hand.",
        {
            "schema": "anamorph.cli.schema:schema",
            "models": "anamorph.cli.models:models",
            "doctor": "anamorph.cli.doctor:doctor",
            "pool": "anamorph.cli.pool:pool",
            "labels": "anamorph.cli.labels:labels",
            "catalog": "anamorph.cli.list:list_command",
        },
    ),
}
# A word that is none of a group's commands is an argument of this one.
DEFAULTS = {"judge": "outputs", "list": "catalog"}
# Old names, which work for a release and say the new one.
ALIASES = {name: (group, name) for group, (_, own) in GROUPS.items() for name in own if group != "judge"} | {
    "rejudge": ("judge", "run"),
    "read": ("judge", "read"),
}
del ALIASES["catalog"]

EPILOG = """\b
Exit codes:
  0  the relations hold, or violations are within the threshold
  1  violations
  2  usage or configuration
  3  the system under test, the machine or Anamorph itself failed
  4  inconclusive: too little was tested to say
  130  stopped by Ctrl-C"""


_HELP_FLAGS = {"help_option_names": ["-h", "--help"]}


def _summary_in(place: str) -> str:
    """The first paragraph of a command's docstring, from its source, so that `--help` imports no command.

    Empty if the program comes without source.
    """
    module, _, function = place.partition(":")
    found = importlib.util.find_spec(module)
    loader = None if found is None else found.loader
    source = loader.get_source(module) if isinstance(loader, InspectLoader) else None
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return paragraph(ast.get_docstring(node) or "")
    return ""


class LazyGroup(WholeSummaryGroup):
    """Commands that are imported only when they are used, so that `--help` is quick."""

    def __init__(self, *words: Any, places: Mapping[str, str], default: str | None = None, **settings: Any) -> None:
        super().__init__(*words, **settings)
        self._places, self._default = places, default

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        module, _, attribute = self._places[cmd_name].partition(":")
        return with_short_examples(getattr(importlib.import_module(module), attribute))

    def summary(self, ctx: click.Context, name: str) -> str:
        return _summary_in(self._places[name]) or super().summary(ctx, name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = (*self._places, "--help", "-h")
        if self._default is not None and not (args and args[0] in own):
            args = [self._default, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            guess = did_you_mean(args[0], self._known())
            raise click.UsageError(f"No such command {args[0]!r}.{guess} See `{ctx.command_path} --help`.", ctx)
        return super().resolve_command(ctx, args)

    def _known(self) -> list[str]:
        return list(self._places)


class Anamorph(LazyGroup):
    """The whole command: what is used every day, groups for the rest, and old names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *GROUPS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in GROUPS:
            return _group(cmd_name)
        if cmd_name in ALIASES:
            group, name = ALIASES[cmd_name]
            return _group(group).get_command(ctx, name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in ALIASES:
            from anamorph.cli.terminal import echo

            echo(f"`anamorph {args[0]}` is now `anamorph {' '.join(ALIASES[args[0]])}`.", err=True)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in (("Commands", COMMANDS), ("Groups of commands", GROUPS)):
            with formatter.section(title):
                formatter.write_dl([(name, self.summary(ctx, name)) for name in names])

    def summary(self, ctx: click.Context, name: str) -> str:
        return GROUPS[name][0] if name in GROUPS else super().summary(ctx, name)

    def _known(self) -> list[str]:
        return [*COMMANDS, *GROUPS, *ALIASES]


def _group(name: str) -> LazyGroup:
    summary, places = GROUPS[name]
    default = DEFAULTS.get(name)
    usage = {"judge": "FILE | COMMAND ...", "list": "[GROUP [NAME]] | COMMAND ..."}.get(name)
    return LazyGroup(
        name,
        places=places,
        default=default,
        help=summary,
        no_args_is_help=default is None,
        subcommand_metavar=usage,
        context_settings=_HELP_FLAGS,
    )


@click.group(cls=Anamorph, places=COMMANDS, epilog=EPILOG, context_settings=_HELP_FLAGS)
@click.version_option(__version__, prog_name="anamorph")
@LOAD_OPTION
def cli(load: tuple[Path, ...]) -> None:
    """Test systems that look at images, without labels.

    Anamorph shows a captioner, a visual question answerer or a tagger a photo and edited versions of it, knows which
    metamorphic relation the answers must meet, and reports every set of answers that cannot all be right.

    \b
    Start here:
      anamorph demo
      anamorph init --scenes photos --system model.py:caption
      anamorph run anamorph.toml
    """


def main() -> None:
    """Run the command line; every expected error ends in one sentence and its exit code."""
    # To look for garbage among modules, now and when leaving, is a fifth of what a short command costs.
    gc.set_threshold(20_000, 20, 20)
    atexit.register(gc.freeze)
    with warnings.catch_warnings(), heeded_signals():
        warnings.showwarning = _show_warning
        _main()


def _main() -> None:
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except (click.Abort, KeyboardInterrupt) as stop:
        cause = stop.__cause__ if isinstance(stop, click.Abort) else stop
        _complain(stopped_by(cause))
        sys.exit(exit_code_of(cause))
    except click.ClickException as problem:
        _show(problem)
        sys.exit(2)
    except AnamorphError as problem:
        _complain(str(problem))
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        # Whoever read our output is gone, which is not our failure. Point stdout elsewhere for the interpreter's flush.
        sys.stdout = None
        sys.exit(141)
    except (OSError, sqlite3.Error, MemoryError) as problem:
        _complain(f"The machine failed: {type(problem).__name__}: {problem}")
        sys.exit(3)
    except Exception as problem:  # noqa: BLE001  nothing may end in a bare trace
        from anamorph.cli.crashes import crash_sentence

        fault = machine_fault(problem)
        _complain(crash_sentence(problem) if fault is None else f"{fault.message} ({problem}).")
        sys.exit(3)


def _complain(message: str) -> None:
    from anamorph.cli.terminal import complain

    complain("Error:", message)


def _show(problem: click.ClickException) -> None:
    """Print a complaint about the command line, in which there may be names of files."""
    from anamorph.cli.terminal import echo_lines

    said = io.StringIO()
    problem.show(said)
    echo_lines(said.getvalue(), err=True, nl=False)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    from anamorph.cli.terminal import echo

    echo(f"{category.__name__}: {message}", err=True)


if __name__ == "__main__":
    main()
