"""SPOLRE's profiles: "a dog" is no number in the paper, and one in the released code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anamorph.methods.spolre.method import Spolre
from anamorph.methods.spolre.released import ReleasedKeepsAll, judged_as
from anamorph.model import Reading
from anamorph.relations.keeps_all import KeepsAll
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.verdicts.ledger import KnownClass
from tests.english import caption_reader
from tests.methods.scenery import planned, scene, thing
from tests.relations.readings import UNREADABLE

DOGS = (("dog", 2), ("couch", 1))
OWN = KeepsAll(
    DOGS, ledger=True, known=(KnownClass("dog", 2, 2, plural=True), KnownClass("couch", 1, 1)), complete="coco"
)
READER = caption_reader()


def read(*texts: str) -> list[Reading]:
    return [READER.read_text(text) for text in texts]


@pytest.mark.parametrize(
    ("said", "violated"),
    [
        ("two dogs on a couch", ()),
        ("a dog on a couch", ("quantity",)),
        ("a dog and another dog on a couch", ()),
        ("dogs on a couch", ()),
        ("three dogs on a couch", ("quantity",)),
        ("a dog", ("inclusion", "quantity")),
        ("a dog on couches", ("quantity",)),
    ],
)
def test_a_bare_singular_says_one(said: str, violated: tuple[str, ...]) -> None:
    verdict = ReleasedKeepsAll(DOGS).judge(read(said))
    assert verdict.violated == violated and verdict.grade is None and not verdict.conflicts


def test_guarded_a_bare_singular_says_one_only_of_some_classes() -> None:
    couches = (("dog", 2), ("couch", 2))
    assert ReleasedKeepsAll(couches, ones=("dog",)).judge(read("two dogs on a couch")).outcome == "holds"
    assert ReleasedKeepsAll(couches, ones=("dog",)).judge(read("a dog on a couch")).violated == ("quantity",)
    assert ReleasedKeepsAll(couches).judge(read("two dogs on a couch")).violated == ("quantity",)


def test_a_number_that_is_not_certain_is_not_held_against_a_caption() -> None:
    assert ReleasedKeepsAll(DOGS, uncounted=("dog",)).judge(read("a dog on a couch")).outcome == "holds"


def test_what_cannot_be_read_is_undecided() -> None:
    assert ReleasedKeepsAll(DOGS).judge([UNREADABLE]).outcome == "undecided"


def test_the_own_claim_is_judged_as_every_profile() -> None:
    assert judged_as(OWN, "anamorph") is OWN
    assert judged_as(OWN, "paper") == KeepsAll(DOGS)
    assert judged_as(OWN, "released") == ReleasedKeepsAll(DOGS)
    assert judged_as(OWN, "released-guarded") == ReleasedKeepsAll(DOGS, ones=("dog",))


def test_a_claim_that_does_not_hold_what_a_profile_needs_is_not_judged_as_it() -> None:
    paper, released = KeepsAll(DOGS), ReleasedKeepsAll(DOGS)
    guarded = replace(released, ones=("dog",))
    assert judged_as(paper, "paper") == paper and judged_as(paper, "released") == released
    assert judged_as(paper, "released-guarded") is None
    assert judged_as(released, "released") is released and judged_as(guarded, "released-guarded") is guarded
    assert judged_as(released, "released-guarded") is judged_as(guarded, "released") is None
    assert judged_as(released, "paper") is judged_as(SameAnswer(), "paper") is None


def test_the_plan_has_the_claims_of_the_profile() -> None:
    """Two of three references name several dogs, but one of them names a dog; of cups, all name several."""
    photo = scene(
        thing("cup", "cup", 20, 30, 30, 30),
        thing("cup 2", "cup", 60, 30, 30, 30),
        thing("dog", "dog", 100, 60, 40, 30),
        thing("other", "dog", 190, 120, 40, 40),
        captions=("Two cups and a dog.", "Two dogs beside cups.", "Some dogs and some cups."),
    )
    for profile, ones in (("released", None), ("released-guarded", ("cup",))):
        cases = planned(Spolre(layouts_per_scene=2, profile=profile), [photo])  # type: ignore[arg-type]
        (relation,) = {case.relation for case in cases}
        assert isinstance(relation, ReleasedKeepsAll) and relation.ones == ones
        assert relation.objects == (("cup", 2), ("dog", 2)) and relation.named == ("cup", "dog")
