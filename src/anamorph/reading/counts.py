"""How many a caption says there are: a noun group names something new, comes back to what was named, or may do both."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from anamorph.model.reading import GrammaticalNumber, Mention
from anamorph.reading.cues import tables, words
from anamorph.reading.groups import ORDINALS, Item, Parse
from anamorph.reading.morphology import PAIRED
from anamorph.reading.quantity import COLLECTIVES, KINDS, MASSES, number_of

Interval: TypeAlias = tuple[int, int | None]

ONE: Interval = (1, 1)
SOME: Interval = (1, None)
SEVERAL: Interval = (2, None)
PERSON = "person"
# How many things back a text may refer.
_BACK = 12
_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_NOUN = frozenset(("NN", "NNS", "NNP", "NNPS"))


def _set(table: str) -> frozenset[str]:
    return words("again", table, "words")


def _people(table: str) -> frozenset[str]:
    return words("people", table, "words")


_ADDING, _TIES, _BE, _PRONOUNS = _set("adding"), _set("tie"), _set("be"), _set("pronoun")
_PARTIAL, _PARTS, _SUMS, _SIDES = _set("partial"), _set("parts"), _set("sum"), _set("side")
_COMPANY, _GATHERINGS, _PAIRS = _set("company"), _set("gathering"), _set("pair")
_PAIR_OF, _MASS, _WHOLE, _MEASURES = _set("pair_of"), _set("mass"), _set("whole"), _set("measure")
_BOTH_SIDES, _AGES = _set("both_sides"), _set("age")
_PETS, _LIVELY = _set("pet"), _set("lively")
_MALE, _FEMALE, _YOUNG, _GROWN = _people("male"), _people("female"), _people("young"), _people("grown")
_ANYONE, _CROWDS, _ROLES = _people("anyone"), _people("crowd"), _people("role")
_FAMILIES, _RELATIVES, _SPOUSES = _people("family"), _people("relative"), _people("spouse")
_CIRCLES = tuple(frozenset(row["words"].split()) for row in tables("people")["circle"])
_YOUNG_OF: dict[str, list[str]] = {}
for _row in tables("people")["young_of"]:
    for _word in _row["words"].split():
        _YOUNG_OF.setdefault(_word, []).append(_row["class"])
_DEFINITE = words("words", "definite", "words") | words("words", "every", "words")
_POSSESSIVE, _AND = words("words", "possessive", "words"), words("words", "and", "words")
_ARTICLES, _OF, _OR = words("words", "article", "words"), words("words", "of", "words"), words("words", "or", "words")
_EACH = words("words", "each", "words")
_THEM, _EVERY, _LED_OTHER = _set("them"), _set("of_each"), _set("led_other")
_JOINTS, _BREAKS, _STANDS = _set("joint"), _set("break"), _set("stand_in")
_RIDDEN, _DRAWN = _set("ridden"), _set("drawn")
_PULLING, _PULLED = _set("pulling"), _set("pulled")
_DRAWN_BY = tuple(f"-{word}" for word in sorted(_DRAWN))
_WORD: dict[str, str] = {row["name"]: row["word"] for row in tables("again")["word"]}
_THE, _ONE, _ONES, _AS, _MORE = (_WORD[name] for name in ("the", "one", "ones", "as", "more"))
_OTHER, _OTHERS, _THERE, _ARE, _TOTAL = (_WORD[name] for name in ("other", "others", "there", "are", "total"))
_THEIR, _COUPLE, _OWNER = (_WORD[name] for name in ("their", "couple", "owner"))
_ITS, _WITH, _SEEN = _set("its"), _WORD["with"], _set("seen")
_THERE_ARE = [_THERE, _ARE]
_DESCRIBED, _STOOD_FOR = "described", "another"  # how stand-ins are told apart, and what their mentions are called
_STOP = frozenset((".", ",", ";", ":", ")", ""))
_LISTS = _set("list")
# What a text cannot come back to.
_LEADS = _set("while") | {",", "."}
_FLEETING = frozenset(("owner", "guess", "text", "name", "heading"))
_YEAR = 1000
_LIST = re.compile(r":\s*\n\s*")


def counted(parse: Parse) -> tuple[Mention, ...]:
    """The mentions of a text, each with how many it says there are and whether it comes back to an earlier one."""
    counter = _Counter(parse)
    for item in counter.items:
        counter.take(item)
    counter.leave_open()
    return tuple(counter.mentions)


@dataclass(slots=True, eq=False)
class _Thing:
    """Something that the text has named, and how many of it there are."""

    place: int  # its mention
    item: Item
    head: str
    least: int
    most: int | None
    claimed: bool
    parted: bool = False  # "one of them" has been set apart

    @property
    def many(self) -> bool:
        return self.most is None or self.most > 1


# What a rule may say besides the thing that a group comes back to.
_NEW, _UNSURE = "new", "unsure"
_Verdict: TypeAlias = "_Thing | str | None"


class _Counter:
    """One pass over the noun groups of a text: the things that it has named so far, by class."""

    def __init__(self, parse: Parse) -> None:
        self.parse, self.lowers, self.tags = parse, parse.lowers, parse.tags
        self.items = _with_stand_ins(parse)
        self.lasts = [item.last for item in self.items]
        self.shared = not _EACH.isdisjoint(parse.lowers)
        self.mentions: list[Mention] = []
        self.now = ""  # the class of the group that is read
        self.latest: dict[str, Item] = {}  # the last noun group of each class
        self.things: dict[str, list[_Thing]] = {}
        self.word, self.tag, self.sentence = parse.word, parse.tag, parse.sentence
        self.adopt()

    def take(self, item: Item) -> None:
        label = self.label_of(item)
        if label is None and item.head is None:
            return
        interval = self.spread(item, self.how_many(item))
        if label is None:
            self.tell(item, None, interval, again=item.phrase is not None and item.phrase.mention.again)
        elif item.denied or interval == (0, 0):
            self.tell(item, label, (0, 0))
        else:
            self.name(item, label, interval)

    def name(self, item: Item, label: str, interval: Interval) -> None:
        verdict = self.same(item, label, interval) if label in self.things else None
        if verdict is None and label in self.things:
            interval = self.remaining(item, label, interval)
        self.latest[label] = item
        if isinstance(verdict, _Thing):
            item.unclaimed = item.unclaimed or verdict.item.unclaimed  # "the dog in the photo"
            self.tell(item, label, interval, again=verdict.claimed)
            return
        if verdict is None and interval[0] < 2 and not item.unclaimed and self.implies_more(item):
            # "Each boat"; "one of the dogs", of which nothing was said
            interval = SEVERAL if self.lowers[item.first] in _EVERY else SOME
        if (
            verdict is None
            and item.head is not None
            and any(thing.most is None for thing in self.things.get(label, ()))
        ):
            verdict = self.of_an_open_group(item, label)
        least = 0 if verdict == _UNSURE else interval[0]
        known = self.things.setdefault(label, [])
        if item.unclaimed not in _FLEETING:
            head = (item.head or "").rpartition(" ")[2]
            known.append(_Thing(len(self.mentions), item, head, least, interval[1], not item.unclaimed))
            del known[: -2 * _BACK]
        self.tell(item, label, (least, interval[1]))

    def remaining(self, item: Item, label: str, interval: Interval) -> Interval:
        """Those that "there are two benches visible" adds to a bench that was named before."""
        start = self.sentence(item.last)[0]
        there, (least, most) = self.recent(label), interval
        known = sum(thing.least for thing in there)
        led = item.kind == "number" and item.last - start <= 9 and self.lowers[start : item.last].count(_ARE)
        led = led and _THERE in self.lowers[start : item.last] and _ADDING.isdisjoint(self.said(item))
        if not led or not there or least != most or there[-1].item.last >= start or any(t.most is None for t in there):
            return interval
        all_ = not _SEEN.isdisjoint(self.lowers[item.last + 1 : item.last + 5])
        rest = max(0, least - known)
        return rest, rest if all_ and least >= known else most

    def of_an_open_group(self, item: Item, label: str) -> str | None:
        """Unsure, if a group whose number is open may hold it: "tourists ... one woman"."""
        held = any(thing.most is None for thing in self.recent(label))
        return _UNSURE if held and not item.unclaimed else None

    def tell(self, item: Item, label: str | None, interval: Interval, again: bool = False) -> None:
        """Put a mention down with what the text says of it."""
        starts, ends = self.parse.tokens.starts, self.parse.tokens.ends
        start, end = (item.start, item.end) if item.head else (starts[item.first], ends[item.last])
        count = interval[0] if item.kind in ("number", "none") and interval[0] == interval[1] else None
        count = 0 if interval == (0, 0) else count
        number: GrammaticalNumber = item.number
        if interval == (0, 1):
            number = "unknown"
        may_be = item.may_be if label == item.label else ()
        self.mentions.append(
            Mention(
                self.parse.text[start:end],
                start,
                end,
                item.head or _STOOD_FOR,
                label,
                number,
                count,
                again,
                *interval,
                item.unclaimed,
                may_be,
            )
        )

    def leave_open(self) -> None:
        """ "A man stands with others": there are more people, and nobody says how many."""
        places = [
            at
            for at, word in enumerate(self.lowers)
            if word == _OTHERS and at and (self.lowers[at - 1] in _COMPANY or self.word(at - 1) in _LEADS)
        ]
        for thing in self.things.get(PERSON, ()) if places else ():
            if thing.claimed and thing.item.last < places[-1]:
                self.put(thing, (thing.least, None))
                return

    def put(self, thing: _Thing, interval: Interval) -> None:
        """Say anew how many a thing is."""
        thing.least, thing.most = interval
        mention = self.mentions[thing.place]
        count = interval[0] if mention.count is not None and interval[0] == interval[1] else mention.count
        self.mentions[thing.place] = replace(mention, least=thing.least, most=thing.most, count=count)

    def within(self, low: int, high: int) -> list[Item]:
        """The groups whose last word stands from `low` up to, not with, `high`."""
        return self.items[bisect_left(self.lasts, low) : bisect_left(self.lasts, high)]

    def said(self, item: Item) -> list[str]:
        return self.lowers[item.first : item.last + 1]

    # --- how many ----------------------------------------------------------------------------------------------------

    def how_many(self, item: Item) -> Interval:
        """How many a noun group says there are, by itself."""
        word = self.lowers[item.noun]
        if item.of is not None:
            return item.of, item.of  # "two of the three clocks"
        if item.head is None or item.denied:
            return item.least, item.most
        if item.kind == "none":
            return SEVERAL if not item.whole or self.word(item.last - 2) in _OF else (0, 0)
        if word in PAIRED and not item.single:
            return self.paired(item)
        if word in _PAIRS and item.least <= 2 and (word not in _PAIR_OF or item.determiner in _POSSESSIVE):
            return 2, 2
        if word in _RIDDEN:
            riders = [each for each in self.within(0, item.first)[-_BACK:] if each.label == PERSON]
            return self.how_many(riders[-1]) if riders else SOME
        if word in _GATHERINGS and item.label is not None:
            behind = number_of(self.lowers[item.noun + 2 : item.noun + 3]) if self.word(item.noun + 1) in _OF else None
            return (behind, behind) if behind is not None else SEVERAL  # "a family of four"
        if item.collective in KINDS or (item.collective in MASSES and item.kind not in ("number", "vague")):
            return SEVERAL if item.plural else SOME
        if item.kind in ("number", "vague"):
            return self.stated(item)
        if word.endswith(_DRAWN_BY) or (self.word(item.last + 1) in _DRAWN and item.lives):
            return SOME
        if item.plural:
            return SEVERAL
        if word in _MASS and not (word in _WHOLE and (item.kind != "bare" or not item.first)):
            return self.mass(item)
        return SOME if item.number == "unknown" and item.kind in ("bare", "the") else ONE

    def stated(self, item: Item) -> Interval:
        least, most = item.least, item.most
        groups = item.collective in COLLECTIVES and COLLECTIVES[item.collective] is None
        if groups and number_of([self.lowers[item.first]]) is not None:
            return SEVERAL  # "two groups of people"
        if not _AGES.isdisjoint(self.said(item)[:-1]):
            return SEVERAL if item.plural else ONE  # "a 3 year old girl"
        alone = not item.plural and item.kind == "number" and not item.collective
        if alone and (least > _YEAR or item.determiner in _ARTICLES):
            return ONE  # "a 1967 sedan"
        if not item.plural and item.kind == "number" and not item.of and _NOUN & set(self.tags[item.first : item.noun]):
            return ONE if not item.collective else (least, most)  # "an 18 wheeler truck"
        return SOME if not item.plural and most is None else (least, most)

    def paired(self, item: Item) -> Interval:
        """ "A pair of skis" is one, "two pairs of scissors" are two."""
        if item.kind == "number":
            return item.least, item.most
        if item.determiner in _POSSESSIVE or item.determiner in _ARTICLES or item.kind == "the":
            return SEVERAL if item.determiner == _THEIR or item.collective else ONE
        return SEVERAL if item.collective else SOME

    def mass(self, item: Item) -> Interval:
        """ "Some broccoli" is open, "a piece of luggage" is one, "two slices of pizza" are two."""
        if item.kind == "article" and self.word(item.first - 1) not in _OF:
            return ONE
        of = next((at for at in (item.first - 1, item.last - 1) if self.word(at) in _OF), 0)
        measure = next(iter(self.within(of - 1, of)), None) if of else None
        if measure is None or self.lowers[measure.last] not in _MEASURES:
            return SOME
        if not measure.plural:
            return ONE
        return (measure.least, measure.most) if measure.kind in ("number", "vague") else SEVERAL

    def spread(self, item: Item, interval: Interval) -> Interval:
        """The interval over all that have one: "three hikers, each with a backpack", "a spoon beside each"."""
        if not self.shared or interval != ONE or item.kind not in ("article", "bare"):
            return interval
        start, end = self.sentence(item.last)
        for at in range(item.last + 1, min(end, item.last + 5)):
            if self.lowers[at] in _EACH and self.tags[at - 1] == "IN" and self.word(at + 1) != _OTHER:
                if self.word(at + 1) not in _BOTH_SIDES:
                    return self.times(at)
                return ONE if self.is_listed(item) else (2, 2)
            if self.tags[at] in _FINITE:
                break
        for at in range(item.first - 1, max(start, item.first - 9) - 1, -1):
            if self.lowers[at] in _EACH and self.word(at + 1) not in _BOTH_SIDES:
                return interval if self.word(at + 1) == _OTHER else self.times(at)
            if self.word(at) == "," and (not self.is_listed(item) or self.acts(item)):
                break
        return interval

    def is_listed(self, item: Item) -> bool:
        """Whether a group stands in a list: "a fork and a knife"."""
        return self.word(item.first - 1) in _LISTS or self.word(item.last + 1) in _AND

    def acts(self, item: Item) -> bool:
        """Whether a verb follows, up to the next comma: "a bowl of popcorn rests on the table"."""
        for at in range(item.last + 1, min(len(self.lowers), item.last + 6)):
            if self.tags[at] in _FINITE or self.lowers[at] == ",":
                return self.lowers[at] != ","
        return False

    def times(self, place: int) -> Interval:
        """As many as there are of what "each" means: the last several that were counted."""
        for other in reversed(self.within(0, place)[-_BACK:]):
            if (found := self.how_many(other)) != ONE and found[0] > 1:
                return found
        return SEVERAL

    # --- labels that other groups give -------------------------------------------------------------------------------

    def label_of(self, item: Item) -> str | None:
        """The label of a noun group; young ones have that of the animal, a stand-in that of what it stands for."""
        if item.head is None:
            return self.stood_for(item)
        if item.kin:
            return self.animal_near(item)
        if item.label is not None and item.label == item.head and item.label not in self.things:
            return self.shortened(item, item.label)
        return item.label

    def adopt(self) -> None:
        """Label cubs and calves with the animal that the text names."""
        if _YOUNG_OF.keys().isdisjoint(self.lowers):
            return
        labels = {item.label for item in self.items if self.lowers[item.last] not in _YOUNG_OF}
        for item in self.items:
            label = next((each for each in _YOUNG_OF.get(self.lowers[item.last], ()) if each in labels), None)
            if label is not None and item.head is not None:
                item.label, item.may_be, item.kin = label, (), False

    def shortened(self, item: Item, label: str) -> str:
        """The class that the last word of its name comes back to: "a teddy bear ... the bear is missing an eye"."""
        full = next((known for known in self.things if known.endswith(" " + label)), None)
        if full is None:
            return label
        one = self.lowers[item.first] == _ONE and self.recent(full)[-1:] and self.recent(full)[-1].many
        led = item.kind == "the" or one or self.lowers[item.first] in _ADDING | _EVERY
        if label in _PETS:  # "a hot dog ... the dog begs"
            earlier = self.latest[full].last < self.sentence(item.last)[0]
            lively = not _LIVELY.isdisjoint(self.lowers[item.last + 1 : item.last + 4])
            led = led and earlier and not lively and item.determiner not in _POSSESSIVE
        return full if led else label

    def stood_for(self, item: Item) -> str | None:
        """The class that "another" or "a third one" is one more of."""
        if self.lowers[item.first] == _THE or (
            _ONE in self.lowers[item.first - 1 : item.first + 1] and not item.stands
        ):
            return None  # "the third", "one another"
        if self.word(item.first - 1) == _THE:
            return None
        following = self.tag(item.last + 1)
        subject = (
            following in _FINITE or following in ("IN", "VBG", "VBN", "CC", "RB") or self.word(item.last + 1) in _STOP
        )
        if not subject or self.word(item.last + 1) in _OF:
            return None
        if not (item.added or item.ordinal or item.stands):
            return None
        known = [(things[-1].place, label) for label, things in self.things.items() if things and things[-1].claimed]
        nearest = self.parse.before(item.first)
        if nearest is not None and nearest.label is None and nearest.plural and nearest.kind == "bare":
            return None  # "Pillows - one in front, another in the shadow"
        if nearest is not None and item.stands == _DESCRIBED and self.word(item.first - 1) in (_WITH, *_OF):
            return nearest.label if nearest.label in self.things else None  # "books with a yellow one on top"
        if item.ordinal:
            known = [each for each in known if self.total_of(each[1]) == item.ordinal - 1]
        start = self.sentence(item.last)[0]
        near = [each for each in known if self.things[each[1]][-1].item.last >= start]
        if following in _FINITE and near:
            return min(near)[1]  # as a subject, it is like the subject of the clause before
        if item.stands == _DESCRIBED:
            known = [each for each in known if each[1] != PERSON]
        subjects = [each for each in known if self.tag(self.latest[each[1]].first - 1) not in ("IN", "TO")]
        return max(subjects or known)[1] if known else None

    def total_of(self, label: str) -> int:
        return sum(thing.least for thing in self.things.get(label, ()) if thing.claimed)

    def animal_near(self, item: Item) -> str | None:
        """The class of the animal that a mother or a baby belongs to."""
        items, number = self.items, bisect_left(self.lasts, item.last)
        for near in (number + 1, number - 1, number + 2, number - 2, number - 3, number - 4):
            if 0 <= near < len(items):
                label = items[near].label
                if label not in (None, PERSON) and not items[near].kin and items[near].lives:
                    return label
        return None

    # --- which one it is ---------------------------------------------------------------------------------------------

    def recent(self, label: str) -> list[_Thing]:
        """The last things of a class that are there."""
        return [thing for thing in self.things[label][-_BACK:] if thing.claimed]

    def same(self, item: Item, label: str, interval: Interval) -> _Verdict:
        """What a noun group comes back to, as the first rule says that says anything."""
        there, self.now = self.recent(label), label
        for rule in self.RULES:
            verdict = rule(self, item, there, interval)
            if verdict is not None:
                return None if verdict == _NEW else verdict
        return self.perhaps_known(item, there)

    def perhaps_known(self, item: Item, there: list[_Thing]) -> _Verdict:
        """Unsure, if a later sentence may speak of what was named: "skateboarders", "a newer one", "its rider"."""
        start = self.sentence(item.last)[0]
        head = (item.head or "").rpartition(" ")[2]
        earlier = [t for t in there if t.item.last < start and (self.fits(item, t) or item.plural)]
        earlier = [thing for thing in earlier if not are_opposites(head, thing.head)]
        if item.unclaimed or not earlier or not _ADDING.isdisjoint(self.said(item)):
            return None
        if item.kind in ("bare", "the", "vague") or (item.kind == "number" and self.is_after_a_total(item, earlier)):
            return _UNSURE
        return _UNSURE if item.kind == "article" and any(thing.many for thing in earlier) else None

    def plain(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "A dog": the most common by far."""
        if self.lowers[item.last] in _PULLING and self.word(item.first - 1) in _PULLED and there:
            return there[-1]  # "a train with an orange locomotive"
        if there and there[-1].head in _RIDDEN and item.kind == "article" and _ADDING.isdisjoint(self.said(item)):
            return there[-1]  # "a man on horseback rides a black horse"
        if self.is_generic(item, there):
            return _UNSURE
        if self.is_known_already(item, there):
            return _UNSURE
        alone = item.kind == "article" and not item.added and self.word(item.first - 1) not in _TIES
        return _NEW if (alone and not any(thing.many for thing in there)) or item.unclaimed else None

    def is_known_already(self, item: Item, there: list[_Thing]) -> bool:
        """ "Monaco, judging by the bus. An airport bus enters": what is told later may be what was known at once."""
        earlier = len(there) == 1 and there[0].item.kind == "the" and not there[0].many
        fits = item.kind == "article" and _ADDING.isdisjoint(self.said(item))
        return fits and earlier and there[0].head == item.head and there[0].item.last < self.sentence(item.last)[0]

    def is_generic(self, item: Item, there: list[_Thing]) -> bool:
        """ "The daily life of an elephant", in a later sentence about an elephant."""
        start = self.sentence(item.last)[0]
        bare = item.kind == "article" and item.last == item.first + 1 and item.first > start + 2
        known = any(thing.head == item.head and thing.item.last < start for thing in there)
        return bare and known and self.word(item.first - 1) not in _TIES and self.tag(item.first - 2) != "EX"

    def of_a_family(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """The "family of four" that "the father" and "two children" are of."""
        if (item.head or "").rpartition(" ")[2] not in _RELATIVES:
            return None
        families = (thing for thing in there if thing.head in _FAMILIES and thing.least == thing.most)
        return next((t for t in families if interval[0] < t.least and (t.head != _COUPLE or self.is_led(item))), None)

    def of_them(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "Two buses, one of them a long one", "one of the dogs", "each dog"."""
        upto = item.first - (self.word(item.first - 1) == ",")
        of_them = self.lowers[upto - 2 : upto] if upto > 1 else []
        if not (of_them[:1] and of_them[0] in _OF and of_them[1] in _THEM) and not self.is_part(item):
            return None
        many = next((thing for thing in reversed(there) if thing.many), there[-1] if there else None)
        return self.part(many)

    def is_part(self, item: Item) -> bool:
        said = self.said(item)
        whole = item.whole and item.of is None
        if not whole or (
            said[0] in _PARTIAL and item.kind in ("number", "the") and not set(said[1:-1]).isdisjoint(_OF)
        ):
            return item.label != PERSON or _POSSESSIVE.isdisjoint(said)
        if said[0] == _ONE and len(said) <= 4:
            return any(thing.many and self.fits(item, thing) for thing in self.things.get(item.label or "", ()))
        before = self.word(item.first - 1) in _OF and self.word(item.first - 2) in _PARTIAL
        return before and item.kind == "the" and (item.label != PERSON or item.determiner not in _POSSESSIVE)

    @staticmethod
    def part(whole: _Thing | None) -> _Thing | None:
        if whole is not None:
            whole.parted = True
        return whole

    def implies_more(self, item: Item) -> bool:
        """ "One of the dogs", "each dog"; not "one of her skis"."""
        if self.lowers[item.first] in _EVERY:
            return True
        return self.lowers[item.last] not in PAIRED and item.kind != "article" and self.is_part(item)

    def in_a_list(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """A line of the list that tells several apart: "Three people:", and a line for each."""
        if "\n" not in self.parse.text:
            return None
        start = self.parse.tokens.starts[item.first]
        for thing in reversed(there):
            gap = self.parse.text[thing.item.end : start]
            led = _LIST.search(gap) if thing.many else None
            if led is not None and "\n\n" not in gap[led.end() :]:
                return thing
        return None

    def one_more(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "Another dog" is new; "the other dog" is one of two that were named."""
        said = self.said(item)
        if item.head is None:
            start = self.sentence(item.last)[0]
            group = next((thing for thing in there if thing.most is None and thing.item.collective), None)
            if group is not None and (item.stands == _OTHERS or self.lowers[item.first - 1] == _WITH):
                return group  # "a group of zebras ... two others", "a stack of books with a yellow one on top"
            aside = item.stands == _DESCRIBED and self.lowers[item.first - 1] == ","
            if (_ONE in self.lowers[start : item.first] and item.stands != _OTHERS and not item.ordinal) or aside:
                many = next((thing for thing in reversed(there) if thing.many), None)
                return many or (there[-1] if aside and there else _NEW)
            if self.is_after_a_total(item, there):
                return _UNSURE
            return self.in_a_total(item, there, interval) or _NEW
        if _ADDING.isdisjoint(said) or not there:
            return None
        if said[0] in _LED_OTHER and _MORE not in said:
            parted = next((thing for thing in reversed(there) if thing.parted), None)
            if parted is not None:
                return parted
        if said[0] == _THE and interval == SEVERAL:
            return self.part(next((thing for thing in reversed(there) if thing.many), None)) or _NEW
        if said[0] == _THE and interval == ONE and self.total_of(item.label or "") >= (item.ordinal or 2):
            return there[-1]
        return _UNSURE if self.is_after_a_total(item, there) and interval == ONE else _NEW

    def is_after_a_total(self, item: Item, there: list[_Thing]) -> bool:
        """Whether an earlier sentence counted all: "Three zebras stand here. One hides behind another zebra"."""
        start = self.sentence(item.last)[0]
        totals = (t for t in there if t.item.kind == "number" and t.many and t.most is not None and t.item.last < start)
        return item.ordinal <= self.total_of(item.label or "") and any(self.fits(item, thing) for thing in totals)

    def in_a_total(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """The total that a noun group is a part of: "four people, two adults and two children"."""
        start, end = self.sentence(item.last)
        for thing in reversed(there):
            gap = self.lowers[thing.item.last + 1 : item.first]
            if thing.item.last < start or not thing.many or not gap:
                continue
            explicit = not _PARTS.isdisjoint(gap) or any(pair == (",", _WITH) for pair in itertools.pairwise(gap))
            if not explicit and ("," not in gap or self.is_placed(item)):
                continue
            if any(tag in _FINITE for tag in self.tags[thing.item.last + 1 : item.first]) and not explicit:
                continue
            total = self.parts_of(thing, end)
            if gap == [","] and item.kind == "number" and interval[0] < thing.least and self.fits(item, thing):
                return thing  # "two giraffes, one adult and one young"
            apposed = (
                gap[-1] == "," and not thing.item.collective and (thing.head not in _YOUNG or self.fits(item, thing))
            )
            if apposed and thing.most is None and total > 1 and item.kind == "article":
                self.put(thing, (total, total))  # "the cyclists, a man and a woman, ride past"
            if thing.most is None and explicit:
                if total >= thing.least:
                    self.put(thing, (total, total if thing.item.lives and thing.head in _FAMILIES else None))
                return thing
            if (explicit and thing.most is not None) or thing.most == thing.least == total:
                # "Two people in front, a couple sits": all at once, and not right behind
                return _UNSURE if not explicit and interval[0] == thing.least and gap != [","] else thing
        return None

    def is_placed(self, item: Item) -> bool:
        """Whether a comma and a preposition stand before a group: "a couple, framed by two people"."""
        between = range(item.first - 1, max(0, item.first - 8), -1)
        stop = next((at for at in between if self.lowers[at] == ","), item.first)
        return any(self.tags[at] == "IN" for at in range(stop, item.first))

    def parts_of(self, thing: _Thing, end: int) -> int:
        label = thing.item.label
        found = [each for each in self.within(thing.item.last + 1, end) if each.head is not None]
        return sum(self.how_many(each)[0] for each in found[:_BACK] if self.label_of(each) == label)

    def definite(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """The thing that "the dog" means: the latest that fits."""
        first = self.lowers[item.first]
        if first not in _DEFINITE or first in _POSSESSIVE:
            return None
        found = self.antecedent(item, there, interval)
        if found is not None:
            return found
        exact = interval[0] == interval[1]
        if first in _DEFINITE and len(there) > 1 and exact and 1 < interval[0] == sum(thing.least for thing in there):
            return there[-1]  # "A cyclist ... two others ... the three riders"
        start = self.sentence(item.last)[0]
        head = (item.head or "").rpartition(" ")[2]
        earlier = (thing for thing in there if thing.item.last < start and not are_opposites(head, thing.head))
        known = item.label == PERSON and interval == ONE and any(earlier)
        return _UNSURE if known and not self.is_one_of_a_team(item, there) else _NEW

    def is_one_of_a_team(self, item: Item, there: list[_Thing]) -> bool:
        """ "A batter swings ... the catcher": nobody is both."""
        return (item.head or "") in _ROLES and all(thing.head in _ROLES for thing in there)

    def antecedent(self, item: Item, there: list[_Thing], interval: Interval) -> _Thing | None:
        head = (item.head or "").rpartition(" ")[2]
        known = [t for t in self.things[self.now][-_BACK:] if t.claimed or t.head == head]
        fitting = [thing for thing in known if self.fits(item, thing)]
        if interval[1] != 1 and (claimed := [thing for thing in fitting if thing.claimed]):
            enough = any(t.most is None for t in claimed) or sum(t.least for t in claimed) >= interval[0]
            fitting = claimed if enough else []
        return next((t for t in reversed(fitting) if t.head == head), fitting[-1] if fitting else None)

    def fits(self, item: Item, thing: _Thing) -> bool:
        """Whether a noun group may name a thing of its class that was named before."""
        head = (item.head or "").rpartition(" ")[2]
        if not thing.many and not item.plural:
            side, known = self.side(item), self.side(thing.item)
            if (side and known and side != known) or self.contrasts(item, self.latest[self.now]):
                return False  # "the train on the left", "the train on the right"
        if head == thing.head:
            return True
        if item.label == PERSON:
            return may_be_one(head, thing.head, thing.many)
        young, other = self.is_young(item), self.is_young(thing.item)
        return thing.many or (item.plural and not young) or young == other

    def contrasts(self, item: Item, other: Item) -> bool:
        """ "The smaller giraffe is next to the larger giraffe"."""
        if item.kind != "the" or other.kind != "the" or other.last < self.sentence(item.last)[0]:
            return False
        mine, others = self.said(item)[1:-1], self.said(other)[1:-1]
        return bool(mine and others) and set(mine).isdisjoint(others)

    def is_young(self, item: Item) -> bool:
        return not _YOUNG.isdisjoint((*self.said(item), item.head or ""))

    def side(self, item: Item) -> str:
        """Where a thing is said to be: "on the left"."""
        led = self.tag(item.last + 1) == "IN" and self.word(item.last + 2) == _THE
        return next((w for w in self.lowers[item.last + 3 : item.last + 5] if w in _SIDES), "") if led else ""

    def aside(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "A dog or a puppy", "his talent as a surfer", "the presence of many cars": no further one."""
        before = self.word(item.first - 1)
        if before in _OR and there and self.latest[self.now].last == item.first - 2:
            return there[-1]
        role = before == _AS and item.label == PERSON and item.kind == "article"
        role = role and self.tag(item.last + 1) not in _FINITE
        return there[-1] if there and (role or (before in _OF and self.word(item.first - 2) in _SUMS)) else None

    def predicate(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "The dog is a beagle", "the dog, a beagle, lies": the same under another name."""
        owned = item.determiner in _POSSESSIVE and self.word(item.first - 1) in _BE
        if not there or not (item.kind == "article" or owned):
            return None
        before, thing, latest = self.word(item.first - 1), there[-1], self.latest[self.now]
        start = self.sentence(item.first)[0]
        gap = self.lowers[latest.last + 1 : item.first]
        if before in _BE and self.word(item.first - 2) == _ONE and thing.many:
            return thing  # "two buses, the front one being an articulated bus"
        if before in _BE and self.word(item.first - 2) != _THERE:
            clause = max((at + 1 for at in range(start, item.first) if self.lowers[at] in _JOINTS), default=start)
            named = any(each.head is not None for each in self.within(clause, item.first))
            if not named:
                stands = bool(self.within(clause, item.first))
                return thing if stands or not _PRONOUNS.isdisjoint(self.lowers[clause : item.first]) else None
            verbs = sum(tag in _FINITE for tag in self.tags[latest.last + 1 : item.first])
            close = latest.last >= start and verbs == 1 and _BREAKS.isdisjoint(gap)
            return thing if close and self.fits(item, thing) else None
        if gap == [","] and self.fits(item, thing) and latest.plural == item.plural:
            apart = self.word(item.last + 1) in (",", "(") and self.tag(item.last + 2) not in ("CC", "DT", "CD")
            return thing if self.is_led(latest) or apart else None
        return None

    def owner(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "A man with a beagle ... its owner": he may be, and may not."""
        if (item.head or "").rpartition(" ")[2] != _OWNER or not there:
            return None
        if self.latest[self.now].last == item.first - 2 and self.word(item.first - 1) == ",":
            return there[-1]  # "a man, its owner,"
        if item.plural:
            return next((thing for thing in there if thing.many), None)
        return _UNSURE if len(there) == 1 and not there[0].many else None

    def owned(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "His surfboard" comes back to the surfboard; "her husband" is new, unless a couple or a family was named."""
        if not self.is_led(item):
            return None
        if item.label == PERSON:
            head = (item.head or "").rpartition(" ")[2]
            spouse = head in _SPOUSES
            family = next((t for t in there if t.head in _FAMILIES and (spouse or t.head != _COUPLE)), None)
            whose = (
                (self.lowers[item.first] in _ITS or self.tag(item.first - 1) == "POS")
                and there
                and not spouse
                and head not in _RELATIVES
            )
            return family or (_UNSURE if whose else _NEW)
        if item.kin or (item.head or "") in _RELATIVES:
            later = there and there[-1].item.last < self.sentence(item.last)[0]
            return _UNSURE if later and not item.plural else next((t for t in there if t.most is None), _NEW)
        return self.antecedent(item, there, interval) or _NEW

    def is_led(self, item: Item) -> bool:
        return self.lowers[item.first] in _POSSESSIVE or self.tag(item.first - 1) == "POS" or item.kind == "the"

    def restated(self, item: Item, there: list[_Thing], interval: Interval) -> _Verdict:
        """ "There are nine elephants in the picture", after "a herd of elephants"."""
        start = self.sentence(item.last)[0]
        existing = self.lowers[start : start + 2] == _THERE_ARE and item.last - start <= 9
        if not existing and _TOTAL not in self.lowers[max(start, item.first - 2) : item.last]:
            return None
        least = interval[0]
        if len(there) == 1 and there[0].most is None and least >= max(2, there[0].least):
            self.put(there[0], interval)
            there[0].item = item  # its parts may follow
            return there[0]
        exact = len(there) > 1 and interval == (least, least) and least == sum(thing.least for thing in there)
        return there[-1] if exact else None

    RULES: ClassVar[tuple[Callable[[_Counter, Item, list[_Thing], Interval], _Verdict], ...]] = (
        plain,
        of_a_family,
        of_them,
        in_a_list,
        one_more,
        in_a_total,
        owner,
        definite,
        aside,
        predicate,
        owned,
        restated,
    )


def are_opposites(head: str, other: str) -> bool:
    """Whether nobody is called by both words: "the man" and "a woman", "the child" and "an adult"."""
    pairs = ((_MALE, _FEMALE), (_YOUNG, _GROWN))
    return any((head in a and other in b) or (head in b and other in a) for a, b in pairs)


def may_be_one(head: str, other: str, many: bool) -> bool:
    """Whether a word for a person may mean someone, or one of several, who was named by another word."""
    if head in _CROWDS and other in _CROWDS:
        return True
    if many:
        if other in _YOUNG and head not in _YOUNG and (head in _GROWN or head not in _ANYONE):
            return False
        return head in _ANYONE or other in _ANYONE or other in _GATHERINGS or _share_role(head, other)
    if are_opposites(head, other) or head in _CROWDS or other in _CROWDS or head in _ROLES:
        return False
    return head in _ANYONE or other in _ANYONE or _share_role(head, other)


def _share_role(head: str, other: str) -> bool:
    return any(head in circle and other in circle for circle in _CIRCLES)


def _with_stand_ins(parse: Parse) -> list[Item]:
    """The noun groups of a text, and words that stand for one: "a blue one", "two others", "two more"."""
    lowers, tags = parse.lowers, parse.tags
    if _STANDS.isdisjoint(lowers):
        return list(parse.items)
    taken = {place for item in parse.items if item.head for place in range(item.first, item.last + 1)}
    found: list[Item] = []
    for place, word in enumerate(lowers):
        first = place
        while first and place - first < 3 and tags[first - 1] in ("JJ", "VBN"):
            first -= 1
        before = lowers[first - 1] if first else ""
        if word == _ONE and first < place and before in _ARTICLES:
            stands, number = _DESCRIBED, 1
        elif word in (_OTHERS, _MORE) and (stated := number_of([before])) is not None:
            stands, number = _OTHERS, stated
        elif word == _ONES and first < place and (stated := number_of([before])) is not None:
            stands, number = _DESCRIBED, stated
        else:
            continue
        span = parse.tokens.starts[first - 1], parse.tokens.ends[place]
        of_one: GrammaticalNumber = "singular" if number == 1 else "plural"
        item = Item(first - 1, place, None, None, (), number, number, "number", start=span[0], end=span[1])
        item.number, item.plural, item.stands = of_one, number > 1, stands
        item.ordinal = next((ORDINALS[each] for each in lowers[first:place] if each in ORDINALS), 0)
        if taken.isdisjoint(range(first, place + 1)):
            found.append(item)
    places = {place for item in found for place in range(item.first, item.last + 1)}
    kept = (each for each in parse.items if each.head is not None or places.isdisjoint((each.first, each.last)))
    return sorted((*kept, *found), key=lambda item: item.last)
