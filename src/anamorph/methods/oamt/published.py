"""OAMT's own relations over triples (object, action, number), as far as they can be had without its inference model.

Source: what the released tool does, since no text of the paper was at hand. Two things differ. Its gate, natural
language inference between the whole's caption and the pieces', is left out. Where it asks that model whether two
objects, or two actions, contradict each other, objects match here by word or class (a man is no woman), and actions if
one is not told, or if verb and object are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from anamorph.model import CaptionReading, Evidence, Grade, Mention, Reading, ReadingKind, Relation, Verdict
from anamorph.relations.parts_tell_whole import PartsTellWhole
from anamorph.relations.verdicts.phrases import all_of, listed, say_nothing, sentence

Profile: TypeAlias = Literal["anamorph", "paper"]
# MR2 is about these alone.
LIVING = frozenset(
    ("person", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "animal")
)
_VERB = re.compile(
    r"(?:,? (?:who|that|which))?(?: (?:is|are|was|were))?(?: (?:also|all|both|being))? ([a-z]+(?:ing|ed))\b", re.I
)
_JOINED = re.compile(r",?(?: and|,)(?: an?| the| two| three)?(?: \w+){0,2} ?")
# An object this many words after its verb belongs to something else.
_NEAR_WORDS = 5
_MALE, _FEMALE = frozenset(("man", "boy", "guy", "gentleman")), frozenset(("woman", "girl", "lady"))
_ANYBODY = "person"


@dataclass(frozen=True, slots=True)
class Triple:
    """A thing that a caption names, and the verb and the object of its action, if the caption tells one."""

    mention: Mention
    verb: str | None
    target: str | None

    @property
    def plural(self) -> bool:
        return self.mention.number == "plural" or self.mention.least > 1

    @property
    def living(self) -> bool:
        return self.mention.label in LIVING or self.mention.head in LIVING


@dataclass(frozen=True, slots=True)
class TriplesRecur:
    """A plural triple is plural in a piece or singular in each; a singular one of a living thing is in a piece."""

    kind: ClassVar[str] = "triples-recur"
    reads: ClassVar[ReadingKind] = "caption"
    claims: ClassVar[str | None] = "what the whole's caption says is said of one of its pieces"
    least_answers: ClassVar[int] = 3
    grade: ClassVar[Grade | None] = None

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        whole, *pieces = captions
        if any(piece.text == whole.text for piece in pieces):
            return Verdict("holds", "A piece has the caption of the whole.")
        told = [list(triples(piece)) for piece in pieces]
        failed = [(part, triple) for triple in triples(whole) for part in _violated(triple, told)]
        if not failed:
            return Verdict("holds", "What the whole's caption says recurs.", vacuous=say_nothing(captions))
        names = {part: [_words(triple) for each, triple in failed if each == part] for part in ("mr1", "mr2")}
        clauses = [f"{listed(dict.fromkeys(words))} does not recur ({part})" for part, words in names.items() if words]
        return Verdict(
            "violated",
            sentence(clauses),
            violated=tuple(part for part, words in names.items() if words),
            categories=("association",),
            evidence=tuple(Evidence(0, t.mention.text, t.mention.start, t.mention.end) for _, t in failed),
        )


def judged_as(relation: Relation, profile: str) -> Relation | None:
    """A relation of a case as a profile judges."""
    if not isinstance(relation, PartsTellWhole | TriplesRecur):
        return None
    if profile == "paper":
        return TriplesRecur()
    return relation if isinstance(relation, PartsTellWhole) else PartsTellWhole()


def triples(caption: CaptionReading) -> Iterator[Triple]:
    """The triples of a caption; in "a man and a woman standing" both stand."""
    mentions = [mention for mention in caption.mentions if mention.present]
    for place, mention in enumerate(mentions):
        last, verb = mention, _VERB.match(caption.text, mention.end)
        for following in mentions[place + 1 :]:
            if verb is not None or not _JOINED.fullmatch(caption.text[last.end : following.start]):
                break
            last, verb = following, _VERB.match(caption.text, following.end)
        if verb is None:
            yield Triple(mention, None, None)
            continue
        after = next((each for each in mentions if each.start >= verb.end()), None)
        near = after is not None and len(caption.text[verb.end() : after.start].split()) <= _NEAR_WORDS
        yield Triple(mention, verb[1].lower(), after.head if after is not None and near else None)


def _violated(triple: Triple, told: Sequence[Sequence[Triple]]) -> Iterator[str]:
    matching = [[each for each in some if _same_thing(triple, each) and _same_deed(triple, each)] for some in told]
    if triple.plural:
        several = any(any(each.plural for each in some) or len(some) > 1 for some in matching)
        if not several and not all(matching):
            yield "mr1"
    elif triple.living and not any(not each.plural for some in matching for each in some):
        yield "mr2"


def _same_thing(one: Triple, other: Triple) -> bool:
    first, second = one.mention, other.mention
    if first.head == second.head:
        return True
    if first.label is not None and first.label == second.label:
        return _ANYBODY in (first.head, second.head) or not _sexes_differ(first.head, second.head)
    return first.label in second.may_be or second.label in first.may_be


def _sexes_differ(one: str, other: str) -> bool:
    return any((one in some and other in others) for some, others in ((_MALE, _FEMALE), (_FEMALE, _MALE)))


def _same_deed(one: Triple, other: Triple) -> bool:
    if one.verb is None or other.verb is None:
        return True
    return one.verb == other.verb and (None in (one.target, other.target) or one.target == other.target)


def _words(triple: Triple) -> str:
    deed = "" if triple.verb is None else f" {triple.verb}{'' if triple.target is None else f' {triple.target}'}"
    return f"{triple.mention.text}{deed}"
