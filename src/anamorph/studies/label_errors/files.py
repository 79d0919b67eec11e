"""Suspicious reference captions as CSV, JSON and COCO files, and unannotated objects as CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anamorph.model import encode
from anamorph.report.spreadsheets import write_csv
from anamorph.scenes.coco.writer import CocoFile
from anamorph.studies.label_errors.finding import Suspect
from anamorph.studies.label_errors.unannotated import Unannotated

COLUMNS = ("scene", "picture", "reference", "kind", "missing", "classes", "pairs", "pairs_of_photo", "annotated",
           "instead", "no_reference_names_it", "caption", "source_caption", "follow_up_caption", "case", "grade",
           "corrected")  # fmt: skip
OBJECT_COLUMNS = ("scene", "picture", "class", "named", "described", "references_naming", "of_references", "asked",
                  "annotated_elsewhere", "description", "reference_captions")  # fmt: skip


def suspect_record(suspect: Suspect) -> dict[str, Any]:
    record: dict[str, Any] = encode(suspect)
    return record


def write_table(path: Path, suspects: Sequence[Suspect]) -> None:
    """One row per suspicious caption, as CSV."""
    write_csv(path, [COLUMNS, *map(_row, suspects)], quote_all=True)


def write_json(path: Path, suspects: Sequence[Suspect]) -> None:
    _write_records(path, [suspect_record(suspect) for suspect in suspects])


def object_record(one: Unannotated) -> dict[str, Any]:
    """An unannotated object as plain JSON, empty lists included."""
    record: dict[str, Any] = {"references": [], "asked": [], "elsewhere": False, **encode(one)}
    record.pop("image", None)
    return record


def write_object_table(path: Path, found: Sequence[Unannotated]) -> None:
    """One row per photo and class that the annotations may lack, as CSV."""
    write_csv(path, [OBJECT_COLUMNS, *map(_object_row, found)], quote_all=True)


def write_object_json(path: Path, found: Sequence[Unannotated]) -> None:
    _write_records(path, [object_record(one) for one in found])


def _write_records(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    path.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_coco(path: Path, suspects: Sequence[Suspect]) -> None:
    """COCO captions with only the suspicious ones, each with the evidence against it."""
    images: dict[str, int] = {}
    with CocoFile(path, "Reference captions that Anamorph suspects") as file:
        for suspect in suspects:
            if suspect.scene not in images:
                images[suspect.scene] = _image_id(suspect.scene, len(images) + 1)
                file.add_image(images[suspect.scene], suspect.picture, scene=suspect.scene)
            file.add_caption(
                images[suspect.scene],
                suspect.caption,
                reference=suspect.reference,
                kind=suspect.kind,
                missing=[missing.name for missing in suspect.missing],
                instead=list(suspect.instead),
                **({"corrected": suspect.corrected} if suspect.corrected else {}),
            )


def _image_id(scene: str, otherwise: int) -> int:
    """The image's own number where the scene has one, as scenes of COCO do."""
    return int(scene) if scene.isascii() and scene.isdigit() else otherwise


def _row(suspect: Suspect) -> tuple[str | int, ...]:
    missing, example = suspect.missing, suspect.missing[0].examples[0]
    known = [one.annotated for one in missing]
    return (
        suspect.scene,
        suspect.picture,
        suspect.reference,
        suspect.kind,
        "; ".join(one.name for one in missing),
        "; ".join(label for one in missing for label in one.classes),
        "; ".join(str(one.pairs) for one in missing),
        suspect.pairs_of_photo,
        "" if None in known else "; ".join("yes" if one else "no" for one in known),
        "; ".join(suspect.instead),
        "yes" if suspect.no_reference_names_it else "no",
        suspect.caption,
        example.source,
        example.follow_up,
        example.case,
        example.grade or "",
        suspect.corrected,
    )


def _object_row(one: Unannotated) -> tuple[str | int, ...]:
    return (
        one.scene,
        one.picture,
        one.label,
        one.named,
        one.described,
        len(one.references),
        one.of_references,
        "; ".join(f"{each.question} {', then '.join(each.said)}" for each in one.asked),
        "yes" if one.elsewhere else "no",
        one.description,
        "; ".join(each.caption for each in one.references),
    )
