"""The suspicions of an issue or a lead: what became of each, and the closed answers that settled it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from anamorph.model import SUSPICION_STATES, Conflict, ConflictKind, Grade, SuspicionState, Verdict
from anamorph.report.cause_words import deed
from anamorph.store.proofs import EXISTENCE, proofs_of
from anamorph.store.run import RunStore

if TYPE_CHECKING:
    from PIL.Image import Image

STATE_WORDS: Mapping[SuspicionState, str] = {
    "proved": "proved",
    "refuted": "refuted",
    "unfair": "unfair edit",
    "lead": "lead",
    "undecided": "undecided",
    "open": "not proved",
}
# Of a case that raised no suspicion: it was judged as published, or by a relation of the user's own.
AS_JUDGED = "as judged"


class TakesPictures(Protocol):
    """Takes the pictures that a report shows, each by its name in the run, and gives its address in the report."""

    def take(self, name: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class ProofAnswer:
    """An image of a proof: which one it is ("the source"), the closed question about it, and what was answered.

    `said` is what all `answers` together mean; a `witness` gave them, or the system itself. `address` is the picture's
    within the report.
    """

    part: str
    said: str
    question: str
    answers: tuple[str, ...]
    witness: bool = False
    address: str | None = None
    file: Path | None = None

    @property
    def image(self) -> Image | None:
        """The picture that was asked about, opened by Pillow; None if the run does not have it."""
        return None if self.file is None else open_picture(self.file)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Answers about one class that seem to contradict each other, what became of that and why, with its proof."""

    conflict: Conflict
    proof: tuple[ProofAnswer, ...] = ()

    @property
    def label(self) -> str:
        return self.conflict.label

    @property
    def what(self) -> ConflictKind:
        return self.conflict.what

    @property
    def grade(self) -> Grade:
        return self.conflict.grade

    @property
    def state(self) -> SuspicionState:
        return self.conflict.state

    @property
    def why(self) -> str:
        """One sentence: why it is proved, or why it is not."""
        return self.conflict.why

    @property
    def words(self) -> str:
        """The suspected error: "loses 'person'"."""
        return deed(self.what, self.label)


def read_suspicions(
    store: RunStore, case: int, verdict: Verdict, images: TakesPictures | None
) -> tuple[Suspicion, ...]:
    """The suspicions of a case with their proofs, the weightiest first, and whether there is any before how many there
    are; pictures are taken on the way.
    """
    if not verdict.conflicts:
        return ()
    found = [
        Suspicion(
            proof.conflict,
            tuple(
                ProofAnswer(
                    line.part,
                    line.said,
                    line.question,
                    line.answers,
                    line.witness,
                    images.take(line.file) if images is not None and line.file else None,
                    store.images.find(line.file) if line.file else None,
                )
                for line in proof.lines
            ),
        )
        for proof in proofs_of(store, case, verdict.conflicts)
    ]
    return tuple(sorted(found, key=lambda each: (SUSPICION_STATES.index(each.state), each.what not in EXISTENCE)))


def told_conflicts(verdict: Verdict) -> tuple[Conflict, ...]:
    """The conflicts that make a verdict what it is: of what was proved and what was not, the former."""
    return tuple(each for each in verdict.conflicts if each.state == verdict.state)


def why_of(verdict: Verdict) -> str:
    """Why the weightiest suspicion of a verdict is what it is; empty if it raised none."""
    return next((each.why for each in told_conflicts(verdict)), "")


def suspected(verdict: Verdict) -> str:
    """The reason for a verdict without what proving added to it, which stands beside it."""
    why = why_of(verdict)
    return verdict.reason.removesuffix(why).rstrip() if why and verdict.reason != why else verdict.reason


def open_picture(file: Path) -> Image | None:
    """A picture, opened by Pillow; None if it is not there."""
    if not file.is_file():
        return None
    from PIL import Image

    with Image.open(file, formats=("JPEG", "PNG")) as opened:
        opened.load()
        return opened
