from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import UsageError
from anamorph.model import LabelSet, Unreadable
from anamorph.readers.english.tags import TagsReader
from tests.english import tags_reader

READER = tags_reader()


def tags(text: str, reader: TagsReader = READER) -> set[str]:
    reading = reader.read_text(text)
    assert isinstance(reading, LabelSet), reading
    return set(reading.labels)


@pytest.mark.parametrize(
    "text",
    [
        "dog, frisbee, grass",
        "Dog; Frisbee; Grass",
        "dog | frisbee | grass",
        "Tags: dog, a frisbee, and grass.",
        "**Tags:** dogs, frisbee, grass",
        "- dog\n- frisbee\n- grass",
        "Here are the tags for this image:\n\n1. **Dog**\n2. Frisbee\n3. Grass",
        "* Dog (2)\n* Frisbee (1)\n* Grass",
        "#dog #frisbee #grass",
        '["dog", "frisbee", "grass"]',
        '```json\n{"tags": ["dog", "frisbee", "grass"]}\n```',
        '{"dog": 0.98, "frisbee": 0.7, "grass": 0.51, "cat": 0.2}',
        '{"dog": true, "frisbee": true, "grass": true, "cat": false}',
        '{"objects": [{"name": "dog", "confidence": 0.9}, {"name": "frisbee"}, {"name": "grass", "confidence": 0.6}]}',
        "dog (98%), frisbee: 0.7, grass",
        "I see a dog, a frisbee and grass.",
        "The image contains: two dogs, a frisbee, and grass",
    ],
)
def test_a_list_of_tags_in_any_form_is_a_label_set(text: str) -> None:
    assert tags(text) == {"dog", "frisbee", "grass"}


def test_tags_that_name_a_class_are_that_class_and_others_are_singular() -> None:
    assert tags("golden retriever, women, buildings") == {"dog", "person", "building"}
    assert tags("golden retriever, women", tags_reader(labels="")) == {"golden retriever", "woman"}


def test_what_a_list_says_is_absent_is_no_tag() -> None:
    assert tags("cat, no dogs") == {"cat"}


@pytest.mark.parametrize("text", ["None", "[]", "{}", "No objects detected.", "nothing"])
def test_a_list_of_nothing_is_an_empty_set(text: str) -> None:
    assert tags(text) == set()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A dog is sitting on a bench in the park.", "not a list"),
        ("The dog is brown.", "not a list"),
        ("", "empty"),
        ("I'm sorry, but I can't help with that.", "refuses"),
    ],
)
def test_what_is_no_list_is_unreadable(text: str, reason: str) -> None:
    reading = READER.read_text(text)
    assert isinstance(reading, Unreadable)
    assert reason in reading.reason


def test_an_unknown_label_space_is_an_error() -> None:
    with pytest.raises(UsageError, match="Unknown label space 'coko'"):
        tags_reader(labels="coko")


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert isinstance(READER.read_text(text), LabelSet | Unreadable)
