from __future__ import annotations

from collections.abc import Sequence

import pytest

from anamorph.config.settings import ProveSettings, QuestionSettings
from anamorph.edits.blur import Blur
from anamorph.edits.crop import Crop
from anamorph.edits.melt import Melt
from anamorph.engine.prove import by_answer, by_class
from anamorph.engine.prove.by_answer import AskedCase, settled_by_answers
from anamorph.engine.prove.by_class import ClosedProof
from anamorph.engine.prove.findings import Finding
from anamorph.engine.prove.places import change_between, crops_of, with_more
from anamorph.model import Answer, Box, Edit, Relation, Scene, Thing
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.opposites_differ import OppositesDiffer
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval
from tests.engine.prove.closed_answers import Said

SCENE = Scene("photo", "photo.jpg", 1000, 800, (Thing("1", "dog", Box(450, 300, 60, 50)),))
DOGS = "How many dogs are in the image?"
LEFT, RIGHT = Crop(Box(0, 0, 500, 800)), Crop(Box(500, 0, 500, 800))


def settled(
    relation: Relation,
    asked: Sequence[tuple[tuple[Edit, ...], str]],
    said: Said,
    first: Sequence[str] = (),
) -> Finding:
    answers: list[Answer | None] = [Answer(text=text) for text in first] or [None] * len(asked)
    case = AskedCase(relation, [edits for edits, _ in asked], [question for _, question in asked], answers)
    return settled_by_answers(ClosedProof(SCENE, said.hearing(), ProveSettings()), case, QuestionSettings())


def test_sums_that_do_not_add_up_are_asked_again_and_proved() -> None:
    both, dogs, cats = "How many dogs and cats are in the image?", DOGS, "How many cats are in the image?"
    asked: list[tuple[tuple[Edit, ...], str]] = [((), both), ((), dogs), ((), cats)]
    once = Said().say((), both, "5").say((), dogs, "1").say((), cats, "2")
    found = settled(ObjectsAddUp(), asked, once)
    assert found.state == "open" and {order.attempts for order in found.orders} == {2}
    twice = Said().say((), both, "5", "5").say((), dogs, "1", "1").say((), cats, "2", "2")
    assert settled(ObjectsAddUp(), asked, twice).state == "proved"
    unsure = Said().say((), both, "5", "3").say((), dogs, "1", "1").say((), cats, "2", "2")
    assert settled(ObjectsAddUp(), asked, unsure).why == by_class.NOISE


def test_answers_that_agree_as_closed_ones_refute() -> None:
    yes, no = "Is there any dog in the image?", "Is there no dog in the image?"
    said = Said().say((), yes, "Yes").say((), no, "No.")
    assert settled(OppositesDiffer(), [((), yes), ((), no)], said).state == "refuted"


def test_an_answer_to_a_changed_image_counts_if_the_system_saw_the_edit_do_nothing_else() -> None:
    melted: tuple[Edit, ...] = (Melt(("1",)),)
    question = "How many cats are in the image?"
    asked: list[tuple[tuple[Edit, ...], str]] = [((), question), (melted, question)]
    said = Said().say((), question, "2", "2").say(melted, question, "1", "1")
    relation = UnaffectedByRemoval("how-many")
    found = settled(relation, asked, said)
    (crop,) = crops_of(change_between((), melted, SCENE), SCENE)
    assert [order.probe.edits for order in found.orders] == [(crop,), (*melted, crop)]
    # One of them stood where the dog was, and went with it.
    said.say((crop,), question, "1").say((*melted, crop), question, "0")
    assert settled(relation, asked, said).state == "unfair"


def test_a_piece_that_shows_what_the_whole_is_said_to_lack_is_proved_once_it_was_seen_with_more_around_it() -> None:
    question = "Is there any dog in the image?"
    asked: list[tuple[tuple[Edit, ...], str]] = [((), question), ((LEFT,), question), ((RIGHT,), question)]
    said = Said().say((), question, "no", "no").say((LEFT,), question, "no", "no").say((RIGHT,), question, "yes", "yes")
    wider = [with_more(piece, SCENE) for piece in (LEFT, RIGHT)]
    assert [order.probe.edits for order in settled(PiecesAddUp(), asked, said).orders] == [(each,) for each in wider]
    said.say((wider[0],), question, "no").say((wider[1],), question, "yes")
    assert settled(PiecesAddUp(), asked, said).state == "proved"


@pytest.mark.parametrize(("left", "right"), [("1", "2"), ("0", "0")])
def test_a_thing_that_the_cut_goes_through_proves_nothing(left: str, right: str) -> None:
    asked: list[tuple[tuple[Edit, ...], str]] = [((), DOGS), ((LEFT,), DOGS), ((RIGHT,), DOGS)]
    said = Said().say((), DOGS, "2", "2").say((LEFT,), DOGS, left, left).say((RIGHT,), DOGS, right, right)
    for piece in (LEFT, RIGHT):
        said.say((with_more(piece, SCENE),), DOGS, "2")
    assert settled(PiecesAddUp(), asked, said).why == by_answer.CUT_IN_TWO


def test_an_open_question_with_two_short_answers_is_asked_as_a_choice() -> None:
    question = "What color is the cat?"
    asked: list[tuple[tuple[Edit, ...], str]] = [((), question), ((Blur(2),), question)]
    found = settled(SameAnswer(), asked, Said(), ("Black.", "white"))
    (choice,) = {order.probe.question for order in found.orders}
    assert choice == "What color is the cat? Answer with one of: black, white."
    same = Said().say((), choice, "black").say((Blur(2),), choice, "Black.")
    assert settled(SameAnswer(), asked, same, ("Black.", "white")).state == "refuted"
    other = Said().say((), choice, "black", "black").say((Blur(2),), choice, "white", "white")
    assert settled(SameAnswer(), asked, other, ("Black.", "white")).state == "proved"
    long = ("It looks like a rather dark shade of gray to me, I think, perhaps.", "white")
    assert settled(SameAnswer(), asked, Said(), long).why == by_answer.OPEN_QUESTION


def test_large_numbers_are_estimates() -> None:
    asked: list[tuple[tuple[Edit, ...], str]] = [((), DOGS), ((Blur(2),), DOGS)]
    said = Said().say((), DOGS, "20").say((Blur(2),), DOGS, "22")
    assert settled(UnaffectedByRemoval("how-many"), asked, said).why == by_class.ESTIMATES
