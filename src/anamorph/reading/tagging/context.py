"""Where a tagger stands in a text: what it has read, what follows, and which noun group it is in."""

from __future__ import annotations

from anamorph.reading.morphology import LONGEST
from anamorph.reading.tagging.lexicon import WordWeights, weights_of
from anamorph.reading.wordlists import AUXILIARY, word_list

NOTHING = WordWeights(closed=".")
_STRANGE = WordWeights(noun=1)
# Places that are adverbs unless something makes them nouns.
PLACES = word_list("rules", "places")
SUBJECTS = word_list("rules", "subjects")
_STOPS = frozenset(".!?;:|")
_ONE = word_list("rules", "one")
_MANY = word_list("rules", "many")
_ORDINALS = word_list("again", "ordinals")
# What begins a clause with a verb of its own.
_CONJUNCTIONS = word_list("rules", "conjunctions")


class Context:
    """A text that is read from left to right."""

    __slots__ = (
        "animate",
        "coordinated",
        "definite",
        "finite",
        "lowers",
        "open",
        "singular",
        "tags",
        "verb",
        "weights",
    )

    def __init__(self, lowers: list[str]) -> None:
        self.lowers = lowers
        self.weights = [weights_of(word) if len(word) <= LONGEST else _STRANGE for word in lowers]
        self.tags: list[str] = []
        self.open = ""  # the noun group "wants" its noun, "has" it, or there is none
        self.singular = False  # the open group began with a determiner for one thing
        self.definite = False  # the open group began with "the" or an owner
        self.animate = False  # the noun that was read last is a person or an animal
        self.finite = False  # the clause has its verb
        self.verb = ""  # the tag of the last verb that is neither gerund nor participle
        self.coordinated = False  # "and" stands between nouns of this clause

    def after(self, place: int, distance: int = 1) -> WordWeights:
        return self.weights[place + distance] if place + distance < len(self.weights) else NOTHING

    def word(self, place: int) -> str:
        return self.lowers[place] if 0 <= place < len(self.lowers) else ""

    def previous(self) -> str:
        return self.tags[-1] if self.tags else ""

    def noun_follows(self, place: int) -> bool:
        """A noun group can go on after this word."""
        following = self.after(place)
        if following.closed or self.word(place + 1) in PLACES:
            return False
        if following.gerund or following.participle:
            return self.after(place, 2).nominal and not following.noun
        if following.noun or following.plural:
            verbal = following.verb or following.verb_s
            if self.singular and self.open == "wants" and following.verb_s and not following.noun:
                return self.after(place, 2).nominal  # "a remote rests beside"
            return not verbal or max(following.noun, following.plural) * 2 >= verbal
        return bool(following.adjective and self.after(place, 2).nominal)

    def object_follows(self, place: int) -> bool:
        """What only follows a verb: a determiner, a pronoun, an owner."""
        return self.after(place).closed in ("DT", "PRP$", "PRP", "CD")

    def step(self, place: int, tag: str, reading: WordWeights) -> None:
        """Take in the tag of the word at a place."""
        self.tags.append(tag)
        word = self.lowers[place]
        if tag in ("NN", "NNS", "NNP"):
            if self.open == "":
                self.singular = self.definite = False
            self.open, self.animate = "has", reading.animate
        elif tag in ("DT", "PRP$", "CD", "PDT"):
            if tag != "CD" or self.open != "wants" or (word != "one" and word not in _ORDINALS):
                self.singular = word in _ONE
            self.open, self.definite = "wants", word == "the" or tag == "PRP$"
        elif tag == "JJ":
            if self.open == "has":
                self.open = "wants" if self.after(place).nominal else ""
                self.singular = False
            elif self.open == "":
                self.open, self.singular = "wants", False
            if word in _MANY:
                self.singular = False
        elif tag == "POS":
            self.open = "wants"
        elif (tag in ("VBG", "VBN") and self.open == "wants" and self.after(place).nominal) or (
            tag == "RB" and self.open == "wants"
        ):
            pass
        elif tag == "CC":
            if self.open == "has":
                self.coordinated = True
            if len(self.tags) > 1 and self.tags[-2] == ",":
                self.finite = False  # "a man sits, and his dog barks"
            self.open = ""
        else:
            self.open = ""
        self._step_clause(word, tag)

    def _step_clause(self, word: str, tag: str) -> None:
        if tag in ("VBZ", "VBP", "VB", "MD", "VBD") or (word in AUXILIARY and tag != "POS"):
            self.finite = True
            if tag != "MD":
                self.verb = tag
        elif (
            tag in ("WDT", "WP", "WRB")
            or word in _STOPS
            or word in _CONJUNCTIONS
            or (tag == "PRP" and word in SUBJECTS)
        ):
            self.finite = self.coordinated = False
