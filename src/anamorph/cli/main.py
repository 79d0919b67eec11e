"""The `anamorph` command: its subcommands, and its exit codes."""

from __future__ import annotations

import importlib
import io
import sqlite3
import sys
import warnings
from typing import TextIO

import click

from anamorph import __version__
from anamorph.cli.groups import WholeSummaryGroup
from anamorph.cli.signals import exit_code_of, heeded_signals, stopped_by
from anamorph.errors import AnamorphError, did_you_mean

COMMANDS = {
    "demo": "anamorph.cli.demo:demo",
    "init": "anamorph.cli.init:init",
    "run": "anamorph.cli.run:run",
    "resume": "anamorph.cli.resume:resume",
    "rejudge": "anamorph.cli.rejudge:rejudge",
    "plan": "anamorph.cli.plan:plan",
    "sheet": "anamorph.cli.sheet:sheet",
    "judge": "anamorph.cli.judge:judge",
    "read": "anamorph.cli.read:read",
    "report": "anamorph.cli.report:report",
    "merge": "anamorph.cli.merge:merge",
    "compare": "anamorph.cli.compare:compare_command",
    "review": "anamorph.cli.review:review",
    "baseline": "anamorph.cli.baseline:baseline",
    "study": "anamorph.cli.study:study",
    "relevance": "anamorph.cli.relevance:relevance",
    "combinations": "anamorph.cli.combinations:combinations",
    "replay": "anamorph.cli.replay:replay",
    "shrink": "anamorph.cli.shrink:shrink",
    "explain": "anamorph.cli.explain:explain",
    "collect": "anamorph.cli.collect:collect",
    "label-errors": "anamorph.cli.label_errors:label_errors",
    "export": "anamorph.cli.export:export",
    "diversity": "anamorph.cli.diversity:diversity_command",
    "metrics": "anamorph.cli.metrics:metrics",
    "calibrate": "anamorph.cli.calibrate:calibrate",
    "toybox": "anamorph.cli.toybox:toybox",
    "pool": "anamorph.cli.pool:pool",
    "labels": "anamorph.cli.labels:labels",
    "models": "anamorph.cli.models:models",
    "list": "anamorph.cli.list:list_command",
    "doctor": "anamorph.cli.doctor:doctor",
    "schema": "anamorph.cli.schema:schema",
}

# What each command's docstring begins with, so that `--help` imports none of them; a test compares the two.
SUMMARIES = {
    "demo": "Run every method on drawn scenes and three small neural networks: offline, nothing to set up.",
    "init": "Set up a project: look at photos and system, and write anamorph.toml and a CI workflow.",
    "run": "Plan, render, ask, judge and report, from a TOML file, flags, or both (flags win).",
    "resume": "Continue a run: ask only what has no answer yet, then judge everything.",
    "rejudge": "Judge the stored answers again, with no call to the system.",
    "plan": "Show what would be asked: how many cases, images and calls, and with --price what they cost.",
    "sheet": "Show sources and follow-ups of a run side by side on one picture, with what was done in words.",
    "judge": (
        "Judge outputs that were recorded elsewhere, one JSON object, CSV row or TSV row each; - reads JSON from stdin."
    ),
    "read": "Show how captions, or answers to a question, are read; - reads texts from stdin, one a line.",
    "report": (
        "Write the report of a run: a folder of HTML that opens from disk, with JSON, CSV and JUnit XML beside it."
    ),
    "merge": "Put the runs of all shards together: the same run as one over all scenes, with its report and exit code.",
    "compare": "Put the runs of several systems side by side.",
    "review": "Look at issues in a local web app, and mark each report as right or as a false alarm.",
    "baseline": "Write what is known of a system already to a file, so that later runs fail only for what is new.",
    "study": (
        "Ask people about pictures: how natural they are, which of two is, whether they show their labels, what to say."
    ),
    "relevance": "Sum up whether collected photos show their labels: RI, RLC, and how far the annotators agree.",
    "combinations": (
        "Show which label combinations the outputs of an atom run have, beside photos chosen at random (ATOM, table V)."
    ),
    "replay": "Ask the system about one case again and judge what it says now; nothing is stored.",
    "shrink": "Find the smallest edit of a violated case that still breaks its relation, and keep it beside the issue.",
    "explain": "Find which part of an image carries the wrong word of an issue, and draw it over the image.",
    "collect": "Collect photos for label combinations with a search engine, as ATOM does.",
    "label-errors": (
        "List reference captions that do not name what the system under test names in a photo and in its follow-up."
    ),
    "export": "Export edited images with the objects that are on them after the edit, to train or fine-tune with.",
    "diversity": (
        "Measure how diverse the edited images of runs are, and draw a map of them (t-SNE, as in SPOLRE's figure 5c)."
    ),
    "metrics": (
        "Score captions against reference captions, before and after the edits, with the error rate beside the scores."
    ),
    "calibrate": "Measure how far reports can be trusted, on drawn scenes whose truth is known, even after every edit.",
    "toybox": "The drawn scenes that come with Anamorph.",
    "pool": "Build and look at pools of cut-outs, which insertions take their objects from.",
    "labels": "Label spaces of your own: the classes of your data, and the words that captions use for them.",
    "models": "Known weights: list them, get them, find them, verify them.",
    "list": (
        "List what can be chosen: methods, systems, scenes, searchers, edits, inpainters, painters, "
        "segmenters, relations, readers, presets."
    ),
    "doctor": "Show what is installed, what is missing and how to get it, and try out what every run needs.",
    "schema": "Print the JSON schema of the configuration file, for editors and checks.",
}

EPILOG = """\b
Exit codes: 0 the relations hold (or violations are within the threshold), 1 violations, 2 usage or configuration,
3 the system under test, the machine or Anamorph itself failed, 4 inconclusive: too little was tested to say,
130 stopped by Ctrl-C."""


class LazyGroup(WholeSummaryGroup):
    """Imports a command only when it is used, so that `--help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def summary(self, ctx: click.Context, name: str) -> str:
        return SUMMARIES[name] if name in SUMMARIES else super().summary(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            guess = did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f"No such command {args[0]!r}.{guess} See `anamorph --help`.", ctx)
        return super().resolve_command(ctx, args)


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

        _complain(crash_sentence(problem))
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
