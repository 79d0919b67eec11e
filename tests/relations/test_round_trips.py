"""Claims are stored with their cases, so each is plain data that comes back as it was."""

from __future__ import annotations

import json

import pytest

from anamorph import catalog
from anamorph.engine.judging import relation_from_json
from anamorph.model import Relation, encode
from anamorph.relations.keeps_all import KeepsAll
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.only_gains import OnlyGains
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.opposites_differ import OppositesDiffer
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.properties_add_up import PropertiesAddUp
from anamorph.relations.removal_takes_one import RemovalTakesOne
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.stable_labels import StableLabels
from anamorph.relations.unaffected_by_insertion import UnaffectedByInsertion
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval

CLAIMS: list[Relation] = [
    KeepsAll((("dog", 2), ("hot dog", 1))),
    KeepsAll((("dog", 2),), named=(), ground_truth="self"),
    ObjectsAddUp(),
    OnlyGains("dog"),
    OnlyGains("dog", mr2_only_if_mr1_holds=True),
    OnlyLoses(("dog",)),
    OnlyLoses(("dog", "cat"), gone=()),
    OnlyLoses((), gone=("dog",)),
    OppositesDiffer(),
    OrderDoesNotMatter(),
    PiecesAddUp(),
    PiecesAddUp("is-there-no"),
    PropertiesAddUp(),
    RemovalTakesOne(),
    SameAnswer(),
    StableLabels(("cat", "dog")),
    UnaffectedByInsertion("how-many"),
    UnaffectedByRemoval("is-there"),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_a_stored_claim_comes_back_as_it_was(claim: Relation) -> None:
    stored = json.dumps(encode(claim))
    assert relation_from_json(stored) == claim
    assert hash(relation_from_json(stored)) == hash(claim)


def test_no_claim_of_the_catalogue_is_left_out_here() -> None:
    assert {claim.kind for claim in CLAIMS} == set(catalog.CATALOG["relations"])
