"""Answers in a form for programs, and answers after reasoning: JSON, boxed results, "Final answer: 3", thoughts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{\s*(?:\\text\s*\{)?([^{}]{1,200})\}")
_FINAL = re.compile(
    r"(?:^|[\s*_])(?:final\s+answer|answer|final\s+count|conclusion|result)\s*(?:is|:|=|\*\*:?)\s*[*_]*\s*(?=\S)",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(r"^(?:\s*<(think(?:ing)?|reasoning|thought)>.*?(?:</\1>|$)|.*</think(?:ing)?>)", re.S | re.I)
# Molmo and its like point at what they count.
_POINTED = re.compile(r"<(points?)\b[^<>]{0,4000}>([^<>]{0,200})</\1>", re.IGNORECASE)
_COUNT_KEYS = ("count", "total", "number", "num", "answer", "result", "quantity", "value")
_LIST_KEYS = ("objects", "items", "boxes", "detections", "instances", "results", "bboxes", "points")
_LONGEST = 200_000


def plain_text(text: str) -> str:
    """The text without thoughts and pointing tags; a boxed result stands for all."""
    text = _THOUGHTS.sub("", text, count=1)
    text = _POINTED.sub(lambda found: found[2], text)
    boxed = _BOXED.findall(text)
    return boxed[-1] if boxed else text


def conclusion(text: str) -> str | None:
    """What follows the last "Final answer:"; None where nothing is concluded so."""
    found = list(_FINAL.finditer(text))
    if not found:
        return None
    rest = text[found[-1].end() :].strip().splitlines()
    return rest[0] if rest and rest[0].strip() else None


def from_json(text: str) -> str | int | bool | list[Any] | None:
    """What a JSON answer says: a number, a yes or no, a text, or the list of things that it has; None if it is none."""
    if len(text) > _LONGEST or not any(mark in text for mark in "{["):
        return None
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return _said(value)
    return None


def _candidates(text: str) -> Iterator[str]:
    stripped = text.strip()
    if stripped[:1] in "{[":
        yield stripped
    for fenced in _FENCE.findall(text):
        yield fenced.strip()


def _said(value: dict[str, Any] | list[Any]) -> str | int | bool | list[Any] | None:
    if isinstance(value, list):
        return value
    lowered = {str(key).lower(): each for key, each in value.items()}
    for key in _LIST_KEYS:
        if isinstance(lowered.get(key), list) and not any(each in lowered for each in _COUNT_KEYS):
            return list(lowered[key])
    for key, each in lowered.items():
        if any(word in re.split(r"[\s_-]", key) for word in _COUNT_KEYS) and isinstance(each, str | int | bool):
            return each
    plain = [each for each in lowered.values() if isinstance(each, int | bool)]
    if len(plain) == 1:
        return plain[0]
    texts = [each for each in lowered.values() if isinstance(each, str)]
    return texts[0] if len(lowered) == 1 and texts else None
