"""Texts from outside, made harmless to show: what a terminal or a reader would obey, or not see, becomes visible."""

from __future__ import annotations

import json
from collections.abc import Mapping


def _code(point: int) -> str:
    return f"\u27e8U+{point:04X}\u27e9"


# Tabs and line ends stay. Controls get their Unicode pictures; characters that reorder or smuggle text (bidirectional
# marks, embeddings, overrides and isolates, further line ends, tag characters) and lone surrogates get their number.
_VISIBLE: Mapping[int, str] = {
    **{point: chr(0x2400 + point) for point in range(0x20) if chr(point) not in "\t\n"},
    0x7F: "\u2421",
    **{
        point: _code(point)
        for span in (
            *((0x80, 0xA0), (0x61C, 0x61D), (0x200E, 0x2010), (0x2028, 0x202F), (0x2066, 0x206A)),
            *((0xD800, 0xE000), (0xE0000, 0xE0080)),
        )
        for point in range(*span)
    },
    0xFEFF: _code(0xFEFF),
}
_ONE_LINE: Mapping[int, str] = {**_VISIBLE, ord("\n"): "\u240a", ord("\t"): " "}
# JSON has no need to escape DEL.
_IN_JSON: Mapping[int, str] = {**{point: json.dumps(chr(point))[1:-1] for point in _VISIBLE}, 0x7F: "\\u007f"}


def visible(text: str) -> str:
    """A text in which nothing hides and which every file can hold."""
    return text if text.isprintable() and text.isascii() else text.replace("\r\n", "\n").translate(_VISIBLE)


def one_line(text: str) -> str:
    """A visible text in which a line end is only a picture of one, so that nothing pretends to be another line."""
    return text if text.isprintable() and text.isascii() else text.replace("\r\n", "\n").translate(_ONE_LINE)


def visible_json(text: str) -> str:
    """JSON in which what hides is written as escapes; it means the same."""
    return text.translate(_IN_JSON)
