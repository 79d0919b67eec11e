"""Plants in pots: "a small cactus in a clay pot" is a potted plant; a fern by the path and soup in a pot are none."""

from __future__ import annotations

from dataclasses import replace

from anamorph.reading.mentions.finding import Phrase
from anamorph.reading.mentions.passage import Passage
from anamorph.reading.naming import Namer
from anamorph.reading.wordlists import word_list

_PLANTS, _POTS = word_list("potted", "plants"), word_list("potted", "pots")
_COOKING = word_list("potted", "cooking")
_IN, _HOLDING = word_list("potted", "in"), word_list("potted", "holding")
_SIGNS = _POTS | {"potted"}
_ASIDE = ([",", "each"], [",", "all"], [",", "both"])
# How many words may stand between a plant and its pot, and how far the kitchen is looked for.
_GAP, _NEAR = 7, 8


def label_potted(passage: Passage, namer: Namer) -> None:
    """Label the plants that stand in pots, or their pots, where the label space has potted plants."""
    if _SIGNS.isdisjoint(passage.lowers) or (label := namer.phrase("potted plant")) is None:
        return
    phrases = passage.phrases
    for number, phrase in enumerate(phrases):
        if phrase.mention.label not in (None, label):
            continue
        if passage.lowers[phrase.last] in _POTS:
            if not _is_for_cooking(passage, phrase):
                _label(passage, number, label)
        elif _is_plant(phrase) and "potted" in passage.lowers[phrase.first : phrase.last]:
            phrase.mention = replace(phrase.mention, label=label, may_be=())


def _label(passage: Passage, number: int, label: str) -> None:
    """Label the plants before a pot, or the pot itself where it says better how many there are."""
    phrases = passage.phrases
    pot = phrases[number]
    plants = _plants_before(passage, phrases[number - 1], pot) if number else []
    if not plants:
        if number + 1 < len(phrases) and _holds(passage, pot, phrases[number + 1]):
            pot.mention = replace(pot.mention, label=label, may_be=())
        return
    if not pot.plural:
        plants = plants[:1]  # "a bench and a fern in a pot"
    counted = all(plant.plural == pot.plural or (pot.plural and plant.determiner) for plant in plants)
    for each in (*plants, pot):
        # "two ferns in flowerpots" are two
        each.mention = replace(each.mention, label=label if (each is pot) != counted else None, may_be=())


def _is_plant(phrase: Phrase) -> bool:
    return phrase.mention.label is None and phrase.mention.head.rpartition(" ")[2] in _PLANTS


def _plants_before(passage: Passage, plant: Phrase, pot: Phrase) -> list[Phrase]:
    """ "Basil and mint grow in clay pots", "three ferns, each in its own pot"; the last comes first."""
    gap = passage.lowers[plant.last + 1 : pot.first]
    if not _is_plant(plant) or not 0 < len(gap) < _GAP or gap[-1] not in _IN:
        return []
    if gap[:2] in _ASIDE:
        gap = gap[2:]
    if any(not word[0].isalpha() or word in ("and", "or", "while") for word in gap):
        return []
    return [each for each in passage.listed_before(plant) if _is_plant(each)]


def _holds(passage: Passage, pot: Phrase, plant: Phrase) -> bool:
    """ "A pot of geraniums", "a planter filled with ferns"."""
    gap = passage.lowers[pot.last + 1 : plant.first]
    return _is_plant(plant) and 0 < len(gap) < 3 and all(word in _HOLDING for word in gap)


def _is_for_cooking(passage: Passage, pot: Phrase) -> bool:
    """ "Basil in a cooking pot", "herbs in a pot of soup", "mint in a pot on the stove"."""
    words = passage.lowers[pot.first : min(passage.sentence_end(pot.last), pot.last + _NEAR)]
    if not _COOKING.isdisjoint(words):
        return True
    if passage.word(pot.last + 1) != "of":
        return False
    what = passage.after(pot.last + 1)
    return what is None or not _is_plant(what)
