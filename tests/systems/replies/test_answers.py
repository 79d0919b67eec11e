from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from anamorph.model import Answer, Failure
from anamorph.systems.replies.answers import BadReply, answer_of, parse_line, reply_of, show

SCORES = st.dictionaries(st.text(min_size=1), st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9))


@given(st.text())
def test_any_text_is_an_answer_unaltered(text: str) -> None:
    line = json.dumps({"id": "x", "text": text}).encode()
    assert reply_of(parse_line(line)) == answer_of(text) == Answer(text)


@given(SCORES)
def test_any_finite_scores_are_an_answer(scores: dict[str, float]) -> None:
    assert reply_of(parse_line(json.dumps({"id": "x", "labels": scores}).encode())) == Answer(labels=scores)


@given(st.binary(max_size=60))
def test_any_bytes_are_an_object_or_told_in_a_sentence(line: bytes) -> None:
    try:
        assert isinstance(parse_line(line), dict)
    except BadReply as problem:
        assert str(problem)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
    )
)
def test_any_value_is_an_answer_or_told_in_a_sentence(value: object) -> None:
    try:
        assert isinstance(answer_of(value), Answer)
    except BadReply as problem:
        assert str(problem).startswith("expected")


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ({"error": "too dark"}, Failure("too dark")),
        ({"error": " busy\n", "retryable": True}, Failure("busy", retryable=True)),
        ({"error": "busy", "retryable": "yes"}, Failure("busy")),
        ({"error": ""}, Failure("an error without a message")),
        ({"error": {"code": 7}, "text": None}, Failure('{"code": 7}')),
    ],
)
def test_an_error_is_a_failure(line: dict[str, object], failure: Failure) -> None:
    assert reply_of(line) == failure


def test_a_byte_order_mark_and_spaces_around_a_line_do_no_harm() -> None:
    assert parse_line(b'\xef\xbb\xbf {"id": "x"} \r\n') == {"id": "x"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": "x"', "not JSON (Expecting ',' delimiter at character 11)"),
        (b'{"id": "x"} {', "not JSON (more follows at character 12)"),
        (b'{"id": "caf\xe9"}', "not UTF-8 (byte 12 of the line)"),
        (b"[1]", "expected a JSON object, got [1]"),
        (b"[" * 100_000, "not JSON that can be read"),
        (b'{"id": ' + b"9" * 5000 + b"}", "not JSON that can be read"),
    ],
)
def test_a_line_that_is_no_object_is_told_why(line: bytes, said: str) -> None:
    with pytest.raises(BadReply) as caught:
        parse_line(line)
    assert said in str(caught.value)


def test_what_is_shown_is_short() -> None:
    assert len(show("x" * 1000)) == 80 and show(object()) == "a object"
