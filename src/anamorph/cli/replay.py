"""`anamorph case replay`: one case of a run, asked and judged again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from anamorph.cli.opening import RUN_ARGUMENT, TRUST_OPTION, config_to_act, open_run
from anamorph.cli.options import JSON_OPTION
from anamorph.cli.printing import answer_line
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.engine.replay import Replay, replay as replay_case
from anamorph.model import encode, probe_name


@click.command()
@RUN_ARGUMENT
@click.argument("case")
@TRUST_OPTION
@JSON_OPTION
def replay(run_folder: Path, case: str, trust: bool, as_json: bool) -> None:
    """Ask the system about one case again and judge what it says now; nothing is stored.

    CASE is the beginning of the case's digest, as the report shows it. The exit code is that of a run with this one
    case: 0 if the relation holds now, 1 if it is violated, 3 if there is no verdict.
    """
    with open_run(run_folder) as store:
        replayed = replay_case(store, config_to_act(store, trust=trust), case)
    if as_json:
        echo_json(_record(replayed))
    else:
        _print(open_console(), replayed)
    sys.exit({"holds": 0, "violated": 1, "lead": 0, "undecided": 3}[replayed.now.outcome])


def _record(replayed: Replay) -> dict[str, object]:
    return {
        "case": replayed.case.digest,
        "method": replayed.case.method,
        "relation": json.loads(replayed.case.claim),
        "probes": [
            {
                "image": each.picture,
                "question": each.probe.question,
                "edits": json.loads(each.probe.edits),
                "before": encode(each.before),
                "now": encode(each.now),
                "problem": each.problem or None,
            }
            for each in replayed.probes
        ],
        "before": encode(replayed.before),
        "now": encode(replayed.now),
    }


def _print(console: Console, replayed: Replay) -> None:
    for position, each in enumerate(replayed.probes):
        name = probe_name(position, len(replayed.probes))
        console.print(f"[bold]{name}[/] {as_text(each.picture)}", soft_wrap=True)
        if each.probe.question:
            console.print(f"  asked   {as_text(each.probe.question)}", highlight=False, soft_wrap=True)
        console.print(f"  before  {as_text(answer_line(each.before))}", highlight=False, soft_wrap=True)
        now = answer_line(each.now) if each.now is not None else f"(no answer: {each.problem})"
        console.print(f"  now     {as_text(now)}", highlight=False, soft_wrap=True)
    if replayed.before is not None:
        console.print(f"before: {replayed.before.outcome}. {as_text(replayed.before.reason)}", soft_wrap=True)
    # Nothing is proved here, so what the answers raise is a suspicion.
    now = "suspected" if replayed.now.state == "open" else replayed.now.outcome
    console.print(f"now:    {now}. {as_text(replayed.now.reason)}", soft_wrap=True)
