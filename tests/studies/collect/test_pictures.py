from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.model import Find
from anamorph.studies.collect.downloads import Broken, Downloader, DownloadSettings
from anamorph.studies.collect.pictures import looked_at, take
from tests.searchers.servers import pages, serving


def picture(format: str = "PNG", size: tuple[int, int] = (96, 80), **options: Any) -> bytes:
    noise = np.random.default_rng(3).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, format, **options)
    return file.getvalue()


def png_bomb(width: int, height: int) -> bytes:
    """A header that claims much, with a few bytes of pixels."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 100_000)) + chunk(b"IEND", b"")


SETTINGS = DownloadSettings(allow=("127.0.0.1",), rate_per_second=1000)


def reason_of(content: bytes, **settings: Any) -> str:
    with pytest.raises(Broken) as caught:
        looked_at(content, DownloadSettings(**settings))
    return caught.value.reason


@pytest.mark.parametrize(("format", "suffix"), [("PNG", ".png"), ("JPEG", ".jpg"), ("WEBP", ".webp"), ("GIF", ".gif")])
def test_a_picture_is_shown_by_its_bytes(format: str, suffix: str) -> None:
    taken = looked_at(picture(format), SETTINGS)
    assert (taken.suffix, taken.width, taken.height) == (suffix, 96, 80)
    assert len(taken.sha256) == 64


def test_what_is_no_picture_is_refused_whatever_it_is_called() -> None:
    script = b"#!/bin/sh\necho gotcha"
    with (
        serving(lambda request: request.reply(script, content_type="image/jpeg")) as server,
        pytest.raises(Broken, match="not a picture"),
    ):
        take(Find(("dog",), address=f"{server.url}/dog.jpg"), Downloader(SETTINGS), SETTINGS)
    for content in (b"", b"<svg onload=alert(1)>", b"%PDF-1.7", b"%!PS-Adobe", b"\0" * 100):
        assert reason_of(content) == "not a picture"


def test_a_picture_is_taken_even_if_it_is_called_a_text() -> None:
    with serving(lambda request: request.reply(picture(), content_type="text/plain")) as server:
        assert take(Find((), address=server.url), Downloader(SETTINGS), SETTINGS).width == 96


def test_damaged_pictures_are_refused() -> None:
    assert reason_of(picture("JPEG")[:-2000]) == "damaged"
    assert reason_of(picture("PNG")[:-200]) == "damaged"
    assert reason_of(b"\xff\xd8\xff" + b"nonsense" * 20) == "damaged"


def test_a_decompression_bomb_is_refused_by_its_header() -> None:
    bomb = png_bomb(100_000, 100_000)
    assert len(bomb) < 300 and reason_of(bomb) == "too many pixels"
    assert reason_of(picture(size=(1200, 1000)), most_megapixels=1) == "too many pixels"


def test_icons_are_refused() -> None:
    assert reason_of(picture(size=(16, 200))) == "too small"


def test_local_files_are_read_within_the_same_limits(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(picture())
    assert take(Find((), path=str(file)), Downloader(SETTINGS), SETTINGS).height == 80
    with file.open("r+b") as opened:
        opened.truncate(2_000_000)
    small = DownloadSettings(most_megabytes=1)
    for path in (file, tmp_path / "gone.png", tmp_path):
        with pytest.raises(Broken, match="cannot be read"):
            take(Find((), path=str(path)), Downloader(small), small)


def test_an_empty_reply_is_no_picture() -> None:
    with serving(pages(b"")) as server, pytest.raises(Broken, match="not a picture: it is empty"):
        take(Find((), address=server.url), Downloader(SETTINGS), SETTINGS)
