"""The counted noun groups of a text: every noun with how many there are of it, and every amount without a noun."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from anamorph.model.reading import GrammaticalNumber
from anamorph.reading.amounts import Amount, find_amounts
from anamorph.reading.cues import Found, cues_of, tables, words
from anamorph.reading.morphology import ZERO_PLURALS
from anamorph.reading.naming import Namer
from anamorph.reading.phrases import find_phrases, is_paired
from anamorph.reading.quantity import MASSES, number_of
from anamorph.reading.tagging.taggers import RULES, find_tagger, tagged
from anamorph.reading.tokens import Tokens, tokenize

_YEAR = re.compile(r"(?:18|19|20)\d\d")
# number: said exactly or as a range. vague: "several". none: "no dogs". article: "a dog". the: "the dog". bare: "dogs".
Kind: TypeAlias = Literal["number", "vague", "none", "article", "the", "bare"]

_CUES = cues_of("claims")
_DEFINITE = words("words", "definite", "words")
_INSIDE = frozenset(
    ("DT", "PDT", "JJ", "JJR", "JJS", "CD", "VBN", "VBG", "NN", "NNS", "NNP", "NNPS", "PRP$", "RB", "POS")
)
_LINKS = words("words", "of", "words")
_EQUALS = frozenset((":", "=", "(", "|", "\u2013", "-"))
_FAMILIES = words("words", "family", "words")
_ADDING = words("words", "another", "words")
_ARTICLES = words("words", "article", "words")
_WHOSE = words("words", "whose", "words")
_PAIRS = words("words", "pair", "words")
_PRONOUNS = words("words", "pronoun", "words")
ORDINALS = {word: place for row in tables("words")["ordinal"] for place, word in enumerate(row["words"].split(), 2)}
_UNITS, _LABELLED = words("words", "unit", "words"), words("words", "numbered", "words")


@dataclass(slots=True)
class Item:
    """A noun group or a lone amount: the words from `first` to `last`, and what is said of it."""

    first: int
    last: int
    head: str | None
    label: str | None
    may_be: tuple[str, ...]
    least: int
    most: int | None
    kind: Kind
    determiner: str = ""
    whole: bool = True  # False for "two of the five dogs"
    denied: bool = False
    guessed: bool = False
    depicted: bool = False
    supposed: bool = False  # "if there is a dog"
    total: bool = False
    concluded: bool = False  # the number that an answer comes to: "so two"
    added: bool = False  # "another dog"
    part: bool = False  # "one of them", "the other one"
    of: int | None = None  # the five of "two of the five dogs"
    ordinal: int = 0  # the third of "a third dog"
    start: int = 0
    end: int = 0
    number: GrammaticalNumber = "unknown"
    plural: bool = False
    collective: str = ""
    kin: bool = False
    lives: bool = False
    unclaimed: str = ""
    phrase: Any = None
    single: bool = False  # glasses that are no pair: wine glasses
    stands: str = ""
    noun: int = 0  # where its noun stands

    @property
    def claimed(self) -> bool:
        """Whether the text says how many of it there are; none of what is denied."""
        return not (self.depicted or self.supposed)

    @property
    def definite(self) -> bool:
        return self.kind == "the"


@dataclass(frozen=True, slots=True)
class Statement:
    """The words from `first` up to `end`, which state one thing; `listed` is an item of a list."""

    first: int
    end: int
    listed: bool = False
    explains: bool = False  # what follows a colon or stands in brackets


@dataclass(frozen=True, slots=True)
class Parse:
    """A text with its words, its cues, its counted groups and its statements."""

    text: str
    tokens: Tokens
    tags: Sequence[str]
    cues: Sequence[Found]
    items: Sequence[Item]
    statements: Sequence[Statement]
    stops: Sequence[int]  # the last place of each sentence or line
    named: Sequence[Item]  # the items that have a noun
    nouns: Sequence[int]  # where their nouns stand

    @property
    def titled(self) -> bool:
        """Whether most words begin with a capital letter."""
        found = [word for word in self.tokens.texts[:400] if word[0].isalpha()]
        return sum(word[0].isupper() for word in found) * 2 > len(found)

    def word(self, place: int) -> str:
        return self.tokens.lowers[place] if 0 <= place < len(self.tokens.lowers) else ""

    def tag(self, place: int) -> str:
        return self.tags[place] if 0 <= place < len(self.tags) else ""

    def sentence(self, place: int) -> tuple[int, int]:
        """Where the sentence of a place begins and ends."""
        number = bisect_left(self.stops, place)
        start = self.stops[number - 1] + 1 if number else 0
        return start, min(self.stops[min(number, len(self.stops) - 1)] + 1, len(self.tokens.lowers))

    def named_from(self, low: int, high: int) -> Sequence[Item]:
        """The noun groups whose noun stands from `low` up to, not with, `high`."""
        return self.named[bisect_left(self.nouns, low) : bisect_left(self.nouns, high)]

    def after(self, place: int) -> Item | None:
        """The first noun group whose noun stands at a place or later."""
        number = bisect_left(self.nouns, place)
        return self.named[number] if number < len(self.named) else None

    def before(self, place: int) -> Item | None:
        """The last noun group before a place, in the same sentence."""
        number = bisect_left(self.nouns, place) - 1
        return self.named[number] if number >= 0 and self.nouns[number] >= self.sentence(place)[0] else None

    def at(self, place: int) -> Item | None:
        """The noun group whose noun stands at a place."""
        item = self.after(place)
        return item if item is not None and item.noun == place else None

    def listed(self, item: Item, step: int = 1) -> list[Item]:
        """A noun group and those that are strung to it by commas, "and" and "or", onwards or backwards."""
        items, number = self.named, bisect_left(self.nouns, item.noun)
        found = [item]
        while 0 <= number + step < len(items) and len(found) < _LONGEST_LIST:
            one, other = sorted((number, number + step))
            gap = self.tokens.lowers[items[one].noun + 1 : items[other].first]
            whose = items[other].determiner in _WHOSE  # "a woman, whose face is out of frame"
            if whose or not gap or not all(word in _STRINGS for word in gap):
                break
            number += step
            found.append(items[number])
        return found

    @property
    def lowers(self) -> list[str]:
        return self.tokens.lowers

    def items_in(self, statement: Statement) -> list[Item]:
        return [item for item in self.items if statement.first <= item.first < statement.end]

    def cues_in(self, statement: Statement, *kinds: str) -> list[Found]:
        return [cue for cue in self.cues if cue.kind in kinds and statement.first <= cue.first < statement.end]


def parsed(text: str, namer: Namer, lines: Collection[int] = ()) -> Parse:
    """An answer as its counted groups, with what is claimed of each; `lines` is where the items of a list begin."""
    tokens = tokenize(text)
    grouped = grouped_in(text, tokens, tagged(text, tokens, find_tagger(RULES)), namer)
    cues = _CUES.find(tokens.lowers)
    parse = replace(grouped, cues=cues, statements=_statements(text, tokens, cues, grouped.items, lines))
    for statement in parse.statements:
        _mark(parse, statement)
    return parse


def grouped_in(text: str, tokens: Tokens, tags: Sequence[str], namer: Namer) -> Parse:
    """A text as its counted groups; nothing is said yet of what is claimed."""
    items = _items(text, tokens, tags, namer)
    named = sorted((item for item in items if item.head is not None), key=lambda item: item.noun)
    nouns = [item.noun for item in named]
    return Parse(text, tokens, tags, (), items, (), _stops(text, tokens), named, nouns)


# --- groups ----------------------------------------------------------------------------------------------------------


def _items(text: str, tokens: Tokens, tags: Sequence[str], namer: Namer) -> list[Item]:
    lowers = tokens.lowers
    phrases = find_phrases(text, tokens, tags, namer)
    amounts = [amount for amount in find_amounts(lowers) if not _is_label(lowers, tags, amount)]
    items: list[Item] = []
    taken: set[int] = set()
    lasts = [amount.last for amount in amounts]
    for phrase in phrases:
        mention, head = phrase.mention, phrase.last
        own = [
            (place, amounts[place])
            for place in range(max(0, bisect_left(lasts, head - _NEAR)), bisect_left(lasts, head))
            if place not in taken
            and (amounts[place].kind != "article" or amounts[place].first >= phrase.first)
            and _reaches(text, tokens, tags, lasts[place], head)
            and not (tags[head + 1 : head + 2] == ["POS"] and _of(lowers, amounts[place]))  # "three of the dog's legs"
        ]
        taken.update(place for place, _ in own)
        item = Item(
            min(phrase.first, own[0][1].first) if own else phrase.first,
            head,
            mention.head,
            mention.label,
            mention.may_be,
            *_bare(mention.number, phrase.plural, phrase.determiner),
            phrase.determiner,
            start=mention.start,
            end=mention.end,
            number=mention.number,
            plural=phrase.plural or (mention.number == "plural" and lowers[head] in ZERO_PLURALS),
            collective=phrase.collective,
            kin=phrase.kin,
            lives=phrase.lives,
            phrase=phrase,
            noun=head,
            single=not is_paired(
                lowers[head], lowers[head + 1 : head + 2] == ["of"], tokens.starts[head] > mention.start
            ),
        )
        if phrase.collective in _PAIRS and mention.count is not None:
            item.least, item.most, item.kind = mention.count, mention.count, "number"
        elif own:
            _count(item, *_chosen([amount for _, amount in own], lowers), lowers)
            if phrase.collective in MASSES and item.kind == "vague" and not item.plural:
                item.least = min(item.least, 1)  # "a bit of graffiti"
            if item.kind == "number" and item.least > 1 and _describes(lowers, tags, item):
                item.least, item.most, item.kind = 1, 1, "article"
            if item.kind == "article" and mention.number == "plural":
                item.least, item.most, item.kind = (
                    (mention.count or 2),
                    mention.count,
                    "number" if mention.count else "vague",
                )
        elif mention.count == 0 or (mention.count is not None and phrase.collective):
            item.least = item.most = mention.count
            item.kind = "number" if mention.count else "none"
        if item.head in _PRONOUNS:
            item.head = item.label = None
        if lowers[item.last] in ORDINALS or any(word in ORDINALS for word in lowers[item.first : item.last]):
            item.ordinal = next(ORDINALS[word] for word in lowers[item.first : item.last + 1] if word in ORDINALS)
        items.append(item)
    lone = [amount for place, amount in enumerate(amounts) if place not in taken and _is_lone(lowers, amount)]
    for a in lone:
        kind: Kind = "number" if a.kind == "article" or (a.kind == "vague" and _is_counted(a, lowers)) else a.kind
        items.append(
            Item(
                a.first,
                a.last,
                None,
                None,
                (),
                a.least,
                a.most,
                kind,
                whole=not _of(lowers, a),
                added=lowers[a.first] in _ADDING,
            )
        )
    items += _ordinals(lowers, tags, items)
    return _merged(sorted(items, key=lambda item: item.first), lowers)


def _ordinals(lowers: Sequence[str], tags: Sequence[str], items: Sequence[Item]) -> list[Item]:
    """The "a third" of "two dogs, and possibly a third"."""
    inside = {place for item in items for place in range(item.first, item.last + 1)}
    return [
        Item(place - 1, place, None, None, (), 1, 1, _led_by(lowers[place - 1]), ordinal=ORDINALS[word])
        for place, word in enumerate(lowers)
        if word in ORDINALS and place and place not in inside and tags[place - 1] == "DT"
    ]


def _led_by(determiner: str) -> Kind:
    return "the" if determiner in _DEFINITE else "article"


def _merged(items: list[Item], lowers: Sequence[str]) -> list[Item]:
    """The groups, those with the number behind them as one: "Dogs: 2", "a family of four"."""
    found: list[Item] = []
    for item in items:
        before = found[-1] if found else None
        flock = before is not None and before.head is None and before.kind == "vague" and item.first == before.last + 2
        if before is not None and flock and lowers[before.last + 1] in _LINKS:
            item.first = before.first  # "a flock of around 30 sheep"
            found.pop()
            before = None
        if before is not None and before.head is None and item.head is None:
            if item.first == before.last + 1 and before.added and item.kind == "number":  # "another one", "another two"
                before.last, before.least, before.most = item.last, item.least, item.most
                continue
            if item.first == before.last + 1 and item.least == 1:  # "a third one"
                before.last = item.last
                continue
            if (
                item.first == before.last + 3
                and lowers[before.last + 1] in _LINKS
                and lowers[before.last + 2] in _LINKS
            ):
                before.of, before.last = item.least, item.last  # "one of the four"
                continue
        if before is not None and before.head is not None and item.head is None and item.first == before.last + 2:
            link = lowers[before.last + 1]
            if item.kind in ("number", "none") and (
                (link in _EQUALS and before.kind == "bare") or (link in _LINKS and before.head in _FAMILIES)
            ):
                before.least, before.most, before.kind, before.last = item.least, item.most, item.kind, item.last
                continue
        found.append(item)
    return found


def _chosen(own: Sequence[Amount], lowers: Sequence[str]) -> tuple[Amount, int | None]:
    """The amount of a noun that several stand before, and of how many it is: "a stack of five", "two of the three"."""
    numbers = [amount for amount in own if amount.kind in ("number", "none")]
    others = [amount for amount in own if amount.kind != "article"]
    if len(numbers) > 1 and not any(word in _DEFINITE for word in lowers[numbers[0].last + 1 : numbers[1].first]):
        return numbers[0]._replace(most=None, kind="vague"), None  # "two rows of ten"
    return (numbers or others or own)[0], numbers[1].least if len(numbers) > 1 else None


def _count(item: Item, amount: Amount, of: int | None, lowers: Sequence[str]) -> None:
    item.of = of
    item.least, item.most, item.kind = amount.least, amount.most, amount.kind
    if amount.kind == "vague" and _is_counted(amount, lowers):
        item.kind = "number"
    between = lowers[amount.last + 1 : item.last]
    item.whole = not (bool(between) and between[0] in _LINKS and any(word in _DEFINITE for word in between))
    if amount.kind == "article" and item.determiner in _DEFINITE:
        item.kind = "the"


def _describes(lowers: Sequence[str], tags: Sequence[str], item: Item) -> bool:
    """Whether a number before a singular noun only describes it: "a three layer cake"."""
    number = (
        next(place for place in range(item.first, item.last + 1) if number_of([lowers[place]]) is not None)
        if any(number_of([lowers[place]]) is not None for place in range(item.first, item.last + 1))
        else item.last
    )
    apart = [tag for tag in tags[number + 1 : item.last] if tag in ("NN", "JJ")]
    return (
        bool(apart)
        and tags[item.last] == "NN"
        and lowers[item.last] not in ZERO_PLURALS
        and _LINKS.isdisjoint(lowers[number : item.last])
    )


def _is_counted(amount: Amount, lowers: Sequence[str]) -> bool:
    """Whether an amount has a number in it: "at least two", not "several"."""
    said = lowers[amount.first : amount.last + 1]
    return amount.most is not None or any(number_of([word]) is not None for word in said)


def _bare(number: str, plural: bool, determiner: str) -> tuple[int, int | None, Kind]:
    definite = determiner in _DEFINITE
    if number == "plural" or plural:
        return 2, None, "the" if definite else "bare"
    if definite:
        return 1, 1, "the"
    return 1, None, "bare"


def _reaches(text: str, tokens: Tokens, tags: Sequence[str], last: int, head: int) -> bool:
    """Whether only words of a noun group stand between an amount and a noun, on the same line."""
    inside = all(
        (tags[at] in _INSIDE or tokens.lowers[at] in _LINKS or tags[at - 1 : at + 2] == ["JJ", "CC", "JJ"])
        and not (tokens.lowers[at] in _ARTICLES and tokens.lowers[at - 1] not in _LINKS)
        for at in range(last + 1, head)
    )
    return inside and "\n" not in text[tokens.ends[last] : tokens.starts[head]]


def _of(lowers: Sequence[str], amount: Amount) -> bool:
    return not _LINKS.isdisjoint(lowers[amount.last + 1 : amount.last + 2])


def _is_lone(lowers: Sequence[str], amount: Amount) -> bool:
    """An article alone says nothing, and "the left one" is no count."""
    if amount.kind == "article":
        return lowers[amount.first] in _ADDING or len(lowers) == 1
    if amount.kind == "none" and lowers[max(0, amount.first - 1)] in _OR:
        return False  # "yes or no"
    one = lowers[amount.first] in _PRONOUNS and amount.first == amount.last
    return not (one and any(word in _DEFINITE for word in lowers[max(0, amount.first - 2) : amount.first]))


def _is_label(lowers: Sequence[str], tags: Sequence[str], amount: Amount) -> bool:
    """Whether a number is a name, a time, a measure or an age: "bus 12", "12:30", "3 years", "number 7"."""
    after, before = lowers[amount.last + 1 : amount.last + 2], lowers[max(0, amount.first - 1) : amount.first]
    if amount.kind not in ("number", "vague"):
        return False
    digits = lowers[amount.first][0].isdigit()
    if _YEAR.fullmatch(lowers[amount.last]) and (
        not (after and after[0][0].isalnum()) or tags[amount.first - 1] == "IN"
    ):
        return amount.first < amount.last or bool(before)
    if before == ["-"] and amount.first == 1:
        return True
    if after and (after[0] in _UNITS or (after[0] in (":", "%", "/") and digits and _digit(lowers, amount.last + 2))):
        return True
    counts = not digits and bool(after) and after[0][0].isalpha()  # "she is reading one book"
    if before and (
        (before[0] in _LABELLED and not counts)
        or (before[0] in (":", ".", "$", "#", "/") and _digit(lowers, amount.first - 2))
    ):
        return True
    return bool(before) and digits and tags[amount.first - 1] in ("NN", "NNP")


def _digit(lowers: Sequence[str], place: int) -> bool:
    return 0 <= place < len(lowers) and lowers[place][0].isdigit()


# --- statements ------------------------------------------------------------------------------------------------------

_ENDS = frozenset((".", "!", "?", ";", "\u2022"))
_OPENS = frozenset((":", "(", "\u2014", "\u2013", "-"))


def _statements(
    text: str, tokens: Tokens, cues: Sequence[Found], items: Sequence[Item], lines: Collection[int]
) -> list[Statement]:
    """The sentences of a text, its lines, and what stands behind a contrast, a colon or in brackets."""
    lowers = tokens.lowers
    contrasts = {cue.first for cue in cues if cue.kind == "contrast"}
    cuts: list[tuple[int, bool]] = []
    for place, word in enumerate(lowers):
        if word in _ENDS:
            cuts.append((place + 1, False))
        elif (place and "\n" in text[tokens.ends[place - 1] : tokens.starts[place]]) or place in contrasts:
            cuts.append((place, False))
        elif word in _OPENS and place and _closes(items, cuts[-1][0] if cuts else 0, place):
            cuts.append((place + 1, True))
    found: list[Statement] = []
    first, explains = 0, False
    for cut, next_explains in [*cuts, (len(lowers), False)]:
        if cut > first:
            found.append(Statement(first, cut, _is_listed(text, tokens, first, lines), explains))
            first = cut
        explains = next_explains
    return found


def _stops(text: str, tokens: Tokens) -> list[int]:
    """The last place of each sentence or line; no sentence is longer than the longest."""
    starts, ends = tokens.starts, tokens.ends
    stops = {place for place, word in enumerate(tokens.lowers) if word in _SENTENCE_ENDS}
    if "\n" in text:
        stops |= {p - 1 for p in range(1, len(starts)) if "\n" in text[ends[p - 1] : starts[p]]}
    if len(starts) > _LONGEST:
        stops |= set(range(_LONGEST, len(starts), _LONGEST))
    return sorted({*stops, len(starts)})


_SENTENCE_ENDS = frozenset((".", "!", "?", ";", "\u2026"))
_LONGEST, _LONGEST_LIST, _NEAR = 200, 60, 8


def _closes(items: Sequence[Item], first: int, place: int) -> bool:
    """Whether a counted group stands before a colon, a dash or a bracket, in the same statement; not within "5 - 6"."""
    return any(item.kind in COUNTED and first <= item.first and item.last < place for item in items)


def _is_listed(text: str, tokens: Tokens, first: int, lines: Collection[int]) -> bool:
    """Whether a statement begins an item of a list."""
    start = tokens.starts[first]
    return bool(lines) and text.rfind("\n", 0, start) + 1 in lines


# --- claims ----------------------------------------------------------------------------------------------------------


def _mark(parse: Parse, statement: Statement) -> None:
    """Mark what a statement denies, supposes, depicts, guesses, adds and sums up."""
    items = parse.items_in(statement)
    for cue in parse.cues if items else ():
        if statement.first <= cue.first < statement.end and cue.kind in _MARKS:
            before = [item for item in items if item.last < cue.first]
            after = [item for item in items if item.last > cue.last]
            _MARKS[cue.kind](parse, cue, before, after)


def _deny(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    if any(other.kind == "plain" and other.first == cue.first for other in parse.cues):
        return
    # "I don't see houses or any other structures" denies the houses as well.
    close = _CUES.shortest("deny", parse.lowers, cue.first)
    passed = [item for item in parse.items if close < item.first <= cue.last and item.last <= cue.last]
    for item in (*passed, *after):
        anew = item.kind == "number" and not _AND.isdisjoint(parse.lowers[cue.last + 1 : item.first])
        item.denied = item.denied or (not anew and _within(parse, cue.last + 1, item.last))


def _deny_behind(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in before[-3:]:
        item.denied = item.denied or _within(parse, item.last + 1, cue.first)


def _guess(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in after[:1]:
        item.guessed = item.guessed or item.first - cue.last <= 3


def _guess_part(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in after[:1]:
        item.guessed = item.guessed or (item.first <= cue.last + 1 and (item.added or item.ordinal > 0))


def _guess_behind(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in before[-1:]:
        item.guessed = item.guessed or (cue.first - item.last <= 1 and not after)


def _guess_extra(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in before[-1:]:
        extra = item.head is None and (item.added or item.ordinal > 0)
        item.guessed = item.guessed or (extra and cue.first - item.last <= 3)


def _guess_if(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in before[-1:]:
        lone = item.head is None or item.ordinal > 0
        item.guessed = item.guessed or (lone and cue.first - item.last <= (2 if item.added else 1))


def _multiply(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in after[:1]:
        if item.first in (cue.first, cue.last + 1) and item.kind == "number":
            item.most, item.kind = None, "vague"


def _among(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    place = cue.first
    if not before and (place == 0 or not parse.lowers[place - 1][0].isalnum()):
        for item in after[:1]:
            item.supposed = item.first <= cue.last + 1


def _suppose(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in after:
        item.supposed = True


def _asked(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    last = cue.last
    for item in after:
        if item is after[0] or all(word in _AND or word in _OR for word in parse.lowers[last + 1 : item.first]):
            item.supposed, last = True, item.last
        else:
            break


def _depict(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in after[:1]:
        item.depicted = item.depicted or item.first - cue.last <= 4


def _depict_behind(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in before[-1:]:
        item.depicted = item.depicted or cue.first == item.last + 1


def _deny_next(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in after[:1]:
        whole = _LINKS.isdisjoint(parse.lowers[item.first : item.last])
        item.denied = item.denied or (item.first == cue.last + 1 and item.kind != "vague" and whole)


def _total(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    earlier = [item for item in before if item.kind in COUNTED][-1:]
    later = [item for item in after if item.kind in COUNTED and item.first - cue.last <= 5]
    between = parse.lowers[earlier[-1].last + 1 : cue.first] if earlier else []
    # "Three in total, two cats and one dog."
    adjoins = len(between) < 2 and all(word.isalpha() for word in between)
    nearer = earlier if earlier and adjoins else later or earlier
    for item in nearer[:1]:
        item.total = True


def _conclude(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    if parse.tag(cue.first) in ("WDT", "WP") and parse.word(cue.first - 1).isalnum():
        return  # "one in the middle that is covered with snow"
    for item in [item for item in after if item.kind in COUNTED][:1]:
        item.total = item.concluded = True


def _add(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in parse.items:
        item.added = item.added or item.first <= cue.first <= item.last or item.first == cue.last + 1


def _part(parse: Parse, cue: Found, before: list[Item], after: list[Item]) -> None:
    for item in (*[item for item in before if cue.first - item.last <= 1], *after):
        item.part = True


COUNTED = ("number", "none", "vague")
_MARKS: dict[str, Callable[[Parse, Found, list[Item], list[Item]], None]] = {
    "deny": _deny,
    "deny_behind": _deny_behind,
    "guess": _guess,
    "guess_part": _guess_part,
    "guess_behind": _guess_behind,
    "guess_extra": _guess_extra,
    "guess_if": _guess_if,
    "among": _among,
    "multiply": _multiply,
    "suppose": _suppose,
    "depict": _depict,
    "depict_behind": _depict_behind,
    "deny_next": _deny_next,
    "asked": _asked,
    "total": _total,
    "conclude": _conclude,
    "add": _add,
    "part": _part,
}


def _within(parse: Parse, first: int, end: int) -> bool:
    """Whether a denial reaches: no comma parts it, unless a list goes on with "or"."""
    lowers = parse.lowers[first:end]
    return "," not in lowers or any(word in _OR for word in lowers)


_AND, _OR = words("words", "and", "words"), words("words", "or", "words")
_STRINGS = words("words", "strings", "words") | {","}
