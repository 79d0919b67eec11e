"""Near misses: words that are almost, but not quite, a word for a label."""

from __future__ import annotations

from collections.abc import Iterator

from anamorph.model import Label
from anamorph.reading.morphology import plural_of, singular_of
from anamorph.reading.tokens import tokenize
from anamorph.reading.wordlists import CLOSED
from anamorph.reading.wordnet import taxonomy

# A slip of one letter; in long words, of two.
_LONG = 7
_SHORTEST = 3
_BEFORE_NOUNS = frozenset({"a", "an", "the"})
# Small words that never stand right after an article.
_SMALL = frozenset({"IN", "CC", "TO", "PRP", "MD"})


def near_miss(text: str, label: Label) -> tuple[int, int] | None:
    """Where a text has a misspelt word for a label, as (start, end); None if it has none.

    A word that exists in English is not a slip ("boat" for "goat"), except a small word where only a
    noun can stand ("a at").
    """
    tokens = tokenize(text)
    wanted = [word for word in _forms(label) if len(word) >= _SHORTEST]
    for place, word in enumerate(tokens.lowers):
        if not word.isalpha() or len(word) < _SHORTEST - 1:
            continue
        small = CLOSED.get(word) in _SMALL and place > 0 and tokens.lowers[place - 1] in _BEFORE_NOUNS
        if not small and (word in CLOSED or _is_english(word)):
            continue
        if any(_slip(word, form, 1 if small else None) for form in wanted):
            return tokens.starts[place], tokens.ends[place]
    return None


def _forms(label: Label) -> Iterator[str]:
    for phrase in (label.name, *label.words, *label.plurals):
        # A word of a compound ("fire hydrant") is not a name by itself.
        if " " not in phrase:
            yield phrase.lower()
            yield plural_of(phrase.lower())


def _is_english(word: str) -> bool:
    wordnet = taxonomy()
    return any(wordnet.parts(word)) or wordnet.knows(word) or wordnet.knows(singular_of(word) or word)


def _slip(word: str, form: str, most: int | None = None) -> bool:
    allowed = most or (2 if len(form) >= _LONG else 1)
    return abs(len(word) - len(form)) <= allowed and 0 < _distance(word, form) <= allowed


def _distance(one: str, other: str) -> int:
    """Letters left out, put in, exchanged or swapped with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        before, last, row = row, before, [i]
        for j, against in enumerate(other, start=1):
            best = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]
