"""Captions: a caption, a fragment or a chat model's paragraph becomes the things that it names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeAlias

from anamorph.model import LabelSpace, Unreadable
from anamorph.model.reading import CaptionReading, Mention
from anamorph.reading.claims import Depiction, mark_claims
from anamorph.reading.counts import counted
from anamorph.reading.groups import grouped_in
from anamorph.reading.naming import namer_of
from anamorph.reading.tagging.taggers import RULES, Tagger, find_tagger, tagged
from anamorph.reading.tokens import Tokens, tokenize
from anamorph.reading.unreadable import why_unreadable
from anamorph.reading.wrapping import unwrapped

# (text, tokens, tags) -> the things that the text names.
MentionFinder: TypeAlias = Callable[[str, Tokens, Sequence[str]], tuple[Mention, ...]]

# Longer texts are no captions any more, and are read in pieces of this many words, each by itself: what is in memory at
# a time, which Python's garbage collector goes through again and again, stays small.
_LONG = 100_000
_PIECE = 2_000


class CaptionReader:
    """Reads a caption as the things that it names, each with its class, its number and its place."""

    def __init__(self, space: LabelSpace, tagger: str = RULES, depicted: Collection[Depiction] = ()) -> None:
        self._depicted = frozenset(depicted)
        self._tagger = find_tagger(tagger)
        self._namer = namer_of(space)

    def read_text(self, text: str) -> CaptionReading | Unreadable:
        """What a text names, or why it cannot be read."""
        find = self._mentions if len(text) < _LONG else self._long_mentions
        return read_message(text, unwrapped(text), self._tagger, find)

    def _mentions(self, message: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        parse = grouped_in(message, tokens, tags, self._namer)
        mark_claims(parse, self._namer, self._depicted)
        return counted(parse)

    def _long_mentions(self, message: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        found: list[Mention] = []
        first = 0
        while first < len(tags):
            last = min(first + _PIECE, len(tags))
            if last < len(tags):
                # A sentence is not cut, unless it is endless.
                ends = (place for place in range(last, first + _PIECE // 2, -1) if tokens.lowers[place - 1] == ".")
                last = next(ends, last)
            at = slice(first, last)
            piece = Tokens(tokens.texts[at], tokens.lowers[at], tokens.starts[at], tokens.ends[at])
            found.extend(self._mentions(message, piece, tags[at]))
            first = last
        return tuple(found)


def read_message(text: str, message: str, tagger: Tagger, find: MentionFinder) -> CaptionReading | Unreadable:
    """What a finder of mentions makes of a text, whose part that is the caption is `message`."""
    tokens = tokenize(message)
    reason = why_unreadable(message, tokens)
    if reason:
        return Unreadable(text, reason)
    mentions = find(message, tokens, tagged(message, tokens, tagger))
    if message is not text:
        # Markup inside a mention was blanked out for reading; the mention quotes the text as it came.
        mentions = tuple(replace(each, text=text[each.start : each.end]) for each in mentions)
    return CaptionReading(text, mentions)
