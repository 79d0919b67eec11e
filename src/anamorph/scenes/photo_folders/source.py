"""What sources of photos share: questions about them, limits, and the folder that the photos are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anamorph.model import Pixels, Scene, Skip
from anamorph.photos.decoding import Limits
from anamorph.scenes.photo_folders.opening import check_place, photo_folder
from anamorph.scenes.questions.joining import with_questions


class PhotoSource:
    """A source whose settings name files of questions and answers, and limits of its photos."""

    __slots__ = ()
    questions: str | None
    answers: str | None
    most_megapixels: int
    most_megabytes: int

    def scan(self) -> Iterator[Scene | Skip]:
        return with_questions(self._scan(), self.questions, self.answers)

    @property
    def _limits(self) -> Limits:
        return Limits(self.most_megapixels, self.most_megabytes)

    def _scan(self) -> Iterator[Scene | Skip]:
        raise NotImplementedError


class FolderSource(PhotoSource):
    """A source whose photos are in one folder, or at one address."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check_place(self._photos)

    def pixels(self, scene: Scene) -> Pixels:
        return photo_folder(self._photos).pixels(scene, self._limits)

    def packed(self, scene: Scene) -> Callable[[], Pixels]:
        return photo_folder(self._photos).packed(scene, self._limits)

    @property
    def _photos(self) -> str:
        raise NotImplementedError
