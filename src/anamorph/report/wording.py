"""Texts for people: what is too long is cut, evidence is marked, settings are put into words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anamorph.model import Answer, Verdict
from anamorph.model.visible import visible

ELLIPSIS = "\u2026"
# How much of a long text surrounds a marked stretch that lies beyond the cut.
_MARGIN = 80
_MOST_WINDOWS = 5
_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")
# Comparing word by word takes the square of their number.
_MOST_COMPARED = 300


def short(text: str, most: int) -> str:
    """A visible text of about `most` characters; what was cut off is marked."""
    return visible(text if len(text) <= most else text[: most - 1] + ELLIPSIS)


def outcome_words(verdict: Verdict | None) -> str:
    """How a case came out, as a predicate."""
    if verdict is None:
        return "was not judged yet"
    return {"holds": "holds", "violated": "is violated", "lead": "is a lead, and not proved"}.get(
        verdict.outcome, "is undecided"
    )


def answer_text(answer: Answer) -> str:
    """An answer in one line of text; labels by falling score."""
    if answer.labels is None:
        return answer.text or ""
    ranked = sorted(answer.labels.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{label} {score:.4g}" for label, score in ranked)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A stretch of a text for display."""

    text: str
    marked: bool = False


def marked_texts(text: str, spans: Iterable[tuple[int, int]], most: int) -> tuple[MarkedText, ...]:
    """A text cut into marked and plain stretches; of a long one, its beginning and what surrounds the marks."""
    marks = _merge((max(0, start), min(end, len(text))) for start, end in spans)
    windows = [(0, len(text))] if len(text) <= most else _windows(len(text), marks, most)
    parts: list[MarkedText] = []
    shown = 0
    for start, end in windows:
        if start > shown:
            parts.append(MarkedText(f" {ELLIPSIS} "))
        parts += _split(text, start, end, marks)
        shown = end
    if shown < len(text):
        parts.append(MarkedText(ELLIPSIS))
    return tuple(parts)


def differing_spans(text: str, other: str) -> list[tuple[int, int]]:
    """The stretches of a text whose words are not those of another one in the same place."""
    own, others = list(_WORD.finditer(text))[:_MOST_COMPARED], _WORD.findall(other.lower())[:_MOST_COMPARED]
    matcher = difflib.SequenceMatcher(None, [word.group().lower() for word in own], others, autojunk=False)
    return [
        (own[start].start(), own[end - 1].end())
        for tag, start, end, _, _ in matcher.get_opcodes()
        if tag in ("replace", "delete")
    ]


def _windows(length: int, marks: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    around = [
        (max(0, start - _MARGIN), min(length, min(end, start + 2 * _MARGIN) + _MARGIN))
        for start, end in marks[:_MOST_WINDOWS]
    ]
    return _merge([(0, most), *around])


def _merge(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _split(text: str, start: int, end: int, marks: Sequence[tuple[int, int]]) -> list[MarkedText]:
    parts: list[MarkedText] = []
    at = start
    for low, high in marks:
        low, high = max(low, at), min(high, end)
        if low >= high:
            continue
        if low > at:
            parts.append(MarkedText(visible(text[at:low])))
        parts.append(MarkedText(visible(text[low:high]), marked=True))
        at = high
    if at < end:
        parts.append(MarkedText(visible(text[at:end])))
    return parts


# --- settings and edits in words ------------------------------------------------------------------------------------

_OF_THINGS = {"object", "objects", "thing", "things"}
_MOST_ITEMS = 6
_MOST_TEXT = 60


def in_words(plain: Mapping[str, Any], labels: Mapping[str, str] | None = None) -> str:
    """An edit or a method from its JSON, such as `blur, sigma 1.5`; `labels` names the objects of the scene by id."""
    kind = str(plain.get("kind", "")).replace("-", " ")
    settings = [_setting(name, value, labels or {}) for name, value in plain.items() if name != "kind"]
    return ", ".join(part for part in (visible(kind), *settings) if part)


def value_in_words(value: Any) -> str:
    """The value of a setting."""
    text = _value(value, {})
    bare = text[1:-1] if isinstance(value, Mapping) and text.startswith("(") else text
    return bare or "none"


def _setting(name: str, value: Any, labels: Mapping[str, str]) -> str:
    words = visible(name.replace("_", " "))
    if value is True:
        return words
    if value is False:
        return f"no {words}"
    if name in _OF_THINGS:
        value = _with_labels(value, labels)
    shown = _value(value, labels)
    return f"{words} {shown}" if shown else ""


def _with_labels(value: Any, labels: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return f"{labels[value]} ({value})" if value in labels else value
    return [_with_labels(item, labels) for item in value] if isinstance(value, list) else value


def _value(value: Any, labels: Mapping[str, str]) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return short(value, _MOST_TEXT)
    if isinstance(value, Mapping):
        return _table(value, labels)
    if len(value) > _MOST_ITEMS:
        return f"({len(value)} of them)"
    return " and ".join(filter(None, (_value(item, labels) for item in value)))


def _table(value: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    if {"x", "y", "width", "height"} <= set(value):
        x, y, width, height = (_value(value[name], labels) for name in ("x", "y", "width", "height"))
        return f"{width} \u00d7 {height} at ({x}, {y})"
    if {"height", "width", "counts"} <= set(value):
        return "by its outline"
    return f"({in_words(value, labels)})"
