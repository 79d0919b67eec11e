"""Four cells of a question: as it is, with the image slightly changed, with the question reworded, and with both.

Source: MetaRA (arXiv 2605.19307) compares the clean cell with the last one; the two between tell which axis breaks the
answer. Rewordings are templates, and no language model makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.methods.metavqa.questions import Phrasing, Target, Templates, checked_template
from anamorph.model import Asks, Edit, Probe, Scene, Summary, Table, Tally, setting
from anamorph.relations.four_cells_agree import AXES, CELLS, OPEN_AXIS, FourCellsAgree
from anamorph.statistics.tables import share

_IN_WORDS = {
    AXES[True, False]: "the image alone",
    AXES[False, True]: "the question's wording alone",
    AXES[True, True]: "each by itself",
    AXES[False, False]: "only both together",
    OPEN_AXIS: "cannot be told: a cell was not decided",
}


@dataclass(frozen=True, slots=True)
class FourCells:
    """What is asked besides each question, to tell whether the image or the wording breaks its answer."""

    ask: bool = setting(
        False, "Ask each question also of the slightly changed image, reworded, and both: three more calls a question."
    )
    change: Literal["brightness", "contrast", "blur"] = setting("brightness", "How the image is slightly changed.")
    reworded: Templates = setting(
        Templates(
            "How many {things} can you see in this picture?",
            "How many {first} and {second} can you see in this picture?",
            "{Is} there any {thing} anywhere in this picture?",
            "{Is} there no {thing} anywhere in this picture?",
        ),
        "How the method's own questions are reworded.",
    )
    posed: str = setting("Look at the picture. {question}", "How a question of a data set is reworded: {question}.")

    def __post_init__(self) -> None:
        checked_template("posed", self.posed, ("question",))

    @property
    def edit(self) -> Edit:
        """The change of the image; it takes nothing away that a question could ask for."""
        edits: dict[str, Edit] = {"brightness": Brightness(), "contrast": Contrast(), "blur": Blur()}
        return edits[self.change]

    def reworded_own(self, asks: Asks, targets: Sequence[Target], phrasing: Phrasing) -> str:
        """A question of the method in other words."""
        words = phrasing.with_templates(self.reworded)
        if asks == "how-many":
            return words.count_both(*targets) if len(targets) == 2 else words.count(targets[0])
        return words.none(targets[0]) if asks == "is-there-no" else words.any(targets[0])

    def follow_ups(self, scene: Scene, question: str, reworded: str) -> tuple[Probe, Probe, Probe]:
        """The cells after the clean one."""
        changed = (self.edit,)
        return (
            Probe(scene.id, changed, question),
            Probe(scene.id, question=reworded),
            Probe(scene.id, changed, reworded),
        )


def cell_tables(tallies: Iterable[Tally]) -> Summary:
    """How many answers each cell breaks, and which axis does; nothing if the cells were not asked for."""
    asked = [tally for tally in tallies if tally.relation == FourCellsAgree.kind]
    if not asked:
        return ()
    decided, violated = sum(tally.decided for tally in asked), sum(tally.violated for tally in asked)
    return (
        Table("Four cells", ("cell", "questions", "other answer", "share"), tuple(_cells(asked, decided))),
        Table("Which axis breaks the answer", ("axis", "questions", "of the broken"), tuple(_axes(asked, violated))),
    )


def _cells(asked: Sequence[Tally], decided: int) -> Iterator[tuple[str, int, int, str]]:
    for cell, name in zip(CELLS, ("image changed", "question reworded", "both"), strict=True):
        broken = sum(tally.parts.get(cell, 0) for tally in asked)
        yield name, decided, broken, share(broken, decided)


def _axes(asked: Sequence[Tally], violated: int) -> Iterator[tuple[str, int, str]]:
    for axis, words in _IN_WORDS.items():
        found = sum(tally.categories.get(axis, 0) for tally in asked)
        yield words, found, share(found, violated)
