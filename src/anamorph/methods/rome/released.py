"""How ROME's answers are judged as published, and what its released tool read and claimed.

The tool looked only at words tagged NN or NNS. Where it and the caption reader disagree, the caption reader is meant to
be right.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from anamorph.language.labels import class_words
from anamorph.language.tagging.taggers import RULES, find_tagger
from anamorph.language.tokens import Tokens
from anamorph.language.wordnet import taxonomy
from anamorph.model import (
    Answer,
    CaptionReading,
    Grade,
    LabelSpace,
    Mention,
    Reading,
    ReadingKind,
    Relation,
    Unreadable,
    Verdict,
    Wanted,
    setting,
)
from anamorph.model.codec import RetiredSettings
from anamorph.readers.english.caption import read_message
from anamorph.relations.only_loses import OnlyLoses

# How answers are judged: with the ledger, exactly as the paper says, or as its released tool did.
Profile: TypeAlias = Literal["anamorph", "paper", "released"]
# The order in which the tool looks for two-word chunks.
_CHUNKS = (("JJ", "NN"), ("JJ", "NNS"), ("NN", "NN"), ("NN", "NNS"))
# NLTK's endings for nouns, in its order; the tool looked words up through it.
_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("ves", "f"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
# The word itself, its hypernyms, and theirs.
_LEVELS = 3
_REMEMBERED = 100_000


@dataclass(frozen=True, slots=True)
class NounMention(Mention):
    """A noun or a chunk of two words; `kin` are the labels that it could stand for, the nearest first."""

    kin: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleasedReader:
    """Reads a caption as ROME's released tool did: nouns and chunks, and the class words that each could stand for."""

    kind: ClassVar[str] = "released-rome"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("caption",)
    shipped: ClassVar[Mapping[str, tuple[str, ...]]] = {"tagger": (RULES,)}
    retired: ClassVar[RetiredSettings] = {"labels": ("coco", "A run has one label space: set `labels`.")}
    tagger: str = setting(RULES, "What finds the nouns: rules, spacy, spacy:MODEL, stanza or stanza:FOLDER.")

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a caption")
        # The tool took texts as they came.
        find = _class_words(wanted.space).mentions
        return read_message(answer.text, answer.text, find_tagger(self.tagger), find)


@functools.lru_cache(maxsize=16)
def _class_words(space: LabelSpace) -> _ClassWords:
    return _ClassWords(space)


@dataclass(frozen=True, slots=True)
class ReleasedOnlyLoses:
    """The follow-up's caption loses only what was melted, with words mapped and counted as ROME's released tool did."""

    kind: ClassVar[str] = "released-only-loses"
    reads: ClassVar[ReadingKind] = "caption"
    read_by: ClassVar[str | None] = ReleasedReader.kind
    claims: ClassVar[str | None] = "the caption loses only what was removed"
    most_answers: ClassVar[int | None] = OnlyLoses.most_answers
    class_settings: ClassVar[tuple[str, ...]] = ("removed",)
    grade: ClassVar[Grade | None] = None
    removed: tuple[str, ...] = setting(help="The classes of the objects that the follow-up lacks.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        ancestor, descendant = readings
        if not isinstance(ancestor, CaptionReading) or not isinstance(descendant, CaptionReading):
            return OnlyLoses(self.removed).judge(readings)
        ancestor, descendant = mapped_pair(ancestor, descendant)
        # The tool knows no scene: the last object was removed where the ancestor's caption has one.
        gone = tuple(label for label in dict.fromkeys(self.removed) if count_of(ancestor, label) == 1)
        # With equation 3 to the letter, the published 1,057 reports of MR2 are met up to eight rows about sheep.
        return OnlyLoses(self.removed, gone).judge([ancestor, descendant])


def judged_as(relation: Relation, profile: str) -> Relation | None:
    """A relation of ROME as a profile judges; None where it does not hold what that needs."""
    if isinstance(relation, ReleasedOnlyLoses):
        return relation if profile == "released" else None
    if not isinstance(relation, OnlyLoses):
        return None
    if profile == "released":
        return ReleasedOnlyLoses(relation.removed)
    if profile == "paper":
        return replace(relation, melted=None, ledger=False, known=None, complete=None)
    return relation


def mapped_pair(ancestor: CaptionReading, descendant: CaptionReading) -> tuple[CaptionReading, CaptionReading]:
    """Two readings with every word mapped: one that is no class word stands for the nearest class word that is present
    in either caption, and is dropped where there is none.
    """
    present = frozenset((*ancestor.labels, *descendant.labels))
    return _mapped_onto(ancestor, present), _mapped_onto(descendant, present)


def _mapped_onto(reading: CaptionReading, present: frozenset[str]) -> CaptionReading:
    mapped = []
    for mention in reading.mentions:
        kin = mention.kin if isinstance(mention, NounMention) else ()
        label = mention.label or next((each for each in kin if each in present), None)
        if label is not None:
            mapped.append(mention if label == mention.label else replace(mention, label=label))
    return CaptionReading(reading.text, tuple(mapped))


def count_of(reading: CaptionReading, label: str) -> int:
    """How many of a label the tool counts: one for a singular noun, two for a plural."""
    return sum(2 if mention.number == "plural" else 1 for mention in reading.mentions_of(label))


class _ClassWords:
    def __init__(self, space: LabelSpace) -> None:
        self._words = class_words(space)
        self._known: dict[str, tuple[str, ...]] = {}

    def mentions(self, text: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        tags = _as_stanza(tokens, tags)
        words = tokens.texts
        # (first place, last place); a chunk may stand beside its own noun, as in the tool.
        spans = [(place, place) for place, tag in enumerate(tags) if tag in ("NN", "NNS")]
        for before, after in _CHUNKS:
            for place in range(len(tags) - 1):
                if tags[place] != before or tags[place + 1] != after:
                    continue
                chunk = f"{words[place]} {words[place + 1]}"
                is_class = chunk in self._words
                if is_class or _senses(chunk):
                    spans.append((place, place + 1))
                if is_class:
                    _drop(spans, place + 1)
                if before == "NN":
                    _drop(spans, place)
        return tuple(self._mention(text, tokens, tags, first, last) for first, last in sorted(spans))

    def _mention(self, text: str, tokens: Tokens, tags: Sequence[str], first: int, last: int) -> Mention:
        word = " ".join(tokens.texts[first : last + 1])
        start, end = tokens.starts[first], tokens.ends[last]
        label = self._words[word][0] if word in self._words else None
        # The tool counts skis once, whatever their form.
        plural = tags[last] == "NNS" and word != "skis"
        kin = () if label else self._kin(word)
        return NounMention(text[start:end], start, end, word, label, "plural" if plural else "singular", kin=kin)

    def _kin(self, word: str) -> tuple[str, ...]:
        if word not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            self._known[word] = self._kin_of(word)
        return self._known[word]

    def _kin_of(self, word: str) -> tuple[str, ...]:
        wordnet = taxonomy()
        kin: dict[str, None] = {}
        level = list(_senses(word))
        for _ in range(_LEVELS):
            for sense in level:
                kin.update((self._words[name][0], None) for name in wordnet.names(sense) if name in self._words)
            level = list(dict.fromkeys(up for sense in level for up in wordnet.above(sense)))
        return tuple(kin)


def _drop(spans: list[tuple[int, int]], place: int) -> None:
    if (place, place) in spans:
        spans.remove((place, place))


@functools.lru_cache(maxsize=16384)
def _senses(word: str) -> tuple[int, ...]:
    """All senses of a word and of the forms it may be inflected from."""
    wordnet = taxonomy()
    word = word.lower()
    if word in wordnet.plurals:
        forms = [word, wordnet.plurals[word]]
    else:
        forms = [word, *(word[: -len(old)] + new for old, new in _ENDINGS if word.endswith(old))]
    return tuple(dict.fromkeys(sense for form in forms for sense in wordnet.senses(form)))


def _as_stanza(tokens: Tokens, tags: Sequence[str]) -> list[str]:
    """Stanza's reading of a noun with one form: plural after "of", a number or a quantifier, else singular."""
    found = list(tags)
    for place, word in enumerate(tokens.lowers):
        if word == "sheep" and tags[place] == "NNS":
            before = tokens.lowers[place - 1] if place else ""
            if before != "of" and (not place or tags[place - 1] not in ("CD", "JJ")):
                found[place] = "NN"
    return found
