"""`anamorph research study`: studies that people take part in, from a run to a summary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
from rich.console import Console

from anamorph.cli.groups import WholeSummaryGroup
from anamorph.cli.moved import SAMPLED, SERVED, command_with
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import (
    EXISTING_FILE,
    EXISTING_FOLDER,
    FILE,
    JSON_OPTION,
    PORT_OPTION,
    REVIEWER_OPTION,
    VOTES_OPTION,
    out_option,
    sample_option,
)
from anamorph.cli.printing import rich_table
from anamorph.cli.relevance import print_relevance
from anamorph.cli.review import login_name
from anamorph.cli.serving import hold_session
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.errors import UsageError
from anamorph.model import Table
from anamorph.statistics.intervals import Interval
from anamorph.statistics.rates import interval_cell
from anamorph.store.marks import MARKS_FILE
from anamorph.studies.relevance.files import write_judgements, write_votes
from anamorph.studies.sessions.session import check_installed
from anamorph.studies.study.choosing import CaptionsOf, draw_study, folder_for
from anamorph.studies.study.results import answers_of_study, read_results
from anamorph.studies.study.session import StudySession, open_study
from anamorph.studies.study.study import STUDY_KINDS, StudyKind, read_study, write_study
from anamorph.studies.study.summary import (
    Naturalness,
    PairChoices,
    StudySummary,
    judgements,
    sum_up_study,
    summary_record,
)

SAMPLE = 100
FILE_ARGUMENT = click.argument("file", metavar="FILE", type=FILE)


@click.group(cls=WholeSummaryGroup)
def study() -> None:
    """Ask people about pictures: how natural they are, which of two is, whether they show their labels, what to say."""


@study.command(
    "new",
    cls=command_with(SAMPLED),
    epilog="""\b
Examples:
  anamorph research study new naturalness runs/first -o natural.json --sample 100
  anamorph research study new pairwise runs/first -o pairs.json --between rome,metaic
  anamorph research study new relevance runs/collected -o relevance.json --sample 500
  anamorph research study new caption runs/first -o captions.json --of references""",
)
@click.argument("kind", type=click.Choice(STUDY_KINDS))
@RUN_ARGUMENT
@out_option(FILE, "FILE.json", "A new file, which says what is shown.", required=True)
@sample_option(f"At most N items [default: {SAMPLE}]; another seed draws others.")
@click.option(
    "--between",
    metavar="A,B",
    help="What is rated or compared: real (untouched photos) and methods [default: real and every method].",
)
@click.option(
    "--of",
    "captions_of",
    type=click.Choice(get_args(CaptionsOf)),
    default="issues",
    show_default=True,
    help="Whose captions are corrected: those of issues, or reference captions that `label-errors` suspects.",
)
@click.option(
    "--least-seconds",
    type=click.IntRange(1, 3600),
    metavar="N",
    help="Take no answer before an item was shown this long; SPOLRE's study asks for 30.",
)
def new(
    kind: StudyKind,
    run_folder: Path,
    out: Path,
    sample: tuple[int | None, int],
    between: str | None,
    captions_of: CaptionsOf,
    least_seconds: int | None,
) -> None:
    """Draw a study from a run: a file that says what is shown, in which order, and what is asked.

    naturalness: how natural a picture is, from 1 to 4, as ROME asks; untouched photos are mixed in. pairwise: which of
    two pictures of a photo is more natural, and how certain that is, as SPOLRE asks. relevance: whether a photo shows
    its labels, as ATOM asks. caption: a corrected caption, for `export` and `label-errors`.
    """
    chosen = tuple(name.strip() for name in between.split(",") if name.strip()) if between else ()
    if kind == "pairwise" and len(chosen) == 1:
        raise UsageError(f"--between {between}: expected two names, such as real,rome.")
    if chosen and kind in ("relevance", "caption"):
        raise UsageError(f"--between {between}: a study of the kind {kind} compares nothing. Leave it out.")
    out = out.absolute()
    with open_run(run_folder, read_only=True) as store:
        folder = folder_for(out, store.folder)
        config = config_for_reading(store)
        drawn = draw_study(
            *(store, config, kind, folder, sample[0] or SAMPLE, sample[1]),
            between=chosen,
            captions_of=captions_of,
            least_seconds=least_seconds,
        )
        # While the run is open: what a forged run holds is then named, and not only the file that it cannot be in.
        write_study(out, drawn)
    items = "1 item" if len(drawn.items) == 1 else f"{len(drawn.items):,} items"
    echo(f"Study: {out} ({items})")


@study.command(
    "open",
    cls=command_with(SERVED),
    epilog="""\b
Examples:
  anamorph research study open natural.json --reviewer ann
  anamorph research study open natural.json --reviewer bob --results results/bob.jsonl""",
)
@FILE_ARGUMENT
@REVIEWER_OPTION
@click.option(
    "--results",
    type=FILE,
    metavar="FILE.jsonl",
    help="Where the answers go; by default beside the study, with the name of the reviewer.",
)
@click.option(
    "--run",
    "run_folder",
    type=EXISTING_FOLDER,
    metavar="RUN",
    help="The run that has the pictures, if it is not where the study says.",
)
@click.option(
    "--marks", type=FILE, metavar="FILE.jsonl", help=f"Where corrected captions go; by default RUN/{MARKS_FILE}."
)
@PORT_OPTION
@JSON_OPTION
def open_command(
    file: Path,
    reviewer: str | None,
    results: Path | None,
    run_folder: Path | None,
    marks: Path | None,
    port: int | None,
    as_json: bool,
) -> None:
    """Take part in a study, in a local web app; nothing in it says what a picture is.

    The app is reached only from this machine, by an address that works once. Every answer is on disk as soon as it is
    given, so you can stop at any time (Ctrl-C) and continue later.
    """
    check_installed("anamorph research study open")
    name = login_name() if reviewer is None else reviewer.strip()
    file = file.absolute()
    shown = read_study(file)
    run = Path(file.parent, shown.run) if run_folder is None else run_folder.absolute()
    answers = (results or file.with_name(f"{file.stem}.{_file_name(name)}.jsonl")).absolute()
    kept = (marks or run / MARKS_FILE).absolute() if shown.topic == "caption" else None

    def make() -> StudySession:
        return open_study(shown, run, answers, name, lambda said: echo(said, err=True), kept)

    hold_session(make, port, as_json, name, "results", answers, "answered")


def _file_name(name: str) -> str:
    """A name that any file system takes."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in name)[:60] or "somebody"


@study.command(
    "summary",
    epilog="""\b
Examples:
  anamorph research study summary natural.json natural.ann.jsonl natural.bob.jsonl
  anamorph research study summary relevance.json relevance.*.jsonl --judgements judgements.jsonl""",
)
@FILE_ARGUMENT
@click.argument("results", nargs=-1, required=True, type=EXISTING_FILE, metavar="RESULTS...")
@click.option(
    "--judgements",
    "judgement_file",
    type=FILE,
    metavar="FILE",
    help="Of a study of relevance: write the judgements, for `anamorph research relevance`.",
)
@VOTES_OPTION
@JSON_OPTION
def summary(
    file: Path, results: tuple[Path, ...], judgement_file: Path | None, votes: Path | None, as_json: bool
) -> None:
    """Sum up the results of a study: means and agreement, choices and an exact test, RI and RLC, or captions."""
    shown = read_study(file)
    if shown.topic != "relevance" and (judgement_file or votes):
        raise UsageError(f"{file}: is a study of {shown.topic}; only one of relevance has judgements and votes.")
    lines = [line for path in results for line in read_results(path, lambda said: echo(said, err=True))]
    answers = answers_of_study(shown, lines)
    if not answers.given:
        other = f" {answers.strange} results are of another study." if answers.strange else ""
        raise UsageError(f"{', '.join(map(str, results))}: there are no answers yet.{other}")
    found = sum_up_study(shown, answers)
    if judgement_file is not None:
        write_judgements(judgement_file, judgements(shown, answers))
    if votes is not None and found.relevance is not None:
        write_votes(votes, found.relevance.votes)
    if as_json:
        echo_json(summary_record(found))
        return
    _print(open_console(), found)


def _print(console: Console, found: StudySummary) -> None:
    people = ", ".join(f"{name} {count}" for name, count in found.answered.items())
    console.print(
        as_text(f"{found.study.question} {len(found.study.items)} items, answers: {people}."), highlight=False
    )
    if found.strange:
        console.print(f"{found.strange} results do not count: they are of another study, or fit nothing in this one.")
    if found.naturalness is not None:
        _print_naturalness(console, found.naturalness)
    if found.pairwise:
        console.print(rich_table("Choices", Table("", _PAIR_COLUMNS, tuple(map(_pair_row, found.pairwise)))))
        console.print(
            "p is that of an exact, two-sided sign test over pairs, each decided by most people; ties are left out. "
            "The t-test, two-tailed, is of the mean share that chose the first, pair by pair, against a half.",
            highlight=False,
            soft_wrap=True,
        )
    if found.relevance is not None:
        print_relevance(console, found.relevance, 0)
    if found.captions is not None:
        console.print(f"{found.captions.corrected} captions corrected, {found.captions.fine} right as they are.")


def _print_naturalness(console: Console, found: Naturalness) -> None:
    values = sorted({value for each in found.kinds for value in each.shares})
    rows: list[tuple[str | int | float, ...]] = []
    for each in sorted(found.kinds, key=lambda each: -each.mean):
        shares = ", ".join(str(each.shares.get(value, 0)) for value in values)
        cells = (each.pictures, each.ratings, shares, f"{each.mean:.2f}", _mean_interval(each.interval))
        rows.append((each.what, *cells))
    columns = ("kind", "pictures", "ratings", f"rated {', '.join(values)}", "mean", "95 % interval")
    console.print(rich_table("Naturalness", Table("", columns, tuple(rows))))
    for line in _agreement_lines(found):
        console.print(line, highlight=False, soft_wrap=True)


def _agreement_lines(found: Naturalness) -> Iterator[str]:
    if not found.agreement:
        yield "No agreement can be measured: it needs two people who rated the same pictures, not all alike."
    for each in found.agreement:
        meaning = "agreement" if each.form == 2 else "consistency"
        whose = f"the mean of {each.raters} people" if each.averaged else "one person"
        low, high = each.interval
        yield f"{each.name} {each.value:.3f} ({low:.3f} to {high:.3f}): {meaning}, {whose}, {each.items} pictures."


def _mean_interval(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


_PAIR_COLUMNS = (
    "pair",
    "answers",
    "first chosen",
    "pairs",
    "first won",
    "tied",
    "95 % interval",
    "p",
    "t-test",
    "confidence",
)


def _pair_row(each: PairChoices) -> tuple[str | int | float, ...]:
    confidence = "-" if each.confidence is None else f"{each.confidence:.2f}"
    return (
        f"{each.first}, {each.second}",
        each.answers,
        f"{each.chosen} ({each.chosen / each.answers:.1%})",
        each.pairs,
        each.won,
        each.tied,
        interval_cell(each.interval),
        f"{each.p_value:.4f}",
        "-" if each.t_test is None else f"t = {each.t_test.t:.2f}, p = {each.t_test.p_value:.4f}",
        confidence,
    )
