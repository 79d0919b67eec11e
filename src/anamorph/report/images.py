"""The pictures that a report shows, in the report's own folder."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from anamorph.store.images import ImageFolder

# A run may come from somebody else: only a name that the store itself gives to images is followed.
_NAME = re.compile(r"[0-9a-f]{32}\.(?:jpg|png)")


@dataclass(frozen=True, slots=True)
class ReportImages:
    """Links or copies pictures of a run into `folder`/images, each once."""

    source: ImageFolder
    folder: Path

    def take(self, name: str) -> str | None:
        """The picture's address within the report, or None if the run does not have it."""
        origin = stored_picture(self.source, name)
        if origin is None:
            return None
        address = f"images/{name[:2]}/{name}"
        target = self.folder / address
        if target.exists():
            return address
        return address if link_or_copy(origin, target) else None


def stored_picture(images: ImageFolder, name: str) -> Path | None:
    """Where a picture of a run belongs; None for a name that no run gives."""
    return images.path(name) if _NAME.fullmatch(name) else None


def link_or_copy(origin: Path, target: Path) -> bool:
    """Put a file at another path too, by a hard link where that works; False if there is no such file."""
    if not origin.is_file():
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(origin, target)
    except OSError:
        # Another disk, a file system without hard links, or too many links to one file.
        shutil.copyfile(origin, target)
    return True
