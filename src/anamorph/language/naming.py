"""Which label a noun means: the label's own words first, then the noun taxonomy as in ROME's algorithm 2."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.language.labels import LabelSpace, sense_of
from anamorph.language.morphology import lemma_of, singular_of
from anamorph.language.wordlists import word_list, word_table
from anamorph.language.wordnet import taxonomy

# Words whose first WordNet sense is not what captions mean by them; word -> the sense that is.
SENSES: dict[str, int] = word_table("naming", "senses")

_WORDS_IN_NAME = 4
_REMEMBERED = 100_000

_BRANDS = word_list("naming", "brands")
_KIN = word_list("mentions", "kin")


class Namer:
    """Finds labels of nouns in one label space, and remembers what it found."""

    def __init__(self, space: LabelSpace, depth: int = 3) -> None:
        self.space, self.depth = space, depth
        self._phrases: dict[str, str] = {}
        self._unlike: dict[str, frozenset[str]] = {}
        self._anchors: dict[int, str] = {}
        self._known: dict[tuple[str, str, str, bool], str | None] = {}
        # (word, whether it is a plural) -> the label and the head of a noun that nothing describes
        self.alone: dict[tuple[str, bool], tuple[str | None, str]] = {}
        self._names = {name: label.name for label in space.labels for name in label.names}
        # The words whose label depends on others.
        self.contextual: dict[str, list[tuple[frozenset[str], str]]] = {}
        for label in space.labels:
            for word, near in label.context.items():
                self.contextual.setdefault(word, []).append((frozenset(near.split()), label.name))
        for label in space.labels:
            self._unlike[label.name] = frozenset(word.lower() for word in label.unlike)
        # A label's own name wins over another label's synonym.
        for words in ("name", "synonyms"):
            for label in space.labels:
                for phrase in (label.name,) if words == "name" else (*label.synonyms, *label.plurals):
                    self._phrases.setdefault(_key(phrase), label.name)
        for label in space.labels:
            for sense in label.senses or (f"{label.name}#1",):
                found = sense_of(sense)
                if found is not None:
                    self._anchors.setdefault(found, label.name)

    def named(self, words: Sequence[str], lemma: str) -> tuple[str, int] | None:
        """The label whose name or synonym a noun ends, with the words before it that belong to the name.

        `words` are the words in lower case up to and with the noun, `lemma` is the noun's dictionary form. The longest
        name wins; "hot dog", "hot-dog" and "hotdog" are one name.
        """
        phrases = self._phrases
        last = words[-1]
        for extra in range(min(_WORDS_IN_NAME, len(words)) - 1, -1, -1):
            before = "".join(words[len(words) - 1 - extra : -1]) if extra else ""
            if "-" in before:
                before = before.replace("-", "")
            label = phrases.get(before + last) or phrases.get(before + lemma)
            if label is None and "-" in last:
                label = phrases.get(before + last.replace("-", "")) or phrases.get(before + lemma.replace("-", ""))
            if label is not None and (extra or last not in self._unlike[label]):
                other = not extra and len(words) > 1 and f"{words[-2]} {lemma}" in self._unlike[label]
                return None if other else (label, extra)  # zip ties are no ties
        return None

    def keep_alone(self, word: str, plural: bool, label: str | None, head: str) -> None:
        """Remember what a noun means that nothing describes."""
        if len(self.alone) > _REMEMBERED:
            self.alone.clear()
        self.alone[word, plural] = label, head

    def phrase(self, words: str) -> str | None:
        """The label that has exactly these words for a name or synonym."""
        return self._phrases.get(words.replace(" ", ""))

    def proper(self, name: str) -> str | None:
        """The label that a word with a capital letter is a name of."""
        return self._names.get(name)

    def brand(self, word: str) -> str | None:
        """The label that a maker's name stands for: Airbus, Honda, Harley-Davidson."""
        return self._phrases.get(word.partition("-")[0]) if word.partition("-")[0] in _BRANDS else None

    def in_context(self, word: str, words: frozenset[str]) -> str | None:
        """The label that a word has among these others: the board of a surfer."""
        return next((label for near, label in self.contextual.get(word, ()) if not near.isdisjoint(words)), None)

    def kind_of(self, before: str, lemma: str, surface: str, noun_before: bool = True) -> str | None:
        """The label that the taxonomy gives a noun; `before` is the word before it, if that belongs to it."""
        key = (before, lemma, surface, noun_before)
        if key not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            self._known[key] = self._kind_of(f"{before} {lemma}" if before else "", lemma, surface, noun_before)
        return self._known[key]

    def _kind_of(self, compound: str, lemma: str, surface: str, noun_before: bool) -> str | None:
        found = self._phrases.get(_key(lemma)) or self._climb(lemma)
        if found is not None and not self._unlike[found].isdisjoint((surface, lemma, compound)):
            found = None
        # A baby bird is a bird, although WordNet puts it beside birds.
        if compound and compound.partition(" ")[0] not in _KIN and taxonomy().knows(compound):
            of_compound = self._kind_of_compound(compound, lemma, found)
            # A white horse is a wave to WordNet: an adjective does not take the noun's meaning away.
            return of_compound if noun_before else of_compound or found
        return found

    def _kind_of_compound(self, compound: str, lemma: str, of_head: str | None) -> str | None:
        """A prairie dog is not a dog, a police dog is one: a compound means more than its last word."""
        wordnet = taxonomy()
        heads = frozenset(wordnet.senses(lemma))
        for sense in wordnet.senses(compound) if of_head is not None else ():
            above = wordnet.closure(sense)
            if above & heads or any(self._anchors[s] == of_head for s in above if s in self._anchors):
                return of_head
        found = self._climb(compound)
        return None if found is not None and compound in self._unlike[found] else found

    def _climb(self, noun: str) -> str | None:
        """ROME's algorithm 2 on senses: up from the first sense, at most `depth` steps, to the nearest label."""
        wordnet = taxonomy()
        senses = wordnet.senses(noun)
        if not senses:
            return None
        first = senses[min(SENSES.get(noun, 1), len(senses)) - 1]
        for level in wordnet.levels(first, self.depth):
            for sense in level:
                label = self._anchors.get(sense)
                if label is not None and noun not in self._unlike[label]:
                    return label
        return None


def _key(phrase: str) -> str:
    """A name without spaces and hyphens, its last word in the singular."""
    words = phrase.lower().replace("-", " ").split()
    last = words[-1]
    return "".join(words[:-1]) + lemma_of(last, singular_of(last) is not None)
