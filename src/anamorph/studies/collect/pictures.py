"""Checks that what was fetched is a picture that decodes, within limits; Broken with the reason if not."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from anamorph.errors import BadPicture
from anamorph.model import Find
from anamorph.photos.decoding import Limits, pixels_of, size_of, suffix_of
from anamorph.photos.files import open_regular
from anamorph.pixels.perceptual_hash import perceptual_hash
from anamorph.studies.collect.downloads import Broken, Downloader, DownloadSettings

# Beyond any header: how large a picture is, is judged here, so that it is counted by its own reason.
_NO_LIMIT = Limits(megapixels=10**9, megabytes=10**6)


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A picture that decodes; `content` is the file as it came."""

    content: bytes
    suffix: str
    width: int
    height: int
    sha256: str
    perceptual_hash: int


def take(find: Find, downloader: Downloader, settings: DownloadSettings) -> Taken:
    """The picture of a find; Broken if it cannot be used."""
    if find.address is not None:
        content = downloader.fetch(find.address)
    else:
        try:
            with open_regular(Path(find.place), settings.most_megabytes * 1_000_000) as file:
                content = file.read()
        except (BadPicture, OSError) as problem:
            raise Broken("cannot be read", str(problem)) from problem
    return looked_at(content, settings)


def looked_at(content: bytes, settings: DownloadSettings) -> Taken:
    """Bytes as a picture, recognised by their content and not by any name or header."""
    suffix = suffix_of(content)
    if suffix is None:
        raise Broken("not a picture", "" if content else "it is empty")
    try:
        width, height = size_of(content, "it", _NO_LIMIT)
        if width * height > settings.most_megapixels * 1_000_000:
            raise Broken("too many pixels", f"{width} x {height}")
        if min(width, height) < settings.least_pixels:
            raise Broken("too small", f"{width} x {height}")
        pixels = pixels_of(content, "it", Limits(settings.most_megapixels, settings.most_megabytes))
    except BadPicture as problem:
        raise Broken("damaged", str(problem)) from problem
    digest = hashlib.sha256(content).hexdigest()
    return Taken(content, suffix, width, height, digest, perceptual_hash(pixels))
