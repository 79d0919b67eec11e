"""`anamorph judge`: recorded outputs, judged with no system at hand."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

import click
from rich.console import Console

from anamorph.cli.choices import build_config
from anamorph.cli.moved import RECORDED, command_with
from anamorph.cli.options import JSON_OPTION, PATH, set_option
from anamorph.cli.printing import gate_record, rich_table, table_of
from anamorph.cli.terminal import as_text, complain, echo, echo_json, json_text, open_console
from anamorph.engine.gate import GateResult, gate
from anamorph.errors import UsageError
from anamorph.model.visible import one_line
from anamorph.store.run import RUN_FILE
from anamorph.studies.judge.files import BadLine, RecordedLine, rows_of
from anamorph.studies.judge.judge import DEFAULT, TranscriptJudge
from anamorph.studies.judge.published import REPOSITORIES, Repository, published_rows
from anamorph.studies.judge.summary import REPORTED_BAD_LINES, TranscriptSummary

_OUTCOMES = ("holds", "violated", "undecided")


@click.command(
    cls=command_with(RECORDED),
    epilog="""\b
Examples:
  anamorph judge recorded.jsonl -o verdicts.jsonl
  anamorph judge recorded.csv --set gate.fail_over=5% --json
  anamorph judge rome-azure.jsonl --profile released -o verdicts.jsonl
  anamorph judge recorded.jsonl --set labels=voc
  anamorph judge --from testic TestIC --profile released --only rome-azure
  anamorph judge --from lv-cit LV-CIT --only voc2-msrn""",
)
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=True))
@click.option(
    "--from",
    "repository",
    type=click.Choice(REPOSITORIES),
    help="FILE is a clone of what authors published: testic (MetaIC and ROME), lv-cit (ATOM), oamt, or oamt-rated.",
)
@click.option("--only", metavar="PREFIX", help="Only rows whose id begins like this, such as voc2-msrn.")
@click.option("--method", metavar="NAME", help="The method of rows that name neither a method nor a relation.")
@click.option("--out", "-o", metavar="FILE", help="Write the verdicts here, one JSON line each [default: stdout].")
@click.option(
    "--profile",
    metavar="NAME",
    default=DEFAULT,
    show_default=True,
    help="paper: judge exactly as published, without comparing all numbers. released: also read and judge as a "
    "method's released tool did, to replay what it published. Methods without that profile are judged by default.",
)
@click.option("--config", type=PATH, metavar="FILE.toml", help="Settings of readers and gate.")
@set_option("Any setting, such as labels=voc or gate.fail_over=5%.")
@click.option("--evidence", is_flag=True, help="Add the words that prove each verdict.")
@JSON_OPTION
def judge(
    file: str,
    repository: Repository | None,
    only: str | None,
    method: str | None,
    out: str | None,
    profile: str,
    config: Path | None,
    sets: tuple[str, ...],
    evidence: bool,
    as_json: bool,
) -> None:
    """Judge outputs that were recorded elsewhere, one JSON object, CSV row or TSV row each; - reads JSON from stdin.

    Verdicts go to --out, or to stdout with the summary on stderr. A bad line is named and does not stop the rest; with
    bad lines and no failed gate the exit code is 2.
    """
    settings = build_config(config, sets=sets)
    judging = TranscriptJudge(settings.readers(), profile)
    summary = TranscriptSummary()
    name = "<stdin>" if file == "-" else file
    with _rows(file, name, repository) as rows, _target(out, file, as_json) as target:
        for row in judging.judge_all(_chosen(rows, only, method)):
            summary.add(row)
            if isinstance(row, BadLine):
                _complain(name, row, summary.bad_count)
            elif target is not None:
                target.write(json_text(row.record(evidence)) + "\n")
    if not summary.methods and not summary.relations and not summary.bad_count:
        raise UsageError(f"{name}: it has no line to judge.")
    limits = settings.settings.gate
    result = gate(dataclasses.replace(summary.gate_input, counted=summary.counted(limits)), limits)
    # A file with bad lines never passes, and a violation counts for more than a bad line.
    bad = bool(summary.bad_count) and result.outcome != "failed"
    sentence = _with_bad_lines(summary, result, name) if bad else result.sentence
    exit_code = 2 if bad else result.exit_code
    if as_json:
        record = {"file": name, "profile": profile, "exit_code": exit_code, "gate": gate_record(result)}
        echo_json({**record, **summary.record()})
    else:
        _print(
            open_console(stderr=target is sys.stdout),
            summary,
            sentence,
            {0: "green", 1: "red"}.get(exit_code, "yellow"),
        )
    sys.exit(exit_code)


@contextlib.contextmanager
def _rows(file: str, name: str, repository: Repository | None) -> Iterator[Iterator[RecordedLine | BadLine]]:
    """The rows of a file, or of a clone of what authors published."""
    if repository is not None:
        yield published_rows(repository, Path(file))
        return
    with _source(file) as source:
        yield rows_of(source, name)


def _chosen(
    rows: Iterator[RecordedLine | BadLine], only: str | None, method: str | None
) -> Iterator[RecordedLine | BadLine]:
    """Rows whose id begins as wanted; those that name nothing get the method."""
    for row in rows:
        if isinstance(row, BadLine):
            yield row
        elif only is None or str(row.plain.get("id", "")).startswith(only):
            nameless = method is not None and not row.plain.get("method") and not row.plain.get("relation")
            yield dataclasses.replace(row, plain={**row.plain, "method": method}) if nameless else row


@contextlib.contextmanager
def _source(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with _opening(Path(file), "rb", f"{file}: cannot be read") as opened:
        yield cast(BinaryIO, opened)


@contextlib.contextmanager
def _target(out: str | None, file: str, as_json: bool) -> Iterator[TextIO | None]:
    if out is None or out == "-":
        # With --json, stdout belongs to the one object.
        yield None if as_json else sys.stdout
        return
    path = Path(out)
    if file != "-" and path.exists() and path.samefile(file):
        raise UsageError(f"--out {out}: is the file that is judged. Name another.")
    with _opening(path, "w", f"--out {out}: cannot be written") as opened:
        yield cast(TextIO, opened)


def _opening(path: Path, mode: str, complaint: str) -> IO[Any]:
    if path.is_dir():
        found = (
            f"is a run. Judge it again: anamorph judge run {path}" if (path / RUN_FILE).is_file() else "is a folder."
        )
        raise UsageError(f"{path}: {found}")
    try:
        return path.open(mode, encoding=None if "b" in mode else "utf-8")
    except OSError as problem:
        raise UsageError(f"{complaint} ({problem.strerror or problem}).") from problem


def _complain(name: str, bad: BadLine, count: int) -> None:
    if count <= REPORTED_BAD_LINES:
        row = f"line {bad.line}" if bad.id is None else f"line {bad.line} (id {bad.id!r})"
        complain("Bad line:", one_line(f"{name}, {row}: {bad.problem}"))
    elif count == REPORTED_BAD_LINES + 1:
        echo("Further bad lines are counted only.", err=True)


def _with_bad_lines(summary: TranscriptSummary, result: GateResult, name: str) -> str:
    lines = "line is" if summary.bad_count == 1 else "lines are"
    rest = f" {result.sentence}" if summary.gate_input.methods else ""
    return f"{name}: {summary.bad_count} {lines} bad and could not be judged.{rest}"


def _print(console: Console, summary: TranscriptSummary, sentence: str, colour: str) -> None:
    groups = [*sorted(summary.methods.items()), *sorted(summary.relations.items())]
    rows = []
    for name, counts in groups:
        kinds = {**counts.violated, **counts.categories}
        shown = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        rows.append((name, *(counts.outcomes[outcome] for outcome in _OUTCOMES), shown))
    last = "violated parts and kinds of error"
    first = "method or relation" if summary.relations else "method"
    console.print(table_of("Judged", (first, *_OUTCOMES, last), rows, (last,)))
    for _, counts in groups:
        for reason, count in counts.undecided.most_common(3):
            console.print(f"  {count} x undecided: {as_text(reason)}", highlight=False, soft_wrap=True)
    if references := summary.references:
        console.print(
            f"{references['checked']} rows have references: {references['unnamed_by_all']} where no reference, "
            f"{references['unnamed_by_some']} where not every reference names what both captions name."
        )
    for _, tally in sorted(summary.tallies.items()):
        for total in tally.shown():
            if isinstance(total, str):
                console.print(as_text(total), soft_wrap=True)
            else:
                console.print(rich_table(total.title, total))
    console.print(f"[{colour} bold]{as_text(sentence)}[/]", soft_wrap=True, highlight=False)
