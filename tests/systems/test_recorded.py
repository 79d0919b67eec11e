from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from anamorph.errors import Refused, UsageError
from anamorph.model import Answer, Ask, Failure, System
from anamorph.systems.recorded.line_index import SHOWN_PROBLEMS
from anamorph.systems.recorded.system import RecordedSystem

Recorded = Callable[..., RecordedSystem]


def items(*ids: str) -> list[Ask]:
    def load() -> Any:
        raise AssertionError("a recorded system never looks")

    return [Ask(id, None, None, load) for id in ids]


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    """A system from lines, given as records or as raw bytes."""

    def make(*lines: dict[str, Any] | bytes) -> RecordedSystem:
        path = tmp_path / "recorded.jsonl"
        path.write_bytes(
            b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        )
        return RecordedSystem(str(path))

    return make


def test_answers_are_found_by_id(recorded: Recorded) -> None:
    system: System = recorded(
        {"id": "c", "text": "a cat"},
        {"id": "a", "labels": {"dog": 0.5}},
        b"\n  \r\n",
        {"id": "b", "error": "too dark", "retryable": True},
        {"id": "e", "text": ""},
    )
    a, b, c, d, e = system.ask(items("a", "b", "c", "d", "e"), 1)
    assert (a, c, e) == (Answer(labels={"dog": 0.5}), Answer("a cat"), Answer(""))
    assert b == Failure("too dark")
    assert isinstance(d, Failure) and d.message.startswith("No recorded answer for d in ") and not d.retryable
    system.close()


def test_it_neither_looks_nor_is_remembered(recorded: Recorded) -> None:
    manner = recorded().manner
    assert (manner.looks, manner.remembers, manner.batch) == (False, False, 256)


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_line_is_found_again(recorded: Recorded, texts: dict[str, str]) -> None:
    system = recorded(*({"id": id, "text": text} for id, text in texts.items()))
    assert system.ask(items(*texts), 1) == [Answer(text) for text in texts.values()]


def test_attempts_are_given_in_their_order(recorded: Recorded) -> None:
    system = recorded(
        {"id": "a", "text": "third", "attempt": 7},
        {"id": "a", "text": "first"},
        {"id": "b", "text": "always"},
        {"id": "a", "error": "second", "attempt": 2},
    )
    batch = [dataclasses.replace(ask, attempt=attempt) for attempt in (2, 0, 1) for ask in items("a", "b")]
    expected = [
        Answer("third"),
        Answer("always"),
        Answer("first"),
        Answer("always"),
        Failure("second"),
        Answer("always"),
    ]
    assert system.ask(batch, 1) == expected == system.ask(batch, 1)
    (beyond,) = system.ask([dataclasses.replace(items("a")[0], attempt=3)], 1)
    assert isinstance(beyond, Failure) and "Only 3 answers are recorded for a" in beyond.message


def test_the_same_line_twice_is_one_answer(recorded: Recorded) -> None:
    system = recorded(
        {"id": "a", "text": "x"},
        {"text": "x", "id": "a", "note": "another look"},
        {"id": "b", "labels": {"x": 1, "y": 0.5}},
        {"id": "b", "labels": {"y": 0.5, "x": 1.0}},
        {"id": "a", "text": "x"},
    )
    assert system.ask(items("a", "a", "b", "b"), 1) == [Answer("x")] * 2 + [Answer(labels={"x": 1, "y": 0.5})] * 2


@pytest.mark.parametrize(
    "other", [{"text": "y"}, {"labels": {"x": 1}}, {"error": "x"}, {"text": "y", "attempt": 0}, {"text": "x "}]
)
def test_two_different_answers_for_one_id_are_refused_with_both_lines(
    recorded: Recorded, other: dict[str, Any]
) -> None:
    with pytest.raises(
        UsageError, match=r"recorded\.jsonl: 1 line .*: lines 2 and 4: different answers for the id 'a'"
    ):
        recorded({"id": "b", "text": "x"}, {"id": "a", "text": "x"}, b"\n", {"id": "a", **other})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": "a", "text": "half', "line 2: not JSON"),
        (b"caption\n", "line 2: not JSON"),
        (b'{"id": "a", "text": "caf\xe9"}\n', "line 2: not UTF-8"),
        (b"[]\n", "line 2: expected a JSON object, got []"),
        (b'{"text": "x"}\n', "line 2: no 'id'"),
        (b'{"id": 7, "text": "x"}\n', "line 2: expected a string under 'id', got 7"),
        (b'{"id": "", "text": "x"}\n', "line 2: expected a string under 'id', got ''"),
        (b'{"id": "a"}\n', "line 2: expected exactly one of"),
        (b'{"id": "a", "text": 7}\n', "line 2: expected a string under 'text', got 7"),
        (b'{"id": "a", "labels": {"x": "y"}}\n', "line 2: expected a number as the score of 'x'"),
        (b'{"id": "a", "text": "x", "attempt": "1"}\n', "line 2: expected a whole number under 'attempt', got '1'"),
        (b'{"id": "a", "text": "x", "attempt": -1}\n', "line 2: expected a whole number under 'attempt', got -1"),
        (b'{"id": "a", "text": "' + b"x" * (17 << 20) + b'"}\n', "line 2: longer than 16777216 bytes"),
    ],
)
def test_a_bad_line_is_refused_by_its_number(recorded: Recorded, line: bytes, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        recorded({"id": "b", "text": "x"}, line)
    assert "recorded.jsonl: 1 line cannot be used: " in str(caught.value) and said in str(caught.value)


def test_the_first_bad_lines_are_listed_and_the_rest_counted(recorded: Recorded) -> None:
    with pytest.raises(UsageError) as caught:
        recorded(*[b"nonsense\n"] * 9)
    assert "9 lines cannot be used" in str(caught.value) and "; and 4 more." in str(caught.value)
    assert str(caught.value).count("line ") == SHOWN_PROBLEMS


def test_an_empty_file_answers_nothing(recorded: Recorded) -> None:
    (reply,) = recorded().ask(items("a"), 1)
    assert isinstance(reply, Failure)


def test_a_byte_order_mark_is_no_bad_line(recorded: Recorded) -> None:
    assert recorded(b'\xef\xbb\xbf{"id": "a", "text": "x"}\n').ask(items("a"), 1) == [Answer("x")]


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.jsonl does not exist"):
        RecordedSystem(str(tmp_path / "gone.jsonl"))
    with pytest.raises(UsageError, match=r"has no file that ends in \.jsonl"):
        RecordedSystem(str(tmp_path))


def test_a_file_that_has_grown_is_read_anew(recorded: Recorded, tmp_path: Path) -> None:
    assert isinstance(recorded({"id": "a", "text": "x"}).ask(items("b"), 1)[0], Failure)
    assert recorded({"id": "a", "text": "x"}, {"id": "b", "text": "y"}).ask(items("b"), 1) == [Answer("y")]


def test_a_file_that_stays_as_it_is_is_read_once(recorded: Recorded, tmp_path: Path) -> None:
    recorded({"id": "a", "text": "x"})
    path = tmp_path / "recorded.jsonl"
    os.utime(path, (1, 1))
    one, two = RecordedSystem(str(path)), RecordedSystem(str(path))
    assert one._index is two._index
    os.utime(path, (2, 2))
    assert one._index is not RecordedSystem(str(path))._index


def test_a_file_that_changes_under_us_gives_failures_and_no_wrong_answer(recorded: Recorded, tmp_path: Path) -> None:
    system = recorded({"id": "a", "text": "x"}, {"id": "b", "text": "y"})
    (tmp_path / "recorded.jsonl").write_text('{"id": "c", "text": "a text of another length"}\n')
    assert all(isinstance(reply, Failure) for reply in system.ask(items("a", "b"), 1))
    (tmp_path / "recorded.jsonl").unlink()
    with pytest.raises(Refused, match="cannot be read: No such file"):
        system.ask(items("a"), 1)


def test_the_fingerprint_stays_while_the_file_grows(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = recorded({"id": "a", "text": "x"}).fingerprint
    two = recorded({"id": "a", "text": "x"}, {"id": "b", "text": "y"}).fingerprint
    monkeypatch.chdir(tmp_path)
    assert one == two == RecordedSystem("recorded.jsonl").fingerprint


MILLION = """
import resource, sys
from anamorph.model import Ask
from anamorph.systems.recorded.system import RecordedSystem

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
system = RecordedSystem(sys.argv[1])
ids = [f"{i * 0x9E3779B97F4A7C15 % 2**128:032x}" for i in range(0, 1_000_000, 1_000)]
replies = system.ask([Ask(id, None, None, lambda: None) for id in ids], 1)
assert [reply.text for reply in replies] == [f"a man on wave number {i}" for i in range(0, 1_000_000, 1_000)]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_a_million_answers_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "million.jsonl"
    with path.open("w") as file:
        file.writelines(
            f'{{"id": "{i * 0x9E3779B97F4A7C15 % 2**128:032x}", "text": "a man on wave number {i}"}}\n'
            for i in range(1_000_000)
        )
    done = subprocess.run([sys.executable, "-c", MILLION, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 100
