"""What parts of speech a word can be, and how readily; from WordNet, endings and the closed classes."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from anamorph.reading.morphology import PAIRED, PLURAL_ONLY, ZERO_PLURALS, singular_of
from anamorph.reading.wordlists import (
    ADJECTIVES,
    CLOSED,
    COLOURS,
    DUAL,
    GERUND_NOUNS,
    NOUNS,
    ONLY_VERBS,
    VERBS,
    word_list,
)
from anamorph.reading.wordnet import Taxonomy, taxonomy


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The weight of each reading of a word; 0 if it has none. `closed` is the tag of a word that has only one."""

    closed: str | None = None
    noun: int = 0
    plural: int = 0
    verb: int = 0
    verb_s: int = 0
    gerund: int = 0
    participle: int = 0
    adjective: int = 0
    adverb: int = 0
    colour: bool = False
    animate: bool = False

    @property
    def nominal(self) -> bool:
        """Can stand in a noun group: as its head or before it."""
        return self.closed is None and bool(self.noun or self.plural or self.adjective)


_LIKELY = 40
# "Mid-century", unlike "mid-throw", says what something is like.
_MIDDLES = word_list("rules", "middles")


@functools.lru_cache(maxsize=65536)
def weights_of(word: str) -> WordWeights:
    """The readings of a word in lower case."""
    if word in CLOSED:
        return WordWeights(closed=CLOSED[word])
    if not word[0].isalpha():
        if word[0].isdigit():
            return _with_digits(word)
        if word[0] == "'":
            return WordWeights(closed="MD" if word in ("'ll", "'d") else "POS")
        return WordWeights(closed="," if word == "," else "." if word in (".", "!", "?") else ":")
    if "-" in word:
        return _hyphenated(word)
    return _plain(word)


def _with_digits(word: str) -> WordWeights:
    if word.isdigit() or word.replace(",", "").replace(".", "").isdigit():
        return WordWeights(closed="CD")
    return WordWeights(closed="JJ")


def _hyphenated(word: str) -> WordWeights:
    wordnet = taxonomy()
    parts = [weights_of(part) for part in word.split("-") if part]
    if all(part.closed == "CD" for part in parts):
        return WordWeights(closed="CD")
    for form in (word, word.replace("-", " "), word.replace("-", "")):
        if wordnet.knows(form):
            return WordWeights(noun=_LIKELY, animate=is_animate(form))
    if singular_of(word) and any(wordnet.knows(singular_of(form) or "") for form in (word, word.replace("-", ""))):
        return WordWeights(plural=_LIKELY, animate=is_animate(singular_of(word.replace("-", "")) or ""))
    if word.startswith("mid-") and word[4:].isalpha() and word[4:] not in _MIDDLES:
        return WordWeights(closed="RB")  # "a pitcher mid-throw"
    last = parts[-1]
    if last.closed or parts[0].closed == "CD":
        return WordWeights(closed="JJ")
    if (last.noun or last.plural) and not last.adjective and not last.participle:
        # "cake-like" and "two-story" modify; "dog-walkers" names.
        return WordWeights(noun=last.noun, plural=last.plural, adjective=1, animate=last.animate)
    return WordWeights(closed="JJ")


def _plain(word: str) -> WordWeights:
    wordnet = taxonomy()
    parts = wordnet.parts(word)
    single = word if word in PLURAL_ONLY or word in PAIRED else singular_of(word)
    noun = 0 if single else parts.noun
    plural = wordnet.parts(single).noun or 1 if single else 0
    if single and single in NOUNS:
        plural = max(plural, _LIKELY)
    verb, adjective, adverb = parts.verb, parts.adjective, parts.adverb
    if word in NOUNS:
        noun, adjective = (noun, adjective) if single else (max(noun, _LIKELY), min(adjective, noun or 1))
    if word in ZERO_PLURALS and not single:
        noun = max(noun, _LIKELY)
    if word in VERBS:
        verb = max(verb, _LIKELY)
    stem = _verb_of_s(word, wordnet) if word.endswith("s") else None
    verb_s = (max(wordnet.parts(stem).verb, _LIKELY) if stem in VERBS else wordnet.parts(stem).verb) if stem else 0
    if verb_s and single and single != word and not wordnet.parts(single).noun:
        plural = 0
    if word in ONLY_VERBS:
        noun = 0
    gerund = participle = 0
    if word.endswith("ing") and len(word) > 4 and _is_verb_form(word, 3, wordnet):
        gerund = _LIKELY
        noun = max(noun, _LIKELY) if word in GERUND_NOUNS else 0
        if word not in GERUND_NOUNS:
            verb = adjective = 0
    elif (
        word.endswith("ed")
        and len(word) > 3
        and not word.endswith("eed")
        and _is_verb_form(word, 2, wordnet)
        and word not in NOUNS
    ):
        participle, noun = _LIKELY, 0
    elif word in wordnet.verb_forms and word not in NOUNS and word not in VERBS and not word.endswith("s"):
        participle = max(_LIKELY, wordnet.parts(wordnet.verb_forms[word]).verb)
    if word in ADJECTIVES:
        adjective, noun, plural, verb, verb_s, participle = _LIKELY, 0, 0, 0, 0, 0
    elif word in COLOURS or word in DUAL:
        noun, adjective, verb = _LIKELY, _LIKELY, 0
    elif adjective > 3 * noun + 3 and word not in NOUNS:
        noun = 0
    if adverb > 2 * max(noun, adjective, 1) and word.endswith("ly"):
        return WordWeights(closed="RB")
    if not (noun or plural or verb or verb_s or gerund or participle or adjective or adverb):
        return _unknown(word)
    animate = bool(noun or plural) and is_animate(single or word)
    return WordWeights(
        None, noun, plural, verb, verb_s, gerund, participle, adjective, adverb, word in COLOURS, animate
    )


def _unknown(word: str) -> WordWeights:
    if word.endswith("ly") and len(word) > 6:
        return WordWeights(closed="RB")
    if word.endswith("ing") and len(word) > 5:
        return WordWeights(gerund=_LIKELY)
    if word.endswith("ed") and len(word) > 4:
        return WordWeights(participle=_LIKELY)
    if singular_of(word):
        return WordWeights(plural=_LIKELY)
    if word.endswith(("ish", "less", "ful", "able", "ous")):
        return WordWeights(adjective=2 * _LIKELY + 1, noun=_LIKELY)
    return WordWeights(noun=_LIKELY)


def _is_verb_form(word: str, ending: int, wordnet: Taxonomy) -> bool:
    """Whether a word without its -ing or -ed is a verb, allowing for a doubled letter or a dropped e."""
    stem = word[:-ending]
    if wordnet.parts(stem).verb or wordnet.parts(stem + "e").verb or word in wordnet.verb_forms:
        return True
    if len(stem) > 2 and stem[-1] == stem[-2] and wordnet.parts(stem[:-1]).verb:
        return True
    return stem.endswith("i") and bool(wordnet.parts(stem[:-1] + "y").verb)


def _verb_of_s(word: str, wordnet: Taxonomy) -> str | None:
    if word.endswith(("ss", "us", "'s")):
        return None
    stems = [word[:-1]]
    if word.endswith("ies"):
        stems.insert(0, word[:-3] + "y")
    elif word.endswith("es"):
        stems.append(word[:-2])
    return next((stem for stem in stems if wordnet.parts(stem).verb), None)


@functools.lru_cache(maxsize=65536)
def is_animate(noun: str) -> bool:
    """Whether the first sense of a noun is a person or an animal."""
    senses = taxonomy().senses(noun)
    return bool(senses) and _lives(senses[0])


def names_living(word: str) -> bool:
    """Whether a noun of any number names people or animals."""
    return is_animate(word) or is_animate(singular_of(word) or word)


@functools.lru_cache(maxsize=65536)
def is_animal(noun: str) -> bool:
    """Whether the first sense of a noun is an animal and no person; a stroller may be one who strolls."""
    wordnet = taxonomy()
    senses = wordnet.senses(noun)
    if not senses:
        return False
    above = wordnet.closure(senses[0])
    return wordnet.senses("animal")[0] in above and wordnet.senses("person")[0] not in above


@functools.cache
def _lives(sense: int) -> bool:
    wordnet = taxonomy()
    if sense in (wordnet.senses("person")[0], wordnet.senses("animal")[0]):
        return True
    return any(_lives(up) for up in wordnet.above(sense))
