"""The pictures that a report shows, in the report's own folder."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from anamorph.store.images import ImageFolder


@dataclass(frozen=True, slots=True)
class ReportImages:
    """Links or copies pictures of a run into `folder`/images, each once."""

    source: ImageFolder
    folder: Path

    def take(self, name: str) -> str | None:
        """The picture's address within the report, or None if the run does not have it."""
        origin = self.source.find(name)
        if origin is None:
            return None
        address = f"images/{name[:2]}/{name}"
        target = self.folder / address
        if not target.exists():
            link_or_copy(origin, target)
        return address


def link_or_copy(origin: Path, target: Path) -> None:
    """Put a file at another path too, by a hard link where that works."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(origin, target)
    except OSError:
        # Another disk, a file system without hard links, or too many links to one file.
        shutil.copyfile(origin, target)
