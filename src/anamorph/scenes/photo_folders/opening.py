"""A setting that names a folder of photos: a path, or an address."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from urllib.request import url2pathname

from anamorph.errors import BadPicture, UsageError
from anamorph.http.templates import UrlTemplate
from anamorph.model import Skip, setting
from anamorph.photos.files import existing_folder, read_text, shown
from anamorph.scenes.photo_folders.bucket import EXTRAS, BucketFiles, check_address
from anamorph.scenes.photo_folders.local import LocalFolder
from anamorph.scenes.photo_folders.remote import RemoteFolder, kept_names

PhotoFolder: TypeAlias = LocalFolder | RemoteFolder

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_WEB = ("http", "https")
_MOST_INDEX_BYTES = 1_000_000_000


def index_setting() -> Any:
    """The setting for a list of a folder's files."""
    return setting(None, "A file with the name of a photo on each line, for an address that cannot list its files.")


def contacted(value: object) -> str | None:
    """The scheme of a setting that is an address on another machine, else None."""
    found = _ADDRESS.match(value) if isinstance(value, str) else None
    return None if found is None or found[1].lower() == "file" else found[1].lower()


def check_place(place: str | None) -> None:
    """UsageError for an address that cannot be used or holds a secret in plain text; nothing is contacted."""
    scheme = contacted(place)
    if place is None or scheme is None:
        return
    if scheme in _WEB:
        UrlTemplate(place).check()
    elif scheme in EXTRAS:
        check_address(place)
    else:
        known = ", ".join(sorted({*_WEB, *EXTRAS, "file"} - {"memory", "gcs"}))
        raise UsageError(f"Photos cannot be fetched with {shown(scheme)}://. Valid: {known}, or a folder.")


def photo_folder(place: str) -> PhotoFolder:
    """The folder at a path or an address; nothing is contacted yet."""
    if not _ADDRESS.match(place):
        return LocalFolder(Path(place))
    if contacted(place) is None:
        return LocalFolder(_path(place))
    # Connections do not survive a fork.
    return _remote(place, os.getpid())


def existing_photo_folder(place: str, what: str) -> PhotoFolder:
    """The folder; UsageError, with `what` it should hold, if it is local and missing."""
    folder = photo_folder(place)
    if isinstance(folder, LocalFolder):
        existing_folder(str(folder.root) if place else place, what)
    return folder


def photo_names(
    folder: PhotoFolder, index: str | None, suffixes: Collection[str], recursive: bool
) -> tuple[list[str], list[Skip]]:
    """The files of a folder or an index, with one of the (lowercase) suffixes, sorted."""
    if index is None:
        return folder.names(suffixes, recursive)
    try:
        lines = (line.strip() for line in read_text(Path(index), _MOST_INDEX_BYTES).splitlines())
    except BadPicture as problem:
        raise UsageError(f"index={shown(index)}: {problem}") from problem
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise UsageError(f"index={shown(index)}: the file names no photo. Write the name of one on each line.")
    return kept_names(names, suffixes, recursive)


@functools.lru_cache(maxsize=16)
def _remote(place: str, process: int) -> RemoteFolder:
    check_place(place)
    if contacted(place) in _WEB:
        # libcurl is loaded lazily.
        from anamorph.scenes.photo_folders.web import WebFiles

        return RemoteFolder(WebFiles.at(place))
    return RemoteFolder(BucketFiles.at(place))


def _path(address: str) -> Path:
    parts = urlsplit(address)
    if parts.netloc not in ("", "localhost"):
        raise UsageError(f"The address {shown(address)} names another machine. Write file:///folder.")
    return Path(url2pathname(parts.path))
