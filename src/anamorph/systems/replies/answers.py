"""Replies of a system, as answers or failures; for anything else, a sentence names the problem."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from anamorph.model import Answer, Failure, Usage
from anamorph.model.answer import MOST_ANSWER_BYTES

LINE_LIMIT_BYTES = MOST_ANSWER_BYTES

# `json.loads` takes twice as long for a short line, and recorded runs have a million.
_read_json = json.JSONDecoder().raw_decode
T = TypeVar("T")
_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "a string", float: "a number"}
_PARTS = ("text", "labels", "error")
_MOST_TOKENS = 10**12


class BadReply(ValueError):
    """A reply that is neither an answer nor a failure; the message says what was expected."""


def answer_of(value: object) -> Answer:
    """An answer from a string, or labels with scores."""
    if isinstance(value, str):
        return Answer(text=str(value))
    if isinstance(value, Mapping):
        return Answer(labels={_label(name): _score(name, score) for name, score in value.items()})
    raise BadReply(f"expected a string or {{label: score}}, got {show(value)}")


def reply_of(line: Mapping[str, object]) -> Answer | Failure:
    """The answer in a JSON line with a "text", "labels" or "error"."""
    text = line.get("text")
    if type(text) is str and "labels" not in line and "error" not in line:
        return Answer(text)
    parts = [part for part in _PARTS if line.get(part) is not None]
    if len(parts) != 1:
        came = " and ".join(map(repr, parts)) or f"only {show(sorted(line))}"
        raise BadReply(f"expected exactly one of 'text', 'labels' and 'error', got {came}")
    value = line[parts[0]]
    if parts == ["error"]:
        message = value if isinstance(value, str) else json.dumps(value)
        return Failure(message.strip() or "an error without a message", retryable=line.get("retryable") is True)
    if not isinstance(value, str if parts == ["text"] else Mapping):
        wanted = "a string" if parts == ["text"] else "{label: score}"
        raise BadReply(f"expected {wanted} under {parts[0]!r}, got {show(value)}")
    return answer_of(value)


def part_of(table: object, name: str, kind: type[T], where: str) -> T:
    """The value of a key; BadReply, with the place, unless it is of this kind."""
    if not isinstance(table, dict):
        raise BadReply(f"expected {where} to be an object, got {show(table)}")
    value = table.get(name)
    if not isinstance(value, kind):
        raise BadReply(f"expected {_KINDS.get(kind, kind.__name__)} at {name!r} in {where}, got {show(value)}")
    return value


def surest_labels(pairs: Iterable[tuple[Any, Any]]) -> Answer:
    """Labels with scores as an answer; duplicates count with their best score."""
    best: dict[str, Any] = {}
    for label, score in pairs:
        answer_of({label: score})
        best[label] = max(score, best.get(label, score))
    return answer_of(best)


def with_usage(
    result: Answer | Failure, table: object, tokens_in: Sequence[str], tokens_out: Sequence[str]
) -> Answer | Failure:
    """A result with token counts from a table, each a sum of keys; unchanged if the first is missing."""
    if not isinstance(table, Mapping):
        return result
    taken, given = _count(table, tokens_in), _count(table, tokens_out)
    if taken is None or given is None:
        return result
    return replace(result, usage=Usage(taken, given))


def parse_line(line: bytes) -> dict[str, object]:
    """The JSON object of a line, or BadReply."""
    try:
        text = line.removeprefix(codecs.BOM_UTF8).decode().strip()
        value, end = _read_json(text)
    except UnicodeDecodeError as problem:
        raise BadReply(f"not UTF-8 (byte {problem.start + 1} of the line)") from None
    except json.JSONDecodeError as problem:
        raise BadReply(f"not JSON ({problem.msg} at character {problem.pos + 1})") from None
    except (ValueError, RecursionError) as problem:
        raise BadReply(f"not JSON that can be read ({problem})") from None
    if end != len(text):
        raise BadReply(f"not JSON (more follows at character {end + 1})")
    if not isinstance(value, dict):
        raise BadReply(f"expected a JSON object, got {show(value)}")
    return value


def show(value: object, limit: int = 80) -> str:
    """A value, shortened for a sentence."""
    # The type of an array or a tensor says more than its repr.
    text = repr(value) if isinstance(value, str | int | float | list | dict | None) else f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _count(table: Mapping[Any, Any], names: Sequence[str]) -> int | None:
    """The sum of these keys; all but the first may be missing."""
    values: list[Any] = [table.get(names[0]), *(table.get(name) or 0 for name in names[1:])]
    return sum(values) if all(type(value) is int and 0 <= value <= _MOST_TOKENS for value in values) else None


def _label(name: object) -> str:
    if isinstance(name, str) and name:
        return str(name)
    raise BadReply(f"expected a string as the name of a label, got {show(name)}")


def _score(name: object, score: object) -> float:
    if type(score) is not float:
        # `__float__` covers scalars of numpy and tensor libraries.
        if isinstance(score, bool | np.bool_ | str) or not hasattr(score, "__float__"):
            raise BadReply(f"expected a number as the score of {name!r}, got {show(score)}")
        try:
            score = float(score)
        except (TypeError, ValueError, OverflowError):
            raise BadReply(f"expected one number as the score of {name!r}, got {show(score)}") from None
    if not math.isfinite(score):
        raise BadReply(f"expected a finite number as the score of {name!r}, got {score}")
    return score
