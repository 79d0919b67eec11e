"""Photos that `anamorph research collect` found for label combinations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Scene, Skip, setting
from anamorph.photos.decoding import megabytes_setting, megapixels_setting
from anamorph.photos.files import existing_folder, shown
from anamorph.scenes.collection.manifest import MANIFEST_FILE, ManifestLine, read_manifest
from anamorph.scenes.photo_folders.opening import PhotoFolder, existing_photo_folder
from anamorph.scenes.photo_folders.source import FolderSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

_ORIGIN = ("licence", "licence_url", "author", "page", "origin")


@dataclass(frozen=True, slots=True)
class CollectionScenes(FolderSource):
    """The photos of a collection, with the labels and captions they were collected for."""

    kind: ClassVar[str] = "collection"
    path: str = setting(help="The folder of the collection, made by `anamorph research collect`.")
    images: str | None = setting(None, "A copy of the folder with the photos, or its address.")
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    @property
    def _photos(self) -> str:
        return self.path if self.images is None else self.images

    def _scan(self) -> Iterator[Scene | Skip]:
        root = existing_folder(self.path, "the collection")
        if not (root / MANIFEST_FILE).is_file():
            raise UsageError(f"{shown(self.path)}: not a collection (it has no {MANIFEST_FILE}).")
        entries: dict[str, list[ManifestLine]] = {}
        for entry in read_manifest(root):
            if isinstance(entry, Skip):
                yield entry
            else:
                entries.setdefault(entry.image, []).append(entry)
        folder = existing_photo_folder(self._photos, "the collection's photos")
        gone = 0
        for found in folder.each(lambda each: [self._scan_photo(folder, *each)], entries.items()):
            if found is None:
                gone += 1
            else:
                yield found
        if gone:
            reason = f"{gone} of its {len(entries)} photos are gone; they count as removed by a reviewer."
            yield Skip(shown(root / MANIFEST_FILE), reason)

    def _scan_photo(self, folder: PhotoFolder, image: str, lines: Sequence[ManifestLine]) -> Scene | Skip | None:
        """The scene of a photo; None if it is gone."""
        try:
            return _scene(image, folder.size(image, self._limits), lines) if folder.has(image) else None
        except BadPicture as problem:
            return Skip(shown(image), str(problem))


def _scene(image: str, size: tuple[int, int], lines: Sequence[ManifestLine]) -> Scene:
    # First the caption with the labels, then the photo's other captions.
    captions = dict.fromkeys([line.caption for line in lines] + [text for line in lines for text in line.captions])
    combinations = sorted({line.labels for line in lines}, key=lambda labels: (len(labels), labels))
    origin = {name: value for name in _ORIGIN if (value := str(getattr(lines[0], name)))}
    return Scene(
        Path(image).stem,
        image,
        *size,
        captions=tuple(caption for caption in captions if caption),
        labels=tuple(sorted({label for labels in combinations for label in labels})),
        origin=origin,
        collected_for=tuple(combinations),
    )
