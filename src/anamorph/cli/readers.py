"""`anamorph research readers`: how well the readers of a run read texts whose meaning people marked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from anamorph.cli.choices import build_config
from anamorph.cli.options import EXISTING_FILE, JSON_OPTION, PATH
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.studies.reading_scores.scoring import rates, rows_of, score

_OUTCOMES = ("right", "wide", "wrong", "unread", "extra", "missed", "perhaps")


@click.command(
    epilog="""\b
Examples:
  anamorph research readers answers.jsonl captions.jsonl
  anamorph research readers answers.jsonl --show wrong --show unread
  anamorph research readers answers.jsonl --config llm.toml --set readers.answer=llm"""
)
@click.argument("files", metavar="FILE.jsonl...", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("--show", multiple=True, type=click.Choice(_OUTCOMES), help="Print the texts with this outcome.")
@JSON_OPTION
@click.option("--config", type=PATH, metavar="FILE.toml", help="Settings of the readers.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Any setting, such as readers.answer=llm.")
def readers(
    files: tuple[Path, ...], show: tuple[str, ...], as_json: bool, config: Path | None, sets: tuple[str, ...]
) -> None:
    """Score readers on texts whose meaning people marked.

    A line of a file is {"question", "answer", "least", "most", "there"}, or {"caption", "classes": {"dog": [1, 1]}}.
    An answer is right, wide (left open), wrong or unread. Of captions, F1 is of the classes that are named, and wrong
    and wide are shares of their numbers.
    """
    chosen = build_config(config, sets=sets).readers()
    console = open_console(highlight=False)
    records: list[dict[str, Any]] = []
    for path in files:
        rows = rows_of(path)
        found: Counter[str] = Counter()
        for outcome, row, what in score(rows, chosen.read):
            found[outcome] += 1
            if outcome in show and not as_json:
                said = row.get("caption") or f"{row['question']} | {row['answer']}"
                console.print(as_text(f"{outcome}: {what} | {said}"))
        shares = rates(found, captions=bool(rows) and "caption" in rows[0])
        records.append({"file": path.name, "rates": shares, "outcomes": dict(found)})
        if not as_json:
            line = "  ".join(f"{name} {value:.3f}" for name, value in shares.items())
            console.print(as_text(f"{path.name:32} {line}   {dict(found)}"), soft_wrap=True)
    if as_json:
        echo_json({"files": records})
