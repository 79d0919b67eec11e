"""Untrusted text made safe to show: control and invisible characters become visible."""

from __future__ import annotations

import json
from collections.abc import Mapping


def _code(point: int) -> str:
    return f"\u27e8U+{point:04X}\u27e9"


# Tabs and line ends stay. Control characters become their Unicode pictures; characters that reorder or hide text
# (bidirectional marks, embeddings, overrides and isolates, other line ends, tag characters) and lone surrogates become
# their number.
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
# JSON does not escape DEL.
_IN_JSON: Mapping[int, str] = {**{point: json.dumps(chr(point))[1:-1] for point in _VISIBLE}, 0x7F: "\\u007f"}


def visible(text: str) -> str:
    """The text with hidden characters made visible, safe for every file."""
    return text if text.isprintable() and text.isascii() else text.replace("\r\n", "\n").translate(_VISIBLE)


def one_line(text: str) -> str:
    """Visible text on one line: line ends become symbols, so that no line can be faked."""
    return text if text.isprintable() and text.isascii() else text.replace("\r\n", "\n").translate(_ONE_LINE)


def visible_json(text: str) -> str:
    """JSON with hidden characters escaped; it means the same."""
    return text.translate(_IN_JSON)
