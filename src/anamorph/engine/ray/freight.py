"""Files that every node of a cluster needs, such as weights: by shared path where it has the right content, else sent.

A file is the right one by its digest alone. Sent files are kept on the node under their digest, also for other runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from anamorph.engine.ray.cluster import Cluster
from anamorph.errors import RunError
from anamorph.model import digest_of
from anamorph.weights.files import FOLDER_VARIABLE, is_here, models_folder, place_of, sha256_of
from anamorph.weights.known import KNOWN

# Sent in pieces, so that a file may be larger than what the cluster holds in memory.
_PIECE_BYTES = 32_000_000
# A folder is taken for a part's own only where a setting says that it is one.
_FOLDER_SETTING = re.compile(r"(?:^|_)(?:folder|model|path|pools?|weights)$")
_MOST_FILES = 10_000
# Settings whose files stay with the driver.
_NOT_SENT = frozenset({"cache", "engine", "kind", "methods", "out", "preset", "ray", "scenes"})
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FreightItem:
    """A file, or a folder of files, with their digests by their names in it ("" for a file itself).

    `text` is how settings name it; known weights have none, and `path` is then within the folder of models.
    """

    text: str
    path: str
    files: tuple[tuple[str, str], ...]

    @property
    def is_model(self) -> bool:
        return not self.text

    @property
    def place(self) -> Path:
        """Where it is on a node to which it was sent; under its own name, which may be part of a fingerprint."""
        root = _node_folder()
        return root / "models" / self.path if self.is_model else root / digest_of(self.files) / Path(self.path).name

    def found(self) -> Path | None:
        """Its path on this node with the right content; None if it is missing."""
        shared = models_folder() / self.path if self.is_model else Path(self.path)
        return next((path for path in (shared, self.place) if self._is_right(path)), None)

    def lacking(self) -> list[tuple[str, str]]:
        """Its files that must be sent to this node."""
        if self.found() is not None:
            return []
        return [(name, sha256) for name, sha256 in self.files if not _has(self.place / name, sha256)]

    def _is_right(self, path: Path) -> bool:
        return all(_has(path / name, sha256) for name, sha256 in self.files)


@dataclass(frozen=True, slots=True)
class Freight:
    """All that a part of a run needs from files."""

    items: tuple[FreightItem, ...] = ()

    def unload(self) -> dict[str, str]:
        """By their texts in the settings, the items that are elsewhere on this node; RunError for one that is not here.

        From now on, known weights are those that were sent, where any were.
        """
        moved, models = {}, {}
        for item in self.items:
            found = item.found()
            if found is None:
                raise RunError(f"{item.text or item.path} is not here, nor was it sent here.")
            if item.is_model:
                models[item.place] = found
            elif Path(item.text).absolute() != found:
                moved[item.text] = str(found)
        if any(place == found for place, found in models.items()):
            for place, found in models.items():
                if not place.exists():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with contextlib.suppress(FileExistsError):
                        place.symlink_to(found)
            os.environ[FOLDER_VARIABLE] = str(_node_folder() / "models")
        return moved


def freight_of(settings: Mapping[str, Any], identities: Any = None, more: Iterable[str] = ()) -> Freight:
    """The files that settings name, the known weights that identities or settings mention, and more."""
    items: dict[str, FreightItem] = {}
    texts = [*_texts(settings), *((text, "path") for text in more)]
    for text, key in texts:
        item = None if text in items else _item(text, key)
        if item is not None:
            items[item.text] = item
    mentioned = json.dumps(identities, default=str)
    named = {text for text, _ in texts}
    for weights in KNOWN.values():
        digests = [weights.sha256, *(sha256 for sha256, _ in weights.also)]
        wanted = weights.name in named or any(sha256 and sha256 in mentioned for sha256 in digests)
        if wanted and not weights.is_folder and is_here(weights):
            file = str(weights.file)
            items[f"models:{file}"] = FreightItem("", file, (("", sha256_of(place_of(weights))),))
    return Freight(tuple(items.values()))


def deliver(cluster: Cluster, freight: Freight) -> None:
    """Send to every node what it lacks."""
    if not freight.items:
        return
    ray = cluster.ray
    look, place = ray.remote(_lacking), ray.remote(place_piece)
    nodes = cluster.nodes()
    asked = [look.options(num_cpus=0, scheduling_strategy=cluster.only_on(node)).remote(freight) for node in nodes]
    wanting: dict[tuple[int, str, str], list[str]] = {}
    for node, under_way in zip(nodes, asked, strict=True):
        for wanted in cluster.unless_gone(under_way) or ():
            wanting.setdefault(wanted, []).append(node)
    for (number, name, sha256), lacking_nodes in wanting.items():
        item = freight.items[number]
        source = (models_folder() / item.path if item.is_model else Path(item.path)) / name
        for offset, piece in _pieces(source):
            last = offset + len(piece) == source.stat().st_size
            sent = ray.put(piece)
            placing = [
                place.options(num_cpus=0, scheduling_strategy=cluster.only_on(node)).remote(
                    item, name, sha256, offset, sent, last
                )
                for node in lacking_nodes
            ]
            for under_way in placing:
                cluster.unless_gone(under_way)


def place_piece(item: FreightItem, name: str, sha256: str, offset: int, piece: bytes, last: bool) -> None:
    """Keep a piece of a file on this node; RunError where all of them together are not the right content."""
    path = item.place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{sha256}.draft")
    with draft.open("r+b" if offset and draft.exists() else "wb") as file:
        file.seek(offset)
        file.write(piece)
    if last:
        if sha256_of(draft) != sha256:
            draft.unlink()
            raise RunError(f"{item.text or item.path} did not arrive as it was sent.")
        draft.replace(path)


def moved_to(value: T, moved: Mapping[str, str]) -> T:
    """Settings, or whatever is made of plain values, with other texts for files; `file.py:function` also has one."""
    if isinstance(value, str):
        before, colon, after = value.rpartition(":")
        if value in moved:
            return moved[value]  # type: ignore[return-value]
        return f"{moved[before]}{colon}{after}" if before in moved else value  # type: ignore[return-value]
    if isinstance(value, Mapping):
        return {moved_to(key, moved): moved_to(item, moved) for key, item in value.items()}  # type: ignore[return-value]
    if isinstance(value, list | tuple):
        return type(value)(moved_to(item, moved) for item in value)
    return value


def _lacking(freight: Freight) -> list[tuple[int, str, str]]:
    return [(number, *file) for number, item in enumerate(freight.items) for file in item.lacking()]


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield value, key
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in _NOT_SENT:
                yield from _texts(item, str(name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, key)


def _item(text: str, key: str) -> FreightItem | None:
    for candidate in (text, text.rpartition(":")[0]):
        path = Path(candidate).expanduser()
        try:
            if candidate and path.is_file():
                return FreightItem(candidate, str(path.absolute()), (("", sha256_of(path)),))
            if candidate and path.is_dir() and _FOLDER_SETTING.search(key):
                return FreightItem(candidate, str(path.absolute()), _files_of(path))
        except (OSError, ValueError):
            # Not a path, such as a string that is too long for a name.
            continue
    return None


def _files_of(folder: Path) -> tuple[tuple[str, str], ...]:
    found = sorted(file for file in folder.rglob("*") if file.is_file())
    if len(found) > _MOST_FILES:
        raise RunError(
            f"{folder} has {len(found):,} files, too many to send to Ray workers; the limit is {_MOST_FILES:,}."
        )
    return tuple((file.relative_to(folder).as_posix(), sha256_of(file)) for file in found)


def _pieces(file: Path) -> Iterator[tuple[int, bytes]]:
    with file.open("rb") as content:
        offset = 0
        while True:
            piece = content.read(_PIECE_BYTES)
            if not piece and offset:
                return
            yield offset, piece
            offset += len(piece)
            if not piece:
                return


def _has(path: Path, sha256: str) -> bool:
    try:
        return path.is_file() and sha256_of(path) == sha256
    except OSError:
        return False


def _node_folder() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("anamorph", appauthor=False) / "ray"
