"""`anamorph review`: people mark reported issues in a local web app."""

from __future__ import annotations

import getpass
import threading
import webbrowser
from pathlib import Path

import click

from anamorph.cli.crashes import note_run
from anamorph.cli.terminal import complain, echo, echo_json
from anamorph.errors import UsageError
from anamorph.model import GRADES
from anamorph.report.causes import UNGRADED
from anamorph.store.marks import MARKS_FILE
from anamorph.studies.review.issues import ReviewChoice, ReviewSession, open_review
from anamorph.studies.sessions.session import check_installed


@click.command(
    epilog="""\b
Examples:
  anamorph review runs/first
  anamorph review runs/first --sample 100 --blind --reviewer ann
  anamorph review runs/first runs/second --marks marks.jsonl --only-unmarked"""
)
@click.argument(
    "run_folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False)
)
@click.option(
    "--marks",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.jsonl",
    help="Where marks are kept, such as a file that you share in git; by default RUN/marks.jsonl.",
)
@click.option("--reviewer", metavar="NAME", help="Whose marks they are; by default your login name.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="At most N issues, drawn from every kind.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed draws another sample.")
@click.option("--blind", is_flag=True, help="Do not show what was reported: no method, relation, grade or reason.")
@click.option("--only-unmarked", is_flag=True, help="Only issues that this reviewer has not marked.")
@click.option("--method", "-m", "methods", multiple=True, metavar="NAME", help="Only issues of these methods.")
@click.option("--relation", "relations", multiple=True, metavar="NAME", help="Only issues of these relations.")
@click.option(
    "--grade", "grades", multiple=True, type=click.Choice([*GRADES, UNGRADED]), help="Only issues of these grades."
)
@click.option("--port", type=click.IntRange(min=1, max=65535), metavar="N", help="By default, any that is free.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--json", "as_json", is_flag=True, help="Print the address and the file as one line of JSON.")
def review(
    run_folders: tuple[Path, ...],
    file: Path | None,
    reviewer: str | None,
    sample: int | None,
    seed: int,
    blind: bool,
    only_unmarked: bool,
    methods: tuple[str, ...],
    relations: tuple[str, ...],
    grades: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Look at issues in a local web app, and mark each report as right or as a false alarm.

    The app is reached only from this machine, by an address that works once. Every mark is on disk as soon as it is
    made, so you can stop at any time (Ctrl-C) and continue later. Two people who review the same run see nothing of
    each other's marks; git merges their files.
    """
    check_installed("anamorph review")
    from anamorph.studies.sessions.server import bound_socket, opened_app, serve

    if file is None and len(run_folders) > 1:
        raise UsageError("Marks of several runs need a file of their own. Name it with --marks FILE.jsonl.")
    runs = [folder.absolute() for folder in run_folders]
    for run in runs:
        note_run(run)
    file = (file or runs[0] / MARKS_FILE).absolute()
    choice = ReviewChoice(sample, seed, blind, only_unmarked, methods, relations, grades)
    name = _login_name() if reviewer is None else reviewer.strip()

    def make() -> ReviewSession:
        return open_review(runs, file, name, choice, lambda said: echo(said, err=True))

    with bound_socket(port) as listening, opened_app(make, listening.getsockname()[1]) as app:
        session, address = app.session, app.guard.address
        done, total = app.progress()
        if as_json:
            echo_json({"address": address, "marks": str(file), "reviewer": name, "issues": total, "marked": done}, None)
        else:
            echo(f"{total:,} {session.noun[total != 1]}, {done:,} marked by {name}. Marks go to {file}")
            echo(f"Open {address}")
            echo("The address works once. Press Ctrl-C to end the review; it can be continued at any time.")
        if not no_browser:
            # Some browsers return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        serve(app, listening, lambda said: complain("Error:", said))
        done, total = app.progress()
    if not as_json:
        echo(f"{done:,} of {total:,} marked: {file}")


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as problem:
        raise UsageError("Your login name is not known. Give a name with --reviewer NAME.") from problem
