"""`anamorph research toybox`: drawn scenes as files."""

from __future__ import annotations

from pathlib import Path

import click
from rich.progress import Progress

from anamorph.cli.groups import WholeSummaryGroup
from anamorph.cli.options import FOLDER, POSITIVE, out_option
from anamorph.cli.terminal import echo, open_console
from anamorph.report.folders import new_folder
from anamorph.toybox.export import export_coco
from anamorph.toybox.scenes import ToyboxScenes


@click.group(cls=WholeSummaryGroup)
def toybox() -> None:
    """The drawn scenes that come with Anamorph."""


@toybox.command(
    epilog="""\b
Example:
  anamorph research toybox make --scenes 500 --out toys
  anamorph run -m deeptest -s coco:toys/instances.json,images=toys/images -y toybox:captioner"""
)
@click.option("--scenes", type=POSITIVE, default=500, show_default=True, metavar="N", help="Scenes to draw.")
@out_option(FOLDER, "DIR", "A new folder.", required=True)
@click.option("--seed", type=int, default=7, show_default=True, metavar="N", help="Which scenes are drawn.")
def make(scenes: int, out: Path, seed: int) -> None:
    """Draw scenes and write them as a COCO data set: images, instances.json and captions.json."""
    console = open_console(stderr=True)
    with (
        new_folder(out) as folder,
        Progress(console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("Drawing scenes", total=scenes)
        done = export_coco(ToyboxScenes(scenes, seed), folder, lambda number: progress.update(task, completed=number))
    files = f"{done.instances.name}, {done.captions.name}"
    echo(f"{done.scenes} scenes with {done.things} objects: {out / done.images.name}, {files}")
