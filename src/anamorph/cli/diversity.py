"""`anamorph research diversity`: how far edited images lie from their photos and from each other."""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from anamorph.cli.printing import rich_table
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.detectors.fitting import Values
from anamorph.model import encode
from anamorph.store.run import RunStore
from anamorph.store.verdicts import run_counts
from anamorph.studies.diversity.cost import cost_table
from anamorph.studies.diversity.embedding import open_embedder
from anamorph.studies.diversity.files import write_map
from anamorph.studies.diversity.spread import DiversityMap, diversity
from anamorph.weights.files import weights_file

WEIGHTS = "efficientnet-lite3"


@click.command(
    name="diversity",
    epilog="""\b
Examples:
  anamorph list models get efficientnet-lite3
  anamorph research diversity runs/rome runs/spolre -o diversity
  anamorph research diversity runs/rome --weights resnet50-features.onnx -o diversity""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--weights", metavar="NAME|FILE", help=f"The network that embeds pictures.  [default: {WEIGHTS}]")
@click.option(
    "--values",
    type=click.Choice(["bytes", "unit", "signed", "imagenet"]),
    default="imagenet",
    show_default=True,
    help="How pixel values are scaled for a network of floats.",
)
@click.option(
    "--most",
    type=click.IntRange(min=10),
    default=2000,
    show_default=True,
    metavar="N",
    help="Use at most N images of each run.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="The seed of the map.")
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Write map.svg and map.csv."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def diversity_command(
    run_folders: tuple[Path, ...],
    weights: str | None,
    values: Values,
    most: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Measure how diverse the edited images of runs are, and draw a map of them (t-SNE, as in SPOLRE's figure 5c).

    A network turns every image into a vector. The table shows the mean distance of edited images to their own photos,
    and the mean distance between two images of a method, any two and those of one photo. A second table shows what the
    cases of each run took: photos, images, calls, seconds.
    """
    file = weights_file("anamorph research diversity", "--weights", weights, WEIGHTS)
    embedder = open_embedder(file, values)
    with contextlib.ExitStack() as stack:
        runs = [
            (folder.name, stack.enter_context(RunStore.open(folder.absolute(), read_only=True)))
            for folder in run_folders
        ]
        costs = [(name, run_counts(store)) for name, store in runs]
        found = diversity(runs, embedder.embed, most, os.cpu_count() or 1, seed)
    picture = None if out is None else write_map(found, len(run_folders), out)
    if as_json:
        echo_json(
            {
                "weights": str(file),
                "groups": [encode(s) for s in found.spreads],
                "cost": [{"run": name, **asdict(counts)} for name, counts in costs],
            }
        )
        return
    _show(found)
    table = cost_table(costs)
    open_console().print(rich_table(table.title, table))
    if picture is not None:
        echo(f"Map: {picture}")


def _show(found: DiversityMap) -> None:
    table = Table(title="Diversity", title_justify="left", title_style="bold")
    for name in ("images of", "images", "from the photo", "apart", "of one photo"):
        table.add_column(name, justify="left" if name == "images of" else "right")
    for spread in found.spreads:
        moved = "" if spread.from_photo is None else f"{spread.from_photo:.3f}"
        within = "" if spread.of_one_photo is None else f"{spread.of_one_photo:.3f}"
        table.add_row(as_text(spread.group), f"{spread.images:,}", moved, f"{spread.apart:.3f}", within)
    open_console().print(table)
