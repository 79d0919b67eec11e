"""Proposals for the words of a label space, from WordNet or from a shipped class that means the same."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anamorph.model.labels import Label, LabelSpace
from anamorph.reading.labels import is_wording, label_space, sense_of
from anamorph.reading.wordnet import taxonomy

# Everything that a photo can show stands under this sense.
_PHYSICAL = "physical entity#1"
# What stands above a sense says in words which one it is.
_MOST_ABOVE = 2
_MOST_OTHERS = 4
# Kinds of a class are looked for this many steps below it, among this many senses of a word.
_DEPTH = 3
_MOST_SENSES = 2
_MOST_WORDS = 24
# A word that WordNet's tagged texts have at all (see Parts).
_EVERYDAY = 2
_LISTS = ("words", "may_be", "is_not")
_KEYS = {"words": "is", "may_be": "may_be", "is_not": "is_not", "plurals": "plurals", "names": "names"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A label with proposed words, and notes for the person who edits it.

    `meaning` says what the proposed sense is, `others` which senses the name could have instead.
    """

    label: Label
    meaning: str = ""
    others: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True


def propose(space: LabelSpace) -> tuple[Proposal, ...]:
    """What each label of a space could be called; the words that it has already stay, and come first."""
    likes = Counter(like for label in space.labels if (like := _like(label)) is not None)
    found = [_proposal(label, likes) for label in space.labels]
    # A word that would stand for two labels may be either; a label's own name stays its own.
    claims = Counter(word for proposal in found for word in dict.fromkeys(proposal.label.words))
    names = {name.lower() for name in space.names}
    return tuple(
        _with_shared_apart(proposal, own, claims, names) for proposal, own in zip(found, space.labels, strict=True)
    )


def _with_shared_apart(proposal: Proposal, own: Label, claims: Counter[str], names: set[str]) -> Proposal:
    label = proposal.label
    if label.like is not None:
        return proposal
    others = names - {own.name.lower()}
    shared = [word for word in label.words if word not in own.words and (claims[word] > 1 or word in others)]
    words = tuple(word for word in label.words if word not in shared)
    may_be = dict.fromkeys((*label.may_be, *(word for word in shared if word not in others)))
    return replace(proposal, label=replace(label, words=words, may_be=tuple(w for w in may_be if w not in others)))


# --- one label -------------------------------------------------------------------------------------------------------


def _proposal(label: Label, likes: Counter[str]) -> Proposal:
    like, part = _like(label), _part(label.name)
    if like is not None and (label.like or likes[like] == 1 or like.partition("/")[2] == _plain(label.name)):
        taken = part not in (None, _plain(label.name)) and like == _shipped_words()[part or ""]
        notes = (f"Taken from {part!r} in its name: check it.",) if taken else ()
        return Proposal(replace(label, like=like), notes=notes)
    name = _plain(label.name)
    word, senses = _senses(name)
    chosen = label.senses or senses[:1]
    if like is not None:
        # Several labels mean this class, so what is called so may be any of them.
        model = _model(like)
        label = _with(label, may_be=(model.name, *model.words[:_MOST_WORDS]))
        note = f"Other classes are called {model.name!r}, too: add `is` words that only this one has."
        return Proposal(label, notes=(note,))
    if not chosen:
        return Proposal(label, known=False)
    numbers = frozenset(number for sense in chosen if (number := sense_of(sense)) is not None)
    if word == name:
        synonyms = [other for sense in chosen for other in _names(sense)]
        words = [each for each in synonyms if _first(each) in numbers]
        kinds, perhaps = _kinds(numbers)
        may_be = (*synonyms, *perhaps, *_broader(numbers))
        spoken = () if is_wording(label.name) else (name,)
        label = _with(label, words=(*spoken, *words, *kinds), may_be=may_be, is_not=_look_alikes(name))
    others = tuple((sense, _meaning(sense)) for sense in senses if sense not in chosen)
    meaning = "; ".join(_meaning(sense) for sense in chosen)
    return Proposal(replace(label, senses=tuple(chosen)), meaning, others[:_MOST_OTHERS], _notes(label, name))


def _with(label: Label, words: Iterable[str] = (), may_be: Iterable[str] = (), is_not: Iterable[str] = ()) -> Label:
    """A label with more words, each in the first list that has it."""
    taken = {label.name.lower(), *(word for key in _LISTS for word in getattr(label, key))}
    found: dict[str, tuple[str, ...]] = {}
    for key, more in zip(_LISTS, (words, may_be, is_not), strict=True):
        new = [word for word in dict.fromkeys(more) if word not in taken]
        taken.update(new)
        found[key] = (*getattr(label, key), *new)
    return replace(label, words=found["words"], may_be=found["may_be"], is_not=found["is_not"])


def _notes(label: Label, name: str) -> tuple[str, ...]:
    shipped = _shipped_words().get(name)
    if label.like is None and shipped is not None:
        return (f"A kind of {shipped}, whose words `like = {_text(shipped)}` would take over.",)
    return ()


# --- names -----------------------------------------------------------------------------------------------------------


def _plain(name: str) -> str:
    """A name as words: "SOFA_3SEATER" is "sofa seater"."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)
    if not is_wording(name) and name.isascii():
        apart = re.sub(r"[\W\d]+", " ", apart)
    return " ".join(apart.lower().split()) or name.lower()


@functools.lru_cache(maxsize=4096)
def _part(name: str) -> str | None:
    """The longest part of a name that a shipped class is called: all of it, or some words of a code."""
    words = _plain(name).split()
    if is_wording(name):
        return " ".join(words) if " ".join(words) in _shipped_words() else None
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length, -1, -1):
            if (part := " ".join(words[start : start + length])) in _shipped_words():
                return part
    return None


def _like(label: Label) -> str | None:
    """The shipped class whose words a label has, or could have: it means the same, and is not a kind of it."""
    if label.like or label.senses:
        return label.like
    part = _part(label.name)
    if part is None:
        return None
    like = _shipped_words()[part]
    model = _model(like)
    if part == model.name:
        return like
    upper = frozenset(map(sense_of, model.senses or (f"{model.name}#1",)))
    own = _first(part)
    is_kind = own is not None and own not in upper and not upper.isdisjoint(taxonomy().closure(own))
    return None if is_kind else like


def _model(like: str) -> Label:
    space, _, name = like.partition("/")
    return label_space(space).label(name)


@functools.cache
def _shipped_words() -> dict[str, str]:
    """Name or word -> the class that ships with it."""
    found: dict[str, str] = {}
    space = label_space("coco")
    for label in space.labels:
        found.setdefault(label.name, f"coco/{label.name}")
    for label in space.labels:
        for word in label.words:
            found.setdefault(word, f"coco/{label.name}")
    return found


# --- WordNet ---------------------------------------------------------------------------------------------------------


def _senses(name: str) -> tuple[str, tuple[str, ...]]:
    """A word of WordNet for a name, which is the name or its last words, with its senses that a photo can show."""
    words = name.split()
    for start in range(len(words)):
        word = " ".join(words[start:])
        found = tuple(
            f"{word}#{place}" for place, sense in enumerate(taxonomy().senses(word), 1) if _is_physical(sense)
        )
        if found:
            return word, found
    return name, ()


@functools.cache
def _physical() -> int | None:
    return sense_of(_PHYSICAL)


def _is_physical(sense: int) -> bool:
    return _physical() in taxonomy().closure(sense)


def _first(word: str) -> int | None:
    """What a word means first, of what a photo can show."""
    return next((sense for sense in taxonomy().senses(word) if _is_physical(sense)), None)


def _names(sense: str) -> Iterator[str]:
    """Other words for a sense, those aside that are no English, such as the Latin name of a species."""
    number = sense_of(sense)
    assert number is not None
    for name in taxonomy().names(number):
        if all(taxonomy().knows(word) or any(taxonomy().parts(word)) for word in name.split()):
            yield name


@functools.cache
def _children() -> dict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for sense in range(taxonomy().size):
        for up in taxonomy().above(sense):
            found[up].append(sense)
    return found


@functools.lru_cache(maxsize=256)
def _below(senses: frozenset[int]) -> frozenset[int]:
    """Some senses and what stands up to a few steps below them."""
    found, level = set(senses), set(senses)
    for _ in range(_DEPTH):
        level = {below for sense in level for below in _children().get(sense, ())} - found
        found |= level
    return frozenset(found)


def _kinds(senses: frozenset[int]) -> tuple[list[str], list[str]]:
    """Everyday words for kinds of something, and words that mean one second; the most frequent first.

    What ends in the name of the class needs no list.
    """
    wordnet, below = taxonomy(), _below(senses)
    frequent = {
        word: wordnet.parts(word).noun
        for sense in below - senses
        for word in wordnet.names(sense)
        if word.isalpha() and wordnet.parts(word).noun >= _EVERYDAY
    }
    words = sorted(frequent, key=lambda word: (-frequent[word], word))
    first = [word for word in words if wordnet.senses(word)[0] in below]
    second = [word for word in words if word not in first and not below.isdisjoint(wordnet.senses(word)[:_MOST_SENSES])]
    return first[:_MOST_WORDS], second[:_MOST_WORDS]


def _broader(senses: frozenset[int]) -> Iterator[str]:
    """Everyday words for what stands right above some senses: a customer may be a shopper."""
    for up in sorted({up for sense in senses for up in taxonomy().above(sense)}):
        if _is_physical(up):
            yield from (word for word in taxonomy().names(up) if taxonomy().parts(word).noun >= _EVERYDAY)


@functools.cache
def _compounds() -> dict[str, list[str]]:
    """Last word -> the nouns of two words that end in it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for noun in taxonomy().nouns:
        before, space, last = noun.partition(" ")
        if space and before.isalpha() and " " not in last:
            found[last].append(noun)
    return found


def _look_alikes(name: str) -> list[str]:
    """Compounds that end in a name and mean something else that a photo can show: a prairie dog is not a dog."""
    wordnet = taxonomy()
    own = frozenset(wordnet.senses(name))
    found = []
    for noun in _compounds().get(name, ()):
        above = [wordnet.closure(sense) for sense in wordnet.senses(noun)]
        other = any(_physical() in each for each in above) and all(own.isdisjoint(each) for each in above)
        if other and max(wordnet.parts(noun.partition(" ")[0])) >= _EVERYDAY:
            found.append(noun)
    return found[:_MOST_WORDS]


def _meaning(sense: str) -> str:
    """What a sense is, by its names and what stands above it: "kite: plaything, toy"."""
    number = sense_of(sense)
    assert number is not None
    above = [name for up in taxonomy().above(number) for name in taxonomy().names(up)[:_MOST_ABOVE]]
    return ", ".join(above[:_MOST_ABOVE]) or "a thing of its own"


# --- the file --------------------------------------------------------------------------------------------------------


def as_toml(name: str, proposals: Sequence[Proposal]) -> str:
    """A label space with its proposals as a file to be edited, with the notes as comments."""
    lines = [
        "# Proposed by `anamorph list labels propose`. `is` words mean the class, `may_be` words it or something else,",
        "# `is_not` phrases end in a word for it and mean something else. Read every list, move words between them,",
        "# and add those that your captions use. `is` words are also what `anamorph research collect` searches for.",
        f"name = {_text(name)}",
    ]
    for proposal in proposals:
        lines += ["", "[[labels]]", *_lines(proposal)]
    return "\n".join(lines) + "\n"


def _lines(proposal: Proposal) -> Iterator[str]:
    label = proposal.label if proposal.label.like is None else _own_words(proposal.label, proposal.label.like)
    yield f"name = {_text(label.name)}"
    if label.supercategory is not None:
        yield f"supercategory = {_text(label.supercategory)}"
    if label.like is not None:
        yield f"like = {_text(label.like)}"
    for field, key in _KEYS.items():
        if words := getattr(label, field):
            yield f"{key} = {_texts(words)}"
    if label.context:
        inner = ", ".join(f"{_text(word)} = {_text(beside)}" for word, beside in label.context.items())
        yield f"context = {{ {inner} }}"
    if label.senses:
        yield f"senses = {_texts(label.senses)}{f'  # {proposal.meaning}' if proposal.meaning else ''}"
    if proposal.others:
        yield f"# Other senses: {'; '.join(f'{sense} ({meaning})' for sense, meaning in proposal.others)}"
    for note in proposal.notes:
        yield f"# {note}"
    if not proposal.known:
        yield "# Not a noun of WordNet: add words by hand."


def _own_words(label: Label, like: str) -> Label:
    """A label without the words that it takes over."""
    model = _model(like)
    taken = {model.name, *(word for key in _KEYS for word in getattr(model, key))}
    kept = {key: tuple(word for word in getattr(label, key) if word not in taken) for key in _KEYS}
    return replace(
        label,
        supercategory=None if label.supercategory == model.supercategory else label.supercategory,
        words=kept["words"],
        may_be=kept["may_be"],
        is_not=kept["is_not"],
        plurals=kept["plurals"],
        names=kept["names"],
        senses=() if label.senses == model.senses else label.senses,
        context={word: beside for word, beside in label.context.items() if model.context.get(word) != beside},
    )


def _text(word: str) -> str:
    # A JSON string is a TOML basic string, but for pairs of surrogates and the one character that JSON leaves as it is.
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _texts(words: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, words))}]"
