"""`anamorph run`: the whole way from photos to a report."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anamorph.cli.choices import configured
from anamorph.cli.finishing import ending_options, finish
from anamorph.cli.moved import SETTINGS, command_with
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.errors import UsageError

if TYPE_CHECKING:
    from anamorph.config import Config
    from anamorph.engine.preflight import Preflight
    from anamorph.engine.trial import Trial


@click.command(
    cls=command_with(SETTINGS),
    epilog="""\b
Examples:
  anamorph run anamorph.toml --check --ask
  anamorph run -s photos --system model.py:caption --limit 20
  anamorph run -s photos --system openai:gpt-4o-mini --price 0.001 --budget 5
  anamorph run anamorph.toml --set ask.rate_per_second=5 --set seed=8
  anamorph run anamorph.toml --github --baseline anamorph.baseline.json""",
)
@configured
@ending_options
@click.option("--check", is_flag=True, help="Check everything that can be checked without asking; exit 0 or 2.")
@click.option(
    "--ask", "ask_one", is_flag=True, help="With --check: ask about one photo, and show how the answer is read."
)
def run(config: Config, check: bool, ask_one: bool, **ending: Any) -> None:
    """Plan, render, ask, judge and report, from a TOML file, flags, or both (flags win).

    A run that was stopped in any way can be continued with `anamorph resume RUN`.
    """
    if ask_one and not check:
        raise UsageError("--ask needs --check.")
    from anamorph.engine.default_method import with_method
    from anamorph.engine.preflight import Preflight, is_untouched

    config.settings.gate.require_baseline(ending["baseline"])
    config, chosen = with_method(config)
    if chosen:
        echo(chosen, err=True)
    folder = Path(config.settings.out or time.strftime("runs/%Y%m%d-%H%M%S"))
    with Preflight(config, folder) as preflight:
        if check:
            sys.exit(_print_check(preflight, ending["as_json"], ask_one=ask_one))
        from anamorph.cli.crashes import note_run
        from anamorph.engine.run import carry_out, start

        ready = preflight.checked()
        with start(config, folder) as store:
            note_run(store.folder)
            try:
                sys.exit(finish(store, config, carry_out(store, ready), **ending))
            except UsageError:
                # A run that could not start is not worth resuming, and its folder would block the next attempt.
                if is_untouched(store):
                    store.discard()
                raise


def _print_check(preflight: Preflight, as_json: bool, *, ask_one: bool) -> int:
    from anamorph.cli.read import print_trial, trial_record

    results = list(preflight.results(look=True))
    wrong = sum(result.problem is not None for result in results)
    trial = preflight.trial() if ask_one and not wrong else None
    if trial is not None:
        wrong += not trial.usable
    if as_json:
        checks = [
            {"what": each.what, "ok": each.problem is None, "note": str(each.problem or each.note)} for each in results
        ]
        asked = {} if trial is None else {"asked": trial_record(trial)}
        echo_json({"exit_code": 2 if wrong else 0, "checks": checks, **asked})
        return 2 if wrong else 0
    console = open_console(highlight=False)
    for each in results:
        colour, state = ("red", "problem") if each.problem else ("green", "ok")
        console.print(f"[{colour}]{state}[/]  {as_text(f'{each.what}: {each.problem or each.note}')}", soft_wrap=True)
    if trial is not None:
        print_trial(console, trial)
    echo(_check_ending(wrong, trial))
    return 2 if wrong else 0


def _check_ending(wrong: int, trial: Trial | None) -> str:
    if wrong:
        return f"Not ready: {'1 problem' if wrong == 1 else f'{wrong} problems'}."
    if trial is None:
        return "Ready: nothing was asked, and no folder was made. Ask about one photo with --check --ask."
    warned = len(trial.warnings)
    doubt = "" if not warned else f", with {'a warning' if warned == 1 else f'{warned} warnings'}"
    return f"Ready{doubt}: one photo was asked about, and no folder was made."
