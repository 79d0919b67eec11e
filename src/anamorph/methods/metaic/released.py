"""How MetaIC's answers are judged as published, and what its released tool read and claimed.

The tool looked only at words tagged NN or NNS. Where it and the caption reader disagree, the caption reader is meant to
be right. There are two such oracles: MetaIC's own, whose list lacks five classes of one word, and the one with which
ROME's authors ran MetaIC again for their table 1, which has them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from anamorph.language.labels import class_words
from anamorph.language.morphology import plural_of
from anamorph.language.tagging.taggers import RULES, find_tagger
from anamorph.language.tokens import Tokens
from anamorph.model import (
    Answer,
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
from anamorph.relations.only_gains import OnlyGains

# How answers are judged: with the ledger, exactly as the paper says, as its tool did, or as ROME's authors did with it.
Profile: TypeAlias = Literal["anamorph", "paper", "released", "released-rerun"]


@dataclass(frozen=True, slots=True)
class ReleasedReader:
    """Reads a caption as MetaIC's released tool did: class words of one word, singular or plural, and nothing else."""

    kind: ClassVar[str] = "released-metaic"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("caption",)
    shipped: ClassVar[Mapping[str, tuple[str, ...]]] = {"tagger": (RULES,)}
    retired: ClassVar[RetiredSettings] = {"labels": ("coco", "A run has one label space: set `labels`.")}
    # The tool's class list has the single-word classes except these.
    left_out: ClassVar[frozenset[str]] = frozenset(("donut", "tv", "mouse", "skis", "knife"))
    tagger: str = setting(RULES, "What finds the nouns: rules, spacy, spacy:MODEL, stanza or stanza:FOLDER.")

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a caption")
        words = _class_words(wanted.space, self.left_out)
        # The tool took texts as they came.
        return read_message(answer.text, answer.text, find_tagger(self.tagger), words.mentions)


@functools.lru_cache(maxsize=16)
def _class_words(space: LabelSpace, left_out: frozenset[str]) -> _ClassWords:
    return _ClassWords(space, left_out)


class _ClassWords:
    """The class words that the tool knows, and where a text has them."""

    def __init__(self, space: LabelSpace, left_out: frozenset[str]) -> None:
        self._words = {
            word: found for word, found in class_words(space).items() if " " not in word and found[0] not in left_out
        }
        self._one_form = frozenset(name for name in space.names if plural_of(name) == name and name != "broccoli")

    def mentions(self, text: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        """The nouns of a tagged text that are class words."""
        found = []
        for place, tag in enumerate(tags):
            word = tokens.lowers[place]
            if tag in ("NN", "NNS") and word in self._words:
                label, plural = self._words[word]
                if word in self._one_form:
                    plural = tag == "NNS"
                start, end = tokens.starts[place], tokens.ends[place]
                found.append(Mention(text[start:end], start, end, label, label, "plural" if plural else "singular"))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class RerunReader(ReleasedReader):
    """Reads a caption as ROME's authors did when they ran MetaIC again: all class words of one word, nothing else."""

    kind: ClassVar[str] = "released-metaic-rerun"
    left_out: ClassVar[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class ReleasedOnlyGains:
    """The follow-up's caption gains the inserted class and nothing else, as MetaIC's released tool read and judged."""

    kind: ClassVar[str] = "released-only-gains"
    reads: ClassVar[ReadingKind] = "caption"
    read_by: ClassVar[str | None] = ReleasedReader.kind
    claims: ClassVar[str | None] = "the caption keeps what it named, and adds what was inserted"
    most_answers: ClassVar[int | None] = OnlyGains.most_answers
    class_settings: ClassVar[tuple[str, ...]] = ("inserted",)
    grade: ClassVar[Grade | None] = None
    inserted: str = setting(help="The class of the object that was inserted.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        # The paper evaluates both relations; the tool skipped MR2 where MR1 had failed.
        return OnlyGains(self.inserted, mr2_only_if_mr1_holds=True).judge(readings)


@dataclass(frozen=True, slots=True)
class RerunOnlyGains(ReleasedOnlyGains):
    """The follow-up's caption gains the inserted class and nothing else, as ROME's authors read and judged MetaIC."""

    kind: ClassVar[str] = "released-rerun-only-gains"
    read_by: ClassVar[str | None] = RerunReader.kind


def can_read(profile: str, label: str) -> bool:
    """Whether the reader of a profile knows any word for a class."""
    left_out = {"released": ReleasedReader.left_out, "released-rerun": RerunReader.left_out}.get(profile)
    return left_out is None or (" " not in label and label not in left_out)


def judged_as(relation: Relation, profile: str) -> Relation | None:
    """A relation of MetaIC as a profile judges; None where it does not hold what that needs."""
    if isinstance(relation, ReleasedOnlyGains):
        # The released oracles know no more than the inserted class, so each can stand in for the other.
        released = {"released": ReleasedOnlyGains, "released-rerun": RerunOnlyGains}.get(profile)
        return None if released is None else released(relation.inserted)
    if not isinstance(relation, OnlyGains):
        return None
    if profile == "released":
        return ReleasedOnlyGains(relation.inserted)
    if profile == "released-rerun":
        return RerunOnlyGains(relation.inserted)
    if profile == "paper":
        return replace(relation, ledger=False, known=None, complete=None)
    return relation
