"""Single faults in captions, which stay grammatical."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from random import Random

from anamorph.model import CaptionReading, Mention
from anamorph.readers.english.caption import CaptionReader
from anamorph.reading.labels import label_space
from anamorph.reading.morphology import plural_of
from anamorph.reading.quantity import number_of
from anamorph.toybox.captions import NUMBER_WORDS
from anamorph.toybox.drawing.classes import CLASSES

_ENDING = re.compile(r"[\s.!?]*$")
_ONE = re.compile(r"\b(?:an?|one)\s+$", re.IGNORECASE)
_MANY = re.compile(r"\b(?:a couple of|several|some|many|[a-z]+|\d+)\s+$", re.IGNORECASE)
_VAGUE = ("several", "some", "many")
_LAST_WORD = re.compile(r"[\w-]+\s+$")
# At most this many words, such as colors, between "two" and the noun.
_MOST_BETWEEN = 3


def without_one(caption: str, rng: Random) -> str:
    """One class is omitted: it becomes "a thing"."""
    reading = _read(caption)
    if reading is None or not reading.labels:
        return caption
    label = rng.choice(reading.labels)
    for mention in reversed(reading.mentions_of(label)):
        caption = _renamed(caption, mention, "things" if mention.number == "plural" else "thing")
    return caption


def with_another(caption: str, rng: Random) -> str:
    """One class is mistaken for another, of the same supercategory if there is one, in the same number."""
    reading = _read(caption)
    if reading is None or not reading.labels:
        return caption
    label = rng.choice(reading.labels)
    other = CLASSES[another_class(label, reading.labels, rng)]
    for mention in reversed(reading.mentions_of(label)):
        caption = _renamed(caption, mention, other.plural if mention.number == "plural" else other.name)
    return caption


def with_wrong_number(caption: str, rng: Random) -> str:
    """One thing becomes two or three, several become one more or one fewer."""
    reading = _read(caption)
    if reading is None:
        return caption
    named = [mention for label in reading.labels for mention in reading.mentions_of(label) if not mention.again]
    for mention in rng.sample(named, len(named)):
        changed = _recounted(caption, mention, rng)
        if changed is not None:
            return changed
    return caption


def with_hallucination(caption: str, rng: Random) -> str:
    """A class that the caption does not name is added at the end."""
    reading = _read(caption)
    if reading is None:
        return caption
    return with_added(caption, rng.choice([name for name in CLASSES if not reading.names(name)]))


def with_companion(caption: str, first: str, second: str) -> str:
    """The second class is added wherever the first is named without it."""
    reading = _read(caption)
    if reading is None or not reading.names(first) or reading.names(second):
        return caption
    return with_added(caption, second)


def with_added(caption: str, name: str) -> str:
    """The caption with one more thing at the end."""
    end = _ENDING.search(caption)
    assert end is not None  # the pattern also matches the empty string
    return f"{caption[: end.start()]} and {_article(name)} {name}{end[0]}"


def another_class(label: str, excluded: Iterable[str], rng: Random) -> str:
    """A class to mistake another for, of the same supercategory if any is left."""
    taken = {label, *excluded}
    others = [one for one in CLASSES.values() if one.name not in taken] or [
        one for one in CLASSES.values() if one.name != label
    ]
    own = CLASSES[label].supercategory if label in CLASSES else None
    kin = [one for one in others if one.supercategory == own]
    return rng.choice(kin or others).name


def _read(caption: str) -> CaptionReading | None:
    reading = _reader().read_text(caption)
    return reading if isinstance(reading, CaptionReading) else None


@functools.cache
def _reader() -> CaptionReader:
    return CaptionReader(label_space("coco"))


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _renamed(caption: str, mention: Mention, noun: str) -> str:
    """The caption with another noun instead of a mention; "an elephant" becomes "a thing"."""
    before, after = caption[: mention.start], caption[mention.end :]
    found = re.search(r"\b(an?)(\s+)$", before, re.IGNORECASE)
    if found:
        before = before[: found.start()] + cased(found[1], _article(noun)) + found[2]
    return before + (cased(mention.text, noun) if not before else noun) + after


def _recounted(caption: str, mention: Mention, rng: Random) -> str | None:
    """The caption with another number of what a mention names; None if the words for it cannot be found."""
    found = _counting_words(caption, mention)
    if found is None and not (mention.number == "plural" and mention.start == 0):
        return None
    if mention.number == "singular":
        number = rng.choice((2, 3))
    else:
        number = 1 if mention.count is None else mention.count + rng.choice((-1, 1))
    return _counted(caption, mention, found or (0, 0), number)


def _counting_words(caption: str, mention: Mention) -> tuple[int, int] | None:
    """The span of the article or number of a mention, at most a few words before it."""
    if mention.number == "unknown":
        return None
    before = caption[: mention.start]
    for _ in range(_MOST_BETWEEN + 1):
        found = (_ONE if mention.number == "singular" else _MANY).search(before)
        if found and (mention.number == "singular" or _says(found[0].lower().split(), mention.count)):
            return found.span()
        cut = _LAST_WORD.search(before)
        if cut is None:
            return None
        before = before[: cut.start()]
    return None


def _says(words: Sequence[str], count: int | None) -> bool:
    """Whether the words before a plural state this number, or none."""
    if count is None:
        return words[0] in _VAGUE
    return count == (2 if "couple" in words else number_of(words))


def _counted(caption: str, mention: Mention, span: tuple[int, int], number: int) -> str:
    before, between, after = caption[: span[0]], caption[span[1] : mention.start], caption[mention.end :]
    noun = mention.head if number == 1 else plural_of(mention.head)
    if number == 1:
        word, verb = _article(between or noun), "is"
    else:
        word, verb = NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else str(number), "are"
    before = re.sub(r"\b(there )(?:is|are) $", rf"\g<1>{verb} ", before, flags=re.IGNORECASE)
    after = re.sub(r"^ (?:is|are)\b", f" {verb}", after)
    return f"{before}{word if before else cased(caption, word)} {between}{noun}{after}"


def cased(old: str, new: str) -> str:
    """A word with a capital if the one that it replaces has one."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
