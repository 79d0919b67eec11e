"""`anamorph demo`: the whole tool, offline, in a minute."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from anamorph import catalog
from anamorph.cli.crashes import note_run
from anamorph.cli.options import FOLDER
from anamorph.cli.printing import print_issue, table_of
from anamorph.cli.progress import exhaust, shown
from anamorph.cli.terminal import as_text, open_console
from anamorph.config import Config, resolve
from anamorph.engine.run import carry_out, start
from anamorph.errors import UsageError
from anamorph.pools.folder import LIST_FILE
from anamorph.report import write_report
from anamorph.report.issues import read_examples
from anamorph.report.numbers import OutcomeCounts, RunNumbers, read_numbers
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.verdicts import find_cases
from anamorph.toybox.pool import toybox_pool

# What the toybox's systems answer with; methods declare which of these they suit.
SYSTEMS = {"answerer": "answer", "captioner": "caption", "tagger": "labels"}
QUESTION = "How many people are in the image?"
# The method to begin with.
FIRST = "crosscheck"
POOL = "pool"


@click.command()
@click.option("--out", "-o", type=FOLDER, default=Path("demo-run"), show_default=True)
@click.option("--scenes", type=int, default=60, show_default=True, metavar="N", help="Scenes to draw.")
def demo(out: Path, scenes: int) -> None:
    """Run every method on drawn scenes and three small neural networks: offline, nothing to set up.

    The scenes are drawn by code and the networks ship with Anamorph; their mistakes are their own. An earlier demo in
    the same folder is replaced.
    """
    _remove_earlier_demo(out)
    console = open_console()
    pool = toybox_pool(out / POOL)
    columns = ("system", "method", "cases", "violated", "undecided", "rate")
    rows: list[tuple[object, ...]] = []
    examples, reports, floors = [], [], []
    for name in SYSTEMS:
        config = _config(name, scenes, pool)
        with start(config, out / name) as store:
            note_run(store.folder)
            exhaust(shown(carry_out(store, config)))
            numbers = read_numbers(store, config)
            reports.append(write_report(store, config, store.folder / "report", numbers).index_html)
            rows += _rows(numbers, name)
            if numbers.counts.violated:
                examples.append((name, out / name))
            if numbers.floor is not None:
                floors.append(f"The {name}: {numbers.floor.sentence}")
    console.print(table_of("Results of the demo", columns, rows, ("method",)))
    for floor in floors:
        console.print(floor, highlight=False, soft_wrap=True)
    for name, folder in examples[:3]:
        console.print(f"\nAn issue of the {name}:", end="")
        with RunStore.open(folder, read_only=True) as store:
            issues = list(read_examples(store, 1, 20))
            issue = next((each for each in issues if each.method == FIRST), issues[0])
            (case,) = find_cases(store, issue.digest)
            print_issue(console, store, case, issue.verdict)
    console.print("\nOpen a report in your browser:")
    for report in reports:
        console.print(f"  {as_text(str(report))}", soft_wrap=True, highlight=False)
    console.print(
        "\nNow with your own photos and your own system:\n"
        "  anamorph init --scenes PHOTOS --system my_model.py:caption\n"
        "  anamorph list systems",
        highlight=False,
        soft_wrap=True,
    )


def _config(system: str, scenes: int, pool: Path) -> Config:
    plain: dict[str, object] = {"scenes": f"toybox:{scenes}", "system": f"toybox:{system}"}
    methods = {name: catalog.find("methods", name) for name in catalog.CATALOG["methods"]}
    suitable = [name for name, method in methods.items() if SYSTEMS[system] in method.suits]
    suitable.sort(key=lambda name: name != FIRST)
    for name in suitable:
        settings = [field.name for field in dataclasses.fields(methods[name])]
        table = {"pool": str(pool)} if "pool" in settings else {}
        if SYSTEMS[system] == "answer" and "question" in settings:
            table["question"] = QUESTION
        plain[name] = table
    return resolve({"methods": suitable, **plain})


def _rows(numbers: RunNumbers, system: str) -> Iterator[tuple[object, ...]]:
    for method in sorted(dict.fromkeys(each.method for each in numbers.groups), key=lambda name: name != FIRST):
        own = [each.counts for each in numbers.groups if each.method == method]
        counts = OutcomeCounts(
            *(sum(getattr(each, name) for each in own) for name in ("holds", "violated", "undecided"))
        )
        rate = "-" if counts.violation_rate is None else f"{counts.violation_rate:.1%}"
        yield system, method, counts.cases, counts.violated, counts.undecided, rate


def _remove_earlier_demo(out: Path) -> None:
    """Remove an earlier demo, and nothing else."""
    if not out.exists() or not any(out.iterdir()):
        return
    ours = {*((out / name, RUN_FILE) for name in SYSTEMS), (out / POOL, LIST_FILE)}
    others = [path for path in out.iterdir() if not any(path == own and (own / file).is_file() for own, file in ours)]
    if others:
        raise UsageError(f"{out}: holds {others[0].name}, which is not from an earlier demo. Choose another --out.")
    for name in (*SYSTEMS, POOL):
        shutil.rmtree(out / name, ignore_errors=True)
