"""One member of an archive, in chunks; nothing else is extracted."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from anamorph.errors import FetchError
from anamorph.weights.fetching.staging import CHUNK

_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError)


@contextmanager
def member_chunks(archive: Path, member: str, size: int) -> Iterator[Iterator[bytes]]:
    """The content of the member with exactly this name; FetchError if there is none of this size."""
    opened = _zip_member if archive.suffix in (".whl", ".zip") else _tar_member
    try:
        with opened(archive, member, size) as content:
            yield _pieces(content)
    except _DAMAGED as problem:
        raise FetchError(f"{archive.name} is damaged ({problem})") from problem


def _pieces(content: IO[bytes]) -> Iterator[bytes]:
    while piece := content.read(CHUNK):
        yield piece


@contextmanager
def _zip_member(archive: Path, member: str, size: int) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(archive) as opened:
        if member not in opened.namelist():
            raise FetchError(f"{archive.name} has no {member}")
        _check(archive, member, opened.getinfo(member).file_size, size)
        with opened.open(member) as content:
            yield content


@contextmanager
def _tar_member(archive: Path, member: str, size: int) -> Iterator[IO[bytes]]:
    # Streamed, so that the search ends at the member and links are never followed.
    with tarfile.open(archive, "r|gz") as opened:
        for each in opened:
            if each.name == member and each.isreg():
                _check(archive, member, each.size, size)
                content = opened.extractfile(each)
                assert content is not None
                yield content
                return
    raise FetchError(f"{archive.name} has no {member}")


def _check(archive: Path, member: str, found: int, size: int) -> None:
    if found != size:
        raise FetchError(f"{member} in {archive.name} has {found:,} bytes instead of {size:,}")
