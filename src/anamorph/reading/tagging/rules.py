"""The default tagger: weights of each word's readings, and rules for what stands around it.

It needs to know one thing well: whether a word names something here. It reads from left to right and keeps what it is
in the middle of: a noun group that still lacks its noun, one that has it, or neither.
"""

from __future__ import annotations

from anamorph.reading.tagging.context import PLACES, Context
from anamorph.reading.tagging.lexicon import WordWeights
from anamorph.reading.tagging.verbs import acts, does, known_together
from anamorph.reading.tokens import Tokens
from anamorph.reading.wordlists import AUXILIARY, BE, GERUND_NOUNS, word_list

# One form for both numbers; many, unless a determiner says one.
_ONE_FORM = word_list("rules", "one_form")
_CANS = word_list("rules", "cans")
# Verbs whose past is their base form; after a noun: "a table set for two".
_UNCHANGED = word_list("rules", "unchanged")
_AFTER_UNCHANGED = word_list("rules", "after_unchanged")
_AGES = word_list("rules", "ages")
# The first half of the names of sports in two words.
_SPORTS = word_list("rules", "sports")
_SIDES = word_list("rules", "sides")
_POSTURES = word_list("rules", "postures")
_DEGREES = word_list("rules", "degrees")


class RuleTagger:
    """Tags English captions with WordNet's word list and rules of our own."""

    def tag(self, tokens: Tokens) -> list[str]:
        text = _Pass(tokens.lowers)
        for place, reading in enumerate(text.weights):
            tag = text.closed(place, reading.closed) if reading.closed else text.choose(place, reading)
            text.step(place, tag, reading)
        return text.tags


class _Pass(Context):
    """One reading of one text."""

    __slots__ = ()

    def closed(self, place: int, tag: str) -> str:
        word = self.lowers[place]
        following = self.after(place)
        if word == "'s":
            owns = self.previous() in ("NN", "NNS", "NNP", "CD") or (self.word(place - 1) == "it" and following.noun)
            return "POS" if owns and not self._is_is(place) else "VBZ"
        if word == "that":
            if self.previous() in ("NN", "NNS", "NNP") or following.closed in ("VBZ", "VBP", "MD"):
                return "WDT"
            return "DT" if following.nominal and not following.verb_s else "IN"
        if word == "like" and self.previous() in ("PRP", "MD"):
            return "VBP"
        if tag == "CD" and self.word(place + 1) == "'s":
            return "JJ"
        if word == "one" and not following.nominal and following.closed not in ("IN", "CC", "CD", "TO"):
            return "PRP"
        if word == "her" and not (following.nominal or following.gerund or following.participle or following.verb):
            return "PRP"
        if word == "can":
            wants = self.open == "wants" and self.word(place + 1) != "be"  # "several more can be seen"
            return "NN" if wants or (self.open == "has" and self.word(place - 1) in _CANS) else "MD"
        if word == "up" and self.word(place - 1) == "close" and self.open == "wants":
            return "JJ" if self.noun_follows(place) else "NN"
        if word == "no" and not following.nominal and following.closed is None and following.gerund:
            return "DT"
        return tag

    def _is_is(self, place: int) -> bool:
        """Whether 's is short for "is": "the dog's running"."""
        following = self.after(place)
        return following.closed in ("DT", "RB", "IN") or bool(
            following.gerund and not following.noun and not self.after(place, 2).nominal
        )

    def choose(self, place: int, reading: WordWeights) -> str:
        word, before = self.lowers[place], self.previous()
        if word in _AGES and self.word(place + 1) in ("old", "olds"):
            return "JJ"
        if word == "country" and self.word(place - 1) == "cross":
            return "RB"
        if before == "CD" and self.word(place - 2) == "other" and reading.verb > reading.noun:
            return "VBP"  # "the other two hold"
        if word in PLACES:
            return self.place_word(place, reading)
        if word in _SPORTS and (self.after(place).gerund or self.word(place + 1) == "country"):
            return self.sport(place)
        if word in _UNCHANGED and (
            self.word(place - 1) in AUXILIARY
            or (self.open == "has" and self.word(place + 1) in _AFTER_UNCHANGED and not known_together(self, place))
        ):
            return "VBN"
        if reading.gerund:
            return self.gerund(place, reading)
        if reading.participle:
            return self.participle(place, reading)
        if reading.verb_s and reading.plural:
            return "VBZ" if does(self, place, reading) else "NNS"
        if reading.verb_s and (not reading.noun or (self.open == "has" and self.singular and not self.finite)):
            return "VBZ"
        if reading.verb and (reading.noun or reading.plural or reading.adjective):
            if acts(self, place, reading):
                return "VB" if before in ("TO", "MD") else "VBP"
            if not (reading.noun or reading.plural):
                return "JJ"
        elif reading.verb:
            return "VB" if before in ("TO", "MD") else "VBP"
        if reading.plural:
            return "NNS"
        if word in _ONE_FORM:
            return "NN" if self.open == "wants" and self.singular else "NNS"
        if (
            reading.adjective
            and not (before == "NN" and known_together(self, place))
            and self.describes(place, reading)
        ):
            return "JJ"
        if reading.adverb and not reading.adjective and reading.adverb > 3 * reading.noun:
            return "RB"
        return "NN" if reading.noun else "RB" if reading.adverb and not reading.adjective else "JJ"

    def place_word(self, place: int, reading: WordWeights) -> str:
        following, before, word = self.after(place), self.previous(), self.lowers[place]
        if self.open == "wants" and not self.noun_follows(place):
            return "NN"
        if self.noun_follows(place) and (self.open or before in ("IN", "")):
            return "JJ"
        if word in ("top", "front") and self.open == "has":
            return "NN"
        if before in ("IN", "TO") and following.closed != "DT" and word in _SIDES:
            return "NN"
        if word == "left" and before in ("NN", "NNS", "VBZ", "VBP"):
            return "VBN"
        if word in ("past", "outside", "inside") and (following.closed in ("DT", "PRP$", "CD") or following.nominal):
            return "IN"
        if before in ("", ":", ",", ".") and word in _SIDES:
            return "NN"
        return "RB"

    def sport(self, place: int) -> str:
        """ "a man snow boarding" does something; "a snow boarding man" is someone. "cross country" never is a thing."""
        adverb = self.open == "has" or self.word(place - 1) in BE or self.word(place + 1) == "country"
        return "RB" if adverb else "NN"

    def gerund(self, place: int, reading: WordWeights) -> str:
        before = self.previous()
        if not reading.noun:
            if self.open == "wants" and not self.noun_follows(place) and not self.object_follows(place):
                # "a clearing", but "the one standing"
                return "NN" if before in ("DT", "PRP$", "JJ", "CD") and self.lowers[place] not in _POSTURES else "VBG"
            return "VBG"
        if before != "POS" and (self.word(place - 1) in BE or self.word(place - 1) in ("while", "not")):
            return "VBG"
        if self.object_follows(place):
            return "VBG" if self.open != "wants" else "NN"
        if self.open == "has" and self.animate and not known_together(self, place):
            return "VBG"
        return "NN" if self.lowers[place] in GERUND_NOUNS else "VBG"

    def participle(self, place: int, reading: WordWeights) -> str:
        if reading.noun and not self.noun_follows(place) and (self.open == "wants" or self.previous() == "IN"):
            return "NN"
        if reading.noun >= reading.participle and self.open != "has":
            return "NN"
        if reading.colour:
            return "JJ" if self.noun_follows(place) else "NN"
        return "VBN"

    def describes(self, place: int, reading: WordWeights) -> bool:
        """Whether a word that can be an adjective is one here."""
        if not reading.noun:
            return True
        before = self.previous()
        if self.noun_follows(place):
            return reading.adjective >= reading.noun
        following, beyond = self.after(place), self.after(place, 2)
        listed = following.closed in ("CC", ",", ":") and beyond.closed is None and bool(beyond.adjective)
        likely = reading.colour or reading.adjective > reading.noun
        if listed and likely and beyond.adjective >= beyond.noun and self.open != "has":
            return True  # "an orange and white cat", "a green, orange and silver train"
        if reading.colour:
            return self.open != "wants" and self.colours(before, place)
        if self.open == "wants":
            return reading.adjective > 4 * reading.noun
        if before in ("VBZ", "VBP", "VBN", "RB") and (self.word(place - 1) in BE or self.word(place - 1) in _DEGREES):
            return reading.adjective * 2 >= reading.noun
        if self.open == "has":
            return reading.adjective > reading.noun
        return reading.adjective > 2 * reading.noun

    def colours(self, before: str, place: int) -> bool:
        """Whether a colour that no noun follows says what something is like: "is orange", "blue and orange"."""
        if before == "CC":
            return self.tags[-2:-1] == ["JJ"]
        return before == "JJ" or (before in ("VBN", "VBZ", "VBP") and self.word(place - 1) not in ("has", "have"))
