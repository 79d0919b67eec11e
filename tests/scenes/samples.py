"""Samples of data sets, and the sorting of what a scan finds."""

from __future__ import annotations

import io

from PIL import Image

from anamorph.model import Scene, SceneSource, Skip


def png(shade: int, size: tuple[int, int] = (48, 32)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, (shade, shade, shade)).save(buffer, "PNG")
    return buffer.getvalue()


def found(source: SceneSource) -> tuple[list[Scene], list[Skip]]:
    """The scenes and the skips of a scan."""
    items = list(source.scan())
    return [each for each in items if isinstance(each, Scene)], [each for each in items if isinstance(each, Skip)]
