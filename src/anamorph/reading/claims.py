"""Which things a caption says are there: not what is depicted, denied, doubted, written, or part of a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from anamorph.reading.cues import Found, cues_of, tables, words
from anamorph.reading.groups import Item, Parse
from anamorph.reading.naming import Namer

# How a thing may be depicted.
Depiction: TypeAlias = Literal["toy", "sculpture", "picture", "screen", "costume", "shape"]

_CUES = cues_of("scene", *(kind for kind, rows in tables("scene").items() if "say" in rows[0]))


def _set(table: str) -> frozenset[str]:
    return words("scene", table, "words")


# The nouns that depict, by what they make of a thing.
_KINDS: dict[str, Depiction] = {
    **dict.fromkeys(_set("screen"), "screen"),
    **dict.fromkeys(_set("mask"), "costume"),
    **dict.fromkeys(_set("toy"), "toy"),
    **dict.fromkeys(_set("sculpture"), "sculpture"),
    **dict.fromkeys(_set("picture"), "picture"),
}
_IMAGES, _ITSELF, _FRAMED, _TAKING = _set("image"), _set("itself"), _set("framed"), _set("taking")
_OF, _SHOWS, _PLACING, _SURFACES = _set("of"), _set("shows"), _set("placing"), _set("surface")
_TOYS, _MODELS, _LIFELESS, _CONFECTED = _set("make_toy"), _set("make_model"), _set("lifeless"), _set("confected")
_CRAFTS = [(frozenset(row["words"].split()), frozenset(row["of"].split())) for row in tables("scene")["craft"]]
_THEMSELVES = frozenset(name.replace("_", " ") for name in _set("themselves"))
_PROPER, _SOMEONE, _PARTS, _WORN = _set("proper"), _set("someone"), _set("parts"), _set("worn")
_BEHOLDERS, _TEAMS, _OF_TEAM = _set("beholder"), _set("team"), words("scene", "team", "led")
_COLORS, _SHADES = _set("color"), words("scene", "color", "near")
_PLANTS, _POTS, _COOKING = _set("plant"), _set("pot"), _set("cooking")
_IDIOMS: dict[str, list[tuple[frozenset[str], frozenset[str], frozenset[str]]]] = {}
for _row in tables("scene")["idiom"]:
    for _word in _row["words"].split():
        _near, _unless, _led = (frozenset(_row.get(key, "").split()) for key in ("near", "unless", "led"))
        _IDIOMS.setdefault(_word, []).append((_near, _unless, _led))
_DEFINITE = words("words", "definite", "words")
_POSSESSIVE, _AND, _OR = (
    words("words", "possessive", "words"),
    words("words", "and", "words"),
    words("words", "or", "words"),
)
_BE, _EACH = words("again", "be", "words"), words("words", "each", "words")
_SEEN, _LOOKS, _IT, _BUT = _set("seen"), _set("looks"), _set("it"), _set("but")
_WITH, _ON, _OF_ALONE, _AT, _MEANWHILE = _set("with"), _set("on"), _set("of_alone"), _set("at"), _set("meanwhile")
_IN, _BUT_WITH, _BEFORE_PLACE, _POTTED = _set("in"), _set("but_with"), _set("before_place"), _set("potted")
_THERE, _WHAT, _NOR, _THE = _set("there"), _set("what"), _set("nor"), _set("the")
_HUNG = (_FRAMED - _set("frame")) | _PLACING
# Of idioms: whatever stands before "of".
_OF_NEXT = "of_next"
_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "'"}
_OPENING = frozenset(":\u2014\u2013-(\"\u201c'\u2018[*")
_BULLETS = frozenset(("-", "\u2022", "\u2013", "\u25cf", "+", ")", "("))
# A first line without a mark at its end, an empty line, and a text that has one.
_TITLE = re.compile(r"\s*[^\n.!?:;,]{3,80}?[ \t]*\n[ \t]*\n(?=[^\n]*[.!])")
# A longer text in quotation marks is the caption itself.
_QUOTED_WORDS = 12
_NEAR = 60


def mark_claims(parse: Parse, namer: Namer, counted: frozenset[str] = frozenset()) -> None:
    """Say of each noun group whether it is denied, and why else it may not be there; `counted` depictions are there."""
    named = parse.named
    for item in named:
        item.denied = item.guessed = item.depicted = item.supposed = False
        _name(parse, item, namer)
    marks = _Marks(parse)
    for cue in marks.cues:
        marks.take(cue)
    for place, word in enumerate(parse.lowers):
        if word in _KINDS:
            marks.depiction(place)
        if word in _QUOTES:
            marks.quote(place)
        elif word in _OPENING:
            marks.heading(place)
    _mark_title(parse, named)
    _label_potted(parse, named, namer)
    for item in named:
        if item.kind == "none" and item.whole:
            marks.none(item)
        if item.label is not None and not item.unclaimed:
            item.unclaimed = _figure(parse, item) or _owner(parse, item) or _likeness(parse, item)
        if item.unclaimed in counted:
            item.unclaimed = ""


def _unclaim(items: Iterable[Item], why: str) -> None:
    for item in items:
        item.unclaimed = item.unclaimed or why


class _Marks:
    """What the cues of a text say of the noun groups around them."""

    def __init__(self, parse: Parse) -> None:
        self.parse, self.lowers = parse, parse.lowers
        self.cues = _CUES.find(parse.lowers)
        self.plain = {cue.first for cue in self.cues if cue.kind == "plain"}
        labels = (item.noun for item in parse.named if item.label is not None or item.may_be)
        self.first_named = next(labels, len(parse.lowers))

    def take(self, cue: Found) -> None:
        act = _ACTS.get(cue.kind)
        if act is not None:
            act(self, cue)

    def next_to(self, cue: Found, gap: int = 0, known: bool = False) -> list[Item]:
        """The noun group right behind a cue, and those of its list that "or" joins to it."""
        item = self.parse.after(cue.last + 1)
        end = self.parse.sentence(cue.last)[1]
        if item is None or item.noun >= end or item.first > cue.last + 1 + gap:
            return []
        if item.kind == "the" and not known:
            return []
        found = self.parse.listed(item)
        either = not _OR.isdisjoint(self.lowers[item.noun : found[-1].first])
        return found if either or known else [item]

    def deny(self, cue: Found) -> None:
        """ "Devoid of people", "there are not any dogs or cats"; not "without the tie"."""
        if cue.first in self.plain or self.parse.word(cue.last + 1) in _DEFINITE:
            return
        item = self.parse.after(cue.last + 1)
        inside = item is not None and item.first <= cue.last
        for each in [item] if inside and item is not None else self.next_to(cue, 1):
            either = cue.kind == "lack" or not _OR.isdisjoint(self.lowers[each.noun : each.noun + 12])
            for other in self.parse.listed(each) if either else [each]:
                other.denied = True

    def neither(self, cue: Found) -> None:
        """ "Neither the driver nor any passengers can be seen"."""
        end = self.parse.sentence(cue.last)[1]
        nor = next((place for place in range(cue.last, end) if self.lowers[place] in _NOR), 0)
        if nor and not _SEEN.isdisjoint(self.lowers[cue.last : end]):
            for item in (*self.parse.named_from(cue.last, nor), *self.parse.named_from(nor, end)[:1]):
                item.denied = True

    def none(self, item: Item) -> None:
        """ "No people, cars, or animals": the whole list is denied."""
        found = self.parse.listed(item)
        if not _OR.isdisjoint(self.lowers[item.noun : found[-1].first]):
            for each in found:
                each.denied = True

    def subjects(self, cue: Found) -> list[Item]:
        """The noun groups that a verb says something of: "the owners of the car" of "are away"."""
        item = self.parse.before(cue.first)
        if item is None:
            return []
        start = self.parse.sentence(cue.first)[0]
        for earlier in reversed(self.parse.named_from(start, item.noun)):
            if earlier.noun < max(start, item.first - 2) or self.parse.tag(item.first - 1) not in ("IN", "TO"):
                break
            item = earlier
        return self.parse.listed(item, -1)

    def deny_behind(self, cue: Found) -> None:
        """ "The dog is not visible"; after "there", only what follows is denied."""
        plain = not self.plain.isdisjoint(range(cue.first, cue.last + 1))
        if plain or self.parse.word(cue.first - 2) in _THERE:
            return
        for item in self.subjects(cue):
            item.denied = item.denied or (item.whole and item.of is None)

    def guess(self, cue: Found) -> None:
        following = self.parse.tag(cue.last + 1)
        if following not in ("IN", "VBG", "VBN", "TO", "CD", "RB"):
            found = self.next_to(cue, 1, known=True)
            either = found and not _OR.isdisjoint(self.lowers[found[0].noun : found[-1].first])
            _unclaim(found if either else found[:1], "guess")

    def probable(self, cue: Found) -> None:
        """ "A dog, probably a beagle"; "a cat and probably a dog" claims both."""
        before, item = self.parse.before(cue.first), self.parse.after(cue.last + 1)
        linked = cue.first and (self.lowers[cue.first - 1] in _BE or not self.lowers[cue.first - 1][0].isalnum())
        if item is not None and linked and (before is None or before.label in (None, item.label)):
            self.guess(cue)

    def expect(self, cue: Found) -> None:
        _unclaim(self.next_to(cue, known=True)[:1], "guess")

    def says(self, cue: Found) -> None:
        """Words without quotation marks: "a sign that says bear street", "the word STOP"."""
        item = self.parse.after(cue.last + 1)
        if item is not None and item.first == cue.last + 1 and item.kind in ("bare", "number"):
            written = self.parse.tags[cue.first] not in _NOUNS or self.parse.tokens.texts[item.first][:1].isupper()
            _unclaim([item] if written else (), "text")

    def likened(self, cue: Found) -> None:
        """ "Shaped like a swan", "dressed as a cow"; "it looks like a dog is asleep" says that there is one."""
        item = self.parse.after(cue.last + 1)
        if item is None or item.noun >= self.parse.sentence(cue.last)[1] or item.first > cue.last + 2:
            return
        subject = self.parse.word(cue.first - 1)
        said = self.lowers[cue.first] in _LOOKS and (subject in _IT or not subject[:1].isalnum())
        said = said or subject in _WHAT
        start, end = self.parse.sentence(cue.first)
        taken_back = not _BUT.isdisjoint(self.lowers[start:end])
        if said and not taken_back:
            return
        _unclaim(self.parse.listed(item) if cue.kind == "costume" else [item], cue.kind)

    def drawn_on(self, cue: Found) -> None:
        """ "A cat printed on its side"."""
        before = self.parse.before(cue.first)
        if before is not None and before.noun >= cue.first - 2 and self.parse.tag(cue.first - 1) not in _FINITE:
            _unclaim(self.parse.listed(before, -1), "picture")

    def drawn(self, cue: Found) -> None:
        found = self.parse.named_from(cue.last + 1, self.depiction_end(cue.last + 1))
        _unclaim((item for item in found if cue.kind == "drawn" or item.lives), "picture")

    def made(self, cue: Found) -> None:
        """ "A horse made of wood"."""
        before = self.parse.before(cue.first)
        if before is not None and before.noun == cue.first - 1 and before.lives:
            _unclaim([before], "sculpture")

    def printed(self, cue: Found) -> None:
        """ "A sweater with penguins on it"."""
        start = self.parse.sentence(cue.first)[0]
        for item in self.parse.named_from(start, cue.first):
            if self.lowers[item.noun] in _SURFACES and self.parse.word(item.noun + 1) in _WITH:
                between = self.lowers[item.noun + 1 : cue.first]
                if "," not in between:
                    self.show(item.noun + 1, cue.first, "picture")

    def show(self, low: int, high: int, why: str) -> None:
        _unclaim(self.parse.named_from(low, high), why)

    # --- nouns that depict -------------------------------------------------------------------------------------------

    def depiction(self, place: int) -> None:
        """ "A poster of a dog", "its cover shows a man", "a TV showing a match"."""
        parse, kind = self.parse, _KINDS[self.lowers[place]]
        if parse.tags[place] not in _NOUNS or parse.tag(place + 1) in _NOUNS or self.is_the_image(place):
            return
        following = parse.word(place + 1)
        if self.lowers[place] in _IMAGES and not _TAKING.isdisjoint(self.lowers[max(0, place - 5) : place]):
            return  # "taking a picture of a giraffe"
        later = next(
            (at for at in range(place + 2, min(parse.sentence(place)[1], place + 8)) if self.is_later(at)), None
        )
        if later is not None and not any(tag in _FINITE for tag in parse.tags[place:later]):
            self.show(later + 1, self.depiction_end(later + 1), kind)
        elif (following in _OF and not (following in _OF_ALONE and kind == "screen")) or (
            following in _WITH and kind == "picture" and self.lowers[place] not in _IMAGES
        ):
            self.show(place + 2, self.depiction_end(place + 2), kind)
        elif kind in ("picture", "screen"):
            verb = self.verb_of(place)
            if verb is not None and self.lowers[verb] in _SHOWS:
                self.show(verb + 1, self.shown_end(verb + 1, kind), kind)
            else:
                self.on_screen(place, kind)

    def is_later(self, place: int) -> bool:
        """ "An advertisement for a zoo, featuring a panda"."""
        return self.lowers[place] in _OF and self.parse.tags[place] == "VBG"

    def on_screen(self, place: int, kind: str) -> None:
        """ "On the screen, two players chase a ball", "players on the screen"."""
        item = self.parse.at(place)
        led = item is not None and item.determiner and self.parse.word(item.first - 1) in _ON
        if item is None or not led or kind != "screen":
            return
        start = self.parse.sentence(place)[0]
        if item.first - 1 == start and self.parse.word(place + 1) == ",":
            self.show(place + 2, self.shown_end(place + 2, kind), kind)
        before = self.parse.before(item.first)
        if before is not None and before.noun == item.first - 2 and before.lives:
            _unclaim([before], kind)

    def is_the_image(self, place: int) -> bool:
        """Whether a "photo" is the very image that the text describes."""
        parse, word = self.parse, self.lowers[place]
        item = parse.at(place)
        own = self.lowers[item.first : place] if item is not None else []
        rest = self.lowers[place + 1 : parse.sentence(place)[1]]
        if not (word in _IMAGES or word in _ITSELF) or not _FRAMED.isdisjoint(own):
            return False
        if item is not None and item is parse.named[0] and item.determiner not in _POSSESSIVE:
            shows = parse.word(place + 1) in _SHOWS and parse.tag(place + 1) in _FINITE
            still = not any(tag in _FINITE for tag in parse.tags[place + 1 :][: len(rest)])
            alone = still and (not self.is_hung(place) if word in _IMAGES else _HUNG.isdisjoint(rest))
            if shows or (parse.word(place + 1) in (*_OF, *_WITH) and item.first <= 1 and alone):
                return True
        if word not in _IMAGES:
            return False
        definite = not _THE.isdisjoint(own[:1])
        if not definite and self.is_hung(place):
            return False
        if definite and parse.word(place + 1) not in _OF_ALONE:
            return True
        led_in = item is not None and parse.tag(item.first - 1) == "IN"
        return place < self.first_named and (definite or not led_in)

    def is_hung(self, place: int) -> bool:
        """Whether a picture is said to hang or stand somewhere: "on the wall", not "a woman seated on a wall"."""
        found = [at for at in range(place + 1, self.parse.sentence(place)[1]) if self.lowers[at] in _FRAMED]
        return any(self.parse.tags[at] not in _NOUNS or self.lowers[at - 1] in _DEFINITE for at in found)

    def verb_of(self, place: int) -> int | None:
        """The verb that a noun is the subject of, or the participle that follows it."""
        parse = self.parse
        for at in range(place + 1, min(parse.sentence(place)[1], place + 10)):
            tag = parse.tags[at]
            if (tag in _FINITE and self.lowers[at] not in _BE) or (
                tag == "VBG" and (at == place + 1 or self.lowers[at - 1] in _BE)
            ):
                return at
            if self.lowers[at] == ",":
                return None
        return None

    def depiction_end(self, place: int) -> int:
        """How far what a depiction is of reaches: up to a verb, or to where the depiction hangs or stands."""
        parse, end, related = self.parse, self.parse.sentence(place)[1], False
        for at in range(place, end):
            word, tag = self.lowers[at], parse.tags[at]
            related = related or tag in ("WDT", "WP")
            if tag in _FINITE:
                if not related:
                    return at
                related = False
            known = parse.word(at + 1) in _DEFINITE and word in _AT
            clause = word == "," and (parse.tag(at + 1) not in _NOUNS or parse.tag(at + 2) in _FINITE)
            if word in _PLACING or word in _OPENING or known or clause:
                return at
        return end

    def shown_end(self, place: int, kind: str) -> int:
        """How far what is shown reaches: to the end of the sentence, or to what happens meanwhile beside a screen."""
        parse, end = self.parse, self.parse.sentence(place)[1]
        for at in range(place, end):
            word, following = self.lowers[at], parse.word(at + 1)
            if (kind == "screen" and word in _MEANWHILE) or (word == "," and following in _BUT_WITH):
                return at
            if word == "," and following in _AND and any(tag in _FINITE for tag in parse.tags[at + 2 : end]):
                return at
            if word in _PLACING and following in _BEFORE_PLACE:
                return at
        return end

    # --- what is written ---------------------------------------------------------------------------------------------

    def quote(self, place: int) -> None:
        """A short text in quotation marks."""
        starts, ends = self.parse.tokens.starts, self.parse.tokens.ends
        closing, count = _QUOTES[self.lowers[place]], 0
        if place + 1 >= len(starts) or starts[place + 1] != ends[place]:
            return
        if place and starts[place] == ends[place - 1] and self.lowers[place - 1] not in ("(", ":", "["):
            return
        for at in range(place + 1, min(len(starts), place + 3 * _QUOTED_WORDS)):
            if self.lowers[at] == closing and starts[at] == ends[at - 1]:
                if count <= _QUOTED_WORDS and 2 * count < len(starts):
                    self.show(place, at, "text")
                return
            count += self.lowers[at][0].isalnum()

    def heading(self, place: int) -> None:
        """ "- **Laptop**: An open silver laptop": a line's heading names what the line then says more of."""
        at = place - 2 if self.parse.word(place - 1).isdigit() else place - 1
        item = self.parse.at(at)
        if item is None or item.label is None or item.kind not in ("bare", "number"):
            return
        start, end = self.parse.sentence(item.first)
        if all(word in _BULLETS or word.isdigit() for word in self.lowers[start : item.first]):
            said = self.parse.named_from(place + 1, end)
            if any(each.label == item.label and not each.unclaimed for each in said):
                _unclaim([item], "heading")


_ACTS: dict[str, Callable[[_Marks, Found], None]] = {
    "deny": _Marks.deny,
    "lack": _Marks.deny,
    "neither": _Marks.neither,
    "deny_behind": _Marks.deny_behind,
    "guess": _Marks.guess,
    "probable": _Marks.probable,
    "expect": _Marks.expect,
    "says": _Marks.says,
    "costume": _Marks.likened,
    "shape": _Marks.likened,
    "drawn_on": _Marks.drawn_on,
    "drawn": _Marks.drawn,
    "decorated": _Marks.drawn,
    "made": _Marks.made,
    "on_it": _Marks.printed,
}


def _mark_title(parse: Parse, named: Sequence[Item]) -> None:
    """ "Two Dogs in a Park", an empty line, "Two dogs are running ...": a title says what the text says again."""
    title = _TITLE.match(parse.text)
    if title is not None:
        said = {each.label for each in named if each.start >= title.end() and not each.unclaimed}
        _unclaim((each for each in named if each.start < title.end() and each.label in said), "heading")


def _name(parse: Parse, item: Item, namer: Namer) -> None:
    """ "The Chicago Bulls" are no bulls, and "a Ford Mustang" is a car."""
    text, start = parse.tokens.texts[item.noun], parse.sentence(item.noun)[0]
    if not text[0].isupper() or item.noun == start or parse.titled:
        return
    label = namer.proper(text) or namer.proper(text.removesuffix("s"))
    if label is None and item.label is None:
        makers = (namer.brand(each) for each in parse.lowers[item.first : item.noun])
        label = next((each for each in makers if each is not None), None)  # "an Airbus A380"
    if label is not None:
        item.label, item.may_be = label, ()
    elif item.label is not None and parse.lowers[item.noun] not in _PROPER:
        texts, first = parse.tokens.texts, item.noun - (item.head or "").count(" ")
        before, after = texts[first - 1] if first else "", texts[item.noun + 1 : item.noun + 2]
        bare = (
            (not item.determiner or item.determiner in _THE)
            and item.noun - 1 <= item.first > start
            and before not in _OPENING
        )
        if bare or after == ["&"] or _is_upper(after) or (_is_upper([before]) and first - 1 > start):
            item.unclaimed = "name"


def _is_upper(texts: list[str]) -> bool:
    return bool(texts) and texts[0][:1].isupper()


def _figure(parse: Parse, item: Item) -> str:
    """ "Players from the red team", "a fork in the road", "a sky of deep orange"."""
    word = parse.lowers[item.noun]
    if word in _COLORS:
        own = parse.lowers[max(0, item.first - (item.kind == "bare")) : item.noun]
        return "name" if not item.plural and not _SHADES.isdisjoint(own) else ""
    if word in _BEHOLDERS and item.kind == "the":
        known = any(each.head == item.head for each in parse.named_from(0, item.noun)[-_NEAR:])
        return "" if known else "name"
    if word in _TEAMS and parse.word(item.first - 1) in _OF_TEAM:
        return "name"
    if word not in _IDIOMS:
        return ""
    near = frozenset(parse.lowers[max(0, item.first - _NEAR) : item.noun + _NEAR])
    own = parse.lowers[max(0, item.first - 1) : item.noun]
    for among, unless, led in _IDIOMS[word]:
        if _OF_NEXT in among:
            if parse.word(item.noun + 1) in _OF_ALONE:
                return "name"
        elif parse.word(item.noun + 1) in _OF_ALONE:
            continue  # "a bowl of noodles"
        elif (not among.isdisjoint(near) and unless.isdisjoint(near)) or not led.isdisjoint(own):
            return "name"
    return ""


def _owner(parse: Parse, item: Item) -> str:
    """ "A dog's bowl" is no dog; "a dog's head" and "his dog's bowl" are."""
    if parse.tag(item.noun + 1) != "POS" or item.determiner in _POSSESSIVE:
        return ""
    owned = parse.after(item.noun + 1)
    word = parse.lowers[owned.noun] if owned is not None else ""
    if word in _PARTS or word.removesuffix("s") in _PARTS:
        return ""
    # "The woman's handbag ... She": someone whom the text goes on about.
    goes_on = word in _WORN or not _SOMEONE.isdisjoint(parse.lowers[item.noun : item.noun + _NEAR])
    return "" if item.kind == "the" and goes_on else "owner"


def _likeness(parse: Parse, item: Item) -> str:
    """What its own words make a likeness: "a toy truck", "a ceramic owl"."""
    label = item.label or ""
    own = parse.lowers[item.first : item.noun - (item.head or "").count(" ")]
    if not own or label in _THEMSELVES:
        return ""
    said = frozenset(own)
    crafted = any(label in of and not craft.isdisjoint(said) for craft, of in _CRAFTS)
    if not _TOYS.isdisjoint(said) or crafted or (not item.lives and own[-1] in _MODELS):
        return "toy"
    if (item.lives and not _LIFELESS.isdisjoint(said)) or not _CONFECTED.isdisjoint(said):
        return "sculpture"
    return ""


def _label_potted(parse: Parse, named: Sequence[Item], namer: Namer) -> None:
    """Label the plants that stand in pots, or their pots: "a small cactus in a clay pot", "a pot of ferns"."""
    label = namer.phrase("potted plant")
    words_ = frozenset(parse.lowers)
    if label is None or not _COOKING.isdisjoint(words_) or (_POTS | _POTTED).isdisjoint(words_):
        return
    for number, item in enumerate(named):
        if item.label not in (None, label):
            continue
        if not _POTTED.isdisjoint(parse.lowers[item.first : item.noun]) and _is_plant(item):
            item.label, item.may_be = label, ()
        elif parse.lowers[item.noun] in _POTS:
            near = named[max(0, number - 1) : number + 2]
            before = next((each for each in near if each.noun < item.noun and _is_plant(each)), None)
            gap = parse.lowers[before.noun + 1 : item.first] if before is not None else []
            if before is not None and gap and gap[-1] in _IN and len(gap) < 7:
                same = before.plural == item.plural or (item.plural and before.determiner) or not _EACH.isdisjoint(gap)
                counted = before if same else item
                for plant in parse.listed(before, -1) if counted is before and item.plural else [counted]:
                    plant.label, plant.may_be = label, ()
            elif near[-1] is not item and _is_plant(near[-1]) and near[-1].first - item.noun <= 3:
                item.label, item.may_be = label, ()
                near[-1].may_be = ()


def _is_plant(item: Item) -> bool:
    return item.label is None and (item.head or "").rpartition(" ")[2] in _PLANTS


_LOOKS = frozenset(("looks",))
