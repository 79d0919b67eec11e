"""Fixtures that this folder shares with others."""

from __future__ import annotations

from tests.photos.fixtures import huge_png as huge_png
from tests.photos.fixtures import make_png as make_png
from tests.photos.fixtures import make_tiff as make_tiff
from tests.photos.fixtures import real_photos as real_photos
from tests.photos.fixtures import save_photo as save_photo
