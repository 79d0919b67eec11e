from __future__ import annotations

import pytest

from anamorph.config.settings import ProveSettings
from anamorph.edits.blur import Blur
from anamorph.edits.melt import Melt
from anamorph.edits.repaint import Repaint
from anamorph.engine.prove import by_class
from anamorph.engine.prove.by_class import ClosedProof, Pair
from anamorph.engine.prove.findings import Finding
from anamorph.engine.prove.places import WIDER, change_between, crops_of
from anamorph.model import Box, Conflict, Edit, Scene, Thing
from tests.engine.prove.closed_answers import Said, about

SCENE = Scene("photo", "photo.jpg", 1000, 800, (Thing("1", "dog", Box(450, 300, 60, 50)),))
LOST = Conflict("dog", "omission", "lost", (0, 1))
BLURRED: tuple[Edit, ...] = (Blur(2),)
MELTED: tuple[Edit, ...] = (Melt(("1",)),)
DOGS = about("dog")
(NEAR,) = crops_of(change_between((), MELTED, SCENE), SCENE)
(FAR,) = crops_of(change_between((), MELTED, SCENE), SCENE, WIDER)


def settled(said: Said, follow_up: tuple[Edit, ...] = BLURRED, by: int | None = 0, **known: object) -> Finding:
    pair = Pair((), follow_up, by, known=known.get("known"))  # type: ignore[arg-type]
    return ClosedProof(SCENE, said.hearing(), ProveSettings()).about_pair(pair, DOGS, LOST)


def wholes(before: str, after: str, follow_up: tuple[Edit, ...] = BLURRED) -> Said:
    return Said().say((), DOGS.question, before).say(follow_up, DOGS.question, after)


def again(before: tuple[str, ...], after: tuple[str, ...], follow_up: tuple[Edit, ...] = BLURRED) -> Said:
    return Said().say((), DOGS.question, *before).say(follow_up, DOGS.question, *after)


def test_both_wholes_are_asked_about_first() -> None:
    found = settled(Said())
    assert found.state == "open"
    assert [(order.probe.edits, order.probe.question, order.attempts) for order in found.orders] == [
        ((), "How many dogs are in the image?", 1),
        (BLURRED, "How many dogs are in the image?", 1),
    ]


def test_closed_answers_that_agree_refute() -> None:
    assert settled(wholes("2", "2")).state == "refuted"


def test_a_contradiction_is_asked_again_before_it_is_reported() -> None:
    found = settled(wholes("2", "0"))
    assert found.state == "open" and [order.attempts for order in found.orders] == [2, 2]
    proved = settled(again(("2", "2"), ("0", "0")))
    assert proved.state == "proved"
    assert [(line.part, line.said) for line in proved.proof] == [("the source", "2"), ("the follow-up", "0")]
    assert "2 in the source and 0 in the follow-up" in proved.why


def test_what_is_answered_differently_the_second_time_is_noise() -> None:
    found = settled(again(("2", "2"), ("0", "2")))
    assert (found.state, found.why) == ("lead", by_class.NOISE)


def test_large_numbers_are_estimates() -> None:
    assert (settled(wholes("8", "10")).state, settled(wholes("8", "10")).why) == ("lead", by_class.ESTIMATES)
    assert settled(wholes("8", "14")).state == "open"
    assert settled(wholes("5", "6")).state == "open"


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [("1", "0", "refuted"), ("2", "1", "refuted"), ("2", "2", "open"), ("0", "0", "open")],
)
def test_a_removed_one_is_one_fewer_and_else_the_place_is_looked_at(before: str, after: str, state: str) -> None:
    found = settled(wholes(before, after, MELTED), MELTED, -1)
    assert found.state == state
    if state == "open":
        assert [order.probe.edits for order in found.orders] == [(NEAR,), (*MELTED, NEAR)]


def test_an_edit_that_the_system_does_not_see_is_unfair() -> None:
    said = wholes("0", "0", MELTED).say((NEAR,), DOGS.question, "0").say((*MELTED, NEAR), DOGS.question, "0")
    found = settled(said, MELTED, -1)
    assert found.state == "unfair" and "sees 0 before and 0 after, where -1 was meant" in found.why


def test_what_it_sees_go_at_the_place_must_go_from_the_whole() -> None:
    said = wholes("2", "2", MELTED).say((NEAR,), DOGS.question, "1").say((*MELTED, NEAR), DOGS.question, "0")
    found = settled(said, MELTED, -1)
    # Asked again, and with more around it.
    assert [(order.probe.edits, order.attempts) for order in found.orders] == [
        ((), 2),
        (MELTED, 2),
        ((FAR,), 1),
        ((*MELTED, FAR), 1),
    ]
    said.say((), DOGS.question, "2", "2").say(MELTED, DOGS.question, "2", "2")
    said.say((FAR,), DOGS.question, "1").say((*MELTED, FAR), DOGS.question, "0")
    proved = settled(said, MELTED, -1)
    assert proved.state == "proved"
    assert {line.part for line in proved.proof} == {
        "the source",
        "the follow-up",
        "the place of the edit before",
        "the place of the edit after",
    }


def test_what_rests_on_one_crop_alone_is_a_lead() -> None:
    said = again(("2", "2"), ("2", "2"), MELTED)
    said.say((NEAR,), DOGS.question, "1").say((*MELTED, NEAR), DOGS.question, "0")
    said.say((FAR,), DOGS.question, "2").say((*MELTED, FAR), DOGS.question, "2")
    assert settled(said, MELTED, -1).why == by_class.ANOTHER_CROP


def test_what_it_sees_at_the_place_and_denies_of_the_whole_is_proved_whatever_the_edit_did() -> None:
    said = again(("0", "0"), ("0", "0"), MELTED)
    for crop in (NEAR, FAR):
        said.say((crop,), DOGS.question, "1").say((*MELTED, crop), DOGS.question, "1")
    found = settled(said, MELTED, -1)
    assert found.state == "proved" and len(found.proof) == 2


def test_an_answer_of_another_form_is_asked_for_more_sternly_and_then_left() -> None:
    stern = f"{DOGS.question} Answer with one number only."
    found = settled(wholes("2", "I see a lovely beach."))
    assert [order.probe.question for order in found.orders] == [stern]
    said = wholes("2", "I see a lovely beach.")
    assert settled(said.say(BLURRED, stern, "2")).state == "refuted"
    assert settled(said.say(BLURRED, stern, "Hard to say!")).state == "undecided"


def test_a_picture_that_is_made_anew_proves_nothing() -> None:
    painted: tuple[Edit, ...] = (Repaint(()),)
    assert settled(wholes("2", "0", painted), painted).why == by_class.MADE_ANEW


def test_what_is_declared_exhaustive_is_a_statement_like_another() -> None:
    found = settled(again(("2", "2"), ("2", "2")), known=(1, 1))
    assert found.state == "proved" and "declared exhaustive" in found.why
    assert settled(again(("2", "2"), ("2", "2"))).state == "refuted"


def test_a_source_alone_is_only_held_against_exhaustive_annotations() -> None:
    proof = ClosedProof(SCENE, Said().say((), DOGS.question, "1", "1").hearing(), ProveSettings())
    assert proof.about_source(Pair((), (), 0), DOGS).why == by_class.ONLY_ANNOTATED
    assert proof.about_source(Pair((), (), 0, known=(0, 0)), DOGS).state == "proved"
    assert proof.about_source(Pair((), (), 0, known=(1, 1)), DOGS).state == "refuted"


def test_things_in_heaps_are_asked_for_existence() -> None:
    assert about("banana").question == "Is there a banana in the image?"
    assert about("banana").form.kind == "yes-no"
