"""The words of an answer, cut into sentences, and the phrases that are found among them."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from anamorph.language.naming import SENSES
from anamorph.language.tokens import Tokens
from anamorph.language.wordlists import word_list, word_table
from anamorph.language.wordnet import taxonomy

# What stands for a thing that was named.
PRONOUNS = frozenset(("it", "they", "he", "she", "this", "that", "these", "those"))
# How the amount of a phrase is said; "definite" is "the dog", "bare" is "dogs", "any" is the one of "I don't see any",
# "pronoun" the "they" of "they are red".
Said: TypeAlias = Literal["number", "vague", "none", "article", "definite", "bare", "any", "pronoun"]


# The tags of finite verbs.
VERBS = frozenset(("VBZ", "VBP", "VBD", "MD"))

# Nouns for several people.
PEOPLE = word_list("answers", "people")
CONCLUDING = word_list("answers", "concluding")
ORDINALS = word_list("answers", "ordinals")
_MORE = word_list("answers", "more")
_BESIDES = frozenset(("besides", "additionally"))
_ADDING = _MORE | _BESIDES | ORDINALS | {"well", "addition"}
_BEFORE_CONCLUDED = word_list("answers", "before_concluded")
# Other words for the same attribute.
_SAME: dict[str, str] = word_table("attributes", "same")
_ENDING = re.compile(r"(?:ing|es|s|ed|e)$")
_SHORT = 3


class UndecidedError(ValueError):
    """An answer does not settle what was asked."""


class Sentence(NamedTuple):
    """The words from `first` up to `last`; `listed` for an item of a list."""

    first: int
    last: int
    listed: bool


class Words:
    """A tagged text with its sentences."""

    def __init__(self, tokens: Tokens, tags: Sequence[str], sentences: Sequence[Sentence]) -> None:
        self.tokens, self.lowers, self.tags, self.sentences = tokens, tokens.lowers, tags, sentences
        self.adds = not _ADDING.isdisjoint(self.lowers)
        self.sentence_of = [0] * len(tags)
        for number, sentence in enumerate(sentences):
            for place in range(sentence.first, sentence.last):
                self.sentence_of[place] = number

    def word(self, place: int, sentence: Sentence) -> str:
        """The word at a place of a sentence; a full stop outside of it."""
        return self.lowers[place] if sentence.first <= place < sentence.last else "."

    def concludes(self, place: int, sentence: Sentence) -> bool:
        """Whether a conclusion stands before a place: ", so the count is [5]", "making a total of [four]"."""
        each = place - 1
        while each >= sentence.first and (
            self.lowers[each] in _BEFORE_CONCLUDED
            or (self.lowers[each] == "the" and self.lowers[each + 1] in _BEFORE_CONCLUDED)
            or (self.lowers[each] == "," and self.lowers[each - 1] in CONCLUDING and each - 1 == sentence.first)
        ):
            each -= 1
        return each >= sentence.first and self.lowers[each] in CONCLUDING

    def tag(self, place: int, sentence: Sentence) -> str:
        return self.tags[place] if sentence.first <= place < sentence.last else "."

    def is_more(self, phrase: Phrase) -> bool:
        """ "Another one", "two more", "also a dog", "a second dog", "as well as a dog"; "more than two" are no more."""
        if not self.adds:
            return False
        around = self.lowers[max(0, phrase.first - 1) : phrase.last + 2]
        first = self.sentences[phrase.sentence].first
        before = self.lowers[max(first, phrase.first - 3) : phrase.first]
        return (
            any(
                word in _MORE and around[place + 1 : place + 2] != ["than"] and around[max(0, place - 1)] != "or"
                for place, word in enumerate(around)
            )
            or before in (["as", "well", "as"], ["in", "addition", "to"])
            or self.lowers[first] in _BESIDES
            or self.lowers[first : first + 2] == ["in", "addition"]
            or (phrase.said != "definite" and not ORDINALS.isdisjoint(self.lowers[phrase.first : phrase.last + 1]))
        )


@dataclass(frozen=True, slots=True)
class Phrase:
    """What one phrase names: from `first` to `last`, in a sentence; `head` is None where the noun is left out.

    `target` is the place of the kind among those that were asked for, None for anything else. `whole` is the interval
    of those of which it is a part: "two of the five dogs".
    """

    first: int
    last: int
    sentence: int
    least: int
    most: int | None
    said: Said
    head: str | None
    target: int | None
    part: bool = False
    whole: tuple[int, int | None] | None = None

    @property
    def exact(self) -> bool:
        return self.least == self.most

    @property
    def perhaps(self) -> bool:
        """Whether there may be any or none: "possibly a third", "up to two"."""
        return self.least == 0 != self.most


@functools.lru_cache(maxsize=4096)
def stem_of(word: str) -> str:
    """A word without its ending, so that "sits" and "sitting" are one."""
    word = _SAME.get(word, word)
    stem = _ENDING.sub("", word) if len(word) > _SHORT else word
    return stem[:-1] if stem != word and stem[-1] == stem[-2:-1] and stem[-1] not in "aeiosl" else stem


# What affirms a deed that was asked about, in other words: whoever sips is drinking.
ALSO: dict[str, frozenset[str]] = {
    stem_of(deed): frozenset(map(stem_of, words.split())) for deed, words in word_table("attributes", "also").items()
}


@functools.lru_cache(maxsize=16384)
def is_below(head: str, target: str) -> bool:
    """Whether WordNet puts what captions mean by one noun under another; a chicken is a bird, and only then food."""
    wordnet = taxonomy()
    lower, upper = wordnet.senses(head), wordnet.senses(target)
    if not lower or not upper:
        return False
    wanted = upper[min(SENSES.get(target, 1), len(upper)) - 1]
    meant = (lower[SENSES[head] - 1],) if head in SENSES and len(lower) >= SENSES[head] else lower[:2]
    return any(wanted in wordnet.closure(sense) for sense in meant)
