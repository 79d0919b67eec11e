"""`anamorph case explain`: which part of an image carries the wrong word."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from anamorph.cli.opening import RUN_ARGUMENT, TRUST_OPTION, config_to_act, open_run
from anamorph.cli.options import CHANGED_SYSTEM_OPTION, JSON_OPTION, POSITIVE, calls_option
from anamorph.cli.printing import answer_line
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.errors import RunError, UsageError
from anamorph.model import encode, the_probe
from anamorph.report.explanations import explanation_words
from anamorph.store.run import RunStore
from anamorph.studies.explain.explainer import MOST_CALLS, Explanation, clearest_cases, explain as explain_case


@click.command()
@RUN_ARGUMENT
@click.argument("case", required=False)
@click.option("--all", "clearest", type=POSITIVE, metavar="N", help="Explain the N clearest causes.")
@calls_option(MOST_CALLS)
@CHANGED_SYSTEM_OPTION
@TRUST_OPTION
@JSON_OPTION
def explain(
    run_folder: Path,
    case: str | None,
    clearest: int | None,
    calls: int,
    accept_changed_system: bool,
    trust: bool,
    as_json: bool,
) -> None:
    """Find which part of an image carries the wrong word of an issue, and draw it over the image.

    CASE is the beginning of the case's digest, as the report shows it. Parts of the image are covered with their
    blurred surroundings, large ones first and smaller ones where they matter, and the system is asked about each; done
    again, it goes on where it stopped, and nothing is asked twice. `anamorph report` then shows the map in the issue.
    The exit code is 0 if it is known what carries the word, and 4 if it is not known after N calls.
    """
    if (case is None) == (clearest is None):
        raise UsageError(
            "Give a case, such as `anamorph case explain RUN 3fa81c0d22b7`, or --all N for the N clearest."
        )
    with open_run(run_folder) as store:
        config = config_to_act(store, trust=trust)
        cases = [case] if case is not None else clearest_cases(store, clearest or 0)
        if not cases:
            raise RunError(f"{run_folder}: this run has no issues, so there is nothing to explain.")
        console = open_console()
        found: list[Explanation] = []
        refused: list[tuple[str, str]] = []
        for each in cases:
            try:
                one = explain_case(store, config, each, calls, accept_changed_system=accept_changed_system)
            except RunError as problem:
                if case is not None:
                    raise
                refused.append((each, str(problem)))
                if not as_json:
                    console.print(as_text(str(problem)), soft_wrap=True, highlight=False)
                continue
            found.append(one)
            if not as_json:
                _print(console, store, one)
        if as_json:
            records = [_record(store, one) for one in found]
            problems = [{"case": digest, "problem": problem} for digest, problem in refused]
            echo_json(records[0] if case is not None else {"explained": records, "not_explained": problems})
    known = [one for one in found if one.explained.carrier != "unknown"]
    sys.exit(0 if known else 4)


def _record(store: RunStore, found: Explanation) -> dict[str, object]:
    explained = found.explained
    picture = None if explained.picture is None else str(store.images.path(explained.picture).absolute())
    return {
        "case": found.case.digest,
        "reason": found.verdict.reason,
        "probe": explained.position,
        "question": found.question,
        "answer": encode(found.said),
        "label": explained.label,
        "carrier": explained.carrier,
        "sentence": explanation_words(explained, found.probes),
        "picture": picture,
        "width": explained.width,
        "height": explained.height,
        "peak": None if explained.peak is None else list(explained.peak),
        "on": explained.on,
        "boxes": [encode(box) for box in explained.boxes],
        "patches": [
            {
                "left": each.patch.left,
                "top": each.patch.top,
                "right": each.patch.right,
                "bottom": each.patch.bottom,
                "effect": each.effect,
            }
            for each in explained.patches
        ],
        "finished": explained.finished,
        "images_sent": found.sent,
        "images_sent_in_all": explained.calls,
    }


def _print(console: Console, store: RunStore, found: Explanation) -> None:
    explained = found.explained
    console.print(f"[bold]{found.case.digest[:12]}[/] {as_text(found.verdict.reason)}", soft_wrap=True, highlight=False)
    if found.question:
        console.print(f"  asked    {as_text(found.question)}", highlight=False, soft_wrap=True)
    place = the_probe(explained.position, found.probes)
    console.print(f"  said     {as_text(answer_line(found.said)[:300])} ({place})", highlight=False, soft_wrap=True)
    console.print(f"  found    {as_text(explanation_words(explained, found.probes))}", highlight=False, soft_wrap=True)
    if explained.picture is not None:
        path = store.images.path(explained.picture).absolute()
        console.print(f"  picture  {as_text(str(path))}", highlight=False, soft_wrap=True)
    sent = "1 image was sent" if found.sent == 1 else f"{found.sent} images were sent"
    more = "." if explained.finished else "; the same command goes on, with a larger --calls if it must."
    console.print(f"  {sent}{more}", highlight=False, soft_wrap=True)
