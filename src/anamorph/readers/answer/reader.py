"""The answer reader: what a visual question answerer says becomes a number, a yes or a no."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.language.labels import LabelSpace
from anamorph.language.mentions.finding import find_mentions
from anamorph.language.naming import Namer
from anamorph.language.quantity import number_of
from anamorph.language.tagging.rules import RuleTagger
from anamorph.language.tokens import Tokens, tokenize
from anamorph.language.unreadable import why_unreadable
from anamorph.language.wrapping import unwrapped
from anamorph.model import Answer, Reading, Unreadable
from anamorph.model.reading import AnswerReading, Mention
from anamorph.readers.answer.wordings import (
    AFTER_NO,
    AGREEMENT,
    FILLERS,
    INEXACT,
    NO_WORDS,
    OPENERS,
    PICTURES,
    PLAIN_ANSWERS,
    VAGUE_WORDS,
    YES_WORDS,
    ZERO_WORDS,
    absent_at,
    begins_to_tell,
    says_unsure,
)

# A longer answer says what it says at its beginning.
_BEGINNING = 2000


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """Reads an answer to a question as a number, a vague number, or a yes or no."""

    kind: ClassVar[str] = "answer"

    def read(self, answer: Answer) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a text")
        return self.read_text(answer.text)

    def read_text(self, text: str, question: str | None = None) -> AnswerReading | Unreadable:
        """What an answer says; where a question is given, only numbers of what it asks for count."""
        message = unwrapped(text)
        beginning = message.strip()[:_BEGINNING]
        tokens = tokenize(beginning)
        found = _Answer(beginning, tokens, question)
        if not found.nothing:
            return AnswerReading(text, found.number, found.vague, found.yes)
        reason = why_unreadable(message, tokenize(message) if len(message) > _BEGINNING else tokens)
        if reason is None:
            reason = "the system does not know" if says_unsure(beginning) else "it says neither how many nor yes or no"
        return Unreadable(text, reason)


class _Answer:
    """What one answer says, found step by step."""

    def __init__(self, text: str, tokens: Tokens, question: str | None) -> None:
        self.number: int | None = None
        self.vague: str | None = None
        self.yes: bool | None = None
        words = [word for word in tokens.lowers if word[0].isalnum() or word in ("n't", "+", ">", "<", "~")]
        if not words or self._is_only_a_number(words, text):
            return
        absent = absent_at(text)
        if absent is None and why_unreadable(text, tokens):
            return
        self.yes = _plain_yes(tokens.lowers)
        if self.yes is None and words[0] in ZERO_WORDS:
            self.number = 0
            return
        rest = [word for word in words if word not in FILLERS]
        if self.yes is not None and len(rest) <= 2 and not any(number_of([word]) is not None for word in rest):
            # A bare no is also how many there are.
            self.number = 0 if not self.yes and rest in (["no"], ["nope"], ["none"]) else None
            return
        exact = self._count(text, tokens, question)
        if absent is not None and not exact:
            self.number, self.vague = 0, None
        elif says_unsure(text) and not (" but " in text.lower() and not self.nothing):
            # "I am not sure, but there are three" says three after all.
            self.number = self.vague = self.yes = None

    @property
    def nothing(self) -> bool:
        return self.number is None and self.vague is None and self.yes is None

    def _is_only_a_number(self, words: Sequence[str], text: str) -> bool:
        """ "2", "Two.", "only one", "a", "many", "10+", "about ten"."""
        inexact = any(mark in text for mark in "+><~≈≥") or any(word in INEXACT for word in words)
        bare = [word for word in words if word not in FILLERS and word not in INEXACT and word not in "+><~"]
        if len(bare) == 1 and bare[0] in ("a", "an", "single"):
            self.number = 1
        elif len(bare) == 1 and bare[0] in ZERO_WORDS and bare[0] != "no":
            self.number = 0
        elif bare and " ".join(bare) in VAGUE_WORDS:
            self.vague = " ".join(bare)
        elif bare == ["couple"] or bare == ["a", "couple"] or bare == ["both"]:
            self.number = 2
        elif bare and (value := number_of(bare[1:] if bare[0] == "a" and len(bare) > 1 else bare)) is not None:
            if _is_negative_or_fraction(text):
                return False
            self.number, self.vague = (None, " ".join(words)) if inexact else (value, None)
        elif len(bare) == 3 and bare[1] in ("or", "to") and None not in (number_of(bare[:1]), number_of(bare[2:])):
            self.vague = " ".join(bare)
        else:
            return False
        return True

    def _count(self, text: str, tokens: Tokens, question: str | None) -> bool:
        """Find the number; gives whether an exact one was said of something."""
        tags = _tagger().tag(tokens)
        mentions = [m for m in find_mentions(text, tokens, tags, _namer()) if m.head not in PICTURES]
        asked = _asked(question) if question else frozenset()
        wanted = [m for m in mentions if m.head in asked]
        chain = wanted or _chain(text, tokens, tags, mentions)
        counts = [_count_of(mention, tokens) for mention in chain]
        uncounted = [m for m, count in zip(chain, counts, strict=True) if count is None and m.number != "singular"]
        if uncounted:
            self.vague = _wording(uncounted[0], tokens)
        elif any(count is not None for count in counts):
            self.number = sum(count for count in counts if count is not None)
        elif not chain:
            self._lone_number(text, tokens, tags)
        return any(mention.count for mention in chain)

    def _lone_number(self, text: str, tokens: Tokens, tags: Sequence[str]) -> None:
        """A number with no noun: "The answer is 3", "I count four"."""
        start = begins_to_tell(text)
        places = [place for place, tag in enumerate(tags) if tag == "CD" and tokens.starts[place] >= start]
        if len(places) != 1 or _is_negative_or_fraction(text):
            return
        value = number_of([tokens.lowers[places[0]]])
        if value is None:
            return
        if places[0] and tokens.lowers[places[0] - 1] in INEXACT:
            self.vague = " ".join(tokens.lowers[places[0] - 1 : places[0] + 1])
        else:
            self.number = value


def _plain_yes(lowers: Sequence[str]) -> bool | None:
    """The yes or no that an answer begins with."""
    first = next((place for place, word in enumerate(lowers) if word[0].isalnum() and word not in OPENERS), None)
    if first is None:
        return None
    word = lowers[first]
    following = lowers[first + 1] if first + 1 < len(lowers) else "."
    if following in ("or", "/"):
        return None
    if word == "no":
        return False if not following[0].isalnum() or following in AFTER_NO else None
    if word in NO_WORDS:
        return False
    if word == "not":
        return False if following in ("really", "at", ".") else None
    if word in YES_WORDS:
        return following != "not"
    whole = " ".join(w for w in lowers[first : first + 8] if w[0].isalnum() or w in ("n't", "'s"))
    whole = whole.replace(" n't", " not").replace(" 's", " is")
    agreement = AGREEMENT.match(whole)
    if agreement:
        return bool(agreement[2]) != bool(agreement[1])
    return PLAIN_ANSWERS.get(whole)


def _chain(text: str, tokens: Tokens, tags: Sequence[str], mentions: Sequence[Mention]) -> list[Mention]:
    """The things that a sentence lists once it comes to the point: "There are [two dogs and a cat] in the image."."""
    start = begins_to_tell(text)
    listed: list[Mention] = []
    places = {end: place for place, end in enumerate(tokens.ends)}
    for mention in mentions:
        if mention.start < start:
            continue
        if listed and any(
            tag in ("IN", "TO", "VBG", "VBN", "VBZ", "VBP", "WDT", "WP", "WRB", "RB") or word in ".!?;:("
            for tag, word in zip(
                tags[places[listed[-1].end] + 1 : places[mention.end]],
                tokens.lowers[places[listed[-1].end] + 1 : places[mention.end]],
                strict=True,
            )
        ):
            break
        listed.append(mention)
    return listed


def _count_of(mention: Mention, tokens: Tokens) -> int | None:
    """The exact number of a mention; "a dog" is one."""
    if mention.count is not None:
        return mention.count
    return 1 if mention.number == "singular" and _words_before(mention, tokens) & {"a", "an", "another"} else None


def _words_before(mention: Mention, tokens: Tokens) -> set[str]:
    before = [word for word, start in zip(tokens.lowers, tokens.starts, strict=True) if start < mention.start]
    return set(before[-4:])


def _wording(mention: Mention, tokens: Tokens) -> str:
    words = _words_before(mention, tokens)
    return next((word for word in VAGUE_WORDS if word in words), mention.text.lower())


def _asked(question: str) -> frozenset[str]:
    """The heads of what a question asks for."""
    tokens = tokenize(question)
    found = find_mentions(question, tokens, _tagger().tag(tokens), _namer())
    return frozenset(mention.head for mention in found if mention.head not in PICTURES)


def _is_negative_or_fraction(text: str) -> bool:
    return any(mark in text for mark in ("%", "½", "¼")) or text.lstrip().startswith(("-", "\u2212"))


@functools.cache
def _tagger() -> RuleTagger:
    return RuleTagger()


@functools.cache
def _namer() -> Namer:
    return Namer(LabelSpace("none", ()))
