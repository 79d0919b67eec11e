"""The phrases of an answer: every thing that it names with its amount, and every amount that stands without a noun."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from anamorph.language.amounts import Amount
from anamorph.language.morphology import PAIRED, ZERO_PLURALS, singular_of
from anamorph.language.naming import Namer
from anamorph.language.wordlists import COLOURS, word_list
from anamorph.model.reading import Mention
from anamorph.readers.english.answer.ellipsis import LOOSE, Antecedents, Ellipses
from anamorph.readers.english.answer.groups import COLLECTIVES, INSIDE, Amounts
from anamorph.readers.english.answer.question import IDLE, PICTURES, Question
from anamorph.readers.english.answer.words import PEOPLE, Phrase, Said, Sentence, Words

_YOUNG = word_list("answers", "young")
_GROWN, _OFFSPRING = word_list("answers", "grown"), word_list("answers", "offspring")
_AGED = _GROWN | {"adult", "juvenile", "male", "female"}
_ELDERS = _GROWN | {"adult", "larger", "bigger", "older"}
_REMAINDERS = word_list("answers", "remainders")
_PATTERNS = word_list("attribute_groups", "pattern")
_DEPICTIONS = word_list("answers", "depictions")
_MASSES = frozenset(("broccoli", "cake", "pizza", "suitcase"))


def find_phrases(words: Words, mentions: Sequence[Mention], asked: Question, namer: Namer) -> list[Phrase]:
    """The phrases of a text in its order."""
    amounts = Amounts(words, asked.plurals)
    names = _Names(words, amounts, asked, namer)
    found = names.found(mentions)
    ellipses = Ellipses(words, amounts).found()
    if (
        names.perhaps
        and not any(each.target == 0 and asked.targets[0].is_named(each.head) for each in found)
        and all(each.first > min(names.perhaps) for each in ellipses)
    ):
        # Whoever names the class itself, or only says how many, does not mean the mugs that may be cups.
        found = [replace(each, least=0, target=0) if each.first in names.perhaps else each for each in found]
    found.extend(ellipses)
    if any(phrase.target is not None and phrase.said != "pronoun" for phrase in found):
        # Only where nothing else is named does "they" stand for what was asked for.
        found = [phrase for phrase in found if phrase.said != "pronoun"]
    found.sort(key=lambda phrase: phrase.first)
    return _with_remainders(words, Antecedents(words, bool(asked.targets)).resolved(found))


def _with_remainders(words: Words, phrases: list[Phrase]) -> list[Phrase]:
    """The phrases, where the rest of five is as many as the others leave: "two are women and the rest are men"."""
    for place, phrase in enumerate(phrases):
        if phrase.said != "definite" or phrase.most is not None:
            continue
        if _REMAINDERS.isdisjoint(words.lowers[phrase.first : phrase.last + 1]):
            continue
        earlier = [each for each in phrases[:place] if each.said == "number" and each.exact]
        if not earlier or any(each.said == "vague" for each in phrases[:place]):
            continue
        left = earlier[0].least - sum(each.least for each in earlier[1:])
        if len(earlier) > 1 and left > 0:
            phrases[place] = replace(phrase, least=left, most=left)
    return phrases


def _is_offspring(head: str) -> bool:
    return head.rpartition(" ")[2] in _OFFSPRING


class _Names:
    """Finds the phrases that have a noun."""

    def __init__(self, words: Words, amounts: Amounts, asked: Question, namer: Namer) -> None:
        self.words, self.lowers, self.tags, self.amounts, self.asked = words, words.lowers, words.tags, amounts, asked
        self.namer = namer
        self.latest: int | None = None  # what the noun before belongs to
        self.grown = False  # "the adult elephant" was named
        self.last: int | None = None  # what was named last of what was asked for
        self.perhaps: set[int] = set()  # where phrases begin that may be of it: mugs, where cups were asked for

    def found(self, mentions: Sequence[Mention]) -> list[Phrase]:
        places = {end: place for place, end in enumerate(self.words.tokens.ends)}
        found: list[Phrase] = []
        for mention in mentions:
            place = places.get(mention.end)
            if place and (label := self._brand(place)) is not None:
                mention = replace(mention, label=label)
            if place is not None and not self._is_no_thing(mention, place):
                phrase = self._named(mention, place)
                found.append(phrase)
                self.latest = phrase.target
                if phrase.target is not None and not _ELDERS.isdisjoint(self.lowers[phrase.first : place]):
                    self.grown = True
                self.last = phrase.target if phrase.target is not None else self.last
        return self._with_elders(found)

    def _with_elders(self, phrases: list[Phrase]) -> list[Phrase]:
        """The phrases, where the adult of "an adult and a baby elephant" is an elephant."""
        for place, (phrase, following) in enumerate(itertools.pairwise(phrases)):
            if phrase.target is None and following.target is not None and phrase.head in _AGED:
                target = self.asked.targets[following.target]
                animal = target.label != "person" and not _is_offspring(target.head)
                if animal and self.lowers[phrase.last + 1 : following.first] == ["and"]:
                    phrases[place] = replace(phrase, target=following.target)
        return phrases

    def _brand(self, place: int) -> str | None:
        """The class of what is named by its maker or model: "a 1967 Mustang", "an Airbus A320"."""
        texts = self.words.tokens.texts
        if not texts[place][0].isupper():
            return None
        first = place
        while first and texts[first - 1][0].isupper() and self.tags[first - 1] in INSIDE and place - first < 3:
            first -= 1
        if first == 0 and self.tags[place + 1 : place + 2] not in (["VBZ"], ["CD"]):
            return None
        found = (self.namer.proper(text) or self.namer.brand(text.lower()) for text in texts[first : place + 1])
        return next((label for label in found if label is not None), None)

    def _is_no_thing(self, mention: Mention, place: int) -> bool:
        """Pictures, "ones", and the last word of "three flying" and "one left", which the tagger takes for a noun."""
        if mention.head in PICTURES or mention.head in ("one", "ones", "rest", "remainder", "others"):
            return True
        if place in self.amounts.by_last and self.lowers[place] in LOOSE:
            sentence = self.words.sentences[self.words.sentence_of[place]]
            return self.words.tag(place + 1, sentence) not in ("VBZ", "VBG")  # "A lot!"; "a couple is walking"
        if any(target.head == mention.head for target in self.asked.targets):
            return False
        if place - 1 in self.amounts.by_last and (
            (mention.head in COLOURS and self.latest is not None) or (mention.head in _PATTERNS and self.asked.targets)
        ):
            return True  # "two cats, one orange and one grey"
        if mention.label is not None:
            return False
        before = self.amounts.by_last.get(place - 1)
        if self.lowers[place - 1] == "another" and mention.text.endswith("ing"):
            return self.tags[place + 1 : place + 2] in (["RP"], ["RB"], ["IN"], ["."])  # "another paddling out"
        if before is None or before.kind == "article":
            return False
        return mention.text in IDLE or (mention.text.endswith("ing") and before.least > 1)

    def _named(self, mention: Mention, place: int) -> Phrase:
        number = self.words.sentence_of[place]
        sentence = self.words.sentences[number]
        first, amount, definite, part, whole = self.amounts.before(place, sentence)
        if amount is None and not definite:
            amount = self.amounts.behind(place, sentence) or self.amounts.measured(first, sentence)
        if amount is not None:
            self.amounts.used.add(amount.first)
            least, most, said = self._of_amount(mention, place, amount)
        else:
            if mention.count and self.tags[place] == "NN":
                mention = replace(mention, number="singular")  # "the number 42 bus"
            least, most, said = _of_noun(mention, definite)
            labelled = self.words.word(place + 1, sentence).isdigit()  # "Dog 1: black"
            if said == "bare" and least == 1 and (labelled or self.amounts.shares_article(first, sentence)):
                most = 1
        target = self._target(mention, place, sentence)
        targets = self.asked.targets if target is None and mention.may_be and most != 0 else ()
        if len(targets) == 1 and targets[0].may_cover(mention.may_be):
            self.perhaps.add(first)  # "no mugs" says nothing of cups
        return Phrase(first, place, number, least, most, said, mention.head, target, part, whole)

    def _of_amount(self, mention: Mention, place: int, amount: Amount) -> tuple[int, int | None, Said]:
        """The interval of a noun with an amount."""
        if mention.head == "family" and self.lowers[place + 1 : place + 2] == ["of"]:
            size = self.amounts.by_first.get(place + 2)
            if size is not None:
                self.amounts.used.add(size.first)
                return size.least, size.most, "number"  # "a family of four"
        if self.lowers[amount.first] in ("each", "every"):
            return 2, None, "definite"  # "each dog"
        if amount.kind == "article":
            if mention.head in PEOPLE:
                return 2, None, "vague"
            count = 2 if mention.head == "couple" else 1
            return count, count, "article"
        if mention.label is None and amount.last == place and self.lowers[place] in COLLECTIVES - PEOPLE:
            return 1, 1, "article"  # "a row", "a set"
        if mention.head in PAIRED and self.lowers[amount.first : amount.last + 1] in (["a", "pair"], ["one", "pair"]):
            return 1, 1, "number"
        if amount.kind == "vague" and amount.most is None and amount.last < place and _is_mass(mention):
            return 1, None, "vague"  # "some pizza", "lots of luggage"
        return amount.least, amount.most, amount.kind

    def _target(self, mention: Mention, place: int, sentence: Sentence) -> int | None:
        targets = self.asked.targets
        if not targets:
            return 0
        if self._is_depicted(place, sentence):
            return None
        if mention.head in _YOUNG and (kind := self._kin_of(mention, place)) is not None:
            # "a monkey and its baby"; the mother of kittens is no kitten
            grown = mention.head in _GROWN and _is_offspring(targets[kind].head)
            return None if grown else kind
        for number, target in enumerate(targets):
            if self._is_of_other(mention, place, sentence, target.head):
                continue
            if target.covers(mention.head, mention.label) or (mention.head == "pair" and target.head in PAIRED):
                return number
            if target.label == "person" == target.head and mention.head in PEOPLE:
                return number
        return None

    def _kin_of(self, mention: Mention, place: int) -> int | None:
        """Which of the animals that were asked for a mother or a calf belongs to."""
        animal = self.asked.targets[self.last].label if self.last is not None else None
        if animal is None or animal == "person" or animal == mention.label:
            return self.latest if mention.label is None else None
        before = place - 1 - (self.tags[place - 1] == "CD")  # "its two cubs"
        owned = self.lowers[before] in ("its", "their", "her") or (self.grown and self.lowers[place - 1] == "the")
        if owned and self.grown and mention.head in _OFFSPRING:
            return self.last  # "the adult elephant ... the baby"
        if mention.label is None:
            return self.last if owned else self.latest
        return self.last if mention.head in _OFFSPRING and mention.label != "person" else None

    def _is_depicted(self, place: int, sentence: Sentence) -> bool:
        """ "A statue of a dog" is none."""
        each = place - 1
        while each >= sentence.first and (self.tags[each] in INSIDE or self.tags[each] == "DT"):
            each -= 1
        return (
            each > sentence.first
            and self.lowers[each] == "of"
            and (self.lowers[each - 1] in _DEPICTIONS or singular_of(self.lowers[each - 1]) in _DEPICTIONS)
        )

    def _is_of_other(self, mention: Mention, place: int, sentence: Sentence, name: str) -> bool:
        """ "Two bottles of water" are no wine bottles."""
        content, _, vessel = name.rpartition(" ")
        return (
            bool(content)
            and mention.head == vessel
            and self.words.word(place + 1, sentence) == "of"
            and self.words.tag(place + 2, sentence) in ("NN", "NNS", "JJ")
            and content not in self.lowers[place + 2 : min(place + 5, sentence.last)]
        )


def _of_noun(mention: Mention, definite: bool) -> tuple[int, int | None, Said]:
    """The interval of a noun with no amount: "dogs" are at least two, "the dog" is one, "broccoli" is open."""
    if mention.absent:
        return 0, 0, "none"
    if mention.head == "couple":
        return 2, 2, "number"
    said: Said = "definite" if definite else "bare"
    if mention.number == "plural" or (definite and mention.head in PEOPLE):
        return 2, None, said
    return (1, 1, said) if mention.number == "singular" and definite else (1, None, said)


def _is_mass(mention: Mention) -> bool:
    """Whether a noun is a mass here; the one form of "sheep" is a plural behind an amount."""
    return mention.number == "singular" or (
        mention.number == "unknown"
        and (mention.label in _MASSES or (mention.label is None and mention.head not in ZERO_PLURALS))
    )
