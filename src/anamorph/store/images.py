"""Encoded images in a folder, named by the digest of their bytes."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Pixels, digest_of_bytes, setting


@dataclass(frozen=True, slots=True)
class ImageFormat:
    """How every image of a run is encoded, sources and follow-ups alike, so that encoding explains no difference."""

    format: Literal["jpeg", "png"] = setting(
        "jpeg", "jpeg (small and fast) or png (lossless, about five times slower)."
    )
    quality: int = setting(95, "JPEG quality.", least=50, most=100)
    subsampling: Literal["4:2:0", "4:4:4"] = setting("4:2:0", "How JPEG keeps colour; 4:2:0 is what cameras write.")

    @property
    def suffix(self) -> str:
        return ".jpg" if self.format == "jpeg" else ".png"

    def encode(self, pixels: Pixels) -> bytes:
        """The file's bytes; the same pixels always give the same bytes."""
        bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
        if self.format == "jpeg":
            factor = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420
            if self.subsampling == "4:4:4":
                factor = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
            options = [cv2.IMWRITE_JPEG_QUALITY, self.quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, factor]
        else:
            options = []
        done, encoded = cv2.imencode(self.suffix, bgr, options)
        if not done:
            raise BadPicture(f"An image of {pixels.shape[1]} x {pixels.shape[0]} cannot be written as {self.format}.")
        return encoded.tobytes()


@dataclass(frozen=True, slots=True)
class ImageFolder:
    """The images of a run, two levels deep; safe to use from several threads."""

    root: Path

    def write(self, content: bytes, suffix: str) -> str:
        """Keep an encoded image and give its name; a name that exists is complete."""
        name = digest_of_bytes(content) + suffix
        path = self.path(name)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{name}.{os.getpid()}.{threading.get_ident()}")
            draft.write_bytes(content)
            draft.replace(path)
        return name

    def path(self, name: str) -> Path:
        return self.root / name[:2] / name

    def pixels(self, name: str) -> Pixels:
        """Decode an image; what any system sees of it."""
        path = self.path(name)
        try:
            content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        except OSError as problem:
            raise BadPicture(f"{path}: {problem.strerror or problem}.") from problem
        pixels = cv2.imdecode(content, cv2.IMREAD_COLOR_RGB) if content.size else None
        if pixels is None:
            raise BadPicture(f"{path}: the stored image cannot be decoded.")
        return np.asarray(pixels, dtype=np.uint8)
