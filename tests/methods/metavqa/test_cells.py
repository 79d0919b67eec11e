"""Questions in four cells: as they are, of a changed image, reworded, and both."""

from __future__ import annotations

import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.methods.metavqa.cells import FourCells, cell_tables
from anamorph.methods.metavqa.method import MetaVqa
from anamorph.model import Box, Case, Question, Scene, Table, Tally, Thing
from anamorph.relations.four_cells_agree import FourCellsAgree
from tests.methods.asking import planned

SCENE = Scene(
    "s",
    "s.jpg",
    100,
    100,
    (Thing("1", "cat", Box(0, 0, 40, 40)), Thing("2", "dog", Box(60, 0, 40, 40))),
    questions=(Question("How many cats are there?"), Question("What color is the cat?")),
)


def cells(**settings: object) -> list[Case]:
    method = MetaVqa(cells=FourCells(ask=True, **settings))  # type: ignore[arg-type]
    return [each for each in planned(method, [SCENE]) if isinstance(each.relation, FourCellsAgree)]


def test_every_question_is_asked_in_four_cells() -> None:
    for case in cells():
        image, question, both = case.follow_ups
        assert (image.edits, question.edits, both.edits) == ((Brightness(),), (), (Brightness(),))
        assert image.question == case.source.question != question.question == both.question


def test_questions_are_reworded_by_templates() -> None:
    reworded = {case.source.question: case.follow_ups[1].question for case in cells()}
    pairs = {asked: other for asked, other in reworded.items() if " and " in (asked or "")}
    assert pairs and all((other or "").startswith("How many ") for other in pairs.values())
    assert all("can you see in this picture" in (other or "") for other in pairs.values())
    assert reworded["How many cats are there?"] == "Look at the picture. How many cats are there?"
    assert "What color is the cat?" not in reworded


def test_nothing_is_asked_in_cells_unless_wanted() -> None:
    assert not any(isinstance(each.relation, FourCellsAgree) for each in planned(MetaVqa(), [SCENE]))


def test_the_change_of_the_image_is_a_setting() -> None:
    assert {case.follow_ups[0].edits for case in cells(change="blur")} == {(Blur(),)}


def test_a_template_must_have_its_slot() -> None:
    with pytest.raises(ValueError, match="posed must have"):
        FourCells(posed="Look at the picture.")


def test_the_tables_say_how_many_each_cell_breaks_and_which_axis_does() -> None:
    parts, axes = {"image": 3, "both": 4}, {"image-breaks": 3, "together-break": 1}
    tally = Tally("metavqa", "four-cells-agree", {}, 6, 4, 1, parts, axes)
    first, second = (each for each in cell_tables([tally]) if isinstance(each, Table))
    assert first.rows == (
        ("image changed", 10, 3, "30.0%"),
        ("question reworded", 10, 0, "0.0%"),
        ("both", 10, 4, "40.0%"),
    )
    assert [row[1:] for row in second.rows] == [(3, "75.0%"), (0, "0.0%"), (0, "0.0%"), (1, "25.0%"), (0, "0.0%")]
    assert cell_tables([]) == ()
