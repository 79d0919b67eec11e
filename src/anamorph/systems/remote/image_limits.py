"""Size limits of a service's images: larger ones are shrunk deterministically."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from anamorph.errors import Refused
from anamorph.model import Ask
from anamorph.systems.remote.bodies import read_image

_QUALITIES = (95, 85, 75, 60)
_SMALLER = 0.8
# Part of the fingerprint: with other pixels, it is another system.
SHRINKING_VERSION = 1


@dataclass(frozen=True, slots=True)
class ImageLimit:
    """The longest side in pixels and the most bytes of a sent image file."""

    longest_side: int
    most_bytes: int

    def fingerprint(self) -> dict[str, Any]:
        return {"longest_side": self.longest_side, "most_bytes": self.most_bytes, "shrinking": SHRINKING_VERSION}

    def fitted(self, ask: Ask) -> bytes:
        """The file if it fits; else shrunk to the longest side, and further until it fits."""
        from PIL import Image

        content = read_image(ask)
        try:
            with Image.open(io.BytesIO(content)) as image:
                if max(image.size) <= self.longest_side and len(content) <= self.most_bytes:
                    return content
                picture = image.convert("RGB")
        except (OSError, ValueError) as problem:
            raise Refused(f"The image {ask.path} cannot be read: {problem}.") from problem
        share = min(1.0, self.longest_side / max(picture.size))
        while True:
            size = (max(1, round(picture.width * share)), max(1, round(picture.height * share)))
            smaller = picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS)
            for quality in _QUALITIES:
                out = io.BytesIO()
                smaller.save(out, "JPEG", quality=quality)
                if out.tell() <= self.most_bytes:
                    return out.getvalue()
            if max(size) == 1:
                raise Refused(f"The image {ask.path} does not fit into {self.most_bytes} bytes, however small.")
            share *= _SMALLER
