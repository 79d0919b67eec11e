"""`anamorph case shrink`: the smallest edit of a case that still breaks its relation."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from anamorph.cli.moved import CALLS, command_with
from anamorph.cli.opening import RUN_ARGUMENT, TRUST_OPTION, config_to_act, open_run
from anamorph.cli.options import CHANGED_SYSTEM_OPTION, JSON_OPTION, calls_option
from anamorph.cli.printing import answer_line
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.model import canonical_json, encode, probe_name
from anamorph.report.wording import in_words
from anamorph.store.run import RunStore
from anamorph.studies.shrink.shrinker import MOST_CALLS, Shrinkage, shrink as shrink_case


@click.command(cls=command_with(CALLS))
@RUN_ARGUMENT
@click.argument("case")
@calls_option(MOST_CALLS)
@CHANGED_SYSTEM_OPTION
@TRUST_OPTION
@JSON_OPTION
def shrink(run_folder: Path, case: str, calls: int, accept_changed_system: bool, trust: bool, as_json: bool) -> None:
    """Find the smallest edit of a violated case that still breaks its relation, and keep it beside the issue.

    CASE is the beginning of the case's digest, as the report shows it. Fewer objects and smaller changes are tried;
    done again, it goes on where it stopped, and nothing is asked twice. `anamorph report` then shows the smaller pair
    first. The exit code is 0 if something smaller also breaks the relation, or if it is sure that nothing does, and 4
    if neither is known after N calls.
    """
    with open_run(run_folder) as store:
        config = config_to_act(store, trust=trust)
        found = shrink_case(store, config, case, calls, accept_changed_system=accept_changed_system)
        if as_json:
            echo_json(_record(store, found))
        else:
            _print(open_console(), store, found)
    sys.exit(0 if found.shrunk.probes or found.shrunk.finished else 4)


def _record(store: RunStore, found: Shrinkage) -> dict[str, object]:
    shrunk = found.shrunk
    return {
        "case": found.case.digest,
        "finished": shrunk.finished,
        "images_sent": found.sent,
        "images_sent_in_all": shrunk.calls,
        "before": {"edits": [encode(probe.edits) for probe in found.probes], "verdict": encode(found.before)},
        "shrunk": None
        if not shrunk.probes
        else {
            "relation": json.loads(shrunk.claim),
            "verdict": encode(shrunk.verdict),
            "probes": [
                {
                    "image": None if each.file is None else str(store.images.path(each.file).absolute()),
                    "question": each.question,
                    "edits": json.loads(each.edits),
                    "answers": encode(each.answers),
                }
                for each in shrunk.probes
            ],
        },
    }


def _print(console: Console, store: RunStore, found: Shrinkage) -> None:
    shrunk = found.shrunk
    for position, each in enumerate(shrunk.probes):
        name = probe_name(position, len(shrunk.probes))
        picture = "" if each.file is None else str(store.images.path(each.file).absolute())
        console.print(f"[bold]{name}[/] {as_text(picture)}", soft_wrap=True)
        was = [
            in_words(edit, found.labels) for edit in json.loads(canonical_json(encode(found.probes[position].edits)))
        ]
        now = [in_words(edit, found.labels) for edit in json.loads(each.edits)]
        if was != now:
            console.print(f"  was     {as_text('; '.join(was))}", highlight=False, soft_wrap=True)
            console.print(f"  now     {as_text('; '.join(now))}", highlight=False, soft_wrap=True)
        if each.question:
            console.print(f"  asked   {as_text(each.question)}", highlight=False, soft_wrap=True)
        console.print(f"  said    {as_text(answer_line(each.answers[0]))}", highlight=False, soft_wrap=True)
    if shrunk.verdict is not None:
        console.print(f"violated: {as_text(shrunk.verdict.reason)}", soft_wrap=True, highlight=False)
    console.print(_conclusion(found), soft_wrap=True, highlight=False)


def _conclusion(found: Shrinkage) -> str:
    sent = "1 image was sent" if found.sent == 1 else f"{found.sent} images were sent"
    if not found.shrunk.finished:
        so_far = "This is the smallest so far" if found.shrunk.probes else "Nothing smaller was found so far"
        return f"{so_far}: {sent}, and no more may be. The same command goes on, with a larger --calls if it must."
    if found.shrunk.probes:
        return f"Nothing smaller breaks the relation; {sent}."
    return f"Nothing smaller than the case itself breaks the relation; {sent}."
