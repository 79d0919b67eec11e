"""`anamorph plan`: what a run would ask, before anything is spent."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from anamorph.cli.choices import configured
from anamorph.cli.crashes import note_run
from anamorph.cli.moved import PLANNED, command_with
from anamorph.cli.options import FILE, JSON_OPTION
from anamorph.cli.printing import table_of
from anamorph.cli.progress import exhaust, shown
from anamorph.cli.sheet import CASES_ON_SHEET, tell_sheet
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.config import AskSettings, Config
from anamorph.engine.ask.posing import Posing
from anamorph.engine.budget import money
from anamorph.engine.default_method import with_method
from anamorph.engine.estimate import Estimate, estimate_by_asking, estimate_by_rule
from anamorph.engine.further import calls_at_most, wants_rounds
from anamorph.engine.plan import hint_for, plan_stage
from anamorph.engine.preflight import is_untouched
from anamorph.engine.prove.stage import proving_calls
from anamorph.engine.requests import OWN_LINES, RequestFiles, keep_form, write_requests
from anamorph.engine.run import start
from anamorph.errors import UsageError
from anamorph.model import BatchLines, encode
from anamorph.model.protocols import SystemOptions
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.store.omissions import omission_sentences
from anamorph.store.plans import scene_questions
from anamorph.store.run import RunStore
from anamorph.studies.sheet.cases import SheetCounts, sheet_cases as sheet_cases_of
from anamorph.studies.sheet.files import check_sheet, write_sheet


@click.command(
    cls=command_with(PLANNED),
    epilog="""\b
Examples:
  anamorph plan anamorph.toml --ask --price 0.001
  anamorph plan anamorph.toml --sheet look.jpg
  anamorph plan anamorph.toml --out runs/first --requests requests.jsonl
  anamorph resume runs/first --system recorded:answers.jsonl""",
)
@configured
@click.option(
    "--requests",
    type=FILE,
    metavar="FILE.jsonl",
    help="Render all images and write one line per question, to be answered elsewhere; needs --out.",
)
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    default=OWN_LINES,
    show_default=True,
    help="The form of these lines: our own, or openai-batch or anthropic-batch for the batch API of the --system.",
)
@click.option(
    "--sheet",
    type=FILE,
    metavar="FILE.jpg",
    help="Make some of the images, sources and follow-ups side by side on one picture.",
)
@click.option("--ask", "ask_one", is_flag=True, help="Ask about one photo, to estimate time and tokens; kept nowhere.")
@JSON_OPTION
def plan(
    config: Config, requests: Path | None, format_name: str, sheet: Path | None, ask_one: bool, as_json: bool
) -> None:
    """Show what would be asked: cases, images, calls, time, and with --price what they cost.

    With --out the plan is kept, and `anamorph resume RUN` carries it out.
    """
    config, chosen = with_method(config)
    if chosen:
        echo(chosen, err=True)
    if requests is not None and config.settings.out is None:
        raise UsageError("--requests needs --out RUN, because the images are kept there.")
    if requests is None and format_name != OWN_LINES:
        raise UsageError(f"--format {format_name} needs --requests FILE, where the lines are written.")
    if sheet is not None:
        check_sheet(sheet)
    with _batch_lines(config, format_name) as batch, _place(config) as store:
        exhaust(shown(plan_stage(store, config)))
        numbers = read_numbers(store, config)
        first = numbers.probe_count * numbers.repeats
        calls = calls_at_most(store, config)
        counts = {"scenes": numbers.scene_count, "skipped": numbers.skip_count, "cases": numbers.counts.cases}
        brought, asked = scene_questions(store)
        if brought:
            counts |= {"scene_questions": brought, "scene_questions_asked": asked}
        counts |= {"images": numbers.image_count, "probes": numbers.probe_count, "calls": calls}
        if wants_rounds(config.methods):
            counts |= {"calls_of_the_first_round": first}
        proving = proving_calls(store, config)
        if proving is not None:
            counts |= {"proving_calls_expected": proving[0], "proving_calls_at_most": proving[1]}
        if requests is not None:
            repeats = 1 if batch is None else config.settings.ask.repeats
            with RequestFiles(requests, batch, Posing.to_kind(config)) as files:
                exhaust(shown(write_requests(store, config, files, repeats)))
            keep_form(store, format_name, config.plain.get("system"))
        estimate = estimate_by_asking(store, config) if ask_one else estimate_by_rule(config)
        on_sheet = None if sheet is None else _write_sheet(store, config, sheet, CASES_ON_SHEET)
        if as_json:
            relations = [
                {"method": each.method, "relation": each.relation, "cases": each.counts.cases}
                for each in numbers.groups
            ]
            ask = config.settings.ask
            cost = {} if ask.price is None else {"price": ask.price, "cost": round(calls * ask.price, 9)}
            if ask.price is not None and proving is not None:
                cost |= {"cost_at_most": round((calls + proving[1]) * ask.price, 9)}
            for name, price in (("price_in", ask.price_in), ("price_out", ask.price_out)):
                cost |= {} if price is None else {name: price}
            if estimate is not None:
                cost |= {"estimate": encode(estimate)}
            written = {} if requests is None else {"requests": [str(path) for path in files.paths]}
            seen = {} if on_sheet is None else {"sheet": str(sheet), "on_sheet": on_sheet[0]}
            echo_json(
                {**counts, **cost, **written, **seen, "relations": relations, "left_out": encode(numbers.left_out)}
            )
            return
        _print(counts, numbers)
        if wants_rounds(config.methods):
            echo(f"Planned in rounds: {first:,} calls first, and what they say decides the rest; at most {calls:,}.")
        planned = {each.method for each in numbers.groups}
        for method in config.methods:
            if method.kind not in planned and (why := hint_for(store, method)):
                echo(f"{method.kind} planned no case: {why}.")
        _print_cost(calls, proving, config.settings.ask)
        _print_estimate(calls + (proving[1] if proving else 0), numbers.image_count, estimate, config.settings.ask)
        if requests is not None and batch is None:
            echo(f'Requests: {requests} (answer each line with {{"id", "text"}} or {{"id", "labels"}})')
        elif requests is not None:
            names = ", ".join(map(str, files.paths))
            echo(f"Requests: {files.lines:,} lines for the batch API, in {names}")
            results = f"anamorph resume {shlex.quote(str(store.folder))} --system recorded:RESULTS"
            echo(f"Carry it out with its results, a file or a folder of them: {results}")
            return
        if sheet is not None and on_sheet is not None:
            tell_sheet(sheet, *on_sheet)
        if config.settings.out is not None:
            echo(f"Carry it out with: anamorph resume {shlex.quote(str(store.folder))}")


@contextlib.contextmanager
def _batch_lines(config: Config, format_name: str) -> Iterator[BatchLines | None]:
    """How the provider of the system takes requests; the system is made for that, and asked nothing."""
    if format_name == OWN_LINES:
        yield None
        return
    system = config.system()
    try:
        batch = SystemOptions.batch_lines.of(system)
        if batch is None or batch.format != format_name:
            known = [OWN_LINES, *([] if batch is None else [batch.format])]
            raise UsageError(
                f"--format {format_name}: the system {system.kind!r} has no such batches. Known for it: "
                f"{', '.join(known)}. openai-batch needs --system openai:MODEL, anthropic-batch anthropic:MODEL."
            )
        yield batch
    finally:
        system.close()


def _write_sheet(store: RunStore, config: Config, path: Path, most: int) -> tuple[int, SheetCounts]:
    counts = SheetCounts()
    return write_sheet(sheet_cases_of(store, config, most, counts), path), counts


def _print_estimate(calls: int, images: int, estimate: Estimate | None, ask: AskSettings) -> None:
    """How long making images and asking take, and how many tokens, proving included at its most."""
    if estimate is None:
        echo("Time and tokens: add --ask to ask about one photo and estimate both.")
        return
    making, asking = estimate.making_seconds(images), estimate.asking_seconds(calls)
    if making is not None:
        echo(f"Making images: about {_duration(making)} for {images:,} images, beside asking.")
    if asking is not None:
        at_once = f"{estimate.parallel} at once"
        echo(f"Asking: at most about {_duration(asking)} for {calls:,} calls, proving included, {at_once}.")
    if estimate.tokens_in is not None:
        said = "" if estimate.tokens_out is None else f" and {calls * estimate.tokens_out:,} out"
        echo(f"Tokens: at most about {calls * estimate.tokens_in:,} in{said} for {calls:,} calls ({estimate.origin}).")
        cost = (estimate.tokens_in * (ask.price_in or 0) + (estimate.tokens_out or 0) * (ask.price_out or 0)) / 1e6
        if cost:
            echo(f"Cost of these tokens: at most about {money(round(calls * cost, 6))}.")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 1 else "a second"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _print_cost(calls: int, proving: tuple[int, int] | None, ask: AskSettings) -> None:
    if ask.price_in is not None or ask.price_out is not None:
        echo(f"Prices per million tokens: {ask.price_in or 0:g} in, {ask.price_out or 0:g} out.")
    if ask.price is None:
        return
    cost = calls * ask.price
    echo(f"Cost: {calls:,} calls \u00d7 {ask.price:g} per image = {money(cost)}, and more if calls must be repeated.")
    if proving is not None:
        expected, most = (money(number * ask.price) for number in proving)
        echo(
            f"Proving what they raise: about {expected} more for {proving[0]:,} calls, and at most {most} "
            f"({proving[1]:,}; prove.most). In all at most {money(cost + proving[1] * ask.price)}."
        )
    if ask.budget is not None and cost > ask.budget:
        echo(f"The budget of {ask.budget:g} is enough for {int(ask.budget / ask.price + 1e-9):,} of them.")


@contextlib.contextmanager
def _place(config: Config) -> Iterator[RunStore]:
    if config.settings.out is not None:
        with start(config, Path(config.settings.out)) as store:
            note_run(store.folder)
            try:
                yield store
            except UsageError:
                if is_untouched(store):
                    store.discard()
                raise
        return
    with tempfile.TemporaryDirectory(prefix="anamorph-plan-") as folder, start(config, Path(folder) / "run") as store:
        yield store


def _print(counts: dict[str, int], numbers: RunNumbers) -> None:
    console = open_console()
    rows = [(name.replace("_", " "), count) for name, count in counts.items() if _is_news(name, counts)]
    rows += [(f"cases of {each.method}, {each.relation}", each.counts.cases) for each in numbers.groups]
    console.print(table_of("The plan", ("what", "count"), rows))
    for sentence in omission_sentences(numbers.left_out):
        console.print(as_text(sentence), highlight=False, soft_wrap=True)


def _is_news(name: str, counts: dict[str, int]) -> bool:
    """Whether a count says something that the others do not."""
    return not (name == "skipped" and not counts[name]) and not (name == "probes" and counts[name] == counts["calls"])
