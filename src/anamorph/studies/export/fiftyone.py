"""FiftyOne's on-disk format of a whole dataset: samples.json, metadata.json and data/."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anamorph.model import Thing
from anamorph.studies.export.reports import ReportedImage

# The version of FiftyOne whose documents these are; a newer one brings them up to date when it reads them.
FORMAT_VERSION = "1.0.0"
FIELD = "ground_truth"
_FIELDS, _LABELS = "fiftyone.core.fields", "fiftyone.core.labels"


def writer(out: Path, stack: ExitStack) -> Callable[[ReportedImage, str, str | None], None]:
    """Writes one sample for each image; what the folder is made of is complete once the stack is closed."""
    lines = stack.enter_context((out / "samples.json").open("w", encoding="utf-8"))
    lines.write('{"samples": [')
    stack.callback(lambda: lines.write("\n]}\n"))
    (out / "metadata.json").write_text(json.dumps(dataset_document(out.name), indent=1), encoding="utf-8")
    begun: list[str] = []

    def add(image: ReportedImage, name: str, caption: str | None) -> None:
        document = sample_document(image, f"data/{name}", caption)
        lines.write((",\n" if begun else "\n") + json.dumps(document, ensure_ascii=False))
        begun.append(name)

    return add


def sample_document(image: ReportedImage, path: str, caption: str | None) -> dict[str, Any]:
    """An image as FiftyOne stores a sample."""
    edited = image.edited
    said = [f"{each.question or 'What does it show?'} {each.text}" for each in image.asked if each.text is not None]
    return {
        "_id": _id(edited.image),
        "filepath": path,
        "tags": ["follow-up" if edited.edits else "photo"],
        "_media_type": "image",
        "_rand": int(edited.image[:12], 16) / 16**12,
        "metadata": {"_cls": "ImageMetadata", "width": edited.width, "height": edited.height},
        FIELD: {
            "_cls": "Detections",
            "detections": [_detection(edited.image, thing, edited.width, edited.height) for thing in edited.things],
        },
        "verdict": {
            "_id": _id(edited.image, "verdict"),
            "_cls": "Classification",
            "tags": [],
            "label": "violated" if edited.issues else "no proof",
        },
        "scene": edited.scene.id,
        "edits": json.dumps(list(edited.edits), ensure_ascii=False),
        "answers": said,
        "issues": list(edited.issues),
        "reasons": [report.reason for report in image.reports],
        "relations": sorted({str(report.relation.get("kind")) for report in image.reports}),
        "causes": sorted({report.tags["class"] for report in image.reports if "class" in report.tags}),
        "grade": edited.grade,
        "caption": caption,
    }


def _detection(image: str, thing: Thing, width: int, height: int) -> dict[str, Any]:
    box = thing.box
    return {
        "_id": _id(image, thing.id),
        "_cls": "Detection",
        "attributes": {},
        "tags": [],
        "label": thing.label,
        "bounding_box": [box.x / width, box.y / height, box.width / width, box.height / height],
        **({} if thing.score is None else {"confidence": thing.score}),
    }


def _id(*parts: str) -> dict[str, str]:
    """An object id that is the same every time."""
    return {"$oid": hashlib.blake2b("\n".join(parts).encode(), digest_size=12).hexdigest()}


def dataset_document(name: str) -> dict[str, Any]:
    """FiftyOne's record of the dataset: the fields of its samples."""
    lists = ("answers", "issues", "reasons", "relations", "causes")
    detection = [
        _field("tags", "ListField", subfield=f"{_FIELDS}.StringField"),
        _field("label", "StringField"),
        _field("bounding_box", "ListField", subfield=f"{_FIELDS}.FloatField"),
        _field("confidence", "FloatField"),
    ]
    objects = _field(
        "detections",
        "ListField",
        subfield=f"{_FIELDS}.EmbeddedDocumentField",
        document=f"{_LABELS}.Detection",
        fields=detection,
    )
    sizes = [_field(each, "IntField") for each in ("width", "height")]
    verdict = [
        _field("tags", "ListField", subfield=f"{_FIELDS}.StringField"),
        _field("label", "StringField"),
    ]
    embedded = "EmbeddedDocumentField"
    return {
        "name": name,
        "version": FORMAT_VERSION,
        "media_type": "image",
        "tags": ["anamorph"],
        "info": {},
        "classes": {},
        "default_classes": [],
        "mask_targets": {},
        "default_mask_targets": {},
        "skeletons": {},
        "sample_fields": [
            _field("id", "ObjectIdField", place="_id"),
            _field("filepath", "StringField"),
            _field("tags", "ListField", subfield=f"{_FIELDS}.StringField"),
            _field("metadata", embedded, document="fiftyone.core.metadata.ImageMetadata", fields=sizes),
            _field("created_at", "DateTimeField"),
            _field("last_modified_at", "DateTimeField"),
            _field(FIELD, embedded, document=f"{_LABELS}.Detections", fields=[objects]),
            _field("verdict", embedded, document=f"{_LABELS}.Classification", fields=verdict),
            *(_field(each, "StringField") for each in ("scene", "edits", "grade", "caption")),
            *(_field(each, "ListField", subfield=f"{_FIELDS}.StringField") for each in lists),
        ],
        "frame_fields": [],
        "saved_views": [],
        "workspaces": [],
        "annotation_runs": {},
        "brain_methods": {},
        "evaluations": {},
        "runs": {},
    }


def _field(
    name: str,
    kind: str,
    *,
    subfield: str | None = None,
    document: str | None = None,
    fields: list[dict[str, Any]] | None = None,
    place: str | None = None,
) -> dict[str, Any]:
    return {
        "name": name,
        "ftype": f"{_FIELDS}.{kind}",
        "embedded_doc_type": document,
        "subfield": subfield,
        "fields": fields or [],
        "db_field": place or name,
        "description": None,
        "info": None,
        "read_only": False,
    }
