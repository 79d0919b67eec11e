"""`anamorph research combinations`: which label combinations a tagger's outputs have, and its scores."""

from __future__ import annotations

from pathlib import Path

import click

from anamorph.cli.choices import label_sets, space_labels
from anamorph.cli.opening import RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import JSON_OPTION, OLD_LOAD_OPTION
from anamorph.cli.printing import rich_table
from anamorph.cli.terminal import echo, echo_json, open_console
from anamorph.errors import RunError
from anamorph.reading.labels import label_space
from anamorph.studies.combinations.precision import known_photos
from anamorph.studies.combinations.reading import photo_outputs
from anamorph.studies.combinations.summary import summarise_outputs


@click.command(
    epilog="""\b
Examples:
  anamorph run --preset atom-paper -s coco:instances.json,images=val2017 -y onnx:yolox_nano.onnx -o runs/atom
  anamorph research combinations runs/atom
  anamorph research combinations runs/atom --training coco:instances_train2017.json,images=train2017"""
)
@RUN_ARGUMENT
@click.option(
    "--space",
    metavar="NAME|FILE",
    default="coco",
    show_default=True,
    help="The label space of the tagger: coco, voc, coco-stuff, or a file.",
)
@click.option("--labels", metavar="A,B,...", help="Only these labels of it.")
@click.option(
    "--training",
    metavar="KIND:...",
    help="Scenes that the tagger was trained on: how many photos show each combination, beside its score.",
)
@OLD_LOAD_OPTION
@JSON_OPTION
def combinations(run_folder: Path, space: str, labels: str | None, training: str | None, as_json: bool) -> None:
    """Show which label combinations the outputs of an atom run have, beside photos chosen at random (ATOM, table V).

    Also how often each operation changes the labels, and with --training how the score of a combination goes with the
    number of training photos that show it (RQ3). Where photos are annotated, each label's average precision stands
    beside its score, and their mean, the mAP. Photos at random are planned by --set atom.random_repeats=5.
    """
    chosen = space_labels(label_space(space), labels)
    trained = None if training is None else label_sets(training, "--training")
    with open_run(run_folder, read_only=True) as store:
        if not store.fact("judged"):
            raise RunError(f"{run_folder}: has no verdicts yet. Use `anamorph resume {run_folder}` first.")
        outputs = photo_outputs(store, config_for_reading(store).readers())
        summary = summarise_outputs(outputs, chosen, trained, known_photos(store))
    if as_json:
        echo_json({"run": str(run_folder), **summary.record()})
        return
    console = open_console()
    for table in summary.tables():
        console.print(rich_table(table.title, table))
    if not summary.random:
        echo("The run has no photos chosen at random to compare with; plan some with --set atom.random_repeats=5.")
