"""The relations of MetaVQA, in the order of the paper's section 4; each has the paper's name for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from anamorph.model import Relation
from anamorph.relations.four_cells_agree import FourCellsAgree
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


def judged_as(relation: Relation, profile: str) -> Relation | None:
    """A relation of MetaVQA as a profile judges: as published, vague quantifiers agree among themselves (4.1.1)."""
    cls: type[Any] = type(relation)
    if cls not in (*BY_NAME.values(), FourCellsAgree):
        return None
    if "quantifiers" not in {field.name for field in dataclasses.fields(cls)}:
        return relation
    changed: Relation = dataclasses.replace(relation, quantifiers=profile == "paper")  # type: ignore[type-var]
    return changed
