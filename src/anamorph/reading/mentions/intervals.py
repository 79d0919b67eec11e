"""How many a noun group says there are, as an interval."""

from __future__ import annotations

from bisect import bisect_left
from typing import TypeAlias

from anamorph.reading.amounts import Amount, find_amounts
from anamorph.reading.mentions.finding import NOUNS, Phrase
from anamorph.reading.mentions.groups import is_paired
from anamorph.reading.mentions.passage import FINITE, LED, POSSESSIVE, Passage
from anamorph.reading.morphology import ZERO_PLURALS
from anamorph.reading.quantity import COLLECTIVES, number_of
from anamorph.reading.wordlists import word_list

Interval: TypeAlias = tuple[int, int | None]

ONE: Interval = (1, 1)
SOME: Interval = (1, None)
SEVERAL: Interval = (2, None)
# The label of people, for what is only true of them.
PERSON = "person"
# Nouns for many people at once: "a family".
GATHERINGS = word_list("again", "gatherings")

_MEASURES = word_list("again", "measures")
_MASS, _MASS_BARE = word_list("again", "mass"), word_list("again", "mass_bare")
_PAIRS_OF_PEOPLE, _BOTH_SIDES = word_list("again", "pairs_of_people"), word_list("again", "both_sides")
_PAIRS_ANYWAY = word_list("again", "pairs_anyway")
_AGES = word_list("again", "ages")
_PULLED, _PULLED_BY = ("drawn", "pulled"), ("-drawn", "-pulled")
# Collectives that say a number themselves, so that a number before them counts them and not groups.
_EXACT = ("pair", "pairs", "couple", "dozen")
# How many groups back "each" may refer.
_BACK = 8
# A number before one thing that is no count: "a 1967 sedan".
_YEAR = 1000
# What stands between a thing and its number in a list, and what may follow that.
_BEFORE_COUNT, _AFTER_COUNT = frozenset((":", "(", "|", "-", "=", "\u2013", "\u2014")), frozenset((")", "|", ","))


class Intervals:
    """The intervals of the noun groups of a passage."""

    __slots__ = ("amounts", "lasts", "passage", "shared")

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.amounts = find_amounts(passage.lowers)
        self.lasts = [amount.last for amount in self.amounts]
        self.shared = "each" in passage.lowers or "either" in passage.lowers

    def of(self, phrase: Phrase) -> Interval:
        """What the words of a noun group say."""
        passage, mention = self.passage, phrase.mention
        word, following = passage.lowers[phrase.last], passage.word(phrase.last + 1)
        if phrase.denied or (mention.absent and passage.lowers[phrase.first] != "none"):
            return 0, 0
        if phrase.stands:
            return mention.count or 1, mention.count or 1
        if word == "couple":
            return 2, 2
        if word.endswith(_PULLED_BY) or (following in _PULLED and phrase.lives):
            return SOME
        if word in GATHERINGS and mention.label is not None:
            return self._gathering(phrase)
        if word == "horseback":
            return self._ridden(phrase)
        amount = self._amount(phrase)
        if following in _BEFORE_COUNT and amount is None and (count := self._count_behind(phrase)) is not None:
            return count, count
        if is_paired(word, following == "of", passage.name_start(phrase) < phrase.last):
            return self._paired(phrase, amount)
        many = phrase.plural or (word in ZERO_PLURALS and mention.number == "plural")
        if amount is not None and amount.kind != "article":
            return self._stated(phrase, amount, many)
        if phrase.collective in COLLECTIVES:
            value = COLLECTIVES[phrase.collective]
            return (value, value) if value is not None else SEVERAL if many else SOME
        if word in _PAIRS_ANYWAY or (word in _PAIRS_OF_PEOPLE and phrase.determiner in POSSESSIVE):
            return 2, 2
        if many or mention.number == "plural":
            twins = amount is None and not phrase.determiner and "twin" in passage.lowers[phrase.first : phrase.last]
            return (2, 2) if twins else self._all_of_them(phrase) or SEVERAL
        if word in _MASS or (word in _MASS_BARE and amount is None and phrase.first and not self._is_led(phrase)):
            return self._mass(phrase)
        return SOME if mention.number == "unknown" and amount is None else ONE

    def spread(self, phrase: Phrase, interval: Interval) -> Interval:
        """The interval over all that have one: "three hikers, each with a backpack", "a spoon beside each"."""
        if not self.shared or interval != ONE or phrase.determiner not in ("a", "an", "", *POSSESSIVE):
            return interval
        passage = self.passage
        # "Each with a fork, a knife and a spoon"; "each has a doll, and their mother smiles"
        first = phrase.first if self._acts(phrase) else passage.listed_before(phrase)[-1].first
        if passage.word(first - 1) == "of" and passage.word(first - 2) in _MEASURES:
            first -= 2  # "each with a slice of pizza"
        for at in range(first - 1, max(passage.sentence_start(first), first - 8) - 1, -1):
            word, tag = passage.lowers[at], passage.tags[at]
            if word == "each":
                return self._times(at, phrase)
            if tag in NOUNS and (passage.word(at - 1) == "each" or passage.lowers[at - 3 : at - 1] == ["each", "of"]):
                continue  # "each of the boys wears a glove"
            if word in (",", "while") or tag == "CC" or (tag in NOUNS and word != "one"):
                break
        for at in range(phrase.last + 1, min(passage.sentence_end(phrase.last), phrase.last + 5)):
            word = passage.lowers[at]
            if word in ("each", "either"):
                if passage.word(at + 1) in _BOTH_SIDES:
                    # "A fork and a knife on either side" are one at each.
                    return interval if len(passage.listed_before(phrase)) > 1 else (2, 2)
                alone = word == "each" and passage.tags[at - 1] == "IN" and passage.tag(at + 1) not in NOUNS
                return self._times(at, phrase) if alone else interval
            if passage.tags[at] in FINITE or word in (",", "and"):
                break
        return interval

    def _acts(self, phrase: Phrase) -> bool:
        """Whether a verb follows, up to the next comma: "a bowl of popcorn rests on the table"."""
        passage = self.passage
        for at in range(phrase.last + 1, min(passage.sentence_end(phrase.last), phrase.last + 6)):
            if passage.tags[at] in FINITE:
                return True
            if passage.lowers[at] in (",", "and", "that", "which", "who"):
                break
        return False

    def _times(self, place: int, phrase: Phrase) -> Interval:
        """As many as there are of what "each" means: the last group of several, rather one with a number."""
        some = self.passage.lowers[max(0, place - 4) : place]
        if some[1:3] == ["of", "them"] and (number := number_of(some[:1])) is not None:
            return number, number  # "two of them are each holding one"
        found = ONE
        for other in reversed(self.passage.between(self.passage.sentence_start(place), place)):
            interval = self.of(other)
            if other is not phrase and interval != ONE:
                if interval[1] is not None:
                    return interval
                found = interval if found == ONE else found
        if self.passage.word(place + 1) == "other":
            return found
        if found in (ONE, SEVERAL):
            return self._known(place) or SEVERAL
        return found

    def _all_of_them(self, phrase: Phrase) -> Interval | None:
        """ "Her bridesmaids, all four of them in lavender"."""
        behind = self.passage.lowers[phrase.last + 1 : phrase.last + 4]
        number = number_of(behind[2:]) if behind[:2] == [",", "all"] else None
        return (number, number) if number is not None else None

    def _known(self, place: int) -> Interval | None:
        """As many as were counted before: "Four friends pose. Each of them wears a backpack"."""
        passage = self.passage
        own = next(
            (p for p in passage.between(place, place + 4) if "each" in passage.lowers[max(0, p.last - 3) : p.last]),
            None,
        )
        for other in reversed(passage.between(0, passage.sentence_start(place))[-_BACK:]):
            if own is not None and other.mention.label != own.mention.label:
                continue
            least, most = self.of(other)
            if least == most and least > 1:
                return least, most
            if other.plural and other.mention.label is not None:
                return None
        return None

    def _ridden(self, phrase: Phrase) -> Interval:
        """As many horses as there are riders: "two cowboys on horseback"."""
        rider = self.passage.before(phrase.first)
        return self.of(rider) if rider is not None and rider.mention.label == PERSON else SOME

    def _amount(self, phrase: Phrase) -> Amount | None:
        """The amount that stands before a noun, within its group or right before it."""
        number = bisect_left(self.lasts, self.passage.name_start(phrase)) - 1
        if number < 0:
            return None
        amount = self.amounts[number]
        if amount.last < phrase.first - 1 or amount.kind == "none":
            return None
        if amount.last < phrase.first and amount.last < self.passage.sentence_start(phrase.first):
            return None  # of another line
        if amount.kind == "article":
            if amount.last == phrase.first - 1:
                return None
            if phrase.collective and number and self.amounts[number - 1].last >= phrase.first:
                return self.amounts[number - 1]
        return amount

    def _count_behind(self, phrase: Phrase) -> int | None:
        """The number of "Dogs: 2", "dog (2)" and "dog | 2", which ends its line."""
        passage, place = self.passage, phrase.last + 2
        number = number_of(passage.lowers[place : place + 1])
        rest = passage.lowers[place + 1 : passage.sentence_end(place)]
        return number if all(word in _AFTER_COUNT for word in rest) else None

    def _stated(self, phrase: Phrase, amount: Amount, many: bool) -> Interval:
        passage = self.passage
        after = amount.last + 1
        if not _AGES.isdisjoint(passage.lowers[after : phrase.last]):
            return SEVERAL if many else ONE  # "3 year old girl"
        if not many and passage.lowers[amount.first] == "both":
            return ONE  # "both the car and the truck"
        exact = amount.kind == "number"
        collective = phrase.collective if phrase.collective not in _EXACT else ""
        if not many and exact and amount.least > 1 and phrase.collective not in _EXACT:
            compound = passage.name_start(phrase) > after and any(t in NOUNS for t in passage.tags[after : phrase.last])
            if compound or amount.least > _YEAR or phrase.determiner in ("a", "an"):
                return ONE  # "a 4 wheel drive truck"
        groups = collective and exact and COLLECTIVES.get(collective) is None
        if groups and amount.last < passage.lowers.index(collective, phrase.first):
            return SEVERAL  # "two groups of people"
        if not many and amount.least > 1 and amount.most is None:
            return SOME  # "some pizza"
        return amount.least, amount.most

    def _paired(self, phrase: Phrase, amount: Amount | None) -> Interval:
        """ "A pair of skis" is one, "two pairs of scissors" are two."""
        if phrase.collective == "pair":
            number = number_of(self.passage.lowers[phrase.first : phrase.first + 1])
            return (number, number) if number and number > 1 else ONE
        if amount is not None and amount.kind == "number" and phrase.collective in ("pairs", ""):
            return amount.least, amount.most
        if phrase.collective:
            return SEVERAL
        if phrase.determiner == "their":
            return SEVERAL
        return ONE if phrase.determiner in ("his", "her", "the", "a") else SOME

    def _gathering(self, phrase: Phrase) -> Interval:
        """ "A family", "a family of four"."""
        if self.passage.word(phrase.last + 1) == "of":
            number = number_of(self.passage.lowers[phrase.last + 2 : phrase.last + 3])
            if number is not None:
                return number, number
        return SEVERAL

    def _mass(self, phrase: Phrase) -> Interval:
        """ "Some broccoli" is open, "a piece of luggage" is one, "two slices of pizza" are two."""
        passage = self.passage
        if passage.word(phrase.first - 1) != "of":
            return SOME
        measure = next(iter(passage.between(phrase.first - 2, phrase.first - 1)), None)
        if measure is None or passage.lowers[measure.last] not in _MEASURES:
            return SOME
        amount = self._amount(measure)
        if not measure.plural:
            return ONE
        return (amount.least, amount.most) if amount is not None and amount.kind != "article" else SEVERAL

    def _is_led(self, phrase: Phrase) -> bool:
        """Whether "the" or an owner stands before a noun."""
        tags = self.passage.tags
        return (
            phrase.determiner in LED
            or self.passage.tag(phrase.first - 1) == "POS"
            or "POS" in tags[phrase.first : phrase.last]
        )
