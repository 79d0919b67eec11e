"""Amounts without a noun, and what they stand for: "two on the left", "a black one", "none", "the other"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anamorph.language.amounts import Amount
from anamorph.language.hedges import looks_like
from anamorph.language.mentions.finding import NOUNS
from anamorph.language.tagging.lexicon import is_animate
from anamorph.language.wordlists import COLOURS, word_list
from anamorph.readers.english.answer.groups import ADJECTIVES, COLLECTIVES, DEFINITE, Amounts
from anamorph.readers.english.answer.question import AGES, IDLE
from anamorph.readers.english.answer.words import ORDINALS, Phrase, Sentence, Words

# Collective nouns that stand for what was asked for: "a handful".
LOOSE = word_list("answers", "loose")
_AFTER_AMOUNT = word_list("answers", "after_amounts")
# They look like nouns where an amount stands alone: "one left", "one orange".
_ALONE = IDLE | COLOURS
_REMAINDERS = word_list("answers", "remainders")
_BEFORE_OBJECTS = word_list("answers", "before_objects")
_FOLLOWING = frozenset(("IN", "VBZ", "VBP", "VBD", "VBG", "VBN", "RB", "WDT", "WP", "CC", "TO", "EX", "MD"))
_DENYING = frozenset(("none", "nobody", "nothing", "zero", "neither", "0"))
_BE = frozenset(("is", "are", "was", "were", "be", "being", "'s", "'re"))
_SEEMING = frozenset(("appears", "appear", "seems", "seem", "to", "clearly", "probably", "likely", "also", "actually"))
_AMOUNTING = frozenset(("comes", "come", "amounts", "up", "equal", "adds", "brings"))
_HAVING = (["has"], ["have"], ["holds"], ["carries"], ["wears"])
_HAVING_ONE = frozenset(("has", "have", "wears", "holds", "carries", "wearing", "holding", "carrying"))
_APART = frozenset((",", ":", "(", "\u2014", "\u2013", "and"))
_TALLIES = frozenset(("number", "count", "total", "figure", "it", "estimate"))
_HARDLY = frozenset(("hardly", "barely", "scarcely"))
_CONCLUDING = word_list("answers", "concluding")
_THEM = frozenset(("which", "whom", "them", "these", "those"))


class Ellipses:
    """Finds the phrases of a text that have no noun, once its nouns have taken their amounts."""

    def __init__(self, words: Words, amounts: Amounts) -> None:
        self.words, self.lowers, self.tags, self.amounts = words, words.lowers, words.tags, amounts

    def found(self) -> list[Phrase]:
        found: list[Phrase] = []
        for place, word in enumerate(self.lowers):
            number = self.words.sentence_of[place]
            sentence = self.words.sentences[number]
            if word == "ones":
                found.extend(self._ones(place, number, sentence))
            elif word in ("they", "it") and self.words.word(place + 1, sentence) in _BE:
                most = None if word == "they" else 1
                found.append(Phrase(place, place, number, 2 if word == "they" else 1, most, "pronoun", None, 0))
            elif "-" in word and (size := self.amounts.hyphenated(word)) is not None:
                found.append(Phrase(place, place, number, size, size, "number", None, 0))  # "a three-layer cake"
            elif (
                word == "any"
                and self._stands_alone(place, sentence)
                and self.lowers[place - 1] not in _HARDLY
                and self.words.word(place + 1, sentence) != "others"
            ):
                found.append(Phrase(place, place, number, 1, None, "any", None, 0))
            elif word == "the" and self.words.word(place + 1, sentence) in (_REMAINDERS | ORDINALS):
                last = place + (2 if self.words.word(place + 2, sentence) in ("one", "ones") else 1)
                if last == place + 2 or self._stands_alone(place + 1, sentence):
                    ones = self.lowers[last] == "ones"
                    most = None if ones or self.lowers[place + 1] in ("others", "rest", "remainder") else 1
                    found.append(Phrase(place, last, number, 1 + ones, most, "definite", None, 0))
        for amount in self.amounts.all:
            if amount.first not in self.amounts.used:
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
            if before in DEFINITE or before in ("this", "that", "each", "every"):
                if before == "the" and self.words.word(first - 2, sentence) in ("just", "only"):
                    return Phrase(first, last, number, 1, 1, "number", None, 0)
                return Phrase(first - 1, last, number, 1, 1, "definite", None, 0)
            start = self._article_before(first, sentence)
            if start is None and (definite := self._definite_before(first, sentence)) is not None:
                if self.lowers[definite + 1] in (_REMAINDERS | ORDINALS):
                    return None  # found above
                return Phrase(definite, last, number, 1, 1, "definite", None, 0)  # "the back one"
            if start is not None:
                self.amounts.used.add(start)
                return Phrase(start, last, number, 1, 1, "number", None, 0)
            if self.words.tag(last + 1, sentence) == "MD" and self.words.word(last + 2, sentence) != "be":
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
            if self.lowers[first : last + 1] == ["not", "one"] and self._goes_on(last, sentence):
                return None  # "not one, but two"
            if word not in _DENYING and not self._stands_alone(last, sentence):
                return None
            return Phrase(first, last, number, 0, 0, "none", None, 0)
        if self.lowers[last] in COLLECTIVES and self.lowers[last] not in LOOSE:
            return None  # "in a row"
        if self._is_object(first, sentence):
            return None
        if not self._stands_alone(last, sentence):
            return None
        return Phrase(first, last, number, amount.least, amount.most, amount.kind, None, 0)

    def _goes_on(self, last: int, sentence: Sentence) -> bool:
        behind = [word for word in self.lowers[last + 1 : min(last + 3, sentence.last)] if word != ","]
        return behind[:1] in (["but"], ["not"])

    def _is_object(self, first: int, sentence: Sentence) -> bool:
        """ "Cut in two", "its hands point to 10 and 2": not how many there are."""
        before = self.words.word(first - 1, sentence)
        if before in DEFINITE and self.words.word(first - 2, sentence) == "of":
            return True  # "None of the three"
        joined = self.amounts.by_last.get(first - 2)
        if before in ("and", "or") and joined is not None and joined.kind == "number":
            return self._is_object(joined.first, sentence)
        if before == "of":
            collective = self.words.word(first - 2, sentence)
            return collective not in COLLECTIVES or collective.endswith("s")
        if looks_like(self.lowers, first - 1):
            return False  # "It looks like two"
        if before == "at" and self.words.word(first - 2, sentence) in _TALLIES:
            return False  # "I'd put the number at 25"
        return before in _BEFORE_OBJECTS and self.words.word(first - 2, sentence) not in _AMOUNTING

    def _article_before(self, place: int, sentence: Sentence) -> int | None:
        """Where "a black one", "another smaller one" begins."""
        each = place - 1
        while each >= sentence.first and (
            self.tags[each] in (*ADJECTIVES, "NN", "VBN", "VBG", "RB") or self.amounts.joins_adjectives(each)
        ):
            each -= 1
        if each < sentence.first or (each == place - 1 and self.lowers[each] not in ("another", "a")):
            return None
        return each if self.lowers[each] in ("a", "an", "another", "one", "1") else None

    def _definite_before(self, place: int, sentence: Sentence) -> int | None:
        each = place - 1
        while each >= sentence.first and self.tags[each] in (*ADJECTIVES, "NN", "VBN", "VBG"):
            each -= 1
        if each < sentence.first or each == place - 1 or self.lowers[each] not in DEFINITE:
            return None
        return None if self.words.word(each - 1, sentence) in ("just", "only") else each

    def _ones(self, place: int, number: int, sentence: Sentence) -> list[Phrase]:
        """ "three small ones"."""
        first, amount, definite, _, _ = self.amounts.before(place, sentence)
        if amount is None or amount.kind == "article":
            return [] if definite else [Phrase(first, place, number, 2, None, "bare", None, 0)]
        self.amounts.used.add(amount.first)
        return [Phrase(first, place, number, amount.least, amount.most, amount.kind, None, 0)]

    def _stands_alone(self, last: int, sentence: Sentence) -> bool:
        """Whether no noun follows that the amount could belong to."""
        following, tag = self.words.word(last + 1, sentence), self.words.tag(last + 1, sentence)
        if (
            not following[0].isalnum()
            or following in _AFTER_AMOUNT
            or following in _ALONE
            or tag in _FOLLOWING
            or following.endswith("ing")
        ):
            return True
        each = last + 1
        while self.words.tag(each, sentence) in ADJECTIVES:
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


class Antecedents:
    """Settles what phrases without a noun stand for: what was asked for, or what was just counted."""

    def __init__(self, words: Words, asked: bool) -> None:
        self.lowers, self.tags, self.asked = words.lowers, words.tags, asked

    def resolved(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        """Amounts without a noun stand for what was asked for, or for what was just counted."""
        found: list[Phrase] = []
        spans = [(phrase.first, phrase.last) for phrase in phrases if phrase.head is not None]
        for phrase in phrases:
            before = found[-1] if found else None
            if phrase.head is None:
                hyphenated = "-" in self.lowers[phrase.first]  # "a three-layer cake"
                if not hyphenated and any(first < phrase.first and phrase.last < last for first, last in spans):
                    continue
                phrase = replace(phrase, target=self._antecedent(phrase, found), part=self._is_of_them(phrase))
            elif before is not None and self._is_predicate(before, phrase):
                # "Three of them are girls and two are boys"; "one of which is a baby" stays an elephant.
                if (phrase.head not in AGES or (phrase.target is not None and before.target is None)) and (
                    before.head is None or before.target is None
                ):
                    known = any(each.target is not None for each in found[:-1])
                    found[-1] = replace(before, head=phrase.head, target=phrase.target, part=before.part and known)
                continue
            elif before is not None and self._is_kind_of_all(before, phrase):
                found[-1] = replace(before, head=phrase.head, target=phrase.target)
                continue
            found.append(phrase)
        return found

    def _is_kind_of_all(self, whole: Phrase, phrase: Phrase) -> bool:
        """ "Five people, all of whom are men"."""
        if phrase.said != "bare" or phrase.target is None or whole.target is not None or whole.said != "number":
            return False
        between = self.lowers[whole.last + 1 : phrase.first]
        return whole.sentence == phrase.sentence and "all" in between and between[0] == "," and len(between) < 6

    def _is_predicate(self, subject: Phrase, phrase: Phrase) -> bool:
        """Whether a phrase only says what another one is: "one is a poodle", "the animals are dogs"."""
        if subject.sentence != phrase.sentence or phrase.said not in ("article", "bare"):
            return False
        if subject.head is not None and phrase.target is None:
            return False
        if subject.head is not None and subject.target is None and (phrase.said != "bare" or subject.said != "number"):
            return False
        between = [word for word in self.lowers[subject.last + 1 : phrase.first] if word not in _SEEMING]
        if between[:1] == ["of"]:
            between = between[2:] or ["are"]  # "five of them puppies"
        return len(between) == 1 and between[0] in _BE

    def _antecedent(self, phrase: Phrase, earlier: Sequence[Phrase]) -> int | None:
        if not earlier or self.lowers[phrase.first - 1] in _CONCLUDING:
            return 0
        if self.lowers[phrase.last + 1 : phrase.last + 3] == ["of", "each"]:
            return 0
        before = earlier[-1]
        first_of_sentence = next(each for each in earlier if each.sentence == before.sentence)
        if before.sentence != phrase.sentence:
            return 0 if self.asked else before.target
        between = self.lowers[before.last + 1 : phrase.first]
        if self.lowers[phrase.last + 1 : phrase.last + 2] in _HAVING and first_of_sentence.target is None:
            return None  # "One student has a bag and another has a box"
        owner = first_of_sentence.head
        having = self.lowers[phrase.first - 1] in _HAVING_ONE and first_of_sentence.target is not None
        if having and owner is not None and is_animate(owner):
            return None  # "the lady has one"
        if self.lowers[phrase.first] == "both":
            two = [each for each in earlier if each.sentence == phrase.sentence and each.least == each.most == 2]
            return two[-1].target if two else 0
        if before.target is not None:
            return before.target
        if (parallel := self._parallel(phrase, earlier)) is not None:
            return parallel.target
        if phrase.said == "none" and before.said == "bare" and any(each.target is not None for each in earlier):
            return None  # "There are two dogs. I also looked for cats, and there are none."
        several = before.said in ("number", "vague", "bare") and before.least > 1
        apart = not between or (between[0] in _APART and between[:2] != [",", "and"] and "but" not in between)
        return None if several and (apart or self._is_of_them(phrase)) else 0

    def _parallel(self, phrase: Phrase, earlier: Sequence[Phrase]) -> Phrase | None:
        """The part of a split that another goes on from: "[six] in white shirts and three in red"."""
        following = self._following(phrase)
        if phrase.said not in ("number", "vague", "none"):
            return None
        if (part := self._part_of_split(phrase, earlier)) is not None:
            return part
        if following is None:
            return None
        for other in reversed(earlier):
            if other.sentence != phrase.sentence:
                break
            if other.target is not None and other.said in ("number", "vague", "article", "none"):
                return other if self._following(other) == following else None
        return None

    def _part_of_split(self, phrase: Phrase, earlier: Sequence[Phrase]) -> Phrase | None:
        """The part before, where both are parts of a number: "seven people: four on towels, [two] in the water"."""
        whole = next((each for each in reversed(earlier) if each.head is not None and each.target is not None), None)
        if whole is None or whole.said != "number" or not whole.exact or not phrase.exact or phrase.least == 0:
            return None
        parts = [each for each in earlier if each.first > whole.last and each.head is None and each.target is not None]
        if not parts or parts[-1].sentence != phrase.sentence or not all(each.exact for each in parts):
            return None
        return parts[-1] if sum(each.least for each in parts) + phrase.least <= whole.least else None

    def _following(self, phrase: Phrase) -> str | None:
        """What goes on behind a phrase: its preposition, "be", or any other verb."""
        place = phrase.last + 1
        while place < len(self.tags) and (self.tags[place] == "RB" or self.lowers[place] in ("of", "them", "more")):
            place += 1
        if place >= len(self.tags):
            return None
        word, tag = self.lowers[place], self.tags[place]
        if word in _BE:
            return "be"
        if tag in ("IN", "TO"):
            return word
        return "verb" if tag in ("VBZ", "VBP", "VBD", "VBG", "VBN") or word.endswith("ing") else None

    def _is_of_them(self, phrase: Phrase) -> bool:
        return self.lowers[phrase.last + 1 : phrase.last + 2] == ["of"] and not _THEM.isdisjoint(
            self.lowers[phrase.last + 2 : phrase.last + 3]
        )
