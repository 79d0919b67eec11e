"""The relations of MetaVQA, in the order of the paper's section 4; each has the paper's name for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.opposites_differ import OppositesDiffer
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.properties_add_up import PropertiesAddUp
from anamorph.relations.removal_takes_one import RemovalTakesOne
from anamorph.relations.unaffected_by_insertion import UnaffectedByInsertion
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval

BY_NAME: Mapping[str, type[Any]] = {
    relation.name: relation
    for relation in (
        ObjectsAddUp,
        PropertiesAddUp,
        OrderDoesNotMatter,
        OppositesDiffer,
        PiecesAddUp,
        UnaffectedByInsertion,
        UnaffectedByRemoval,
        RemovalTakesOne,
    )
}
