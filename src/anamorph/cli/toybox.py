"""`anamorph toybox`: the drawn world as files."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from anamorph.errors import UsageError
from anamorph.toybox.export import export_coco
from anamorph.toybox.scenes import ToyboxScenes


@click.group()
def toybox() -> None:
    """The embedded world of drawn scenes."""


@toybox.command(
    epilog="""\b
Example:
  anamorph toybox make --scenes 500 --out toys
  anamorph run -m deeptest -s coco:toys/instances.json,images=toys/images -y toybox:captioner"""
)
@click.option("--scenes", type=click.IntRange(1), default=500, show_default=True, metavar="N", help="Scenes to draw.")
@click.option("--out", "-o", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR")
@click.option("--seed", type=int, default=7, show_default=True, metavar="N", help="Which scenes.")
def make(scenes: int, out: Path, seed: int) -> None:
    """Draw scenes and write them as a COCO data set: images, instances.json and captions.json."""
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out}: is not empty. Choose another --out.")
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Drawing scenes", total=scenes)
        done = export_coco(ToyboxScenes(scenes, seed), out, lambda number: progress.update(task, completed=number))
    click.echo(
        f"{done.scenes} scenes with {done.things} things: {done.images}, {done.instances.name}, {done.captions.name}"
    )
