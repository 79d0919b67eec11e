"""Proposals for the words of a label space: senses and synonyms from WordNet, or a shipped class that means it."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anamorph.language.labels import Label, LabelSpace, label_space, sense_of
from anamorph.language.wordnet import taxonomy

# Everything that a photo can show stands under this sense.
_PHYSICAL = "physical entity#1"
# What stands above a sense says in words which one it is.
_MOST_ABOVE = 2
_MOST_OTHERS = 4


@dataclass(frozen=True, slots=True)
class Proposal:
    """A label with proposed words, and notes for the person who edits it.

    `meaning` says what the proposed sense is, `others` which senses the name could have instead, `ambiguous` which
    synonyms were left out because they mean something else first or belong to several labels.
    """

    label: Label
    meaning: str = ""
    others: tuple[tuple[str, str], ...] = ()
    ambiguous: tuple[str, ...] = ()
    known: bool = True


def propose(space: LabelSpace) -> tuple[Proposal, ...]:
    """What each label of a space could be called; the words that it has already stay, and come first."""
    likes = Counter(like for label in space.labels if (like := _like(label)) is not None)
    # Of several labels that mean one shipped class, none can have all its words, unless it has its name.
    found = [_proposal(label, likes) for label in space.labels]
    # A word that would stand for two labels stands for neither; a label's own name stays its own.
    claims = Counter(word for proposal in found for word in dict.fromkeys(proposal.label.synonyms))
    names = set(space.names)
    return tuple(
        _without_shared(proposal, own, claims, names) for proposal, own in zip(found, space.labels, strict=True)
    )


def _without_shared(proposal: Proposal, own: Label, claims: Counter[str], names: set[str]) -> Proposal:
    shared = [
        word
        for word in proposal.label.synonyms
        if word not in own.synonyms and (claims[word] > 1 or (word in names and word != own.name))
    ]
    kept = tuple(word for word in proposal.label.synonyms if word not in shared)
    return replace(
        proposal,
        label=replace(proposal.label, synonyms=kept),
        ambiguous=tuple(dict.fromkeys((*proposal.ambiguous, *shared))),
    )


def _like(label: Label) -> str | None:
    """The shipped class whose words a label has, or could have."""
    return label.like or (None if label.senses else _shipped_words().get(label.name.lower()))


def _proposal(label: Label, likes: Counter[str]) -> Proposal:
    name = label.name.lower()
    like = _like(label)
    if like is not None and (label.like or likes[like] == 1 or like.partition("/")[2] == name):
        return Proposal(replace(label, like=like))
    word, senses = _senses(name)
    chosen = label.senses or senses[:1]
    if not chosen:
        return Proposal(label, known=False)
    synonyms, ambiguous = list(label.synonyms), list[str]()
    for sense in chosen:
        for other in _names(sense):
            if other in (name, *synonyms):
                continue
            (synonyms if _first(other) == sense_of(sense) else ambiguous).append(other)
    others = tuple((sense, _meaning(sense)) for sense in senses if sense not in chosen)
    # Only a phrase that WordNet does not have gets the senses of its last word, which need a look.
    proposed = replace(label, senses=tuple(chosen), synonyms=tuple(synonyms) if word == name else label.synonyms)
    meaning = "; ".join(_meaning(sense) for sense in chosen)
    return Proposal(proposed, meaning, others[:_MOST_OTHERS], tuple(ambiguous) if word == name else ())


def _senses(name: str) -> tuple[str, tuple[str, ...]]:
    """A word of WordNet for a name, which is the name or its last words, with its senses that a photo can show."""
    words = name.replace("_", " ").split()
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


def _meaning(sense: str) -> str:
    """What a sense is, by its names and what stands above it: "kite: plaything, toy"."""
    number = sense_of(sense)
    assert number is not None
    above = [name for up in taxonomy().above(number) for name in taxonomy().names(up)[:_MOST_ABOVE]]
    return ", ".join(above[:_MOST_ABOVE]) or "a thing of its own"


@functools.cache
def _shipped_words() -> dict[str, str]:
    """Name or synonym -> the class that ships with it."""
    found: dict[str, str] = {}
    space = label_space("coco")
    for label in space.labels:
        found.setdefault(label.name, f"coco/{label.name}")
    for label in space.labels:
        for word in label.synonyms:
            found.setdefault(word, f"coco/{label.name}")
    return found


def as_toml(name: str, proposals: Sequence[Proposal]) -> str:
    """A label space with its proposals as a file to be edited, with the notes as comments."""
    lines = [
        "# Proposed by `anamorph labels propose`. Look at every sense, strike out words that mean something else, and",
        "# add those that your captions use. `synonyms` are also the keywords that `anamorph collect` searches for.",
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
    if label.senses:
        yield f"senses = {_texts(label.senses)}{f'  # {proposal.meaning}' if proposal.meaning else ''}"
    for key in ("synonyms", "plurals", "unlike", "names"):
        if words := getattr(label, key):
            yield f"{key} = {_texts(words)}"
    if label.context:
        inner = ", ".join(f"{_text(word)} = {_text(beside)}" for word, beside in label.context.items())
        yield f"context = {{ {inner} }}"
    if proposal.others:
        yield f"# Other senses: {'; '.join(f'{sense} ({meaning})' for sense, meaning in proposal.others)}"
    if proposal.ambiguous:
        yield f"# Left out (another meaning comes first, or several labels have it): {', '.join(proposal.ambiguous)}"
    if not proposal.known:
        yield "# Not a noun of WordNet: add synonyms by hand."


def _own_words(label: Label, like: str) -> Label:
    """A label without the words that it takes over."""
    space, _, name = like.partition("/")
    model = label_space(space).label(name)
    taken = {model.name, *model.synonyms, *model.plurals, *model.unlike, *model.names}
    synonyms, plurals, unlike, names = (
        tuple(word for word in words if word not in taken)
        for words in (label.synonyms, label.plurals, label.unlike, label.names)
    )
    return replace(
        label,
        supercategory=None if label.supercategory == model.supercategory else label.supercategory,
        synonyms=synonyms,
        plurals=plurals,
        senses=() if label.senses in (model.senses, (f"{model.name}#1",)) else label.senses,
        unlike=unlike,
        names=names,
        context={word: beside for word, beside in label.context.items() if model.context.get(word) != beside},
    )


def _text(word: str) -> str:
    # A JSON string is a TOML basic string, but for the one character that JSON leaves as it is.
    return json.dumps(word).replace("\x7f", "\\u007f")


def _texts(words: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, words))}]"
