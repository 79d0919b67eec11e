"""What a run came to, for a person and for a program."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from anamorph.config import Config
from anamorph.engine.budget import money, read_spending
from anamorph.engine.events import Finished
from anamorph.engine.gate import GateResult
from anamorph.model import Answer, Method, Table, Verdict, encode
from anamorph.store.answers import answers_of
from anamorph.store.discards import discard_reasons, discarded_cases, discarded_images
from anamorph.store.omissions import omission_sentences, omissions
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, flake_counts, issues, tallies, undecided_reasons

EXAMPLES = 3
MOST_LABELS = 6


def summary_record(store: RunStore, config: Config, finished: Finished, result: GateResult) -> dict[str, Any]:
    """The run in numbers, as plain JSON data."""
    differing, repeated = flake_counts(store)
    return {
        "run": str(store.folder),
        "exit_code": result.exit_code,
        "gate": result.sentence,
        "cases": finished.holds + finished.violated + finished.undecided,
        "holds": finished.holds,
        "violated": finished.violated,
        "undecided": finished.undecided,
        "scenes": store.count("scenes"),
        "skipped": store.count("skips"),
        "images": store.count("images"),
        "discarded_images": discarded_images(store),
        "discarded_cases": discarded_cases(store),
        "probes": store.count("probes"),
        "answers": store.count("answers"),
        "failures": store.count("failures"),
        "spending": asdict(read_spending(store, config.settings.ask)),
        "probes_asked_repeatedly": repeated,
        "probes_with_differing_answers": differing,
        "undecided_reasons": [{"reason": reason, "cases": count} for reason, count in undecided_reasons(store)],
        "left_out": encode(omissions(store)),
        "tables": [
            {"method": method.kind, "title": table.title, "columns": table.columns, "rows": table.rows}
            for method in config.methods
            for table in _tables(store, method)
        ],
    }


def print_summary(
    console: Console, store: RunStore, config: Config, finished: Finished, result: GateResult, report: Path | None
) -> None:
    """Tables, the first few issues, what was left out, and where to look next."""
    for method in config.methods:
        for table in _tables(store, method):
            console.print(rich_table(f"{method.kind}: {table.title.lower()}", table))
    for case, verdict in itertools.islice(issues(store), EXAMPLES):
        print_issue(console, store, case, verdict)
    skipped = store.count("skips")
    if skipped:
        inputs = "1 input" if skipped == 1 else f"{skipped} inputs"
        console.print(f"{inputs} could not be used; the report says which and why.")
    for sentence in omission_sentences(omissions(store)):
        console.print(escape(sentence), highlight=False, soft_wrap=True)
    _print_discards(console, store)
    differing, repeated = flake_counts(store)
    if repeated:
        console.print(f"{differing} of {repeated} probes got differing answers when asked again.")
    if finished.undecided:
        one = finished.undecided == 1
        console.print("1 case is undecided:" if one else f"{finished.undecided} cases are undecided:")
        for reason, count in undecided_reasons(store):
            console.print(f"  {count} x {escape(reason)}", highlight=False, soft_wrap=True)
    spending = read_spending(store, config.settings.ask)
    if spending.spent is not None:
        of = "" if spending.budget is None else f" of a budget of {spending.budget:g}"
        console.print(f"Spent: {money(spending.spent)}{of} on {spending.images_sent:,} images sent.", highlight=False)
    if report is not None:
        console.print(f"Report: {escape(str(report))}", soft_wrap=True, highlight=False)
    colour = {0: "green", 1: "red"}.get(result.exit_code, "yellow")
    console.print(f"[{colour} bold]{escape(result.sentence)}[/]", soft_wrap=True, highlight=False)


def _tables(store: RunStore, method: Method) -> list[Table]:
    """Figures are for the report."""
    return [each for each in method.summarise(tallies(store, method.kind)) if isinstance(each, Table)]


def _print_discards(console: Console, store: RunStore) -> None:
    images = discarded_images(store)
    if not images:
        return
    cases = discarded_cases(store)
    told = "1 image was" if images == 1 else f"{images} images were"
    console.print(f"{told} discarded by the melt check, which leaves {cases} {'case' if cases == 1 else 'cases'} out:")
    for reason, count in discard_reasons(store):
        console.print(f"  {count} x {escape(reason)}", highlight=False, soft_wrap=True)


def answer_text(answer: Answer | None) -> str:
    """An answer in one line."""
    if answer is None:
        return "(no answer)"
    if answer.labels is not None:
        ranked = sorted(answer.labels.items(), key=lambda pair: (-pair[1], pair[0]))
        more = f", and {len(ranked) - MOST_LABELS} more" if len(ranked) > MOST_LABELS else ""
        return ", ".join(f"{name} {score:.2f}" for name, score in ranked[:MOST_LABELS]) + more or "(no label)"
    return " ".join((answer.text or "").split())


def print_issue(console: Console, store: RunStore, case: StoredCase, verdict: Verdict) -> None:
    console.print()
    console.print(f"[bold]{case.digest[:12]}[/] {case.method} {_tags(case)}: {escape(verdict.reason)}", soft_wrap=True)
    answers = answers_of(store, case.probes)
    for position, probe in enumerate(case.probes):
        name = "source" if position == 0 else "follow-up"
        given = answers[probe].get(min(answers[probe], default=0))
        console.print(f"  {name:<10}{escape(answer_text(given)[:300])}", highlight=False, soft_wrap=True)


def _tags(case: StoredCase) -> str:
    return escape(", ".join(f"{key} {value}" for key, value in json.loads(case.tags).items()))


def rich_table(title: str, table: Table) -> RichTable:
    rich = RichTable(title=title, title_justify="left", title_style="bold")
    for position, column in enumerate(table.columns):
        rich.add_column(column, justify="left" if position == 0 else "right")
    for row in table.shown():
        rich.add_row(*(escape(str(cell)) for cell in row))
    if table.hidden:
        rich.caption = f"{table.hidden} more rows between them: see the report"
    return rich
