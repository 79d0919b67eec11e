"""Photos from a folder, with captions from text files beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Scene, Skip, setting
from anamorph.photos.decoding import PHOTO_SUFFIXES, megabytes_setting, megapixels_setting
from anamorph.photos.files import shown
from anamorph.scenes.photo_folders.opening import PhotoFolder, existing_photo_folder, index_setting, photo_names
from anamorph.scenes.photo_folders.source import FolderSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

_MOST_CAPTION_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class FolderScenes(FolderSource):
    """Every photo in a folder; NAME.txt beside NAME.jpg holds its captions, one per line."""

    kind: ClassVar[str] = "folder"
    path: str = setting(help="The folder with the photos, or its address.")
    recursive: bool = setting(True, "Whether to search subfolders.")
    index: str | None = index_setting()
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    @property
    def _photos(self) -> str:
        return self.path

    def _scan(self) -> Iterator[Scene | Skip]:
        folder = existing_photo_folder(self.path, "photos")
        found, skips = photo_names(folder, self.index, {*PHOTO_SUFFIXES, ".txt"}, self.recursive)
        texts = {f"{name[:-4]}.txt": name for name in found if name.lower().endswith(".txt")}
        photos = [name for name in found if PurePosixPath(name).suffix.lower() in PHOTO_SUFFIXES]
        if not photos:
            suffixes = ", ".join(sorted(suffix[1:] for suffix in PHOTO_SUFFIXES))
            where = "" if self.recursive else " itself (recursive is false)"
            left_out = "".join(f" Left out: {skip.what}: {skip.reason}" for skip in skips[:1])
            raise UsageError(f"The folder {shown(self.path)}{where} has no photo; photos end in {suffixes}.{left_out}")
        yield from skips
        yield from folder.each(lambda name: self._scan_photo(folder, name, texts), photos)

    def _scan_photo(self, folder: PhotoFolder, name: str, texts: Mapping[str, str]) -> Iterator[Scene | Skip]:
        try:
            width, height = folder.size(name, self._limits)
        except BadPicture as problem:
            yield Skip(shown(name), str(problem))
            return
        captions: tuple[str, ...] = ()
        beside = texts.get(str(PurePosixPath(name).with_suffix(".txt")))
        if beside is not None:
            try:
                lines = folder.text(beside, _MOST_CAPTION_BYTES).splitlines()
                captions = tuple(line.strip() for line in lines if line.strip())
            except BadPicture as problem:
                yield Skip(shown(beside), f"{shown(name)} has no captions from it: {problem}")
        yield Scene(name, name, width, height, captions=captions)
