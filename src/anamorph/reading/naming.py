"""Which label a noun means: the longest phrase of a label's words that the noun ends decides."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from anamorph.model.labels import Label, LabelSpace
from anamorph.reading.morphology import lemma_of, singular_of
from anamorph.reading.wordlists import word_list, word_table

# Words whose first WordNet sense is not what captions mean by them; word -> the sense that is.
SENSES: dict[str, int] = word_table("naming", "senses")

_WORDS_IN_NAME = 4
_REMEMBERED = 100_000

_BRANDS = word_list("naming", "brands")
_COLOURS = word_list("attribute_groups", "colours")


class Meaning(NamedTuple):
    """What a phrase means: the label that it has, those that it may have, and those that it has not."""

    label: str | None = None
    may_be: tuple[str, ...] = ()
    is_not: frozenset[str] = frozenset()


class Name(NamedTuple):
    """The label of a noun, those that it may have, and how many words before it belong to its name.

    The name of what is not of a class is the phrase that says so: nothing around "ceiling fan" makes it a person.
    """

    label: str | None = None
    may_be: tuple[str, ...] = ()
    extra: int = 0


NOTHING, NAMELESS = Meaning(), Name()


class Namer:
    """Finds labels of nouns in one label space, and remembers what it found."""

    def __init__(self, space: LabelSpace) -> None:
        self.space = space
        self._meanings: dict[str, Meaning] = {}
        # (word, whether it is a plural) -> the name and the head of a noun that nothing describes
        self.alone: dict[tuple[str, bool], tuple[Name, str]] = {}
        self._names = {name: label.name for label in space.labels for name in label.names}
        # The words whose label depends on others.
        self.contextual: dict[str, list[tuple[frozenset[str], str]]] = {}
        for label in space.labels:
            for word, near in label.context.items():
                self.contextual.setdefault(word, []).append((frozenset(near.split()), label.name))
        self._learn(space.labels)
        phrases = (phrase for label in space.labels for phrase in (*label.words, *label.may_be))
        colours = tuple(_COLOURS)
        self._closed = frozenset(phrase for phrase in phrases if phrase.isalpha() and phrase.startswith(colours))

    def _learn(self, labels: Sequence[Label]) -> None:
        known = self._meanings
        # A label's own name wins over another label's word, and a word as it is written over a plural's singular.
        for form in (_key, _singular_key):
            for listed in ("name", "words"):
                for label in labels:
                    for phrase in (label.name,) if listed == "name" else (*label.words, *label.plurals):
                        known.setdefault(form(phrase), Meaning(label.name))
        for label in labels:
            for key in map(_key, label.may_be):
                meaning = known.get(key, NOTHING)
                if label.name not in (meaning.label, *meaning.may_be):
                    known[key] = meaning._replace(may_be=(*meaning.may_be, label.name))
            for key in map(_key, label.is_not):
                meaning = known.get(key, NOTHING)
                known[key] = meaning._replace(is_not=meaning.is_not | {label.name})

    def named(self, words: Sequence[str], lemma: str, is_not: frozenset[str] = frozenset()) -> Name:
        """What a noun is called: `words` are in lower case up to and with it, `lemma` is its dictionary form.

        The longest phrase that means anything decides; "hot dog", "hot-dog" and "hotdog" are one. What a longer phrase
        is not, a shorter one is not either, nor one of the labels `is_not`.
        """
        meanings, last, longest = self._meanings, words[-1], 0
        if "-" in last:
            last, lemma = last.replace("-", ""), lemma.replace("-", "")
        forms = (last,) if last == lemma else (last, lemma)
        for extra in range(min(_WORDS_IN_NAME, len(words)) - 1, -1, -1):
            before = "".join(words[-1 - extra : -1]) if extra else ""
            if before in _COLOURS and before + lemma in self._closed:
                continue  # blue birds need not be bluebirds
            if "-" in before:
                before = before.replace("-", "")
            for form in forms:
                meaning = meanings.get(before + form)
                if meaning is None:
                    continue
                if meaning.is_not:
                    is_not, longest = is_not | meaning.is_not, longest or extra
                label = None if meaning.label in is_not else meaning.label
                may_be = tuple(each for each in meaning.may_be if each not in is_not) if is_not else meaning.may_be
                if label is not None or may_be:
                    return Name(label, may_be, extra if label is not None else longest)
        return Name(extra=longest) if longest else NAMELESS

    def keep_alone(self, word: str, plural: bool, name: Name, head: str) -> None:
        """Remember what a noun means that nothing describes."""
        if len(self.alone) > _REMEMBERED:
            self.alone.clear()
        self.alone[word, plural] = name, head

    def meaning(self, words: str) -> Meaning:
        """What exactly these words mean."""
        return self._meanings.get(words.replace(" ", ""), NOTHING)

    def phrase(self, words: str) -> str | None:
        """The label that has exactly these words for a name or synonym."""
        return self.meaning(words).label

    def proper(self, name: str) -> str | None:
        """The label that a word with a capital letter is a name of."""
        return self._names.get(name)

    def brand(self, word: str) -> str | None:
        """The label that a maker's name stands for: Airbus, Honda, Harley-Davidson."""
        maker = word.partition("-")[0]
        return self.phrase(maker) if maker in _BRANDS else None

    def in_context(self, word: str, words: frozenset[str]) -> str | None:
        """The label that a word has among these others: the board of a surfer."""
        return next((label for near, label in self.contextual.get(word, ()) if not near.isdisjoint(words)), None)


@functools.lru_cache(maxsize=64)
def namer_of(space: LabelSpace) -> Namer:
    """The namer of a label space, one for all readers."""
    return Namer(space)


def words_of(phrase: str) -> list[str]:
    """The words of a phrase, which may be joined by hyphens or underscores."""
    return phrase.lower().replace("-", " ").replace("_", " ").split()


def _key(phrase: str) -> str:
    """A phrase without spaces, hyphens and underscores."""
    return "".join(words_of(phrase))


def _singular_key(phrase: str) -> str:
    """The same, with its last word in the singular."""
    *before, last = words_of(phrase)
    return "".join(before) + lemma_of(last, singular_of(last) is not None)
