"""`anamorph research collect`: photos for label combinations, from a search engine into a folder to review."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from anamorph.cli.choices import label_sets, space_labels
from anamorph.cli.moved import COLLECTED, command_with
from anamorph.cli.options import (
    EXISTING_FILE,
    FILE,
    FOLDER,
    JSON_OPTION,
    OLD_LOAD_OPTION,
    POSITIVE,
    set_option,
    settings_from,
)
from anamorph.cli.printing import table_of
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.config import searcher_of
from anamorph.errors import SystemDown, UsageError
from anamorph.model import setting
from anamorph.model.protocols import SearcherOptions
from anamorph.model.visible import one_line
from anamorph.reading.labels import label_space
from anamorph.scenes.collection.manifest import MANIFEST_FILE
from anamorph.studies.collect.collector import (
    CollectEvent,
    Collector,
    CollectSettings,
    CombinationBegan,
    CombinationEnded,
    PhotoLeftOut,
    SearchFailed,
)
from anamorph.studies.collect.combinations import chosen_combinations
from anamorph.studies.collect.folder import CollectionFolder, read_collection
from anamorph.studies.collect.summary import CollectionSummary, share_of_common, summarise_collection
from anamorph.studies.relevance.files import BadJudgement, read_judgements
from anamorph.studies.relevance.votes import Judgement, relevant_photos

_MOST_TROUBLE = 5
_OWN = ("least_score", "limit", "refill")


@dataclass(frozen=True, slots=True)
class _Now:
    """The limits of this search."""

    least_score: float = setting(0.0, "With --extend: leave out combinations with a lower score.", least=0, most=1)
    limit: int | None = setting(None, "Search for at most this many combinations.", least=1)
    refill: bool = setting(False, "Search again for combinations that have too few photos.")


@click.command(
    cls=command_with(COLLECTED),
    epilog="""\b
Examples:
  anamorph research collect photos/pairs --searcher local:captions.json,images=val2017 --labels person,dog,frisbee -k 2
  anamorph research collect photos/voc --searcher wikimedia:me@example.org -k 1 --set space=voc --set per_combination=5
  anamorph research collect photos/some -e local:holiday --combinations pairs.txt --coverage coco:a.json,images=val2017
  anamorph research collect photos/triples -e local:holiday --labels person,dog,cat --extend runs/pairs
  anamorph research collect photos/pairs                      # what is there
  anamorph run -m atom -s collection:photos/pairs -y command:'python tagger.py'""",
)
@click.argument("folder", metavar="OUT", type=FOLDER)
@click.option(
    "--searcher", "--engine", "-e", metavar="KIND:...", help="The search engine; see `anamorph list searchers`."
)
@click.option("--labels", metavar="A,B,...", help="Only these labels of the space.")
@click.option("-k", "sizes", type=POSITIVE, multiple=True, help="Labels per combination [default: 1 and 2].")
@click.option(
    "--combinations",
    "file",
    type=FILE,
    metavar="FILE",
    help="Only these combinations: a JSON list of lists, or lines such as: cat, dog.",
)
@click.option(
    "--extend",
    "run",
    type=FOLDER,
    metavar="RUN",
    help="What this atom run recognized with confidence, each with one more label; -k picks sizes of the result.",
)
@click.option("--coverage", metavar="KIND:...", help="Compare coverage with the label sets of these scenes.")
@click.option(
    "--relevance",
    "judged",
    type=EXISTING_FILE,
    multiple=True,
    metavar="FILE",
    help="Count only photos for coverage that people judged relevant, as `anamorph research relevance` reads them.",
)
@set_option(
    "A setting: space=voc, per_combination=5 (the paper's N), limit=10 combinations, refill=true, searcher.retries=2."
)
@OLD_LOAD_OPTION
@JSON_OPTION
def collect(
    folder: Path,
    searcher: str | None,
    labels: str | None,
    sizes: tuple[int, ...],
    file: Path | None,
    run: Path | None,
    coverage: str | None,
    judged: tuple[Path, ...],
    sets: tuple[str, ...],
    as_json: bool,
) -> None:
    """Collect photos for label combinations with a search engine, as ATOM does.

    The result is a folder with the images and manifest.jsonl, one line for each photo and combination: where it is
    from, its license, its caption, its hashes. Look at it, remove lines or images that do not fit, and test with
    it: --scenes collection:OUT. If it is stopped, the same command continues. Without --searcher, what the
    folder has is shown.
    """
    own = [each for each in sets if each.partition("=")[0].strip() in _OWN]
    now = settings_from(_Now, own)
    rest = [each for each in sets if each not in own and not each.startswith("searcher.")]
    settings = settings_from(CollectSettings, rest)
    names = space_labels(label_space(settings.space), labels)
    only_show = searcher is None and not (sizes or file or run)
    combinations = [] if only_show else chosen_combinations(names, sizes, file, run, now.least_score)
    data_set = label_sets(coverage, "--coverage") if coverage else None
    relevant = relevant_photos(read_all_judgements(judged)) if judged else None
    problem: SystemDown | None = None
    if searcher is None:
        if not (folder / MANIFEST_FILE).is_file():
            raise UsageError(f"{folder}: has no collection yet. Choose a search engine: --searcher KIND:...")
    else:
        engine = searcher_of(searcher, _searcher_sets(sets))
        try:
            with CollectionFolder(folder) as opened:
                collector = Collector(opened, engine, settings)
                _show(collector.collect(combinations, refill=now.refill, limit=now.limit), as_json)
        except SystemDown as failed:
            problem = failed
        finally:
            engine.close()
        for skip in SearcherOptions.skipped.of(engine)[:_MOST_TROUBLE]:
            echo(f"skipped {skip.what}: {skip.reason}", err=True)
    contents = read_collection(folder)
    for skip in contents.skips:
        echo(f"skipped {skip.what}: {skip.reason}", err=True)
    if only_show:
        combinations = sorted({*contents.entries, *contents.searches}, key=lambda each: (len(each), each))
    summary = summarise_collection(contents, combinations, names, data_set, relevant)
    if as_json:
        stopped = None if problem is None else str(problem)
        echo_json({"folder": str(folder), "stopped": stopped, **summary.record()})
    else:
        _print(summary, folder)
    if problem is not None:
        raise SystemDown(f"{problem} What was collected is kept; the same command continues.") from problem


def read_all_judgements(files: Iterable[Path]) -> Iterator[Judgement]:
    """The judgements of some files; a line that is none is shown and left out."""
    for file in files:
        for each in read_judgements(file):
            if isinstance(each, BadJudgement):
                echo(f"{each.file}, line {each.line}: {each.problem}", err=True)
            else:
                yield each


def _searcher_sets(sets: tuple[str, ...]) -> list[str]:
    return [each.removeprefix("searcher.") for each in sets if each.startswith("searcher.")]


def _show(events: Iterator[CollectEvent], quiet: bool) -> None:
    console = open_console(stderr=True)
    if console.is_terminal and not quiet:
        _show_live(events, console)
        return
    trouble = 0
    for event in events:
        line = _line(event)
        if line is not None and (isinstance(event, CombinationEnded) or (trouble := trouble + 1) <= _MOST_TROUBLE):
            sys.stderr.write(one_line(line) + "\n")
            sys.stderr.flush()


def _show_live(events: Iterator[CollectEvent], console: Console) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    trouble = 0
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("combinations", total=None)
        for event in events:
            if isinstance(event, CombinationBegan):
                progress.update(task, description=as_text(" + ".join(event.labels)), total=event.total)
            elif isinstance(event, CombinationEnded):
                progress.advance(task)
            elif (line := _line(event)) is not None and (trouble := trouble + 1) <= _MOST_TROUBLE:
                progress.console.print(f"[yellow]{as_text(line)}[/yellow]", highlight=False)


def _line(event: CollectEvent) -> str | None:
    match event:
        # Most combinations of a large space are rare; a line for each would bury the others.
        case CombinationEnded(search, images) if search.found:
            return f"{' + '.join(search.labels)}: {images} photos of {search.found} found"
        case SearchFailed(labels, reason):
            return f"{' + '.join(labels)}: a search failed: {reason}"
        case PhotoLeftOut(_, find, reason, detail) if reason.startswith("broken"):
            return f"{find}: {reason}{f' ({detail})' if detail else ''}"
        case _:
            return None


def _print(summary: CollectionSummary, folder: Path) -> None:
    console = open_console()
    for shown in summary.tables():
        console.print(table_of(shown.title, shown.columns, shown.rows))
    echo(f"{share_of_common(summary)}; {summary.photos} photos. Review: {folder / MANIFEST_FILE}")
