"""How MetaIC's answers are judged as published, and what its released tool read and claimed.

The tool looked only at words tagged NN or NNS. Where it and the caption reader disagree, the caption reader is meant to
be right. There are two such oracles: MetaIC's own, whose list lacks five classes of one word, and the one with which
ROME's authors ran MetaIC again for their table 1, which has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

from anamorph.language.labels import class_words
from anamorph.language.morphology import plural_of
from anamorph.language.tokens import Tokens
from anamorph.model import Answer, CaptionReading, Grade, Mention, Reading, Relation, Unreadable, Verdict, setting
from anamorph.readers.caption import CaptionReader
from anamorph.relations.only_gains import OnlyGains

# How answers are judged: with the ledger, exactly as the paper says, as its tool did, or as ROME's authors did with it.
Profile: TypeAlias = Literal["anamorph", "paper", "released", "released-rerun"]


@dataclass(frozen=True, slots=True)
class ReleasedReader:
    """Reads a caption as MetaIC's released tool did: class words of one word, singular or plural, and nothing else."""

    kind: ClassVar[str] = "released-metaic"
    settings_of: ClassVar[str | None] = CaptionReader.kind
    shipped: ClassVar[Mapping[str, tuple[str, ...]]] = CaptionReader.shipped
    # The tool's class list has the single-word classes except these.
    left_out: ClassVar[frozenset[str]] = frozenset(("donut", "tv", "mouse", "skis", "knife"))
    labels: str = setting("coco", "The label space, as for the caption reader.")
    tagger: str = setting("rules", "What finds the nouns, as for the caption reader.")
    _caption: CaptionReader = field(init=False, repr=False, compare=False)
    _words: Mapping[str, tuple[str, bool]] = field(init=False, repr=False, compare=False)
    _one_form: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_caption", CaptionReader(labels=self.labels, tagger=self.tagger))
        space = self._caption.space
        words = {
            word: found
            for word, found in class_words(space).items()
            if " " not in word and found[0] not in self.left_out
        }
        object.__setattr__(self, "_words", words)
        one_form = frozenset(name for name in space.names if plural_of(name) == name and name != "broccoli")
        object.__setattr__(self, "_one_form", one_form)

    def read(self, answer: Answer, question: str | None = None) -> Reading:
        if answer.text is None:
            return self._caption.read(answer, question)
        return self.read_text(answer.text)

    def read_text(self, text: str) -> CaptionReading | Unreadable:
        """What a text names; the tool took texts as they came."""
        return self._caption.read_message(text, text, self._mentions)

    def _mentions(self, text: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
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
    reads: ClassVar[str] = ReleasedReader.kind
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
    reads: ClassVar[str] = RerunReader.kind


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
