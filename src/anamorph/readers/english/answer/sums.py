"""What one sentence claims: which of its phrases add up, and which take apart, correct or repeat another."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from anamorph.language.hedges import GUESSES, MIGHT
from anamorph.language.mentions.finding import NOUNS
from anamorph.language.quantity import number_of
from anamorph.language.wordlists import word_list
from anamorph.readers.english.answer.question import PICTURES, Question, Target
from anamorph.readers.english.answer.words import (
    CONCLUDING,
    ORDINALS,
    PEOPLE,
    PRONOUNS,
    VERBS,
    Phrase,
    Sentence,
    UndecidedError,
    Words,
    is_below,
)

Interval: TypeAlias = tuple[int, int | None]

_PARTING = frozenset((":", "(", "-", "\u2014", "\u2013", "namely", "consisting", "comprising", "comprised"))
_INCLUDING = frozenset(("including", "among", "amongst", "ranging", "such"))
_CORRECTING = word_list("answers", "correcting")
_RETRACTING = word_list("answers", "retracting")
_HEDGES = GUESSES | {"might"}
_MAYBE = GUESSES | MIGHT
_ONLY = frozenset(("just", "only", "exactly"))
# What names the kind of most or all that were counted: "several boats, mostly sailboats".
_MOSTLY = word_list("answers", "mostly")
_ALL_OF_THEM = ["all", "of", "them"]
_BOTH_SIDES = frozenset((word, side) for word in ("each", "either") for side in ("side", "end", "hand"))
_EVERYONE = frozenset(("everyone", "everybody"))
_HAVING_ONE = frozenset(("has", "holds", "wears", "carries", "with", "holding", "wearing", "carrying", "contains"))
_HAVING = frozenset(("has", "have", "had", "of", "contains", "includes", "numbers"))
_CONCEDING = frozenset(("but", "though", "although", "however"))
_OTHER = frozenset(("other", "remaining"))
_NEXT = ORDINALS | word_list("answers", "remainders")
_THEM = frozenset(("them", "these", "those", "which", "whom"))
_NOT = frozenset(("not", "n't"))
_BE = frozenset(("is", "are", "'s", "'re", "was", "were"))
_LEAVING = frozenset(("IN", "TO", "VBG", "VBN", "VBZ", "VBP", "WDT", "WP", "WRB", "RB"))
_OF_PICTURE = PICTURES | {"in", "the", "this", "visible", "present", "here"}
_COUNTING_ONES = frozenset(("i", "we", "that", "this", "which"))
_COUNTING = word_list("answers", "counting")
# At most this many words stand before what was counted: "So I would put it at".
_OPENING_WORDS = 6
# "Several" and the like are at least this many.
_SEVERAL = 2
CONTRADICTION = "it says that there is one and that there is none"
TWO_NUMBERS = "it gives two different numbers"


class ContradictionError(UndecidedError):
    """An answer says two things that cannot both be true."""


class _Role(enum.Enum):
    """What a phrase does to the one before it: adds to it, stands instead of it, takes it apart, says it again ..."""

    ADDED = enum.auto()
    INSTEAD = enum.auto()
    PART = enum.auto()
    SAME = enum.auto()
    PERHAPS = enum.auto()
    UP_TO = enum.auto()
    END = enum.auto()


@dataclass(frozen=True, slots=True)
class Claim:
    """An interval, claimed of one kind of thing that was asked for by one sentence."""

    least: int
    most: int | None
    sentence: int
    total: bool = False  # this is all
    more: bool = False  # on top of what was said before
    corrects: bool = False
    only: bool = False  # "just one"
    referring: bool = False  # only "the dog", "the others": nothing new
    named: tuple[str, ...] = ()  # the nouns, where only articles say how many
    introduced: bool = False  # by "a" or "an" only
    alone: bool = False  # "There is one dog in the image": this is all that the sentence says
    others: bool = False  # "the other four"
    restating: bool = False  # "It is a red bus", "A red bus with two decks."
    numbered: bool = False  # by a number or the like, not by nouns only
    counted: bool = False  # "I'd count 2 ovens"

    @property
    def interval(self) -> Interval:
        return self.least, self.most

    @property
    def perhaps(self) -> bool:
        return self.least == 0 != self.most


def sum_of(intervals: Sequence[Interval]) -> Interval:
    least = sum(low for low, _ in intervals)
    return least, None if any(high is None for _, high in intervals) else sum(high or 0 for _, high in intervals)


def is_of_picture(words: Words, phrase: Phrase, sentence: Sentence) -> bool:
    """Whether nothing follows a phrase but where it all is: "in the image"."""
    behind = words.lowers[phrase.last + 1 : sentence.last]
    return all(word in _OF_PICTURE or not word[0].isalnum() for word in behind)


class SentenceReader:
    """Reads what the sentences of an answer claim of one kind of thing."""

    def __init__(self, words: Words, phrases: Sequence[Phrase], asked: Question, target: Target | None) -> None:
        self.words, self.lowers, self.phrases = words, words.lowers, phrases
        self.asked, self.target = asked, target

    def claim(self, number: int, sentence: Sentence, phrases: list[Phrase]) -> Claim | None:
        """What a sentence claims by those of its phrases that are of this kind."""
        phrases = self._linked(phrases)
        if not phrases or (len(phrases) == 1 and self._is_a_word(phrases[0], sentence)):
            return None
        positive = [phrase for phrase in phrases if phrase.said != "none"]
        if not positive:
            of_them = all(self.words.word(phrase.last + 1, sentence) == "of" for phrase in phrases)
            of_them = of_them or all(self._is_of_another(phrase, sentence) for phrase in phrases)
            return Claim(0, 0, number, referring=of_them)  # "neither of them is moving"
        denied = [phrase for phrase in phrases if phrase.said == "none"]
        others = all(phrase.head is not None and not self._is_general(phrase) for phrase in positive)
        if others and any(self._is_general(phrase) for phrase in denied):
            return Claim(0, 0, number)  # "three urinals, but no toilets"
        if denied and "or" in self.lowers[positive[0].last + 1 : denied[-1].first]:
            raise ContradictionError(CONTRADICTION)
        kept = self._without_parts(positive)
        least, most = sum_of([self._interval(phrase) for phrase in kept])
        if self.may_be_more(sentence):
            most = None
        least -= min(least, self._may_be_others(sentence))
        inside = self.lowers[sentence.first : sentence.last]
        new = [phrase for phrase in kept if phrase.said != "definite"]
        more = any(self.words.is_more(phrase) for phrase in kept)
        return Claim(
            least,
            most,
            number,
            total=(not CONCLUDING.isdisjoint(inside[:2]) and any(phrase.exact for phrase in kept))
            or (kept[0].said in ("number", "vague") and self.words.concludes(kept[0].first, sentence)),
            more=more,
            corrects=not _CORRECTING.isdisjoint(inside) or self._is_corrected(inside[1:]),
            only=not _ONLY.isdisjoint(self.lowers[max(0, kept[0].first - 1) : kept[0].last])
            or not _RETRACTING.isdisjoint(inside[: kept[0].first - sentence.first]),
            alone=inside[0] == "there" and is_of_picture(self.words, kept[-1], sentence),
            referring=not new,
            others=kept[0].said == "number" and self._is_of_others(kept[0], sentence),
            named=tuple(phrase.head for phrase in kept if phrase.head is not None) if kept[0].head is not None else (),
            introduced=all(phrase.said == "article" for phrase in kept),
            numbered=any(phrase.said in ("number", "vague") for phrase in kept),
            counted=len(kept) == 1 and kept[0].exact and self._is_counted(inside[: kept[0].first - sentence.first]),
            restating=inside[0] in PRONOUNS
            or not any(tag in VERBS for tag in self.words.tags[sentence.first : sentence.last]),
        )

    def _is_counted(self, before: Sequence[str]) -> bool:
        """Whether what follows is what somebody makes of it all: "I'd count", "we get", "that gives"."""
        words = [word for word in before if word[0].isalnum() or word == "'d"]
        return 1 < len(words) <= _OPENING_WORDS and words[0] in _COUNTING_ONES and not _COUNTING.isdisjoint(words[1:])

    def _is_of_others(self, phrase: Phrase, sentence: Sentence) -> bool:
        """ "The remaining four", "the other two dogs"."""
        words = self.lowers[max(sentence.first, phrase.first - 2) : phrase.last]
        return "the" in words and not _OTHER.isdisjoint(words)

    def _is_of_another(self, phrase: Phrase, sentence: Sentence) -> bool:
        """ "But he is not a player", "the other one is not a dog", "a fox, not a dog": what something else is not."""
        place = phrase.first - (self.lowers[phrase.first] not in _NOT)
        before = self.words.word(place - 1, sentence), self.words.word(place - 2, sentence)
        if self.lowers[place] not in _NOT:
            return False
        noun = self.words.tag(place - 2, sentence) in NOUNS
        one = self.lowers[place + 1 : place + 2] in (["a"], ["an"])
        return (before[0] in _BE and (before[1] in PRONOUNS or (noun and one))) or (before[0] == "," and noun and one)

    def _is_a_word(self, phrase: Phrase, sentence: Sentence) -> bool:
        """ "Bottle" says nothing of how many."""
        outside = (*self.lowers[sentence.first : phrase.first], *self.lowers[phrase.last + 1 : sentence.last])
        alone = phrase.said == "bare" and not any(word[0].isalnum() for word in outside)
        return alone and self.asked.asks == "how-many" and not sentence.listed

    def may_be_more(self, sentence: Sentence) -> bool:
        """ "Three bottles (possibly more behind)"."""
        inside = self.lowers[sentence.first : sentence.last]
        if _MAYBE.isdisjoint(inside):
            return False
        return any(
            word in ("more", "others")
            and inside[place + 1 : place + 2] != ["than"]
            and number_of(inside[place - 1 : place]) is None  # "possibly four more"
            and not {"room", "space"} & set(inside[:place])
            and not _MAYBE.isdisjoint(inside[max(0, place - 2) : place])
            for place, word in enumerate(inside)
        )

    def _may_be_others(self, sentence: Sentence) -> int:
        """The one of "four pens, although one of them might be a pencil"."""
        inside = self.lowers[sentence.first : sentence.last]
        if "of" not in inside or MIGHT.isdisjoint(inside):
            return 0
        for place in range(1, len(inside) - 3):
            if inside[place] == "of" and inside[place + 1] in _THEM and inside[place + 2] in MIGHT:
                what = range(sentence.first + place + 3, sentence.first + place + 7)
                same = any(phrase.first in what and phrase.target is not None for phrase in self.phrases)
                return (
                    number_of(inside[place - 1 : place]) or 0
                    if "be" in inside[place + 3 : place + 5] and not same
                    else 0
                )
        return 0

    def _interval(self, phrase: Phrase) -> Interval:
        if phrase.said == "bare" and phrase.least == 1 and self.words.sentences[phrase.sentence].listed:
            return 1, 1  # "1. Red apple"
        if phrase.head is None and self.lowers[phrase.last] == "both" and self.is_one_of_each(phrase):
            return 1, 1
        if phrase.part and (self.target is None or self.target.plain) and phrase.head is not None:
            return phrase.whole or (max(2, phrase.least), None)
        if (several := self._for_every(phrase)) is not None:
            return several
        each = self._for_each(phrase)
        return (
            (phrase.least * each, None if phrase.most is None else phrase.most * each)
            if each
            else (phrase.least, phrase.most)
        )

    def _for_every(self, phrase: Phrase) -> Interval | None:
        """ "Every desk has a computer": as many as there are desks, where that is said, else several."""
        if phrase.most != 1 or phrase.said not in ("article", "definite", "number"):
            return None
        first = self.words.sentences[phrase.sentence].first
        before = self.lowers[first : phrase.first]
        if not _EVERYONE.isdisjoint(before) and not _HAVING_ONE.isdisjoint(before):
            return 2, None
        for other in self.phrases:
            if other.sentence == phrase.sentence and other.target is None and other.last < phrase.first:
                if self.lowers[other.first] not in ("each", "every") or other.head in PICTURES:
                    continue
                if not _HAVING_ONE.isdisjoint(self.lowers[other.last + 1 : phrase.first]):
                    counted = (each for each in self.phrases if each.head == other.head and each.said == "number")
                    number = next((each.least for each in counted if each.exact), None)
                    return (number, number) if number else (2, None)
        return None

    def is_one_of_each(self, phrase: Phrase) -> bool:
        """ "One of each" goes for every kind, and so does "both" where two were asked for."""
        both = self.lowers[phrase.last] == "both" and len(self.asked.targets) == 2
        return both or self.lowers[phrase.last + 1 : phrase.last + 3] == ["of", "each"]

    def _for_each(self, phrase: Phrase) -> int | None:
        """ "Three riders, each with a board" are three boards; "a girl and a boy each have a board" are two."""
        behind = self.lowers[phrase.last + 1 : phrase.last + 6]
        if phrase.least == phrase.most == 1 and ["each", "of"] in (behind[1:3], behind[2:4]):
            of = phrase.last + 1 + behind.index("of")
            return number_of(self.lowers[of + 2 : of + 3])  # "a flag on each of the four towers"
        if phrase.exact and behind[:1] in (["on"], ["at"], ["in"]) and tuple(behind[1:3]) in _BOTH_SIDES:
            return 2  # "one player on each side"
        earlier = [each for each in self.phrases if each.last < phrase.first and each.sentence == phrase.sentence]
        listed = 0
        while earlier:
            other = earlier.pop()
            if other.target == phrase.target or other.head is None:
                return None
            if other.said not in ("number", "article") or (other.least == 1 and not earlier and not listed):
                continue
            near = (
                *self.lowers[max(0, other.first - 3) : other.last],  # "each of the two players has a racket"
                *self.lowers[other.last + 1 : phrase.first],
                *self.lowers[phrase.last + 1 : phrase.last + 2],
            )
            if "each" not in near or not CONCLUDING.isdisjoint(near):
                return None
            listed += other.least
            if not earlier or self.lowers[earlier[-1].last + 1 : other.first] not in (["and"], [","], [",", "and"]):
                return listed if listed > 1 else None
        return None

    def _linked(self, phrases: list[Phrase]) -> list[Phrase]:
        """Without a question, what counts is what is listed first: "[two dogs and a cat] on a sofa"."""
        if self.asked.targets or not phrases:
            return phrases
        sentence = self.words.sentences[phrases[0].sentence]
        if not any(tag in VERBS for tag in self.words.tags[sentence.first : sentence.last]):
            phrases = [phrase for phrase in phrases if phrase.said not in ("bare", "definite")]
        found = phrases[:1]
        for phrase in phrases[1:]:
            between = range(found[-1].last + 1, phrase.first)
            if any(self.words.tags[each] in _LEAVING or self.lowers[each] in "(:;" for each in between):
                if phrase.said == "none" and not any(self.lowers[each] in "(:" for each in between):
                    continue
                break
            found.append(phrase)
        return found

    def _without_parts(self, phrases: list[Phrase]) -> list[Phrase]:
        """The phrases that add up: without those that only take apart, correct or repeat what stands before them."""
        kept = phrases[:1]
        part: Phrase | None = None
        parts = 0
        kind: Phrase | None = None
        for phrase in phrases[1:]:
            if self._is_kind(phrase) or (kind is not None and self._is_listed(kind, phrase)):
                kind = phrase  # "several animals, mostly cows and sheep"
                continue
            if part is not None and self._goes_on(part, phrase, kept[-1].least - parts):
                parts += phrase.least
                continue  # "four of them wooden and two metal"
            before = kept[-1]
            between = self.lowers[before.last + 1 : phrase.first]
            if ")" in between and "(" in between:
                between = between[: between.index("(")] + between[between.index(")") + 1 :]
            role = self._role(before, phrase, between)
            if role is _Role.END:
                break
            if role is _Role.PART:
                part, parts = phrase, parts + phrase.least
                if before.most is None and phrase.least > before.least:
                    kept[-1] = phrase  # "several, at least seven of them"
            elif role is _Role.INSTEAD:
                kept = [phrase]
            elif role is _Role.PERHAPS:
                kept.append(replace(phrase, least=0))
            elif role is _Role.UP_TO:
                high = None if before.most is None or phrase.most is None else max(before.most, phrase.most)
                kept[-1] = replace(before, most=high)
            elif role is _Role.ADDED:
                kept.append(phrase)
        return self._whole_of(kept)

    def _goes_on(self, part: Phrase, phrase: Phrase, left: int) -> bool:
        """Whether a list of parts goes on: "two people, a man in a suit and a woman", where one is `left`."""
        between = self.lowers[part.last + 1 : phrase.first]
        listed = phrase.head is None or between in (["and"], [",", "and"])
        return "and" in between and (listed or (phrase.least <= left and not self.words.is_more(phrase)))

    def _is_kind(self, phrase: Phrase) -> bool:
        """ "Mostly small sailboats", "all of them wooden chairs": what kind those before are."""
        if phrase.said != "bare":
            return False
        before = self.lowers[max(0, phrase.first - 3) : phrase.first]
        near = (*before[-1:], *self.lowers[phrase.first : phrase.last])
        return not _MOSTLY.isdisjoint(near) or before == _ALL_OF_THEM

    def _is_listed(self, before: Phrase, phrase: Phrase) -> bool:
        between = self.lowers[before.last + 1 : phrase.first]
        return phrase.said == "bare" and between in ([","], ["and"], ["or"], [",", "and"])

    def _is_apposed(self, before: Phrase, phrase: Phrase, between: Sequence[str]) -> bool:
        """ "One SUV, a black one", "two people, a young couple", "one person, a surfer": the same again, no list."""
        if between[-1:] not in ([","], ["-"]) or "and" in between or not before.exact or phrase.most != before.least:
            return False
        behind = self.lowers[phrase.last + 1 : phrase.last + 3]
        if self.lowers[phrase.first] not in ("a", "an") or behind[:1] == ["and"] or behind == [",", "and"]:
            return False
        if phrase.head is None:
            # "A dog, a brown one", but not "a black dog, a brown one"
            return before.said == "number" or (before.said == "article" and before.last - before.first == 1)
        if before.said == "number" or (self._is_general(before) and phrase.head != before.head):
            return True
        return before.head is None or (phrase.head != before.head and is_below(phrase.head, before.head))

    def _is_explained(self, before: Phrase, phrase: Phrase, between: Sequence[str]) -> bool:
        """Whether what follows a full statement explains it: "[1 chair], the wooden one", "[5 people], with a man"."""
        if self._is_apposed(before, phrase, between) or not {"since", "because", "which", "whom"}.isdisjoint(between):
            return True  # "there are five, since one cup is hidden"
        if phrase.head is None and self.lowers[phrase.first] in ("both", "all"):
            return True  # "two doors, both closed"
        general = before.head in PEOPLE or self._is_general(before)
        if phrase.said == "definite":
            if phrase.head is None and self.words.tags[phrase.first - 1] in ("IN", "TO"):
                return True  # "a pan on the back one", "one above the other"
            if not _NEXT.isdisjoint(self.lowers[phrase.first : phrase.last + 1]):
                return False  # "one is asleep, the other awake"
            if before.said == "definite":
                return phrase.head is not None and phrase.head == before.head and between != ["and"]
            return (
                None in (phrase.head, before.head)
                or phrase.head == before.head
                or (general and before.said != "article")
            )
        return False

    def _is_detail(self, before: Phrase, phrase: Phrase, between: Sequence[str]) -> bool:
        """Whether what follows only explains a full statement: "one bus, the 42", "five dogs, with a puppy"."""
        stated = before.said == "number" and before.exact and (self._is_general(before) or before.head is None)
        if not stated or "and" in between or self.words.is_more(phrase):
            return False
        if phrase.said == "number" and phrase.head == before.head is not None:
            return False  # "three green bottles, two brown bottles"
        return self._is_whole(between)

    def _is_whole(self, between: Sequence[str]) -> bool:
        """Whether a statement ends at the comma behind it, or says only that it is of the picture: "in the image,"."""
        return "," in between and all(word in _OF_PICTURE or word in _BE for word in between[: between.index(",")])

    def _has_number(self, phrase: Phrase) -> bool:
        """Whether an open amount has a number in it: "at least two", not "several"."""
        return any(number_of([word]) is not None for word in self.lowers[phrase.first : phrase.last + 1])

    def _is_several(self, phrase: Phrase) -> bool:
        """ "Several", "a few", "dogs": open, and named by no number."""
        return phrase.most is None and phrase.least <= _SEVERAL and not self._has_number(phrase)

    def _role(self, before: Phrase, phrase: Phrase, between: Sequence[str]) -> _Role:
        """What a phrase does to the one before it in the same sentence."""
        if (not CONCLUDING.isdisjoint(between) and not phrase.perhaps) or self._is_corrected(between):
            return _Role.INSTEAD
        guess = phrase.perhaps or not _HEDGES.isdisjoint((*between[-3:], self.lowers[phrase.first]))
        if guess and phrase.head is None:
            return self._role_of_guess(before, phrase, between)
        if "(" in between and not self._is_several(before):
            return _Role.SAME
        if not _PARTING.isdisjoint(between):
            # "One desktop, two laptops: three computers"; "several people: a man, a woman and a child"
            sums_up = self._is_general(phrase) and not self._is_general(before)
            return _Role.INSTEAD if sums_up or self._is_several(before) else _Role.END
        if not _INCLUDING.isdisjoint(between):
            return _Role.END
        if self._is_explained(before, phrase, between):
            return _Role.SAME
        if phrase.part and self._is_of_them(phrase):
            return _Role.PART
        if self._is_detail(before, phrase, between):
            return _Role.PART
        if guess:
            return self._role_of_guess(before, phrase, between)
        end = phrase.first
        while self.words.tags[end - 1] == "RB":
            end -= 1  # "easily more than fifty"
        apposed = between[:1] == [","] or (self.lowers[end - 1] == "," and phrase.head is None)
        if before.most is None and phrase.least >= before.least and apposed and "and" not in between:
            return _Role.INSTEAD  # "a crowd, hundreds of people"; "a bunch of carrots lies there, at least five"
        if before.head in PEOPLE and before.said == "definite" and not _HAVING.isdisjoint(between[:1]):
            return _Role.INSTEAD  # "the family has four members"
        if not _CORRECTING.isdisjoint(between) and phrase.said != "article":
            return _Role.INSTEAD
        if phrase.head is None and not _CONCEDING.isdisjoint(between):
            if phrase.said == "vague" and before.least >= phrase.least:
                return _Role.SAME  # "six, though some may be hidden"
            return _Role.INSTEAD if before.most is None else _Role.ADDED  # "too many to count, but over 50"
        return _Role.ADDED

    def _role_of_guess(self, before: Phrase, phrase: Phrase, between: Sequence[str]) -> _Role:
        """ "Three, possibly four"; "three, and possibly a fourth"; "a dog, possibly a beagle" is only one."""
        if phrase.head is None and phrase.least >= _SEVERAL and self._is_several(before):
            return _Role.INSTEAD  # "a few people, maybe three or four"
        if self.words.is_more(phrase) or "and" in between:
            return _Role.PERHAPS
        return _Role.UP_TO if phrase.head is None and (phrase.most or 0) >= before.least else _Role.PERHAPS

    def _is_corrected(self, between: Sequence[str]) -> bool:
        """ "Two \u2014 no, three"; "two, wait, three"."""
        words = [word for word in between if word[0].isalnum()]
        return bool(words) and between[-1] in (",", "-", "\u2014", "\u2013", *_RETRACTING) and words[0] in _RETRACTING

    def _is_general(self, phrase: Phrase) -> bool:
        return self.target is not None and phrase.head == self.target.head

    def _is_of_them(self, phrase: Phrase) -> bool:
        return phrase.head is None or self.lowers[phrase.first + 1 : phrase.first + 2] == ["of"]

    def _whole_of(self, phrases: list[Phrase]) -> list[Phrase]:
        """The first phrase alone where the others take it apart: "two dogs, one brown and one white"."""
        if len(phrases) < 2:
            return phrases
        whole, *rest = phrases
        parts = sum_of([(phrase.least, phrase.most) for phrase in rest])
        between = self.lowers[whole.last + 1 : rest[0].first]
        if self.words.is_more(rest[0]):
            return phrases
        placed = rest[0].head == whole.head is not None and not self._is_whole(between)
        if len(rest) > 1 and whole.exact and parts == (whole.least, whole.most) and "," in between and not placed:
            return [whole]  # unlike "two people on the left, one person on the right and one at the end"
        parted = whole.most is None and between[:1] == [","] and rest[0].head is None and parts[0] <= whole.least
        if parted and self._has_number(whole):
            return [whole]  # "at least two chairs, one here and one there"
        if len(rest) > 2 and whole.exact and "," in between and rest[0].head is None is rest[1].head:
            first = sum_of([(phrase.least, phrase.most) for phrase in rest[:2]])
            if first == (whole.least, whole.most):
                return [whole, *rest[2:]]  # "two cups, one red and one blue, next to a mug"
        if whole.said == "bare" and rest[0].head is None:
            return self._whole_of(rest)  # "There are dogs, two on the left and one on the right"
        if len(rest) > 1:
            return phrases
        (part,) = rest
        if part.head is None and "each" in self.lowers[part.last + 1 : part.last + 4]:
            return [whole]
        if part.head is None and self._is_general(whole) and between[-1:] == [","] and part.least < whole.least:
            return [whole, replace(part, least=0)]  # "five people at the table, one standing": one of them, or a sixth
        return phrases
