"""Things that a text names to say that they are not there: "devoid of people", "has not arrived"."""

from __future__ import annotations

from collections.abc import Iterable

from anamorph.reading.mentions.finding import Phrase
from anamorph.reading.mentions.passage import BE, LED, Cue, Passage
from anamorph.reading.wordlists import word_list

_NOT = word_list("denials", "not")
# What "not" says nothing of: "not only", "not far".
_STILL = word_list("denials", "still")
# Verbs whose object is not there when they are denied, and what else may stand before the object.
_HAS, _FILLERS = word_list("denials", "has"), word_list("denials", "fillers")
_AUXILIARY = word_list("denials", "auxiliary")
# "Not visible", "not in view", "has not arrived".
_SEEN, _BEFORE_SEEN = word_list("denials", "seen"), word_list("denials", "before_seen")
_AWAY, _NOTABLY = word_list("denials", "away"), word_list("denials", "notably")
_REMOVED, _OUT_OF = word_list("denials", "removed"), word_list("denials", "out_of")
_HAVE = frozenset(("have", "has", "had", "all"))
_LACKS, _DEVOID, _INSTEAD = (
    word_list("denials", "lacks"),
    word_list("denials", "devoid"),
    word_list("denials", "instead"),
)


def _deny(phrases: Iterable[Phrase]) -> None:
    for phrase in phrases:
        phrase.denied = True


def _not(passage: Passage, place: int) -> None:
    """ "Is not visible", "has not arrived", "isn't wearing a tie", "there are not any dogs"."""
    before, following = passage.word(place - 1), passage.word(place + 1)
    if following in _STILL:
        return
    can_be_seen = before in BE or before in _AUXILIARY or passage.lowers[place] in ("cannot", "can't")
    if can_be_seen and passage.word(place - 2) != "there":
        ahead = passage.lowers[place + 1 : min(passage.sentence_end(place), place + 6)]
        if (following in _SEEN or following in _BEFORE_SEEN) and not _SEEN.isdisjoint(ahead):
            subjects = passage.subjects(place)
            if subjects:
                _deny(subjects)
                return
    if before in BE or following in _HAS or passage.tag(place + 1) in ("DT", "VB", "JJ"):
        _deny_object(passage, place + 1 + (following in _HAS), place)


def _deny_object(passage: Passage, low: int, place: int) -> None:
    """Deny what stands at a place and is not known: "a tie", "any dogs or cats", but not "the tie"."""
    phrase, end = passage.after(low), passage.sentence_end(place)
    if phrase is None or phrase.last >= end or phrase.determiner in LED:
        return
    if all(word in _FILLERS for word in passage.lowers[low : phrase.first]):
        either = not {"or", "nor"}.isdisjoint(passage.lowers[phrase.last : end])
        _deny(passage.listed(phrase) if either else [phrase])


def _away(passage: Passage, place: int) -> None:
    """ "The horses are nowhere to be seen"."""
    following = passage.word(place + 1)
    if passage.lowers[place] == "missing" and (following in LED or following in ("a", "an", "one", "some")):
        phrase = passage.after(place + 1)
        if phrase is not None and phrase.first <= place + 2:
            _deny([phrase])  # "the bench is missing a slat"
        return
    if passage.word(place - 1) in BE or passage.word(place - 2) in BE or passage.word(place - 1) in _NOTABLY:
        _deny(phrase for phrase in passage.subjects(place) if "of" not in passage.lowers[phrase.first : phrase.last])


def _removed(passage: Passage, place: int) -> None:
    """ "The sink and the oven have been removed", "her opponent is out of frame"."""
    if passage.lowers[place] == "out":
        if passage.word(place + 1) == "of" and passage.word(place + 2) in _OUT_OF and passage.word(place - 1) in BE:
            _deny(passage.subjects(place))
        return
    before = passage.lowers[max(0, place - 3) : place]
    if "been" in before and not _HAVE.isdisjoint(before):
        _deny(passage.subjects(place))


def _lacks(passage: Passage, place: int) -> None:
    """ "Lacks a sofa", "devoid of people", "rather than cake"."""
    word, at = passage.lowers[place], place + 1
    links = ("of", "from") if word in _DEVOID else ("of", "than")
    if passage.word(at) in links:
        at += 1
    elif word not in _LACKS:
        return
    phrase = passage.after(at)
    if phrase is not None and phrase.first <= at + 1 and phrase.last < passage.sentence_end(place):
        _deny(passage.listed(phrase))


def _neither(passage: Passage, place: int) -> None:
    """ "Neither cars nor buses are in view"; "neither of the dogs looks up" denies no dog."""
    end = passage.sentence_end(place)
    words = passage.lowers[place:end]
    if passage.word(place + 1) == "of" or "nor" not in words:
        return
    nor = place + words.index("nor")
    if (
        passage.word(place - 1) in BE
        or passage.word(place - 1) in _HAS
        or not _SEEN.isdisjoint(passage.lowers[nor:end])
    ):
        _deny(passage.between(place, nor))
        _deny(passage.between(nor, end)[:1])


def _nor(passage: Passage, place: int) -> None:
    """ "Nor are there any boats"."""
    if passage.word(place + 1) in BE or passage.word(place + 1) in _AUXILIARY:
        phrase = passage.after(place + 1)
        if phrase is not None and phrase.first <= place + 5 and phrase.last < passage.sentence_end(place):
            _deny(passage.listed(phrase))


def _no(passage: Passage, place: int) -> None:
    """ "No people, cars, or animals": the whole list is denied."""
    phrase = passage.after(place)
    if phrase is None or not phrase.mention.absent:
        return
    listed = passage.listed(phrase)
    if not {"or", "nor"}.isdisjoint(passage.lowers[phrase.last : listed[-1].first]):
        _deny(listed)


CUES: tuple[tuple[frozenset[str], Cue], ...] = (
    (_NOT, _not),
    (_AWAY, _away),
    (_REMOVED | {"out"}, _removed),
    (_LACKS | _DEVOID | _INSTEAD, _lacks),
    (frozenset(("neither",)), _neither),
    (frozenset(("nor",)), _nor),
    (frozenset(("no", "without", "any")), _no),
)
