"""What an answer claims of all that was asked for: totals, sentence after sentence, lists, contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anamorph.language.tagging.lexicon import is_animate
from anamorph.language.wordlists import word_list, word_names, word_order
from anamorph.readers.english.answer.attributes import Match, alternatives, matches, sums_up_others, whereabouts
from anamorph.readers.english.answer.denials import Denials
from anamorph.readers.english.answer.fitting import Fitting
from anamorph.readers.english.answer.question import PICTURES, Question
from anamorph.readers.english.answer.sums import (
    CONTRADICTION,
    TWO_NUMBERS,
    Claim,
    ContradictionError,
    Interval,
    SentenceReader,
    is_of_picture,
    sum_of,
)
from anamorph.readers.english.answer.words import Phrase, Sentence, Words, is_below, stem_of

_TOTALS = word_list("answers", "totals")
_ANYBODY = frozenset(("person", "people", "individual"))
_MORE, _CORRECTING = word_list("answers", "more"), word_list("answers", "correcting")
_OFFSPRING = word_list("answers", "offspring")
_ELDERS = word_list("answers", "grown") | {"adult", "larger", "bigger", "older"}
_KIN = word_list("answers", "kin")
# Nouns that sum up anything.
_GENERAL = word_list("answers", "general")
# Places that exclude each other, so that what is at one adds to what is at another.
_SIDES = tuple(
    tuple(frozenset(words.split("/")) for words in word_order("sides", axis)) for axis in word_names("sides")
)
_BEFORE_TOTALS = frozenset(("total", "totals", "totaling", "totalling", "number", "count", "="))
_OF = (["of"], ["out", "of"], ["among"], ["of", "the"], ["out", "of", "the"], ["among", "the"], ["of", "all"])
_EMPTY = frozenset(("empty", "deserted", "vacant", "unoccupied", "bare"))
_GROUNDS = word_list("answers", "grounds")
_BE = frozenset(("is", "are", "be", "'s", "looks", "appears", "seems"))
_NEGATIONS = frozenset(("not", "n't", "half", "almost", "nearly"))
_ONLY = frozenset(("only", "just", "merely"))
# "There are only", "I can only see"
_OPENING = _ONLY | {"there", "is", "are", "'s", "i", "can", "see"}
# What announces another number than the one before.
_REVISING = _CORRECTING | {
    "but",
    "however",
    "closer",
    "recount",
    "excluding",
    "except",
    "minus",
    "without",
    "not",
    "n't",
}
_UNCOUNTED = frozenset(("hard", "difficult", "impossible", "too"))
_SUMMARY = frozenset(("summary", "conclusion", "short"))
_THEIR = frozenset(("them", "they", "these", "those"))


def claimed(words: Words, phrases: Sequence[Phrase], asked: Question, yes: bool | None) -> Interval | None:
    """The interval that an answer claims of all that was asked for; None where it claims nothing."""
    kinds = max(len(asked.targets), 1)
    shared = _shared_total(words, phrases, kinds)
    if shared is not None and not _is_of_others(words, phrases, shared, asked):
        if _is_contradicted(words, phrases, shared, asked):
            raise ContradictionError(TWO_NUMBERS)
        return shared.least, shared.most
    parts = _without_shared(words, phrases) if asked.coordinated else phrases
    found = [_Kind(words, parts, asked, kind, yes).claimed() for kind in range(kinds)]
    if found.count(None) == kinds:
        return None
    least, most = sum_of([interval for interval in found if interval is not None])
    whole = asked.whether or not asked.coordinated or len(parts) < len(phrases)
    return least, most if whole or not _is_partial(words, phrases, asked, found) else None


def _is_partial(words: Words, phrases: Sequence[Phrase], asked: Question, found: Sequence[Interval | None]) -> bool:
    """Whether an answer speaks of one part of what was asked for and not of another: "two dogs", of dogs and cats."""
    named = {phrase.target for phrase in phrases if phrase.head is not None}
    if None in found and any(interval is not None and kind in named for kind, interval in enumerate(found)):
        return True
    # "2. The image also shows a red mailbox" says nothing of red cars.
    about = {phrase.sentence for phrase in phrases if phrase.target is not None}
    sentences = (words.sentences[number] for number in about)
    said = {stem_of(word) for sentence in sentences for word in words.lowers[sentence.first : sentence.last]}
    silent = [said.isdisjoint(each) for target in asked.targets for each in alternatives(target)]
    return any(silent) and not all(silent) and _ONLY.isdisjoint(words.lowers)


def claimed_of_each(
    words: Words, phrases: Sequence[Phrase], asked: Question, yes: bool | None
) -> list[Interval | None]:
    """What an answer claims of each kind that was asked for."""
    return [_Kind(words, phrases, asked, kind, yes).claimed() for kind in range(len(asked.targets))]


def _without_shared(words: Words, phrases: Sequence[Phrase]) -> list[Phrase]:
    """The phrases without the cats of "three dogs and cats", whose number is already in the three."""
    found: list[Phrase] = []
    for phrase in phrases:
        before = found[-1] if found else None
        if before is not None and phrase.said == "bare" and before.target is not None and phrase.target is not None:
            between = words.lowers[before.last + 1 : phrase.first]
            if before.said in ("number", "vague", "none") and between in (["and"], ["or"]):
                continue
        found.append(phrase)
    return found


def _is_of_others(words: Words, phrases: Sequence[Phrase], total: Phrase, asked: Question) -> bool:
    """Whether a total is of more than was asked for: "nine sheep in total; eight of them are white"."""
    plain = all(target.plain for target in asked.targets)
    if _sums_up_others(words, phrases, total, len(asked.targets), plain):
        return True
    if len(asked.targets) != 1:
        return False
    target = asked.targets[0]
    if sums_up_others(words, phrases, total, target):
        return True
    if total.target is None or not target.attributes:
        return False
    if matches(words, phrases, total, target) is Match.YES:
        return False
    parts = [
        phrase
        for phrase in phrases
        if phrase.first > total.last
        and phrase.head is None
        and (phrase.part or (phrase.exact and 0 < phrase.least < total.least))
    ]
    return any(matches(words, phrases, phrase, target) is Match.YES for phrase in parts)


def _sums_up_others(words: Words, phrases: Sequence[Phrase], total: Phrase, kinds: int, plain: bool) -> bool:
    """ "Two cats and one dog, three animals in total", and only cats were asked for."""
    if plain and total.head is not None and total.target is not None:
        return False  # "two adult elephants and one baby, for a total of three elephants"
    counted = [each for each in phrases if each.head is not None and each.exact and each.least and each is not total]
    counted = [each for each in counted if each.said in ("number", "article")]
    if words.lowers[total.last + 1 : total.last + 2] == ["of"]:  # "six pieces of fruit"
        counted = [each for each in counted if each.first != total.last + 2]
    mine = sum(each.least for each in counted if each.target is not None)
    return kinds == 1 and total.exact and 0 < mine < total.least == sum(each.least for each in counted)


def _is_contradicted(words: Words, phrases: Sequence[Phrase], total: Phrase, asked: Question) -> bool:
    """ "There are 5 birds on the wire. So the total number is 4."; "There are two horses. In total, it shows four." """
    first = next((phrase for phrase in phrases if phrase.target is not None), total)
    if first.said != "number" or not first.exact or first.head is None or first.sentence == total.sentence:
        return False
    sentence = words.sentences[first.sentence]
    plain = all(not target.attributes and not target.objects and not target.negated for target in asked.targets)
    if sentence.listed or not plain or len(asked.targets) != 1 or not total.most:
        return False
    between = words.lowers[sentence.first : words.sentences[total.sentence].last]
    if not _REVISING.isdisjoint(between):
        return False
    alone = words.lowers[sentence.first] == "there" and is_of_picture(words, first, sentence)
    more = alone and first.head == total.head and total.least > first.least and _MORE.isdisjoint(between)
    return more or total.most < first.least


# Words that say a total only among certain others.
_MAY_TOTAL = frozenset(("all", "=", "number", "count"))


def _shared_total(words: Words, phrases: Sequence[Phrase], kinds: int) -> Phrase | None:
    """ "Seven animals altogether", "Total: 7": the last amount that is said to be the total."""
    found: Phrase | None = None
    if (_TOTALS | _MAY_TOTAL).isdisjoint(words.lowers):
        return None
    for number, sentence in enumerate(words.sentences):
        marks = [place for place in range(sentence.first, sentence.last) if _is_total(words, place, sentence)]
        if not marks:
            continue
        counted = [
            phrase
            for phrase in phrases
            if phrase.sentence == number
            and phrase.said in ("number", "vague", "none")
            and not phrase.part
            and (phrase.target is not None or phrase.head is None or kinds > 1 or phrase.head in _GENERAL)
        ]
        before = [phrase for phrase in counted if phrase.first < marks[-1]]
        behind = [phrase for phrase in counted if phrase.last > marks[-1]]
        if words.lowers[marks[-1]] in _BEFORE_TOTALS and behind and words.word(marks[-1] - 1, sentence) != "in":
            found = behind[0]
        elif before and words.word(marks[-1] - 1, sentence) not in (",", ".", "("):
            found = before[-1]
        elif behind or before:
            found = behind[0] if behind else before[-1]
    return found


def _is_total(words: Words, place: int, sentence: Sentence) -> bool:
    word = words.lowers[place]
    if word in _TOTALS or (word == "=" and "+" in words.lowers[sentence.first : place]):
        return True
    if word in ("number", "count"):  # "the number of dogs is 3"
        return words.word(place - 1, sentence) == "the" and words.word(place + 1, sentence) == "of"
    return word == "all" and words.word(place - 1, sentence) == "in"


def _sides(axis: Sequence[frozenset[str]], words: frozenset[str]) -> frozenset[int]:
    return frozenset(place for place, side in enumerate(axis) if not side.isdisjoint(words))


class _Kind:
    """What an answer claims of one kind of thing."""

    def __init__(self, words: Words, phrases: Sequence[Phrase], asked: Question, kind: int, yes: bool | None) -> None:
        self.words, self.lowers, self.phrases, self.kind = words, words.lowers, phrases, kind
        self.yes = None if asked.asks == "is-there-no" or asked.bounds is not None else yes
        self.whether = asked.asks == "is-there" and not asked.whether and asked.bounds is None
        self.target = asked.targets[kind] if asked.targets else None
        self.reader = SentenceReader(words, phrases, asked, self.target)
        denials = Denials(words, phrases, asked.others)
        found = [denials.claimed(phrase) for phrase in self._mine()]
        kept = [phrase for phrase in found if phrase is not None]
        self.mine = self._owned(denials.without_depictions(kept, denied=self.yes is False))

    def _owned(self, mine: list[Phrase]) -> list[Phrase]:
        """The parts of what was asked about, without those of another thing: "a chair with four legs"."""
        owner = None if self.target is None else self.target.owner
        if owner is None or len(mine) < 2:
            return mine
        owners = [self._owner(phrase) for phrase in mine]
        if not any(each is not None and owner in each for each in owners):
            return mine
        return [phrase for phrase, each in zip(mine, owners, strict=True) if each is None or owner in each]

    def _owner(self, phrase: Phrase) -> tuple[str, ...] | None:
        """The words for what has a part: the chair of "a chair with four legs"."""
        before = self.lowers[max(0, phrase.first - 2) : phrase.first]
        if before[-1:] in (["has"], ["have"]) or before[:1] in (["has"], ["have"]) or before[-2:] == ["also", "has"]:
            first = self.words.sentences[phrase.sentence].first
            breaks = (place for place in range(first, phrase.first) if self.lowers[place] in (",", ";", "while", "and"))
            start = max(breaks, default=first)
            subjects = (each for each in self.phrases if start <= each.first < phrase.first and each.head is not None)
            other = next(subjects, None)
        elif before[-1:] in (["with"], ["of"]):
            ends = phrase.first - 2
            other = next((each for each in self.phrases if each.last == ends and each.head is not None), None)
        else:
            return None
        return None if other is None or other.head is None else (other.head, self.lowers[other.last])

    def _mine(self) -> list[Phrase]:
        mine = [phrase for phrase in self.phrases if self._is_mine(phrase)]
        if self.target is None or not self.target.attributes:
            mine = [phrase for phrase in mine if phrase.said != "pronoun"]
        if not mine and self.target is not None and self.target.is_role:
            mine = [phrase for phrase in self.phrases if phrase.head in _ANYBODY and phrase.said == "vague"]
        if not mine and self.target is not None and self.target.label != "person" and is_animate(self.target.head):
            mine = [phrase for phrase in self.phrases if phrase.head in _KIN]  # "a mother and her baby"
        return mine

    def _without_wholes(self, mine: list[Phrase]) -> list[Phrase]:
        """The phrases without the six cars of "Of the six cars, two are red"."""
        found: list[Phrase] = []
        for place, phrase in enumerate(mine):
            first = self.words.sentences[phrase.sentence].first
            opening = self.lowers[first : phrase.first]
            part = mine[place + 1] if place + 1 < len(mine) else None
            whole = phrase.said in ("number", "vague", "definite") and opening in _OF
            if whole and part is not None and part.sentence == phrase.sentence and part.head in (None, phrase.head):
                continue
            found.append(phrase)
        return found

    def _is_mine(self, phrase: Phrase) -> bool:
        if phrase.target == self.kind:
            return True
        # "None", "neither", "one of each" without a noun go for every kind.
        for_all = phrase.said in ("none", "any") or self.reader.is_one_of_each(phrase)
        return phrase.target is not None and phrase.head is None and for_all

    def _is_only_another(self) -> bool:
        """Whether an answer names only something else: "Only cats here", "The only animal is a cat"."""
        if self.target is None:
            return False
        for phrase in self.phrases:
            before = self.lowers[max(0, phrase.first - 2) : phrase.last]
            if phrase.head is None or _ONLY.isdisjoint(before):
                continue
            first = [word for word in self.lowers[: phrase.first] if word[0].isalnum()]
            opens = _OPENING.issuperset(first) and ("i" not in first or "see" in first)
            if opens or ("only" in before and is_below(self.target.head, phrase.head)):
                return True
        return False

    def _is_empty(self, upto: int | None = None) -> bool:
        """ "The parking lot is completely empty", said before a place."""
        if self.target is None:
            return False
        if not self.target.places:
            return self.target.label == "person" and upto is None and self._is_deserted()
        for place, word in enumerate(self.lowers[:upto]):
            if word in _EMPTY:
                sentence = self.words.sentences[self.words.sentence_of[place]]
                before = self.lowers[sentence.first : place]
                about = any(phrase.head in self.target.places for phrase in self.phrases if phrase.last < place)
                named = about or before[:1] == ["it"]
                if named:
                    return _NEGATIONS.isdisjoint(before) and not _BE.isdisjoint(before)
        return self.target.label == "person" and upto is None and self._is_deserted()

    def _is_deserted(self) -> bool:
        """ "The street is deserted": nobody is there."""
        for place, word in enumerate(self.lowers):
            if word in _EMPTY:
                sentence = self.words.sentences[self.words.sentence_of[place]]
                before = self.lowers[sentence.first : place]
                return (
                    _NEGATIONS.isdisjoint(before)
                    and not _BE.isdisjoint(before)
                    and (word == "deserted" or not _GROUNDS.isdisjoint(before))
                )
        return False

    def claimed(self) -> Interval | None:
        """The interval that is claimed; None where nothing is."""
        if not self.mine and (self._is_only_another() or self._is_empty()):
            return 0, 0
        if self.mine and self._is_empty(self.mine[0].first):
            return 0, 0  # "The pool is empty, but three people lie on deck chairs"
        if self._is_there_after_all():
            raise ContradictionError(CONTRADICTION)
        mine: list[Phrase] | None = self.mine
        if self.mine and self.target is not None and not self.target.plain:
            self.mine = self._without_wholes(self.mine)
            mine = Fitting(self.words, self.phrases, self.mine, self.target, self.yes, self.whether).chosen()
            if mine is None:
                return None if all(phrase.perhaps for phrase in self.mine) else (0, 0)
        claims: list[Claim] = []
        listed: list[Claim] = []
        for number, sentence in enumerate(self.words.sentences):
            phrases = [phrase for phrase in mine or () if phrase.sentence == number]
            if not phrases or self.lowers[sentence.last - 1] == "?":
                inside = self.lowers[sentence.first : sentence.last]
                uncounted = "count" in inside and not _UNCOUNTED.isdisjoint(inside)  # "the dark ones are hard to count"
                if claims and not phrases and claims[-1].most and (uncounted or self.reader.may_be_more(sentence)):
                    claims[-1] = replace(claims[-1], most=None)  # "There may be more behind the pier."
                continue
            claim = self.reader.claim(number, sentence, phrases)
            if claim is not None:
                (listed if sentence.listed else claims).append(claim)
        return self._across(claims, listed)

    def _across(self, claims: Sequence[Claim], listed: Sequence[Claim]) -> Interval | None:
        total = next((claim for claim in reversed(claims) if claim.total or self._sums_up(claim)), None)
        if total is not None:
            if self._is_less_than_before(claims, total):
                raise ContradictionError(TWO_NUMBERS)
            return total.interval
        if listed and (not claims or claims[0].most is None):
            return sum_of([claim.interval for claim in listed])
        if not claims:
            return None
        if (counted := self._counted(claims)) is not None:
            return counted.interval
        least, most = claims[0].interval
        before = [claims[0]]
        for claim in claims[1:]:
            if claim.corrects and not claim.more:
                least, most = claim.interval
            elif claim.alone and claim.only and before[0].alone and (least, most) != claim.interval:
                raise ContradictionError(TWO_NUMBERS)
            elif claim.perhaps and most and not claim.more and not claim.referring:
                # "There are two. There might be a dog behind the couch."; "Two. You could count three."
                high = sum_of([(least, most), claim.interval])[1]
                most = high if claim.named or claim.most is None else max(most, claim.most)
            elif (most == 0) != (claim.most == 0):
                if self._is_contradiction(least, claim):
                    raise ContradictionError(CONTRADICTION)
            elif claim.others and len(before) == 1 and before[0] is claims[0] is self._latest(claims, claim):
                (least, most) = sum_of([(least, most), claim.interval])  # "Two are ripe. The other four are green."
            elif (claim.more and not before[0].only and not before[0].corrects) or self._adds(before, claim):
                (least, most) = sum_of([(least, most), claim.interval])
            elif claim.more or claim.referring or claim.most == 0:
                continue
            elif most is None:
                least, most = max(least, claim.least), claim.most if claim.most is None or claim.most >= least else None
            elif claim.least > most and claim.named:
                raise ContradictionError(TWO_NUMBERS)
            else:
                continue
            before.append(claim)
        return least, most

    def _counted(self, claims: Sequence[Claim]) -> Claim | None:
        """The count behind sentences that only name the kinds: "It has a double wall oven. I'd count 2 ovens"."""
        *named, last = claims
        alone = bool(named) and last.counted and last.numbered and last.least > 0
        return last if alone and not any(each.numbered or each.most == 0 for each in named) else None

    def _sums_up(self, claim: Claim) -> bool:
        """ "In summary, there are two knives"."""
        first = self.words.sentences[claim.sentence].first
        opens = self.lowers[first] in ("in", "to") and not _SUMMARY.isdisjoint(self.lowers[first + 1 : first + 3])
        return opens and claim.most is not None

    def _is_less_than_before(self, claims: Sequence[Claim], total: Claim) -> bool:
        """Whether fewer are concluded than were stated: "three knives ... In summary, there are two knives"."""
        first = claims[0]
        if first is total or total.most is None or first.least != first.most or total.only:
            return False
        if first.least == total.least or (first.least < total.most and not (first.alone and len(claims) == 2)):
            return False
        target = self.target
        if target is None or target.attributes or target.objects or target.negated or not first.named or not total.most:
            return False
        start, end = self.words.sentences[first.sentence].first, self.words.sentences[total.sentence].last
        return _REVISING.isdisjoint(self.lowers[start:end])

    def _latest(self, claims: Sequence[Claim], claim: Claim) -> Claim:
        return claims[next(place for place, each in enumerate(claims) if each is claim) - 1]

    def _is_there_after_all(self) -> bool:
        """ "There is no bird in the tree. The bird in the tree is small." """
        target = self.target
        if target is None or target.attributes or target.objects or target.negated or not target.places:
            return False
        mine = [phrase for phrase in self.mine if phrase.head == target.head]
        if len(mine) < 2 or mine[0].said != "none":
            return False
        return any(
            each.said == "definite"
            and each.sentence != mine[0].sentence
            and whereabouts(self.words, self.phrases, each, target) is Match.YES
            for each in mine[1:]
        )

    def _is_contradiction(self, least: int, claim: Claim) -> bool:
        if claim.most == 0:
            return not claim.referring
        return not claim.referring or least > 0

    def _adds(self, before: Sequence[Claim], claim: Claim) -> bool:
        """Whether a later sentence speaks of others: at another side, or one more that is named for the first time."""
        inside = self._inside(claim)
        earlier = [self._inside(each) for each in before]
        for axis in _SIDES:
            first_at, here = _sides(axis, earlier[0]), _sides(axis, inside)
            if first_at and here:
                return here.isdisjoint(_sides(axis, frozenset().union(*earlier)))
        first = before[0]
        if claim.restating or first.numbered or not first.named or not claim.named:
            return False  # the first full statement decides
        if first.introduced and claim.introduced and PICTURES.isdisjoint(earlier[0]):
            return True  # "A dog lies on the rug. A dog stands at the door."
        return not any(
            head == earlier or is_below(head, earlier) or is_below(earlier, head)
            for head in claim.named
            for each in before
            for earlier in each.named
        )

    def _inside(self, claim: Claim) -> frozenset[str]:
        sentence = self.words.sentences[claim.sentence]
        return frozenset(self.lowers[sentence.first : sentence.last])
