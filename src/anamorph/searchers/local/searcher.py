"""Captioned photos on this machine, searched by caption."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Find, Query, Scene, Skip, canonical_json, digest_of_text, setting
from anamorph.photos.decoding import inside
from anamorph.photos.files import existing_folder
from anamorph.photos.walks import files_under
from anamorph.reading.morphology import plural_of
from anamorph.scenes.coco.source import CocoScenes
from anamorph.scenes.folder import FolderScenes
from anamorph.searchers.local.caption_index import CaptionIndex


@dataclass(frozen=True, slots=True)
class LocalSearcher:
    """Photos on this machine with captions: a COCO captions file, or a folder with NAME.txt beside NAME.jpg."""

    kind: ClassVar[str] = "local"
    collection: str = setting(help="A COCO captions file (.json), or a folder of photos with text files beside them.")
    images: str | None = setting(None, "The folder with the photos of a COCO captions file.")
    index: str | None = setting(None, "A file for the index of captions; by default it is rebuilt in memory.")
    skipped: list[Skip] = field(init=False, repr=False, compare=False)
    _opened: list[CaptionIndex] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._is_file != (self.images is not None):
            raise ValueError("a COCO captions file (.json) needs images, the folder with its photos; a folder does not")
        object.__setattr__(self, "skipped", [])
        object.__setattr__(self, "_opened", [])

    def search(self, query: Query, most: int) -> Iterator[Find]:
        # The index's stemmer knows regular plurals, but not men and mice.
        wanted = [tuple(dict.fromkeys((word, plural_of(word)))) for word in query.words]
        for picture, find in self._opened_index().photos(wanted, most):
            try:
                yield replace(find, path=str(inside(self._root, picture)))
            except BadPicture as problem:
                # An index file is untrusted; paths that lead outside are not followed.
                self.skipped.append(Skip(picture, str(problem)))

    def close(self) -> None:
        while self._opened:
            self._opened.pop().close()

    @property
    def _is_file(self) -> bool:
        return self.collection.lower().endswith(".json")

    @property
    def _root(self) -> Path:
        return Path(self.images if self.images is not None else self.collection)

    def _opened_index(self) -> CaptionIndex:
        if not self._opened:
            path = Path(self.index) if self.index is not None else None
            self._opened.append(CaptionIndex.open(path, self._source(), self._scenes()))
        return self._opened[0]

    def _scenes(self) -> Iterator[Scene]:
        """The scenes to index; scanned only if the index must be built."""
        source = CocoScenes(self.collection, self.images) if self.images is not None else FolderScenes(self.collection)
        found = False
        for scene in source.scan():
            if isinstance(scene, Skip):
                self.skipped.append(scene)
            elif scene.captions:
                found = True
                yield scene
        if not found:
            raise UsageError(f"{self.collection}: no photo with a caption was found there, so nothing can be searched.")

    def _source(self) -> str:
        """The inputs of the index: the files, by name, size and time of change."""
        root = existing_folder(str(self._root), "photos")
        if self._is_file:
            names, base = [Path(self.collection).name], Path(self.collection).parent
        else:
            names, base = files_under(root, {".txt", ".jpg", ".jpeg", ".png", ".webp"}, True)[0], root
        try:
            states = [[name, (base / name).stat().st_size, (base / name).stat().st_mtime_ns] for name in names]
        except OSError as problem:
            raise UsageError(f"{self.collection}: cannot be read ({problem.strerror or problem}).") from problem
        return digest_of_text(canonical_json([str(root.resolve()), str(base.resolve()), states]))
