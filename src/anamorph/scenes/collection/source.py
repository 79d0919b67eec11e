"""Photos that `anamorph collect` found for label combinations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Scene, Skip, setting
from anamorph.photos.decoding import (
    Limits,
    inside,
    megabytes_setting,
    megapixels_setting,
    packed_photo,
    read_size,
    scene_pixels,
)
from anamorph.photos.files import existing_folder, is_there, shown
from anamorph.scenes.collection.manifest import MANIFEST_FILE, ManifestLine, read_manifest
from anamorph.scenes.questions.joining import answers_setting, questions_setting, with_questions

_ORIGIN = ("licence", "licence_url", "author", "page", "origin")


@dataclass(frozen=True, slots=True)
class CollectionScenes:
    """The photos of a collection, with the labels and the captions that they were collected for."""

    kind: ClassVar[str] = "collection"
    path: str = setting(help="The folder of the collection, made by `anamorph collect`.")
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    def scan(self) -> Iterator[Scene | Skip]:
        return with_questions(self._scan(), self.questions, self.answers)

    def pixels(self, scene: Scene) -> Pixels:
        return scene_pixels(Path(self.path), scene, self._limits)

    def packed(self, scene: Scene) -> Callable[[], Pixels]:
        return packed_photo(Path(self.path), scene, self._limits)

    @property
    def _limits(self) -> Limits:
        return Limits(self.most_megapixels, self.most_megabytes)

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
        gone = 0
        for image, lines in entries.items():
            try:
                path = inside(root, image)
                if not is_there(path):
                    gone += 1
                    continue
                yield _scene(image, read_size(path, self._limits), lines)
            except BadPicture as problem:
                yield Skip(shown(image), str(problem))
        if gone:
            reason = f"{gone} of its {len(entries)} photos are no longer there; they count as removed by a reviewer."
            yield Skip(shown(root / MANIFEST_FILE), reason)


def _scene(image: str, size: tuple[int, int], lines: Sequence[ManifestLine]) -> Scene:
    # First the caption that named the labels, then the photo's other captions.
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
