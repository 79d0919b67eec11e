"""The phrases of an answer: every thing that it names with its amount, and every amount that stands without a noun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from anamorph.language.amounts import Amount, find_amounts
from anamorph.language.mentions.finding import NOUNS
from anamorph.language.morphology import PAIRED
from anamorph.language.tokens import Tokens
from anamorph.language.wordlists import word_list
from anamorph.model.reading import Mention
from anamorph.readers.answer.question import PICTURES, Question

# How the amount of a phrase is said; "definite" is "the dog", "bare" is "dogs", "any" is the one of "I don't see any".
Said: TypeAlias = Literal["number", "vague", "none", "article", "definite", "bare", "any"]

_COLLECTIVES = word_list("answers", "collectives")
_NAMED = word_list("answers", "before_names")
_UNITS = word_list("answers", "units")
_AFTER_AMOUNT = word_list("answers", "after_amounts")
_DEFINITE = word_list("answers", "definite")
_REMAINDERS = word_list("answers", "remainders")
ORDINALS = word_list("answers", "ordinals")
_BEFORE_OBJECTS = word_list("answers", "before_objects")
_PEOPLE = word_list("answers", "people")
_LOOSE = word_list("answers", "loose")
_YOUNG = word_list("answers", "young")
_MEASURES = word_list("answers", "measures")
_MASSES = frozenset(("broccoli", "cake", "pizza", "suitcase"))
_DEPICTIONS = word_list("answers", "depictions")
_INSIDE = frozenset(("JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "PRP$", "POS", "PDT", "RB", "CD"))
_FOLLOWING = frozenset(("IN", "VBZ", "VBP", "VBD", "VBG", "VBN", "RB", "WDT", "WP", "CC", "TO", "EX", "MD"))
_VERBS = frozenset(("VBZ", "VBP", "VBD", "MD"))
_ADJECTIVES = frozenset(("JJ", "JJR", "JJS"))


class Sentence(NamedTuple):
    """The words from `first` up to `last`; `listed` for an item of a list."""

    first: int
    last: int
    listed: bool


@dataclass(frozen=True, slots=True)
class Phrase:
    """What one phrase names: from `first` to `last`, in a sentence; `head` is None where the noun is left out.

    `target` is the place of the kind among those that were asked for, None for anything else. `whole` is the interval
    of those of which it is a part: "two of the five dogs".
    """

    first: int
    last: int
    sentence: int
    least: int
    most: int | None
    said: Said
    head: str | None
    target: int | None
    part: bool = False
    whole: tuple[int, int | None] | None = None

    @property
    def exact(self) -> bool:
        return self.least == self.most


class Words:
    """A tagged text with its sentences."""

    def __init__(self, tokens: Tokens, tags: Sequence[str], sentences: Sequence[Sentence]) -> None:
        self.tokens, self.lowers, self.tags, self.sentences = tokens, tokens.lowers, tags, sentences
        self.sentence_of = [0] * len(tags)
        for number, sentence in enumerate(sentences):
            for place in range(sentence.first, sentence.last):
                self.sentence_of[place] = number

    def word(self, place: int, sentence: Sentence) -> str:
        """The word at a place of a sentence; a full stop outside of it."""
        return self.lowers[place] if sentence.first <= place < sentence.last else "."

    def tag(self, place: int, sentence: Sentence) -> str:
        return self.tags[place] if sentence.first <= place < sentence.last else "."


def find_phrases(words: Words, mentions: Sequence[Mention], asked: Question) -> list[Phrase]:
    """The phrases of a text in its order."""
    return _Finder(words, asked).find(mentions)


class _Finder:
    def __init__(self, words: Words, asked: Question) -> None:
        self.words, self.asked = words, asked
        self.lowers, self.tags = words.lowers, words.tags
        self.amounts = [each for each in find_amounts(self.lowers) if not _is_a_name(each, words)]
        self.by_last = {amount.last: amount for amount in self.amounts}
        self.by_first = {amount.first: amount for amount in self.amounts}
        self.used: set[int] = set()
        self.latest: int | None = None  # what the noun before belongs to

    def find(self, mentions: Sequence[Mention]) -> list[Phrase]:
        places = {end: place for place, end in enumerate(self.words.tokens.ends)}
        found: list[Phrase] = []
        for mention in mentions:
            place = places.get(mention.end)
            if place is not None and not self._is_no_thing(mention, place):
                phrase = self._named(mention, place)
                found.append(phrase)
                self.latest = phrase.target
        found.extend(self._unnamed())
        found.sort(key=lambda phrase: phrase.first)
        return self._resolved(found)

    # --- phrases with a noun ---

    def _is_no_thing(self, mention: Mention, place: int) -> bool:
        """Pictures, "ones", and the "flying" of "three flying", which the tagger takes for a noun."""
        if mention.head in PICTURES or mention.head in ("one", "ones"):
            return True
        if place in self.by_last and self.lowers[place] in _LOOSE:
            sentence = self.words.sentences[self.words.sentence_of[place]]
            return self.words.tag(place + 1, sentence) not in ("VBZ", "VBG")  # "A lot!"; "a couple is walking"
        before = self.by_last.get(place - 1)
        return (
            mention.label is None and mention.text.endswith("ing") and before is not None and before.kind != "article"
        )

    def _named(self, mention: Mention, place: int) -> Phrase:
        number = self.words.sentence_of[place]
        sentence = self.words.sentences[number]
        first, amount, definite, part, whole = self._before(place, sentence)
        if amount is None and not definite:
            amount = self._behind(place, sentence) or self._measured(first, sentence)
        target = self._target(mention, place, sentence)
        if amount is None:
            least, most, said = self._of_noun(mention, definite)
            if said == "bare" and least == 1 and self._shares_article(first, sentence):
                most = 1
        else:
            self.used.add(amount.first)
            least, most, said = amount.least, amount.most, amount.kind
            if (
                amount.last == place
                and self.lowers[place] in _COLLECTIVES
                and mention.head not in _PEOPLE
                and mention.label is None
            ):
                least, most, said = 1, 1, "article"  # "a row", "a set"
            if amount.kind == "article":
                least, most = (mention.count, mention.count) if mention.count else (1, 1)
                if mention.head in _PEOPLE:
                    least, most, said = 2, None, "vague"
            elif said == "vague" and most is None and amount.last < place and _is_mass(mention):
                least = 1  # "some pizza", "lots of luggage"
            if self.lowers[amount.last] in ("pair", "pairs") and mention.head in PAIRED:
                least, most = (1, 1) if self.lowers[amount.first] in ("a", "one") else (least, most)
            if mention.head == "family" and self.lowers[place + 1 : place + 2] == ["of"]:
                size = self.by_first.get(place + 2)
                if size is not None:
                    self.used.add(size.first)
                    least, most, said = size.least, size.most, "number"
        return Phrase(first, place, number, least, most, said, mention.head, target, part, whole)

    def _shares_article(self, first: int, sentence: Sentence) -> bool:
        """ "A bride and groom"."""
        if self.words.word(first - 1, sentence) != "and" or self.words.tag(first - 2, sentence) not in ("NN", "NNP"):
            return False
        _, amount, definite, _, _ = self._before(first - 2, sentence)
        return definite or (amount is not None and amount.kind == "article")

    def _target(self, mention: Mention, place: int, sentence: Sentence) -> int | None:
        targets = self.asked.targets
        if not targets:
            return 0
        if self._is_depicted(place, sentence):
            return None
        if mention.head in _YOUNG and mention.label is None and self.latest is not None:
            return self.latest  # "a monkey and its baby"
        for number, target in enumerate(targets):
            if target.covers(mention.head, mention.label) or (mention.head == "pair" and target.head in PAIRED):
                return number
            if self._is_of(place, sentence, target.head):
                return number
            if target.label == "person" == target.head and mention.head in _PEOPLE:
                return number
        return None

    def _is_depicted(self, place: int, sentence: Sentence) -> bool:
        """ "A statue of a dog" is none."""
        each = place - 1
        while each >= sentence.first and (self.tags[each] in _INSIDE or self.tags[each] == "DT"):
            each -= 1
        return each > sentence.first and self.lowers[each] == "of" and self.lowers[each - 1] in _DEPICTIONS

    def _is_of(self, place: int, sentence: Sentence, name: str) -> bool:
        """ "Two glasses of red wine" are wine glasses."""
        content, _, vessel = name.rpartition(" ")
        if not content or not self.lowers[place].startswith(vessel) or self.words.word(place + 1, sentence) != "of":
            return False
        return content in self.lowers[place + 2 : min(place + 5, sentence.last)]

    @staticmethod
    def _of_noun(mention: Mention, definite: bool) -> tuple[int, int | None, Said]:
        """The interval of a noun with no amount: "dogs" are at least two, "the dog" is one, "broccoli" is open."""
        if mention.absent:
            return 0, 0, "none"
        if mention.count is not None:
            return mention.count, mention.count, "number"
        said: Said = "definite" if definite else "bare"
        if mention.number == "plural":
            return 2, None, said
        return (1, 1, said) if mention.number == "singular" and definite else (1, None, said)

    def _before(
        self, place: int, sentence: Sentence
    ) -> tuple[int, Amount | None, bool, bool, tuple[int, int | None] | None]:
        """Where the phrase of a noun begins, its amount, whether it is definite, and what it is a part of."""
        amount = self.by_last.get(place)  # "a crowd", "a couple" are noun and amount in one
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
                elif self._is_outer(found, amount, each):
                    whole = (amount.least, amount.most)
                    self.used.add(amount.first)
                    amount, part = found, True
                first, each = found.first, found.first - 1
            elif (
                word == "of" and (outer := self.by_last.get(each - 1 - self._is_out(each))) and outer.kind != "article"
            ):
                part = part or (definite and self.lowers[outer.last] not in _COLLECTIVES)
                each -= 1 + self._is_out(each)
            elif word in _DEFINITE or (word in ("all", "both") and tag == "DT"):
                definite, first = True, each
                each -= 1
            elif amount is not None or definite or word == "any":
                if word not in ("just", "only", "of") or tag == "IN":
                    break
                each -= 1
            elif tag in _INSIDE or tag == "DT" or self._joins_adjectives(each):
                first = each
                each -= 1
            else:
                break
        if part and amount is not None and amount.kind != "none" and whole is None and not definite:
            part = False
        return first, amount, definite, part, whole

    def _is_out(self, place: int) -> bool:
        """ "Two out of three" are two of three."""
        return place > 0 and self.lowers[place - 1] == "out"

    def _is_outer(self, outer: Amount, inner: Amount, place: int) -> bool:
        """The "one" of "one of the four dogs"; "a group of five men" are five."""
        return (
            outer.kind in ("number", "none")
            and "of" in self.lowers[place + 1 : inner.first]
            and self.lowers[outer.last] not in _COLLECTIVES
        )

    def _joins_adjectives(self, place: int) -> bool:
        around = (self.tags[place - 1] if place else "", self.tags[place + 1])
        return (self.tags[place] == "CC" or self.lowers[place] == ",") and all(
            tag in _ADJECTIVES or tag == "VBN" for tag in around
        )

    def _behind(self, place: int, sentence: Sentence) -> Amount | None:
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

    def _measured(self, first: int, sentence: Sentence) -> Amount | None:
        """The "a" of "a slice of pizza"; two slices may be of one."""
        if self.words.word(first - 1, sentence) != "of" or self.words.word(first - 2, sentence) not in _MEASURES:
            return None
        _, amount, _, _, _ = self._before(first - 2, sentence)
        if amount is None or amount.most is None:
            return None
        return amount if amount.most == 1 else amount._replace(least=1, kind="vague")

    # --- amounts without a noun ---

    def _unnamed(self) -> list[Phrase]:
        found: list[Phrase] = []
        for place, word in enumerate(self.lowers):
            number = self.words.sentence_of[place]
            sentence = self.words.sentences[number]
            if word == "ones":
                found.extend(self._ones(place, number, sentence))
            elif word == "any" and self._stands_alone(place, sentence):
                found.append(Phrase(place, place, number, 1, None, "any", None, 0))
            elif word == "the" and self.words.word(place + 1, sentence) in (_REMAINDERS | ORDINALS):
                last = place + (2 if self.words.word(place + 2, sentence) in ("one", "ones") else 1)
                if last == place + 2 or self._stands_alone(place + 1, sentence):
                    most = None if self.lowers[place + 1] in ("others", "rest", "remainder") else 1
                    found.append(Phrase(place, last, number, 1, most, "definite", None, 0))
        for amount in self.amounts:
            if amount.first not in self.used:
                number = self.words.sentence_of[amount.first]
                phrase = self._elliptical(amount, number, self.words.sentences[number])
                if phrase is not None:
                    found.append(phrase)
        ends = {phrase.last for phrase in found if phrase.said == "definite"}
        return [phrase for phrase in found if phrase.said == "definite" or phrase.last not in ends]

    def _elliptical(self, amount: Amount, number: int, sentence: Sentence) -> Phrase | None:
        first, last = amount.first, amount.last
        word = self.lowers[first]
        before = self.words.word(first - 1, sentence)
        if word == "one" and first == last:
            if before in _DEFINITE or before in ("this", "that", "each", "every"):
                if before == "the" and self.words.word(first - 2, sentence) in ("just", "only"):
                    return Phrase(first, last, number, 1, 1, "number", None, 0)
                return Phrase(first - 1, last, number, 1, 1, "definite", None, 0)
            start = self._article_before(first, sentence)
            if start is not None:
                self.used.add(start)
                return Phrase(start, last, number, 1, 1, "number", None, 0)
            if self.words.tag(last + 1, sentence) == "MD":
                return None  # "one can see"
        if amount.kind == "article":
            ordinal = self.words.word(first + 1, sentence) in ORDINALS
            if word != "another" and not ordinal:
                return None
            last += ordinal
            if not self._stands_alone(last, sentence):
                return None
            return Phrase(first, last, number, 1, 1, "number", None, 0)
        if amount.kind == "none":
            if word == "no" and first == last:
                return None
            if word not in ("none", "nobody", "nothing", "zero", "neither", "0") and not self._stands_alone(
                last, sentence
            ):
                return None
            return Phrase(first, last, number, 0, 0, "none", None, 0)
        if self.lowers[last] in _COLLECTIVES and self.lowers[last] not in _LOOSE:
            return None  # "in a row"
        if self._is_object(first, sentence):
            return None
        if not self._stands_alone(last, sentence):
            return None
        return Phrase(first, last, number, amount.least, amount.most, amount.kind, None, 0)

    def _is_object(self, first: int, sentence: Sentence) -> bool:
        """ "Cut in two", "its hands point to 10 and 2": not how many there are."""
        before = self.words.word(first - 1, sentence)
        if before in _DEFINITE and self.words.word(first - 2, sentence) == "of":
            return True  # "None of the three"
        joined = self.by_last.get(first - 2)
        if before in ("and", "or") and joined is not None and joined.kind == "number":
            return self._is_object(joined.first, sentence)
        if before == "of":
            collective = self.words.word(first - 2, sentence)
            return collective not in _COLLECTIVES or collective.endswith("s")
        return before in _BEFORE_OBJECTS and self.words.word(first - 2, sentence) not in _AMOUNTING

    def _article_before(self, place: int, sentence: Sentence) -> int | None:
        """Where "a black one", "another smaller one" begins."""
        each = place - 1
        while each >= sentence.first and self.tags[each] in (*_ADJECTIVES, "NN", "VBN", "VBG", "RB"):
            each -= 1
        if each < sentence.first or each == place - 1 and self.lowers[each] not in ("another", "a"):
            return None
        return each if self.lowers[each] in ("a", "an", "another", "one") else None

    def _ones(self, place: int, number: int, sentence: Sentence) -> list[Phrase]:
        """ "three small ones"."""
        first, amount, definite, _, _ = self._before(place, sentence)
        if amount is None or amount.kind == "article":
            return [] if definite else [Phrase(first, place, number, 2, None, "bare", None, 0)]
        self.used.add(amount.first)
        return [Phrase(first, place, number, amount.least, amount.most, amount.kind, None, 0)]

    def _stands_alone(self, last: int, sentence: Sentence) -> bool:
        """Whether no noun follows that the amount could belong to."""
        following, tag = self.words.word(last + 1, sentence), self.words.tag(last + 1, sentence)
        if not following[0].isalnum() or following in _AFTER_AMOUNT or tag in _FOLLOWING or following.endswith("ing"):
            return True
        each = last + 1
        while self.words.tag(each, sentence) in _ADJECTIVES:
            each += 1
        return (
            each > last + 1
            and self.words.tag(each, sentence) not in NOUNS
            and self.words.word(each, sentence)
            not in (
                "one",
                "ones",
            )
        )

    # --- what a phrase without a noun stands for ---

    def _resolved(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        """Amounts without a noun stand for what was asked for, or for what was just counted."""
        found: list[Phrase] = []
        spans = [(phrase.first, phrase.last) for phrase in phrases if phrase.head is not None]
        for phrase in phrases:
            before = found[-1] if found else None
            if phrase.head is None:
                if any(first < phrase.first and phrase.last < last for first, last in spans):
                    continue
                phrase = replace(phrase, target=self._antecedent(phrase, before), part=self._is_of_them(phrase))
            elif before is not None and self._is_predicate(before, phrase):
                # "Three of them are girls and two are boys"
                if before.head is None:
                    known = any(each.target is not None for each in found[:-1])
                    found[-1] = replace(before, head=phrase.head, target=phrase.target, part=before.part and known)
                elif before.target is None:
                    found.append(phrase)
                continue
            found.append(phrase)
        return found

    def _is_predicate(self, subject: Phrase, phrase: Phrase) -> bool:
        """Whether a phrase only says what another one is: "one is a poodle", "the animals are dogs"."""
        if subject.sentence != phrase.sentence or phrase.said not in ("article", "bare"):
            return False
        if subject.head is not None and (subject.target is None or phrase.target is None):
            return False
        between = [word for word in self.lowers[subject.last + 1 : phrase.first] if word not in _SEEMING]
        if between[:2] and between[0] == "of":
            between = between[2:]
        return len(between) == 1 and between[0] in _BE

    def _antecedent(self, phrase: Phrase, before: Phrase | None) -> int | None:
        if before is None:
            return 0
        if before.sentence != phrase.sentence:
            return 0 if self.asked.targets else before.target
        between = self.lowers[before.last + 1 : phrase.first]
        if before.target is not None:
            return before.target
        several = before.said in ("number", "vague", "bare") and before.least > 1
        apart = not between or (between[0] in _APART and between[:2] != [",", "and"] and "but" not in between)
        return None if several and (apart or self._is_of_them(phrase)) else 0

    def _is_of_them(self, phrase: Phrase) -> bool:
        return self.lowers[phrase.last + 1 : phrase.last + 2] == ["of"] and not _THEM.isdisjoint(
            self.lowers[phrase.last + 2 : phrase.last + 3]
        )


_BE = frozenset(("is", "are", "was", "were", "be", "being", "'s"))
_SEEMING = frozenset(("appears", "appear", "seems", "seem", "to", "clearly", "probably", "likely", "also", "actually"))
_AMOUNTING = frozenset(("comes", "come", "amounts", "up", "equal", "adds", "brings"))
_APART = frozenset((",", ":", "(", "\u2014", "\u2013", "and"))
_THEM = frozenset(("which", "whom", "them", "these", "those"))


def _is_mass(mention: Mention) -> bool:
    """Whether a noun is a mass here; the one form of "sheep" is a plural behind an amount."""
    return mention.number == "singular" or (mention.number == "unknown" and mention.label in _MASSES)


def _is_a_name(amount: Amount, words: Words) -> bool:
    """Whether a number is a name, a time, an age, a price or the like."""
    lowers, texts = words.lowers, words.tokens.texts
    if amount.kind not in ("number", "vague"):
        return False
    before = lowers[amount.first - 1] if amount.first else ""
    following = lowers[amount.last + 1] if amount.last + 1 < len(lowers) else ""
    if (before == "-" and amount.first == 1) or lowers[max(0, amount.first - 2) : amount.first] == ["no", "."]:
        return True
    if following in _UNITS and not (following in ("wheels", "floors") and before == "with"):
        return True
    if not lowers[amount.last][0].isdigit():
        return False
    if before in _NAMED or before in ("$", "\u20ac", "\u00a3", "#") or following in ("%", "$", "\u00b0"):
        return True
    if following == ":" and amount.last + 2 < len(lowers) and lowers[amount.last + 2].isdigit():
        return True
    if before == ":" and amount.first > 1 and lowers[amount.first - 2].isdigit():
        return True
    # "Boeing 737"; "I count", "Dogs 2" begin a sentence.
    capital = amount.first > 1 and texts[amount.first - 1][:1].isupper() and len(before) > 1
    return capital and lowers[amount.first - 2] not in (".", ":", "\u2022", "-")
