"""`anamorph research metrics`: caption metrics of runs, before and after the edits, beside the error rate."""

from __future__ import annotations

from pathlib import Path

import click

from anamorph.cli.opening import config_for_reading
from anamorph.cli.options import JSON_OPTION, PATH
from anamorph.cli.printing import print_caption_scores
from anamorph.cli.terminal import echo_json, open_console
from anamorph.store.run import RunStore
from anamorph.studies.metrics.java import java_metrics
from anamorph.studies.metrics.scoring import RunScores, score_captions
from anamorph.studies.metrics.tables import scores_record


@click.command(
    "metrics",
    epilog="""\b
Examples:
  anamorph research metrics runs/first
  anamorph research metrics runs/old runs/new --no-java
  anamorph research metrics runs/first --json""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=PATH)
@click.option("--no-java", is_flag=True, help="Leave out METEOR and SPICE even where their software is installed.")
@JSON_OPTION
def metrics(run_folders: tuple[Path, ...], no_java: bool, as_json: bool) -> None:
    """Score captions against reference captions, before and after the edits, with the error rate beside the scores.

    The scores are BLEU, ROUGE-L and CIDEr, and METEOR and SPICE where their Java software is installed. Scenes need
    reference captions: coco: with captions=..., or NAME.txt beside NAME.jpg in a folder. Follow-ups are scored where
    they show what the photo shows; where objects are inserted or removed, only photos are. The system is not asked
    again.
    """
    others = () if no_java else java_metrics()
    names = [folder.name for folder in run_folders]
    found: list[RunScores] = []
    for folder in run_folders:
        with RunStore.open(folder.absolute(), read_only=True) as store:
            # The user's own relations are loaded with it.
            config_for_reading(store)
            name = folder.name if names.count(folder.name) == 1 else str(folder)
            found.append(score_captions(store, name, others))
    if as_json:
        echo_json({"runs": [scores_record(each) for each in found]})
        return
    print_caption_scores(open_console(), found)
