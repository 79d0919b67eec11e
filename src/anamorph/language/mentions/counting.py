"""How many of a thing a text says there are: the interval of each noun group, and which groups name the same again."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TypeAlias

from anamorph.language.amounts import Amount, find_amounts
from anamorph.language.mentions.claims import GENUINE, lives
from anamorph.language.mentions.finding import NOUNS, Phrase
from anamorph.language.mentions.groups import is_paired
from anamorph.language.mentions.passage import FINITE, Passage
from anamorph.language.morphology import ZERO_PLURALS
from anamorph.language.quantity import COLLECTIVES, number_of
from anamorph.language.wordlists import word_list, word_order, word_table
from anamorph.model.reading import Mention

Interval: TypeAlias = tuple[int, int | None]

_DEFINITE, _POSSESSIVE = word_list("again", "definite"), word_list("again", "possessive")
_LED = _DEFINITE | _POSSESSIVE
_ADDING, _PARTIAL = word_list("again", "adding"), word_list("again", "partial")
_ORDINALS = {word: value for value, word in enumerate(word_order("again", "ordinals"), start=1)}
_MALE, _FEMALE = word_list("again", "male"), word_list("again", "female")
_YOUNG, _GROWN = word_list("again", "young"), word_list("again", "grown")
_ANYONE, _CROWDS = word_list("again", "anyone"), word_list("again", "crowds")
_BRIDGING = word_list("again", "bridging")
_CIRCLES = tuple(frozenset(row.split()) for row in " ".join(word_order("again", "circles")).split(" / "))
_PARTS = word_list("again", "parts_of_total")
_MEASURES, _GATHERINGS = word_list("again", "measures"), word_list("again", "gatherings")
_MASS, _MASS_BARE = word_list("again", "mass"), word_list("again", "mass_bare")
_PAIRS_OF_PEOPLE, _BOTH_SIDES = word_list("again", "pairs_of_people"), word_list("again", "both_sides")
_YOUNG_OF: dict[str, str] = word_table("again", "young_of")
_AGES = word_list("again", "ages")
_FLEETING = word_list("claims", "fleeting")
_BE = frozenset("is are was were be being 's 're".split())
_PULLED = ("-drawn", "-pulled")
_SIDES = word_list("again", "sides")
_PRONOUNS = frozenset("it this he she one other another they these those both that".split())
_BREAKS = frozenset((",", "and", "but", "while", "with"))
_COLONS = frozenset((":", "\u2014", "\u2013", "("))
# How many things back a text may refer.
_BACK = 12


def count_mentions(passage: Passage) -> tuple[Mention, ...]:
    """The mentions of a passage, each with how many it says there are and whether it comes back to an earlier one."""
    _adopt(passage)
    counter = _Counter(passage)
    for phrase in _with_stand_ins(passage):
        counter.add(phrase)
    return tuple(counter.mentions)


def _adopt(passage: Passage) -> None:
    """Cubs and calves are of the animal that the text names."""
    young = [phrase for phrase in passage.phrases if passage.lowers[phrase.last] in _YOUNG_OF]
    if young:
        named = {p.mention.label for p in passage.phrases if passage.lowers[p.last] not in _YOUNG_OF}
        for phrase in young:
            for label in _YOUNG_OF[passage.lowers[phrase.last]].split():
                if label in named:
                    phrase.mention = replace(phrase.mention, label=label)
                    phrase.kin = False
                    break


# --- intervals -------------------------------------------------------------------------------------------------------


class _Intervals:
    """The intervals of the noun groups of a passage."""

    __slots__ = ("amounts", "lasts", "passage")

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.amounts = find_amounts(passage.lowers)
        self.lasts = [amount.last for amount in self.amounts]

    def of(self, phrase: Phrase) -> Interval:
        passage, mention = self.passage, phrase.mention
        word = passage.lowers[phrase.last]
        if phrase.denied or (mention.absent and passage.lowers[phrase.first] != "none"):
            return 0, 0
        if phrase.stands:
            return mention.count or 1, mention.count or 1
        amount = self.amount(phrase)
        if word == "couple":
            return 2, 2
        if word.endswith(_PULLED) or (passage.word(phrase.last + 1) in ("drawn", "pulled") and lives(phrase)):
            return 1, None
        if mention.label == "person" and word in _GATHERINGS:
            return self.gathering(phrase, amount)
        start = passage.name_start(phrase)
        paired = is_paired(word, passage.word(phrase.last + 1) == "of", start < phrase.last)
        many = phrase.plural or (word in ZERO_PLURALS and mention.number == "plural")
        if paired:
            return self.paired(phrase, amount)
        if amount is not None and amount.kind != "article":
            return self.amounted(phrase, amount, many)
        if phrase.collective in COLLECTIVES and phrase.collective not in ("bit",):
            value = COLLECTIVES[phrase.collective]
            return (value, value) if value is not None else ((2, None) if many else (1, None))
        if word in _PAIRS_OF_PEOPLE and phrase.determiner in _POSSESSIVE:
            return 2, 2
        if many or mention.number == "plural":
            return 2, None
        if word in _MASS or (word in _MASS_BARE and amount is None and phrase.first and not self.is_led(phrase)):
            return self.mass(phrase)
        if mention.number == "unknown" and amount is None:
            return 1, None
        return 1, 1

    def is_led(self, phrase: Phrase) -> bool:
        """Whether "the" or an owner stands before a noun."""
        led = phrase.determiner in _DEFINITE or phrase.determiner in _POSSESSIVE
        return led or self.passage.tag(phrase.first - 1) == "POS" or "POS" in self.passage.tags[phrase.first : phrase.last]

    def amount(self, phrase: Phrase) -> Amount | None:
        """The amount that stands before a noun, within its group or right before it."""
        number = bisect_left(self.lasts, self.passage.name_start(phrase)) - 1
        if number < 0:
            return None
        amount = self.amounts[number]
        if amount.last < phrase.first - 1 or amount.kind == "none":
            return None
        if amount.last == phrase.first - 1 and amount.kind == "article":
            return None
        if amount.kind == "article" and number and self.amounts[number - 1].last >= phrase.first and phrase.collective:
            return self.amounts[number - 1]
        return amount

    def amounted(self, phrase: Phrase, amount: Amount, many: bool) -> Interval:
        between = self.passage.tags[amount.last + 1 : phrase.last]
        if not _AGES.isdisjoint(self.passage.lowers[amount.last + 1 : phrase.last]):
            return (2, None) if many else (1, 1)  # "3 year old girl"
        least, most = amount.least, amount.most
        if not many and amount.kind == "number" and least > 1:
            noun_between = any(tag in NOUNS for tag in between) and self.passage.name_start(phrase) > amount.last + 1
            measured = phrase.collective in ("dozen", "couple", "pair")
            if not measured and (noun_between or least > 1000 or phrase.determiner in ("a", "an")):
                return 1, 1  # "a 4 wheel drive truck"
        if phrase.collective and phrase.collective not in ("pair", "couple", "dozen", "pairs") and amount.kind == "number":
            place = self.passage.lowers.index(phrase.collective, phrase.first)
            if amount.last < place and amount.least == amount.most and COLLECTIVES.get(phrase.collective) is None:
                return 2, None  # "two groups of people"
        if not many and least >= 2 and most is None:
            return 1, None  # "some pizza"
        return least, most

    def paired(self, phrase: Phrase, amount: Amount | None) -> Interval:
        if phrase.collective == "pair":
            number = number_of(self.passage.lowers[phrase.first : phrase.first + 1])
            return (number, number) if number and number > 1 else (1, 1)
        if amount is not None and amount.kind == "number" and phrase.collective in ("pairs", ""):
            return amount.least, amount.most
        if phrase.collective:
            return 2, None
        return (1, 1) if phrase.determiner in ("his", "her", "the", "a") else (1, None)

    def gathering(self, phrase: Phrase, amount: Amount | None) -> Interval:
        """ "A family", "a family of four"."""
        if self.passage.word(phrase.last + 1) == "of":
            number = number_of(self.passage.lowers[phrase.last + 2 : phrase.last + 3])
            if number is not None:
                return number, number
        return 2, None

    def mass(self, phrase: Phrase) -> Interval:
        """ "Some broccoli" is open, "two pieces of luggage" are two."""
        if self.passage.word(phrase.first - 1) == "of":
            measure = next(iter(self.passage.between(phrase.first - 2, phrase.first - 1)), None)
            if measure is not None and self.passage.lowers[measure.last] in _MEASURES:
                amount = self.amount(measure)
                if measure.plural:
                    return (amount.least, amount.most) if amount is not None and amount.kind != "article" else (2, None)
                return 1, 1
        return 1, None


# --- the same again --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Thing:
    """Something that the text has named: a group of a class, with how many."""

    place: int  # its mention
    head: str
    words: frozenset[str]
    least: int
    most: int | None
    claimed: bool
    phrase: Phrase
    parted: bool = False  # "one of them" has been set apart

    @property
    def many(self) -> bool:
        return self.most is None or self.most > 1


class _Counter:
    """One pass over the noun groups of a text."""

    __slots__ = ("intervals", "latest", "mentions", "passage", "things")

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.intervals = _Intervals(passage)
        self.mentions: list[Mention] = []
        self.things: dict[str, list[_Thing]] = {}
        self.latest: dict[str, Phrase] = {}  # the last noun group of each class

    def add(self, phrase: Phrase) -> None:
        label = self.label_of(phrase)
        if label != phrase.mention.label and label is not None:
            phrase.mention = replace(phrase.mention, label=label)
        mention = phrase.mention
        least, most = self.intervals.of(phrase)
        if label is None:
            if phrase.stands:
                return
            self.mentions.append(_told(mention, least, most, phrase.unclaimed, mention.again))
            return
        if most == 0:
            self.mentions.append(_told(replace(mention, count=0), 0, 0, phrase.unclaimed, False))
            return
        least, most = self.spread(phrase, least, most)
        known = self.things.setdefault(label, [])
        thing = self.same(phrase, label, least, most) if known else None
        unclaimed = phrase.unclaimed
        if thing is not None and not thing.claimed and not unclaimed:
            unclaimed = thing.phrase.unclaimed
        again = thing is not None and thing.claimed and not unclaimed
        if not again and not unclaimed and self.is_partitive(phrase):
            least, most = max(2, least), None
        if thing is None or (not again and not unclaimed):
            words = frozenset(self.passage.lowers[phrase.first : phrase.last + 1]) | {mention.head}
            head = mention.head.rpartition(" ")[2]
            if unclaimed not in _FLEETING:
                known.append(_Thing(len(self.mentions), head, words, least, most, not unclaimed, phrase))
        self.latest[label] = phrase
        self.mentions.append(_told(mention, least, most, unclaimed, again))

    def label_of(self, phrase: Phrase) -> str | None:
        """The label of a noun group; that of the animal for a mother, a baby or a cub of one."""
        mention = phrase.mention
        if phrase.stands:
            return self.stood_for(phrase)
        if phrase.kin:
            return self.animal_near(phrase)
        return mention.label

    def stood_for(self, phrase: Phrase) -> str | None:
        """The class that "another" or "a third one" is one more of."""
        head = phrase.mention.head
        latest = sorted(
            ((thing.place, label, thing) for label, things in self.things.items() for thing in things[-1:] if thing.claimed),
            reverse=True,
        )[:6]
        if head in _ORDINALS:
            for _, label, _thing in latest:
                if sum(thing.least for thing in self.things[label]) == _ORDINALS[head] - 1:
                    return label
            return None
        if head == "another" and self.passage.tag(phrase.last + 1) in FINITE:
            # As a subject, it is like the subject before.
            start = self.passage.sentence_start(phrase.last)
            subjects = [
                (thing.place, label)
                for _, label, _ in latest
                for thing in self.things[label][-_BACK:]
                if thing.claimed and thing.phrase.last >= start
            ]
            if subjects:
                return min(subjects)[1]
        for _, label, thing in latest:
            if head in ("one", "described") and label == "person":
                continue
            if head == "one" and thing.phrase.determiner not in ("a", "an", *_POSSESSIVE):
                continue
            return label
        return None

    def animal_near(self, phrase: Phrase) -> str | None:
        passage = self.passage
        number = bisect_left(passage.heads, phrase.last)
        for step in (1, -1, 2, -2, -3):
            if 0 <= number + step < len(passage.phrases):
                other = passage.phrases[number + step]
                if other.mention.label and not other.kin and other.mention.label != "person" and lives(other):
                    return other.mention.label
        return None

    def spread(self, phrase: Phrase, least: int, most: int | None) -> Interval:
        """ "Three hikers, each with a backpack" have three, "a spoon beside each" is one for each."""
        if (least, most) != (1, 1) or phrase.determiner not in ("a", "an", "", "his", "her", "their", "its"):
            return least, most
        passage = self.passage
        start, end = passage.sentence_start(phrase.last), passage.sentence_end(phrase.last)
        first = phrase.first
        if passage.word(first - 1) == "of" and passage.word(first - 2) in _MEASURES:
            first -= 2
        for at in range(first - 1, max(start, first - 8) - 1, -1):
            word = passage.lowers[at]
            if word == "each":
                return self.times(at, phrase, least, most)
            if word in (",", ";", "while") or (passage.tags[at] in NOUNS and word not in ("one",)) or passage.tags[at] == "CC":
                break
        for at in range(phrase.last + 1, min(end, phrase.last + 5)):
            if passage.lowers[at] in ("each", "either"):
                following = passage.word(at + 1)
                if following in _BOTH_SIDES:
                    return 2, 2
                if passage.lowers[at] == "each" and passage.tag(at - 1) in ("IN",) and passage.tag(at + 1) not in NOUNS:
                    return self.times(at, phrase, least, most)
                break
            if passage.tags[at] in FINITE or passage.lowers[at] in (",", "and"):
                break
        return least, most

    def times(self, place: int, phrase: Phrase, least: int, most: int | None) -> Interval:
        owner = None
        for other in reversed(self.passage.between(self.passage.sentence_start(place), place)):
            interval = self.intervals.of(other)
            if other is not phrase and interval != (1, 1) and (owner is None or owner[1] is None):
                owner = interval
                if interval[1] is not None:
                    break
        if owner is None:
            return (2, None) if (least, most) == (1, 1) and self.passage.word(place + 1) != "other" else (least, most)
        return owner

    # --- which one ----------------------------------------------------------------------------------------------------

    def is_partitive(self, phrase: Phrase) -> bool:
        """ "One of the dogs"."""
        lowers = self.passage.lowers
        at = phrase.first
        words = lowers[at : phrase.last]
        whole = _DEFINITE if phrase.mention.label == "person" else _LED  # "two of his friends" are new
        if "of" in words and words[0] in _PARTIAL and not whole.isdisjoint(words):
            return True
        return at >= 2 and lowers[at - 1] == "of" and lowers[at - 2] in _PARTIAL and lowers[at] in whole

    def same(self, phrase: Phrase, label: str, least: int, most: int | None) -> _Thing | None:
        """What a noun group comes back to; None if it names something new."""
        passage = self.passage
        known = self.things[label][-_BACK:]
        claimed = [thing for thing in known if thing.claimed]
        words = passage.lowers[phrase.first : phrase.last + 1]
        kin = phrase.kin or phrase.mention.head in ("friend", "wife", "husband", "mother", "father", "companion")
        if phrase.unclaimed or not GENUINE.isdisjoint(words):
            return None
        adding = not _ADDING.isdisjoint(words)
        if self.is_partitive(phrase) and not adding:
            found = next((t for t in reversed(claimed) if t.many), None)
            found = found or (claimed[-1] if claimed else None)
            if found is not None:
                found.parted = True
            return found
        if phrase.stands:
            if phrase.mention.head == "another" and "one" in passage.lowers[passage.sentence_start(phrase.last) : phrase.first]:
                return next((t for t in reversed(claimed) if t.many), None)  # "one is black, another white"
            if phrase.mention.head != "described":
                return None
            apart = passage.lowers[self.latest[label].last + 1 : phrase.first]
            return claimed[-1] if claimed and apart == [","] else self.total(phrase, label, claimed)
        if adding:
            parted = next((t for t in reversed(claimed) if t.parted), None)
            if parted is not None and (words[0] in ("the", "another") and "more" not in words):
                return parted
            if words[0] == "the" and most == 1:
                rank = next((_ORDINALS[word] for word in words if word in _ORDINALS), 2)
                return claimed[-1] if sum(t.least for t in claimed) >= rank else None
            return None
        if words[0] == "one" and len(words) <= 4:
            found = next((t for t in reversed(claimed) if t.many and self.fits(phrase, t)), None)
            if found is not None:
                found.parted = True
                return found
        total = self.total(phrase, label, claimed)
        if total is not None:
            return total
        if label != "person" and (kin or phrase.mention.head in _YOUNG | _YOUNG_OF.keys()):
            herd = next((t for t in claimed if t.most is None and self.is_herd(t)), None)
            if herd is not None:
                return herd
        if words[0] in _DEFINITE or words[0] in ("both", "each", "every", "all"):
            return self.antecedent(phrase, known, least, most)
        if self.is_predicate(phrase, label, claimed):
            return claimed[-1]
        if words[0] in _POSSESSIVE or passage.tag(phrase.first - 1) == "POS":
            if kin or label == "person" or _is_family(phrase):
                couple = next((t for t in claimed if t.head in ("couple", "family", "parent", "pair")), None)
                return couple if couple is not None and label == "person" else None
            return self.antecedent(phrase, known, least, most)
        if self.restates(phrase):
            return self.restated(claimed, least, most)
        if phrase.plural and most is None and words[0] == passage.lowers[phrase.last]:
            return next((t for t in claimed if t.head == phrase.mention.head and t.most is None), None)
        return None

    def is_herd(self, thing: _Thing) -> bool:
        first, last = thing.phrase.first, thing.phrase.last
        return not COLLECTIVES.keys().isdisjoint(self.passage.lowers[max(0, first - 5) : last])

    def restates(self, phrase: Phrase) -> bool:
        """ "There are nine elephants in the picture", after "a herd of elephants"."""
        passage = self.passage
        at = passage.sentence_start(phrase.last)
        return passage.word(at) == "there" and passage.word(at + 1) == "are" and phrase.last - at <= 9

    def restated(self, claimed: list[_Thing], least: int, most: int | None) -> _Thing | None:
        """The one open group of a class that a total is then given of, which closes it."""
        if len(claimed) == 1 and claimed[0].most is None and least >= claimed[0].least and least > 1:
            thing = claimed[0]
            thing.least, thing.most = least, most
            self.mentions[thing.place] = replace(self.mentions[thing.place], least=least, most=most)
            return thing
        exact = sum(thing.least for thing in claimed)
        return claimed[-1] if least == most == exact and len(claimed) > 1 else None

    def antecedent(self, phrase: Phrase, known: list[_Thing], least: int, most: int | None) -> _Thing | None:
        """The thing that "the dog" means, the latest that fits."""
        fitting = [thing for thing in known if self.fits(phrase, thing)]
        if not fitting:
            return None
        exact = [thing for thing in fitting if thing.head == phrase.mention.head.rpartition(" ")[2]]
        if most == 1:
            return (exact or fitting)[-1]
        there = [thing for thing in fitting if thing.claimed]
        total = sum(thing.least for thing in there)
        open_ = any(thing.most is None for thing in there)
        if not there:
            return fitting[-1]
        return (exact or there)[-1] if total >= least or open_ else None

    def fits(self, phrase: Phrase, thing: _Thing) -> bool:
        """Whether two noun groups of one class may name the same."""
        head, other = phrase.mention.head.rpartition(" ")[2], thing.head
        if not thing.many and not phrase.plural:
            side, known = self.side(phrase), self.side(thing.phrase)
            if side and known and side != known:
                return False  # "the train on the left", "the train on the right"
        if head == other:
            return True
        mine = frozenset(self.passage.lowers[phrase.first : phrase.last + 1]) | {head}
        if phrase.mention.label != "person":
            young, known = bool(_YOUNG & mine) or "baby" in mine, bool(_YOUNG & thing.words) or "baby" in thing.words
            return young == known or thing.many or (phrase.plural and not young)
        if head in _CROWDS and other in _CROWDS:
            return True
        if thing.many:
            if thing.head in _YOUNG and head not in _YOUNG and (head in _GROWN or head not in _ANYONE):
                return False
            return head in _ANYONE or other in _ANYONE or other in _GATHERINGS or _share_role(head, other)
        if (head in _MALE and other in _FEMALE) or (head in _FEMALE and other in _MALE):
            return False
        if (head in _YOUNG and other in _GROWN) or (head in _GROWN and other in _YOUNG):
            return False
        if head in _CROWDS or other in _CROWDS:
            return False
        if head in _BRIDGING and not thing.many:
            return False
        if head in _ANYONE or other in _ANYONE:
            return True
        return _share_role(head, other)

    def side(self, phrase: Phrase) -> str:
        """Where a thing is said to be: "on the left"."""
        passage = self.passage
        if passage.tag(phrase.last + 1) != "IN" or passage.word(phrase.last + 2) != "the":
            return ""
        return next((word for word in passage.lowers[phrase.last + 3 : phrase.last + 5] if word in _SIDES), "")

    def total(self, phrase: Phrase, label: str, claimed: list[_Thing]) -> _Thing | None:
        """The total that a noun group is a part of: "four people, two adults and two children"."""
        passage = self.passage
        for thing in reversed(claimed):
            if not thing.many or passage.sentence(thing.phrase.last) != passage.sentence(phrase.last):
                continue
            gap = passage.lowers[thing.phrase.last + 1 : phrase.first]
            if not gap:
                continue
            explicit = not _COLONS.isdisjoint(gap) or not _PARTS.isdisjoint(gap)
            if not explicit and gap[0] != ",":
                continue
            later = passage.between(thing.phrase.last + 1, passage.sentence_end(phrase.last))
            parts = [other for other in later if self.label_of(other) == label]
            intervals = [self.intervals.of(part) for part in parts]
            if phrase.stands:
                return thing
            total = sum(low for low, _ in intervals)
            if thing.most is not None and thing.least == thing.most:
                if total == thing.least or (explicit and total <= thing.least):
                    return thing
                run = 0
                for p, (low, _) in zip(parts, intervals, strict=True):
                    run += low
                    if run == thing.least and p.last >= phrase.last:
                        return thing
            elif explicit and thing.most is None:
                self.raise_to(thing, total)
                return thing
        return None

    def raise_to(self, thing: _Thing, least: int) -> None:
        if least > thing.least:
            thing.least = least
            self.mentions[thing.place] = replace(self.mentions[thing.place], least=least)

    def is_predicate(self, phrase: Phrase, label: str, claimed: list[_Thing]) -> bool:
        """ "The dog is a beagle", "the dog, a beagle, lies": the same under another name."""
        if not claimed or phrase.determiner not in ("a", "an", *_POSSESSIVE):
            return False
        passage, other = self.passage, self.latest[label]
        start = passage.sentence_start(phrase.last)
        before = passage.word(phrase.first - 1)
        if before in _BE and passage.between(start, phrase.first) == [] and passage.word(phrase.first - 2) != "there":
            return _PRONOUNS.isdisjoint(passage.lowers[start : phrase.first]) is False
        if phrase.determiner in _POSSESSIVE or not self.fits(phrase, claimed[-1]):
            return False
        if other.plural != phrase.plural or start > other.last:
            return False
        gap = passage.lowers[other.last + 1 : phrase.first]
        if before in _BE:
            return _BREAKS.isdisjoint(gap) and sum(tag in FINITE for tag in passage.tags[other.last + 1 : phrase.first]) == 1
        if gap != [","]:
            return False
        if other.determiner in _LED:
            return True
        follows = passage.word(phrase.last + 1)
        return follows in (",", "(") and passage.word(phrase.last + 2) not in ("and", "a", "an", "two")


def _told(mention: Mention, least: int, most: int | None, unclaimed: str, again: bool) -> Mention:
    """A mention with what its text says of it; made anew, because `replace` takes twice as long."""
    return Mention(
        mention.text,
        mention.start,
        mention.end,
        mention.head,
        mention.label,
        mention.number,
        mention.count,
        again,
        mention.kin,
        least,
        most,
        unclaimed,
    )


def _share_role(head: str, other: str) -> bool:
    return any(head in circle and other in circle for circle in _CIRCLES)


def _is_family(phrase: Phrase) -> bool:
    return phrase.mention.head in (_YOUNG | _MALE | _FEMALE | {"parent", "friend", "sibling", "cub", "owner"})


# --- stand-ins -------------------------------------------------------------------------------------------------------


_STANDING = frozenset((*_ORDINALS, "another", "one", "more", "hers", "theirs"))
_BEFORE_STANDING = frozenset(("a", "an", "another", "the"))


def _with_stand_ins(passage: Passage) -> list[Phrase]:
    """The noun groups, and with them what stands for a noun: "a third one", "a blue one", "carries one too"."""
    found = [
        phrase
        for place, word in enumerate(passage.lowers)
        if word in _STANDING and (phrase := _stand_in(passage, place, word)) is not None
    ]
    if not found:
        return passage.phrases
    return sorted((*passage.phrases, *found), key=lambda phrase: phrase.last)


def _stand_in(passage: Passage, place: int, word: str) -> Phrase | None:
    following, tag = passage.word(place + 1), passage.tag(place + 1)
    ends = tag in FINITE or tag in ("IN", "VBN", "VBG", "RB", "CC", "") or following in (".", ",", ";", ":", ")")
    first, head, number = place, word, 1
    if word in ("hers", "theirs"):
        head = "one"
    elif word == "more":
        stated = number_of(passage.lowers[place - 1 : place])
        if not place or stated is None or not ends or following == "than":
            return None
        first, head, number = place - 1, "another", stated
    elif word == "one":
        while first and passage.tags[first - 1] in ("JJ", "VBN") and place - first < 3:
            first -= 1
        described = first < place and passage.word(first - 1) in ("a", "an", "another")
        too = following in ("too", "also") or passage.lowers[place + 1 : place + 3] in (["as", "well"], [",", "too"])
        if not ((described or passage.word(place - 1) == "another") and ends and following != "of") and not too:
            return None
        first -= described
        if not too:
            head = next((w for w in passage.lowers[first:place] if w in _ORDINALS or w == "another"), "described")
    else:
        if not ends or following in ("of", "one") or (tag in ("RB", "VBN", "VBG", "IN") and word in ("first",)):
            return None
        if word in _ORDINALS:
            first -= 1
            if passage.word(first) != "a" or tag == "CC":
                return None
        elif tag not in FINITE and following not in ("in", "on", "is", "with", "near", "behind", "at"):
            return None
    start, end = passage.tokens.starts[first], passage.tokens.ends[place]
    mention = Mention(passage.text[start:end], start, end, head, None, "singular" if number == 1 else "plural", number)
    return Phrase(mention, first, place, "a", "", False, True, stands=True)
