"""`anamorph research label-errors`: reference captions that may be wrong, and unannotated objects."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from anamorph.cli.moved import LABEL_ERRORS, command_with
from anamorph.cli.opening import MARKS_OPTION, RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import JSON_OPTION, out_option, set_option, settings_from
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
from anamorph.studies.label_errors.finding import KINDS, Missing, Rules, Suspect, find_label_errors, with_corrections
from anamorph.studies.label_errors.page import write_page
from anamorph.studies.label_errors.unannotated import Unannotated, find_unannotated

_WRITERS = {".csv": write_table, ".json": write_json}
_ENDINGS = {"captions": (".csv", ".json"), "objects": (".html", ".csv", ".json"), "coco": (".json",)}
# The kind of an object that has no annotation.
_UNANNOTATED = "unannotated"


@click.command(
    name="label-errors",
    cls=command_with(LABEL_ERRORS),
    epilog="""\b
Examples:
  anamorph research label-errors runs/first
  anamorph research label-errors runs/first --set annotated_only=true --set least_pairs=3 -o suspects.csv
  anamorph research label-errors runs/first --set each_caption=true --kind typo --kind no-image
  anamorph research label-errors runs/first -o coco=suspects.json
  anamorph research label-errors runs/first --kind unannotated -o objects=lacking.html""",
)
@RUN_ARGUMENT
@set_option("level=class, each_caption=true, annotated_only=true or least_pairs=3; see docs/label-errors.md.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([*KINDS, _UNANNOTATED]),
    multiple=True,
    help="Only these kinds; may be repeated.",
)
@out_option(
    click.STRING,
    "FILE",
    "Write all captions to FILE.csv or FILE.json, in COCO's form to coco=FILE.json, or unannotated objects to "
    "objects=FILE.html, .csv or .json; repeat for several.",
    multiple=True,
)
@MARKS_OPTION
@JSON_OPTION
def label_errors(
    run_folder: Path,
    sets: tuple[str, ...],
    kinds: tuple[str, ...],
    out: tuple[str, ...],
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
    places = [_place(each) for each in out]
    mark_files = tuple(path.absolute() for path in mark_files)
    captions: list[Suspect] = []
    with open_run(run_folder, read_only=True) as store:
        if not store.count("answers"):
            raise UsageError(f"{store.folder}: this run has no answers yet. Use `anamorph resume` first.")
        config = config_for_reading(store)
        each = config.settings.label_errors.each_caption
        rules = settings_from(Rules, (f"each_caption={str(each).lower()}", *sets))
        # Unannotated objects are not among the annotations.
        with_objects = (not kinds or _UNANNOTATED in kinds) and not rules.annotated_only
        if set(kinds) != {_UNANNOTATED}:
            suspects = find_label_errors(store, config.readers(), rules)
            captions = list(with_corrections(store, suspects, captions_of_people(store, mark_files)))
        objects = find_unannotated(store, config) if with_objects else []
        for form, place in places:
            if form == "objects":
                _write_objects(place, objects, store.images)
    if kinds:
        captions = [suspect for suspect in captions if suspect.kind in kinds]
    for form, place in places:
        if form == "coco":
            write_coco(place, captions)
        elif form == "captions":
            _WRITERS[place.suffix.lower()](place, captions)
    if as_json:
        records = [suspect_record(suspect) for suspect in captions]
        echo_json({"captions": records, "objects": [object_record(one) for one in objects]}, indent=1)
        return
    if set(kinds) != {_UNANNOTATED}:
        _show(captions)
    if with_objects:
        _show_objects(objects)
    for _, place in places:
        echo(f"Written: {place}")


def _place(text: str) -> tuple[str, Path]:
    """The form of a file, and its place."""
    form, equals, path = text.partition("=")
    if not equals or form not in _ENDINGS:
        form, path = "captions", text
    place = Path(path).absolute()
    endings = _ENDINGS[form]
    if place.suffix.lower() not in endings:
        raise UsageError(f"--out {text}: the name must end in {' or '.join(endings)}.")
    return form, place


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
