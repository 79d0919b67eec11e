"""Fixtures of the folders of photos that are elsewhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.scenes.photo_folders import remote
from tests.photos.fixtures import pattern, png
from tests.scenes.photo_folders.elsewhere import Site
from tests.systems.fixtures import server as server
from tests.systems.servers import Server


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_FIRST_PAUSE_SECONDS", 0.001)


@pytest.fixture
def album(tmp_path: Path, _album: Path) -> Path:
    """A folder of photos, good, bad and turned: what says how is now at the beginning, now at the end of a file."""
    return Path(shutil.copytree(_album, tmp_path / "album"))


@pytest.fixture(scope="session")
def _album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("photos")
    (root / "in side").mkdir()
    Image.fromarray(pattern(8, 6)).save(root / "a.png")
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6
    noise.save(root / "turned.jpg", exif=exif, quality=95)
    # A preview before the size, as cameras write it.
    exif[0x9286] = b"x" * 60_000
    noise.save(root / "preview.jpg", exif=exif, quality=95)
    noise.save(root / "turned.webp", exif=exif)
    noise.save(root / "in side" / "b#1?.png")
    noise.save(root / "late.tif")
    noise.save(root / "map.gif")
    late = (root / "in side" / "b#1?.png").read_bytes()
    block = exif.tobytes().removeprefix(b"Exif\x00\x00")
    chunk = png(1, 1, 8, 2, (b"eXIf", block))[33:-12]
    (root / "late.png").write_bytes(late[:-12] + chunk + late[-12:])
    (root / "damaged.jpg").write_bytes(b"\xff\xd8\xff\xe0 no more")
    (root / "text.png").write_text("no picture")
    (root / "empty.png").write_bytes(b"")
    (root / "a.txt").write_text("a dog\n\ntwo dogs\n")
    (root / ".hidden.png").write_bytes(b"")
    return root


@pytest.fixture
def site(server: Server, album: Path) -> Site:
    return Site(server, album)
