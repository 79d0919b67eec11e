"""Annotations in place of people: which collected photos show their labels, as `anamorph research relevance` reads it.

`python -m benchmarks.judge_by_annotations COLLECTED instances.json OUT.jsonl`, where COLLECTED is what `anamorph
research collect` made of photos of that COCO file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path, PurePosixPath


def main(collected: str, instances: str, out: str) -> None:
    document = json.loads(Path(instances).read_text(encoding="utf-8"))
    names = {each["id"]: each["name"] for each in document["categories"]}
    shown: dict[int, set[str]] = {}
    for each in document["annotations"]:
        shown.setdefault(each["image_id"], set()).add(names[each["category_id"]])
    by_file = {each["file_name"]: shown.get(each["id"], set()) for each in document["images"]}
    with Path(out).open("w", encoding="utf-8") as stream:
        for line in Path(collected, "manifest.jsonl").read_text(encoding="utf-8").splitlines():
            photo = json.loads(line)
            there = set(photo["labels"]) <= by_file[PurePosixPath(photo["origin"]).name]
            judged = {"image": PurePosixPath(photo["image"]).name, "labels": photo["labels"]}
            relevance = "strong" if there else "irrelevant"
            stream.write(json.dumps({**judged, "annotator": "annotations", "relevance": relevance}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
