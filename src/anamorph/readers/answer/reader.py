"""The answer reader: what a visual question answerer says becomes an interval, and whether what was asked for is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from anamorph.language.amounts import Amount, find_amounts
from anamorph.language.mentions.finding import find_mentions
from anamorph.language.morphology import PAIRED
from anamorph.language.tokens import Tokens, tokenize
from anamorph.language.unreadable import why_unreadable
from anamorph.language.wrapping import unwrapped
from anamorph.model import Answer, Reading, Unreadable
from anamorph.model.reading import AnswerReading, Mention
from anamorph.readers.answer.attributes import attribute_amount
from anamorph.readers.answer.question import PICTURES, Question, namer, tagger, understood
from anamorph.readers.answer.structured import conclusion, from_json, plain_text
from anamorph.readers.answer.wordings import absent_at, begins_to_tell, plain_yes, says_unsure, unsure_at

# A longer answer says what it says at its beginning.
_BEGINNING = 2000
# Shorter answers with an amount are no refusals: "none", "no dogs".
_TERSE = 4
_NOTHING_ASKED = Question(None, ())
_BULLET = re.compile(r"^[ \t]*(?:[-*\u2022\u2023\u25cf]|\(?\d{1,2}[.):])[ \t]+", re.MULTILINE)
_TOTAL = re.compile(
    r"\b(?:in\s+total|altogether|in\s+all|all\s+together|in\s+sum|overall|combined)\b|\btotal(?:l?ing)?(?:\s+of|\s*:|\s+is)?",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\W*(?:yes\s*(?:or|/|and)\s*no|no\s*(?:or|/|and)\s*yes)\W*$", re.IGNORECASE)
_CONTRADICTION = "it says that there is one and that there is none"


class _Claim(NamedTuple):
    """An interval that a clause claims of what was asked for.

    `total` says that this is all, `more` that it comes on top of what was said before; `targets` are the kinds of things
    that it speaks of.
    """

    least: int
    most: int | None
    total: bool = False
    targets: frozenset[int] = frozenset()
    more: bool = False


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """Reads an answer to a question as an interval of numbers, and as whether what was asked for is there."""

    kind: ClassVar[str] = "answer"

    def read(self, answer: Answer, question: str | None = None) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a text")
        return self.read_text(answer.text, question)

    def read_text(self, text: str, question: str | None = None) -> AnswerReading | Unreadable:
        """What an answer says; where a question is given, only what it asks for counts."""
        asked = understood(question) if question else _NOTHING_ASKED
        message = plain_text(text)
        said = from_json(message)
        if said is not None:
            return _from_json(text, said, asked)
        if question and _letters(message) == _letters(question):
            return Unreadable(text, "it repeats the question")
        last = conclusion(message)
        if last is not None and last.strip() != message.strip():
            found = _Interpreter(text, last[:_BEGINNING], asked).reading()
            if isinstance(found, AnswerReading):
                return found
        return _Interpreter(text, message.strip()[:_BEGINNING], asked).reading()


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def _from_json(text: str, said: Any, asked: Question) -> AnswerReading | Unreadable:
    if isinstance(said, bool):
        return _of_yes(text, said, asked)
    if isinstance(said, int):
        return AnswerReading(text, said, said) if said >= 0 else Unreadable(text, "a number below zero")
    if isinstance(said, str):
        return _Interpreter(text, said, asked).reading()
    labels = [_label_of(each) for each in said]
    if asked.targets and any(labels):
        matching = [each for each in labels if each and any(_names(each, asked))]
        return AnswerReading(text, len(matching), len(matching))
    return AnswerReading(text, len(said), len(said))


def _label_of(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        for key in ("label", "class", "name", "object", "category"):
            if isinstance(item.get(key), str):
                return str(item[key])
    return None


def _names(text: str, asked: Question) -> list[bool]:
    tokens = tokenize(text)
    found = find_mentions(text, tokens, tagger().tag(tokens), namer())
    return [True for mention in found if asked.target(mention.head, mention.label) is not None]


def _of_yes(text: str, yes: bool, asked: Question) -> AnswerReading | Unreadable:
    if asked.asks == "how-many":
        return AnswerReading(text, 0, 0, yes=False) if not yes else Unreadable(text, "it does not say how many")
    there = yes if asked.asks != "is-there-no" else not yes
    least, most = (1, None) if there else (0, 0)
    return AnswerReading(text, least, most, yes=yes, assumed=asked.asks is None)


class _Item(NamedTuple):
    """One amount of what was asked for; `bare` where only a noun or its article says it."""

    place: int
    least: int
    most: int | None
    bare: bool
    target: int = 0


class _Clause(NamedTuple):
    first: int
    last: int  # one past the end
    listed: bool


class _Interpreter:
    """What one answer says, clause by clause."""

    def __init__(self, whole: str, text: str, asked: Question) -> None:
        self.whole, self.asked = whole, asked
        self.listed = [found.start() for found in _BULLET.finditer(text)]
        if len(self.listed) < 2:
            self.listed = []
        blanked = _BULLET.sub(lambda found: "\x00" * len(found[0]), text) if self.listed else text
        self.raw = text
        self.text = unwrapped(blanked.replace("\x00", " "))
        self.tokens: Tokens = tokenize(self.text)
        self.lowers = self.tokens.lowers

    def reading(self) -> AnswerReading | Unreadable:
        asked, text = self.asked, self.text
        if not any(word[0].isalnum() for word in self.lowers):
            return self._unreadable()
        amounts = find_amounts(self.lowers)
        terse = len(self.lowers) < _TERSE and any(amount.kind != "article" for amount in amounts)
        if not terse and absent_at(text) is None and (refusal := why_unreadable(text, self.tokens)):
            return Unreadable(self.whole, refusal)
        self.tags = tagger().tag(self.tokens)
        self.amounts = _without_names(amounts, self.tokens, self.tags)
        self.mentions = [
            mention
            for mention in find_mentions(text, self.tokens, self.tags, namer())
            if mention.head not in PICTURES
        ]
        if [word for word in self.lowers if word[0].isalnum()] in (["a"], ["an"]):
            return AnswerReading(self.whole, 1, 1)
        self.places = {end: place for place, end in enumerate(self.tokens.ends)}
        self.clauses = self._clauses()
        yes = plain_yes(self.lowers)
        claim = self._claim(yes)
        if isinstance(claim, Unreadable):
            return claim
        if (claim is None and yes is None) or _EITHER.match(text):
            return self._unreadable()
        if claim is not None and yes is False and claim.least > 0 and not asked.targets:
            # Whatever was asked for, it is something else that is there.
            claim = None
        if claim is None:
            assert yes is not None
            if says_unsure(text):
                return Unreadable(self.whole, "the system does not know")
            return _of_yes(self.whole, yes, asked)
        if yes is not None:
            there = yes if asked.asks != "is-there-no" else None
            denied = claim.most == 0
            if there is True and denied and asked.asks != "how-many":
                return Unreadable(self.whole, _CONTRADICTION)
            if there is False and claim.least > 0 and asked.asks == "is-there":
                return Unreadable(self.whole, _CONTRADICTION)
        return AnswerReading(self.whole, claim.least, claim.most, yes=yes)

    def _unreadable(self) -> Unreadable:
        reason = why_unreadable(self.text, self.tokens)
        if reason is None:
            if says_unsure(self.text):
                reason = "the system does not know"
            elif self.asked.asks is not None and len(self.lowers) > 3:
                reason = "it looks like a caption, not like an answer to the question"
            else:
                reason = "it says neither how many nor yes or no"
        return Unreadable(self.whole, reason)

    # --- clauses ---

    def _clauses(self) -> list[_Clause]:
        found: list[_Clause] = []
        first = 0
        starts = set(self.listed)
        listed = False
        for place, word in enumerate(self.lowers):
            begins = self.tokens.starts[place]
            before = self.tokens.ends[place - 1] if place else 0
            gap = self.raw[before:begins] if len(self.raw) == len(self.text) else ""
            if place > first and "\n" in gap:
                found.append(_Clause(first, place, listed))
                first = place
            if "\n" in gap or place == 0:
                listed = any(before <= start <= begins for start in starts)
            if word in (".", "!", "?", ";") and place + 1 < len(self.lowers):
                found.append(_Clause(first, place + 1, listed))
                first = place + 1
        if first < len(self.lowers):
            found.append(_Clause(first, len(self.lowers), listed))
        return [clause for clause in found if clause.last > clause.first]

    def _claim(self, yes: bool | None) -> _Claim | Unreadable | None:
        if self.asked.attributes:
            found = attribute_amount(self.text, self.lowers, self.tags, self.amounts, self.asked)
            if found is not None:
                return _Claim(*found)
        claims: list[_Claim] = []
        listed: list[_Claim] = []
        for clause in self.clauses:
            if self.lowers[clause.last - 1] == "?":
                continue
            claim = self._of_clause(clause, yes, begun=bool(claims))
            if claim is not None:
                (listed if clause.listed else claims).append(claim)
        if not claims and self.listed and self.asked.targets:
            return self._of_list(listed)
        if not claims:
            return None
        first = claims[0]
        if self._is_unsure():
            return Unreadable(self.whole, "the system does not know")
        if first.most == 0 and any(claim.least > 0 for claim in claims[1:]):
            return Unreadable(self.whole, _CONTRADICTION) if yes is None else claims[0]
        if first.least > 0 and any(claim.most == 0 for claim in claims[1:]):
            return Unreadable(self.whole, _CONTRADICTION)
        return next((claim for claim in claims if claim.total), None) or _summed(claims)

    def _is_unsure(self) -> bool:
        """ "I am not sure, but there are three" says three after all, and so does "Three, though it is hard to tell"."""
        at = unsure_at(self.text)
        if at is None:
            return False
        said = [self.tokens.starts[a.first] for a in self.amounts if a.kind in ("number", "vague", "none")]
        if any(place < at for place in said):
            return False
        return not (" but " in self.text.lower()[at:] and said)

    def _of_list(self, listed: Sequence[_Claim]) -> _Claim | None:
        """A list whose items are what was asked for, with no number before it."""
        if not listed:
            return None
        least = sum(max(claim.least, 0) for claim in listed)
        most = None if any(claim.most is None for claim in listed) else sum(claim.most or 0 for claim in listed)
        return _Claim(least, most)

    def _of_clause(self, clause: _Clause, yes: bool | None, *, begun: bool) -> _Claim | None:
        text = self.text[self.tokens.starts[clause.first] : self.tokens.ends[clause.last - 1]]
        amounts = [a for a in self.amounts if clause.first <= a.first < clause.last]
        items, denied, others = self._items(clause, amounts, known=begun or yes is not None)
        total = _TOTAL.search(text)
        if total is not None and (amount := self._total(clause, amounts, total)) is not None:
            return _Claim(amount.least, amount.most, True)
        absent = absent_at(text) is not None
        if not items:
            if denied or (absent and (self._speaks_of_target(clause) or not others or not self.asked.targets)):
                return _Claim(0, 0)
            return None
        if denied or (absent and all(item.bare for item in items)):
            return _Claim(0, 0)
        least = sum(item.least for item in items)
        most = None if any(item.most is None for item in items) else sum(item.most or 0 for item in items)
        spoken = frozenset(item.target for item in items)
        more = not _MORE_OF_THEM.isdisjoint(self.lowers[clause.first : clause.last])
        return _Claim(least, most, False, spoken, more)

    def _speaks_of_target(self, clause: _Clause) -> bool:
        return any(
            self.asked.target(mention.head, mention.label) is not None
            for mention in self._mentions_in(clause)
        )

    def _mentions_in(self, clause: _Clause) -> list[Mention]:
        low, high = self.tokens.starts[clause.first], self.tokens.ends[clause.last - 1]
        return [mention for mention in self.mentions if low <= mention.start < high]

    def _total(self, clause: _Clause, amounts: Sequence[Amount], total: re.Match[str]) -> Amount | None:
        """The amount that is said to be the total: the nearest one, behind "a total of", else before "in total"."""
        counted = [a for a in amounts if a.kind in ("number", "vague", "none")]
        if not counted:
            return None
        mark = self.tokens.starts[clause.first] + total.start()
        behind = [a for a in counted if self.tokens.starts[a.first] >= mark]
        before = [a for a in counted if self.tokens.starts[a.first] < mark]
        if total[0].lower().startswith("total") and behind:
            return behind[0]
        return before[-1] if before else behind[0]

    def _items(
        self, clause: _Clause, amounts: Sequence[Amount], *, known: bool
    ) -> tuple[list[_Item], bool, bool]:
        """The amounts of what was asked for, whether it is denied, and whether other things are named."""
        lowers, tags = self.lowers, self.tags
        used: set[Amount] = set()
        items: list[_Item] = []
        denied = False
        others = False
        before: Amount | None = None  # of something else
        for mention in self._mentions_in(clause):
            place = self.places.get(mention.end)
            if place is None:
                continue
            amount = self._amount_of(place, clause.first, amounts)
            if amount is not None:
                used.add(amount)
            if not self._targeted(mention) or not self._is_linked(place, items):
                others = True
                before = amount if amount is not None and amount.kind == "number" else before
                continue
            if mention.again and items:
                continue
            if (amount is not None and amount.kind == "none") or (amount is None and mention.absent):
                denied = True
            elif amount is not None:
                least, most = self._of_pair(amount)
                if before is not None and "each" in lowers[before.last : place]:
                    least, most = before.least * least, before.least * least
                items.append(_Item(place, least, most, amount.kind == "article", self._target_place(mention)))
            elif (self.asked.targets or begins_to_tell(self.text)) and not self._is_reference(place, known):
                found = _of_bare(mention, self._is_determined(place))
                items.append(_Item(place, *found, True, self._target_place(mention)))
        for amount in amounts:
            if amount in used:
                continue
            if amount.kind == "article":
                if lowers[amount.first] == "another" and (items or known) and self._is_elliptical(amount, clause):
                    items.append(_Item(amount.last, 1, 1, False))
            elif amount.kind == "none":
                denied = denied or self._denies(amount, clause)
            elif self._is_pronoun(amount, clause):
                if items or known:
                    items.append(_Item(amount.last, 1, 1, False))
            elif self._is_elliptical(amount, clause):
                items.append(_Item(amount.last, *self._of_pair(amount), False))
        items.extend(self._ones(clause, amounts, used))
        if any(not item.bare for item in items):
            # "Cups: 2", "The number of dogs is 3", "There are dogs, two on the left"
            items = [item for item in items if not item.bare or item.most is not None and lowers[item.place - 1] != "of"]
            items = [item for item in items if not (item.bare and item.least > 1)]
        items.sort()
        return self._without_parts(items), denied and not items, others

    def _ones(self, clause: _Clause, amounts: Sequence[Amount], used: set[Amount]) -> list[_Item]:
        """ "three small ones"."""
        found = []
        for place in range(clause.first, clause.last):
            if self.lowers[place] == "ones":
                amount = self._amount_of(place, clause.first, amounts)
                if amount is not None and amount not in used:
                    found.append(_Item(place, amount.least, amount.most, False))
        return found

    def _target_place(self, mention: Mention) -> int:
        for place, target in enumerate(self.asked.targets):
            if target.covers(mention.head, mention.label):
                return place
        return 0

    def _of_pair(self, amount: Amount) -> tuple[int, int | None]:
        """A pair of skis is one."""
        if any(target.head in PAIRED or target.label in PAIRED for target in self.asked.targets):
            words = self.lowers[amount.first : amount.last + 1]
            if words == ["a", "pair"]:
                return 1, 1
        return amount.least, amount.most

    def _is_pronoun(self, amount: Amount, clause: _Clause) -> bool:
        """ "a black one", "another smaller one"."""
        place = amount.first
        return (
            self.lowers[place] == "one"
            and amount.last == place
            and place > clause.first
            and self.tags[place - 1] in ("JJ", "JJR", "DT")
            and self.lowers[place - 1] not in ("only", "just", "the")
        )

    def _without_parts(self, items: list[_Item]) -> list[_Item]:
        """What stands behind a colon or in brackets only takes the number before it apart."""
        if len(items) > 2 and items[0].most is not None and self._apart(items):
            return items[:1]
        kept: list[_Item] = []
        for number, item in enumerate(items):
            if kept:
                if self.lowers[item.place + 1 : item.place + 3] in _OF_THEM:
                    continue
                if number == len(items) - 1 and self._is_apposition(kept[-1], item):
                    continue
                between = self.lowers[kept[-1].place + 1 : item.place]
                if not _PARTING.isdisjoint(between):
                    break
                if not _CORRECTING.isdisjoint(between) and not item.bare:
                    kept = []
                elif between[:1] == ["of"] and item.least >= kept[-1].least:
                    kept.pop()
                elif "of" in between[:1] or not {"which", "whom", "each"}.isdisjoint(between):
                    continue
            kept.append(item)
        return kept

    def _is_apposition(self, before: _Item, item: _Item) -> bool:
        """ "One person, a surfer riding a wave": the same one in other words."""
        between = self.lowers[before.place + 1 : item.place]
        return item.bare and before.least == before.most == 1 and between[:1] == [","] and "and" not in between

    def _apart(self, items: Sequence[_Item]) -> bool:
        """ "Two dogs, one brown and one white": the rest adds up to the first, behind a comma."""
        whole, *parts = items
        between = self.lowers[whole.place + 1 : parts[0].place]
        return "," in between and all(part.most is not None for part in parts) and (
            sum(part.least for part in parts) == whole.least == whole.most
        )

    def _targeted(self, mention: Mention) -> bool:
        if not self.asked.targets:
            return True
        if mention.head == "pair" and any(target.head in PAIRED for target in self.asked.targets):
            return True
        return self.asked.target(mention.head, mention.label) is not None

    def _is_linked(self, place: int, items: Sequence[_Item]) -> bool:
        """Without a question, what counts is what the answer lists first: "[two dogs and a cat] on a sofa"."""
        if self.asked.targets or not items:
            return True
        between = range(items[-1].place + 1, place)
        return not any(self.tags[each] in _LEAVING or self.lowers[each] in "(:;" for each in between)

    def _is_determined(self, place: int) -> bool:
        return any(word in _DETERMINERS for word in self.lowers[max(0, place - 3) : place])

    def _is_reference(self, place: int, known: bool) -> bool:
        """ "the dogs" after they were counted, or before they are, claims nothing new."""
        back = self.lowers[max(0, place - 4) : place]
        definite = any(word in _DEFINITE for word in back)
        return definite and (known or self.asked.asks == "how-many")

    def _amount_of(self, place: int, first: int, amounts: Sequence[Amount]) -> Amount | None:
        """The amount that belongs to the noun at a place: nothing but its own words stand between."""
        by_last = {amount.last: amount for amount in amounts}
        best: Amount | None = None
        each = place - 1
        while each >= first:
            amount = by_last.get(each)
            if amount is not None:
                if amount.kind != "article" or best is None:
                    best = amount
                if amount.kind != "article":
                    return amount
                each = amount.first - 1
                continue
            word, tag = self.lowers[each], self.tags[each]
            if word == "of" and (each - 1 in by_last or self.lowers[each - 1] in _QUANTIFIERS):
                each -= 1
                continue
            if word in _QUANTIFIERS or tag in _INSIDE or (tag == "CC" and self.tags[each - 1] in ("JJ", "VBN")):
                each -= 1
                continue
            break
        return best

    def _denies(self, amount: Amount, clause: _Clause) -> bool:
        following = self.lowers[amount.last + 1] if amount.last + 1 < clause.last else "."
        word = self.lowers[amount.first]
        if word == "no" and amount.first == amount.last:
            # "No, ..." is a no; "no" before another noun says nothing of what was asked for.
            return False
        if word == "neither":
            return True
        return not following[0].isalnum() or following in _AFTER_AMOUNT or word in ("none", "nobody", "nothing", "zero")

    def _is_elliptical(self, amount: Amount, clause: _Clause) -> bool:
        """Whether an amount stands for what was asked for without naming it: "Two on the left"."""
        following = self.lowers[amount.last + 1] if amount.last + 1 < clause.last else "."
        if not following[0].isalnum() or following in _AFTER_AMOUNT:
            return True
        tag = self.tags[amount.last + 1]
        return tag in ("IN", "VBZ", "VBP", "VBD", "VBG", "VBN", "MD", "RB", "WDT", "WP", "CC", "TO", "EX") or (
            tag == "JJ" and (amount.last + 2 >= clause.last or self.tags[amount.last + 2] not in _NOUN_TAGS)
        )


_INSIDE = frozenset(("JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "DT", "PRP$", "POS", "PDT", "RB", "CD"))
_NOUN_TAGS = frozenset(("NN", "NNS", "NNP", "NNPS", "JJ"))
_QUANTIFIERS = frozenset(("group", "pair", "couple", "bunch", "number", "total", "lot", "lots", "family", "herd", "flock"))
_AFTER_AMOUNT = frozenset(
    "in on at by with near behind beside of from are is were was can that which who visible present here there more and"
    " or to total altogether next under over inside outside them each"
    .split()
)


_LEAVING = frozenset(("IN", "TO", "VBG", "VBN", "VBZ", "VBP", "WDT", "WP", "WRB", "RB"))
_PARTING = frozenset((":", "(", "\u2014", "\u2013", "including", "namely", "consisting", "comprising"))
_CORRECTING = frozenset(("but", "actually", "rather", "correction"))
_OF_THEM = (["of", "which"], ["of", "whom"], ["of", "them"], ["of", "these"], ["of", "those"])
_MORE_OF_THEM = frozenset(("another", "additional", "second", "third", "fourth", "more"))
_DEFINITE = frozenset(("the", "these", "those"))
_DETERMINERS = frozenset((*_DEFINITE, "this", "that", "a", "an", "another", "my", "your", "their", "its", "his", "her"))


def _summed(claims: Sequence[_Claim]) -> _Claim:
    """The first claim, with later ones that speak of other things that were asked for, or of more of the same."""
    first = claims[0]
    least, most, spoken = first.least, first.most, first.targets
    for claim in claims[1:]:
        if claim.more or (claim.targets and claim.targets.isdisjoint(spoken)):
            least += claim.least
            most = None if most is None or claim.most is None else most + claim.most
            spoken |= claim.targets
    return _Claim(least, most)


def _of_bare(mention: Mention, determined: bool) -> tuple[int, int | None]:
    """The interval of a noun with no amount: "dogs" are at least two, "the dog" is one, "broccoli" is open."""
    if mention.count is not None:
        return mention.count, mention.count
    if mention.number == "plural":
        return 2, None
    return (1, 1) if mention.number == "singular" and determined else (1, None)


def _without_names(amounts: Sequence[Amount], tokens: Tokens, tags: Sequence[str]) -> list[Amount]:
    """The amounts without numbers that are names, times, ages, prices and the like."""
    return [amount for amount in amounts if amount.kind != "number" or not _is_a_name(amount, tokens, tags)]


_NAMED = frozenset(
    "number no # player route gate flight track platform channel step figure bus line room highway interstate page model"
    " type size jersey seat lane level floor version".split()
)
_UNITS = frozenset(
    "years year year-old years-old yr months weeks days hours hour minutes seconds o'clock am pm a.m p.m percent % inches"
    " inch feet foot ft cm mm m km meters metres miles mph dollars cents euros degrees pounds kg lbs liters ml oz speed"
    " wheel wheeled wheels story stories storey megapixels gb".split()
)


def _is_a_name(amount: Amount, tokens: Tokens, tags: Sequence[str]) -> bool:
    lowers, texts = tokens.lowers, tokens.texts
    before = lowers[amount.first - 1] if amount.first else ""
    following = lowers[amount.last + 1] if amount.last + 1 < len(lowers) else ""
    if before == "-" and amount.first == 1:
        return True
    if not lowers[amount.first][0].isdigit():
        return following in ("o'clock", "percent", "year-old", "years-old")
    if before in _NAMED:
        return True
    if before in ("$", "\u20ac", "\u00a3", "#") or following in ("%", "$") or following in _UNITS:
        return True
    if following == ":" and amount.last + 2 < len(lowers) and lowers[amount.last + 2].isdigit():
        return True
    if before == ":" and amount.first > 1 and lowers[amount.first - 2].isdigit():
        return True
    # "Boeing 737", "Gate B 12"
    return amount.first > 1 and texts[amount.first - 1][:1].isupper() and lowers[amount.first - 2] not in (".", ":")
