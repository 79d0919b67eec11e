"""`anamorph judge read`: what a text means to the relations, word by word."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from anamorph.cli.choices import build_config
from anamorph.cli.options import JSON_OPTION, PATH
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.engine.trial import Trial
from anamorph.model import Answer, AnswerReading, CaptionReading, LabelSet, Mention, Unreadable
from anamorph.model.visible import one_line
from anamorph.relations.verdicts.quantities import stated

_MOST_LABELS = 12


@click.command(
    epilog="""\b
Examples:
  anamorph judge read "two dogs and a parrot on a dog bed"
  anamorph judge read --json "a couple of zebra" "a pair of scissors"
  anamorph judge read --question "How many dogs are there?" "There are three dogs and a cat."
  anamorph judge read --json - < answers.jsonl
  anamorph judge read - < captions.txt"""
)
@click.argument("texts", metavar="TEXT...", nargs=-1, required=True)
@click.option("--answer", is_flag=True, help="Read each text as an answer to a question, even if this is not known.")
@click.option("--question", metavar="TEXT", help="Read each text as an answer to this question.")
@JSON_OPTION
@click.option("--config", type=PATH, metavar="FILE.toml", help="Settings of the readers.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Any setting, such as labels=voc.")
def read(
    texts: tuple[str, ...],
    answer: bool,
    question: str | None,
    as_json: bool,
    config: Path | None,
    sets: tuple[str, ...],
) -> None:
    """Show how captions, or answers to a question, are read; - reads texts from stdin, one a line.

    A word that names a class is followed by the class, one or many, and how many if that was said. A line of stdin may
    be a JSON object with an "answer" and its "question".
    """
    readers = build_config(config, sets=sets).readers()
    console = open_console(highlight=False)
    for text, own in _all(texts):
        asked = question if own is None else own
        is_answer = answer or asked is not None
        reading = readers.read("answer" if is_answer else "caption", Answer(text), asked)
        assert isinstance(reading, CaptionReading | AnswerReading | Unreadable)
        if as_json:
            echo_json(record_of(reading, is_answer), indent=None)
        else:
            console.print(line_of(reading), soft_wrap=True)


def _all(texts: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """Every text, and the question that came with it."""
    for text in texts:
        if text != "-":
            yield text, None
            continue
        for line in sys.stdin.buffer:
            yield _row(line.decode("utf-8", "replace").rstrip("\r\n"))


def _row(line: str) -> tuple[str, str | None]:
    """A line of stdin: a text as it stands, or a JSON object with an answer and its question."""
    if line.startswith("{") and '"question"' in line:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return line, None
        if isinstance(row.get("answer"), str) and isinstance(row.get("question"), str):
            return row["answer"], row["question"]
    return line, None


def record_of(reading: CaptionReading | AnswerReading | Unreadable, answer: bool = False) -> dict[str, Any]:
    """A reading as plain JSON data."""
    if isinstance(reading, Unreadable):
        nothing: dict[str, Any] = {"classes": {}, "mentions": []}
        if answer:
            nothing = {"number": None, "least": None, "most": None, "there": None}
        return {**nothing, "unreadable": reading.reason}
    if isinstance(reading, AnswerReading):
        if reading.whether:  # "Is the cat asleep?" asks for no number
            return {"number": None, "least": None, "most": None, "there": reading.there}
        return {"number": reading.number, "least": reading.least, "most": reading.most, "there": reading.there}
    classes = {label: {"least": least, "most": most} for label, (least, most) in reading.classes().items()}
    return {"classes": classes, "mentions": [_mention_record(mention) for mention in reading.mentions]}


def trial_record(trial: Trial) -> dict[str, Any]:
    """One photo that was asked about, as plain JSON data."""
    reading = trial.reading
    record: dict[str, Any] = {"photo": trial.photo, "question": trial.question, "problem": trial.problem or None}
    if trial.answer is not None:
        record |= {"text": trial.answer.text, "labels": trial.answer.labels}
    if isinstance(reading, CaptionReading | AnswerReading | Unreadable):
        record["reading"] = record_of(reading, trial.question is not None)
    elif isinstance(reading, LabelSet):
        record["reading"] = {"labels": sorted(reading.labels)}
    return {**record, "warnings": list(trial.warnings), "seconds": round(trial.seconds, 3)}


def print_trial(console: Console, trial: Trial) -> None:
    """One photo that was asked about: the question, the answer, how it is read, and what can never match."""
    console.print(
        as_text(f"Asked about {trial.photo}: {trial.question or 'no question, the photo alone'}"), soft_wrap=True
    )
    if trial.problem:
        console.print(f"[red]problem[/]  {as_text(f'system: {trial.problem}')}", soft_wrap=True)
        return
    assert trial.answer is not None
    reading = trial.reading
    if trial.answer.labels is not None:
        given = reading.labels if isinstance(reading, LabelSet) else frozenset[str]()
        scores = sorted(trial.answer.labels.items(), key=lambda pair: -pair[1])
        said = ", ".join(f"{name} {score:.2f}" for name, score in scores[:_MOST_LABELS]) or "no label"
        console.print(as_text(f"  answer   {said}"), soft_wrap=True)
        console.print(as_text(f"  read as  {', '.join(sorted(given)) or 'no label'}"), soft_wrap=True)
    else:
        console.print(as_text(f"  answer   {one_line(trial.answer.text or '')}"), soft_wrap=True)
        if isinstance(reading, CaptionReading | AnswerReading | Unreadable):
            console.print(Text.assemble("  read as  ", line_of(reading)), soft_wrap=True)
    console.print(f"  took     {trial.seconds:.2g} s", soft_wrap=True)
    for warning in trial.warnings:
        console.print(f"[yellow]warning[/]  {as_text(warning)}", soft_wrap=True)


def _mention_record(mention: Mention) -> dict[str, Any]:
    return {
        "text": mention.text,
        "head": mention.head,
        "start": mention.start,
        "end": mention.end,
        "class": mention.label,
        "maybe": list(mention.may_be),
        "number": mention.number,
        "count": mention.count,
        "least": mention.least,
        "most": mention.most,
        "again": mention.again,
        "unclaimed": mention.unclaimed or None,
    }


def line_of(reading: CaptionReading | AnswerReading | Unreadable) -> Text:
    """A reading as one colored line."""
    if isinstance(reading, Unreadable):
        return Text.assemble(one_line(reading.text), ("  unreadable: ", "yellow bold"), (reading.reason, "yellow"))
    if isinstance(reading, AnswerReading):
        return Text.assemble(one_line(reading.text), ("  = ", "dim"), (_meaning(reading), "green bold"))
    line, done = Text(), 0
    for mention in reading.mentions:
        line.append(one_line(reading.text[done : mention.start]))
        known = mention.label is not None and not mention.unclaimed
        line.append(one_line(mention.text), "bold green" if known else "bold")
        line.append(f"[{_details(mention)}]", "green" if known else "dim")
        done = mention.end
    line.append(one_line(reading.text[done:]))
    return line


def _details(mention: Mention) -> str:
    maybe = f"maybe {' or '.join(mention.may_be)}"
    if mention.label is not None:
        details = [mention.label, *([maybe] if mention.may_be else []), mention.number]
    else:
        details = [f"({mention.head}, {maybe})" if mention.may_be else f"({mention.head})", mention.number]
    if mention.count is not None:
        details.append("none" if mention.absent else str(mention.count))
    if mention.unclaimed:
        details.append(f"only as {mention.unclaimed}")
    return ", ".join(details)


def _meaning(reading: AnswerReading) -> str:
    if reading.whether:
        return "yes" if reading.there else "no"
    parts = [] if reading.yes is None else ["yes" if reading.yes else "no"]
    return ", ".join((*parts, stated(reading.least, reading.most)))
