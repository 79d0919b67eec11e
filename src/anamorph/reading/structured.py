"""Answers in a form for programs, and answers after reasoning: JSON, boxed results, "Final answer: 3", thoughts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{\s*(?:\\text\s*\{)?([^{}]{1,200})\}")
_FINAL = re.compile(
    r"(?:^|[\s*_])(?:final\s+answer|answer|final\s+count|conclusion|result)\s*(?:is|:|=|\*\*:?)\s*[*_]*\s*(?=\S)",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(r"^(?:\s*<(think(?:ing)?|reasoning|thought)>.*?(?:</\1>|$)|.*</think(?:ing)?>)", re.S | re.I)
# Molmo and its like point at what they count.
_POINTED = re.compile(r"<(points?)\b([^<>]{0,4000})>([^<>]{0,200})</\1>", re.IGNORECASE)
_POINT_X = re.compile(r"\bx\d*\s*=", re.IGNORECASE)
# Qwen-VL, InternVL and their like put boxes behind the name of a thing.
_BOXES = re.compile(r"(?:<ref>([^<>]{1,200})</ref>)?\s*<box>([^<>]{0,8000})</box>", re.IGNORECASE)
_BOX = re.compile(
    r"[\[(]\s*-?[\d.]+\s*,\s*-?[\d.]+\s*[\])]\s*,\s*[\[(][^\[\]()]*[\])]|\[\s*(?:-?[\d.]+\s*,\s*){3}-?[\d.]+\s*\]"
)
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$")
_MATH = re.compile(r"\$\s*(\d{1,6})\s*\$")
_COUNT_KEYS = frozenset(("count", "total", "number", "num", "answer", "result", "quantity", "value"))
_LIST_KEYS = frozenset(("objects", "items", "boxes", "detections", "instances", "results", "bboxes", "points"))
_LABEL_KEYS = ("label", "class", "name", "object", "category", "type")
_KEY_WORDS = re.compile(r"[\s_-]+|(?<=[a-z])(?=[A-Z])")
# Whether a text names what was asked for; None where nothing is known of the question.
Names: TypeAlias = Callable[[str], bool] | None
_LONGEST = 200_000


def plain_text(text: str) -> str:
    """The text without thoughts and pointing tags; a boxed result stands for all."""
    text = _THOUGHTS.sub("", text, count=1)
    if "|" in text:
        text = _without_tables(text)
    if "\u20e3" in text:
        text = text.replace("\ufe0f", "").replace("\u20e3", "")  # the key of a telephone
    text = _MATH.sub(r"\1", text)
    text = _POINTED.sub(_pointed, text)
    text = _BOXES.sub(_boxed, text)
    boxed = _BOXED.findall(text)
    return boxed[-1] if boxed else text


def _without_tables(text: str) -> str:
    """The text with the rows of its tables as the items of a list: "| Cups | red | 3 |" is "- Cups: 3"."""
    lines = text.splitlines()
    rules = [place for place, line in enumerate(lines) if _RULE.match(line)]
    for rule in rules:
        heads = max(0, rule - 1)
        lines[heads : rule + 1] = [""] * (rule + 1 - heads)
        place = rule + 1
        while place < len(lines) and "|" in lines[place]:
            cells = [cell.strip(" *_") for cell in lines[place].strip().strip("|").split("|")]
            named = next((number for number, cell in enumerate(cells) if not cell.isdigit()), 0)
            amounts = [cell for cell in cells[named + 1 :] if cell.isdigit()]
            rest = amounts[:1] if amounts else cells[named + 1 :]
            lines[place] = f"- {cells[named]}{':' if amounts else ','} {', '.join(rest)}"
            place += 1
    return "\n".join(lines) if rules else text


def _pointed(found: re.Match[str]) -> str:
    """The things that a tag points at, and how many where nothing is said of them but their name."""
    points = len(_POINT_X.findall(found[2]))
    return f"{found[3]}: {points}" if points and found[0] == found.string.strip() else found[3]


def _boxed(found: re.Match[str]) -> str:
    """The boxes around a thing, as their number."""
    boxes = len(_BOX.findall(found[2]))
    return f"{found[1] or ''}: {boxes}\n"


def conclusion(text: str) -> str | None:
    """What follows the last "Final answer:"; None where nothing is concluded so."""
    found = list(_FINAL.finditer(text))
    if not found:
        return None
    rest = text[found[-1].end() :].strip().splitlines()
    return rest[0] if rest and rest[0].strip() else None


def from_json(text: str) -> dict[str, Any] | list[Any] | None:
    """The JSON value that an answer consists of, or that stands in it as a block of code; None if there is none."""
    if len(text) > _LONGEST or not any(mark in text for mark in "{["):
        return None
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _candidates(text: str) -> Iterator[str]:
    stripped = text.strip()
    if stripped[:1] in "{[":
        yield stripped
    for fenced in _FENCE.findall(text):
        yield fenced.strip()


def said_in(value: Any, names: Names) -> str | int | bool | None:
    """What a JSON value says of what was asked for: a number, a yes or no, or a text."""
    if isinstance(value, str | int | bool):
        return value
    if isinstance(value, list):
        return _said_in_list(value, names)
    return _said_in_object(value, names) if isinstance(value, dict) else None


def _said_in_object(value: dict[str, Any], names: Names) -> str | int | bool | None:
    fields = {_KEY_WORDS.sub(" ", str(key)).lower().strip(): each for key, each in value.items()}
    asked = [said_in(each, None) for key, each in fields.items() if names is not None and names(key)]
    if numbers := [each for each in asked if isinstance(each, int) and not isinstance(each, bool)]:
        return sum(numbers)
    if asked:
        return asked[0]
    for key, each in fields.items():
        if not _COUNT_KEYS.isdisjoint(key.split()) and isinstance(each, str | int):
            return each
    for key, each in fields.items():
        if key in _LIST_KEYS and isinstance(each, list):
            return _said_in_list(each, names)
    inner = [each for each in fields.values() if isinstance(each, dict | list)]
    if len(inner) == 1:
        return said_in(inner[0], names)
    plain = [each for each in fields.values() if isinstance(each, int)]
    if len(plain) == 1:
        return plain[0]
    return next(iter(fields.values())) if len(fields) == 1 and isinstance(next(iter(fields.values())), str) else None


def _said_in_list(items: list[Any], names: Names) -> int:
    """How many of the items are what was asked for; items without a name all are."""
    labels = [_label_of(item) for item in items]
    if not any(labels):
        return items[0] if len(items) == 1 and isinstance(items[0], int) else len(items)
    counts = [
        _count_of(item) for item, label in zip(items, labels, strict=True) if label and (names is None or names(label))
    ]
    return sum(counts)


def _label_of(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        return next((item[key] for key in _LABEL_KEYS if isinstance(item.get(key), str)), None)
    return None


def _count_of(item: Any) -> int:
    found = next((item[key] for key in _COUNT_KEYS if key in item), 1) if isinstance(item, dict) else 1
    return found if isinstance(found, int) else 1
