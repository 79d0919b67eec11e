"""`anamorph research label-errors`: reference captions that may be wrong, and unannotated objects."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from anamorph.cli.opening import MARKS_OPTION, RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.terminal import echo, echo_json, open_console
from anamorph.errors import UsageError
from anamorph.model.visible import one_line
from anamorph.report.reviews import captions_of_people
from anamorph.store.images import ImageFolder
from anamorph.studies.label_errors.files import (
    object_record,
    suspect_record,
    write_coco,
    write_json,
    write_object_json,
    write_object_table,
    write_table,
)
from anamorph.studies.label_errors.finding import (
    KINDS,
    Level,
    Missing,
    Rules,
    Suspect,
    find_label_errors,
    with_corrections,
)
from anamorph.studies.label_errors.page import write_page
from anamorph.studies.label_errors.unannotated import Unannotated, find_unannotated

_WRITERS = {".csv": write_table, ".json": write_json}
_OBJECT_ENDINGS = (".csv", ".json", ".html")
# The kind of an object that has no annotation.
_UNANNOTATED = "unannotated"


@click.command(
    name="label-errors",
    epilog="""\b
Examples:
  anamorph research label-errors runs/first
  anamorph research label-errors runs/first --annotated-only --least-pairs 3 -o suspects.csv
  anamorph research label-errors runs/first --each-caption --kind typo --kind no-image
  anamorph research label-errors runs/first --coco suspects.json
  anamorph research label-errors runs/first --kind unannotated --objects lacking.html""",
)
@RUN_ARGUMENT
@click.option(
    "--level",
    type=click.Choice(["supercategory", "class"]),
    default="supercategory",
    show_default=True,
    help="Compare super-categories (animal), as MetaIC does, or classes (zebra), as ROME does.",
)
@click.option(
    "--each-caption/--any-caption",
    default=None,
    help="Every caption must name it, or only one of a photo's captions [default: as the run's settings say: any].",
)
@click.option("--annotated-only", is_flag=True, help="Only objects that are also annotated in the photo.")
@click.option(
    "--least-pairs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Only what the system names in at least N pairs of pictures.",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([*KINDS, _UNANNOTATED]),
    multiple=True,
    help="Only these kinds; may be repeated.",
)
@click.option(
    "--out",
    "-o",
    "outs",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all captions to FILE.csv or FILE.json; may be repeated.",
)
@click.option(
    "--objects",
    "object_files",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the unannotated objects to FILE.html (with the photos), .csv or .json; may be repeated.",
)
@click.option(
    "--coco", metavar="FILE.json", type=click.Path(path_type=Path, dir_okay=False), help="Write COCO captions."
)
@MARKS_OPTION
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the list.")
def label_errors(
    run_folder: Path,
    level: Level,
    each_caption: bool | None,
    annotated_only: bool,
    least_pairs: int,
    kinds: tuple[str, ...],
    outs: tuple[Path, ...],
    object_files: tuple[Path, ...],
    coco: Path | None,
    mark_files: tuple[Path, ...],
    as_json: bool,
) -> None:
    """List reference captions that do not name what the system under test names in a photo and in its follow-up.

    What a system sees in both pictures is most likely there: a reference caption that does not name it may omit it,
    misspell it, take it for something else, or not be a caption at all. The system is not asked again. Scenes need
    reference captions: coco: with captions=..., or NAME.txt beside NAME.jpg in a folder. What people wrote instead
    (`anamorph research study new caption RUN --of references`) is listed beside a caption.

    Also listed are objects without an annotation that most of the system's descriptions of a photo name: perhaps the
    data set lacks them.
    """
    for out in outs:
        if out.suffix.lower() not in _WRITERS:
            raise UsageError(f"--out {out}: the name must end in .csv or .json.")
    for out in object_files:
        if out.suffix.lower() not in _OBJECT_ENDINGS:
            raise UsageError(f"--objects {out}: the name must end in .html, .csv or .json.")
    places = [out.absolute() for out in outs]
    object_places = [out.absolute() for out in object_files]
    coco = coco.absolute() if coco is not None else None
    mark_files = tuple(path.absolute() for path in mark_files)
    # Unannotated objects are not among the annotations.
    with_objects = (not kinds or _UNANNOTATED in kinds) and not annotated_only
    captions: list[Suspect] = []
    with open_run(run_folder, read_only=True) as store:
        if not store.count("answers"):
            raise UsageError(f"{store.folder}: this run has no answers yet. Use `anamorph resume` first.")
        config = config_for_reading(store)
        each = config.settings.label_errors.each_caption if each_caption is None else each_caption
        rules = Rules(level, each, annotated_only, least_pairs)
        if set(kinds) != {_UNANNOTATED}:
            suspects = find_label_errors(store, config.readers(), rules)
            captions = list(with_corrections(store, suspects, captions_of_people(store, mark_files)))
        objects = find_unannotated(store, config) if with_objects else []
        for place in object_places:
            _write_objects(place, objects, store.images)
    if kinds:
        captions = [suspect for suspect in captions if suspect.kind in kinds]
    for place in places:
        _WRITERS[place.suffix.lower()](place, captions)
    if coco is not None:
        write_coco(coco, captions)
    if as_json:
        records = [suspect_record(suspect) for suspect in captions]
        echo_json({"captions": records, "objects": [object_record(one) for one in objects]}, indent=1)
        return
    if set(kinds) != {_UNANNOTATED}:
        _show(captions)
    if with_objects:
        _show_objects(objects)
    for place in (*places, *object_places, *([coco] if coco else [])):
        echo(f"Written: {place}")


def _write_objects(place: Path, objects: list[Unannotated], images: ImageFolder) -> None:
    if place.suffix.lower() == ".html":
        write_page(place, objects, images)
    else:
        (write_object_table if place.suffix.lower() == ".csv" else write_object_json)(place, objects)


def _show(found: list[Suspect]) -> None:
    console = open_console(highlight=False)
    for scene, members in itertools.groupby(found, key=lambda suspect: suspect.scene):
        console.print(Text(one_line(scene), style="bold"))
        suspects = list(members)
        named = {one.name: one for suspect in suspects for one in suspect.missing}
        for one in named.values():
            console.print(Text(f"  {_said(one, suspects[0].pairs_of_photo)}"), soft_wrap=True)
            pair = one.examples[0]
            console.print(Text(f'    "{one_line(pair.source)}" / "{one_line(pair.follow_up)}"', "dim"), soft_wrap=True)
        for suspect in suspects:
            instead = f" ({', '.join(map(one_line, suspect.instead))})" if suspect.instead else ""
            line = Text(f"  {suspect.kind}{instead}: ", style="yellow").append(
                one_line(suspect.caption), style="default"
            )
            console.print(line, soft_wrap=True)
            if suspect.corrected:
                console.print(Text(f"    corrected: {one_line(suspect.corrected)}", "green"), soft_wrap=True)
    counts = Counter(suspect.kind for suspect in found)
    photos = len({suspect.scene for suspect in found})
    parts = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    console.print(f"{len(found)} suspicious captions of {photos} photos" + (f": {parts}." if parts else "."))


def _show_objects(found: list[Unannotated]) -> None:
    console = open_console(highlight=False)
    if found:
        table = Table("photo", "the data may lack", "descriptions", "references", "asked", box=None)
        for column in table.columns[2:4]:
            column.justify = "right"
        for one in found:
            cells = (
                one.picture,
                one.label,
                f"{one.named} of {one.described}",
                f"{len(one.references)} of {one.of_references}" if one.of_references else "-",
                "; ".join(", then ".join(each.said) for each in one.asked) or "-",
            )
            table.add_row(*(Text(one_line(cell)) for cell in cells))
        console.print(table)
    photos = len({one.scene for one in found})
    nouns = ("object" if len(found) == 1 else "objects", "photo" if photos == 1 else "photos")
    console.print(f"{len(found)} unannotated {nouns[0]} on {photos} {nouns[1]}.")


def _said(one: Missing, pairs: int) -> str:
    classes = "" if one.classes == (one.name,) else f" ({', '.join(one.classes)})"
    annotated = {True: ", and it is annotated", False: ", but it is not annotated", None: ""}[one.annotated]
    return f"{one.name}{classes}: the system names it in {one.pairs} of {pairs} pairs{annotated}"
