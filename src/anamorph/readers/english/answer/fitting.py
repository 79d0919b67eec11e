"""Which of the phrases of a kind fit what the question asks of it: the red ones of the cars, those on the couch."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anamorph.language.wordlists import word_list
from anamorph.readers.english.answer.attributes import Match, matches, sums_up_others, whereabouts
from anamorph.readers.english.answer.groups import COLLECTIVES
from anamorph.readers.english.answer.question import Target
from anamorph.readers.english.answer.words import ORDINALS, VERBS, Phrase, UndecidedError, Words, stem_of

_ALONE = frozenset((".", ",", ";", ":", "-", "\u2014", "\u2013", "!"))
_APART = frozenset(("but", "though", "although", "however", ":", "(", "-", "\u2014", "\u2013"))
_TAKING_BACK = word_list("answers", "retracting") | {"but"}
_COLOURS = word_list("attribute_groups", "colours")
_MORE = ORDINALS | {"another", "more"}
_OTHERS = frozenset(("other", "others", "rest", "remaining"))
_BE_WORDS = frozenset(("is", "are", "'s", "'re"))
_GROUNDS = frozenset(("foreground", "background", "distance"))
_LIKEWISE = frozenset(("also", "too", "other", "there", "alongside"))
_BE = frozenset(map(stem_of, ("is", "are", "was", "were", "be", "been", "being")))
_EXCEPT = frozenset(("except", "excepting", "besides", "save"))
_IT = frozenset(("it", "them"))
_OF_IT = frozenset(("it", "its", "he", "his", "she", "her"))
_CONCEDING = frozenset(("but", "though", "although", "however"))
_IN_FRONT = ("in", "front", "of")
# What is not the one is the other.
_EITHER = frozenset(("open", "closed", "empty", "full", "parked", "moving", "awake", "asleep", "on", "off", "lit"))
_GONE = frozenset(("missing", "eaten", "gone", "taken", "absent", "removed", "cut"))
_NOT = frozenset(("not", "n't", "no", "without"))
# Fewer words than this may stand before the amount that an answer begins with.
_BEGINNING = 4


class Fitting:
    """Chooses among the phrases of one kind; `yes` is the yes or no that the answer begins with.

    `whether` it was asked whether there is any, not how many.
    """

    def __init__(
        self,
        words: Words,
        phrases: Sequence[Phrase],
        mine: Sequence[Phrase],
        target: Target,
        yes: bool | None,
        whether: bool,
    ) -> None:
        self.words, self.lowers, self.phrases = words, words.lowers, phrases
        self.mine, self.target, self.yes, self.whether = mine, target, yes, whether

    def chosen(self) -> list[Phrase] | None:
        """The phrases that fit; None where all that are there do not."""
        direct = self._direct() or self._concluded()
        return [direct] if direct is not None else self._matching()

    def _direct(self) -> Phrase | None:
        """The amount that an answer begins with, and that stands for itself: "Two.", "None, they are all green"."""
        phrase = self.mine[0]
        sentence = self.words.sentences[phrase.sentence]
        before = [word for word in self.lowers[: phrase.first] if word[0].isalnum()]
        following = self.words.word(phrase.last + 1, sentence)
        full = phrase.head == self.target.head and following == "." and not before and not self.target.attributes
        alone = phrase.said in ("number", "none", "vague") and len(before) < _BEGINNING
        if not _TAKING_BACK.isdisjoint(self.lowers[phrase.last + 1 : phrase.last + 3]):
            return None  # "Not one, but two"; "two \u2014 no, three"
        return phrase if alone and (full or phrase.head is None) and not phrase.part and following in _ALONE else None

    def _concluded(self) -> Phrase | None:
        """The amount that is concluded: ", so four."."""
        for phrase in reversed(self.mine):
            sentence = self.words.sentences[phrase.sentence]
            if (
                phrase.said in ("number", "vague", "none")
                and not phrase.part
                and self.words.concludes(phrase.first, sentence)
                and (self.lowers[phrase.first - 1] != "leaving" or _GONE.isdisjoint(self.target.attributes))
                and self.words.word(phrase.last + 1, sentence) != "of"
                and matches(self.words, self.phrases, phrase, self.target) is not Match.NO
                and not sums_up_others(self.words, self.phrases, phrase, self.target)
            ):
                return phrase
        return None

    def _matching(self) -> list[Phrase] | None:
        """The phrases that fit what was asked for; None where all that are there do not."""
        found: list[Phrase] = []
        unknown: list[Phrase] = []
        failing: list[Phrase] = []
        exceptions = 0
        for phrase in self.mine:
            match = matches(self.words, self.phrases, phrase, self.target)
            if match is not Match.NO and sums_up_others(self.words, self.phrases, phrase, self.target):
                continue  # "two red cars parked and one red car driving, so three red cars"
            if self._is_exception(phrase) and match is not Match.UNKNOWN:
                if match is Match.YES and not self.target.negated and not failing:
                    exceptions += phrase.least
                    continue
                match = Match.NO if match is Match.YES and self.target.negated else Match.YES
            if self.target.negated and match is not Match.UNKNOWN:
                match = Match.NO if match is Match.YES else Match.YES
            if match is Match.YES:
                found.append(phrase)
            elif match is Match.NO or (unknown and self._is_of_others(phrase) and self.target.attributes):
                failing.append(phrase)
            elif phrase.said != "pronoun":
                unknown.append(phrase)
        if exceptions:
            return [self._without_exceptions([*found, *unknown], exceptions)]
        found = self._with_coordinated(found, unknown)
        if found and all(phrase.most is None for phrase in found):
            # "A crowd is watching. There are hundreds."
            latest = found[-1]
            found += [
                each for each in unknown if each.head is None and each.first > latest.last and each.least > latest.least
            ]
        found += [each for each in unknown if found and self._may_be_one_more(each, found)]
        if found:
            # "In the left house three windows are lit; in the right one, two."
            found += [each for each in unknown if each.first > found[-1].last and self._is_elliptical(each)]
        if not found and self.yes is None and (whole := self._taken_apart(unknown, failing)) is not None:
            return [whole]
        if not found and not failing and self.yes is None and self.target.attributes and self._contrasts(unknown):
            raise UndecidedError("it does not say how many")
        if not found and not failing and self.yes is None and self.target.attributes and self._is_unknown(unknown):
            raise UndecidedError("it does not say whether it is what was asked for")
        if not found and not failing and self.yes is None and self.target.attributes and self._denies_more(unknown):
            raise UndecidedError("it does not say whether it is what was asked for")
        if not found and unknown and failing and self.yes is None and all(map(self._is_of_others, failing)):
            return self._placed(unknown)  # "one in the air; the other two are parked"
        if not found and (self.yes is False or (failing and self.yes is None)):
            return None  # "No, it is a white one", "They are all white"
        return self._placed(found or unknown)

    def _contrasts(self, unknown: Sequence[Phrase]) -> bool:
        """ "Three have crossed the line, while five are still running": which of them was asked for?"""
        return any(
            one.sentence == other.sentence
            and one.said == other.said == "number"
            and not {"while", "whereas"}.isdisjoint(self.lowers[one.last + 1 : other.first])
            for one, other in itertools.pairwise(unknown)
        )

    def _is_unknown(self, unknown: Sequence[Phrase]) -> bool:
        """ "There's a dog, but its colour is hard to see", "The only dog is small", where a brown dog was asked for."""
        claimed = all(each.head is not None and each.said in ("article", "number") for each in unknown)
        if self.whether and unknown and claimed and not _COLOURS.isdisjoint(self.target.attributes):
            return True
        if len(unknown) != 1 or unknown[0].least != 1 or unknown[0].head is None:
            return False
        (phrase,) = unknown
        sentence = self.words.sentences[phrase.sentence]
        behind = self.lowers[phrase.last + 1 : sentence.last]
        return any(
            word in _CONCEDING and not _OF_IT.isdisjoint(behind[place + 1 : place + 3])
            for place, word in enumerate(behind)
        )

    def _denies_more(self, unknown: Sequence[Phrase]) -> bool:
        """ "There are people on the beach, but nobody is in the water": is anyone swimming?"""
        return len(unknown) > 1 and any(
            each.said == "none" and self.lowers[each.first - 1] == "but" for each in unknown[1:]
        )

    def _is_of_others(self, phrase: Phrase) -> bool:
        words = self.lowers[max(0, phrase.first - 2) : phrase.last + 1]
        others = self.lowers[phrase.last + 1 : phrase.last + 2] == ["others"]  # "while two others watch"
        return others or ("the" in words and not _OTHERS.isdisjoint(words))

    def _may_be_one_more(self, phrase: Phrase, found: Sequence[Phrase]) -> bool:
        """The fourth of "three bikes lean on the wall, and possibly a fourth one is behind them"."""
        more = bool(found) and phrase.perhaps and (phrase.head is None or self.words.is_more(phrase))
        return more and phrase.sentence == found[-1].sentence and phrase.first > found[-1].last

    def _is_elliptical(self, phrase: Phrase) -> bool:
        first, last, listed = self.words.sentences[phrase.sentence]
        if listed or phrase.head is not None or phrase.said != "number" or self.words.tags[first] != "IN":
            return False
        alone = self.words.word(phrase.last + 1, self.words.sentences[phrase.sentence]) in _ALONE
        return alone and not any(tag in VERBS for tag in self.words.tags[first:last])

    def _taken_apart(self, unknown: Sequence[Phrase], failing: Sequence[Phrase]) -> Phrase | None:
        """What is left of "six umbrellas, four of which are open" for closed ones; of six cars nobody knows."""
        if not failing or not all(each.exact and each.said == "number" and each.head is None for each in failing):
            return None
        if self.lowers[failing[0].last + 1 : failing[0].last + 2] == ["others"]:
            return None  # "four are playing, while two others watch"
        whole = next((each for each in unknown if each.said == "number" and each.exact), None)
        left = 0 if whole is None else whole.least - sum(phrase.least for phrase in failing)
        if whole is None or whole.first > failing[0].first or left <= 0:
            return None
        behind = self.lowers[failing[0].last : self.words.sentences[failing[0].sentence].last]
        either = self.target.negated or not _EITHER.isdisjoint(self.target.attributes)
        if not either and _NOT.isdisjoint(behind):
            raise UndecidedError("it does not say how many")
        return replace(whole, least=left, most=left)

    def _without_exceptions(self, phrases: Sequence[Phrase], exceptions: int) -> Phrase:
        """The four of "Every zebra except one is drinking. There are five"."""
        whole = next((each for each in phrases if each.said == "number" and each.exact), None)
        if whole is None or whole.least <= exceptions:
            raise UndecidedError("it does not say how many")
        return replace(whole, least=whole.least - exceptions, most=whole.least - exceptions)

    def _is_exception(self, phrase: Phrase) -> bool:
        """The one man of "everyone is seated except for one man"."""
        sentence = self.words.sentences[phrase.sentence]
        before = self.lowers[max(sentence.first + 1, phrase.first - 3) : phrase.first]
        if not {"who", "which", "that"}.isdisjoint(self.lowers[phrase.last + 1 : min(phrase.last + 3, sentence.last)]):
            return False  # "except for one man, who is standing"
        return not _EXCEPT.isdisjoint(before) and phrase.said in ("number", "article", "vague", "definite")

    def _with_coordinated(self, found: list[Phrase], unknown: list[Phrase]) -> list[Phrase]:
        """ "A woman with a stroller and two men in suits crossing the street": what is said last is said of all."""
        joined = [
            phrase
            for phrase in unknown
            if any(phrase.sentence == other.sentence and self._joins(phrase, other) for other in found)
        ]
        return sorted([*joined, *found], key=lambda phrase: phrase.first)

    def _joins(self, phrase: Phrase, other: Phrase) -> bool:
        if other.part or any(phrase.last < each.first < other.first for each in self.mine):
            return False
        between = range(phrase.last + 1, other.first)
        words = [self.lowers[place] for place in between]
        if phrase.head is None and words and (words[0].endswith("ing") or "," in words):
            return False  # "three paddling and two standing"
        return "and" in words and not any(
            word in _APART or self.words.tags[place] in VERBS for place, word in zip(between, words, strict=True)
        )

    def _placed(self, phrases: list[Phrase]) -> list[Phrase] | None:
        """The phrases without those that are elsewhere than asked; None where a "no" says that all are."""
        if not self.target.places and self.target.side is None:
            return phrases
        where = [whereabouts(self.words, self.phrases, phrase, self.target) for phrase in phrases]
        if self.target.negated and not self.target.attributes and not self.target.objects:
            flipped = {Match.YES: Match.NO, Match.NO: Match.YES}
            where = [flipped.get(match, match) for match in where]
        elif self._is_presumed(phrases, where):
            return None
        if Match.YES in where:
            where = [
                Match.UNKNOWN if match is Match.NO and self._goes_on_there(phrase, phrases, where) else match
                for phrase, match in zip(phrases, where, strict=True)
            ]
            beside = [
                phrase.first
                for phrase, match in zip(phrases, where, strict=True)
                if match is Match.UNKNOWN and self._is_beside_it(phrase, phrases, where)
            ]
            if Match.NO in where:
                # "Three: two on the chair and one on the floor"
                where = [Match.NO if match is Match.UNKNOWN else match for match in where]
            there = {
                phrase.sentence: phrase for phrase, match in zip(phrases, where, strict=True) if match is Match.YES
            }
            return [
                phrase
                for phrase, match in zip(phrases, where, strict=True)
                if match is Match.YES
                or self.words.lowers[phrase.first - 1] == "plus"
                or self._may_be_one_more(phrase, [each for each in phrases if each.first < phrase.first])
                or (match is Match.UNKNOWN and phrase.first not in beside and not self._is_apart(phrase, there))
            ]
        return None if self.yes is False or self._is_not_there(phrases, where) else phrases

    def _goes_on_there(self, phrase: Phrase, phrases: Sequence[Phrase], where: Sequence[Match]) -> bool:
        """ "A skier in the foreground and two more up the slope"."""
        following = next(
            (place for place, each in enumerate(phrases) if each.first > phrase.last and each.head is None), None
        )
        if following is None or where[following] is not Match.YES or phrases[following].sentence != phrase.sentence:
            return False
        other = phrases[following]
        more = not _MORE.isdisjoint(self.lowers[other.first : other.last + 2])
        return more and not _GROUNDS.isdisjoint(self.lowers[phrase.last + 1 : other.first])

    def _is_presumed(self, phrases: Sequence[Phrase], where: Sequence[Match]) -> bool:
        """ "The officers are not on horseback. There are three officers": none where they were presumed."""
        if Match.YES in where:
            return False
        return any(
            match is Match.NO
            and phrase.said == "definite"
            and phrase.most is None
            and any(
                self.lowers[max(phrase.last + 1, each.first - 3) : each.first][:1] != []
                and not _NOT.isdisjoint(self.lowers[max(phrase.last + 1, each.first - 3) : each.first])
                for each in self.phrases
                if each.head in self.target.places and each.sentence == phrase.sentence and each.first > phrase.last
            )
            for phrase, match in zip(phrases, where, strict=True)
        )

    def _is_not_there(self, phrases: Sequence[Phrase], where: Sequence[Match]) -> bool:
        """ "The cat is on the floor, not on the sofa"."""
        places = [each for each in self.phrases if each.head in self.target.places]
        if len(phrases) == 1 and where[0] is Match.NO and self._is_but_elsewhere(phrases[0]):
            return True
        if self.target.looks and places and all(match is Match.NO for match in where):
            return True  # "There is a woman, but her dress is blue"
        return all(match is Match.NO for match in where) and any(
            self.lowers[max(0, each.first - 2)] in _NOT and any(phrase.sentence == each.sentence for phrase in phrases)
            for each in places
        )

    def _is_but_elsewhere(self, phrase: Phrase) -> bool:
        """ "I see a plane, but it's in the air"."""
        behind = self.lowers[phrase.last + 1 : self.words.sentences[phrase.sentence].last]
        if "but" not in behind:
            return False
        but = behind.index("but")
        return behind[but + 1 : but + 2] in (["it"], ["they"]) and not _BE_WORDS.isdisjoint(behind[but + 2 : but + 3])

    def _is_beside_it(self, phrase: Phrase, phrases: Sequence[Phrase], where: Sequence[Match]) -> bool:
        """ "A cashier behind the counter; three customers are in front of it"."""
        first, last = phrase.last + 1, self.words.sentences[phrase.sentence].last
        it = next((place for place in range(first, last) if self.lowers[place] in _IT), None)
        if it is None or self.words.tags[it - 1] not in ("IN", "TO") or it - 2 < phrase.last:
            return False
        if self.lowers[it - 1] == "of" and self.lowers[it - 2] not in ("front", "top", "side", "back"):
            return False  # "dozens of them"
        there = next(each for each, match in zip(phrases, where, strict=True) if match is Match.YES)
        named = next(
            (each for each in self.phrases if each.head in self.target.places and each.first > there.last), None
        )
        if named is None or there.first > phrase.first:
            return False
        one, other = self.lowers[it - 2 : it], self.lowers[named.first - 2 : named.first]
        return one[-1] != other[-1] or (one[-1] in ("of", "to") and one != other)

    def _is_apart(self, phrase: Phrase, there: Mapping[int, Phrase]) -> bool:
        """Whether a phrase is beside those at the place, in whose sentences it stands or not."""
        if phrase.sentence in there:
            return self._is_elsewhere(phrase)
        # "One girl is on the swing; another girl is standing behind her"
        more = not _MORE.isdisjoint(self.lowers[phrase.first : phrase.last + 1])
        none = all(each.said == "none" for each in there.values())  # "None are on the roof. Two are flying."
        if not (more or none) or not self._acts(phrase):
            return False
        mine = self._deeds(phrase.sentence)
        return _LIKEWISE.isdisjoint(self._inside(phrase.sentence)) and not any(
            mine & self._deeds(sentence) for sentence in there
        )

    def _inside(self, sentence: int) -> list[str]:
        first, last, _ = self.words.sentences[sentence]
        return self.lowers[first:last]

    def _deeds(self, sentence: int) -> set[str]:
        """What is done in a sentence: its verbs, but for "is"."""
        first, last, _ = self.words.sentences[sentence]
        verbs = (place for place in range(first, last) if self.words.tags[place][:2] == "VB")
        return {stem_of(self.lowers[place]) for place in verbs} - _BE

    def _is_elsewhere(self, phrase: Phrase) -> bool:
        """Whether a phrase is beside what is at the place: "on the stage, in front of a large audience"."""
        first, behind = phrase.first, phrase.last + 1
        if self.lowers[first - 1] == "of" and self.lowers[first - 2] in COLLECTIVES:
            first -= 3  # "a line of customers"
        before = self.words.tags[max(0, first - 1)]
        beside = self.words.tags[behind : behind + 1] == ["IN"] and self.lowers[behind] != "of"
        if before == "VBG" or (beside and self.lowers[behind + 1] in _IT):
            return True  # "behind the counter, serving customers"; "another one underneath it"
        return self._acts(phrase) or tuple(self.lowers[max(0, phrase.first - 3) : phrase.first]) == _IN_FRONT

    def _acts(self, phrase: Phrase) -> bool:
        """Whether a phrase has a verb of its own: "four people at the table, and a waiter is standing next to them"."""
        place = phrase.last + 1 + (self.lowers[phrase.last + 1 : phrase.last + 2] == ["more"])
        following = self.words.tags[place : place + 1]
        return bool(following) and following[0] in VERBS
