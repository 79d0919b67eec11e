"""Answers so far, for methods that plan in rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from anamorph.model.answer import Answer, Reading
from anamorph.model.labels import LabelSpace
from anamorph.model.scene import Scene
from anamorph.model.wanted import ReadingKind

if TYPE_CHECKING:
    from anamorph.model.protocols import Edit


class Told(Protocol):
    """A system's answers about a scene so far, for a method that plans in rounds.

    `partner` is another scene, whose partner is this one; None if none is left. `counted` says whether
    objects of a class are counted, or only looked for; `arguable` are classes with many names.
    """

    @property
    def scene(self) -> Scene: ...

    @property
    def partner(self) -> Scene | None: ...

    @property
    def space(self) -> LabelSpace: ...

    @property
    def arguable(self) -> frozenset[str]: ...

    def counted(self, label: str) -> bool: ...

    def answer(self, edits: tuple[Edit, ...], question: str | None) -> Answer | None:
        """The first answer to a question about an image of the scene; None if there is none yet."""

    def asked(self, edits: tuple[Edit, ...], question: str | None) -> bool:
        """Whether it was planned, answered or not."""

    def read(self, kind: ReadingKind, answer: Answer, question: str | None = None) -> Reading:
        """The reading of an answer by the run's reader of this kind."""
