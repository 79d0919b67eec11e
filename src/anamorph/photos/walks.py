"""Lists the files of a folder in a fixed order, with a skip for everything that cannot be followed."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from anamorph.model import Skip
from anamorph.photos.entries import is_whole_text
from anamorph.photos.files import shown


def files_under(root: Path, suffixes: Collection[str], recursive: bool) -> tuple[list[str], list[Skip]]:
    """The files with one of the (lowercase) suffixes as sorted relative POSIX paths, without hidden ones."""
    found: list[str] = []
    skips: list[Skip] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as entries:
                for entry in entries:
                    name = f"{folder}{entry.name}"
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if recursive:
                            folders.append(f"{name}/")
                    elif entry.is_symlink() and _leads_to_folder(entry):
                        if recursive:
                            skips.append(
                                Skip(shown(name), "It is a link to a folder, and such links are not followed.")
                            )
                    elif os.path.splitext(entry.name)[1].lower() in suffixes:  # noqa: PTH122 (half the time of Path)
                        if is_whole_text(name):
                            found.append(name)
                        else:
                            skips.append(Skip(shown(name), "Its name is not valid UTF-8; rename it."))
        except OSError as problem:
            skips.append(Skip(shown(folder or root), f"The folder cannot be listed: {problem.strerror or problem}."))
    return sorted(found), sorted(skips, key=lambda skip: skip.what)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
