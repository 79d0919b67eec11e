"""The caption reader: a caption, a fragment or a chat model's paragraph becomes the things that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from anamorph.language.labels import SHIPPED, LabelSpace, label_space
from anamorph.language.mentions.claims import mark_claims
from anamorph.language.mentions.counting import count_mentions
from anamorph.language.mentions.depictions import Depiction
from anamorph.language.mentions.finding import find_phrases
from anamorph.language.mentions.passage import Passage
from anamorph.language.mentions.potted import label_potted
from anamorph.language.naming import Namer
from anamorph.language.tagging.taggers import Tagger, tagger
from anamorph.language.tokens import Tokens, tokenize
from anamorph.language.unreadable import why_unreadable
from anamorph.language.wrapping import unwrapped
from anamorph.model import Answer, Reading, Unreadable, setting
from anamorph.model.codec import RetiredSettings
from anamorph.model.reading import CaptionReading, Mention

# (text, tokens, tags) -> the things that the text names.
MentionFinder: TypeAlias = Callable[[str, Tokens, Sequence[str]], tuple[Mention, ...]]

# Longer texts are no captions any more, and are read in pieces of this many words, each by itself: what is in memory at
# a time, which Python's garbage collector goes through again and again, stays small.
_LONG = 100_000
_PIECE = 2_000


@dataclass(frozen=True, slots=True)
class CaptionReader:
    """Reads a caption as the things that it names, each with its class, its number and its place."""

    kind: ClassVar[str] = "caption"
    retired: ClassVar[RetiredSettings] = {
        "profile": (
            "default",
            "Methods have a setting `profile`; else use `anamorph judge --profile released`.",
        )
    }
    shipped: ClassVar[Mapping[str, tuple[str, ...]]] = {"labels": SHIPPED, "tagger": ("rules",)}
    labels: str = setting("coco", "The label space: coco, voc, coco-stuff, or the path of a .toml or .json file.")
    tagger: str = setting("rules", "What finds the nouns: rules, spacy, spacy:MODEL, stanza or stanza:FOLDER.")
    depth: int = setting(3, "How many steps up the noun taxonomy a word may be from its class.", least=0, most=20)
    depicted: tuple[Depiction, ...] = setting(
        (), "Which depicted things count as if they were there: toy, sculpture, picture, screen, costume, shape."
    )
    _space: LabelSpace = field(init=False, repr=False, compare=False)
    _tagger: Tagger = field(init=False, repr=False, compare=False)
    _namer: Namer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        space = label_space(self.labels)
        object.__setattr__(self, "_space", space)
        object.__setattr__(self, "_tagger", tagger(self.tagger))
        object.__setattr__(self, "_namer", Namer(space, self.depth))

    @property
    def space(self) -> LabelSpace:
        """The label space in use."""
        return self._space

    def read(self, answer: Answer, question: str | None = None) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a caption")
        return self.read_text(answer.text)

    def read_text(self, text: str) -> CaptionReading | Unreadable:
        """What a text names, or why it cannot be read."""
        return self.read_message(text, unwrapped(text), self._mentions if len(text) < _LONG else self._long_mentions)

    def read_message(self, text: str, message: str, find: MentionFinder) -> CaptionReading | Unreadable:
        """What another finder of mentions makes of a text, whose part that is the caption is `message`."""
        tokens = tokenize(message)
        reason = why_unreadable(message, tokens)
        if reason:
            return Unreadable(text, reason)
        mentions = find(message, tokens, self._tagger.tag(tokens))
        if message is not text:
            # Markup inside a mention was blanked out for reading; the mention quotes the text as it came.
            mentions = tuple(replace(each, text=text[each.start : each.end]) for each in mentions)
        return CaptionReading(text, mentions)

    def _mentions(self, message: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        passage = Passage(message, tokens, tags, find_phrases(message, tokens, tags, self._namer))
        label_potted(passage, self._namer)
        mark_claims(passage, self._namer, frozenset(self.depicted))
        return count_mentions(passage)

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
