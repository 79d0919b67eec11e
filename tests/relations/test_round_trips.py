"""What all relations share: they are plain data that comes back as it was, and judge nothing that cannot be read."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings, strategies as st

from anamorph import catalog
from anamorph.engine.judge import relation_from_json
from anamorph.model import LabelSet, Reading, encode
from anamorph.model.protocols import RelationOptions
from tests.english import wording_reader
from tests.relations.readings import UNREADABLE, number, read


@pytest.mark.parametrize("kind", catalog.CATALOG["relations"])
@given(st.data())
def test_a_stored_relation_comes_back_as_it_was(kind: str, data: st.DataObject) -> None:
    relation = data.draw(_relations(kind))
    stored = json.dumps(encode(relation))
    assert relation_from_json(stored) == relation
    assert hash(relation_from_json(stored)) == hash(relation)


READABLE: dict[str, Reading] = {
    "caption": read("a dog"),
    "answer": number(1),
    "closed": number(1),
    "labels": LabelSet(frozenset({"dog"})),
    "wording": wording_reader().read_text("a dog"),
}


@pytest.mark.parametrize("kind", catalog.CATALOG["relations"])
@settings(max_examples=5)
@given(st.data())
def test_an_answer_that_cannot_be_read_leaves_a_case_undecided(kind: str, data: st.DataObject) -> None:
    relation = data.draw(_relations(kind))
    count = max(2, RelationOptions.least_answers.of(relation))
    for place in range(count):
        readings = [READABLE[relation.reads]] * count
        readings[place] = UNREADABLE
        assert relation.judge(readings).outcome == "undecided"


def _relations(kind: str) -> st.SearchStrategy[Any]:
    cls = catalog.find("relations", kind)
    hints = get_type_hints(cls)
    values = {field.name: _values(hints[field.name], field) for field in dataclasses.fields(cls) if field.init}
    return st.builds(cls, **values)


def _values(hint: Any, field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Values that a setting may have, within its range."""
    least, most = field.metadata.get("least"), field.metadata.get("most")
    if hint is int:
        return st.integers(least, most)
    if hint is float:
        return st.floats(least, most, allow_nan=False, allow_infinity=False)
    return st.from_type(hint)
