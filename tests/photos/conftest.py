"""Fixtures that this folder shares with others."""

from __future__ import annotations

from tests.photos.fixtures import (
    huge_png as huge_png,
    make_png as make_png,
    make_tiff as make_tiff,
    real_photos as real_photos,
    save_photo as save_photo,
)
