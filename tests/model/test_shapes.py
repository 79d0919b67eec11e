"""JSON schemas of plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import jsonschema
import pytest

from anamorph.model.shapes import AsDict, Keyword, shape_of


@dataclass(frozen=True)
class Wheel:
    """A wheel."""

    spokes: int
    size: tuple[float, float] | None = None

    @property
    def heavy(self) -> bool:
        return self.spokes > 9


class Bike(TypedDict):
    """A bike with its wheels."""

    name: Annotated[str, Keyword("pattern", "^b"), "Its name."]
    color: Literal["red", "blue"] | None
    gears: Annotated[int, Keyword("minimum", 0)] | None
    wheels: list[Annotated[dict[str, Any], AsDict(Wheel, ("heavy",), (("spokes", str),))]]
    parts: dict[str, float]
    sibling: NotRequired[Bike]


def bike(**changes: Any) -> dict[str, Any]:
    wheel = {**asdict(Wheel(3)), "spokes": "three", "heavy": False}
    return {"name": "b1", "color": "red", "gears": 3, "wheels": [wheel], "parts": {"bell": 0.5}, **changes}


@pytest.mark.parametrize("changes", [{}, {"color": None, "gears": None}, {"sibling": bike(name="b2")}, {"more": 1}])
def test_data_of_the_shape_is_valid(changes: dict[str, Any]) -> None:
    jsonschema.validate(bike(**changes), shape_of(Bike))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "x"},
        {"color": "green"},
        {"gears": -1},
        {"gears": "3"},
        {"wheels": [asdict(Wheel(3))]},
        {"wheels": [{"spokes": "three", "size": [1.0], "heavy": False}]},
        {"parts": {"bell": "loud"}},
        {"sibling": {"name": "b2"}},
    ],
)
def test_data_of_another_shape_is_not(changes: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bike(**changes), shape_of(Bike))


def test_a_key_is_described_and_required_unless_it_may_lack() -> None:
    jsonschema.Draft202012Validator.check_schema(shape_of(Bike))
    shape = shape_of(Bike)["$defs"]["Bike"]
    assert shape["required"] == ["name", "color", "gears", "wheels", "parts"]
    assert (shape["description"], shape["properties"]["name"]["description"]) == (
        "A bike with its wheels.",
        "Its name.",
    )
