"""The numbers of nouns: which singular a plural belongs to, and which nouns hide their number."""

from __future__ import annotations

import functools

from anamorph.reading.wordlists import word_list, word_table
from anamorph.reading.wordnet import taxonomy

# The plural of common words that no rule gives.
_PLURALS: dict[str, str] = word_table("morphology", "plurals")
# Plurals whose singular neither a rule nor WordNet's list gives as captions mean it.
IRREGULAR: dict[str, str] = word_table("morphology", "irregular")

# One form for one and for many.
ZERO_PLURALS = word_list("morphology", "zero_plurals")

# Plural in form, one thing in fact; counted with "a pair of".
PAIRED = word_list("morphology", "paired")

# Many, with no plural form.
PLURAL_ONLY = word_list("morphology", "plural_only")

# Singular although they end in s.
SINGULAR_S = word_list("morphology", "singular_s")


# No English word is longer; what is, is not worth a place in a cache.
LONGEST = 64


def singular_of(word: str) -> str | None:
    """The singular that a plural in lower case belongs to; None if the word is not a plural."""
    return _singular_of(word) if len(word) <= LONGEST else None


@functools.lru_cache(maxsize=65536)
def _singular_of(word: str) -> str | None:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in SINGULAR_S or len(word) < 3:
        return None
    wordnet = taxonomy()
    listed = wordnet.plurals.get(word)
    if listed is not None and listed != word and wordnet.parts(listed).noun >= wordnet.parts(word).noun:
        return listed
    if word.endswith(("men", "children")) and len(word) > 6 and word not in SINGULAR_S:
        return word[:-2] + "an" if word.endswith("men") else word[:-3]
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return None
    for stem in _stems(word):
        if wordnet.parts(stem).noun:
            return stem
    # A noun of its own that happens to end in s, such as "chaos".
    if wordnet.parts(word).noun or len(word) < 4:
        return None
    return _stems(word)[-1] if word.endswith(("ies", "shes", "ches", "xes", "sses")) else word[:-1]


def _stems(word: str) -> list[str]:
    stems = [word[:-1]]
    if word.endswith("ies"):
        stems.append(word[:-3] + "y")
    elif word.endswith("ves"):
        stems += [word[:-3] + "f", word[:-3] + "fe"]
    elif word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        stems.append(word[:-2])
    return stems


def lemma_of(word: str, plural: bool) -> str:
    """The dictionary form of a noun in lower case."""
    if word in PAIRED and word != "skis":
        return word
    if plural:
        return singular_of(word) or word
    return word


def plural_of(noun: str) -> str:
    """The regular plural of a noun, with the well-known irregular ones; the last word of a compound changes."""
    first, space, last = noun.rpartition(" ")
    return first + space + _plural_of_word(last)


def _plural_of_word(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word in PAIRED or word in PLURAL_ONLY or word in ("sheep", "deer", "fish", "moose", "aircraft", "broccoli"):
        return word
    if word.endswith("man") and len(word) > 4 and word not in ("human", "german", "roman"):
        return word[:-3] + "men"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"
