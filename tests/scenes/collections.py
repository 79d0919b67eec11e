"""Collections for tests, as `anamorph research collect` leaves them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from anamorph.scenes.collection.manifest import MANIFEST_FILE, LineFile, ManifestLine


def entry(image: str, labels: tuple[str, ...], **changes: Any) -> ManifestLine:
    facts: dict[str, Any] = {
        "caption": f"a {' and a '.join(labels)}",
        "captions": (f"a {' and a '.join(labels)}", "a photo"),
        "query": " + ".join(labels),
        "searcher": "local",
        "origin": f"/photos/{Path(image).name}",
        "page": "http://photos.example/1",
        "licence": "CC BY 4.0",
        "licence_url": "",
        "author": "A. Author",
        "sha256": hashlib.sha256(image.encode()).hexdigest(),
        "perceptual_hash": "0123456789abcdef",
        "width": 48,
        "height": 32,
        "bytes": 100,
        "collected_at": "2026-01-01T00:00:00Z",
    }
    return ManifestLine(image, labels, **{**facts, **changes})


def make_collection(folder: Path, *entries: ManifestLine) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = LineFile(folder / MANIFEST_FILE)
    for number, each in enumerate(entries):
        path = folder / each.image
        path.parent.mkdir(parents=True, exist_ok=True)
        noise = np.random.default_rng(number).integers(0, 256, (each.height, each.width, 3), dtype=np.uint8)
        Image.fromarray(noise).save(path)
        file.add(each)
    file.close()
    return folder
