"""From tagged words to mentions: which nouns head a group, and which only describe another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anamorph.model.reading import GrammaticalNumber, Mention
from anamorph.reading.morphology import PAIRED, PLURAL_ONLY, ZERO_PLURALS, lemma_of, singular_of
from anamorph.reading.naming import NAMELESS, NOTHING, SENSES, Meaning, Namer
from anamorph.reading.quantity import COLLECTIVES, EDIBLE, KINDS, MANY, MASSES, ONE, OTHERS, number_of
from anamorph.reading.tagging.lexicon import is_animal, is_animate, names_living
from anamorph.reading.tokens import Tokens, line_starts
from anamorph.reading.wordlists import word_list

NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
PLURALS = frozenset(("NNS", "NNPS"))
_MODIFIERS = frozenset(("JJ", "JJR", "JJS", "VBN", "VBG", "PDT"))
_SINGULAR_VERBS = word_list("mentions", "singular_verbs")
_PLURAL_VERBS = word_list("mentions", "plural_verbs")
# Nouns that make a preposition or an adverb and name nothing: "in front of", "on top of".
_PREPOSITIONS = word_list("mentions", "prepositions")
# Plurals that often stand before another noun without naming anything.
_ATTRIBUTIVE_PLURALS = word_list("mentions", "attributive_plurals")
# What people and animals are to each other.
_KIN = word_list("mentions", "kin")
_AGES = word_list("mentions", "ages")
_PARENTS = word_list("mentions", "parents")
_OWNED = re.compile(r"\b(?:its|her|his|their)\s+(?:[\w-]+\s+){0,2}$")
_BARE = re.compile(r"\b(?:and|or|with)\s+$")
_SHARED = re.compile(r"\s+(?:and|or)\s+(?:(?!(?:an?|the|one|two|three|some|another)\b)[\w-]+\s+)*")
_LISTED = re.compile(r"\s*(?:[,:(\u2014\u2013-]|and|,\s*and|:)\s*(?:an?|one|two|three|four|several)\s+(?:[\w-]+\s+)?")
_REACH = 60
# Owners that only say what kind of thing it is.
_OWNERS = word_list("mentions", "owners")
_PULLED_BY = ("-drawn", "-pulled")
_PULLED = frozenset(("drawn", "pulled"))
_FAMILIES = word_list("mentions", "families")
_REFERRING = word_list("mentions", "referring")
# Balls with the name of their game, and what stands before the game.
_BALL_GAMES, _BEFORE_GAMES = word_list("mentions", "ball_games"), word_list("mentions", "before_games")
# How many mentions back a text may refer.
_BACK = 12
_POSSESSIVE = word_list("again", "possessive")
_CYCLISTS = frozenset(("cyclist", "bicyclist"))
COLORS, _STANDS = word_list("attribute_groups", "colours"), frozenset(("one", "ones"))


# No number has more words; those of more are none.
_LONGEST_NUMBER = 24


class Group:
    """A noun group while it is being read: its determiner, numbers and quantifiers."""

    # Defaults of the class, because most groups of a long text need no more than these.
    begun = False
    determiner = ""
    numbers: Sequence[str] = ()
    many = False
    one = False
    none = False  # what is named is said to be absent
    other = False  # "the other dog" is not the one before
    collective = ""  # "herd" of "a herd of"
    collective_count: int | None = None

    def __init__(self, none: bool = False) -> None:
        if none:
            self.none = True

    @property
    def quantified(self) -> bool:
        """Something before "of" said how many."""
        return bool(self.collective or self.numbers or self.many or self.none)

    def determined(self, word: str, after_of: bool) -> Group:
        """The group after a determiner, which begins a new one unless it goes on after "of" or another determiner."""
        if after_of and (self.quantified or self.one):
            return self
        if self.begun and word in ("no", "all", "both"):
            return self
        fresh = Group(none=word == "no" or self.none)
        fresh.begun, fresh.determiner = True, word
        if self.many or word in MANY:
            fresh.many = True
        elif word in ONE:
            fresh.one = True
        if "both" in (word, self.determiner):
            fresh.numbers = ("two",)
        return fresh

    def modified(self, word: str) -> None:
        self.begun = True
        if word in OTHERS:
            self.other = True
        if word in MANY:
            self.many, self.one = True, False
        elif word in ("single", "lone"):
            self.numbers, self.one = ("one",), True
        elif word in ("year", "years", "month", "week", "yr", "old"):
            # The number was an age: "two year old girl".
            self.numbers = ()

    def counted(self, word: str) -> None:
        self.begun = True
        self.numbers = (*self.numbers[-_LONGEST_NUMBER:], word)

    def collected(self, word: str) -> Group:
        """The group after "a couple of" and the like."""
        fresh = Group(self.none)
        fresh.begun, fresh.collective = True, word
        if word in KINDS:
            fresh.many = self.many or bool(self.numbers)
            return fresh
        stated = number_of(self.numbers) if self.numbers else None
        value = COLLECTIVES.get(word)
        if word == "pairs" or (word == "pair" and stated not in (None, 1)):
            fresh.collective, fresh.numbers = "pairs", self.numbers
        elif stated is None or stated == 1:
            fresh.collective_count = value
        elif word == "dozen":
            # Two dozen are 24; two groups say nothing exact.
            fresh.collective_count = stated * 12
        return fresh

    # --- how many ----------------------------------------------------------------------------------------------------

    def how_many(
        self, word: str, plural_form: bool, paired: bool, agreement: str
    ) -> tuple[GrammaticalNumber, int | None]:
        """The number and the exact count of a noun that this group ends in.

        `paired` says that its plural is one thing (scissors). `agreement` is the number of the verb that follows.
        """
        by_form: GrammaticalNumber = "plural" if plural_form else "singular"
        if self.none:
            return by_form, 0
        stated = number_of(self.numbers) if self.numbers else None
        if self.collective:
            return self._how_many_collected(word, plural_form, paired, stated)
        if stated is not None:
            if stated == 0:
                return by_form, 0
            if self.determiner in ("a", "an") and stated > 1 and not plural_form and word not in ZERO_PLURALS:
                return "singular", None  # "a two layer cake"
            return ("singular" if stated == 1 else "plural"), stated
        if self.many or word in PLURAL_ONLY:
            return "plural", None
        if paired:
            return ("singular" if self.one else "unknown"), None
        if word in ZERO_PLURALS:
            return self._how_many_of_one_form(word, agreement), None
        if plural_form:
            return "plural", None
        return ("unknown" if self.determiner == "some" else "singular"), None

    def _how_many_collected(
        self, word: str, plural_form: bool, paired: bool, exact: int | None
    ) -> tuple[GrammaticalNumber, int | None]:
        """After "a pair of", "a herd of", "a lot of", "two kinds of"."""
        if self.collective == "pair" and paired:
            return "singular", 1
        if self.collective == "pairs":
            return "plural", exact if paired else None
        if exact is not None:
            return ("singular" if exact == 1 else "plural"), exact  # "a group of four women"
        if self.collective in KINDS:
            if plural_form or word in PLURAL_ONLY:
                return "plural", None
            return ("unknown" if self.many else "singular"), None
        if self.collective in MASSES and not plural_form and word not in PLURAL_ONLY:
            return ("plural" if word in ZERO_PLURALS and word not in EDIBLE else "unknown"), None
        return "plural", self.collective_count

    def _how_many_of_one_form(self, word: str, agreement: str) -> GrammaticalNumber:
        """One or many sheep: the determiner shows it, or the verb."""
        if self.one:
            return "singular"
        if agreement:
            return "plural" if agreement == "plural" else "singular"
        return "plural" if self.determiner == "some" and word not in EDIBLE else "unknown"


def is_paired(word: str, of_something: bool, in_name: bool) -> bool:
    """Whether a plural is one thing; the glasses in "glasses of beer" and "wine glasses" are not."""
    return word in PAIRED and not (word == "glasses" and (of_something or in_name))


@dataclass(slots=True, eq=False)
class Phrase:
    """A noun group of a text: its mention, where its words begin and where its noun stands, and what led it in."""

    mention: Mention
    first: int
    last: int
    determiner: str
    collective: str
    plural: bool
    other: bool
    kin: bool = False  # an animal that is named by what it is to another: "its mother"

    @property
    def lives(self) -> bool:
        """Whether it names a person or an animal."""
        label, word = self.mention.label, self.mention.head.rpartition(" ")[2]
        # The first sense of a bat is the animal.
        return (word not in SENSES and is_animate(word)) or (label is not None and is_animate(label))


def find_phrases(text: str, tokens: Tokens, tags: Sequence[str], namer: Namer) -> list[Phrase]:
    """Every noun group of a tagged text."""
    scan = _Scan(text, tokens, tags, namer)
    lines = line_starts(text, tokens) if "\n" in text else frozenset()
    for place, tag in enumerate(tags):
        if place in lines:
            scan.group = Group()
        scan.step(place, tag, tokens.lowers[place], place + 1 not in lines)
    _label_by_context(scan.phrases, tokens.lowers, namer)
    if any(phrase.mention.head == "bike" for phrase in scan.phrases):
        _label_bikes(scan.phrases, namer)
    for phrase in scan.phrases:
        if phrase.mention.head in _BALL_GAMES:
            _set_games_apart(phrase, tokens.lowers)
    if any(phrase.mention.head in _KIN for phrase in scan.phrases):
        _set_animals_apart(text, scan.phrases)
    return scan.phrases


def _label_by_context(phrases: list[Phrase], lowers: list[str], namer: Namer) -> None:
    """Label the words that mean a class only among certain others: the board of a surfer."""
    contextual = [p for p in phrases if p.mention.label is None and p.mention.head in namer.contextual]
    if contextual:
        words = frozenset(lowers)
        for phrase in contextual:
            label = namer.in_context(phrase.mention.head, words)
            if label is not None:
                phrase.mention = replace(phrase.mention, label=label, may_be=())


def _label_bikes(phrases: list[Phrase], namer: Namer) -> None:
    """ "A motorcycle ... the bike": the same again, unless a bicycle was named before."""
    motorcycle, bicycle, named = namer.phrase("motorcycle"), namer.phrase("bicycle"), False
    for phrase in phrases if motorcycle else ():
        mention = phrase.mention
        named = named or mention.label == motorcycle
        again = named and (phrase.determiner in _REFERRING or phrase.determiner in _POSSESSIVE)
        if mention.head in _CYCLISTS or (mention.label == bicycle and not again):
            return
        if mention.head == "bike" and named:
            phrase.mention = replace(mention, label=motorcycle, may_be=())


def _set_games_apart(phrase: Phrase, lowers: list[str]) -> None:
    """ "A baseball" is a ball, and who plays basketball plays a game."""
    bare = not (phrase.determiner or phrase.plural or phrase.mention.count is not None)
    if bare and not _BEFORE_GAMES.isdisjoint(lowers[max(0, phrase.first - 1) : phrase.last]):
        phrase.mention = replace(phrase.mention, label=None, may_be=())


class _Scan:
    """One pass over a tagged text: the noun group that is open, and what was found."""

    __slots__ = ("group", "last", "namer", "opened", "phrases", "seen", "sentence", "tags", "text", "tokens")

    def __init__(self, text: str, tokens: Tokens, tags: Sequence[str], namer: Namer) -> None:
        self.text, self.tokens, self.tags, self.namer = text, tokens, tags, namer
        self.last = len(tags) - 1
        self.group = Group()
        self.opened = 0  # where the open group began
        self.phrases: list[Phrase] = []
        self.sentence = 0
        self.seen: dict[str, int] = {}  # label or head -> the sentence that first named it

    def step(self, place: int, tag: str, word: str, goes_on: bool) -> None:
        """Take the next word; what follows it belongs to it only where its line goes on."""
        group, lowers = self.group, self.tokens.lowers
        if not group.begun:
            self.opened = place
        following = self.tags[place + 1] if goes_on and place < self.last else ""
        if tag in NOUNS:
            self.noun(place, word, following)
        elif tag == "DT" or tag == "PRP$":
            self.group = group.determined(word, place > 0 and lowers[place - 1] == "of")
            if self.group is not group and self.tags[place - 1] not in ("DT", "PDT"):
                self.opened = place
        elif tag == "CD":
            if not group.numbers and not group.determiner and not group.collective:
                self.opened = place
            group.counted(word)
        elif tag in _MODIFIERS:
            group.modified(word)
            if word.endswith(_PULLED_BY):
                self.puller(place, word.partition("-")[0])
        elif tag == "CC":
            if not (group.begun and _joins(self.tags[place - 1], following)):
                # "no dogs or cats"
                self.group = Group(
                    none=word in ("or", "nor") and bool(self.phrases) and self.phrases[-1].mention.absent
                )
        elif not (word == "of" and group.quantified) and not _keeps_open(tag, word, group, following):
            # "without using his hands" says nothing of the hands.
            self.group = Group(none=word in ("without", "w/o") and following != "VBG")
            if tag == ".":
                self.sentence += 1

    def collects(self, place: int, word: str) -> bool:
        """Whether a noun before "of" only says how many, as in "a family of elephants", not in "a family of four"."""
        if word in _FAMILIES:
            counted = self.tags[place + 2 : place + 3] == ["CD"]
            for at in range(place + 2, min(place + 5, len(self.tags))):
                tag = self.tags[at]
                if tag in NOUNS:
                    # "A family of five walks by"; "a family of four having breakfast"
                    return not counted or any(map(names_living, self.tokens.lowers[at : at + 2]))
                if (counted and tag == "VBG") or (tag not in _MODIFIERS and tag != "CD"):
                    return False
            return False
        return word in COLLECTIVES or word in MASSES or word in KINDS

    def puller(self, place: int, animal: str) -> None:
        """The horse of a "horse-drawn carriage"."""
        label = self.namer.named([animal], animal).label
        if label is not None:
            start = self.tokens.starts[place]
            mention = Mention(self.text[start : start + len(animal)], start, start + len(animal), animal, label)
            self.phrases.append(Phrase(mention, self.opened, place, "", "", False, False))

    def noun(self, place: int, word: str, following: str) -> None:
        group, lowers = self.group, self.tokens.lowers
        group.begun = True
        if following and (_describes_next(place, lowers, self.tags) or _is_modifier(place, lowers, following)):
            return
        one = group.determiner in ("a", "an") and not group.collective
        if one and following in NOUNS and not any(tag in NOUNS for tag in self.tags[self.opened : place]):
            return  # "a Yankees cap"
        if following and lowers[place + 1] == "of" and self.collects(place, word):
            self.group = group.collected(word)
            return
        self.group = Group()
        if place and f"{lowers[place - 1]}-{word}" in _PREPOSITIONS:
            return
        mention = _mention(self.text, self.tokens, self.tags, place, group, self.namer)
        while self.phrases and self.phrases[-1].mention.end > mention.start:
            self.phrases.pop()  # a name of several words took it in: "stove top oven"
        first = self.seen.setdefault(mention.label or mention.head, self.sentence)
        if group.determiner in _REFERRING:
            if mention.number == "unknown":
                mention = _as_before(mention, self.phrases)
            if first < self.sentence and not group.other:
                mention = replace(mention, again=True)
        one = mention.number == "singular" and (following == "POS" or self.tokens.lowers[place] in ZERO_PLURALS)
        plural = self.tags[place] in PLURALS and not one
        self.phrases.append(
            Phrase(mention, self.opened, place, group.determiner, group.collective, plural, group.other)
        )


def _keeps_open(tag: str, word: str, group: Group, following: str) -> bool:
    """Whether a word may stand inside a noun group."""
    return tag == "POS" or (group.begun and (tag == "RB" or (word == "," and following in _MODIFIERS)))


def _set_animals_apart(text: str, phrases: list[Phrase]) -> None:
    """Mothers and babies are animals where a text names animals and no one else, and ties them to one."""
    mentions = [phrase.mention for phrase in phrases]
    for place, mention in enumerate(mentions):
        if mention.head in _KIN and any(
            _is_apart(text, mentions[near], phrases[near], mention)
            for near in range(max(0, place - 2), place)
            if mention.head in _AGES or phrases[near].kin
        ):
            phrases[place].mention = mentions[place] = replace(mention, label=None)
            phrases[place].kin = True
    kin = {mention.label for mention in mentions if mention.head in _KIN and mention.label is not None}
    others = [mention for mention in mentions if mention.head not in _KIN and not mention.absent]
    if any(mention.label in kin for mention in others if mention.label is not None):
        return
    if not any(_is_animal(mention) for mention in others):
        return
    for place, mention in enumerate(mentions):
        if mention.head in _KIN and _is_tied(text, mentions, place):
            phrases[place].mention = replace(mention, label=None)
            phrases[place].kin = True


def _is_apart(text: str, before: Mention, phrase: Phrase, mention: Mention) -> bool:
    """Whether a word for an age takes animals apart: "two elephants, an adult and a calf"."""
    between = text[before.end : mention.start].lower()
    label = before.label
    animal = phrase.kin or (label not in (None, "person") and is_animate(label or ""))
    return animal and (bool(_LISTED.fullmatch(between)) or (":" in between and "." not in between))


def _is_tied(text: str, mentions: list[Mention], place: int) -> bool:
    """Whether a word for kin belongs to an animal: "its mother", "an elephant and baby", "mother and baby elephant"."""
    mention = mentions[place]
    before = text[max(0, mention.start - _REACH) : mention.start].lower()
    if _OWNED.search(before):
        return True
    if (mention.head in _PARENTS or mention.head in _AGES) and before.endswith("the "):
        return True
    if mention.head in _AGES:
        return any(_is_animal(near) for near in mentions[max(0, place - 2) : place + 3])
    if place > 0 and _is_animal(mentions[place - 1]) and _BARE.search(before):
        return True
    after = mentions[place + 1] if place + 1 < len(mentions) else None
    between = text[mention.end : after.start].lower() if after is not None else ""
    return after is not None and _is_animal(after) and len(between) <= _REACH and bool(_SHARED.fullmatch(between))


def _is_animal(mention: Mention) -> bool:
    noun = mention.head.rpartition(" ")[2]
    known = mention.label not in (None, "person")
    return mention.head not in _KIN and (is_animate(noun) if known else is_animal(noun))


def _joins(before: str, after: str) -> bool:
    """Whether "and" stands inside a group: "black and white cow", "two or three dogs"."""
    if before == "CD":
        return after == "CD"
    return before in _MODIFIERS and after in _MODIFIERS


def _describes_next(place: int, lowers: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a noun only describes the next one: "bus stop", "snow covered hill"."""
    following = tags[place + 1]
    if following == "POS":
        return lowers[place] in _OWNERS  # "the men's bathroom"
    if following in NOUNS:
        word = lowers[place]
        return tags[place] not in PLURALS or word in _ATTRIBUTIVE_PLURALS or word in ZERO_PLURALS
    if lowers[place + 1] in _PULLED:
        return False  # "a horse drawn carriage" has a horse
    led = following == "VBN" and place + 2 < len(tags) and tags[place + 2] in NOUNS and tags[place] not in PLURALS
    return led and not any(letter.isdigit() for letter in lowers[place + 2])  # "a seaplane marked N23456"


def _is_modifier(place: int, lowers: Sequence[str], following: str) -> bool:
    """Whether a color or a compound stands before an adjective or "one": "an orange lower half", "an orange one"."""
    word = lowers[place]
    return (following in _MODIFIERS and "-" in word) or (
        word in COLORS and (following in _MODIFIERS or lowers[place + 1] in _STANDS)
    )


def _mention(text: str, tokens: Tokens, tags: Sequence[str], place: int, group: Group, namer: Namer) -> Mention:
    lowers = tokens.lowers
    word = lowers[place]
    plural_form = tags[place] in PLURALS
    first = place
    while first and place - first < 3 and (tags[first - 1] in NOUNS or tags[first - 1] in _MODIFIERS):
        first -= 1
    of_something = place + 2 < len(lowers) and lowers[place + 1] == "of"
    part = first == place > 1 and lowers[place - 1] == "of"
    bare = first == place and not of_something and not part
    alone = namer.alone.get((word, plural_form)) if bare else None
    if alone is not None:
        name, head = alone
    elif word == "up":
        name, head = NAMELESS._replace(extra=1), "close-up"
    else:
        words = lowers[first : place + 1]
        single = singular_of(word)
        lemma = lemma_of(word, plural_form or (single is not None and word not in PAIRED))
        whole = _of_phrase(lowers, tags, place, single or lemma, namer) if of_something else NOTHING
        is_not = whole.is_not
        if part:  # "a leg of lamb"
            is_not |= namer.meaning(f"{singular_of(lowers[place - 2]) or lowers[place - 2]} of {word}").is_not
        name = namer.named(words, single or lemma, is_not)
        if not name.extra and (whole.label is not None or whole.may_be):
            name = name._replace(label=whole.label, may_be=whole.may_be)
        head = " ".join((*words[-1 - name.extra : -1], single or lemma)) if name.extra else lemma
        if word in _FAMILIES and len(words) > 1 and is_animate(words[-2]):
            # "an elephant family"
            name = name._replace(label=namer.named(words[:-1], words[-2]).label or name.label)
        if bare:
            namer.keep_alone(word, plural_form, name, head)
    number: GrammaticalNumber
    count: int | None
    if word == "couple":
        number, count = "plural", 2
    else:
        paired = is_paired(word, of_something, name.extra > 0)
        agreement = _agreement(place, lowers, tags) if word in ZERO_PLURALS else ""
        number, count = group.how_many(word, plural_form, paired, agreement)
    start, end = tokens.starts[place - name.extra], tokens.ends[place]
    most = 1 if number == "singular" and count is None else None
    return Mention(text[start:end], start, end, head, name.label, number, count, False, 1, most, "", name.may_be)


def _of_phrase(lowers: Sequence[str], tags: Sequence[str], place: int, lemma: str, namer: Namer) -> Meaning:
    """The meaning of a name with "of": "a glass of red wine"."""
    what = place + 2
    if tags[what] in _MODIFIERS and what + 1 < len(lowers):
        what += 1
    return namer.meaning(f"{lemma} of {lowers[what]}")


def _agreement(place: int, lowers: Sequence[str], tags: Sequence[str]) -> str:
    """The number of the verb that follows a noun, or nothing."""
    for following in range(place + 1, min(place + 4, len(tags))):
        tag = tags[following]
        if tag in ("RB", "WDT", "WP") or lowers[following] == "that":
            continue
        if tag in ("VBZ", "POS") or lowers[following] in _SINGULAR_VERBS:
            return "singular"
        return "plural" if tag == "VBP" or lowers[following] in _PLURAL_VERBS else ""
    return ""


def _as_before(mention: Mention, earlier: Sequence[Phrase]) -> Mention:
    """The sheep that were named before are as many as they were then."""
    for other in reversed(earlier[-_BACK:]):
        if other.mention.head == mention.head:
            return replace(mention, number=other.mention.number)
    return mention
