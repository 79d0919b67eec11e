"""The cache of images across runs: its place, and the code and libraries that made them."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anamorph
from anamorph.config import CacheSettings
from anamorph.model import canonical_json
from anamorph.store.segmentations import SegmentationCache
from anamorph.store.shelf import default_file
from anamorph.store.stock import FOLDER, Stock

# The rooms whose code decides what an image looks like and what is found in one: a change in any of them makes anew.
ROOMS = (
    "detectors",
    "edits",
    "engine/kept.py",
    "engine/recogniser.py",
    "engine/render",
    "engine/segmenter.py",
    "engine/studio.py",
    "inpainters",
    "reading/labels.py",
    "reading/spaces",
    "model",
    "painters",
    "pixels",
    "pools",
    "segmenters",
    "store/images.py",
    "weights",
)
# What may compute pixels besides; another version may round differently.
_LIBRARIES = (
    "accelerate",
    "ai-edge-litert",
    "diffusers",
    "numpy",
    "onnxruntime",
    "onnxruntime-gpu",
    "onnxruntime-openvino",
    "opencv-contrib-python-headless",
    "pycocotools",
    "simplejpeg",
    "torch",
    "torchvision",
    "transformers",
)
_BYTES_PER_MB = 1_000_000


def stock_of(settings: CacheSettings) -> Stock | None:
    """Where a run keeps what it makes; None if it is not to."""
    if not settings.images or made_by() is None:
        return None
    folder = Path(settings.folder) if settings.folder else default_file(FOLDER)
    return Stock(folder.absolute(), settings.limit_mb * _BYTES_PER_MB)


@functools.cache
def made_by() -> str | None:
    """A digest of the code and the libraries that make images here; None if the code cannot be read."""
    root = Path(anamorph.__file__).parent
    found = hashlib.blake2b(digest_size=16)
    for room in ROOMS:
        place = root / room
        files = sorted(_files(place)) if place.is_dir() else [place]
        try:
            for file in files:
                found.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
        except OSError:
            return None
        if not files:
            return None
    found.update(canonical_json([_versions(), platform.python_version(), platform.machine()]).encode())
    return found.hexdigest()


def _files(room: Path) -> Iterator[Path]:
    """The files of a room: code, and the data beside it."""
    return (path for path in room.rglob("*") if path.is_file() and path.suffix != ".pyc")


def _versions() -> dict[str, str]:
    versions = {}
    for name in _LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def is_ours(part: object) -> bool:
    """Whether a part is Anamorph's own, so that its code is known; other code may change unnoticed."""
    return type(part).__module__.partition(".")[0] == "anamorph"


@dataclass(frozen=True, slots=True)
class _StockShelf:
    """A stock in the place of a file of texts."""

    stock: Stock

    def get(self, key: bytes) -> str | None:
        found = self.stock.get(key.hex())
        return None if found is None else found.decode("utf-8", "replace")

    def put(self, key: bytes, text: str) -> None:
        self.stock.put(key.hex(), text.encode("utf-8", "surrogatepass"))

    def close(self) -> None:
        self.stock.close()


def looks_of(settings: CacheSettings, segmenter: object, identity: Mapping[str, Any]) -> SegmentationCache | None:
    """Detections on photos and cut-outs from earlier runs; None if nothing is kept."""
    stock = stock_of(settings) if is_ours(segmenter) else None
    if stock is None:
        return None
    return SegmentationCache(_StockShelf(stock), canonical_json([dict(identity), made_by()]))
