"""Suspicious reference captions as CSV, JSON and COCO files."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamorph.model import encode
from anamorph.report.csv_file import safe_cell
from anamorph.studies.label_errors.finding import Suspect

COLUMNS = ("scene", "picture", "reference", "kind", "missing", "classes", "pairs", "pairs_of_photo", "annotated",
           "instead", "no_reference_names_it", "caption", "source_caption", "follow_up_caption", "case")  # fmt: skip


def suspect_record(suspect: Suspect) -> dict[str, Any]:
    """A suspect as plain JSON."""
    record: dict[str, Any] = encode(suspect)
    return record


def write_csv(path: Path, suspects: Sequence[Suspect]) -> None:
    """One row per suspicious caption, safe to open in a spreadsheet."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        rows = csv.writer(stream, quoting=csv.QUOTE_ALL)
        rows.writerow(COLUMNS)
        rows.writerows([safe_cell(str(cell)) for cell in _row(suspect)] for suspect in suspects)


def write_json(path: Path, suspects: Sequence[Suspect]) -> None:
    """A list of records with all their evidence."""
    records = [suspect_record(suspect) for suspect in suspects]
    path.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_coco(path: Path, suspects: Sequence[Suspect]) -> None:
    """COCO captions with only the suspicious ones, each with the evidence against it."""
    images: dict[str, int] = {}
    for suspect in suspects:
        images.setdefault(suspect.scene, _image_id(suspect.scene, len(images) + 1))
    pictures = {suspect.scene: suspect.picture for suspect in suspects}
    annotations = [
        {
            "id": place,
            "image_id": images[suspect.scene],
            "caption": suspect.caption,
            "reference": suspect.reference,
            "kind": suspect.kind,
            "missing": [missing.name for missing in suspect.missing],
            "instead": list(suspect.instead),
        }
        for place, suspect in enumerate(suspects, start=1)
    ]
    content = {
        "info": {"description": "Reference captions that Anamorph suspects"},
        "images": [{"id": id, "file_name": pictures[scene], "scene": scene} for scene, id in images.items()],
        "annotations": annotations,
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _image_id(scene: str, otherwise: int) -> int:
    """The image's own number where the scene has one, as scenes of COCO do."""
    return int(scene) if scene.isascii() and scene.isdigit() else otherwise


def _row(suspect: Suspect) -> tuple[object, ...]:
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
    )
