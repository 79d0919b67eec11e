"""Words that stand for a noun and add one of what was named: "a third one", "another is", "carries one too"."""

from __future__ import annotations

from anamorph.model.reading import Mention
from anamorph.reading.mentions.finding import NOUNS, Phrase
from anamorph.reading.mentions.passage import FINITE, Passage
from anamorph.reading.quantity import number_of
from anamorph.reading.wordlists import word_list, word_order

ORDINALS = {word: value for value, word in enumerate(word_order("again", "ordinals"), start=1)}
# The heads of stand-ins: one more of the same, another object like the last, one that is only described.
MORE, TOO, DESCRIBED = "another", "one", "described"

_STANDING = frozenset((*ORDINALS, "another", "one", "ones", "more", "others", "hers", "theirs"))
_DEEDS = word_list("answers", "deeds_of_many")
_ENDS = frozenset((".", ",", ";", ":", ")", ""))
_AFTER_DEEDS = frozenset(("IN", "TO", "RB", "RP"))
_AFTER = frozenset(("in", "on", "with", "near", "behind", "at"))


def with_stand_ins(passage: Passage) -> list[Phrase]:
    """The noun groups of a passage, and the words that stand for one, in their order."""
    lowers = passage.lowers
    if _STANDING.isdisjoint(lowers):
        return passage.phrases
    found = [_stand_in(passage, place, word) for place, word in enumerate(lowers) if word in _STANDING]
    return sorted((*passage.phrases, *(phrase for phrase in found if phrase)), key=lambda phrase: phrase.last)


def _stand_in(passage: Passage, place: int, word: str) -> Phrase | None:
    following, tag = passage.word(place + 1), passage.tag(place + 1)
    ends = (tag in FINITE or tag in ("IN", "VBN", "VBG", "RB", "CC") or following in _ENDS) and following != "of"
    if following == "," and passage.tag(place + 2) in ("JJ", "VBN") and passage.tag(place + 3) in NOUNS:
        return None  # "a second, empty chair"
    if word in ("hers", "theirs"):
        return _phrase(passage, place, place, TOO)
    if word == "one":
        return _one(passage, place, ends)
    if word == "ones":
        return _ones(passage, place)
    # "two others peck at crumbs"
    acts = following in _DEEDS and (passage.tag(place + 2) in _AFTER_DEEDS or passage.word(place + 2) in _ENDS)
    if not ends and not (acts and word in ("others", "more")):
        return None
    if word == "others":
        after = tag in FINITE or acts or (following in _ENDS and passage.word(place - 2) == "by")
        stated = number_of(passage.lowers[place - 1 : place]) if place and after else None
        return _phrase(passage, place - 1, place, MORE, stated) if stated else None
    if word == "more":
        stated = number_of(passage.lowers[place - 1 : place]) if place and following != "than" else None
        return _phrase(passage, place - 1, place, MORE, stated) if stated else None
    if word == "another":
        return _phrase(passage, place, place, MORE) if tag in FINITE or following in _AFTER else None
    if ORDINALS[word] < 2 or passage.word(place - 1) != "a" or tag == "CC":
        return None
    return _phrase(passage, place - 1, place, word)


def _one(passage: Passage, place: int, ends: bool) -> Phrase | None:
    """ "Another one", "a third one", "a blue one", "one too"; a bare "one" names nothing new."""
    following = passage.lowers[place + 1 : place + 3]
    if following[:1] in (["too"], ["also"]) or following in (["as", "well"], [",", "too"]):
        return _phrase(passage, place, place, TOO)
    first = place
    while first and place - first < 3 and passage.tags[first - 1] in ("JJ", "VBN"):
        first -= 1
    if (
        not ends
        or passage.word(first - 1) not in ("a", "an", "another")
        or (first == place and passage.word(first - 1) == "a")
    ):
        return None
    words = passage.lowers[first - 1 : place]
    return _phrase(passage, first - 1, place, next((w for w in words if w in ORDINALS or w == MORE), DESCRIBED))


def _ones(passage: Passage, place: int) -> Phrase | None:
    """ "Two young ones"."""
    first = place
    while first and place - first < 3 and passage.tags[first - 1] in ("JJ", "VBN"):
        first -= 1
    stated = number_of(passage.lowers[first - 1 : first]) if first else None
    return _phrase(passage, first - 1, place, DESCRIBED, stated) if stated and first < place else None


def _phrase(passage: Passage, first: int, last: int, head: str, count: int = 1) -> Phrase:
    start, end = passage.tokens.starts[first], passage.tokens.ends[last]
    number = "singular" if count == 1 else "plural"
    mention = Mention(passage.text[start:end], start, end, head, None, number, count)  # type: ignore[arg-type]
    return Phrase(mention, first, last, "a", "", plural=count > 1, other=True, stands=True)
