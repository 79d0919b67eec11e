"""Which noun groups of a text name something new, and which come back to what was named before."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

from anamorph.model.reading import Mention
from anamorph.reading.mentions.finding import NOUNS, Phrase
from anamorph.reading.mentions.intervals import GATHERINGS, ONE, PERSON, SEVERAL, Interval, Intervals
from anamorph.reading.mentions.passage import BE, DEFINITE, FINITE, LED, POSSESSIVE, Passage
from anamorph.reading.mentions.stand_ins import DESCRIBED, MORE, ORDINALS, TOO, with_stand_ins
from anamorph.reading.morphology import PAIRED
from anamorph.reading.quantity import COLLECTIVES, number_of
from anamorph.reading.tagging.lexicon import weights_of
from anamorph.reading.wordlists import word_list, word_order, word_table

_ADDING, _PARTIAL = word_list("again", "adding"), word_list("again", "partial")
_MALE, _FEMALE = word_list("again", "male"), word_list("again", "female")
_YOUNG, _GROWN = word_list("again", "young"), word_list("again", "grown")
_ANYONE, _CROWDS = word_list("again", "anyone"), word_list("again", "crowds")
_FAMILIES, _SPOUSES = word_list("again", "families"), word_list("again", "spouses")
_PARENTS = word_list("mentions", "parents")
# Roles that one person may have at once, and roles that bring in someone new: "the driver" of a bus.
_CIRCLES = tuple(frozenset(row.split()) for row in " ".join(word_order("again", "circles")).split(" / "))
_BRIDGING = word_list("again", "bridging")
_PARTS = word_list("again", "parts_of_total")
_YOUNG_OF: dict[str, str] = word_table("again", "young_of")
_FLEETING, _GENUINE = word_list("claims", "fleeting"), word_list("claims", "genuine")
_SUMS, _PEOPLE = word_list("again", "sums"), word_list("again", "people")
_SIDES = word_list("again", "sides")
_PRONOUNS = word_list("again", "pronouns")
_RELATIVES = _YOUNG | _MALE | _FEMALE | word_list("again", "relatives")
_MEMBERS = _RELATIVES | {"adult", "child", "kid", "baby", "toddler", "infant", "father", "mother", "parent"}
_PETS, _LIVELY = word_list("again", "pets"), word_list("again", "lively")
_OWNING, _TOO_YOUNG = word_list("again", "owning"), word_list("again", "too_young")
_REST, _FOLDS, _SET_APART = word_list("again", "rest"), word_list("again", "folds"), word_list("again", "set_apart")
_BREAKS = frozenset((",", "and", "but", "while", "with"))
# A train is pulled by one of these.
_PULLING, _PULLED = frozenset(("locomotive", "locomotives")), frozenset(("with", "by", "behind"))
_COLONS = frozenset((":", "\u2014", "\u2013", "("))
_FAMILY_MEMBERS = word_list("mentions", "kin") - {"twin"}
_OF_THEM = (["of", "them"], ["of", "which"], ["of", "whom"], ["of", "these"], ["of", "those"])
_WITH_OTHERS = word_list("again", "with_others")
_TIES = BE | {",", "as", "or", "of"}
# How many things back a text may refer.
_BACK = 12
# How many words behind a noun may say that it is apart from the rest.
_FAR = 14


def count_mentions(passage: Passage) -> tuple[Mention, ...]:
    """The mentions of a passage, each with how many it says there are and whether it comes back to an earlier one."""
    _adopt(passage)
    counter = _Counter(passage)
    for phrase in with_stand_ins(passage):
        counter.add(phrase)
    counter.leave_open_for_others()
    return tuple(counter.mentions)


def _adopt(passage: Passage) -> None:
    """Label cubs and calves with the animal that the text names."""
    young = [phrase for phrase in passage.phrases if passage.lowers[phrase.last] in _YOUNG_OF]
    if not young:
        return
    named = {p.mention.label for p in passage.phrases if passage.lowers[p.last] not in _YOUNG_OF}
    for phrase in young:
        label = next((label for label in _YOUNG_OF[passage.lowers[phrase.last]].split() if label in named), None)
        if label is not None:
            phrase.mention = replace(phrase.mention, label=label, may_be=())
            phrase.kin = False


@dataclass(slots=True, eq=False)
class _Thing:
    """Something that the text has named, and how many of it there are."""

    place: int  # its mention
    phrase: Phrase
    head: str
    least: int
    most: int | None
    claimed: bool
    parted: bool = False  # "one of them" has been set apart

    @property
    def many(self) -> bool:
        return self.most is None or self.most > 1


class _Counter:
    """One pass over the noun groups of a text: the things that it has named so far, by class."""

    __slots__ = ("families", "intervals", "latest", "mentions", "passage", "severals", "things", "totals")

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.intervals = Intervals(passage)
        self.mentions: list[Mention] = []
        self.things: dict[str, list[_Thing]] = {}
        self.latest: dict[str, Phrase] = {}  # the last noun group of each class
        self.totals: dict[str, int] = {}  # how many of each class there are at least
        self.families = any(phrase.collective == "family" for phrase in passage.phrases)
        self.severals: set[str] = set()  # the classes that have been named in the plural

    def add(self, phrase: Phrase) -> None:
        label = self.label_of(phrase)
        if label is None and phrase.stands:
            return
        if label is not None and label != phrase.mention.label:
            phrase.mention = replace(phrase.mention, label=label, may_be=())
        mention = phrase.mention
        interval = self.intervals.of(phrase)
        if label is None:
            self.tell(mention, interval, phrase.unclaimed, mention.again)
        elif interval == (0, 0):
            self.tell(replace(mention, count=0), interval, phrase.unclaimed, False)
        else:
            self.add_thing(phrase, label, self.intervals.spread(phrase, interval))

    def add_thing(self, phrase: Phrase, label: str, interval: Interval) -> None:
        thing = self.same(phrase, label, interval) if label in self.things else None
        unclaimed = phrase.unclaimed
        if thing is not None and not thing.claimed:
            unclaimed = thing.phrase.unclaimed  # "the dog in the photo"
        elif thing is None:
            if self.families and not unclaimed:
                self.resolve_family(label, interval, phrase)
            if not unclaimed and interval[0] < 2 and self.implies_more(phrase):
                interval = SEVERAL  # "one of the dogs", "each dog", of which nothing was said
            if unclaimed not in _FLEETING:
                self.remember(phrase, label, interval, claimed=not unclaimed)
        self.latest[label] = phrase
        self.tell(phrase.mention, interval, unclaimed, thing is not None and thing.claimed)

    def leave_open_for_others(self) -> None:
        """ "A man stands with others": there are more people, and nobody says how many."""
        lowers = self.passage.lowers
        places = [at for at, word in enumerate(lowers) if word == "others" and at and lowers[at - 1] in _WITH_OTHERS]
        for thing in self.things.get(PERSON, ()) if places else ():
            if thing.claimed and thing.phrase.last < places[-1]:
                self.put(thing, (thing.least, None))
                return

    def resolve_family(self, label: str, interval: Interval, phrase: Phrase) -> None:
        """ "A family of elephants. Two adults ... and a baby": whom the text names are the family."""
        start = self.passage.sentence_start(phrase.last)
        for thing in self.things.get(label, ())[:3]:
            if thing.claimed and thing.phrase.collective == "family" and thing.phrase.last < start:
                self.put(thing, (max(0, thing.least - interval[0]), 0 if thing.least <= interval[0] else None))

    def remember(self, phrase: Phrase, label: str, interval: Interval, claimed: bool) -> None:
        least, most = interval
        head = _last_word(phrase.mention.head)
        thing = _Thing(len(self.mentions), phrase, head, least, most, claimed)
        known = self.things.setdefault(label, [])
        known.append(thing)
        if len(known) > 2 * _BACK:
            del known[:-_BACK]
        if claimed:
            self.totals[label] = self.totals.get(label, 0) + least
            if thing.many:
                self.severals.add(label)

    def tell(self, mention: Mention, interval: Interval, unclaimed: str, again: bool) -> None:
        """Put a mention down with what the text says of it; made anew, because `replace` takes twice as long."""
        least, most = interval
        if mention.least == least and mention.most == most and mention.again == again and not unclaimed:
            self.mentions.append(mention)
            return
        text, start, end, head = mention.text, mention.start, mention.end, mention.head
        number, count, may_be = mention.number, mention.count, mention.may_be
        self.mentions.append(
            Mention(text, start, end, head, mention.label, number, count, again, least, most, unclaimed, may_be)
        )

    # --- labels that other groups give --------------------------------------------------------------------------------

    def label_of(self, phrase: Phrase) -> str | None:
        """The label of a noun group; a mother or baby has that of the animal, a stand-in that of what it stands for."""
        if phrase.stands:
            return self.stood_for(phrase)
        if phrase.kin:
            return self.animal_near(phrase)
        label = phrase.mention.label
        if label is not None and label == phrase.mention.head and label not in self.things:
            return self.shortened(phrase, label)
        return label

    def shortened(self, phrase: Phrase, label: str) -> str:
        """The class that the last word of its name comes back to: "a teddy bear ... the bear is missing an eye"."""
        passage = self.passage
        full = next((known for known in self.things if known.endswith(label) and known.endswith(" " + label)), None)
        there = self.recent(full) if full is not None else []
        if full is None or not there:
            return label
        first = passage.lowers[phrase.first]
        if label in _PETS:
            # "His dog" and "the dog begs" are of a real one.
            known = first in DEFINITE or first in ("its", "each", "every")
            earlier = there[-1].phrase.last < passage.sentence_start(phrase.last)
            lively = not _LIVELY.isdisjoint(passage.lowers[phrase.last + 1 : phrase.last + 4])
            return full if known and earlier and not lively else label
        one_of_them = first == "one" and there[-1].many
        led = phrase.determiner not in ("", "a", "an") or phrase.other
        return full if led or one_of_them else label

    def stood_for(self, phrase: Phrase) -> str | None:
        """The class that "another" or "a third one" is one more of."""
        head = phrase.mention.head
        lasts = [(things[-1].place, label) for label, things in self.things.items() if things[-1].claimed]
        labels = [label for _, label in sorted(lasts, reverse=True)[:_BACK]]
        if head in ORDINALS:
            return next((label for label in labels if self.totals[label] == ORDINALS[head] - 1), None)
        if head == MORE and (
            self.passage.tag(phrase.last + 1) in FINITE or self.passage.tag(phrase.first - 1) in ("CC", ",", "")
        ):
            # As a subject, it is like the subject of the clause before.
            start = self.passage.sentence_start(phrase.last)
            recent = [(t.place, label) for label in labels for t in self.recent(label) if t.phrase.last >= start]
            if recent:
                return min(recent)[1]
        for label in labels:
            people = label == PERSON and head in (TOO, DESCRIBED)
            if not people and (head != TOO or self.things[label][-1].phrase.determiner in ("a", "an", *POSSESSIVE)):
                return label
        return None

    def animal_near(self, phrase: Phrase) -> str | None:
        """The class of the animal that a mother or a baby belongs to."""
        phrases = self.passage.phrases
        number = bisect_left(self.passage.heads, phrase.last)
        for near in (number + 1, number - 1, number + 2, number - 2, number - 3, number - 4):
            if 0 <= near < len(phrases):
                label = phrases[near].mention.label
                if label not in (None, PERSON) and not phrases[near].kin and phrases[near].lives:
                    return label
        return None

    # --- which one it is ----------------------------------------------------------------------------------------------

    def recent(self, label: str) -> list[_Thing]:
        """The last things of a class that are there."""
        return [thing for thing in self.things[label][-_BACK:] if thing.claimed]

    def same(self, phrase: Phrase, label: str, interval: Interval) -> _Thing | None:
        """What a noun group comes back to; None if it names something new."""
        passage = self.passage
        if phrase.mention.head.rpartition(" ")[2] in _PULLING and passage.word(phrase.first - 1) in _PULLED:
            there = self.recent(label)
            return there[-1] if there else None  # "a train with an orange locomotive"
        lone = phrase.last - phrase.first == 1 and phrase.determiner in ("a", "an") and label not in self.severals
        if lone and not phrase.stands and passage.word(phrase.first - 1) not in _TIES:
            return None  # "a dog": the most common by far
        family = self.family_of(phrase, label, interval)
        if family is not None:
            return self.part(family)
        words = passage.lowers[phrase.first : phrase.last + 1]
        if phrase.unclaimed or not _GENUINE.isdisjoint(words):
            return None
        first = words[0]
        adding = not _ADDING.isdisjoint(words)
        upto = phrase.first - (passage.word(phrase.first - 1) == ",")
        if passage.lowers[max(0, upto - 2) : upto] in _OF_THEM:  # "two buses, one of them a long one"
            return self.part(next((t for t in reversed(self.recent(label)) if t.many), None))
        plain = first in ("a", "an") and not adding and not phrase.stands
        if plain and label not in self.severals and passage.word(phrase.first - 1) not in _TIES:
            return None
        there = self.recent(label)
        if phrase.stands:
            return self.same_as_stand_in(phrase, label, there)
        if adding:
            return self.same_as_other(words, interval, label, there)
        if self.is_partitive(phrase):
            return self.part(next((t for t in reversed(there) if t.many), there[-1] if there else None))
        if first == "one" and len(words) <= 4:
            whole = next((t for t in reversed(there) if t.many and self.fits(phrase, t)), None)
            if whole is not None:
                return self.part(whole)
        total = (
            self.total(phrase, label, there) or self.herd(phrase, label, there) or self.left_out(phrase, label, there)
        )
        if total is not None:
            return total
        if (
            self.families
            and not _FAMILY_MEMBERS.isdisjoint(words[:-1])
            and any(t.phrase.collective == "family" for t in there)
        ):
            return None  # "a family of ducks ... the mother duck"
        if phrase.mention.head == "owner" and (owner := self.owner(phrase, there)) is not None:
            return owner
        if first in DEFINITE or first in ("both", "each", "every", "all") or self.shares_article(phrase):
            found = self.antecedent(phrase, label, interval)
            # "A cyclist is followed by two others ... the three riders"
            sums_up = found is None and first in DEFINITE and len(there) > 1 and interval[0] == interval[1]
            return self.restated(there, interval) if sums_up else found
        if self.is_aside(phrase, label):
            return there[-1] if there else None
        if there and self.is_predicate(phrase, label, there[-1]):
            return there[-1]
        if first in POSSESSIVE or passage.tag(phrase.first - 1) == "POS":
            if label == PERSON:
                # "Her husband" is one of the couple, and all relatives are of the family.
                spouse = phrase.mention.head in _SPOUSES
                return next((t for t in there if t.head in _FAMILIES or (spouse and t.head == "couple")), None)
            if phrase.kin or phrase.mention.head in _RELATIVES:
                return self.parent(phrase, there)
            return self.antecedent(phrase, label, interval)
        if self.restates(phrase):
            return self.restated(there, interval)
        return self.vague_again(phrase, interval, there)

    def family_of(self, phrase: Phrase, label: str, interval: Interval) -> _Thing | None:
        """The "family of four" that "the father" and "two children" are of."""
        if label != PERSON or phrase.mention.head not in _MEMBERS or phrase.unclaimed:
            return None
        exact = (thing for thing in self.recent(label) if thing.head in _FAMILIES and thing.least == thing.most)
        return next((thing for thing in exact if interval[0] < thing.least), None)

    def parent(self, phrase: Phrase, there: list[_Thing]) -> _Thing | None:
        """The dog of "a dog and her puppies ... like their mother"."""
        if phrase.mention.head not in _PARENTS:
            return None
        grown = [thing for thing in there if not thing.many and not self.is_young(thing.phrase)]
        young = any(self.is_young(thing.phrase) for thing in there)
        return grown[0] if young and len(grown) == 1 else None

    def shares_article(self, phrase: Phrase) -> bool:
        """ "The car and truck": the article goes for both."""
        passage = self.passage
        if phrase.determiner or passage.word(phrase.first - 1) not in ("and", "or"):
            return False
        before = passage.at(phrase.first - 2)
        return before is not None and before.determiner in DEFINITE

    def is_aside(self, phrase: Phrase, label: str) -> bool:
        """ "A dog or a puppy", "his talent as a surfer", "the presence of many cars": no further one."""
        passage = self.passage
        before = passage.word(phrase.first - 1)
        if before == "or":
            return self.latest[label].last == phrase.first - 2
        if before == "as":
            role = label == PERSON and phrase.determiner in ("a", "an")
            return role and passage.tag(phrase.last + 1) not in FINITE
        return before == "of" and passage.word(phrase.first - 2) in _SUMS

    def vague_again(self, phrase: Phrase, interval: Interval, there: list[_Thing]) -> _Thing | None:
        """ "Cars ... several cars ... a car": what is as open as before may be the same."""
        head = _last_word(phrase.mention.head)
        if phrase.collective or interval not in (SEVERAL, ONE):
            return None
        for thing in there:
            if thing.most is None and (thing.head == head or (head in _PEOPLE and interval == SEVERAL)):
                later = thing.phrase.last < self.passage.sentence_start(phrase.last)
                if interval == SEVERAL:
                    thing.phrase = phrase  # its parts may follow: "many people, including a man"
                    return thing
                return thing if later else None
        return None

    def same_as_stand_in(self, phrase: Phrase, label: str, there: list[_Thing]) -> _Thing | None:
        passage, head = self.passage, phrase.mention.head
        if head == MORE and "one" in passage.lowers[passage.sentence_start(phrase.last) : phrase.first]:
            return next((t for t in reversed(there) if t.many), None)  # "one is black, another white"
        if head != DESCRIBED or not there:
            return None
        apart = self.latest[label].last + 2 == phrase.first and passage.lowers[phrase.first - 1] == ","
        return there[-1] if apart else self.total(phrase, label, there)

    def same_as_other(self, words: list[str], interval: Interval, label: str, there: list[_Thing]) -> _Thing | None:
        """ "Another dog" is new; "the other dog" is one of two that were named."""
        if words[0] in ("the", "another") and "more" not in words:
            parted = next((t for t in reversed(there) if t.parted), None)
            if parted is not None:
                return parted
        if there and words[0] == "the" and interval == ONE:
            rank = next((ORDINALS[word] for word in words if word in ORDINALS), 2)
            return there[-1] if self.totals[label] >= rank else None
        return None

    def is_partitive(self, phrase: Phrase) -> bool:
        """ "One of the dogs"; "two of his friends" are new."""
        lowers, first = self.passage.lowers, phrase.first
        words = lowers[first : phrase.last]
        whole = DEFINITE if phrase.mention.label == PERSON else LED
        if "of" in words and (words[0] in _PARTIAL or number_of(words[:1])) and not whole.isdisjoint(words):
            return True
        return first >= 2 and lowers[first - 1] == "of" and lowers[first - 2] in _PARTIAL and lowers[first] in whole

    def implies_more(self, phrase: Phrase) -> bool:
        """ "One of the dogs", "each dog"; not "one of her skis"."""
        if phrase.determiner in ("a", "an") and not phrase.collective:
            return False
        first, last = self.passage.lowers[phrase.first], self.passage.lowers[phrase.last]
        return first in ("each", "every") or (self.is_partitive(phrase) and last not in PAIRED)

    @staticmethod
    def part(whole: _Thing | None) -> _Thing | None:
        if whole is not None:
            whole.parted = True
        return whole

    def herd(self, phrase: Phrase, label: str, there: list[_Thing]) -> _Thing | None:
        """The herd that a young animal belongs to."""
        word = self.passage.lowers[phrase.last]
        if label == PERSON or not (phrase.kin or phrase.mention.head in _YOUNG or word in _YOUNG_OF):
            return None
        for thing in there:
            before = self.passage.lowers[max(0, thing.phrase.first - 5) : thing.phrase.last]
            if thing.most is None and "family" not in before and not COLLECTIVES.keys().isdisjoint(before):
                return thing
        return None

    def left_out(self, phrase: Phrase, label: str, there: list[_Thing]) -> _Thing | None:
        """The several that one is apart from: "Horses graze. A mare stands apart from the rest of the herd"."""
        passage = self.passage
        if phrase.plural or phrase.determiner not in ("a", "an") or label not in self.severals:
            return None
        end = min(passage.sentence_end(phrase.last), phrase.last + _FAR)
        if not any(self.says_rest(at, label) for at in range(phrase.last + 1, end) if passage.lowers[at] == "the"):
            return None
        head = _last_word(phrase.mention.head)
        for thing in reversed(there):
            if thing.many and self.fits(phrase, thing):
                opposite = (head in _MALE and thing.head in _FEMALE) or (head in _FEMALE and thing.head in _MALE)
                return None if opposite else self.part(thing)
        return None

    def says_rest(self, place: int, label: str) -> bool:
        """Whether "the" begins "the rest of the herd", "the others", "the other horses", or "the herd" after "from"."""
        passage = self.passage
        following = passage.word(place + 1)
        if following == "other":
            others = passage.after(place + 2)
            return others is not None and others.first == place and others.plural and others.mention.label == label
        if following in _FOLDS:
            return passage.word(place - 1) in _SET_APART and passage.word(place + 2) != "of"
        if following not in _REST:
            return False
        if passage.word(place + 2) != "of":
            return True
        whole = passage.after(place + 3)
        return whole is not None and (whole.mention.label == label or passage.lowers[whole.last] in _FOLDS)

    def owner(self, phrase: Phrase, there: list[_Thing]) -> _Thing | None:
        """The one person of a text who may be the owner: "a man with a beagle ... its owner is grinning"."""
        passage = self.passage
        if not there or any(tag in NOUNS for tag in passage.tags[phrase.first : phrase.last]):
            return None  # "the shop owner"
        person = there[-1]
        if passage.lowers[person.phrase.last + 1 : phrase.first] == [","] and passage.word(phrase.last + 1) == ",":
            return person  # "a man, its owner, holds the leash"
        if len(there) != 1 or person.many != phrase.plural or person.head in _TOO_YOUNG:
            return None
        if person.head not in _ANYONE and person.head not in _OWNING:
            return None
        if phrase.determiner == "the" and len(self.things) < 2:
            return None  # "A man eats in a restaurant. The owner greets him"
        if person.phrase.last < passage.sentence_start(phrase.last):
            return person
        between = passage.between(person.phrase.last + 1, phrase.first)
        return person if any(each.determiner in ("his", "her") for each in between) else None

    def restates(self, phrase: Phrase) -> bool:
        """ "There are nine elephants in the picture", after "a herd of elephants"."""
        passage = self.passage
        start = passage.sentence_start(phrase.last)
        if "total" in passage.lowers[max(start, phrase.first - 2) : phrase.last]:
            return True  # ", making a total of four people"
        return passage.lowers[start : start + 2] == ["there", "are"] and phrase.last - start <= 9

    def restated(self, there: list[_Thing], interval: Interval) -> _Thing | None:
        """The open group that a total closes, or the last of several things that a total sums up."""
        least = interval[0]
        if len(there) == 1 and there[0].most is None and least >= max(2, there[0].least):
            self.put(there[0], interval)
            return there[0]
        return (
            there[-1]
            if len(there) > 1 and interval == (least, least) and least == sum(t.least for t in there)
            else None
        )

    def put(self, thing: _Thing, interval: Interval) -> None:
        """Say anew how many a thing is."""
        mention = self.mentions[thing.place]
        if mention.label is not None:
            self.totals[mention.label] += interval[0] - thing.least
        thing.least, thing.most = interval
        self.mentions[thing.place] = replace(mention, least=thing.least, most=thing.most)

    def antecedent(self, phrase: Phrase, label: str, interval: Interval) -> _Thing | None:
        """The thing that "the dog" means: the latest that fits."""
        head = _last_word(phrase.mention.head)
        known = [thing for thing in self.things[label][-_BACK:] if thing.claimed or thing.head == head]
        fitting = [thing for thing in known if self.fits(phrase, thing)]
        there = [thing for thing in fitting if thing.claimed]
        if interval[1] != 1 and there:
            enough = any(thing.most is None for thing in there) or sum(t.least for t in there) >= interval[0]
            fitting = there if enough else []
        return next((t for t in reversed(fitting) if t.head == head), fitting[-1] if fitting else None)

    def fits(self, phrase: Phrase, thing: _Thing) -> bool:
        """Whether a noun group may name a thing of its class that was named before."""
        head, other = _last_word(phrase.mention.head), thing.head
        if not thing.many and not phrase.plural:
            side, known = self.side(phrase), self.side(thing.phrase)
            if side and known and side != known:
                return False  # "the train on the left", "the train on the right"
            if self.contrasts(phrase, thing.phrase):
                return False
        if head == other:
            return True
        if phrase.mention.label == PERSON:
            return _may_be(head, other, thing.many)
        young = self.is_young(phrase)
        return thing.many or (phrase.plural and not young) or young == self.is_young(thing.phrase)

    def contrasts(self, phrase: Phrase, other: Phrase) -> bool:
        """ "The smaller giraffe is next to the larger giraffe"."""
        lowers = self.passage.lowers
        if phrase.determiner not in DEFINITE or other.determiner not in DEFINITE:
            return False
        if other.last < self.passage.sentence_start(phrase.last):
            return False
        mine, others = lowers[phrase.first + 1 : phrase.last], lowers[other.first + 1 : other.last]
        return bool(mine and others) and frozenset(mine).isdisjoint(others)

    def is_young(self, phrase: Phrase) -> bool:
        words = self.passage.lowers[phrase.first : phrase.last + 1]
        return "baby" in words or phrase.mention.head in _YOUNG or not _YOUNG.isdisjoint(words)

    def side(self, phrase: Phrase) -> str:
        """Where a thing is said to be: "on the left"."""
        passage, last = self.passage, phrase.last
        if passage.tag(last + 1) != "IN" or passage.word(last + 2) != "the":
            return ""
        return next((word for word in passage.lowers[last + 3 : last + 5] if word in _SIDES), "")

    def total(self, phrase: Phrase, label: str, there: list[_Thing]) -> _Thing | None:
        """The total that a noun group is a part of: "four people, two adults and two children"."""
        passage = self.passage
        if label not in self.severals:
            return None
        start, pair = passage.sentence_start(phrase.last), self.apposed(phrase)
        for thing in reversed(there):
            if thing.phrase.last < start:
                break
            gap = passage.lowers[thing.phrase.last + 1 : phrase.first]
            if not thing.many or not gap:
                continue
            if pair and thing.phrase.last < pair[0].first and self.is_pair(thing, pair, label):
                return thing
            explicit = not _COLONS.isdisjoint(gap) or not _PARTS.isdisjoint(gap)
            linked = explicit or gap[0] == ","
            if linked and (phrase.stands or self.adds_up(thing, phrase, label, explicit)):
                return thing
        return None

    def apposed(self, phrase: Phrase) -> tuple[Phrase, Phrase] | None:
        """Two that stand between commas before a verb: ", a father and his son, look up"."""
        passage = self.passage
        before = passage.word(phrase.first - 1)
        one: Phrase | None = phrase
        if before == ",":
            two = passage.after(phrase.last + 1)
        elif before == "and":
            one, two = passage.at(phrase.first - 2), phrase
        else:
            return None
        if one is None or two is None or passage.word(one.first - 1) != "," or two.first != one.last + 2:
            return None
        if passage.word(one.last + 1) != "and" or passage.word(two.last + 1) != ",":
            return None
        # After a comma, the tagger takes "watch" for a noun.
        verb = passage.word(two.last + 2)
        return (one, two) if passage.tag(two.last + 2) in FINITE or (verb and weights_of(verb).verb > 1) else None

    def is_pair(self, thing: _Thing, pair: tuple[Phrase, Phrase], label: str) -> bool:
        """Whether two that are named between commas are the several before them, of whom nothing else is said."""
        if any(self.label_of(each) != label for each in pair):
            return False
        if any(tag in FINITE for tag in self.passage.tags[thing.phrase.last : pair[0].first]):
            return False
        least = sum(self.intervals.of(each)[0] for each in pair)
        if thing.most is None and thing.least <= least:
            self.put(thing, (least, least))
        return thing.most == least

    def adds_up(self, thing: _Thing, phrase: Phrase, label: str, explicit: bool) -> bool:
        """Whether the noun groups of a class that follow a total are its parts; one that is open has at least these."""
        if thing.most != thing.least and not (explicit and thing.most is None):
            return False
        passage = self.passage
        reached: Phrase | None = None
        total = 0
        for part in passage.between(thing.phrase.last + 1, passage.sentence_end(phrase.last)):
            if self.label_of(part) != label:
                continue
            total += self.intervals.of(part)[0]
            if total == thing.least and reached is None:
                reached = part
            # A long list is not read to its end for each of its parts.
            if total > thing.least and thing.most is not None:
                return reached is not None and reached.last >= phrase.last
        if thing.most is None:
            if total >= thing.least:
                family = passage.lowers[thing.phrase.last] == "family" and label != PERSON
                self.put(thing, (total, total if family else None))
            return True
        return explicit or (reached is not None and reached.last >= phrase.last)

    def is_predicate(self, phrase: Phrase, label: str, thing: _Thing) -> bool:
        """ "The dog is a beagle", "the dog, a beagle, lies": the same under another name."""
        if phrase.determiner not in ("a", "an", *POSSESSIVE):
            return False
        passage, other = self.passage, self.latest[label]
        start, before = passage.sentence_start(phrase.last), passage.word(phrase.first - 1)
        if before in BE and passage.word(phrase.first - 2) != "there":
            clause = passage.clause_start(phrase.first)
            if not passage.between(clause, phrase.first):
                return not _PRONOUNS.isdisjoint(passage.lowers[clause : phrase.first])  # "one is a poodle"
        if before == "," and passage.word(phrase.first - 3) == "the" and passage.word(phrase.first - 2).endswith("est"):
            return True  # "the smallest, a calf"
        if phrase.determiner in POSSESSIVE or other.plural != phrase.plural or start > other.last:
            return False
        if not self.fits(phrase, thing):
            return False
        gap = slice(other.last + 1, phrase.first)
        if before in BE:
            verbs = sum(tag in FINITE for tag in passage.tags[gap])
            return verbs == 1 and _BREAKS.isdisjoint(passage.lowers[gap])
        if passage.lowers[gap] != [","]:
            return False
        apart = passage.word(phrase.last + 1) in (",", "(")
        led = other.determiner in LED or passage.tag(other.first - 1) == "POS"
        return led or (apart and passage.word(phrase.last + 2) not in ("and", "a", "an", "two"))


def _may_be(head: str, other: str, many: bool) -> bool:
    """Whether a word for a person may mean someone, or one of several, who was named by another word."""
    if head in _CROWDS and other in _CROWDS:
        return True
    if many:
        if other in _YOUNG and head not in _YOUNG and (head in _GROWN or head not in _ANYONE):
            return False
        return head in _ANYONE or other in _ANYONE or other in GATHERINGS or _share_role(head, other)
    for one, opposite in ((_MALE, _FEMALE), (_YOUNG, _GROWN)):
        if (head in one and other in opposite) or (head in opposite and other in one):
            return False
    if head in _CROWDS or other in _CROWDS or head in _BRIDGING:
        return False
    return head in _ANYONE or other in _ANYONE or _share_role(head, other)


def _share_role(head: str, other: str) -> bool:
    return any(head in circle and other in circle for circle in _CIRCLES)


def _last_word(head: str) -> str:
    return head.rpartition(" ")[2]
