"""A text cut into words and marks, with where each one stands."""

from __future__ import annotations

import re
from typing import NamedTuple


class Tokens(NamedTuple):
    """Words and marks as they stand, in lower case, and where they begin and end."""

    texts: list[str]
    lowers: list[str]
    starts: list[int]
    ends: list[int]


# HTML tags, entities and control characters separate words and are never words. A tag is short, so that a lone "<" in a
# long text costs nothing.
_TOKEN = re.compile(
    r"</?[A-Za-z!][^<>]{0,200}>|&(?:amp|lt|gt|quot|nbsp|#\d{1,6});"
    r"|(\d{1,3}(?:,\d{3})+(?!\d)|\d+\.\d+|[^\W_]+(?:[-\u2010\u2011'\u2019][^\W_]+)*|[^\w\s\x00-\x1f\x7f-\x9f])"
)
_APOSTROPHES = str.maketrans("\u2019\u2010\u2011", "'--")
_CONTRACTIONS = ("n't", "'s", "'re", "'ve", "'m", "'ll", "'d")

# A line of at least this many characters may be wrapped.
_WRAPPED = 40


def tokenize(text: str) -> Tokens:
    """The words and marks of a text; "man's" and "isn't" are two words each, "hot-dog" and "t-shirt" one."""
    tokens = Tokens([], [], [], [])
    add_text, add_lower = tokens.texts.append, tokens.lowers.append
    add_start, add_end = tokens.starts.append, tokens.ends.append
    for found in _TOKEN.finditer(text):
        word = found[1]
        if word is None:
            continue
        start, end = found.span(1)
        lower = word.lower()
        if not lower.isascii():
            lower = lower.translate(_APOSTROPHES)
        if "'" in lower and len(lower) > 2:
            cut = _cut(lower)
            # Some capitals change length in lower case; then the places would not fit.
            if cut and len(lower) == len(word):
                add_text(word[:cut])
                add_lower(lower[:cut])
                add_start(start)
                add_end(start + cut)
                word, lower, start = word[cut:], lower[cut:], start + cut
        add_text(word)
        add_lower(lower)
        add_start(start)
        add_end(end)
    return tokens


def _cut(word: str) -> int:
    if word in ("can't", "won't"):
        return 0
    for ending in _CONTRACTIONS:
        if word.endswith(ending) and len(word) > len(ending):
            return len(word) - len(ending)
    return 0


def line_starts(text: str, tokens: Tokens) -> frozenset[int]:
    """Where a line begins that goes on with nothing: no noun group reaches from one item of a list into the next.

    A long line before one in lower case was only wrapped.
    """
    found, before = set(), 0
    for place in range(1, len(tokens.starts)):
        start, end = tokens.starts[place], tokens.ends[place - 1]
        if start - end and "\n" in text[end:start]:
            if not (text[start].islower() and end - before >= _WRAPPED):
                found.add(place)
            before = start
    return frozenset(found)
