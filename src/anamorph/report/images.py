"""The pictures that a report shows, in the report's own folder, within a size."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import simplejpeg

from anamorph.errors import BadPicture
from anamorph.model import Pixels
from anamorph.store.images import ImageFolder

MOST_BYTES = 300_000_000
# This share of it goes to whole pictures, which are taken first; the rest to thumbnails of others.
WHOLE_SHARE = 2 / 3
THUMBNAIL_SIDE = 240
_QUALITY = 80


class ReportImages:
    """Puts pictures of a run into `folder`, each once: whole ones first, then thumbnails.

    What does not fit is shown from the run's own folder where the report lies in it, and else not at all.
    """

    def __init__(self, source: ImageFolder, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.source, self.folder = source, folder
        self._whole, self._rest = int(most_bytes * WHOLE_SHARE), most_bytes - int(most_bytes * WHOLE_SHARE)
        self._beside = folder.parent.resolve() == source.root.parent.resolve()
        # How many pictures are there only as thumbnails, and how often one is not in the report's folder at all.
        self.thumbnails = 0
        self.left_out = 0

    def take(self, name: str) -> str | None:
        """The picture's address within the report, or None if there is none."""
        origin = self.source.find(name)
        if origin is None:
            return None
        address = f"images/{name[:2]}/{name}"
        if (self.folder / address).exists():
            return address
        small = f"thumbnails/{name[:2]}/{name.partition('.')[0]}.jpg"
        if (self.folder / small).exists():
            return small
        size = origin.stat().st_size
        if size <= self._whole:
            self._whole -= size
            link_or_copy(origin, self.folder / address)
            return address
        if self._rest > 0 and self._write_thumbnail(origin, self.folder / small):
            return small
        self.left_out += 1
        return f"../images/{name[:2]}/{name}" if self._beside else None

    def _write_thumbnail(self, origin: Path, target: Path) -> bool:
        content = scaled_jpeg(origin, THUMBNAIL_SIDE)
        if content is None:
            return False
        if len(content) > self._rest:
            # No other picture is decoded in vain.
            self._rest = 0
            return False
        self._rest -= len(content)
        self.thumbnails += 1
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return True


def scaled_jpeg(path: Path, side: int) -> bytes | None:
    """A picture as a JPEG whose longer side is at most `side` pixels; None if it cannot be decoded."""
    content = path.read_bytes()
    pixels = _decoded(content, path, side)
    if pixels is None:
        return None
    height, width = pixels.shape[:2]
    if max(height, width) > side:
        by = side / max(height, width)
        size = (max(1, round(width * by)), max(1, round(height * by)))
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    return bytes(simplejpeg.encode_jpeg(np.ascontiguousarray(pixels), _QUALITY, "RGB", "420", True))


def _decoded(content: bytes, path: Path, side: int) -> Pixels | None:
    try:
        if path.suffix == ".jpg":
            height, width = simplejpeg.decode_jpeg_header(content)[:2]
            # A JPEG can be decoded at a half, a quarter or an eighth of its size, which is much faster.
            by = min(1.0, side / max(height, width, 1))
            wanted = {"min_height": math.ceil(height * by), "min_width": math.ceil(width * by)}
            return np.asarray(simplejpeg.decode_jpeg(content, "RGB", **wanted), np.uint8)
        return ImageFolder(path.parent.parent).pixels(path.name)
    except (ValueError, BadPicture):
        return None


def link_or_copy(origin: Path, target: Path) -> None:
    """Put a file at another path too, by a hard link where that works."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(origin, target)
    except OSError:
        # Another disk, a file system without hard links, or too many links to one file.
        shutil.copyfile(origin, target)
