"""The `anamorph` command: its subcommands, and its exit codes."""

from __future__ import annotations

import importlib
import sqlite3
import sys

import click

from anamorph import __version__
from anamorph.cli.signals import exit_code_of, heeded_signals, stopped_by
from anamorph.errors import AnamorphError

COMMANDS = {
    "demo": "anamorph.cli.demo:demo",
    "run": "anamorph.cli.run:run",
    "resume": "anamorph.cli.resume:resume",
    "rejudge": "anamorph.cli.rejudge:rejudge",
    "plan": "anamorph.cli.plan:plan",
    "judge": "anamorph.cli.judge:judge",
    "read": "anamorph.cli.read:read",
    "report": "anamorph.cli.report:report",
    "compare": "anamorph.cli.compare:compare_command",
    "relevance": "anamorph.cli.relevance:relevance",
    "replay": "anamorph.cli.replay:replay",
    "collect": "anamorph.cli.collect:collect",
    "label-errors": "anamorph.cli.label_errors:label_errors",
    "export": "anamorph.cli.export:export",
    "diversity": "anamorph.cli.diversity:diversity_command",
    "calibrate": "anamorph.cli.calibrate:calibrate",
    "toybox": "anamorph.cli.toybox:toybox",
    "pool": "anamorph.cli.pool:pool",
    "models": "anamorph.cli.models:models",
    "list": "anamorph.cli.list:list_command",
    "doctor": "anamorph.cli.doctor:doctor",
    "schema": "anamorph.cli.schema:schema",
}

EPILOG = """\b
Exit codes: 0 the relations hold (or violations are within the threshold), 1 violations, 2 usage or configuration,
3 the system under test, the machine or Anamorph itself failed, 130 stopped by Ctrl-C."""


class LazyGroup(click.Group):
    """Imports a command only when it is used, so that `--help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="anamorph")
def cli() -> None:
    """Test systems that look at images, without labels.

    Anamorph shows a captioner, a visual question answerer or a tagger a photo and edited versions of it, knows which
    metamorphic relation the answers must meet, and reports every set of answers that cannot all be right.

    \b
    Start here:
      anamorph demo
      anamorph run --method deeptest --scenes folder:photos --system command:'python captioner.py'
      anamorph list methods
    """


def main() -> None:
    """Run the command line; every expected error ends in one sentence and its exit code."""
    with heeded_signals():
        _run()


def _run() -> None:
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except (click.Abort, KeyboardInterrupt) as stop:
        cause = stop.__cause__ if isinstance(stop, click.Abort) else stop
        _complain(stopped_by(cause))
        sys.exit(exit_code_of(cause))
    except click.ClickException as problem:
        problem.show()
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

        _complain(crash_sentence(problem))
        sys.exit(3)


def _complain(message: str) -> None:
    click.echo(f"{click.style('Error:', fg='red', bold=True)} {message}", err=True)


if __name__ == "__main__":
    main()
