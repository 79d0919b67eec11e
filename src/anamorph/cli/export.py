"""`anamorph research export`: edited images with what is on them, to train with."""

from __future__ import annotations

from pathlib import Path

import click

from anamorph.cli.opening import MARKS_OPTION, RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import FILE, FOLDER, JSON_OPTION, out_option
from anamorph.cli.terminal import echo, echo_json
from anamorph.report.reviews import captions_of_people
from anamorph.studies.export.edited_images import Which, read_edited_images
from anamorph.studies.export.files import ExportFormat, read_captions, write_training
from anamorph.studies.export.reports import with_reports


@click.command(
    epilog="""\b
Examples:
  anamorph research export runs/first --to jsonl -o twins
  anamorph research export runs/first --to coco-captions -o coco --captions corrected.jsonl
  anamorph research export runs/first --to huggingface -o dataset --which all
  anamorph research export runs/first --to fiftyone -o fiftyone --which all"""
)
@RUN_ARGUMENT
@click.option(
    "--to",
    "format",
    type=click.Choice(["coco-captions", "fiftyone", "jsonl", "huggingface"]),
    required=True,
    help="COCO captions and instances, a FiftyOne dataset, JSON lines, or an image folder that `datasets` loads.",
)
@out_option(FOLDER, "DIR", "A new folder.", required=True)
@click.option(
    "--which",
    type=click.Choice(["issues", "all"]),
    default="issues",
    show_default=True,
    help="The edited images of issues, or all that were made.",
)
@click.option(
    "--captions",
    "corrections",
    type=FILE,
    metavar="FILE.jsonl",
    help='Captions that a person wrote, as lines {"image", "caption"}; `--to jsonl` writes lines to complete.',
)
@MARKS_OPTION
@JSON_OPTION
def export(
    run_folder: Path,
    format: ExportFormat,
    out: Path,
    which: Which,
    corrections: Path | None,
    mark_files: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Export edited images with the objects that are on them after the edit, to train or fine-tune with.

    A caption that a person wrote (--captions, `review`, `research study`) is written as caption; what the
    system said, as system_caption.
    """
    given = {} if corrections is None else read_captions(corrections)
    out, mark_files = out.absolute(), tuple(path.absolute() for path in mark_files)
    with open_run(run_folder, read_only=True) as store:
        captions = {each.image: each.caption for each in captions_of_people(store, mark_files)} | given
        edited = read_edited_images(store, config_for_reading(store), which, photos=format == "fiftyone")
        images = with_reports(store, edited, mark_files)
        done = write_training(images, store.images, captions, out, format)
    if as_json:
        record = {"out": str(out), "images": done.images, "captions": done.captions, "missing": done.missing}
        if done.skipped:
            record["skipped"] = done.skipped
        echo_json(record)
        return
    lost = f" {done.missing} images are missing from the run and were left out." if done.missing else ""
    if done.skipped:
        lost += f" {done.skipped} images were left out: collages, or images that need files of another user's run."
    echo(f"{done.images} images, {done.captions} with a corrected caption: {out}.{lost}")
