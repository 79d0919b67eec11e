"""Relations are stored with their cases, so each is plain data that comes back as it was."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph import catalog
from anamorph.engine.judge import relation_from_json
from anamorph.model import encode


@pytest.mark.parametrize("kind", catalog.CATALOG["relations"])
@given(st.data())
def test_a_stored_relation_comes_back_as_it_was(kind: str, data: st.DataObject) -> None:
    cls = catalog.find("relations", kind)
    hints = get_type_hints(cls)
    values = {field.name: _values(hints[field.name], field) for field in dataclasses.fields(cls) if field.init}
    relation = data.draw(st.builds(cls, **values))
    stored = json.dumps(encode(relation))
    assert relation_from_json(stored) == relation
    assert hash(relation_from_json(stored)) == hash(relation)


def _values(hint: Any, field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Values that a setting may have, within its range."""
    least, most = field.metadata.get("least"), field.metadata.get("most")
    if hint is int:
        return st.integers(least, most)
    if hint is float:
        return st.floats(least, most, allow_nan=False, allow_infinity=False)
    return st.from_type(hint)
