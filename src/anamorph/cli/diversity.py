"""`anamorph research diversity`: how far edited images lie from their photos and from each other."""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from anamorph.cli.moved import MAPPED, command_with
from anamorph.cli.options import FOLDER, JSON_OPTION, PATH, out_option, set_option, settings_from
from anamorph.cli.printing import rich_table, table_of
from anamorph.cli.terminal import echo, echo_json, open_console
from anamorph.detectors.fitting import Values
from anamorph.model import encode, setting
from anamorph.store.run import RunStore
from anamorph.store.verdicts import run_counts
from anamorph.studies.diversity.cost import cost_table
from anamorph.studies.diversity.embedding import open_embedder
from anamorph.studies.diversity.files import write_map
from anamorph.studies.diversity.spread import DiversityMap, Spread, diversity
from anamorph.weights.files import weights_file

WEIGHTS = "efficientnet-lite3"


@dataclass(frozen=True, slots=True)
class _Map:
    """How images are embedded and drawn."""

    values: Values = setting("imagenet", "How pixel values are scaled for a network of floats.")
    most: int = setting(2000, "Use at most this many images of each run.", least=10)
    seed: int = setting(7, "The seed of the map.")


@click.command(
    name="diversity",
    cls=command_with(MAPPED),
    epilog="""\b
Examples:
  anamorph list models get efficientnet-lite3
  anamorph research diversity runs/rome runs/spolre -o diversity
  anamorph research diversity runs/rome --weights resnet50-features.onnx -o diversity""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=PATH)
@click.option("--weights", metavar="NAME|FILE", help=f"The network that embeds pictures.  [default: {WEIGHTS}]")
@set_option("most=2000 images of a run, seed=7 of the map, values=imagenet (or bytes, unit, signed) for the network.")
@out_option(FOLDER, "DIR", "Write map.svg and map.csv.")
@JSON_OPTION
def diversity_command(
    run_folders: tuple[Path, ...], weights: str | None, sets: tuple[str, ...], out: Path | None, as_json: bool
) -> None:
    """Measure how diverse the edited images of runs are, and draw a map of them (t-SNE, as in SPOLRE's figure 5c).

    A network turns every image into a vector. The table shows the mean distance of edited images to their own photos,
    and the mean distance between two images of a method, any two and those of one photo. A second table shows what the
    cases of each run took: photos, images, calls, seconds.
    """
    chosen = settings_from(_Map, sets)
    file = weights_file("anamorph research diversity", "--weights", weights, WEIGHTS)
    embedder = open_embedder(file, chosen.values)
    with contextlib.ExitStack() as stack:
        runs = [
            (folder.name, stack.enter_context(RunStore.open(folder.absolute(), read_only=True)))
            for folder in run_folders
        ]
        costs = [(name, run_counts(store)) for name, store in runs]
        found = diversity(runs, embedder.embed, chosen.most, os.cpu_count() or 1, chosen.seed)
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
    columns = ("images of", "images", "from the photo", "apart", "of one photo")
    rows = [
        (each.group, each.images, *("" if value is None else f"{value:.3f}" for value in _distances(each)))
        for each in found.spreads
    ]
    open_console().print(table_of("Diversity", columns, rows))


def _distances(each: Spread) -> tuple[float | None, ...]:
    return each.from_photo, each.apart, each.of_one_photo
