from __future__ import annotations

import json
from typing import Any

import pytest

from anamorph.reading.structured import conclusion, from_json, plain_text, said_in


def names_dogs(text: str) -> bool:
    return "dog" in text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"count": 3}, 3),
        ({"dogs": 2, "cats": 4}, 2),
        ({"dog_count": 2, "total": 9}, 2),
        ({"numDogs": 5}, 5),
        ({"result": {"dogs": 1, "cats": 3}}, 1),
        ({"dogs": ["Rex", "Bella"]}, 2),
        ({"objects": ["dog", "cat", "dog"]}, 2),
        ([{"label": "dog", "count": 2}, {"label": "cat", "count": 1}], 2),
        ([[1, 2, 3, 4], [5, 6, 7, 8]], 2),
        ({"answer": "two"}, "two"),
        ({"dog": True, "cat": False}, True),
        ({"count": None}, None),
        ({"cats": 1, "birds": 2}, None),
    ],
)
def test_what_json_says_of_dogs(value: Any, said: Any) -> None:
    assert said_in(value, names_dogs) == said
    assert from_json(f"Here it is:\n```json\n{json.dumps(value)}\n```") == value


def test_without_a_question_every_item_counts() -> None:
    assert said_in(["dog", "cat"], None) == 2
    assert said_in({"a": 1, "b": 2}, None) is None


def test_thoughts_pointing_and_boxes_are_no_part_of_the_message() -> None:
    assert plain_text("<think>3? No, 2.</think>There are 2.") == "There are 2."
    assert plain_text('I see 1 of <points x1="10.5" alt="dogs">dogs</points>.') == "I see 1 of dogs."
    assert plain_text('<points x1="10.5" y1="3" x2="7" y2="9" alt="dogs">dogs</points>') == "dogs: 2"
    assert plain_text("<ref>dog</ref><box>[[1, 2, 3, 4], [5, 6, 7, 8]]</box>").strip() == "dog: 2"
    assert plain_text("<ref>dog</ref><box>(1,2),(3,4)</box>").strip() == "dog: 1"
    assert plain_text("The answer is $4$.") == "The answer is 4."
    assert plain_text("So it is $\\boxed{4}$.") == "4"


def test_the_last_conclusion_counts() -> None:
    assert conclusion("Answer: 2\nWait.\nFinal answer: 3\n") == "3"
    assert conclusion("There are 3.") is None
