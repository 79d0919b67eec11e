"""The answer reader: what an answer says of what was asked for, as an interval, and whether there is any.

The first full statement decides, and what follows explains it. A number is exact only where the text commits to it;
what may be widens it; what is not understood is unread.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from anamorph.model import LabelSpace, Unreadable
from anamorph.model.reading import AnswerReading
from anamorph.reading.asked import LOOKS, NOTHING, SIDES, Question, understood
from anamorph.reading.cues import cues_of, tables, words
from anamorph.reading.doubts import ADDITIONS, CONTRADICTION, Decided, doubted, is_halfway, is_hedged, is_open_ended
from anamorph.reading.groups import COUNTED, Item, Parse, Statement, parsed
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import Namer, namer_of
from anamorph.reading.options import chosen, without_options
from anamorph.reading.quantity import number_of
from anamorph.reading.structured import conclusion, from_json, plain_text, said_in
from anamorph.reading.unreadable import why_unreadable
from anamorph.reading.wrapping import unwrapped

Interval: TypeAlias = tuple[int, int | None]
_Found: TypeAlias = list[tuple[Statement, list[Item]]]

# A longer answer says what it says at its beginning.
_BEGINNING = 2000
# Shorter answers are no refusals: "none", "no dogs".
_SHORT = 3
_OPENERS = cues_of("openers")
_AND, _OR = (words("words", table, "words") for table in ("and", "or"))
_EXCLUSIVE = [frozenset(row["words"].split()) for row in tables("attributes")["exclude"]]
_SIDES = [[frozenset(side.split("/")) for side in row["words"].split()] for row in tables("attributes")["side"]]
_SAME: dict[str, str] = {row["say"]: row["as"] for row in tables("attributes")["same"]}
_BULLET = re.compile(r"^[ \t]*(?:[-*\u2022\u2023\u25cf]|\(?\d{1,2}[.):])[ \t]+", re.MULTILINE)
_NEITHER = "it says neither how many nor yes or no"
_UNKNOWN = "the system does not know"
_OTHER = "it does not say whether it is as the question wants it"
_TWO = "it says two different numbers"
_SOME = words("words", "some", "words")
_OPEN = "it leaves open whether there is any"


class AnswerReader:
    """Reads an answer to a question as an interval of numbers, and as whether what was asked for is there."""

    def __init__(self, space: LabelSpace) -> None:
        self._namer = namer_of(space)

    def understood(self, question: str) -> Question:
        """What a question asks for."""
        return understood(without_options(question)[0], self._namer)

    def read_text(self, text: str, question: str | None = None) -> AnswerReading | Unreadable:
        """What an answer says; where a question is given, only what it asks for counts."""
        options: dict[str, str] = {}
        if question:
            question, options = without_options(question)
        asked = understood(question, self._namer) if question else NOTHING
        message = chosen(plain_text(text), options)
        value = from_json(message)
        if value is not None:
            return self._of_json(text, value, asked)
        if question and _letters(message) == _letters(question):
            return Unreadable(text, "it repeats the question")
        last = conclusion(message)
        if last is not None and last.strip() != message.strip():
            found = self._read(text, last[:_BEGINNING], asked)
            if isinstance(found, AnswerReading):
                return found
        return self._read(text, message.strip()[:_BEGINNING], asked)

    def _read(self, whole: str, message: str, asked: Question) -> AnswerReading | Unreadable:
        lines = [found.start() for found in _BULLET.finditer(message)]
        if len(lines) > 1:
            message = _BULLET.sub(lambda found: " " * len(found[0]), message)
        message = unwrapped(message, answer=True)
        parse = parsed(message, self._namer, lines if len(lines) > 1 else ())
        if not any(word[0].isalnum() for word in parse.lowers):
            return Unreadable(whole, why_unreadable(message, parse.tokens) or _NEITHER)
        said = _Said(parse, asked, self._namer)
        found = said.reading()
        if not isinstance(found, str) and not said.is_plain(found[1]) and why_unreadable(message, parse.tokens):
            found = _NEITHER
        if isinstance(found, str):
            return Unreadable(whole, why_unreadable(message, parse.tokens) or found)
        (least, most), yes, whether = found
        return AnswerReading(whole, least, most, yes=yes, assumed=said.assumed, whether=whether)

    def _of_json(self, text: str, value: Any, asked: Question) -> AnswerReading | Unreadable:
        said = said_in(value, (lambda name: self._names(name, asked)) if asked.targets else None)
        if isinstance(said, bool):
            said = _YES if said else _NO
        if isinstance(said, int) and said >= 0:
            return AnswerReading(text, said, said)
        if isinstance(said, str):
            return self._read(text, said, asked)
        return Unreadable(text, "its JSON says neither how many nor yes or no")

    def _names(self, text: str, asked: Question) -> bool:
        """Whether a label or a key names what was asked for."""
        items = parsed(text, self._namer).items
        return any(target.covers(item, self._namer) for item in items for target in asked.targets)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


class _Said:
    """What one answer says to one question."""

    def __init__(self, parse: Parse, asked: Question, namer: Namer, alone: bool = True, strict: bool = False) -> None:
        self.alone = alone  # lone numbers are of what was asked for
        self.strict = strict  # nothing counts but what looks as the question wants it
        self.parse, self.asked, self.namer = parse, asked, namer
        self.lowers = parse.lowers
        self.fits: dict[int, tuple[int, int]] = {}
        self.used: set[int] = set()  # the groups that a sum was made of
        self.mixed = False  # it lists by place what was asked for and what was not
        self.assumed = False  # a yes or no without its question
        self.decided: Decided | None = None  # what the number was read from
        self.sure = False  # it says a number, and does not only name what was asked for

    def reading(self) -> tuple[Interval, bool | None, bool] | str:
        """The interval, the yes or no that was said, and whether it says whether something is so; or why none."""
        statements = self._after_correction(self.parse.statements)
        if statements and self.asked.asks != "how-many" and is_halfway(self.parse, statements[0].first):
            return self._nothing()
        yes, statements = self._opened(statements)
        asked = self.asked
        if yes is None and asked.asks != "how-many":
            yes = self._late(statements)
        if asked.whether:
            return self._whether(yes, statements)
        claim = self._claim(statements)
        if isinstance(claim, str):
            if yes is None or asked.asks == "how-many" or (yes and claim == CONTRADICTION):
                return claim
            claim = None
        if asked.asks == "how-many" or (asked.asks is None and yes is None):
            if claim is None:
                return ((0, 0), False, False) if yes is False else self._nothing()
            if yes is False and claim[0] > 0 and asked.asks == "how-many":
                return CONTRADICTION
            return claim, yes, False
        return self._exists(yes, claim)

    def is_plain(self, yes: bool | None) -> bool:
        """Whether it answers, whatever words of a refusal it has: "No, I am afraid not", "I am sorry, but none"."""
        if yes is not None and self.lowers[0] in _PLAINLY:
            return True
        return self.sure and yes is None and (bool(self.asked.targets) or len(self.lowers) <= _SHORT)

    def _exists(self, yes: bool | None, claim: Interval | None) -> tuple[Interval, bool | None, bool] | str:
        """What an answer says to a question whether there is any."""
        none = self.asked.asks == "is-there-no"
        if claim is None or (claim[0] == 0 and claim[1] != 0):
            if yes is None:
                return _OPEN if claim else self._nothing()
            self.assumed = self.asked.asks is None
            return ((1, None) if yes != none else (0, 0)), yes, False
        there = claim[0] > 0
        if yes is None and there and not none and self.asked.rest:
            if any(item.denied and item.head in self.asked.rest for item in self.parse.items):
                return (0, 0), None, False
            verdict = self._looked(self.parse.statements)
            if verdict is not True:
                return ((0, 0), None, False) if verdict is False else _OTHER
            if self._is_elsewhere(self.parse.statements):
                return _OTHER
        if yes is None and there and any(cue.kind == "unsure" for cue in self.parse.cues):
            return _UNKNOWN
        hedged = self.decided is not None and is_hedged(self.parse, self.decided.statement)
        if yes is False and there and hedged and not none:
            return (0, 0), yes, False  # "No. It may look like a tent."
        if yes is not None and self.asked.asks == "is-there" and yes != there:
            # "No, the bird is on the right" says no of what was asked for.
            return CONTRADICTION if yes or not self.asked.rest else ((0, 0), yes, False)
        return claim, yes, False

    def _looked(self, statements: Sequence[Statement]) -> bool | None:
        """Whether what is there looks as the question wants it: it has a word for it, or one that excludes it."""
        own = {word for each in statements for item in self._matched(each) for word in self._own(item, each.end)}
        for each in statements:
            if self.lowers[each.first] in _HE:
                own |= {_same(word) for word in self.lowers[each.first : each.end]}
        said = {_same(word) for word in self.lowers}
        for look in map(_same, self.asked.looks):
            if self._is_denied(look):
                return False
            if look in own:
                continue
            return False if look not in said and any(excludes(look, word) for word in said) else None
        return True

    def _is_denied(self, look: str) -> bool:
        return any(
            _same(word) == look and not _NOT_SO.isdisjoint(self.lowers[max(0, place - 2) : place])
            for place, word in enumerate(self.lowers)
        )

    def _is_elsewhere(self, statements: Sequence[Statement]) -> bool:
        """Whether it is there, but not where or as the question wants it."""
        if not any(self.parse.cues_in(each, "contrast") for each in statements[1:]):
            return False
        first = next((each for each in statements if self._matched(each)), None)
        return first is not None and _rest_of(self.asked).isdisjoint(map(_same, self.lowers[first.first : first.end]))

    def _whether(self, yes: bool | None, statements: Sequence[Statement]) -> tuple[Interval, bool | None, bool] | str:
        there = None if yes is None else yes != self.asked.denies
        if there is None:
            there = self._compared(statements) if self.asked.bounds is not None else self._restated(statements)
        if there is None:
            return self._nothing()
        return ((1, None) if there else (0, 0)), yes, True

    def _nothing(self) -> str:
        return _UNKNOWN if any(cue.kind in ("unsure", "guess") for cue in self.parse.cues) else _NEITHER

    # --- how it begins -----------------------------------------------------------------------------------------------

    def _after_correction(self, statements: Sequence[Statement]) -> Sequence[Statement]:
        """The statements after the answer took back what it said, if it says anything then."""
        for place in range(len(statements) - 1, 0, -1):
            cues = self.parse.cues_in(statements[place], "correct")
            said = [item for each in statements[place:] for item in self._matched(each)]
            if any(cue.first - statements[place].first <= 2 for cue in cues) and said and not said[0].added:
                return statements[place:]
        return statements

    def _opened(self, statements: Sequence[Statement]) -> tuple[bool | None, Sequence[Statement]]:
        """The yes or no that the answer begins with, and the statements without it."""
        if not statements:
            return None, statements
        first = statements[0]
        place = first.first
        while place < first.end and not self.lowers[place][0].isalnum():
            place += 1
        for _ in range(3):
            found = {cue.kind: cue for cue in _OPENERS.at(self.lowers, place)}
            both = [found[kind] for kind in ("no", "yes") if kind in found]
            cue = max(both, key=lambda each: each.last, default=None)
            if cue is not None and self._stands_alone(cue.first, cue.last):
                rest = Statement(cue.last + 1, first.end, first.listed)
                return cue.kind == "yes", [rest, *statements[1:]] if rest.first < rest.end else statements[1:]
            if "idle" not in found:
                return None, statements
            place = found["idle"].last + 1
            while place < first.end and not self.lowers[place][0].isalnum():
                place += 1
        return None, statements

    def _stands_alone(self, first: int, last: int) -> bool:
        """Whether a yes or no is one, and not the "no" of "no dogs" or the "it is" of "it is a cat"."""
        after = self.lowers[last + 1] if last + 1 < len(self.lowers) else "."
        if after in _OR or after in _AND:
            return False  # "yes or no", "yes and no"
        if not after[0].isalnum() and after not in _NOT:
            return True
        return last == first and (after in _ALONE or self.lowers[first] in _SURE)

    def _late(self, statements: Sequence[Statement]) -> bool | None:
        """The yes or no that a sentence ends with, or comes to: "It looks that way, so yes"."""
        for statement in statements[:3]:
            if self.parse.cues_in(statement, "suppose"):
                continue
            for place in range(statement.first, statement.end):
                cue = next((c for c in _OPENERS.at(self.lowers, place) if c.kind != "idle"), None)
                if cue is None or cue.last != place or self.lowers[max(0, place - 1)] not in _LATE:
                    continue
                after = self.lowers[place + 1] if place + 1 < len(self.lowers) else "."
                if not after[0].isalnum():
                    return cue.kind == "yes"
        return None

    # --- how many ----------------------------------------------------------------------------------------------------

    def _matched(self, statement: Statement) -> list[Item]:
        """The groups of a statement that are of what was asked for, or are amounts of it."""
        found = [item for item in self.parse.items_in(statement) if self._match(item)]
        if any(self._covers(item) for item in found):
            found = [item for item in found if self._covers(item) or item.added or item.head is None]
        return found

    def _covers(self, item: Item) -> bool:
        return any(target.covers(item, self.namer) for target in self.asked.targets)

    def _match(self, item: Item) -> bool:
        if item.supposed or (item.depicted and not self._asks_depicted(item)):
            return False
        if item.head is None:
            alone = self.alone or (bool(self.asked.looks) and self._own(item, len(self.lowers)) & set(self.asked.looks))
            return bool(alone) and (item.kind in ("number", "none", "vague") or bool(item.ordinal))
        if not self.asked.targets:
            counted = item.kind in ("number", "none", "article", "vague") or item.denied
            return self.asked.asks is None and not self.asked.words and counted
        if self.asked.asks == "how-many" and item.kind in ("bare", "the") and item.most is None and not item.denied:
            cues = [cue for cue in self.parse.cues if cue.kind == "exist" and 0 < item.first - cue.last < 8]
            if item.kind == "the" or not cues:
                return False
        if item.head in self.asked.rest and not any(target.is_named(item) for target in self.asked.targets):
            return False
        return self._covers(item) or any(target.may_cover(item) for target in self.asked.targets)

    def _asks_depicted(self, item: Item) -> bool:
        return not self.asked.rest.isdisjoint(self.lowers[max(0, item.first - 2) : item.last])

    def _claim(self, statements: Sequence[Statement]) -> Interval | str | None:
        """How many there are, as far as the answer can be relied on."""
        claim = self._counted(statements)
        if claim is None or isinstance(claim, str) or self.decided is None:
            return claim
        item, statement = self.decided.item, self.decided.statement
        if item.head is None or statement.explains:
            claim = self._with_others(claim, item)
        later = [each for each in statements if each.first >= statement.first]
        others = [other for each in later for other in self._matched(each) if other.first > item.last]
        others = others if self.asked.targets else []
        wanted = {_same(word) for word in self.asked.rest | self.asked.looks}
        if claim[1] == 0 and any(
            self.lowers[at] in self.asked.words
            for cue in self.parse.cues
            if cue.kind == "deny_behind"
            for at in range(cue.first + 1, cue.last + 1)
        ):
            return _OTHER  # "How many tiles are missing? Several tiles are missing."
        claim = doubted(
            self.parse, claim, self.decided, others, lambda each: not self.asked.parts and self._is_named(each)
        )
        if isinstance(claim, str) or self.asked.asks != "how-many" or not claim[1]:
            return claim
        if item.head is not None and not item.total:
            near = (each for each in self.parse.items_in(statement) if not (self._covers(each) or each.denied))
            for each in near:
                listed = not _LISTING.isdisjoint((self.parse.word(each.first - 1), self.parse.word(each.last + 1)))
                if listed and any(target.may_cover(each) for target in self.asked.targets):
                    claim = _sum(claim, (0, each.most))
        if self._is_beside(wanted):
            return _OTHER
        if self.asked.negated and any(other.kind == "number" for other in others):
            return _OTHER
        taken = any(other.guessed for other in others)
        claim = (claim[0], None) if not taken and is_open_ended(self.parse, item) else claim
        return self._holding(claim, statements)

    def _holding(self, claim: Interval, statements: Sequence[Statement]) -> Interval:
        """A claim that leaves out no greater number that the answer gives to what was asked for."""
        least, most = claim
        for item in (item for each in statements for item in self.parse.items_in(each)):
            reach = item.least if item.most is None else item.most
            if most is None or item.denied or item.kind != "number" or reach <= most:
                continue
            if item.guessed and item.label is None and not self._covers(item):
                most = item.most  # "one dark bracelet, possibly two thin bands"
                continue
            measures = item.total and self.parse.word(item.last + 1) in _OF_ALONE  # "14 pieces of fruit in total"
            if self._covers(item) or (self.alone and (item.head is None or measures)):
                most = most if self._is_of_more(item) else item.most
        return least, most

    def _is_of_more(self, item: Item) -> bool:
        """Whether a number is of more than the question wants: "two red cars and three blue ones, five in total"."""
        if self.decided is None or not self._fits_less(item, self.decided.item):
            return False
        one, looks = self.decided.item, {_same(word) for word in self.asked.looks - self.asked.theirs}
        own = {_same(word) for word in self.lowers[one.first : one.last + 1]}
        # "Of the six cars, two are red"
        some = bool(self.asked.looks) and (one.part or item.supposed or not one.whole)
        if not some and own.isdisjoint(looks):
            return False  # by a place or a deed alone nothing is told apart
        return not item.total or self.parse.sentence(item.first) == self.parse.sentence(self.decided.item.first)

    def _is_named(self, item: Item) -> bool:
        """Whether a group has no noun, or names what was asked for by its own word."""
        return item.head is None or any(target.is_named(item) for target in self.asked.targets)

    def _with_others(self, claim: Interval, lone: Item) -> Interval:
        """A number without a noun may be of another noun, which was counted before: "Two boulders: one ..."."""
        least, most = claim
        before = [item for item in self.parse.items if item.last < lone.first and item.head is not None]
        counted = [item for item in before if item.kind in ("number", "vague") and item.label is None]
        for item in counted if not any(map(self._covers, before)) else ():
            least = min(least, item.least)
            most = None if most is None or item.most is None else item.most + most
        return least, most

    def _is_beside(self, wanted: set[str]) -> bool:
        """Whether only later words say what the question wants of it: "three cats; the left one is black"."""
        if self.decided is None or not wanted:
            return False
        item, statement = self.decided.item, self.decided.statement
        alone = not self.parse.word(item.last + 1)[:1].isalnum() and item.first - statement.first < _SHORT
        if item.head is None and (alone or statement.end - statement.first <= _SHORT + 1):
            return False  # "Just one.", "One, a woman on the edge."
        counted = (each for each in self._matched(statement) if each.first > item.last and each.kind in COUNTED)
        sentence = max(statement.end, self.parse.sentence(item.last)[1])
        end = statement.end if self.decided.summed else next((each.first for each in counted), sentence)
        here = {_same(word) for word in self.lowers[statement.first : end]}
        if not wanted.isdisjoint(here):
            return False
        others = (each for each in self.parse.items if each.head is not None and not self._match(each))
        inside = {place for each in others for place in range(each.first, each.last)}  # "a red mailbox"
        later = {_same(word) for place, word in enumerate(self.lowers[end:], end) if place not in inside}
        return self.decided.summed or not wanted.isdisjoint(later)

    def _counted(self, statements: Sequence[Statement]) -> Interval | str | None:
        """How many there are, as the first statement says that speaks of it, or the one that sums up."""
        self.decided = None
        said = [(each, self._matched(each)) for each in statements if self.lowers[each.end - 1] != "?"]
        said = [(each, found) for each, found in said if found and not self._is_unsure(each, found)]
        if self.asked.rest or self.asked.looks:
            said = self._fitting(said)
        # "Some are cut off, so there might be one more."
        totals = [item for _, found in said for item in found if item.total and not (item.denied or item.added)]
        totals = [item for item in totals if item.concluded or not item.part]
        totals = [item for item in totals if not self._is_of_one_kind(item)]
        if totals and said and self._is_hedged(next(each for each, found in said if totals[-1] in found), said):
            for item in totals:
                item.guessed = True
            totals = []
        if totals:
            self.sure = True
            where = next(each for each, found in said if totals[-1] in found)
            self.decided = None if totals[-1].concluded else Decided(totals[-1], where)
            behind = [item for _, found in said for item in found if item.first > totals[-1].last]
            least, most = self._guessed(self._widened(self._interval(totals[-1]), []), behind)
            first = said[0][1][0]
            if first.kind == "number" and not (first.guessed or first.part or self._fits_less(first, totals[-1])):
                return least, None if most is None else max(most, first.least)
            return least, most
        if not said:
            return None
        if self.asked.parts and said[0][1][0].head is not None and self._speaks_of_parts(said):
            return self._together(statements)
        if self.mixed:
            return "it lists them by place"
        if said[0][0].listed and sum(each.listed for each, _ in said) > 1:
            self.sure = True
            return self._listed([found for each, found in said if each.listed])
        for place, (each, found) in enumerate(said):
            shared = self.parse.cues_in(each, "each")
            if shared and (found[0].kind not in ("number", "none") or shared[0].first < found[0].first):
                return "it counts by each of something else"
            claim = self._stated(found)
            if claim is not None and claim != (0, None):
                none = found[0].denied and self.lowers[found[0].first] in _SOME  # "I can't identify any dogs"
                self.sure = none or found[0].kind in ("number", "none", "vague")
                self.decided = Decided(found[0], each, claim[0] > self._interval(found[0])[0])
                later = said[place + 1 :]
                refined = self._refined(found[0], claim, later)
                if refined != claim:
                    return self._widened(refined, [])
                if not (found[0].head is None and each.end - each.first <= 4) and self._is_apart(found[0], later):
                    return _OTHER
                claim = self._added(found[0], claim, later)
                return _TWO if self._contradicts(claim, later) else self._widened(claim, said[place:])
        return None

    def _is_hedged(self, statement: Statement, said: _Found) -> bool:
        """Whether a statement after the first count hedges: it widens that, and does not take its place."""
        counted = said[0][1][0]
        plain = counted.kind == "number" and not (counted.guessed or counted.total)
        return plain and statement.first > counted.last and is_hedged(self.parse, statement)

    def _is_of_one_kind(self, item: Item) -> bool:
        """Whether a number is of one kind that was asked for, and the next of another: "one cat and one dog"."""
        behind = next((each for each in self.parse.items if each.first > item.last), None)
        counted = behind is not None and behind.kind in ("number", "article") and self._covers(behind)
        return counted and behind is not None and len(self.asked.targets) > 1 and behind.head != item.head

    def _speaks_of_parts(self, said: _Found) -> bool:
        """Whether an answer says something of one of the kinds that were asked for together."""
        named = [item for _, found in said for item in found if item.head is not None]
        if len(self.asked.targets) > 1 and len({target.head for target in self.asked.targets}) > 1:
            return bool(named)
        looks = {_same(look) for part in self.asked.parts for look in part.looks}
        return bool(named) and not looks.isdisjoint(map(_same, self.lowers))

    def _together(self, statements: Sequence[Statement]) -> Interval | str:
        """The sum of what is said of each kind that was asked for; open if nothing is said of one."""
        joint = self._joint(statements)
        if joint is not None:
            return joint
        total: Interval = (0, 0)
        counted: set[int] = set()
        for part in self.asked.parts:
            said = _Said(self.parse, part, self.namer, alone=False, strict=True)
            claim = said._claim(statements)
            if said.decided is not None:
                if id(said.decided.item) in counted:
                    continue  # "three red or blue plants" are three
                counted.add(id(said.decided.item))
            total = _sum(total, (0, None) if claim is None or isinstance(claim, str) else claim)
        return total if total != (0, None) else "it says nothing of a part of the question"

    def _is_apart(self, first: Item, later: _Found) -> bool:
        """Whether an answer counts all, and only later says which of them are as the question wants them."""
        if self.asked.asks != "how-many":
            return False
        if not _OTHERS.isdisjoint(self.lowers[max(0, first.first - 1) : first.last + 1]):
            return True
        after = self.lowers[first.last + 1 :]
        rest = [
            place
            for place in range(1, len(after) - 1)
            if after[place] in _OTHERS
            and after[place - 1] in _THE
            and number_of(after[place + 1 : place + 2]) is not None
        ]
        if rest and not any(cue.kind == "exist" for cue in self.parse.cues) and not self.asked.rest:
            return True
        if self.asked.negated and (later or _NOT.isdisjoint(self.lowers)) and first.head is not None:
            return True
        if not self.asked.looks or self.fits.get(id(first), (1, 0))[0] > 0:
            return False
        others = [item for item in self.parse.items if item.head is not None and not self._match(item)]
        inside = {place for item in others for place in range(item.first, item.last)}
        said = {_same(word) for place, word in enumerate(self.lowers) if place not in inside}
        looks = {_same(look) for look in self.asked.looks} - {_same(word) for word in self.lowers[: first.last]}
        return any(excludes(look, word) for look in looks for word in said)

    def _joint(self, statements: Sequence[Statement]) -> Interval | None:
        """The number that several kinds have together: "5 dogs and cats"."""
        for statement in statements:
            found = [item for item in self.parse.items_in(statement) if self._covers(item) and not item.supposed]
            if len(found) > 1 and all(item.denied for item in found):
                return 0, 0
            if (
                len(found) > 1
                and found[0].kind in ("number", "none")
                and all(item.kind == "bare" for item in found[1:])
            ):
                joined = all(
                    any(word in _AND or word in _OR for word in self.lowers[before.last + 1 : item.last])
                    for before, item in itertools.pairwise(found)
                )
                return self._interval(found[0]) if joined else None
        return None

    def _contradicts(self, claim: Interval, later: _Found) -> bool:
        """Whether a later statement says that there is another number of it."""
        for each, found in later:
            first = found[0]
            plain = first.kind in ("number", "none") and not (
                first.part or first.added or first.guessed or first.ordinal
            )
            if plain and first.head is not None and first.whole and self._covers(first) and not each.explains:
                least, most = self._stated(found) or self._interval(first)
                apart = (most is not None and most < claim[0]) or (claim[1] is not None and claim[1] < least)
                if apart and any(cue.first < first.first for cue in self.parse.cues_in(each, "exist")):
                    return True
        return False

    def _is_unsure(self, statement: Statement, found: Sequence[Item]) -> bool:
        """Whether a statement only says that it cannot say; "hard to count, at least 30" says 30."""
        denied = {cue.first for cue in self.parse.cues_in(statement, "deny")}  # "I can't make out any dogs"
        if all(cue.first in denied for cue in self.parse.cues_in(statement, "unsure")):
            return False
        return not any(item.kind in ("number", "none") and not item.denied for item in found)

    def _stated(self, found: Sequence[Item]) -> Interval | None:
        """What one statement says."""
        first = found[0]
        if first.of is not None and not (self.asked.rest or self.asked.looks):
            return first.of, first.of
        if first.kind in ("vague", "bare", "the") and first.most is None and len(found) > 1:
            second = found[1]
            if second.kind == "number" and second.head is None and second.least > 1 and not second.denied:
                return second.least, second.most
        if first.denied and first.kind == "number" and first.least > 1:
            return None  # "there are not two dogs"
        if first.denied or first.kind == "none":
            others = [item for item in found[1:] if not item.denied and item.kind in ("number", "article")]
            if not others:
                return 0, 0
            real = _ACTUAL.isdisjoint(self.lowers[first.first : first.last])
            if any(target.is_named(first) for target in self.asked.targets):
                return None if real else (0, 0)
            found, first = others, others[0]
        total, chain = self._interval(first), True
        for before, item in itertools.pairwise(found):
            if item.guessed or (item.ordinal and total[0] >= item.ordinal):
                continue
            told_apart = item.added and total[0] > 1 and before.head is None and id(before) not in self.used
            skipped = item.denied or item.part or told_apart or self._fits_less(item, first)
            chain = not skipped and (item.added or (chain and self._adds(first, before, item)))
            if chain:
                more = self._interval(item)
                total = _sum(total, more if item.kind != "vague" or total[1] is not None else (0, None))
                self.used.add(id(item))
        return total

    def _adds(self, first: Item, before: Item, item: Item) -> bool:
        """Whether a group adds to the one before: it is joined by "and", or is one of several kinds in a list."""
        between = self.lowers[before.last + 1 : item.first]
        joined = any(word in _AND for word in between)
        total = first.head is None or any(target.is_named(first) for target in self.asked.targets)
        if first.head is None and item.head is None and "," in between and self._goes_on(first) and self._goes_on(item):
            return item.kind == "number"
        if item.head is None or (total and first.kind in ("number", "vague")):
            return joined and "," not in between and item.kind in ("number", "article", "vague")
        if item.definite:
            return joined
        listed = joined or "," in between
        return listed and item.kind in ("number", "article", "vague", "bare")

    def _goes_on(self, item: Item) -> bool:
        """Whether a lone number says where or what it is: "4 in front, 2 behind"."""
        after = self.lowers[item.last + 1 : item.last + 2]
        return bool(after) and after[0][0].isalnum() and after[0] not in _OF

    def _listed(self, bullets: Sequence[Sequence[Item]]) -> Interval:
        """The sum of the items of a list; each is one, unless it says how many."""
        total: Interval = (0, 0)
        for found in bullets:
            counted = next((item for item in found if item.kind in ("number", "none")), found[0])
            if counted.kind in ("number", "article", "none") or counted.denied:
                total = _sum(total, self._interval(counted))
            else:
                total = _sum(total, (1, 1))
        return total

    def _interval(self, item: Item) -> Interval:
        least, most = (0, 0) if item.denied else (item.least, item.most)
        if item.guessed or (item.head is not None and self.asked.targets and not self._covers(item)):
            least = 0 if self.asked.asks is not None or item.guessed else least
        implied = item.kind in ("article", "bare", "the") or self.lowers[item.first] in _SOME
        if self.asked.asks not in ("how-many", None) and implied and least:
            return 1, None
        return least, most

    def _refined(self, first: Item, claim: Interval, later: _Found) -> Interval:
        """The number that a later statement gives to what the first left open, or only implied."""
        if claim[0] == 0 or first.kind in ("number", "none"):
            return claim
        for each, found in later:
            part = found[0].part and claim[1] is not None
            if not each.explains and found[0].kind == "number" and not (found[0].denied or part):
                stated = self._stated(found)
                counted = self.parse.cues_in(each, "exist")
                if stated is None or stated[0] < claim[0] or not (counted or claim[1] is None):
                    continue
                more = not ADDITIONS.isdisjoint(self.lowers[found[0].last + 1 : each.end])
                return (stated[0], None) if more or (first.kind == "vague" and not counted) else stated
        return claim

    def _added(self, start: Item, claim: Interval, later: _Found) -> Interval:
        """A claim with what later statements add to it by a word that adds: "also", "another", "a third"."""
        for each, found in later:
            first = found[0]
            if (each.listed or each.explains) and start.kind in ("number", "vague"):
                continue  # a list tells apart what was counted
            if first.guessed or first.denied or first.part or first.definite or not (first.added or first.ordinal):
                continue
            if self._fits_less(first, start) or (first.head is not None and not self._covers(first)):
                continue
            if first.ordinal and claim[0] >= first.ordinal:
                continue
            if is_hedged(self.parse, each) and claim[1] is not None:
                claim = claim[0], None if first.most is None else claim[1] + first.most
                continue
            if self.asked.asks == "how-many" and first.kind in ("number", "article", "vague"):
                claim = _sum(claim, self._interval(first))
                self.used.add(id(first))
        return claim

    def _widened(self, claim: Interval, said: _Found) -> Interval:
        """A claim with what may be added to it."""
        least, most = self._guessed(claim, [item for _, found in said for item in found])
        if most and any(cue.kind == "open" for cue in self.parse.cues):
            most = None
        if most and said and self.asked.asks == "how-many" and self._names_more(said[0][1][0], most, said):
            most = None
        for each, found in said[1:]:
            if found[0].part and found[0].kind == "number" and self.parse.cues_in(each, "guess"):
                least = max(0, least - found[0].least)  # "one of them might be a buoy"
        return least, most

    def _guessed(self, claim: Interval, items: Sequence[Item]) -> Interval:
        """A claim with what is only guessed above it."""
        least, most = claim
        for item in (item for item in items if item.guessed and not item.denied):
            if most is None or item.most is None:
                continue
            if item.ordinal:
                most = max(most, item.ordinal)
            elif item.kind == "number" and not item.added and item.most > most:
                most = item.most
            elif item.added or item.kind == "article":
                most += item.most
        return least, most

    def _names_more(self, first: Item, most: int, said: _Found) -> bool:
        """Whether an answer names more of what was asked for than the number that was read from it can hold."""
        named = first.head is not None and any(target.is_named(first) for target in self.asked.targets)
        total = first.kind not in ("article", "the") and (first.head is None or named)
        only = self.lowers[first.first - 1] in _ONLY
        partial = not (first.whole or self.asked.rest) and said[0][0].first > self.parse.statements[0].first
        if (
            (first.kind == "the" and not only)
            or partial
            or not _OTHERS.isdisjoint(self.lowers[first.first : min(first.last + 2, said[0][0].end)])
        ):
            return True
        later = [item for each, found in said for item in found if item.first > first.last and not each.explains]
        later = [item for item in later if not (item.denied or item.guessed or item.supposed or item.depicted)]
        counted = (item for item in later if item.kind == "number" and item.whole and not item.part)
        if any(item.least > most and self.lowers[item.first] not in _EVERY for item in counted):
            return True
        left = [item for item in later if id(item) not in self.used and not item.part]
        if not total and any(item.head is not None and item.kind in ("number", "article") for item in left):
            return True
        lone = [item for item in left if item.head is None and item.kind in ("number", "vague")]
        if any(item.kind == "vague" for item in lone) or (
            sum(item.least for item in lone) < most and any(map(self._is_led, lone))
        ):
            return True
        return any(self._is_another(item, named, said[0][0]) for item in self.parse.items if item.first > first.last)

    def _is_led(self, item: Item) -> bool:
        """Whether "and" or "there is" stands right before a number, and no "each" behind it."""
        led = any(cue.kind == "exist" and cue.last == item.first - 1 for cue in self.parse.cues)
        return (led or self.lowers[item.first - 1] in _AND) and self.lowers[item.first + 2 : item.first + 3] != [_EACH]

    def _is_another(self, item: Item, named: bool, statement: Statement) -> bool:
        """Whether a group is someone else's young, or of a kind that is in no list: "two sailboats and a canoe"."""
        if item.head is None or item.denied or id(item) in self.used:
            return False
        explained = any(each.explains and each.first <= item.first < each.end for each in self.parse.statements)
        joined = self.lowers[item.first - 1] in _AND
        if item.head in _YOUNG and item.kind == "number":
            return not explained
        if item.head in _KIN and not explained:
            own = item.label is None or self._covers(item) or item.head in _YOUNG
            return item.determiner in _POSSESSIVE or (joined and own)
        near = item.first < statement.end and item.label is None
        return near and (item.added or (joined and item.kind in ("number", "article") and not named))

    # --- what it must be like ----------------------------------------------------------------------------------------

    def _fitting(self, said: _Found) -> _Found:
        """Those groups that fit the question best; of the others, none is added to them."""
        fits = [(each, found, self._fits(each, found)) for each, found in said]
        sure = [
            fit
            for _, found, all_fits in fits
            for item, fit in zip(found, all_fits, strict=True)
            if not (item.guessed or item.added or item.ordinal) and item.kind in _SURE_KINDS
        ]
        if self.strict and self.asked.looks - self.asked.theirs:
            sure.append((1, 0))
        looks, places = max((fit[0] for fit in sure), default=0), max((fit[1] for fit in sure), default=0)
        for _, found, all_fits in fits:
            self.fits.update({id(item): fit for item, fit in zip(found, all_fits, strict=True)})
        kept: _Found = []
        for each, found, _ in fits:
            chosen_ = [
                item
                for item in found
                if self.fits[id(item)][0] >= max(0, looks) or item.guessed or (item.concluded and item.head is None)
            ]
            if looks <= 0 and places > 0 and not self.parse.cues_in(each, "each"):
                chosen_ = self._placed(chosen_, places)
            if chosen_ and (kept or not all(item.guessed for item in chosen_)):
                kept.append((each, chosen_))
        if looks <= 0 and places > 0 and kept:
            there = [(each, found) for each, found in kept if any(self._is_there(item, places) for item in found)]
            if there and there[0][1][0].kind in ("number", "none") and there[0][1][0].head is None:
                kept = kept[kept.index(there[0]) :]
        return kept

    def _is_there(self, item: Item, places: int) -> bool:
        """Whether a group is where the question wants it, and stands for itself."""
        return self.fits[id(item)][1] >= places and not (item.added or item.guessed or item.ordinal)

    def _placed(self, found: list[Item], places: int) -> list[Item]:
        """Of the groups of a statement, those at the place that was asked for."""
        there = [self.fits[id(item)][1] >= places for item in found]
        if not any(self._is_there(item, places) for item in found) or all(there):
            return found
        if there[0]:
            self.mixed = self.mixed or any(there[there.index(False) :])
            return [item for item, here in zip(found, there, strict=True) if here or item.guessed]
        later = [item for item, here in zip(found, there, strict=True) if here]
        self.mixed = self.mixed or not (later[0].part or later[0].head is None)
        return later

    def _fits_less(self, item: Item, first: Item) -> bool:
        """Whether the question fits a group less than the one before."""
        return sum(self.fits.get(id(item), (0, 0))) < sum(self.fits.get(id(first), (0, 0)))

    def _fits(self, statement: Statement, found: Sequence[Item]) -> list[tuple[int, int]]:
        """How many of the looks and places that were asked for each group has; looks are -1 if it cannot be it."""
        fits: list[tuple[int, int]] = []
        before = {_same(word) for word in self.lowers[statement.first : found[0].first]}
        for place in reversed(range(len(found))):
            item, following = found[place], found[place + 1] if place + 1 < len(found) else None
            end = following.first if following else statement.end
            joined = (
                following is not None
                and following.head is not None
                and all(word in _JOINS for word in self.lowers[item.last + 1 : following.first])
            )
            around = {_same(word) for word in self.lowers[item.first : end]} | before
            own = _fit(self.asked, around, self._own(item, end))
            if joined and own[0] >= 0 and not self._looks(item):
                own = max(own[0], fits[-1][0]), max(own[1], fits[-1][1])
            fits.append(own)
        return fits[::-1]

    def _looks(self, item: Item) -> bool:
        return any(word in LOOKS for word in self.lowers[item.first : item.last])

    def _own(self, item: Item, end: int) -> set[str]:
        """The words that are said of a group itself: up to the next noun, with what it does to that."""
        other = next((each for each in self.parse.items if item.last < each.first < end and each.head), None)
        places = list(range(item.first, other.first if other else end))
        if other is not None:
            places += [at for at in range(other.first, other.last) if self.parse.tags[at] in ("VBG", "VBN")]
        return {
            _same(part) for place in places for part in (self.lowers[place], *self.lowers[place].split("-")) if part
        }

    # --- whether something is so -------------------------------------------------------------------------------------

    def _compared(self, statements: Sequence[Statement]) -> bool | None:
        """Whether a number that the answer gives is one that the question asks about."""
        claim = self._claim(statements)
        bounds = self.asked.bounds
        if claim is None or isinstance(claim, str) or bounds is None:
            return None
        if bounds[0] <= claim[0] and (bounds[1] is None or (claim[1] is not None and claim[1] <= bounds[1])):
            return True
        apart = (claim[1] is not None and claim[1] < bounds[0]) or (bounds[1] is not None and claim[0] > bounds[1])
        return False if apart else None

    def _is_less(self, statement: Statement) -> bool:
        """Whether a statement speaks of some only, compares, or names another place."""
        asked, said = self.asked.words, self.lowers[statement.first : statement.end]
        if not _THAN.isdisjoint(asked) or any(cue.kind == "except" for cue in self.parse.cues):
            return True
        if any(self.parse.cues_in(each, "contrast") for each in self.parse.statements if each.first >= statement.end):
            return True
        numbers = [
            item for item in self.parse.items_in(statement) if item.kind == "number" and item.first == statement.first
        ]
        if any(self.lowers[item.first] not in asked for item in numbers):
            return True
        for place, word in enumerate(asked):
            if word in _PLACE and place + 1 < len(asked) and word in said:
                near = self.asked.rest.intersection(asked[place + 1 : place + 4])
                at = said.index(word)
                if set(said).intersection(near) and not set(said[at + 1 : at + 5]).intersection(near):
                    return True
        return False

    def _is_mixed(self, statement: Statement, rest: set[str]) -> bool:
        """Whether "and" joins what was asked with what excludes it: "black and white"."""
        said = [_same(word) for word in self.lowers[statement.first : statement.end]]
        joined = (said[at - 1 : at + 2 : 2] for at in range(1, len(said) - 1) if said[at] in _AND)
        return any(not rest.isdisjoint(pair) and excludes(*pair) for pair in joined)

    def _restated(self, statements: Sequence[Statement]) -> bool | None:
        """Whether the first statement repeats what was asked, denies it, or says what excludes it."""
        rest = {_same(word) for word in self.asked.rest}
        for item in self.parse.items:
            gone = item.denied or item.kind == "none"
            if gone and item.whole and item.head in self.asked.subject and item.first == item.last - 1:
                return False  # "There is no cat"
        for statement in statements[:1]:
            said = {_same(singular_of(word) or word) for word in self.lowers[statement.first : statement.end]}
            denied = bool(self.parse.cues_in(statement, "deny", "deny_behind")) or not _NOT.isdisjoint(
                self.lowers[statement.first : statement.end]
            )
            begins = next((word for word in self.lowers[statement.first : statement.end] if word[0].isalpha()), "")
            if begins in _HE:
                rest -= {_same(word) for word in self.asked.subject}
            missing = rest - said
            if self.parse.cues_in(statement, "unsure", "guess", "suppose", "partly") or self._is_less(statement):
                return None
            if rest and not missing:
                return None if self._is_mixed(statement, rest) and not denied else not denied
            if len(missing) == 1 and (len(rest) > 1 or begins in _HE) and not denied:
                word = next(iter(missing))
                if any(excludes(word, other) for other in said):
                    return False
        return None


def _fit(asked: Question, around: set[str], own: set[str]) -> tuple[int, int]:
    looks = {_same(word) for word in asked.looks}
    places = {_same(word) for word in asked.rest} - looks
    theirs = {_same(word) for word in asked.theirs}
    if any(excludes(word, other) for word in theirs - around for other in around - looks):
        return -1, 0
    own = {*own, *(around & _SAME_SIDES), *(around & theirs)}
    missing = looks - own - theirs
    if any(excludes(word, other) for word in missing for other in own if other not in looks):
        return -1, 0
    return len(looks & own), len(places & around)


def _rest_of(asked: Question) -> set[str]:
    return {_same(word) for word in asked.rest}


def _sum(one: Interval, other: Interval) -> Interval:
    return one[0] + other[0], None if one[1] is None or other[1] is None else one[1] + other[1]


@functools.lru_cache(maxsize=65536)
def _same(word: str) -> str:
    """A word without its ending, by another one for the same: "wears" and "wearing" are one."""
    if word in LOOKS:
        return _SAME.get(word, word)
    word = singular_of(word) or word
    word = _SAME.get(word, word)
    if word in LOOKS:
        return word
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) > 2), "")
    stem = word.removesuffix(ending)
    return stem[:-1] if ending and stem[-1] == stem[-2] else stem.removesuffix(_SILENT)


def excludes(word: str, other: str) -> bool:
    """Whether nothing is as both words say."""
    if word == other:
        return False
    if any(word in group and other in group for group in _EXCLUSIVE):
        return True
    for sides in _SIDES:
        mine = [side for side in sides if word in side]
        if mine and any(other in side for side in sides if side not in mine):
            return True
    return False


_ALONE = words("words", "after_yes", "words")
_SURE = words("words", "sure", "words")
_NOT = words("words", "not", "words")
_NOT_SO = _NOT | words("words", "rather", "words")
_OF = words("words", "of", "words")
_OF_ALONE = words("scene", "of_alone", "words")
_ENDINGS, _SILENT = tables("words")["ending"][0]["words"].split(), "e"
_THE = words("words", "definite", "words")
_OTHERS, _THAN, _PLACE = (words("words", table, "words") for table in ("others", "than", "place"))
_HE = words("words", "he", "words")
_PLAINLY = words("words", "plainly", "words")
_YES, _NO = tables("words")["plainly"][0]["words"].split()[:2]
_KIN, _POSSESSIVE = words("words", "kin", "words"), words("words", "possessive", "words")
_EVERY = words("words", "every", "words")
_ACTUAL = words("words", "actual", "words")
_YOUNG = words("words", "young", "words")
_ONLY, _LISTING = words("words", "only", "words"), words("words", "strings", "words") | {","}
_EACH = tables("words")["each"][0]["words"].split()[0]
_LATE = words("words", "late", "words")
_JOINS = _AND | _OR | words("words", "article", "words") | {","}
_SAME_SIDES = {_same(side) for side in SIDES}
_SURE_KINDS = ("number", "none", "vague", "article")
