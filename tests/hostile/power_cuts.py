"""What a disk holds after a power cut: every change that a process made, noted in order, and which of them survive.

The changes are noted by a preloaded library (power_cut.c), so a single run has as many power cuts as it made changes.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path, PurePosixPath
from random import Random
from typing import Literal, TypeAlias

import pytest

SOURCE = Path(__file__).with_name("power_cut.c")
SECTOR = 512
_HEAD = struct.Struct("<IIQqQ")

# How much of what was not synced survives: nothing, everything, or any of it, in any order and with torn writes.
Luck: TypeAlias = Literal["nothing", "everything", "any"]
# What syncing a file says about its name: that the name is there, as on ext4, XFS and btrfs, or nothing, as in POSIX.
Names: TypeAlias = Literal["with the file", "with the folder"]


class Kind(IntEnum):
    CREATE = 1
    WRITE = 2
    TRUNCATE = 3
    RENAME = 4
    UNLINK = 5
    MAKE_FOLDER = 6
    REMOVE_FOLDER = 7
    SYNC = 8


@dataclass(frozen=True)
class Change:
    """One call that changed something, or that made changes last."""

    kind: Kind
    inode: int
    offset: int
    paths: tuple[str, ...]
    content: bytes


def library(folder: Path) -> Path:
    """The library to preload; the test is skipped where it cannot be made."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler, to note what a process writes")
    made = folder / "power_cut.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", made, SOURCE, "-ldl", "-lpthread"], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"the library that notes what a process writes cannot be made here: {done.stderr[-300:]}")
    return made


def read_journal(path: Path) -> list[Change]:
    """What was noted, in order."""
    return list(_changes(path.read_bytes()))


def _changes(journal: bytes) -> Iterator[Change]:
    place = 0
    while place < len(journal):
        kind, path_bytes, inode, offset, size = _HEAD.unpack_from(journal, place)
        place += _HEAD.size
        paths = journal[place : place + path_bytes].decode().split("\0")[:-1]
        place += path_bytes
        yield Change(Kind(kind), inode, offset, tuple(paths), journal[place : place + size])
        place += size


@dataclass
class _File:
    """The content that is on the disk, and the changes since then."""

    synced: bytes = b""
    unsynced: list[Change] = field(default_factory=list)
    # The number of the last change of its name, in the order of all changes of names.
    named: int = 0

    def sync(self) -> None:
        self.synced, self.unsynced = self.content(None), []

    def content(self, rng: Random | None) -> bytes:
        """With all changes since the last sync, or with a part of them."""
        found = bytearray(self.synced)
        for change in self.unsynced:
            if change.kind is Kind.TRUNCATE:
                if rng is None or rng.random() < 0.5:
                    _resize(found, change.offset)
                continue
            for start, sector in _sectors(change):
                if rng is None or rng.random() < 0.5:
                    _resize(found, max(len(found), start + len(sector)))
                    found[start : start + len(sector)] = sector
        return bytes(found)


def _resize(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


def _sectors(change: Change) -> Iterator[tuple[int, bytes]]:
    """A write in the pieces that a disk writes whole."""
    place, end = change.offset, change.offset + len(change.content)
    while place < end:
        following = min(end, (place // SECTOR + 1) * SECTOR)
        yield place, change.content[place - change.offset : following - change.offset]
        place = following


_Node: TypeAlias = "_File | _Folder"


@dataclass
class _Folder:
    named: int = 0


@dataclass(frozen=True)
class _Naming:
    """A change of one name in one folder: it now means this, or nothing."""

    path: str
    node: _Node | None


@dataclass
class Disk:
    """A disk under a root, from the changes up to a power cut."""

    root: Path
    names: Names
    _nodes: dict[int, _Node] = field(default_factory=dict)
    _now: dict[str, _Node] = field(default_factory=dict)
    # All changes of names, those of one call together; and how many of them will outlive a cut, in all or by folder.
    _namings: list[tuple[_Naming, ...]] = field(default_factory=list)
    _lasting: int = 0
    _lasting_in: dict[str, int] = field(default_factory=dict)

    def play(self, changes: list[Change]) -> None:
        """Do what the process did."""
        for change in changes:
            self._play(change)

    def _play(self, change: Change) -> None:
        match change.kind:
            case Kind.CREATE | Kind.MAKE_FOLDER:
                node: _Node = _File() if change.kind is Kind.CREATE else _Folder()
                self._nodes[change.inode] = node
                self._name(_Naming(change.paths[0], node))
            case Kind.RENAME:
                old, new = change.paths
                self._name(_Naming(new, self._now[old]), _Naming(old, None))
            case Kind.UNLINK | Kind.REMOVE_FOLDER:
                self._name(_Naming(change.paths[0], None))
            case Kind.WRITE | Kind.TRUNCATE:
                file = self._nodes[change.inode]
                assert isinstance(file, _File)
                file.unsynced.append(change)
            case Kind.SYNC:
                self._sync(self._nodes.get(change.inode))

    def _name(self, *namings: _Naming) -> None:
        self._namings.append(namings)
        for naming in namings:
            if naming.node is None:
                del self._now[naming.path]
            else:
                self._now[naming.path] = naming.node
                naming.node.named = len(self._namings)

    def _sync(self, node: _Node | None) -> None:
        if isinstance(node, _File):
            node.sync()
            if self.names == "with the file":
                self._lasting = max(self._lasting, node.named)
            return
        path = str(self.root)
        if node is not None:
            path = next(path for path, each in self._now.items() if each is node)
        numbered = enumerate(self._namings, 1)
        latest = max((n for n, namings in numbered if any(_folder(each.path) == path for each in namings)), default=0)
        if self.names == "with the file":
            self._lasting = max(self._lasting, latest)
        self._lasting_in[path] = latest

    def left(self, luck: Luck, rng: Random) -> Mapping[str, bytes | None]:
        """What is found after a cut: contents by path, None for folders."""
        entries: dict[str, _Node] = {}
        last = self._last_names(luck, rng)
        for number, namings in enumerate(self._namings, 1):
            for naming in namings:
                if number > last(_folder(naming.path)):
                    continue
                if naming.node is None:
                    entries.pop(naming.path, None)
                else:
                    entries[naming.path] = naming.node
        found: dict[str, bytes | None] = {}
        for path, node in entries.items():
            if not self._is_reachable(path, entries):
                continue
            if isinstance(node, _Folder):
                found[path] = None
            elif luck == "nothing":
                found[path] = node.synced
            else:
                found[path] = node.content(rng if luck == "any" else None)
        return found

    def _last_names(self, luck: Luck, rng: Random) -> Callable[[str], int]:
        """How many changes of names are found in a folder."""
        count = len(self._namings)
        if luck == "everything":
            return lambda folder: count
        if self.names == "with the file":
            # A journal keeps their order, so it is a beginning of them.
            last = self._lasting if luck == "nothing" else rng.randint(self._lasting, count)
            return lambda folder: last
        chosen: dict[str, int] = {}

        def last_in(folder: str) -> int:
            if folder not in chosen:
                least = self._lasting_in.get(folder, 0)
                chosen[folder] = least if luck == "nothing" else rng.randint(least, count)
            return chosen[folder]

        return last_in

    def _is_reachable(self, path: str, entries: Mapping[str, _Node]) -> bool:
        folder = _folder(path)
        return folder == str(self.root) or (folder in entries and self._is_reachable(folder, entries))


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def restore(left: Mapping[str, bytes | None], root: Path, place: Path) -> None:
    """Put what is left of a disk somewhere else."""
    place.mkdir(parents=True)
    for path in sorted(left):
        content, there = left[path], place / Path(path).relative_to(root)
        if content is None:
            there.mkdir(exist_ok=True)
        else:
            there.write_bytes(content)
