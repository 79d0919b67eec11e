"""From phrases to what an answer claims: denials, parts and wholes, additions, corrections, contradictions."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anamorph.language.wordlists import word_list, word_names, word_order
from anamorph.readers.answer.attributes import Match, matches, whereabouts
from anamorph.readers.answer.phrases import ORDINALS, Phrase, Sentence, Words
from anamorph.readers.answer.question import PICTURES, Question, is_below

_DENIALS = word_list("answers", "denials")
_DENIAL_ENDS = word_list("answers", "denial_ends")
_SIGNS = word_list("answers", "signs")
_HARMLESS = word_list("answers", "after_harmless_denials")
_NOT_SEEN = word_list("answers", "not_seen")
_PARTING = frozenset((":", "(", "-", "\u2014", "\u2013", "namely", "consisting", "comprising", "comprised"))
_INCLUDING = frozenset(("including", "among", "amongst"))
_CORRECTING = word_list("answers", "correcting")
_CONCLUDING = word_list("answers", "concluding")
_MORE = word_list("answers", "more")
_HEDGES = word_list("answers", "hedges")
_BROADER = word_list("answers", "broader")
_TOTALS = word_list("answers", "totals")
_MODALS = frozenset(("might", "could", "may"))
_ONLY = frozenset(("just", "only", "exactly"))
_CONCEDING = frozenset(("but", "though", "although", "however"))
_SUBJUNCTIVE = frozenset(("if", "whether", "unless"))
_PRONOUNS = frozenset(("it", "they", "he", "she", "this", "that", "these", "those"))
_VERBS = frozenset(("VBZ", "VBP", "VBD", "MD"))
_LEAVING = frozenset(("IN", "TO", "VBG", "VBN", "VBZ", "VBP", "WDT", "WP", "WRB", "RB"))
# Places that exclude each other, so that what is at one adds to what is at another.
_SIDES = tuple(
    tuple(frozenset(words.split("/")) for words in word_order("sides", axis)) for axis in word_names("sides")
)
_CONTRADICTION = "it says that there is one and that there is none"
_TWO_NUMBERS = "it gives two different numbers"


class ContradictionError(ValueError):
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
    restating: bool = False  # "It is a red bus", "A red bus with two decks."

    @property
    def interval(self) -> tuple[int, int | None]:
        return self.least, self.most


def claimed(
    words: Words, phrases: Sequence[Phrase], asked: Question, yes: bool | None
) -> tuple[int, int | None] | None:
    """The interval that an answer claims of all that was asked for; None where it claims nothing."""
    kinds = max(len(asked.targets), 1)
    found: list[tuple[int, int | None]] = []
    shared = _shared_total(words, phrases, kinds)
    if shared is not None:
        return shared
    for kind in range(kinds):
        interval = _Kind(words, phrases, asked, kind, yes).claimed()
        if interval is not None:
            found.append(interval)
    if not found:
        return None
    return _sum(found)


def _sum(intervals: Sequence[tuple[int, int | None]]) -> tuple[int, int | None]:
    least = sum(low for low, _ in intervals)
    return least, None if any(high is None for _, high in intervals) else sum(high or 0 for _, high in intervals)


def _shared_total(words: Words, phrases: Sequence[Phrase], kinds: int) -> tuple[int, int | None] | None:
    """ "Seven animals altogether", "Total: 7": the last amount that is said to be the total."""
    found: tuple[int, int | None] | None = None
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
            and (phrase.target is not None or phrase.head is None or kinds > 1 or _is_general(phrase))
        ]
        before = [phrase for phrase in counted if phrase.first < marks[-1]]
        behind = [phrase for phrase in counted if phrase.last > marks[-1]]
        if words.lowers[marks[-1]].startswith("total") and behind and words.word(marks[-1] - 1, sentence) != "in":
            found = behind[0].least, behind[0].most
        elif before and words.word(marks[-1] - 1, sentence) not in (",", ".", "("):
            found = before[-1].least, before[-1].most
        elif behind or before:
            chosen = behind[0] if behind else before[-1]
            found = chosen.least, chosen.most
    return found


def _is_general(phrase: Phrase) -> bool:
    return phrase.head in ("animal", "object", "item", "thing", "vehicle", "individual", "figure", "subject", "piece")


def _is_total(words: Words, place: int, sentence: Sentence) -> bool:
    word = words.lowers[place]
    if word in _TOTALS:
        return True
    return word == "all" and words.word(place - 1, sentence) == "in"


def _sides(axis: Sequence[frozenset[str]], words: frozenset[str]) -> frozenset[int]:
    return frozenset(place for place, side in enumerate(axis) if not side.isdisjoint(words))


class _Kind:
    """What an answer claims of one kind of thing."""

    def __init__(self, words: Words, phrases: Sequence[Phrase], asked: Question, kind: int, yes: bool | None) -> None:
        self.words, self.lowers, self.asked, self.kind = words, words.lowers, asked, kind
        self.yes = None if asked.asks == "is-there-no" else yes
        self.phrases = phrases
        self.target = asked.targets[kind] if asked.targets else None
        mine = [phrase for phrase in phrases if self._is_mine(phrase)]
        if any(phrase.head not in _BROADER and phrase.head for phrase in mine):
            mine = [phrase for phrase in mine if phrase.head not in _BROADER]
        found = [self._as_denied(phrase) for phrase in mine if not self._is_idle(phrase)]
        self.mine = [phrase for phrase in found if phrase is not None]

    def _is_mine(self, phrase: Phrase) -> bool:
        if phrase.target == self.kind:
            return True
        # "None", "neither", "one of each" without a noun go for every kind.
        for_all = phrase.said in ("none", "any") or self._is_one_of_each(phrase)
        return phrase.target is not None and phrase.head is None and for_all

    def _is_one_of_each(self, phrase: Phrase) -> bool:
        """ "One of each" goes for every kind, and so does "both" where two were asked for."""
        both = self.lowers[phrase.last] == "both" and len(self.asked.targets) == 2
        return both or self.lowers[phrase.last + 1 : phrase.last + 3] == ["of", "each"]

    def claimed(self) -> tuple[int, int | None] | None:
        if not self.mine:
            return None
        mine: list[Phrase] | None = self.mine
        if self.target is not None and (self.target.attributes or self.target.objects or self.target.places):
            direct = self._direct()
            if direct is not None:
                return direct.least, direct.most
            mine = self._matching()
            if mine is None:
                return 0, 0
        assert mine is not None
        claims = []
        listed = []
        for number, sentence in enumerate(self.words.sentences):
            if self.words.lowers[sentence.last - 1] == "?":
                continue
            claim = self._of_sentence(number, sentence, [phrase for phrase in mine if phrase.sentence == number])
            if claim is not None:
                (listed if sentence.listed else claims).append(claim)
        return self._across(claims, listed)

    # --- single phrases ---

    def _is_idle(self, phrase: Phrase) -> bool:
        """Whether a phrase claims nothing: a hypothesis, a kind of dog, the dogs that are about to be counted."""
        sentence = self.words.sentences[phrase.sentence]
        before = self.lowers[sentence.first : phrase.first]
        if not _SUBJUNCTIVE.isdisjoint(before[-6:]) or before[-1:] == ["how"]:
            return True
        if phrase.said in ("bare", "definite", "article") and phrase.head is not None:
            if not _MODALS.isdisjoint(before[-3:]) and "be" in before[-2:]:
                return True  # "it might be a toaster or a radio"
            if before[-1:] == ["of"] and before[-2:-1] in (
                ["number"],
                ["count"],
                ["total"],
                ["amount"],
                ["kind"],
                ["type"],
            ):
                return True
            if before[-1:] in (["like"], ["as"], ["resembling"], ["resembles"]) or before[-2:] == ["for", "a"]:
                return True
            if not {"count", "counting", "identify", "determine", "locate", "many"}.isdisjoint(before[-5:]):
                return phrase.said != "article"
        return False

    def _as_denied(self, phrase: Phrase) -> Phrase | None:
        if phrase.said == "none":
            return phrase
        one = phrase.head is None and self.lowers[phrase.last] == "one"
        if (phrase.said != "number" or one) and self._is_denied(phrase):
            if phrase.said == "vague":
                return None  # "not many" may be some
            return replace(phrase, least=0, most=0, said="none", part=False)
        return phrase

    def _is_denied(self, phrase: Phrase) -> bool:
        sentence = self.words.sentences[phrase.sentence]
        if phrase.said != "definite" and self._is_denied_before(phrase, sentence):
            return True
        following = self.lowers[phrase.last + 1 : min(phrase.last + 8, sentence.last)]
        for place, word in enumerate(following):
            if word in (",", "but", ";", "and"):
                return False
            if word in ("absent", "nowhere", "missing"):
                return True
            if word in ("not", "n't", "cannot", "never") and not _NOT_SEEN.isdisjoint(following[place + 1 : place + 4]):
                return True
        return False

    def _is_denied_before(self, phrase: Phrase, sentence: Sentence) -> bool:
        """Whether a "not", a "without" or the like stands before a phrase and reaches it."""
        place = phrase.first - 1
        verbs = False
        while place >= sentence.first:
            word = self.lowers[place]
            if word in _SIGNS and self.words.word(place - 1, sentence) == "no":
                return True
            if word in _DENIALS:
                harmless = self.words.word(place + 1, sentence) in _HARMLESS
                return not harmless and not verbs
            if word in _DENIAL_ENDS or (word == "," and phrase.said == "article"):
                return False
            if self.words.tags[place] in _VERBS and self._ends_phrase(place - 1):
                verbs = True
            place -= 1
        return False

    def _ends_phrase(self, place: int) -> bool:
        return any(
            phrase.last == place and phrase.head is not None and phrase.said != "none" for phrase in self.phrases
        )

    # --- attributes ---

    def _direct(self) -> Phrase | None:
        """The amount that an answer begins with, and that stands for itself: "Two.", "None, they are all green"."""
        if not self.mine:
            return None
        phrase = self.mine[0]
        sentence = self.words.sentences[phrase.sentence]
        before = [word for word in self.lowers[: phrase.first] if word[0].isalnum()]
        following = self.words.word(phrase.last + 1, sentence)
        alone = phrase.head is None and phrase.said in ("number", "none", "vague") and len(before) < 4
        if "but" in self.lowers[phrase.last + 1 : phrase.last + 3]:
            return None  # "Not one, but two"
        return (
            phrase
            if alone and not phrase.part and following in (".", ",", ";", ":", "-", "\u2014", "\u2013", "!")
            else None
        )

    def _matching(self) -> list[Phrase] | None:
        """The phrases that fit what was asked for; None where all that are there do not."""
        assert self.target is not None
        found: list[Phrase] = []
        unknown: list[Phrase] = []
        failing: list[Phrase] = []
        for phrase in self.mine:
            match = matches(self.words, self.phrases, phrase, self.target)
            if self.target.negated and match is not Match.UNKNOWN:
                match = Match.NO if match is Match.YES else Match.YES
            if match is Match.YES:
                found.append(phrase)
            elif match is Match.NO:
                failing.append(phrase)
            else:
                unknown.append(replace(phrase, least=phrase.whole[0], most=phrase.whole[1]) if phrase.whole else phrase)
        found = self._with_coordinated(found, unknown)
        if not found and (self.yes is False or (failing and self.yes is None)):
            return None  # "No, it is a white one", "They are all white"
        return self._placed(found or unknown)

    def _with_coordinated(self, found: list[Phrase], unknown: list[Phrase]) -> list[Phrase]:
        """ "A woman with a stroller and two men in suits crossing the street": what is said of the men is said of all."""
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
        return "and" in words and not any(
            word in _CONCEDING or word in _PARTING or self.words.tags[place] in _VERBS
            for place, word in zip(between, words, strict=True)
        )

    def _placed(self, phrases: list[Phrase]) -> list[Phrase] | None:
        """The phrases without those that are elsewhere than asked; None where a "no" says that all are."""
        assert self.target is not None
        if not self.target.places:
            return phrases
        where = [whereabouts(self.words, self.phrases, phrase, self.target) for phrase in phrases]
        if Match.YES in where:
            there = {phrase.sentence for phrase, match in zip(phrases, where, strict=True) if match is Match.YES}
            return [
                phrase
                for phrase, match in zip(phrases, where, strict=True)
                if match is Match.YES
                or self.words.lowers[phrase.first - 1] == "plus"
                or (match is Match.UNKNOWN and not (phrase.sentence in there and self._acts(phrase)))
            ]
        return None if self.yes is False else phrases

    def _acts(self, phrase: Phrase) -> bool:
        """Whether a phrase has a verb of its own: "four people at the table, and a waiter is standing next to them"."""
        following = self.words.tags[phrase.last + 1 : phrase.last + 2]
        return bool(following) and following[0] in _VERBS

    # --- one sentence ---

    def _of_sentence(self, number: int, sentence: Sentence, phrases: list[Phrase]) -> Claim | None:
        phrases = self._linked(phrases)
        if not phrases or (len(phrases) == 1 and self._is_a_word(phrases[0], sentence)):
            return None
        positive = [phrase for phrase in phrases if phrase.said != "none"]
        if not positive:
            return Claim(0, 0, number)
        denied = [phrase for phrase in phrases if phrase.said == "none"]
        if any(self._is_general(phrase) for phrase in denied) and not any(map(self._is_general, positive)):
            if all(phrase.head is not None for phrase in positive):
                return Claim(0, 0, number)  # "three urinals, but no toilets"
        if denied and "or" in self.lowers[positive[0].last + 1 : denied[-1].first]:
            raise ContradictionError(_CONTRADICTION)
        kept = self._without_parts(positive)
        least, most = _sum([self._interval(phrase) for phrase in kept])
        if self._may_be_more(sentence):
            most = None
        inside = self.lowers[sentence.first : sentence.last]
        new = [phrase for phrase in kept if phrase.said != "definite"]
        return Claim(
            least,
            most,
            number,
            total=not _CONCLUDING.isdisjoint(inside[:2]) and any(phrase.exact for phrase in kept),
            more=any(self._is_more(phrase) for phrase in kept),
            corrects=not _CORRECTING.isdisjoint(inside),
            only=not _ONLY.isdisjoint(self.lowers[max(0, kept[0].first - 1) : kept[0].last]),
            referring=not new,
            named=tuple(phrase.head for phrase in kept if phrase.head is not None) if kept[0].head is not None else (),
            introduced=all(phrase.said == "article" for phrase in kept),
            restating=inside[0] in _PRONOUNS
            or not any(tag in _VERBS for tag in self.words.tags[sentence.first : sentence.last]),
        )

    def _is_a_word(self, phrase: Phrase, sentence: Sentence) -> bool:
        """ "Bottle" says nothing of how many."""
        alone = sum(word[0].isalnum() for word in self.lowers[sentence.first : sentence.last]) == 1
        return alone and self.asked.asks == "how-many" and phrase.said == "bare" and not sentence.listed

    def _may_be_more(self, sentence: Sentence) -> bool:
        """ "Three bottles (possibly more behind)"."""
        inside = self.lowers[sentence.first : sentence.last]
        return any(
            word in ("more", "others")
            and inside[place + 1 : place + 2] != ["than"]
            and not _HEDGES.isdisjoint(inside[max(0, place - 2) : place])
            for place, word in enumerate(inside)
        )

    def _is_more(self, phrase: Phrase) -> bool:
        """ "Another one", "two more", "also a dog", "a second dog"; "more than two" are no more."""
        around = self.lowers[max(0, phrase.first - 1) : phrase.last + 2]
        return any(
            word in _MORE and around[place + 1 : place + 2] != ["than"] for place, word in enumerate(around)
        ) or (phrase.said != "definite" and not ORDINALS.isdisjoint(self.lowers[phrase.first : phrase.last]))

    def _interval(self, phrase: Phrase) -> tuple[int, int | None]:
        if phrase.said == "bare" and phrase.least == 1 and self.words.sentences[phrase.sentence].listed:
            return 1, 1  # "1. Red apple"
        if phrase.head is None and self.lowers[phrase.last] == "both" and self._is_one_of_each(phrase):
            return 1, 1
        has_attributes = self.target is not None and bool(
            self.target.attributes or self.target.objects or self.target.places
        )
        if phrase.part and not has_attributes and phrase.head is not None:
            return phrase.whole or (max(2, phrase.least), None)
        each = self._for_each(phrase)
        return (
            (phrase.least * each, None if phrase.most is None else phrase.most * each)
            if each
            else (phrase.least, phrase.most)
        )

    def _for_each(self, phrase: Phrase) -> int | None:
        """ "Three riders, each with a board" are three boards."""
        for other in reversed(self.phrases):
            if other.last < phrase.first and other.sentence == phrase.sentence:
                if other.target == phrase.target:
                    return None
                if other.said == "number" and other.least > 1 and other.head is not None:
                    following = (
                        *self.lowers[other.last + 1 : phrase.first],
                        *self.lowers[phrase.last + 1 : phrase.last + 2],
                    )
                    return other.least if "each" in following else None
        return None

    def _linked(self, phrases: list[Phrase]) -> list[Phrase]:
        """Without a question, what counts is what is listed first: "[two dogs and a cat] on a sofa"."""
        if self.asked.targets or not phrases:
            return phrases
        sentence = self.words.sentences[phrases[0].sentence]
        if not any(tag in _VERBS for tag in self.words.tags[sentence.first : sentence.last]):
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
        for phrase in phrases[1:]:
            if part is not None and phrase.head is None and "and" in self.lowers[part.last + 1 : phrase.first]:
                continue  # "four of them wooden and two metal"
            before = kept[-1]
            role = self._role(before, phrase, self.lowers[before.last + 1 : phrase.first])
            if role is _Role.END:
                break
            if role is _Role.PART:
                part = phrase
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

    def _role(self, before: Phrase, phrase: Phrase, between: Sequence[str]) -> _Role:
        """What a phrase does to the one before it in the same sentence."""
        if not _CONCLUDING.isdisjoint(between):
            return _Role.INSTEAD
        if not _PARTING.isdisjoint(between):
            # "One desktop, two laptops: three computers"; "several people: a man, a woman and a child"
            sums_up = self._is_general(phrase) and not self._is_general(before)
            return _Role.INSTEAD if sums_up or before.most is None else _Role.END
        if not _INCLUDING.isdisjoint(between):
            return _Role.END
        if phrase.part and self._is_of_them(phrase):
            return _Role.PART
        if not _HEDGES.isdisjoint((*between[-3:], self.lowers[phrase.first])):
            # "Three, possibly four"; "three, and possibly a fourth"
            return _Role.UP_TO if phrase.head is None and phrase.least >= before.least else _Role.PERHAPS
        if before.most is None and phrase.least >= before.least and between[:1] == [","] and "and" not in between:
            return _Role.INSTEAD  # "a crowd, hundreds of people"
        if phrase.said == "definite" and phrase.head is not None and before.head in (phrase.head, None):
            return _Role.SAME
        if phrase.head is None and self.lowers[phrase.first] in ("both", "all"):
            return _Role.SAME  # "two doors, both closed"
        if not _CORRECTING.isdisjoint(between) and phrase.said != "article":
            return _Role.INSTEAD
        if not {"which", "whom"}.isdisjoint(between) or self._is_apposition(before, phrase, between):
            return _Role.SAME
        if phrase.head is None and not _CONCEDING.isdisjoint(between):
            if phrase.said == "vague" and before.least >= phrase.least:
                return _Role.SAME  # "six, though some may be hidden"
            return _Role.INSTEAD if before.most is None else _Role.ADDED  # "too many to count, but over 50"
        return _Role.ADDED

    def _is_general(self, phrase: Phrase) -> bool:
        return self.target is not None and phrase.head == self.target.head

    def _is_of_them(self, phrase: Phrase) -> bool:
        return phrase.head is None or self.lowers[phrase.first + 1 : phrase.first + 2] == ["of"]

    def _whole_of(self, phrases: list[Phrase]) -> list[Phrase]:
        """The first phrase alone where the others take it apart: "two dogs, one brown and one white"."""
        if len(phrases) < 2:
            return phrases
        whole, *rest = phrases
        parts = _sum([(phrase.least, phrase.most) for phrase in rest])
        between = self.lowers[whole.last + 1 : rest[0].first]
        if self._is_more(rest[0]):
            return phrases
        if len(rest) > 1 and whole.exact and parts == (whole.least, whole.most) and "," in between:
            return [whole]
        if whole.said == "bare" and rest[0].head is None:
            return self._whole_of(rest)  # "There are dogs, two on the left and one on the right"
        if len(rest) > 1:
            return phrases
        (part,) = rest
        if whole.least > part.least and part.head is None and between[:1] == [","]:
            behind = self.lowers[part.last + 1 : part.last + 2]
            if "and" not in between and (
                behind == ["with"] or self.words.tags[part.last + 1 : part.last + 2] != ["IN"]
            ):
                return [whole]
        if part.head is None and "each" in self.lowers[part.last + 1 : part.last + 4]:
            return [whole]
        return phrases

    def _is_apposition(self, whole: Phrase, part: Phrase, between: Sequence[str]) -> bool:
        """ "One person, a surfer riding a wave": the same one in other words."""
        if not (whole.least == whole.most == 1 == part.least == part.most) or part.said == "number":
            return False
        if part.head is None or between[:1] not in ([","], [":"], ["-"]) or "and" in between:
            return False
        general = whole.head is None or (self.target is not None and whole.head == self.target.head)
        return (general and part.head != whole.head) or is_below(part.head, whole.head or part.head)

    # --- the whole answer ---

    def _across(self, claims: Sequence[Claim], listed: Sequence[Claim]) -> tuple[int, int | None] | None:
        total = next((claim for claim in reversed(claims) if claim.total), None)
        if total is not None:
            return total.interval
        if listed and (not claims or claims[0].most is None):
            return _sum([claim.interval for claim in listed])
        if not claims:
            return None
        least, most = claims[0].interval
        before = [claims[0]]
        for claim in claims[1:]:
            if claim.corrects:
                least, most = claim.interval
            elif (most == 0) != (claim.most == 0):
                if self._is_contradiction(least, claim):
                    raise ContradictionError(_CONTRADICTION)
            elif (claim.more and not before[0].only) or self._adds(before, claim):
                (least, most) = _sum([(least, most), claim.interval])
            elif claim.referring or claim.most == 0:
                continue
            elif most is None:
                least, most = max(least, claim.least), claim.most if claim.most is None or claim.most >= least else None
            elif claim.least > most and claim.named:
                raise ContradictionError(_TWO_NUMBERS)
            else:
                continue
            before.append(claim)
        return least, most

    def _is_contradiction(self, least: int, claim: Claim) -> bool:
        if claim.most == 0:
            return True
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
        if claim.restating or not first.named or not claim.named or len(first.named) < first.least:
            return False
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
