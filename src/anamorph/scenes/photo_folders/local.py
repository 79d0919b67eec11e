"""A folder of photos on this machine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from anamorph.model import Pixels, Scene, Skip
from anamorph.photos.decoding import Limits, inside, packed_photo, read_size, scene_pixels
from anamorph.photos.files import is_there, open_regular, read_text
from anamorph.photos.outlines import Size
from anamorph.photos.walks import files_under

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """Photos by name relative to a folder; BadPicture for a name that leads out of it."""

    root: Path

    def called(self, name: str) -> str:
        """The name of a photo in messages."""
        return str(self.root / name)

    def names(self, suffixes: Collection[str], recursive: bool) -> tuple[list[str], list[Skip]]:
        """The files with one of the (lowercase) suffixes, sorted, and skips for links not followed."""
        return files_under(self.root, suffixes, recursive)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return is_there(inside(self.root, name))

    def size(self, name: str, limits: Limits) -> Size:
        """Width and height of an upright photo."""
        return read_size(inside(self.root, name), limits)

    def pixels(self, scene: Scene, limits: Limits) -> Pixels:
        """The photo of a scene."""
        return scene_pixels(self.root, scene, limits)

    def packed(self, scene: Scene, limits: Limits) -> Callable[[], Pixels]:
        """The photo of a scene, to be decoded in another process."""
        path = inside(self.root, scene.picture)
        with open_regular(path, limits.file_bytes) as file:
            return packed_photo(file.read(), str(path), scene, limits)

    def text(self, name: str, most_bytes: int) -> str:
        """The text of a UTF-8 file."""
        return read_text(inside(self.root, name), most_bytes)

    def each(self, work: Callable[[T], Iterable[R]], items: Iterable[T]) -> Iterator[R]:
        """The results of `work`, which reads the head of a photo, for each item, in order."""
        for item in items:
            yield from work(item)
