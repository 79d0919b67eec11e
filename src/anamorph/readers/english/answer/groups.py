"""Which amount belongs to which noun: "two of the three dogs", "Dogs: 2", "a slice of pizza"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anamorph.language.amounts import Amount, find_amounts
from anamorph.language.morphology import plural_of, singular_of
from anamorph.language.quantity import number_of
from anamorph.language.wordlists import word_list
from anamorph.readers.english.answer.words import Sentence, Words

COLLECTIVES = word_list("answers", "collectives")
DEFINITE = word_list("answers", "definite")
ADJECTIVES = frozenset(("JJ", "JJR", "JJS"))
# What may stand between a noun and its amount.
INSIDE = frozenset(("JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "PRP$", "POS", "PDT", "RB", "CD"))
_BE = frozenset(("is", "are", "was", "were", "'s", "'re"))
# Verbs with an object: "two wearing hats" are no hats.
_DEEDS = word_list("answers", "deeds")
_NAMED, _AGES = word_list("answers", "before_names"), word_list("answers", "ages")
_UNITS = word_list("answers", "units")
_SORTED = frozenset(("assorted", "various", "multiple", "numerous"))
_ROWS = frozenset(("rows", "groups", "stacks", "sets", "columns", "bunches", "packs", "piles", "clusters"))
_PIECES = frozenset(("pieces", "heads", "loaves", "pairs", "pair"))
_MEASURES = word_list("answers", "measures")
_BEFORE_MODELS = frozenset(("a", "an", "one", "single"))
_YEARS = range(1800, 2040)
# What stands before a year: "dated 1962", "from 1962"; "built around 1962" has a participle.
_BEFORE_YEARS = word_list("answers", "before_years")


class NounGroup(NamedTuple):
    """The words before a noun that belong to it: where they begin, what amount they state, what it is a part of."""

    first: int
    amount: Amount | None
    definite: bool
    part: bool
    whole: tuple[int, int | None] | None


class Amounts:
    """The amounts of a text, and the nouns that they belong to."""

    def __init__(self, words: Words, asked: frozenset[str]) -> None:
        self.words, self.lowers, self.tags = words, words.lowers, words.tags
        self.asked = asked
        self.all = _without_names(find_amounts(self.lowers), words, asked)
        self.by_last = {amount.last: amount for amount in self.all}
        self.by_first = {amount.first: amount for amount in self.all}
        self.used: set[int] = set()

    def before(self, place: int, sentence: Sentence) -> NounGroup:
        """The group of the noun at a place."""
        amount = self.by_last.get(place)  # "a crowd", "a couple" are noun and amount in one
        if amount is not None and amount.first == place and self._is_counted(place):
            amount = None  # "about ten rows"
        whole: tuple[int, int | None] | None = None
        definite = part = False
        first = place if amount is None else amount.first
        each = first - 1
        while each >= sentence.first:
            word, tag = self.lowers[each], self.tags[each]
            found = self.by_last.get(each)
            if found is not None and found.first >= sentence.first:
                if amount is None or amount.kind == "article":
                    amount = found
                elif found.kind == "number" and amount.first == each + 1 and self.lowers[amount.last] in _SORTED:
                    self.used.add(amount.first)
                    amount = found  # "twelve assorted donuts"
                elif self.lowers[each] in _ROWS and (rows := self.by_last.get(each - 1)) is not None and rows.most:
                    # "three rows of four donuts"
                    self.used.update((found.first, rows.first, amount.first))
                    most = None if amount.most is None else amount.most * rows.most
                    found = amount = amount._replace(first=rows.first, least=amount.least * rows.least, most=most)
                elif found.kind == "vague" and "of" in self.lowers[each + 1 : amount.first]:
                    self.used.add(found.first)  # "a bunch of five bananas"
                elif self._is_outer(found, amount, each):
                    whole = (amount.least, amount.most)
                    self.used.add(amount.first)
                    amount, part = found, True
                first, each = found.first, found.first - 1
            elif word == "of" and definite and self._is_one_of(each, sentence):
                whole = None if amount is None else (amount.least, amount.most)
                first = each - 2
                amount, part = Amount(each - 2, each - 1, 1, 1, "number"), True
                break  # "the largest of the three elephants"
            elif (
                word == "of" and (outer := self.by_last.get(each - 1 - self._is_out(each))) and outer.kind != "article"
            ):
                part = part or (definite and self.lowers[outer.last] not in COLLECTIVES)
                each -= 1 + self._is_out(each)
            elif word in DEFINITE or (word in ("all", "both") and tag == "DT"):
                definite, first = True, each
                each -= 1
            elif amount is not None or definite or word == "any":
                if word not in ("just", "only", "of") or tag == "IN":
                    break
                each -= 1
            elif not self._is_deed(each) and (tag in INSIDE or tag == "DT" or self.joins_adjectives(each)):
                first = each
                each -= 1
            else:
                break
        if part and amount is not None and amount.kind != "none" and whole is None and not definite:
            part = False
        return NounGroup(first, amount, definite, part, whole)

    def hyphenated(self, word: str) -> int | None:
        """The three of "three-layer", where layers were asked for."""
        amount, _, noun = word.partition("-")
        return number_of([amount]) if plural_of(noun) in self.asked else None

    def _is_counted(self, place: int) -> bool:
        before = self.by_last.get(place - 1)
        return before is not None and before.kind in ("number", "vague")

    def _is_deed(self, place: int) -> bool:
        """The "wearing" of "are wearing helmets" is no part of the helmets; "there are sleeping dogs" has one."""
        if self.lowers[place] in _DEEDS:
            return True
        before = self.lowers[place - 1] if place else ""
        return self.tags[place] == "VBG" and before in _BE and self.lowers[place - 2 : place - 1] != ["there"]

    def _is_one_of(self, place: int, sentence: Sentence) -> bool:
        before = self.words.word(place - 1, sentence)
        return self.words.word(place - 2, sentence) == "the" and len(before) > 4 and before.endswith("est")

    def _is_out(self, place: int) -> bool:
        """ "Two out of three" are two of three."""
        return place > 0 and self.lowers[place - 1] == "out"

    def _is_outer(self, outer: Amount, inner: Amount, place: int) -> bool:
        """The "one" of "one of the four dogs"; "a group of five men" are five."""
        return (
            outer.kind in ("number", "none")
            and "of" in self.lowers[place + 1 : inner.first]
            and self.lowers[outer.last] not in COLLECTIVES
        )

    def joins_adjectives(self, place: int) -> bool:
        around = (self.tags[place - 1] if place else "", self.tags[place + 1])
        return (self.tags[place] == "CC" or self.lowers[place] == ",") and all(
            tag in ADJECTIVES or tag == "VBN" for tag in around
        )

    def behind(self, place: int, sentence: Sentence) -> Amount | None:
        """The amount behind a noun: "Dogs: 2", "dogs (3)", "dogs = 4"."""
        mark = self.words.word(place + 1, sentence)
        if (times := self.by_first.get(place + 1)) is not None and mark[0] in "x\u00d7":
            return times
        amount = self.by_first.get(place + 2)
        if (
            amount is None
            or amount.kind == "article"
            or mark not in (":", "(", "=", "-", "\u2013", "\u2014", "x", "\u00d7")
        ):
            return None
        following = self.words.word(amount.last + 1, sentence)
        closed = following == ")" if mark == "(" else following in (".", ",", ";", "(", "!", "and", "|", "/")
        return amount if closed else None

    def measured(self, first: int, sentence: Sentence) -> Amount | None:
        """The "a" of "a slice of pizza"; two slices may be of one."""
        measure = self.words.word(first - 2, sentence)
        if self.words.word(first - 1, sentence) != "of" or measure not in _MEASURES:
            return None
        amount = self.before(first - 2, sentence).amount
        if amount is None or amount.most is None:
            return None
        return amount if amount.most == 1 or measure in _PIECES else amount._replace(least=1, kind="vague")

    def shares_article(self, first: int, sentence: Sentence) -> bool:
        """ "A bride and groom"."""
        if self.words.word(first - 1, sentence) != "and" or self.words.tag(first - 2, sentence) not in ("NN", "NNP"):
            return False
        group = self.before(first - 2, sentence)
        return group.definite or (group.amount is not None and group.amount.kind == "article")


def _without_names(amounts: Sequence[Amount], words: Words, asked: frozenset[str]) -> list[Amount]:
    """The amounts that are no names, nor listed with one: "bibs 204, 311 and 87"."""
    found: list[Amount] = []
    name = -1
    for amount in amounts:
        listed = name >= 0 and all(word in (",", "and", "&") for word in words.lowers[name + 1 : amount.first])
        if (listed and words.lowers[amount.last][0].isdigit()) or _is_a_name(amount, words, asked):
            name = amount.last if words.lowers[amount.last][0].isdigit() else -1
        else:
            name = -1
            found.append(amount)
    return found


def _is_a_name(amount: Amount, words: Words, asked: frozenset[str]) -> bool:
    """Whether a number is a name, a time, an age, a price or the like; wheels count where they are asked for."""
    lowers, texts = words.lowers, words.tokens.texts
    if amount.kind not in ("number", "vague"):
        return False
    before = lowers[amount.first - 1] if amount.first else ""
    following = lowers[amount.last + 1] if amount.last + 1 < len(lowers) else ""
    if (before == "-" and amount.first == 1) or lowers[max(0, amount.first - 2) : amount.first] == ["no", "."]:
        return True
    if before in _AGES or (following in _UNITS and following not in asked):
        return True
    if before in _BEFORE_MODELS and words.tags[amount.last + 1 : amount.last + 2] == ["NN"]:
        return True  # "a 42 bus", "a three layer cake"
    if not lowers[amount.last][0].isdigit():
        return False
    if (
        _is_year(amount, words)
        or before in _NAMED
        or singular_of(before) in _NAMED
        or before in ("$", "\u20ac", "\u00a3", "#")
        or following in ("%", "$", "\u00b0")
    ):
        return True
    if plural_of(before) in asked:
        return True  # "Bowl 1: white"
    if following == ":" and amount.last + 2 < len(lowers) and lowers[amount.last + 2].isdigit():
        return True
    if before == ":" and amount.first > 1 and lowers[amount.first - 2].isdigit():
        return True
    # "Boeing 737"; "I count", "Dogs 2" begin a sentence.
    capital = amount.first > 1 and texts[amount.first - 1][:1].isupper() and len(before) > 1
    return capital and lowers[amount.first - 2] not in (".", ":", "\u2022", "-")


def _is_year(amount: Amount, words: Words) -> bool:
    """The 1967 of "a 1967 Mustang", "dated 1967" and "taken around 1967"; "2000 people" are people."""
    text = words.lowers[amount.last]
    if len(text) != 4 or not text.isdigit() or int(text) not in _YEARS:
        return False
    following = range(amount.last + 1, min(amount.last + 4, len(words.tags)))
    nouns = [words.tags[place] for place in following if words.tags[place] in ("NN", "NNS", "NNP", "NNPS")]
    if amount.first == amount.last and nouns and not nouns[-1].endswith("S"):
        return True
    if words.tags[amount.last + 1 : amount.last + 2] in (["NNS"], ["NNPS"], ["JJ"]):
        return False
    before = words.lowers[max(0, amount.first - 1) : amount.last]
    if before[:1] == ["("]:
        return words.lowers[amount.last + 1 : amount.last + 2] == [")"]
    return not _BEFORE_YEARS.isdisjoint(before) or (amount.first > 0 and words.tags[amount.first - 1] == "VBN")
