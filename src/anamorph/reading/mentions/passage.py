"""A tagged text and its noun groups, and how far a sentence or a part of one reaches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeAlias

from anamorph.reading.mentions.finding import Phrase
from anamorph.reading.tokens import Tokens
from anamorph.reading.wordlists import word_list

# Looks at what a word at a place says of the noun groups around it.
Cue: TypeAlias = "Callable[[Passage, int], None]"

FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
BE = word_list("again", "be")
DEFINITE, POSSESSIVE = word_list("again", "definite"), word_list("again", "possessive")
_JOINTS = frozenset((",", "and", "but", "while", "whereas"))
_SUBJECTS = word_list("rules", "subjects")
# What leads in a thing that is known.
LED = DEFINITE | POSSESSIVE
_ENDS = frozenset((".", "!", "?", ";", "\u2026"))
# Of a longer list, each part would be read again and again.
_LONGEST_LIST = 60
# No rule looks further than this many words within a sentence, so that a text without marks takes no longer.
_LONGEST = 200


class Passage:
    """One text: its words in lower case, their tags, its noun groups and where its sentences end."""

    __slots__ = ("first_named", "heads", "lowers", "phrases", "stops", "tags", "text", "titled", "tokens")

    def __init__(self, text: str, tokens: Tokens, tags: Sequence[str], phrases: list[Phrase]) -> None:
        self.text, self.tokens, self.tags, self.phrases = text, tokens, tags, phrases
        self.lowers = tokens.lowers
        self.heads = [phrase.last for phrase in phrases]
        self.stops = self._stops()
        named = (phrase.last for phrase in phrases if phrase.mention.label is not None or phrase.mention.may_be)
        self.first_named = next(named, len(tags))
        words = [word for word in tokens.texts[:400] if word[0].isalpha()]
        self.titled = sum(word[0].isupper() for word in words) * 2 > len(words)

    def _stops(self) -> list[int]:
        """The last place of each sentence: its mark, or the last word of a line; at the very end, the place after."""
        stops = [place for place, word in enumerate(self.lowers) if word in _ENDS]
        if "\n" in self.text:
            starts, ends, text = self.tokens.starts, self.tokens.ends, self.text
            stops += [
                p - 1
                for p in range(1, len(starts))
                if starts[p] - ends[p - 1] > 0 and "\n" in text[ends[p - 1] : starts[p]]
            ]
            stops = sorted(set(stops))
        stops.append(len(self.lowers))
        if len(self.lowers) <= _LONGEST:
            return stops
        even: list[int] = []
        for stop in stops:
            while stop - (even[-1] if even else 0) > _LONGEST:
                even.append((even[-1] if even else 0) + _LONGEST)
            even.append(stop)
        return even

    def word(self, place: int) -> str:
        return self.lowers[place] if 0 <= place < len(self.lowers) else ""

    def text_at(self, place: int) -> str:
        return self.tokens.texts[place] if 0 <= place < len(self.lowers) else ""

    def tag(self, place: int) -> str:
        return self.tags[place] if 0 <= place < len(self.tags) else ""

    def sentence(self, place: int) -> int:
        """The number of the sentence that a place is in."""
        return bisect_left(self.stops, place)

    def sentence_end(self, place: int) -> int:
        """The place after the last word of a sentence, which is that of its mark."""
        stop = self.stops[min(bisect_left(self.stops, place), len(self.stops) - 1)]
        return stop if stop == len(self.lowers) or self.lowers[stop] in _ENDS else stop + 1

    def sentence_start(self, place: int) -> int:
        number = bisect_left(self.stops, place)
        return 0 if number == 0 else self.stops[number - 1] + 1

    def clause_start(self, place: int) -> int:
        """Where the clause begins that a place is in: after a comma or a conjunction."""
        start = self.sentence_start(place)
        return next((at + 1 for at in range(place - 1, start, -1) if self.lowers[at] in _JOINTS), start)

    def between(self, low: int, high: int) -> list[Phrase]:
        """The noun groups whose noun stands from `low` up to, not with, `high`."""
        return self.phrases[bisect_left(self.heads, low) : bisect_left(self.heads, high)]

    def before(self, place: int) -> Phrase | None:
        """The last noun group whose noun stands before a place, in the same sentence."""
        number = bisect_left(self.heads, place) - 1
        if number < 0 or self.heads[number] < self.sentence_start(place):
            return None
        return self.phrases[number]

    def after(self, place: int) -> Phrase | None:
        """The first noun group whose noun stands at a place or later."""
        number = bisect_left(self.heads, place)
        return self.phrases[number] if number < len(self.phrases) else None

    def at(self, place: int) -> Phrase | None:
        """The noun group whose noun stands at a place."""
        number = bisect_left(self.heads, place)
        return self.phrases[number] if number < len(self.heads) and self.heads[number] == place else None

    def unclaim(self, low: int, high: int, why: str) -> None:
        """Say why nothing that is named from `low` up to `high` is there."""
        for phrase in self.between(low, high):
            phrase.unclaim(why)

    def name_start(self, phrase: Phrase) -> int:
        """Where the name of a thing begins: "hot" of "a big hot dog"."""
        place = phrase.last
        while place > phrase.first and self.tokens.starts[place] > phrase.mention.start:
            place -= 1
        return place

    def listed(self, phrase: Phrase) -> list[Phrase]:
        """A noun group and those that are strung to it by commas, "and", "or" and "nor"."""
        number = bisect_left(self.heads, phrase.last)
        found = [phrase]
        for later in range(number + 1, min(len(self.phrases), number + _LONGEST_LIST)):
            following = self.phrases[later]
            gap = self.lowers[found[-1].last + 1 : following.first]
            if not gap or not all(word in (",", "or", "nor", "and", "even", "other") for word in gap):
                break
            found.append(following)
        return found

    def listed_before(self, phrase: Phrase) -> list[Phrase]:
        """A noun group and those before it that it is strung to."""
        number = bisect_left(self.heads, phrase.last)
        found = [phrase]
        while number and len(found) < _LONGEST_LIST:
            earlier = self.phrases[number - 1]
            gap = self.lowers[earlier.last + 1 : phrase.first] if phrase.first - earlier.last <= 3 else [""]
            if not gap or not all(word in (",", "and", "or", "nor") for word in gap):
                break
            found.append(earlier)
            number, phrase = number - 1, earlier
        return found

    def subjects(self, place: int) -> list[Phrase]:
        """The noun groups that a verb at a place says something of: "the owners of the car" of "are away"."""
        phrase = self.before(place)
        if phrase is None or not _SUBJECTS.isdisjoint(self.lowers[max(0, place - 2) : place]):
            return []
        number, start = bisect_left(self.heads, phrase.last), self.sentence_start(place)
        while number and phrase.first and self.tags[phrase.first - 1] in ("IN", "TO"):
            earlier = self.phrases[number - 1]
            if earlier.last < max(start, phrase.first - 2):
                break
            number, phrase = number - 1, earlier
        return self.listed_before(phrase)
