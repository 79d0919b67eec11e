from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import UsageError
from anamorph.systems.remote.pointers import JsonPath, NotThere, put, steps_of

KEYS = st.lists(st.text(), min_size=1, max_size=4)


def pointer_of(keys: list[str]) -> str:
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


@given(KEYS)
def test_a_pointer_and_its_steps_are_the_same(keys: list[str]) -> None:
    assert steps_of(pointer_of(keys)) == keys


@given(KEYS)
def test_what_is_put_is_found(keys: list[str]) -> None:
    plain: dict[str, Any] = {}
    put(plain, pointer_of(keys), "here")
    assert JsonPath(pointer_of(keys), "answer").find(plain) == "here"


def test_a_value_goes_into_a_list() -> None:
    plain = {"messages": [{"content": ["a", "b"]}]}
    put(plain, "/messages/0/content/1", "c")
    put(plain, "/messages/0/content/-", "d")
    put(plain, "/messages/0/content/3", "e")
    assert plain == {"messages": [{"content": ["a", "c", "d", "e"]}]}


@pytest.mark.parametrize("pointer", ["/list/2", "/list/x", "/list/-1", "/list/0/deeper", "/text/x"])
def test_a_value_for_a_place_that_cannot_be_is_refused(pointer: str) -> None:
    with pytest.raises(NotThere):
        put({"list": ["a"], "text": "b"}, pointer, "c")


@pytest.mark.parametrize("path", ["/text", "/a/9", "/a/x", "/a/0/b", "/null", "text", "a[9]", "length(number)", "null"])
def test_what_is_not_there_is_not_found(path: str) -> None:
    with pytest.raises(NotThere):
        JsonPath(path, "answer").find({"a": ["x"], "null": None, "number": 3})


@pytest.mark.parametrize(
    ("path", "found"),
    [("/a/0", "x"), ("a[0]", "x"), ("a | join(' and ', @)", "x and y"), ("/b~1c/d~0e", False), ("/", 7)],
)
def test_what_is_there_is_found(path: str, found: Any) -> None:
    assert JsonPath(path, "answer").find({"a": ["x", "y"], "b/c": {"d~e": False}, "": 7}) == found


@pytest.mark.parametrize("path", ["a[", "no_such_function(@)(", "a b"])
def test_an_expression_that_is_not_valid_is_refused_in_one_line(path: str) -> None:
    with pytest.raises(UsageError) as caught:
        JsonPath(path, "labels")
    assert str(caught.value).startswith("labels = ") and "\n" not in str(caught.value)
