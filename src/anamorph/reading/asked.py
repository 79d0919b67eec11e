"""What a question asks for: whether or how many, of what, and what it must be like."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anamorph.model import Asks
from anamorph.reading.cues import Found, cues_of, tables, words
from anamorph.reading.groups import Item, Parse, parsed
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import Namer
from anamorph.reading.quantity import number_of
from anamorph.reading.tokens import tokenize

_CUES = cues_of(
    "questions", *(kind for kind in tables("questions") if kind not in ("idle", "small", "anyone", "frame", "join"))
)
SIDES = frozenset(side for word in words("attributes", "side", "words") for side in word.split("/"))
# Words that exclude others: colors, postures, sides.
LOOKS = words("attributes", "exclude", "words") | SIDES
_IDLE = words("questions", "idle", "words")
_ANYONE = words("questions", "anyone", "words")
_ONE: str = tables("questions")["anyone"][0]["means"]
_SMALL = words("questions", "small", "words")
_GENERAL = {row["class"]: frozenset(row["words"].split(" / ")) for row in tables("kinds")["general"]}
_KINDS: dict[str, frozenset[str]] = {}
for _row in tables("kinds")["kind"]:
    _KINDS[_row["of"]] = _KINDS.get(_row["of"], frozenset()) | frozenset(_row["kinds"].split(" / "))


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of thing that is asked for: its noun, its class if it has one, and whether it stands for the class."""

    head: str
    label: str | None
    supercategory: str | None
    may_be: tuple[str, ...] = ()

    @property
    def general(self) -> bool:
        """Whether the noun means the whole class: couches, not armchairs."""
        return self.label is not None and (self.head == self.label or self.head in _GENERAL.get(self.label, ()))

    def is_named(self, item: Item) -> bool:
        """Whether a group names what was asked for by its own word, or by another for the whole class."""
        if item.head == self.head:
            return True
        return (
            self.general and self.label == item.label and item.head in (self.label, *_GENERAL.get(self.label or "", ()))
        )

    def covers(self, item: Item, namer: Namer) -> bool:
        """Whether a group is of this kind: women are people, a kitchen chair is a chair."""
        head = item.head or ""
        if self.is_named(item) or (self.general and item.label == self.label):
            return True
        if self.label == _ONE and item.denied and head in _ANYONE:
            return True
        if head.endswith(f" {self.head}") and item.label in (None, self.label, *self.may_be):
            return True
        if self.label is None and self.head.endswith(f" {head}"):
            return True
        kinds = _KINDS.get(self.head, ())
        if head in kinds or (item.label is not None and item.label in kinds):
            return True
        return (
            item.label is not None and self.head == (namer.space.supercategory(item.label) or "") and self.label is None
        )

    def may_cover(self, item: Item) -> bool:
        """Whether a group may be of this kind: a mug may be a cup."""
        return self.general and self.label in item.may_be


@dataclass(frozen=True, slots=True)
class Question:
    """A question as plain facts; `asks` is None where it asks neither whether nor how many.

    `rest` are the words that say what it must be like. `bounds` is the interval that a yes confirms ("more than two
    dogs?"). `whether` says that it asks whether something is so. `denies`: what is so, is not there ("free of dogs?").
    """

    asks: Asks | None
    targets: tuple[Target, ...] = ()
    rest: frozenset[str] = frozenset()
    looks: frozenset[str] = frozenset()  # those of the rest that stand before the noun, or are what it does
    theirs: frozenset[str] = frozenset()  # those of the looks that another noun has: "wearing blue shirts"
    bounds: tuple[int, int | None] | None = None
    negated: bool = False  # "people who are not wearing hats"
    whether: bool = False
    denies: bool = False
    either: bool = False
    words: tuple[str, ...] = ()
    subject: frozenset[str] = frozenset()  # the words of what something is said of, where it asks whether that is so
    parts: tuple[Question, ...] = ()  # what it asks for together: dogs and cats, red and blue cars

    @property
    def closed(self) -> bool:
        """Whether a number, or yes or no, answers it; "Is it a dog or a cat?" wants a name."""
        return self.asks is not None and not self.either


NOTHING = Question(None)


@functools.lru_cache(maxsize=4096)
def understood(question: str, namer: Namer) -> Question:
    """What a question asks for."""
    lowers = tokenize(question).lowers
    found = {cue.kind: cue for cue in reversed(_CUES.find(lowers))}
    end = _end(lowers, found)
    text = _joined(question, end)
    start = found.get("how_many")
    if start is not None and start.first < end:
        return _counting(text, start.last + 1, namer)
    first = _first(lowers)
    there = found.get("is_there")
    some = found.get("is_some")
    if some is not None and some.first == first and "is_seen" in found:
        there = some._replace(last=some.first)
    lacks = found.get("lacks")
    if lacks is not None and (there is None or lacks.first <= there.last + 1):
        there = lacks
    if "absence" in found:
        there = lacks = found["absence"]
    if there is None or there.first >= end:
        return _whether(text, lowers, first, found, namer)
    return _existing(text, there.last + 1, found, there is lacks, namer)


def _end(lowers: Sequence[str], found: dict[str, Found]) -> int:
    """Where the question ends and how to answer it begins."""
    for place, word in enumerate(lowers):
        if word in ("?", "\n"):
            return place
    cue = found.get("instruct")
    return cue.first if cue is not None and cue.first else len(lowers)


def _joined(question: str, end: int) -> str:
    tokens = tokenize(question)
    return question[: tokens.ends[end - 1]] if end else question


def _first(lowers: Sequence[str]) -> int:
    return next((place for place, word in enumerate(lowers) if word[0].isalnum()), 0)


def _targets(items: Sequence[Item], lowers: Sequence[str], first: int, namer: Namer) -> tuple[list[Target], int]:
    """The things that are asked for, joined by "and", "or" or commas; and the word behind them."""
    found: list[Target] = []
    last = first
    for item in items:
        if not found and _ANYONE.intersection(lowers[first : item.first + 1]):
            label = _ONE if _ONE in namer.space else None
            return [Target(_ONE, label, None)], first + 1
        idle = all((singular_of(word) or word) in _IDLE for word in lowers[item.first : item.last + 1])
        if item.head is None or (idle and item.label is None and (found or item.first > first + 1)):
            continue
        between = lowers[last : item.first]
        joined = any(word in _JOINS for word in between)  # "how many men and how many women"
        if found and not (joined and all(word in _JOINS or word in _IDLE for word in between)):
            break
        supercategory = namer.space.supercategory(item.label) if item.label else None
        found.append(Target(item.head, item.label, supercategory, item.may_be))
        last = item.last + 1
    return found, last


def _rest(lowers: Sequence[str], items: Sequence[Item], targets: Sequence[Target]) -> frozenset[str]:
    """The words that say what it must be like, in the singular."""
    heads = {word for target in targets for word in target.head.split()}
    heads |= {singular_of(word) or word for word in heads}  # "glasses" may be of a glass
    found = (singular_of(word) or word for word in lowers if word[0].isalpha())
    return frozenset(
        word
        for word in found
        if word not in heads
        and word not in _IDLE
        and word not in _ANYONE
        and len(word) > 1
        and number_of([word]) is None
    )


def _looks(parse: Parse, items: Sequence[Item], rest: frozenset[str]) -> frozenset[str]:
    """The words of a question that say what the thing itself must be like: red cars, cars that are parked."""
    named = [item for item in items if item.head is not None][:1]
    before = {word for item in named for word in parse.lowers[item.first : item.last]}
    deeds = {word for word, tag in zip(parse.lowers, parse.tags, strict=True) if tag in ("VBG", "VBN") or word in LOOKS}
    last = next((word for word in reversed(parse.lowers) if word[0].isalnum()), "")
    heads = {word for item in named for word in (item.head or "").split()}
    return (rest & (before | deeds)) | ({last} & LOOKS) - heads


def _counting(text: str, first: int, namer: Namer) -> Question:
    parse = parsed(text, namer)
    items = [item for item in parse.items if item.last >= first]
    targets, _ = _targets(items, parse.lowers, first, namer)
    rest = _rest(parse.lowers[first:], items, targets)
    looks = _looks(parse, items, rest)
    theirs = looks & {word for item in items[1:] for word in parse.lowers[item.first : item.last]}
    negated = not _NOT.isdisjoint(parse.lowers)
    whole = Question(
        "how-many", tuple(targets), rest - _NOT, looks - _NOT, theirs, negated=negated, words=tuple(parse.lowers)
    )
    return replace(whole, parts=_parts(whole, parse.lowers))


def _parts(whole: Question, lowers: Sequence[str]) -> tuple[Question, ...]:
    """The questions that a question asks at once."""
    if len(whole.targets) > 1 and len({target.head for target in whole.targets}) == 1:
        return tuple(
            replace(
                whole, targets=whole.targets[:1], looks=frozenset((look,)), rest=whole.rest - (whole.looks - {look})
            )
            for look in sorted(whole.looks)
        )
    if len(whole.targets) > 1:
        return tuple(replace(whole, targets=(target,)) for target in whole.targets)
    for place in range(1, len(lowers) - 1):
        pair = {lowers[place - 1], lowers[place + 1]}
        if lowers[place] in _JOINS and lowers[place] != "," and len(pair) == 2 and pair <= whole.looks:
            return tuple(
                replace(whole, looks=whole.looks - (pair - {one}), rest=whole.rest - (pair - {one}))
                for one in sorted(pair)
            )
    return ()


def _existing(text: str, first: int, found: dict[str, Found], lacking: bool, namer: Namer) -> Question:
    tokens = tokenize(text)
    # A noun is plainer to see in a statement: "Are there dogs" may be read as a verb.
    frame = tables("questions")["frame"][0]["say"].split()
    if tokens.lowers[first - 1] in _SOME:
        frame.append(tokens.lowers[first - 1])
    text = " ".join((*frame, text[tokens.starts[first] :] if first < len(tokens.starts) else ""))
    first = len(frame)
    parse = parsed(text, namer)
    items = [item for item in parse.items if item.last >= first]
    targets, _ = _targets(items, parse.lowers, first, namer)
    none = lacking or any(cue.kind == "none" and cue.first == first for cue in _CUES.find(parse.lowers))
    negated = none != ("false" in found)
    number = next((item for item in items[:1] if item.kind in ("number", "vague")), None)
    bounds = (number.least, number.most) if number is not None and items[0].head is not None else None
    both = len(targets) > 1 and _OR.isdisjoint(parse.lowers)
    if "compare" in found and (bounds is None or len(targets) != 1):
        bounds, both = None, True
    rest = _rest(parse.lowers[first:], items, targets)
    return Question(
        "is-there-no" if negated else "is-there",
        tuple(targets),
        rest,
        _looks(parse, items, rest),
        bounds=bounds,
        whether=bounds is not None or both,
        denies=negated,
        words=tuple(parse.lowers),
    )


def _whether(text: str, lowers: Sequence[str], first: int, found: dict[str, Found], namer: Namer) -> Question:
    begins = {cue.kind for cue in _CUES.at(lowers, first)}
    if "whether" not in begins and "true" not in begins:
        return Question(None, words=tuple(lowers))
    content = frozenset(singular_of(word) or word for word in lowers if word[0].isalnum() and word not in _SMALL)
    negated = any(cue.kind == "negate" for cue in _CUES.find(lowers, first + 1))
    return Question(
        "is-there",
        (),
        content - _NOT,
        whether=True,
        denies=("false" in found) != negated,
        either=not _OR.isdisjoint(lowers),
        words=tuple(lowers),
        subject=_subject(text, namer),
    )


def _subject(text: str, namer: Namer) -> frozenset[str]:
    parse = parsed(text, namer)
    first = next((item for item in parse.items if item.head is not None), None)
    return frozenset() if first is None else frozenset(parse.lowers[first.first : first.last + 1])


_OR = words("words", "or", "words")
_JOINS = words("questions", "join", "words") | {","}
_NOT = words("words", "not", "words")
_SOME = words("words", "some", "words")
